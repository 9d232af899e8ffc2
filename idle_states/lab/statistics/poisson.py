"""The mean of a Poisson distribution, bounded by one count of it: Garwood's exact interval.

F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936) 437: each tail holds
at most (1 - confidence) / 2, whatever the mean is.
"""

import math
from collections.abc import Callable
from functools import lru_cache

MOST = 1000
"""Greatest count whose interval is computed term by term."""
_STEPS = 200


@lru_cache(maxsize=256)
def interval(count: int, percent: float = 95.0) -> tuple[float, float]:
    """Returns the least and the greatest mean of which the count is not too rare.

    count: 0 to MOST, of events that come independently; percent: the confidence.
    Raises ValueError for another count.
    """
    if not 0 <= count <= MOST:
        raise ValueError(f"expected a count from 0 to {MOST}, found {count}")
    aside = (100 - percent) / 200
    low = _root(lambda mean: 1 - at_most(count - 1, mean) - aside, count) if count else 0.0
    return low, _root(lambda mean: aside - at_most(count, mean), count)


def at_most(count: int, mean: float) -> float:
    """Returns the probability of so many events or fewer; 0 for a count below 0."""
    if mean == 0:
        return float(count >= 0)
    logs = (k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(count + 1))
    return math.fsum(map(math.exp, logs))


def _root(rising: Callable[[float], float], count: int) -> float:
    """Returns where a rising function of the mean is 0, by bisection to the last bit."""
    low, high = 0.0, count + 40 * math.sqrt(count + 1)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
