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
    -   stop4: {residency: 1ms}
    +   stop4: {residency: 10ms}

Ground
    The measurements in the spec with their sources; for POWER9 linuxppc-dev
    20230828061530.126588-1 ("significant deviations behind advertised latency and residency").

IS221 latency-below-measured-wake: waking was measured to take longer than the table says.

What it does
    Compares each exit latency with the wake-up latencies that the spec records under `measured`,
    less what the measuring takes by itself where `base` says it. A longer one is a note. It is a
    warning if the measurement contradicts the table: if the lower bound of its interval (`low`) is
    above the exit latency, or, of a measurement without an interval, if it is more than twice the
    exit latency. Tables of a simulator are left out: the measurements are of hardware.

Why is this bad
    A latency limit (PM QoS, a tuned profile) then allows states that break it. A measured wake-up
    includes the interrupt and often the scheduler, 1 to 3 us on POWER9, so a small excess without
    an interval is normal. stop4 and stop5 of POWER9 exceed their figures five- to tenfold.

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

from ...base.model.table import Measurement
from ...base.model.units import format_time
from .rows import StateRow, every_row
from .rule import Confidence, Rule, Severity, Subject, Verdicts

RESIDENCY = Rule(
    "IS213",
    "residency-below-measured-wake",
    Severity.WARNING,
    Confidence.MEDIUM,
    forms=("spec",),
    requires=("IS202", "IS215"),
)
LATENCY = Rule(
    "IS221",
    "latency-below-measured-wake",
    Severity.NOTE,
    Confidence.LOW,
    forms=("spec",),
    requires=("IS201", "IS215"),
    varies=True,
)
RULES = (RESIDENCY, LATENCY)


def measured_rows(subject: Subject) -> Iterator[StateRow]:
    """Yields the rows with measurements; a simulator's have none of their own."""
    if not subject.table.firmware.quirk:
        yield from (row for row in every_row(subject) if row.state.measured)


@RESIDENCY.of_each(measured_rows)
def check_residency(row: StateRow) -> Verdicts:
    residency = row.state.residency_ns
    longest = max(row.state.measured, key=lambda measurement: measurement.latency_ns)
    if residency is not None and residency < longest.latency_ns:
        yield row.verdict(
            "residency",
            f"{row.name} has a target residency of {format_time(residency)}; {longest.kind} "
            f"wake-ups were measured at {format_time(longest.latency_ns)}",
            related=[(row.at("measured"), longest.source)],
        )


@LATENCY.of_each(measured_rows)
def check_latency(row: StateRow) -> Verdicts:
    latency, measured = row.state.latency_ns, row.state.measured
    contrary = [one for one in measured if one.against(latency).verdict == "under-stated"]
    longest = max(contrary or measured, key=lambda measurement: measurement.net_ns)
    if contrary or latency < longest.net_ns:
        yield row.verdict(
            "latency",
            f"{row.name} has an exit latency of {format_time(latency)}; {longest.kind} wake-ups "
            f"were measured at {_measured(longest)}",
            severity=Severity.WARNING if contrary else None,
            confidence=Confidence.MEDIUM if contrary else None,
            related=[(row.at("measured"), longest.source)],
        )


def _measured(one: Measurement) -> str:
    """Such as 9514ns, p99 of 400, 95 % interval 8559ns to 9698ns."""
    parts = [format_time(one.net_ns)]
    if one.base_ns:
        parts[0] += f" (after {format_time(one.base_ns)} of measuring overhead)"
    if one.statistic:
        parts.append(one.statistic + (f" of {one.n}" if one.n is not None else ""))
    if one.low_ns is not None:
        interval = f"{one.confidence} interval ".lstrip() + f"from {format_time(one.low_ns)}"
        parts.append(interval + (f" to {format_time(one.high_ns)}" if one.high_ns else ""))
    return ", ".join(parts)
