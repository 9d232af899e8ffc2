"""The number of independent values that correlated ones are worth.

Of n values in the order they were measured, the share below the quantile of p varies by

    S = var(I) + 2 * sum over k of cov(I(t), I(t + k)),    I(t) = 1 if value t is below it, else 0

divided by n; of independent values, S is p (1 - p). Measured values follow slow changes
(temperature, frequency, a neighbour's work), so that S is larger. It is computed of a model: the
values' normal scores (of their ranks, so that no outlier matters) are an autoregression (G. U. Yule
and G. Walker, order by Schwarz's criterion) about a trend of up to third degree, if one is there.
Two normal scores of correlation r are both below h more often than independent ones, by

    1 / 2 pi * integral of exp(-h^2 / (1 + sin x)) dx    from 0 to arcsin r

A trend leaves less to chance than n independent values would: S is smaller then, where values about
it are as independent ones. Elsewhere n values never count as more than n.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import groupby, pairwise
from operator import mul
from statistics import NormalDist

from ...base.dataclass import dataclass
from ..statistics import student

_CONSECUTIVE = 100_000
"""So many of the values tell how each is like the ones before."""
_FEWEST = 50
_ORDER = 12
_TREND = 20.0
"""The chi-square with three degrees of freedom, 1 in 6000, above which there is a trend."""
_DEGREE = 3
_PLACES = 40
"""Places of a trend at which the covariance is computed."""
_CHANGES = 50
"""With fewer, nothing tells a trend from values that somebody sorted."""
_STEPS = 400
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Dependence:
    """The dependence of each value on those before it.

    correlations  of normal scores 1, 2, ... apart
    trend         where the middle of the scores is, at even distances; (0.0,) without a trend
    spread        standard deviation of the scores about it
    degrees       of freedom, by how well S is known
    scores        the normal scores, in order
    """

    correlations: tuple[float, ...]
    trend: tuple[float, ...]
    spread: float
    degrees: int
    scores: tuple[float, ...]

    def effective(self, n: int, percent: Decimal, confidence: Decimal) -> int:
        """Returns how many independent values n values count as in an interval of a quantile. With
        what is not known of S: Student's t takes the place of the normal distribution's."""
        share = float(percent / 100)
        at, degrees = _NORMAL.inv_cdf(share), self.degrees
        independent = share * (1 - share)
        if self.correlations:
            variances = [self._variance((at - middle) / self.spread) for middle in self.trend]
            spread = max(math.fsum(variances) / len(variances), independent)
        else:
            # of neighbours about a trend, one is below and one is not by chance alone
            changes = sum((a < at) != (b < at) for a, b in pairwise(self.scores))
            spread, degrees = changes / (2 * (len(self.scores) - 1)), max(2, changes)
            if changes < _CHANGES:
                spread = max(spread, independent)
        z = _NORMAL.inv_cdf(0.5 + float(confidence) / 200)
        t = student.quantile(confidence, degrees)
        return max(1, round(n * independent / spread * (z / t) ** 2))

    def _variance(self, at: float) -> float:
        """S where the scores' standard deviation is 1 and their middle is 0."""
        below = _NORMAL.cdf(at)
        alike = _both_below(round(at, 6))
        return below * (1 - below) + 2 * math.fsum(
            alike[round((math.asin(each) / math.pi + 0.5) * _STEPS)] for each in self.correlations
        )


def dependence(values: Sequence[float]) -> Dependence | None:
    """Returns how values follow each other; None where they are as independent ones, or too few."""
    n = min(len(values), _CONSECUTIVE)
    scores = normal_scores(values[:n])
    if n < _FEWEST or not scores:
        return None
    trend, rest = _without_trend(scores)
    series, found = rest, _autoregression(rest, _DEGREE)
    around = math.fsum(each * each for each in trend) / (_variance_of(rest) * found.times)
    if around < _TREND:
        trend = [0.0]
        series, found = scores, _autoregression(scores, 0)
        if not found.weights:
            return None
    spread = math.sqrt(_variance_of(series))
    every = max(1, len(trend) // _PLACES)
    alike = (found.times - 1) / (found.times + 1)
    degrees = n * (1 - alike * alike) / (2 * max(1, len(found.weights)))
    return Dependence(
        found.correlations(n),
        tuple(trend[every // 2 :: every]),
        spread,
        max(2, int(degrees)),
        tuple(scores),
    )


def normal_scores(values: Sequence[float]) -> list[float]:
    """Returns the normal distribution's value at each value's rank, the same for equal ones; none
    if all are equal."""
    order = sorted(range(len(values)), key=values.__getitem__)
    scores = [0.0] * len(values)
    done = 0
    for _, tied in groupby(order, key=values.__getitem__):
        group = list(tied)
        score = _NORMAL.inv_cdf((done + len(group) / 2) / len(values))
        for at in group:
            scores[at] = score
        done += len(group)
        if len(group) == len(values):
            return []
    return scores


@dataclass(frozen=True, slots=True)
class _Autoregression:
    """weights: of the values before; times: the variance of a mean, as that of so many times fewer
    independent values."""

    weights: tuple[float, ...]
    times: float

    def correlations(self, n: int) -> tuple[float, ...]:
        """Returns the correlations of values 1, 2, ... apart, until none is left."""
        weights, found = self.weights, [1.0]
        found += _first_correlations(weights)
        while weights and len(found) < n and max(map(abs, found[-len(weights) :])) > 1e-3:
            found.append(math.fsum(map(mul, weights, reversed(found[-len(weights) :]))))
        return tuple(max(-1.0, min(each * (1 - k / n), 1.0)) for k, each in enumerate(found))[1:]


def _first_correlations(weights: Sequence[float]) -> list[float]:
    """Returns the correlations at as many distances as there are weights: the equations of Yule
    and Walker, solved by going round until nothing changes."""
    found = [0.0] * len(weights)
    for _ in range(5000):
        before = found[:]
        for k in range(len(weights)):
            found[k] = math.fsum(
                weight * (1.0 if k == j else found[abs(k - j) - 1])
                for j, weight in enumerate(weights)
            )
        if max((abs(a - b) for a, b in zip(found, before, strict=True)), default=0.0) < 1e-10:
            break
    return found


def _autoregression(series: Sequence[float], degree: int) -> _Autoregression:
    """Levinson's recursion; the weights' sum is corrected for its bias (Marriott and Pope), where
    a trend of some degree was taken off."""
    n = len(series)
    order = min(_ORDER, n // 20)
    covariances = [
        math.fsum(map(mul, series, series[lag:] if lag else series)) / n for lag in range(order + 1)
    ]
    weights: list[float] = []
    error, best = covariances[0], (n * math.log(covariances[0]), weights, covariances[0])
    for size in range(1, order + 1):
        reflected = (
            covariances[size] - math.fsum(map(mul, weights, reversed(covariances[1:size])))
        ) / error
        weights = [a - reflected * b for a, b in zip(weights, reversed(weights), strict=True)]
        weights.append(reflected)
        error *= 1 - reflected * reflected
        if error <= 0:
            break
        best = min(best, (n * math.log(error) + size * math.log(n), weights, error))
    _, weights, error = best
    total = sum(weights)
    if total > 0:
        bias = (degree + 1 + (degree + 3) * total) / n
        mended = min(total + bias, (1 + 3 * total) / 4)
        weights = [each * mended / total for each in weights]
        total = mended
    return _Autoregression(tuple(weights), error / (covariances[0] * (1 - total) ** 2))


def _without_trend(series: Sequence[float]) -> tuple[list[float], list[float]]:
    """Returns a trend of up to third degree, and the rest."""
    n = len(series)
    places = [2 * (at + 0.5) / n - 1 for at in range(n)]
    trend = [math.fsum(series) / n] * n
    for values in (
        places,
        [1.5 * x * x - 0.5 for x in places],
        [2.5 * x**3 - 1.5 * x for x in places],
    ):
        size = math.fsum(map(mul, values, series)) / math.fsum(map(mul, values, values))
        trend = [so_far + size * value for so_far, value in zip(trend, values, strict=True)]
    return trend, [value - middle for value, middle in zip(series, trend, strict=True)]


def _variance_of(series: Sequence[float]) -> float:
    return math.fsum(map(mul, series, series)) / len(series)


@lru_cache(maxsize=256)
def _both_below(at: float) -> tuple[float, ...]:
    """Returns how much more often than independent ones two scores are both below, where their
    correlation is the sine of -90 to 90 degrees, in even steps."""
    step = math.pi / _STEPS

    def density(x: float) -> float:
        return math.exp(-at * at / max(1 + math.sin(x), 1e-12)) / (2 * math.pi)

    found, total = [0.0], 0.0
    for number in range(_STEPS):
        middle = -math.pi / 2 + (number + 0.5) * step
        total += density(middle) * step
        found.append(total)
    zero = found[_STEPS // 2]
    return tuple(each - zero for each in found)
