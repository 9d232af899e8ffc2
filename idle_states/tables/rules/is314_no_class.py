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
    -   stop2: {flags: [LOSE_USER_CONTEXT]}
    +   stop2: {flags: [LOSE_USER_CONTEXT, STOP_INST_FAST]}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), supported_states_mask; Linux
    drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states().
"""

from ...base.model.table import flag_names
from ...base.wording import joined
from .is3_control import classes, flags_text, swapped_flags
from .rows import StateRow, opal_rows
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS314", "no-class", Severity.ERROR, requires=("IS311",))


@RULE.of_each(opal_rows)
def check(row: StateRow) -> Verdicts:
    wanted, flags = classes(row.subject), row.state.flags
    if not flags & wanted and swapped_flags(row.subject, row.state) is None:
        expected = joined(flag_names(wanted), "or")
        message = f"{row.name}'s flags {flags_text(flags)} name no class; expected {expected}"
        yield row.verdict("flags", message)
