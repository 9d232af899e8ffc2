"""How long to stay on the cheap path before a fixed price is paid.

An idle CPU polls at one rate; after some time it may pay a price, entering and leaving a state, to
go on at a lower rate. A comparison of memory goes on word by word; after some words it may pay for
setting up a faster loop. Nobody knows beforehand how long it will last; the histogram of how long
it lasted is what there is. The cost of waiting until T, over all gaps t, with tail(u) of them
longer than u:

    sum over u < T of tail(u) * rate  +  tail(T) * price  +  sum over u >= T of tail(u) * after

The first sum is that of min(t, T). Break-even waits until what was spent is the price, T = price /
(rate - after), and never costs more than twice what could be known afterwards; whether that is good
the histogram tells. With several states in a row, each has its threshold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .gaps import Gaps

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class WaitStep:
    """From one way of waiting to the next. rate, after: per unit of time, before and after it."""

    rate: Number
    after: Number
    price: Number

    @property
    def break_even(self) -> Fraction | None:
        """The wait that costs as much as the price saves; None if waiting costs no more."""
        gain = Fraction(self.rate - self.after)
        return Fraction(self.price) / gain if gain > 0 else None


@dataclass(frozen=True, slots=True)
class Waiting:
    """thresholds: of each step, None: never taken. cost: over all gaps."""

    thresholds: tuple[int | None, ...]
    cost: Number


def cost(gaps: Gaps, steps: Sequence[WaitStep], thresholds: Sequence[int | None]) -> Number:
    """Over all gaps. thresholds: of each step, in ascending order; None: the step is never taken.

    A gap as long as the threshold still ends before the step.
    """
    total: Number = steps[-1].after * gaps.total
    for step, threshold in zip(steps, thresholds, strict=True):
        total += _part(gaps, step, threshold)
    return total


def _part(gaps: Gaps, step: WaitStep, threshold: int | None) -> Number:
    """What a step contributes, beside what all gaps cost at the last rate: the sums telescope."""
    if threshold is None:
        return (step.rate - step.after) * gaps.total
    within, longer = gaps.shared(threshold)
    return (step.rate - step.after) * within + step.price * longer


def best(gaps: Gaps, steps: Sequence[WaitStep]) -> Waiting:
    """Thresholds that cost least; the lowest of these. A step's is not below the one's before.

    Between two gaps nothing is gained by waiting longer, so thresholds are 0, a gap, or never.
    """
    places: list[int | None] = [0, *(gap for gap in gaps.greatest if gap), None]
    choices: list[list[int]] = []
    costs: list[Number] = [0] * len(places)
    for step in steps:
        least, least_at, chosen = costs[0], 0, []
        found: list[Number] = []
        for at, threshold in enumerate(places):
            if costs[at] < least:
                least, least_at = costs[at], at
            chosen.append(least_at)
            found.append(least + _part(gaps, step, threshold))
        choices.append(chosen)
        costs = found
    at = min(range(len(places)), key=lambda place: (costs[place], place))
    total = costs[at] + steps[-1].after * gaps.total
    thresholds: list[int | None] = []
    for chosen in reversed(choices):
        thresholds.append(places[at])
        at = chosen[at]
    return Waiting(tuple(reversed(thresholds)), total)


def break_even(gaps: Gaps, steps: Sequence[WaitStep]) -> Waiting:
    """Every step at its break-even, rounded up; none before the one in front of it."""
    thresholds: list[int | None] = []
    for step in steps:
        exact = step.break_even
        threshold = None if exact is None else -(-exact.numerator // exact.denominator)
        if thresholds and threshold is not None:
            before = thresholds[-1]
            threshold = None if before is None else max(before, threshold)
        thresholds.append(threshold)
    return Waiting(tuple(thresholds), cost(gaps, steps, thresholds))


def known(gaps: Gaps, step: WaitStep) -> Number:
    """The least cost of a step if every gap's length were known beforehand.

    Exact if the break-even is one of the gaps' cuts.
    """
    exact = step.break_even
    if exact is None:
        return step.rate * gaps.total
    count, total = gaps.up_to(exact.numerator // exact.denominator)
    rest = gaps.count - count
    return step.rate * total + step.price * rest + step.after * (gaps.total - total)


def near_best(
    gaps: Gaps, step: WaitStep, share: Fraction = Fraction(1, 100)
) -> tuple[int | None, int | None]:
    """Between which thresholds the cost is at most that share above the least: how sharp the
    optimum is. All thresholds around the best one up to the first that costs more; None: the step
    is never taken.

    From one gap to the next the cost rises, as longer ones wait longer, and falls at the next.
    """
    places = [0, *(gap for gap in gaps.greatest if gap)]
    costs = [cost(gaps, [step], [place]) for place in places]
    slopes = [(step.rate - step.after) * gaps.shared(place)[1] for place in places]
    at = min(range(len(costs)), key=costs.__getitem__)
    bound = costs[at] * (1 + share)

    def before(place: int) -> Number:
        """The cost of one less than it."""
        return costs[place - 1] + slopes[place - 1] * (places[place] - 1 - places[place - 1])

    low = high = at
    while low and before(low) <= bound and costs[low - 1] <= bound:
        low -= 1
    while high + 1 < len(places) and before(high + 1) <= bound and costs[high + 1] <= bound:
        high += 1
    if high + 1 == len(places):
        # beyond the longest gap nothing is ever paid
        return places[low], None
    last = places[high + 1] - 1
    if before(high + 1) > bound:
        last = places[high] + int((bound - costs[high]) / slopes[high])
    return places[low], last
