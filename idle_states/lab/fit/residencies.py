"""Target residencies of states, from power at wake-up periods or from the exit latency by a rule.

T* is a period between wake-ups. What a state's target residency counts is the stay, preparation and
entry included and the exit not: T* less the time that the CPU is awake for each wake-up, less the
exit latency. It is no shorter than the exit latency.
"""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal

from ...base.dataclass import dataclass, replace
from ...base.model.measured import Energy, Measured
from ...base.wording import plural
from .advertised import AdvertisedStates
from .break_even import BreakEven, NoLine, PowerLine, break_even, line, usable

ENERGY = "energy"


@dataclass(frozen=True, slots=True)
class FittedResidency:
    """value_ns         None where the measurements do not give one; `why` then says why
    low_ns, high_ns  the interval; None: not bounded on that side
    by               how it was found: "energy" or "3x exit latency"
    line             of the state's power; None where no energy was measured
    of               the first file that the power is from, or the latency of a rule
    break_even       None for the shallowest state, and where there is no line
    latency_ns       the exit latency taken off the break-even: as measured, else as advertised;
                     None where there is no break-even
    """

    state: str
    value_ns: int | None
    low_ns: int | None
    high_ns: int | None
    by: str
    why: str = ""
    line: PowerLine | None = None
    break_even: BreakEven | None = None
    spans: tuple[Energy, ...] = ()
    of: Measured | None = None
    latency_ns: float | None = None


def from_energy(
    measured: Sequence[Measured],
    advertised: AdvertisedStates,
    latencies_ns: Mapping[str, float],
    awake_ns: float,
    confidence: Decimal,
) -> tuple[list[FittedResidency], list[str]]:
    """Returns the residencies of the states of which energies were measured, and remarks.

    latencies_ns  exit latency by the state's advertised name, or that of the measurement
    awake_ns      how long the CPU is awake for each wake-up

    Power of different machines, or of different meters, is never compared.
    """
    remarks = []
    apart: dict[tuple[str | None, str], dict[str, list[Energy]]] = {}
    files: dict[str, Measured] = {}
    for file in measured:
        for span in file.energies:
            known = advertised.find(span.state)
            states = apart.setdefault((file.machine, span.domain), {})
            name = known.name if known else span.state
            states.setdefault(name, []).append(span)
            files.setdefault(name, file)
    found: list[FittedResidency] = []
    for states in apart.values():
        kept = {}
        for name, spans in states.items():
            kept[name], left_out = usable(spans, latencies_ns.get(name))
            for why, count in left_out.items():
                remarks.append(f"{name}: {plural(count, 'span')} left out: {why}")
        found += _of_meter(kept, advertised, latencies_ns, awake_ns, confidence)
    return [replace(each, of=files[each.state]) for each in found], remarks


def _of_meter(
    spans: Mapping[str, Sequence[Energy]],
    advertised: AdvertisedStates,
    latencies_ns: Mapping[str, float],
    awake_ns: float,
    confidence: Decimal,
) -> list[FittedResidency]:
    found, lines = [], []
    for name, of in spans.items():
        made = line(name, of)
        if isinstance(made, NoLine):
            found.append(FittedResidency(name, None, None, None, ENERGY, made.why, spans=tuple(of)))
        else:
            lines.append(made)
    ordered = _by_depth(lines, advertised)
    for at, each in enumerate(ordered):
        of = tuple(spans[each.state])
        if not at:
            why = "no shallower state's power was measured"
            found.append(FittedResidency(each.state, None, None, None, ENERGY, why, each, None, of))
            continue
        even = break_even(each, ordered[:at], confidence)
        latency = latencies_ns.get(each.state, 0.0)
        value, low, high = (
            None if ns is None else max(latency, ns - awake_ns - latency)
            for ns in (even.period_ns, even.low_ns, even.high_ns)
        )
        found.append(
            FittedResidency(
                each.state,
                None if value is None or high is None else math.ceil(value),
                None if low is None else math.floor(low),
                None if high is None else math.ceil(high),
                ENERGY,
                even.why,
                each,
                even,
                of,
                latency_ns=latency,
            )
        )
    return found


def by_rule(state: str, latency_ns: int, times: int, of: Measured) -> FittedResidency:
    """The residency by a rule of thumb, `times` exit latencies: intel_idle takes 3 of states of
    ACPI, pseries 10 of CEDE."""
    value = times * latency_ns
    return FittedResidency(state, value, None, None, f"{times}x exit latency", of=of)


def _by_depth(lines: Sequence[PowerLine], advertised: AdvertisedStates) -> list[PowerLine]:
    """The shallowest first: in the order of the table; without one, the one that draws most."""
    order = {state.name: at for at, state in enumerate(advertised.states)}
    if all(each.state in order for each in lines):
        return sorted(lines, key=lambda each: order[each.state])
    return sorted(lines, key=lambda each: -each.watts)
