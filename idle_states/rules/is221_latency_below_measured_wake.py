"""IS221 latency-below-measured-wake: waking was measured to take longer than the table says.

What it does
    Compares each exit latency with the wake-up latencies that the spec records under `measured`,
    less what the measuring takes by itself where `base` says it. A longer one is a note. It is a
    warning if the measurement contradicts the table: if the lower bound of its interval (`low`) is
    above the exit latency, or, of a measurement without an interval, if it is more than twice the
    exit latency. Tables of a simulator are left out: the measurements are of hardware.

Why is this bad
    Whoever sets a latency limit (PM QoS, a tuned profile) gets states that break it. A measured
    wake-up includes the interrupt and often the scheduler, 1 to 3 us on POWER9, so a small excess
    without an interval is normal. stop4 and stop5 of POWER9 exceed their figures five- to tenfold.

Example
    extends: power9
    override:
      stop2: {latency: 12us}

Use instead
    extends: power9
    drop: [stop0_lite, stop0, stop4, stop5]
    override:
      stop2: {latency: 18us}

Ground
    The measurements in the spec with their sources; for POWER9 linuxppc-dev
    20230828061530.126588-1; linuxppc/issues #370 on the same question for partitions.
"""

from collections.abc import Iterator

from ..findings import Confidence, Finding, Severity
from ..pipeline import Subject
from ..table import Measurement
from ..units import format_time
from .rule import Rule

RULE = Rule(
    "IS221",
    "latency-below-measured-wake",
    Severity.NOTE,
    Confidence.LOW,
    forms=("spec",),
    requires=("IS201", "IS215"),
)


def check(subject: Subject) -> Iterator[Finding]:
    if subject.table.firmware.quirk:
        return
    for index, state in enumerate(subject.table.states):
        if not state.measured:
            continue
        against = [(one, one.against(state.latency_ns).verdict) for one in state.measured]
        contrary = [one for one, verdict in against if verdict == "under-stated"]
        longest = max(contrary or state.measured, key=lambda measurement: measurement.net_ns)
        if contrary or state.latency_ns < longest.net_ns:
            yield RULE.finding(
                subject,
                f"{state.name} has an exit latency of {format_time(state.latency_ns)}; "
                f"{longest.kind} wake-ups were measured at {_measured(longest)}",
                subject.at(index, "latency"),
                severity=Severity.WARNING if contrary else None,
                confidence=Confidence.MEDIUM if contrary else None,
                related=[(subject.at(index, "measured"), longest.source)],
            )


def _measured(one: Measurement) -> str:
    """Such as 9514ns, p99 of 400, 95 % interval 8559ns to 9698ns."""
    parts = [format_time(one.net_ns)]
    if one.base_ns:
        parts[0] += f" (without {format_time(one.base_ns)} that measuring takes)"
    if one.statistic:
        parts.append(one.statistic + (f" of {one.n}" if one.n is not None else ""))
    if one.low_ns is not None:
        interval = f"{one.confidence} interval ".lstrip() + f"from {format_time(one.low_ns)}"
        parts.append(interval + (f" to {format_time(one.high_ns)}" if one.high_ns else ""))
    return ", ".join(parts)
