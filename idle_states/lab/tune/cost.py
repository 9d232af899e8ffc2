"""The cost of waiting up to a threshold before paying a fixed price.

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

from ...base.dataclass import dataclass
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


def cost(gaps: Gaps, step: WaitStep, threshold: int | None) -> Number:
    """Returns the cost summed over all gaps.

    threshold: None: the step is never taken. A gap exactly as long ends before the step.
    """
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
    costs = [cost(gaps, step, threshold) for threshold in places]
    least = min(costs)
    return places[costs.index(least)], least


def offline_cost(gaps: Gaps, step: WaitStep) -> Number:
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
    """Returns the lowest and the highest threshold around the best one between which the cost stays
    within `share` of the least: the sharpness of the optimum. Highest None: up to never taking the
    step.

    Between two gap lengths the cost rises with the threshold, as longer gaps wait longer; at each
    gap length it falls.
    """
    places = [0, *(gap for gap in gaps.greatest if gap)]
    costs = [cost(gaps, step, place) for place in places]
    slopes = [(step.rate - step.after) * gaps.shared(place)[1] for place in places]
    at = min(range(len(costs)), key=costs.__getitem__)
    bound = costs[at] * (1 + share)

    def before(place: int) -> Number:
        """Returns the cost of the threshold one below places[place]."""
        return costs[place - 1] + slopes[place - 1] * (places[place] - 1 - places[place - 1])

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
        last = places[high] + int((bound - costs[high]) / slopes[high])
    return places[low], last
