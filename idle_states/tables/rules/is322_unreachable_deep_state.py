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
    firmware: {quirk: mambo}

Use instead
    extends: power9-mambo
    firmware: {quirk: mambo}
    drop: [stop4, stop8, stop11]

Ground
    skiboot hw/slw.c slw_init(), QUIRK_MAMBO_CALLOUTS; add_cpu_idle_state_properties() exports
    OPAL_PM_STOP_INST_DEEP only if wakeup_engine_state is present (56a945e8d).
"""

from ...base.model.table import Flag
from .is3_control import home
from .rows import StateRow, every_row
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS322", "unreachable-deep-state", Severity.NOTE, forms=("spec", "c"))


@RULE.of_each(every_row)
def check(row: StateRow) -> Verdicts:
    if row.state.has(Flag.STOP_INST_DEEP) and home(row.subject).quirk == "mambo":
        yield row.verdict(
            "flags",
            f"{row.name} has STOP_INST_DEEP, which is never exported under Mambo: there is no "
            "wakeup engine",
        )
