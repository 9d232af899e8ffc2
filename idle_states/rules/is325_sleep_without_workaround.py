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
    extends: power8
    override:
      fastsleep_: {flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, SLEEP_ENABLED_ER1]}

Ground
    skiboot 5ac6ac391; Linux arch/powerpc/platforms/powernv/idle.c pnv_init_idle_states().
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import Flag
from .rule import Rule

RULE = Rule("IS325", "sleep-without-workaround", Severity.WARNING)


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_opal or not subject.cpu.processor.fast_sleep:
        return
    for index, state in enumerate(subject.table.states):
        if state.has(Flag.SLEEP_ENABLED) and not state.has(Flag.SLEEP_ENABLED_ER1):
            yield RULE.finding(
                subject,
                f"{state.name} has SLEEP_ENABLED without SLEEP_ENABLED_ER1; POWER8 needs the "
                "workaround for fast sleep",
                subject.at(index, "flags"),
            )
