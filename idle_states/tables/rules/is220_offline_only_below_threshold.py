"""IS220 offline-only-below-threshold: a state meant for offline CPUs is open to cpuidle.

What it does
    Reports a stop state with `cpuidle: no` whose exit latency does not exceed 200 us.

Why is this bad
    The tree cannot say "offline CPUs only": the latency is all that keeps Linux from offering
    the state to the governor. States that Linux skips on POWER10 for what they lose are safe.

Example
    extends: power9
    override:
      stop8: {latency: 200us}

Use instead
    -   stop8: {latency: 200us}
    +   stop8: {latency: 201us}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), POWERNV_THRESHOLD_LATENCY_NS;
    pnv_arch300_idle_init() on POWER10.
"""

from ...base.model.table import Flag
from ...base.model.units import format_time
from ..linux.convert import THRESHOLD_NS
from .rows import StateRow, psscr_rows
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS220", "offline-only-below-threshold", Severity.ERROR, forms=("spec",))

SKIPPED = Flag.TIMEBASE_STOP | Flag.LOSE_FULL_CONTEXT
"""The flags that Linux does not handle beyond POWER9."""


@RULE.of_each(psscr_rows)
def check(row: StateRow) -> Verdicts:
    state = row.state
    if state.cpuidle or state.latency_ns > THRESHOLD_NS:
        return
    if row.subject.cpu.processor.linux_restores or not state.has(SKIPPED):
        yield row.verdict(
            "latency",
            f"{state.name} is marked 'cpuidle: no' and has an exit latency of "
            f"{format_time(state.latency_ns)}; Linux drops it only above "
            f"{format_time(THRESHOLD_NS)}",
            related=[(row.at("cpuidle"), "marked here")],
        )
