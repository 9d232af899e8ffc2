"""IS325 sleep-without-workaround: POWER8's fast sleep is offered without its erratum workaround.

What it does
    Looks for SLEEP_ENABLED without SLEEP_ENABLED_ER1 in POWER8 tables.

Why is this bad
    POWER8 needs a workaround for erratum 1, applied by the last thread of a core that goes to
    sleep and undone by the first that wakes. Linux keeps it only if the tree has
    SLEEP_ENABLED_ER1; with plain SLEEP_ENABLED it leaves it out, on hardware that needs it.

Example
    extends: power8
    override:
      fastsleep_: {flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, SLEEP_ENABLED]}

Use instead
    -   fastsleep_: {flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, SLEEP_ENABLED]}
    +   fastsleep_: {flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, SLEEP_ENABLED_ER1]}

Ground
    skiboot 5ac6ac391; Linux arch/powerpc/platforms/powernv/idle.c pnv_init_idle_states().
"""

from ...base.model.table import Flag
from .rows import StateRow, opal_rows
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS325", "sleep-without-workaround", Severity.WARNING)


@RULE.of_each(opal_rows)
def check(row: StateRow) -> Verdicts:
    state = row.state
    if not state.has(Flag.SLEEP_ENABLED) or state.has(Flag.SLEEP_ENABLED_ER1):
        return
    if row.subject.cpu.processor.fast_sleep:
        yield row.verdict(
            "flags",
            f"{state.name} has SLEEP_ENABLED without SLEEP_ENABLED_ER1; POWER8 needs the "
            "workaround for fast sleep",
        )
