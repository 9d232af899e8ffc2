"""IS322 unreachable-deep-state: a deep state in a table for machines without a wakeup engine.

What it does
    Looks for STOP_INST_DEEP in the table that skiboot takes under the Mambo simulator.

Why is this bad
    skiboot returns from slw_init() before it looks for a wakeup engine there, so it never
    exports a deep state. The rows are dead: nobody sees them go wrong, as nobody saw the timebase
    flags that POWER9's stop4 lost in 58913880c and Mambo's kept. A note, since they harm nobody
    on a simulator.

Example
    extends: power9-mambo

Use instead
    extends: power9-mambo
    drop: [stop4, stop8, stop11]

Ground
    skiboot hw/slw.c slw_init(), QUIRK_MAMBO_CALLOUTS; add_cpu_idle_state_properties() exports
    OPAL_PM_STOP_INST_DEEP only if wakeup_engine_state is present (56a945e8d).
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import Flag
from .is3_control import home
from .rule import Rule

RULE = Rule("IS322", "unreachable-deep-state", Severity.NOTE, forms=("spec", "c"))


def check(subject: Subject) -> Iterator[Finding]:
    if home(subject).quirk != "mambo":
        return
    for index, state in enumerate(subject.table.states):
        if state.has(Flag.STOP_INST_DEEP):
            yield RULE.finding(
                subject,
                f"{state.name} has STOP_INST_DEEP, which is never exported under Mambo: there is "
                "no wakeup engine",
                subject.at(index, "flags"),
            )
