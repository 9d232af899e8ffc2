"""Energy of idle periods, from the power of the states: in watts, or relative to an awake CPU.

An idle period of length t in a state of power P, with time tau to enter and leave it, costs

    E(t) = P0 * tau + P * (t - tau)

where P0 is the power of the awake CPU, also drawn while it enters and leaves a state. Every figure
is an exact fraction between two bounds. The bounds of a result are the least and the greatest value
that the bounds of the inputs allow, not a sum of independent errors.

    break-even i -> j   [(P0 - Pj) tau_j - (P0 - Pi) tau_i] / (Pi - Pj)

Even without power figures, a row implies something if its residency R is its break-even: for the
savings s = P0 - P of a state j and the state i before it, s_i (R - tau_i) = s_j (R - tau_j). With
R = k * latency, tau_j twice the latency and tau_i = 0, state j adds 2/k of its total saving.
`implied` evaluates this from the deepest row up.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Self

from ...base.dataclass import dataclass, replace

IDLE_ONLY = "idle time only: running code, and its delay by late wake-ups, are not included"
"""An assumption of every model; dropped where the workload itself is simulated."""
RELATIVE, WATTS = "relative", "watts"
SNOOZE = "snooze"


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
        """Energy for each unit of work; None without any, or without a total."""
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
