"""IS318 first-fast-loses-full-context: the default stop state would lose full context.

What it does
    Takes the first STOP_INST_FAST state whose PSSCR Linux accepts, and looks whether it has
    LOSE_FULL_CONTEXT.

Why is this bad
    That state is the default stop. Every idle CPU enters it before cpuidle runs, with nothing
    arranged to restore it; Linux only warns (WARN_ON) and goes on.

Example
    extends: power9
    drop: [stop0_lite]
    override:
      stop0:
        flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_FAST]

Use instead
    extends: power9
    drop: [stop0_lite]
    override:
      stop0: {flags: [LOSE_USER_CONTEXT, STOP_INST_FAST]}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(), WARN_ON on
    pnv_default_stop_val's state.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import Flag
from .is3_control import effective_psscr
from .rule import Rule

RULE = Rule("IS318", "first-fast-loses-full-context", Severity.ERROR, requires=("IS315",))


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_stop:
        return
    for index, state in enumerate(subject.table.states):
        psscr = effective_psscr(state)
        full = state.has(Flag.LOSE_FULL_CONTEXT)
        accepted = psscr.esl == psscr.ec and (psscr.esl or not full)
        if not accepted or not state.has(Flag.STOP_INST_FAST):
            continue
        if full:
            yield RULE.finding(
                subject,
                f"{state.name} is the first STOP_INST_FAST state, hence the default stop, and has "
                "LOSE_FULL_CONTEXT",
                subject.at(index, "flags"),
            )
        return
