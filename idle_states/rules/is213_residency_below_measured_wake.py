"""IS213 residency-below-measured-wake: waking was measured to take longer than the state pays off.

What it does
    Compares each target residency with the longest wake-up latency that the spec records under
    `measured`. Tables of a simulator are left out: the measurements are of hardware. IS221 does
    the same for exit latencies.

Why is this bad
    A CPU that sleeps just as long as the table says is worthwhile spends longer waking up than
    it slept. Either the residency is too short, or the measurement belongs to other firmware.

Example
    extends: power9
    override:
      stop4: {residency: 1ms}

Use instead
    extends: power9
    override:
      stop4: {residency: 10ms}

Ground
    The measurements in the spec with their sources; for POWER9 linuxppc-dev
    20230828061530.126588-1 ("significant deviations behind advertised latency and residency").
"""

from collections.abc import Iterator

from ..findings import Confidence, Finding, Severity
from ..pipeline import Subject
from ..units import format_time
from .rule import Rule

RULE = Rule(
    "IS213",
    "residency-below-measured-wake",
    Severity.WARNING,
    Confidence.MEDIUM,
    forms=("spec",),
    requires=("IS202", "IS215"),
)


def check(subject: Subject) -> Iterator[Finding]:
    if subject.table.firmware.quirk:
        return
    for index, state in enumerate(subject.table.states):
        if not state.measured or state.residency_ns is None:
            continue
        longest = max(state.measured, key=lambda measurement: measurement.latency_ns)
        if state.residency_ns < longest.latency_ns:
            yield RULE.finding(
                subject,
                f"{state.name} has a target residency of {format_time(state.residency_ns)}; "
                f"{longest.kind} wake-ups were measured at {format_time(longest.latency_ns)}",
                subject.at(index, "residency"),
                related=[(subject.at(index, "measured"), longest.source)],
            )
