"""IS313 dec-stop-against-timebase-stop: only one of DEC_STOP and TIMEBASE_STOP is set.

What it does
    Compares the two flags of each state.

Why is this bad
    The decrementer counts timebase ticks, so both stop together. Linux reads TIMEBASE_STOP
    alone: without it, a state whose decrementer stops is used with no other timer to wake it.
    All tables set both or neither.

Example
    extends: power9
    override:
      stop8:
        flags: [DEC_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Use instead
    extends: power9
    override:
      stop8:
        flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT,
                LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    skiboot include/opal-api.h OPAL_PM_DEC_STOP, OPAL_PM_TIMEBASE_STOP; Linux
    drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(), CPUIDLE_FLAG_TIMER_STOP.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import Flag
from .rule import Rule

RULE = Rule("IS313", "dec-stop-against-timebase-stop", Severity.WARNING, requires=("IS311",))


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in enumerate(subject.table.states):
        if state.has(Flag.DEC_STOP) == state.has(Flag.TIMEBASE_STOP):
            continue
        found, missing = Flag.DEC_STOP, Flag.TIMEBASE_STOP
        if state.has(Flag.TIMEBASE_STOP):
            found, missing = missing, found
        yield RULE.finding(
            subject,
            f"{state.name} has {found.name} without {missing.name}",
            subject.at(index, "flags"),
        )
