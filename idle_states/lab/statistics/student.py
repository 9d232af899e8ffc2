"""Student's t distribution by mpmath: quantiles and tail probabilities to double precision."""

import math
from decimal import Decimal
from functools import lru_cache
from typing import Any

_DIGITS = 30
_STEPS = 400
_NOTHING = -700.0
"""Natural logarithm below which a probability underflows a double."""


def two_sided(t: float, degrees: int) -> float:
    """Returns the probability of a value at least as far from 0 as t. degrees: 1 or more."""
    from mpmath import mp

    if t == 0:
        return 1.0
    if -(degrees + 1) / 2 * math.log1p(t * t / degrees) < _NOTHING:
        return 0.0
    with mp.workdps(_DIGITS):
        return float(_tails(mp.mpf(t), degrees))


@lru_cache(maxsize=256)
def quantile(confidence: Decimal, degrees: int) -> float:
    """Returns the t for which |value| < t has a probability of `confidence` percent.

    Uses Newton's method from 0; the tails are convex in t, so no step overshoots.
    Raises ValueError for a confidence outside 0 to 100.
    """
    from mpmath import mp

    if not 0 < confidence < 100:
        raise ValueError(f"expected a confidence between 0 and 100 percent, found {confidence}")
    with mp.workdps(_DIGITS):
        wanted = 1 - mp.mpf(str(confidence)) / 100
        t = (1 - wanted) / (2 * _density(mp.mpf(0), degrees))
        for _ in range(_STEPS):
            step = (_tails(t, degrees) - wanted) / (2 * _density(t, degrees))
            t += step
            if abs(step) < t * mp.mpf(10) ** -20:
                return float(t)
    raise ValueError(f"no t found for {confidence} percent and {degrees} degrees of freedom")


def _tails(t: Any, degrees: int) -> Any:
    from mpmath import mp

    share = degrees / (degrees + t * t)
    return mp.betainc(mp.mpf(degrees) / 2, mp.mpf(1) / 2, 0, share, regularized=True)


def _density(t: Any, degrees: int) -> Any:
    from mpmath import mp

    half = mp.mpf(degrees + 1) / 2
    log = mp.loggamma(half) - mp.loggamma(mp.mpf(degrees) / 2)
    return mp.exp(log - half * mp.log1p(t * t / degrees)) / mp.sqrt(degrees * mp.pi)
