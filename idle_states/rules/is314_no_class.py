"""IS314 no-class: a state's flags name no class that its processor's firmware exports.

What it does
    Looks for states without STOP_INST_FAST and STOP_INST_DEEP, before POWER9 without
    NAP_ENABLED, SLEEP_ENABLED, SLEEP_ENABLED_ER1 and WINKLE_ENABLED. Words that make sense with
    their bytes reversed are left to IS311.

Why is this bad
    skiboot exports a state if it has one of the class bits the machine supports, and leaves it
    out without a word otherwise. Of what reaches the tree anyhow, Linux takes nothing it has no
    class for.

Example
    extends: power9
    override:
      stop2: {flags: [LOSE_USER_CONTEXT]}

Use instead
    extends: power9
    override:
      stop2: {flags: [LOSE_USER_CONTEXT, STOP_INST_FAST]}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), supported_states_mask; Linux
    drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states().
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import flag_names
from ..wording import joined
from .is3_control import classes, flags_text, swapped_flags
from .rule import Rule

RULE = Rule("IS314", "no-class", Severity.ERROR, requires=("IS311",))


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_opal:
        return
    wanted = classes(subject)
    for index, state in enumerate(subject.table.states):
        if not state.flags & wanted and swapped_flags(subject, state) is None:
            yield RULE.finding(
                subject,
                f"{state.name}'s flags {flags_text(state.flags)} name no class; expected "
                f"{joined(flag_names(wanted), 'or')}",
                subject.at(index, "flags"),
            )
