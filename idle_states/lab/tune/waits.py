"""The best polling time before each state, if the time polled so far is all that is known.

An idle CPU polls at one rate; after some time it may pay a price, entering and leaving a state, to
continue at a lower rate. (A memory comparison is the same problem: it goes on word by word, and
after some words it may pay for setting up a faster loop.) The length of the gap is not known when
it begins; only a histogram of earlier lengths is. With tail(u) the number of gaps longer than u,
waiting until T costs, over all gaps:

    sum over u < T of tail(u) * rate  +  tail(T) * price  +  sum over u >= T of tail(u) * after

The first sum is that of min(t, T) over all gap lengths t. The break-even T = price / (rate - after)
waits until the waiting has cost as much as the price; it never costs more than twice the optimum
with known lengths, and the histogram shows how much it costs really.
"""

from fractions import Fraction
from math import ceil, floor, lcm

from ...base.dataclass import dataclass
from ...tables.power.energy import PowerModel, StatePower, break_even
from ..replay.machine import CpuTable
from .gaps import Gaps

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class WaitStep:
    """The step from one way of waiting to the next.

    rate, after  cost per unit of time before and after the step
    price        cost of the step itself
    """

    rate: Number
    after: Number
    price: Number

    @property
    def break_even(self) -> Fraction | None:
        """Returns the wait that costs as much as the price; None if the step saves nothing."""
        gain = Fraction(self.rate - self.after)
        return Fraction(self.price) / gain if gain > 0 else None

    @property
    def scaled(self) -> tuple["WaitStep", int]:
        """Returns the step with its costs in whole numbers, quick to sum, and their factor."""
        costs = [Fraction(each) for each in (self.rate, self.after, self.price)]
        factor = lcm(*(each.denominator for each in costs))
        return WaitStep(*(int(each * factor) for each in costs)), factor


def cost(gaps: Gaps, step: WaitStep, threshold: int | None) -> Number:
    """Returns the cost summed over all gaps. threshold: None: the step is never taken. A gap
    exactly as long ends before the step."""
    if threshold is None:
        return step.rate * gaps.total
    within, longer = gaps.shared(threshold)
    return step.after * gaps.total + (step.rate - step.after) * within + step.price * longer


def best(gaps: Gaps, step: WaitStep) -> tuple[int | None, Number]:
    """Returns the threshold of least cost, the lowest if several cost the same, and that cost.

    The threshold is 0, the length of a gap, or None (never): between the lengths of two successive
    gaps, waiting longer gains nothing.
    """
    places: list[int | None] = [0, *(gap for gap in gaps.greatest if gap), None]
    whole, factor = step.scaled
    costs = [cost(gaps, whole, threshold) for threshold in places]
    least = min(costs)
    return places[costs.index(least)], Fraction(least, factor)


def offline_cost(gaps: Gaps, step: WaitStep) -> Number:
    """The least cost of a step if every gap's length were known beforehand. Exact if the break-even
    is one of the gaps' cuts."""
    exact = step.break_even
    if exact is None:
        return step.rate * gaps.total
    count, total = gaps.up_to(exact.numerator // exact.denominator)
    rest = gaps.count - count
    return step.rate * total + step.price * rest + step.after * (gaps.total - total)


def near_best(
    gaps: Gaps, step: WaitStep, share: Fraction = Fraction(1, 100)
) -> tuple[int | None, int | None]:
    """Returns the lowest and the highest threshold around the best one between which the cost stays
    within `share` of the least: the sharpness of the optimum. Highest None: up to never taking the
    step.

    Between two gap lengths the cost rises with the threshold, as longer gaps wait longer; at each
    gap length it falls.
    """
    places = [0, *(gap for gap in gaps.greatest if gap)]
    whole, _ = step.scaled
    costs = [cost(gaps, whole, place) for place in places]
    at = min(range(len(costs)), key=costs.__getitem__)
    bound = floor(costs[at] * (1 + share))

    def slope(place: int) -> Number:
        """Returns the cost that each further ns of waiting adds between two gap lengths."""
        return (whole.rate - whole.after) * gaps.shared(places[place])[1]

    def before(place: int) -> Number:
        """Returns the cost of the threshold one below places[place]."""
        return costs[place - 1] + slope(place - 1) * (places[place] - 1 - places[place - 1])

    low = high = at
    while low and before(low) <= bound and costs[low - 1] <= bound:
        low -= 1
    while high + 1 < len(places) and before(high + 1) <= bound and costs[high + 1] <= bound:
        high += 1
    if high + 1 == len(places):
        # a threshold beyond the longest gap never takes the step
        return places[low], None
    last = places[high + 1] - 1
    if before(high + 1) > bound:
        last = places[high] + (bound - costs[high]) // slope(high)
    return places[low], last


@dataclass(frozen=True, slots=True)
class Wait:
    """The cost of polling for some time, then entering one state.

    best_ns         polling time of least cost; None: the state never pays
    near_ns         range of polling times that cost at most 1 % more than the best
    break_even_ns   bounds of the break-even; None: the state never pays
    best_cost, even_cost, present_cost, known_cost
                    in ns times the model's unit: of the best polling time, of break-even, of the
                    present time-out, and with the length of every gap known beforehand
    """

    name: str
    best_ns: int | None
    near_ns: tuple[int | None, int | None]
    break_even_ns: tuple[Fraction, Fraction | None] | None
    best_cost: Number
    even_cost: Number
    present_cost: Number
    known_cost: Number


def steps(table: CpuTable, model: PowerModel, weight: Fraction = Fraction(0)) -> list[WaitStep]:
    """Returns the steps from polling in state 0 to each other state of a table. weight: cost of 1
    ns of wake latency, in ns of an awake CPU's energy."""
    middle, found = model.middles(), []
    awake, polling = middle.awake.low, middle.states[table.names[0]].power.low
    for name, state in zip(table.names[1:], table.states[1:], strict=True):
        after = middle.states[name].power.low
        price = (awake - after) * middle.states[name].tau_ns
        found.append(WaitStep(polling, after, price + weight * model.awake.middle * state.exit_ns))
    return found


def cuts(
    table: CpuTable, model: PowerModel, timeout_ns: int | None, weight: Fraction = Fraction(0)
) -> list[int]:
    """Returns the lengths in ns at which the histogram given to waits() must be exact."""
    found = [] if timeout_ns is None else [timeout_ns]
    for each in steps(table, model, weight):
        even = each.break_even
        if even is not None:
            found += [floor(even), ceil(even)]
    return found


def waits(
    gaps: Gaps,
    table: CpuTable,
    model: PowerModel,
    timeout_ns: int | None,
    weight: Fraction = Fraction(0),
) -> tuple[Wait, ...]:
    """Returns the best polling time before each state except state 0. timeout_ns: present polling
    limit of state 0; None: it polls until the CPU is woken. weight: as in steps()."""
    found = []
    for name, each in zip(table.names[1:], steps(table, model, weight), strict=True):
        best_ns, best_cost = best(gaps, each)
        even = each.break_even
        bounds: tuple[Fraction, Fraction | None] | None
        if weight:
            bounds = None if even is None else (even, even)
        else:
            idle = StatePower(model.states[table.names[0]].power, 0, "")
            bounds = break_even(model.awake, idle, model.states[name])
        found.append(
            Wait(
                name,
                best_ns,
                near_best(gaps, each),
                bounds,
                best_cost,
                cost(gaps, each, None if even is None else ceil(even)),
                cost(gaps, each, timeout_ns),
                offline_cost(gaps, each),
            )
        )
    return tuple(found)


def regrets(wait: Wait) -> tuple[Fraction, Fraction] | None:
    """Returns the cost of break-even and of the present time-out above the best, as a share; None
    if the best costs nothing."""
    if not wait.best_cost:
        return None
    least = Fraction(wait.best_cost)
    return wait.even_cost / least - 1, wait.present_cost / least - 1
