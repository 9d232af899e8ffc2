"""The binomial distribution, exactly: which order statistics enclose a quantile.

Of n independent values, the number at or below the quantile q_p has the distribution
Binomial(n, p), whatever the values' own. So X(j) <= q_p < X(k) has the probability P(j <= B < k).
W. J. Conover, Practical Nonparametric Statistics, 3rd ed., 3.2.
"""

import math
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from ...base.dataclass import dataclass

_NEGLIGIBLE = 1e-30
"""Share of the greatest term below which terms are left out."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks, from 1, of the values that enclose a quantile, of n in ascending order.

    low, high  None where so few values have no bound on that side
    coverage   the probability that they enclose it, at least the confidence asked for if both do
    inward     by which part of a rank each could be narrower, were there ranks between them
    """

    low: int | None
    high: int | None
    coverage: float
    inward: tuple[float, float] = (0.0, 0.0)


@lru_cache(maxsize=1024)
def ranks(n: int, percent: Decimal, confidence: Decimal) -> Ranks:
    """Returns the ranks of the smallest interval around the percentile whose tails each hold at
    most (100 - confidence) / 2 percent. n: 1 or more; percent, confidence: between 0 and 100,
    exclusive."""
    p, q = float(percent / 100), float((100 - percent) / 100)
    aside = float((100 - confidence) / 200)
    mode = min(n, int((n + 1) * p))
    below = list(_falling(n, p, q, mode))
    above = list(_rising(n, p, q, mode))
    total = math.fsum(below) + 1 + math.fsum(above)
    terms = [*reversed(below), 1.0, *above]
    first = mode - len(below)
    under = over = 0.0
    low = first  # rank j leaves out B < j
    for term in terms:
        if under + term / total > aside:
            break
        under += term / total
        low += 1
    high = first + len(terms)  # rank k leaves out B >= k
    for term in reversed(terms):
        if over + term / total > aside:
            break
        over += term / total
        high -= 1
    bounded = low >= 1, high <= n
    coverage = 1 - (under if bounded[0] else 0) - (over if bounded[1] else 0)
    inward = (
        (aside - under) / (terms[low - first] / total),
        (aside - over) / (terms[high - first - 1] / total),
    )
    return Ranks(low if bounded[0] else None, high if bounded[1] else None, coverage, inward)


def spread_ranks(n: int, effective: int, percent: Decimal, confidence: Decimal) -> Ranks:
    """Returns which of n values enclose a quantile if they count as `effective` independent ones.
    The coverage is the confidence, as far as that number is right."""
    of = ranks(effective, percent, confidence)
    times = n / effective
    low = high = None
    if of.low is not None:
        low = max(1, math.floor((of.low + of.inward[0] - 0.5) * times + 0.5))
    if of.high is not None:
        high = min(n, math.ceil((of.high - of.inward[1] - 0.5) * times + 0.5))
    return Ranks(low, high, float(confidence / 100))


def least(percent: Decimal, confidence: Decimal) -> int:
    """Returns how many values it takes for an interval of a quantile that is bounded above, 1/2 or
    more: so many that the greatest is below it as rarely as half of what confidence leaves."""
    aside = math.log(float((100 - confidence) / 200))
    return math.ceil(aside / math.log(float(percent / 100)))


def coverage_of_maximum(n: int, percent: Decimal) -> float:
    """Returns the probability that the greatest of n values is at or above the quantile."""
    return -math.expm1(n * math.log(float(percent / 100)))


def _falling(n: int, p: float, q: float, mode: int) -> Iterator[float]:
    term = 1.0
    for k in range(mode, 0, -1):
        term *= k * q / ((n - k + 1) * p)
        if term < _NEGLIGIBLE:
            return
        yield term


def _rising(n: int, p: float, q: float, mode: int) -> Iterator[float]:
    term = 1.0
    for k in range(mode, n):
        term *= (n - k) * p / ((k + 1) * q)
        if term < _NEGLIGIBLE:
            return
        yield term
