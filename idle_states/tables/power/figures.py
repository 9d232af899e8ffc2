"""Power models by figures: of specs, of the command line, or implied by a table's rows.

A table does not determine tau: it is taken as the exit latency (TAU_EXIT), or as entry and exit of
the same length (TAU_BOTH). The latter doubles a break-even, so each result names the choice.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from ...base.dataclass import replace
from ...base.model.findings import UsageError
from ...base.model.table import IdleState, Power
from ...base.model.units import format_power
from ...base.patterns import pattern
from ...base.wording import joined
from .energy import IDLE_ONLY, RELATIVE, SNOOZE, WATTS, PowerBounds, PowerModel, StatePower, implied
from .request import TAU_BOTH, TAU_EXIT

TAUS = {TAU_EXIT: 1, TAU_BOTH: 2}
"""Choice of tau -> tau in exit latencies."""
AWAKE = "awake"
POLL = "POLL"
_MILLION = 1_000_000
_FIGURE = pattern(r"(\d{1,6}(?:\.\d{1,6})?)(%|mW|W|)", re.ASCII)
_SCALES = {"": Fraction(1), "%": Fraction(1, 100), "W": Fraction(1), "mW": Fraction(1, 1000)}


class BadPower(UsageError):
    """Power figures that are malformed or contradictory."""


def from_specs(rows: Iterable[tuple[str, IdleState]], tau: str = TAU_EXIT) -> PowerModel | None:
    """Returns the power model of the specs' rows; None if they give no figures.

    rows: (state name in Linux, row). Of several rows with the same name the first counts, because
    all describe the same hardware. Raises BadPower for figures in watts: specs do not give the
    awake CPU's power, which they would need.
    """
    states: dict[str, StatePower] = {}
    wholes: dict[str, list[str]] = {}
    name2power: dict[str, Power] = {}
    for name, row in rows:
        power = row.power
        if power is None or name in states:
            continue
        if power.unit != RELATIVE:
            raise BadPower(
                f"{name} is in watts, so the power of an awake CPU is needed too; give all: "
                f"--power {AWAKE}=4W,{name}=..."
            )
        bounds = PowerBounds(Fraction(power.low, _MILLION), Fraction(power.high, _MILLION))
        states[name] = StatePower(bounds, row.latency_ns * TAUS[tau], _ground(power))
        wholes.setdefault(power.of, []).append(name)
        name2power[name] = power
    if not states:
        return None
    notes = [*_draws(name2power)]
    if len(wholes) > 1:
        shares = "; ".join(f"{of or 'unnamed'}: {', '.join(n)}" for of, n in wholes.items())
        notes.append(f"shares of different units are compared as if of one ({shares})")
    model = PowerModel(RELATIVE, PowerBounds.exactly(1), states, (*_assumed(tau), *notes))
    return _polls(model, "no figure is known")


def from_words(text: str, latencies_ns: Mapping[str, int], tau: str = TAU_EXIT) -> PowerModel:
    """Parses snooze=1,stop0=0.9,stop2=0.5-0.6 (relative to an awake CPU) or
    awake=4W,C1=1.44W,C6=100mW.

    latencies_ns: exit latency of every state. Raises BadPower.
    """
    found: dict[str, tuple[PowerBounds, str]] = {}
    for word in text.split(","):
        name, _, value = word.strip().partition("=")
        ends = [_FIGURE.fullmatch(end.strip()) for end in value.split("-", 1)]
        figures = [(Fraction(end[1]) * _SCALES[end[2]], end[2]) for end in ends if end]
        units = {WATTS if sign.endswith("W") else RELATIVE for _, sign in figures}
        if len(figures) != len(ends) or len(units) != 1 or not name:
            raise BadPower(f"expected NAME=0.9, NAME=0.5-0.6 or NAME=1.44W, found {word!r}")
        low, high = figures[0][0], figures[-1][0]
        if low > high:
            raise BadPower(f"expected the lower bound first, found {word!r}")
        if name in found:
            raise BadPower(f"expected one figure for {name}, found two")
        found[name] = PowerBounds(low, high), units.pop()
    units = {unit for _, unit in found.values()}
    if len(units) != 1:
        raise BadPower("expected figures in watts or relative to an awake CPU, found both")
    unit = units.pop()
    unknown = [name for name in found if name != AWAKE and name not in latencies_ns]
    if unknown:
        raise BadPower(
            f"expected a state ({', '.join(latencies_ns)}) or awake, found {unknown[0]!r}"
        )
    if AWAKE not in found and unit == WATTS:
        raise BadPower("expected the power of an awake CPU too: awake=4W")
    awake = found[AWAKE][0] if AWAKE in found else PowerBounds.exactly(1)
    states = {
        name: StatePower(power, latencies_ns[name] * TAUS[tau], "as given by --power")
        for name, (power, _) in found.items()
        if name != AWAKE
    }
    above = [name for name, state in states.items() if state.power.high > awake.low]
    if above:
        raise BadPower(f"expected no state to draw more than an awake CPU, found {above[0]}")
    notes = (*_assumed(tau), f"figures as given: {text}")
    return _polls(PowerModel(unit, awake, states, notes), "--power does not name it")


def from_rows(
    rows: Sequence[tuple[str, int, int]], tau: str = TAU_BOTH, name: str = "the first table"
) -> PowerModel:
    """Returns the power that rows imply if each residency is the break-even against the row before.

    rows: name, exit latency and target residency in ns; the polling state first, then by depth. The
    deepest state is assumed to draw nothing.
    """
    shares = implied([(exit_ns, residency_ns) for _, exit_ns, residency_ns in rows[1:]], TAUS[tau])
    states = {
        row[0]: StatePower(PowerBounds.exactly(1 - share), row[1] * TAUS[tau], "implied by its row")
        for row, share in zip(rows, shares, strict=True)
    }
    notes = (
        *_assumed(tau),
        f"no power figures: each residency of {name} is assumed to be the state's break-even "
        f"point, and {rows[-1][0]} to draw nothing",
    )
    return PowerModel(RELATIVE, PowerBounds.exactly(1), states, notes)


def _polls(model: PowerModel, why: str) -> PowerModel:
    """Adds snooze and POLL at the power of an awake CPU, unless the model has figures for them."""
    idle = StatePower(model.awake, 0, "an assumption")
    states = {**dict.fromkeys((SNOOZE, POLL), idle), **model.states}
    assumption = f"{SNOOZE} draws as much as an awake CPU: {why}"
    added = () if SNOOZE in model.states else (assumption,)
    return replace(model, states=states, assumptions=(*model.assumptions, *added))


def _assumed(tau: str) -> tuple[str, ...]:
    lasts = "the exit latency" if tau == TAU_EXIT else "twice the exit latency, entry and exit"
    return (
        f"E(t) = P0 * tau + P * (t - tau), P0 the power of the awake CPU, tau {lasts}",
        IDLE_ONLY,
    )


def _draws(name2power: Mapping[str, Power]) -> Iterator[str]:
    """Yields what each state draws, alike ones together, and each source once."""
    words2names: dict[str, list[str]] = {}
    source2names: dict[str, list[str]] = {}
    for name, power in name2power.items():
        words = f"{_figure(power)}{f' ({power.note})' if power.note else ''}"
        words2names.setdefault(words, []).append(name)
        source2names.setdefault(_source(power), []).append(name)
    for words, names in words2names.items():
        yield f"{joined(names)} {'draws' if len(names) == 1 else 'draw'} {words}"
    for source, names in source2names.items():
        yield f"{joined(names)}: by {source}"


def _ground(power: Power) -> str:
    note = f"; {power.note}" if power.note else ""
    return f"{_figure(power)} ({_source(power)}{note})"


def _source(power: Power) -> str:
    return f"{power.source}, {power.confidence} confidence"


def _figure(power: Power) -> str:
    return f"{_range(power)}{f' of {power.of}' if power.of else ''}"


def _range(power: Power) -> str:
    low = format_power(power.low, power.unit)
    return low if power.low == power.high else f"{low} to {format_power(power.high, power.unit)}"
