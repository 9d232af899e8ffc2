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
    extends: power9
    override:
      stop8: {latency: 201us}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), POWERNV_THRESHOLD_LATENCY_NS;
    pnv_arch300_idle_init() on POWER10.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.convert import THRESHOLD_NS
from ..pipeline import Subject
from ..table import Flag
from ..units import format_time
from .rule import Rule

RULE = Rule("IS220", "offline-only-below-threshold", Severity.ERROR, forms=("spec",))

SKIPPED = Flag.TIMEBASE_STOP | Flag.LOSE_FULL_CONTEXT
"""What Linux does not handle beyond POWER9."""


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_stop:
        return
    handles_loss = subject.cpu.processor.linux_restores
    for index, state in enumerate(subject.table.states):
        if state.cpuidle or state.latency_ns > THRESHOLD_NS:
            continue
        if handles_loss or not state.has(SKIPPED):
            yield RULE.finding(
                subject,
                f"{state.name} is marked 'cpuidle: no' and has an exit latency of "
                f"{format_time(state.latency_ns)}; Linux drops it only above "
                f"{format_time(THRESHOLD_NS)}",
                subject.at(index, "latency"),
                related=[(subject.at(index, "cpuidle"), "marked here")],
            )
