"""Energy of idle periods, from the power of the states: in watts, or relative to an awake CPU.

An idle period of length t in a state of power P, with time tau to enter and leave it, costs

    E(t) = P0 * tau + P * (t - tau)

where P0 is the power of the awake CPU, also drawn while it enters and leaves a state. Every figure
is an exact fraction between two bounds. The bounds of a result are the least and the greatest value
that the bounds of the inputs allow, not a sum of independent errors.

    break-even i -> j   [(P0 - Pj) tau_j - (P0 - Pi) tau_i] / (Pi - Pj)

A table does not determine tau: it is taken as the exit latency (TAU_EXIT), or as entry and exit of
the same length (TAU_BOTH). The latter doubles a break-even, so each result names the choice.

Even without power figures, a row implies something if its residency R is its break-even: for the
savings s = P0 - P of a state j and the state i before it, s_i (R - tau_i) = s_j (R - tau_j). With
R = k * latency, tau_j twice the latency and tau_i = 0, state j adds 2/k of its total saving.
`implied` evaluates this from the deepest row up.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Self

from ..findings import UsageError
from ..table import IdleState, Power
from ..units import format_power
from .counters import Figures
from .machine import SNOOZE

TAU_EXIT, TAU_BOTH = "exit", "both"
TAUS = {TAU_EXIT: 1, TAU_BOTH: 2}
"""Choice of tau -> tau in exit latencies."""
AWAKE = "awake"
IDLE_ONLY = (
    "idle time only: what is run, and how much longer it takes for late wake-ups, is not in it"
)
"""An assumption of every model; dropped where the workload itself is simulated."""
RELATIVE, WATTS = "relative", "watts"
POLL = "POLL"
_MILLION = 1_000_000
_FIGURE = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(%|mW|W|)", re.ASCII)
_SCALES = {"": Fraction(1), "%": Fraction(1, 100), "W": Fraction(1), "mW": Fraction(1, 1000)}


@dataclass(frozen=True, slots=True)
class PowerBounds:
    """A value between two exact bounds, both included."""

    low: Fraction
    high: Fraction

    @classmethod
    def exactly(cls, value: Fraction | int) -> Self:
        return cls(Fraction(value), Fraction(value))

    def __add__(self, other: "PowerBounds") -> "PowerBounds":
        return PowerBounds(self.low + other.low, self.high + other.high)

    def times(self, factor: Fraction | int) -> "PowerBounds":
        """Multiplies by a positive or negative factor."""
        ends = sorted((self.low * factor, self.high * factor))
        return PowerBounds(ends[0], ends[1])

    @property
    def middle(self) -> Fraction:
        return (self.low + self.high) / 2


ZERO = PowerBounds.exactly(0)


@dataclass(frozen=True, slots=True)
class StatePower:
    """Power of a state. tau_ns: time to enter and leave it; ground: the source, for reports."""

    power: PowerBounds
    tau_ns: int
    ground: str


@dataclass(frozen=True, slots=True)
class PowerModel:
    """Power of the states of one physical CPU, independent of the table that describes them.

    unit         RELATIVE (to an awake CPU) or WATTS
    awake        power of the awake CPU
    states       state name -> power; states without figures are absent
    assumptions  sentences on what every result rests on
    """

    unit: str
    awake: PowerBounds
    states: Mapping[str, StatePower]
    assumptions: tuple[str, ...]

    def middles(self) -> "PowerModel":
        """Returns the model with every figure at the middle of its bounds."""

        def middle(bounds: PowerBounds) -> PowerBounds:
            return PowerBounds.exactly(bounds.middle)

        states = {
            name: replace(state, power=middle(state.power)) for name, state in self.states.items()
        }
        return replace(self, awake=middle(self.awake), states=states)


@dataclass(frozen=True, slots=True)
class Spent:
    """Energy of idle periods, or of CPUs that also run, in ns times the model's unit.

    states   (state name, energy; None without a power figure)
    total    None if a state that was entered has no power figure
    missing  names of these states
    time_ns  total length of the idle periods, or CPU time
    wakeups  idle periods that ended
    counted  what a workload counted; 0 without one
    """

    states: tuple[tuple[str, PowerBounds | None], ...]
    total: PowerBounds | None
    missing: tuple[str, ...]
    time_ns: int
    wakeups: int = 0
    counted: int = 0

    @property
    def power(self) -> PowerBounds | None:
        """Mean power over the time, in the model's unit."""
        return self._for_each(self.time_ns)

    @property
    def each_wakeup(self) -> PowerBounds | None:
        """Energy for each wake-up; None without any, or without a total."""
        return self._for_each(self.wakeups)

    @property
    def each_unit(self) -> PowerBounds | None:
        """Energy for each unit of work, likewise."""
        return self._for_each(self.counted)

    def _for_each(self, count: int) -> PowerBounds | None:
        if self.total is None or not count:
            return None
        return self.total.times(Fraction(1, count))


def energy(awake: PowerBounds, state: StatePower, count: int, time_ns: int) -> PowerBounds:
    """Returns the energy of `count` idle periods of time_ns in total, in ns times the unit.

    E(t) is linear, so only the number and the sum of the periods matter. A period shorter than tau
    counts as P0 * tau less P * (tau - t).
    """
    transit = state.tau_ns * count
    return awake.times(transit) + state.power.times(time_ns - transit)


def break_even(
    awake: PowerBounds, before: StatePower, after: StatePower
) -> tuple[Fraction, Fraction | None] | None:
    """Returns the bounds in ns of the idle length from which `after` costs less than `before`.

    The upper bound is None if for some values within the bounds it never does; the result is None
    if it never does for any. States draw no more than `awake`, so the extremes of the inputs give
    the extremes of the result.
    """
    found: list[Fraction | None] = []
    ends = ((bounds.low, bounds.high) for bounds in (awake, before.power, after.power))
    for p0, p_before, p_after in product(*ends):
        gain = p_before - p_after
        price = (p0 - p_after) * after.tau_ns - (p0 - p_before) * before.tau_ns
        found.append(max(price / gain, Fraction(0)) if gain > 0 else None)
    known = [value for value in found if value is not None]
    if not known:
        return None
    return min(known), max(known) if len(known) == len(found) else None


def payoffs(
    model: PowerModel, names: Iterable[str]
) -> list[tuple[str, str, tuple[Fraction, Fraction | None] | None]]:
    """Returns (state before, state, break_even() of the two) for each state that has a figure and
    the next shallower one, starting from snooze. names: by depth."""
    known = [SNOOZE, *(name for name in names if name in model.states and name != SNOOZE)]
    return [
        (before, after, break_even(model.awake, model.states[before], model.states[after]))
        for before, after in pairwise(known)
    ]


def implied(rows: Sequence[tuple[int, int]], factor: int = 2) -> list[Fraction]:
    """Returns the power that each state saves, as a share of what the deepest saves, if residencies
    are break-evens. The first share is that of the polling state; a consistent table gives 0.

    rows: (exit latency, target residency) in ns, without the polling state, by depth. factor: tau
    in exit latencies. A row whose residency is not above tau implies nothing; the state before it
    then gets the same share.
    """
    taus = [0, *(factor * exit_ns for exit_ns, _ in rows)]
    shares = [Fraction(1)]
    for place in range(len(rows), 0, -1):
        residency, tau, tau_before = rows[place - 1][1], taus[place], taus[place - 1]
        ratio = Fraction(1)
        if residency > tau and residency > tau_before:
            ratio = Fraction(residency - tau, residency - tau_before)
        shares.append(shares[-1] * ratio)
    shares.reverse()
    return shares


def spent(figures: Figures, model: PowerModel) -> Spent:
    """Returns the energy of counted idle periods; their time is in whole us, as counted."""
    states: list[tuple[str, PowerBounds | None]] = []
    missing, total = [], ZERO
    for state in figures.states:
        known = model.states.get(state.name)
        if known is None:
            states.append((state.name, None))
            if state.usage:
                missing.append(state.name)
            continue
        own = energy(model.awake, known, state.usage, state.time_us * 1000)
        states.append((state.name, own))
        total += own
    return Spent(
        tuple(states),
        None if missing else total,
        tuple(missing),
        figures.time_us * 1000,
        figures.usage,
    )


# Power figures from specs, from the command line, or implied by rows


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
    said = []
    for name, row in rows:
        power = row.power
        if power is None or name in states:
            continue
        if power.unit != RELATIVE:
            raise BadPower(
                f"expected to know what the CPU draws awake, {name} being given in watts; give all "
                f"of them: --power {AWAKE}=4W,{name}=..."
            )
        bounds = PowerBounds(Fraction(power.low, _MILLION), Fraction(power.high, _MILLION))
        states[name] = StatePower(bounds, row.latency_ns * TAUS[tau], _ground(power))
        wholes.setdefault(power.of, []).append(name)
        said.append(f"{name} draws {states[name].ground}")
    if not states:
        return None
    if len(wholes) > 1:
        shares = "; ".join(f"{of or 'unnamed'}: {', '.join(n)}" for of, n in wholes.items())
        said.append(f"shares of different things are taken for shares of the same ({shares})")
    model = PowerModel(RELATIVE, PowerBounds.exactly(1), states, (*_assumed(tau), *said))
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
        raise BadPower("expected to know what the CPU draws awake, too: awake=4W")
    awake = found[AWAKE][0] if AWAKE in found else PowerBounds.exactly(1)
    states = {
        name: StatePower(power, latencies_ns[name] * TAUS[tau], "as given by --power")
        for name, (power, _) in found.items()
        if name != AWAKE
    }
    above = [name for name, state in states.items() if state.power.high > awake.low]
    if above:
        raise BadPower(f"expected no state to draw more than an awake CPU, found {above[0]}")
    said = (*_assumed(tau), f"figures as given: {text}")
    return _polls(PowerModel(unit, awake, states, said), "--power does not name it")


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
    said = (
        *_assumed(tau),
        f"no figures: the rows of {name} are taken to be right, each residency being the state's "
        f"break-even, and {rows[-1][0]} to draw nothing",
    )
    return PowerModel(RELATIVE, PowerBounds.exactly(1), states, said)


def _polls(model: PowerModel, why: str) -> PowerModel:
    """Adds snooze and POLL at the power of an awake CPU, unless the model has figures for them."""
    idle = StatePower(model.awake, 0, "an assumption")
    states = {**dict.fromkeys((SNOOZE, POLL), idle), **model.states}
    said = f"{SNOOZE} draws as much as an awake CPU: {why}"
    added = () if SNOOZE in model.states else (said,)
    return replace(model, states=states, assumptions=(*model.assumptions, *added))


def _assumed(tau: str) -> tuple[str, ...]:
    lasts = "the exit latency" if tau == TAU_EXIT else "twice the exit latency, entry and exit"
    return (
        f"E(t) = P0 * tau + P * (t - tau), P0 being what the CPU draws awake, tau {lasts}",
        IDLE_ONLY,
    )


def _ground(power: Power) -> str:
    whole = f" of {power.of}" if power.of else ""
    note = f"; {power.note}" if power.note else ""
    return f"{_range(power)}{whole} ({power.source}, {power.confidence} confidence{note})"


def _range(power: Power) -> str:
    low = format_power(power.low, power.unit)
    return low if power.low == power.high else f"{low} to {format_power(power.high, power.unit)}"
