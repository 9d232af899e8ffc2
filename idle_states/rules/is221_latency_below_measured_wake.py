"""IS221 latency-below-measured-wake: waking was measured to take longer than the table says.

What it does
    Compares each exit latency with the longest wake-up latency that the spec records under
    `measured`. Tables of a simulator are left out: the measurements are of hardware.

Why is this bad
    Whoever sets a latency limit (PM QoS, a tuned profile) gets states that break it. A measured
    wake-up includes the interrupt and the scheduler, 1 to 3 us on POWER9, so a small excess is
    normal: the rule gives a note. stop4 and stop5 of POWER9 exceed their figures five- to
    tenfold.

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
        longest = max(state.measured, key=lambda measurement: measurement.latency_ns)
        if state.latency_ns < longest.latency_ns:
            yield RULE.finding(
                subject,
                f"{state.name} has an exit latency of {format_time(state.latency_ns)}; "
                f"{longest.kind} wake-ups were measured at {format_time(longest.latency_ns)}",
                subject.at(index, "latency"),
                related=[(subject.at(index, "measured"), longest.source)],
            )
