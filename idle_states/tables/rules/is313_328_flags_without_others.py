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
    -     flags: [DEC_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]
    +     flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT,
    +             LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    skiboot include/opal-api.h OPAL_PM_DEC_STOP, OPAL_PM_TIMEBASE_STOP; Linux
    drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(), CPUIDLE_FLAG_TIMER_STOP.

IS328 incomplete-context-loss: a state loses more context without losing less.

What it does
    Expects LOSE_HYP_CONTEXT wherever LOSE_FULL_CONTEXT is set, LOSE_USER_CONTEXT wherever
    LOSE_HYP_CONTEXT is, and LOSE_USER_CONTEXT on every nap, sleep and winkle. Words with
    context-loss bits of 2014 are left to IS310.

Why is this bad
    The three are steps: user registers go first, hypervisor registers next, the rest of the core
    last. A step left out says that deeper state is lost while shallower survives, which no
    hardware does; a reader that restores by these flags leaves that step out as well. Before
    POWER9 there is no state that keeps user context.

Example
    extends: power9
    override:
      stop4: {flags: [LOSE_USER_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]}

Use instead
    -   stop4: {flags: [LOSE_USER_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]}
    +   stop4: {flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]}

Ground
    skiboot include/opal-api.h OPAL_PM_LOSE_* ("restore GPRs like nap" is the first step); every
    table in skiboot's history that sets one step sets those before it.
"""

from ...base.model.table import Flag
from .is3_control import FLAGS_OF_2014, POWER8_CLASSES
from .rows import StateRow, every_row
from .rule import Rule, Severity, Verdicts

DEC_STOP = Rule("IS313", "dec-stop-against-timebase-stop", Severity.WARNING, requires=("IS311",))
LOSSES = Rule("IS328", "incomplete-context-loss", Severity.WARNING, requires=("IS311", "IS315"))
RULES = (DEC_STOP, LOSSES)
_STEPS = (
    (Flag.LOSE_FULL_CONTEXT, Flag.LOSE_HYP_CONTEXT),
    (Flag.LOSE_HYP_CONTEXT, Flag.LOSE_USER_CONTEXT),
)


@DEC_STOP.of_each(every_row)
def check_dec_stop(row: StateRow) -> Verdicts:
    found, missing = Flag.DEC_STOP, Flag.TIMEBASE_STOP
    if row.state.has(missing):
        found, missing = missing, found
    if row.state.has(found) and not row.state.has(missing):
        yield row.verdict("flags", f"{row.name} has {found.name} without {missing.name}")


@LOSSES.of_each(every_row)
def check_losses(row: StateRow) -> Verdicts:
    state = row.state
    if state.flags & FLAGS_OF_2014:
        return
    for more, less in _STEPS:
        if state.has(more) and not state.has(less):
            yield row.verdict("flags", f"{row.name} has {more.name} without {less.name}")
    if state.flags & POWER8_CLASSES and not state.has(Flag.LOSE_USER_CONTEXT):
        missing = "no LOSE_USER_CONTEXT, which nap, sleep and winkle all lose"
        yield row.verdict("flags", f"{row.name} has {missing}")
