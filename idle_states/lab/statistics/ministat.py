"""ministat's computations, to the last digit: Debian's 20150715, equal to FreeBSD's of that time.

Differences from `summary` and `comparison`:
- samples and their squares are summed in doubles, in the order of the file: if the spread is tiny
  compared with the values, the variance comes out as 0, or negative with a deviation of -nan;
- the median of an even number of samples is the upper of the middle two;
- t is rounded to three decimals for up to 100 degrees of freedom, beyond that it is the normal
  distribution's. The level called 99.5 % is 99.8 %, and seven of its figures are misprints;
- the error in percent is that of the difference over the reference's average; later versions of
  FreeBSD add the reference's own error.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal

from .comparison import root
from .student import quantile
from .summary import Summary

SYMBOLS = " x+*%#@O"
MOST_SETS = len(SYMBOLS) - 1
LEAST_SAMPLES = 3

MOST_DEGREES = 100
NORMAL = {
    Decimal(80): 1.282,
    Decimal(90): 1.645,
    Decimal(95): 1.960,
    Decimal(98): 2.326,
    Decimal(99): 2.576,
    Decimal("99.5"): 3.090,
}
"""Confidence in percent -> t beyond MOST_DEGREES."""
_MEANT = {Decimal("99.5"): Decimal("99.8")}
"""Confidence by ministat's name -> the confidence that its figures really have."""
_MISPRINTS = {1: 318.313, 7: 4.782, 8: 4.499, 9: 4.296, 10: 4.143, 11: 4.024, 12: 3.929}
"""Degrees of freedom -> ministat's t of 99.5 % where it is not the rounded quantile."""


def needed_for(confidence: Decimal) -> Callable[[int], float]:
    """Returns degrees of freedom -> t. Raises ValueError for a level that ministat lacks."""
    if confidence not in NORMAL:
        levels = ", ".join(str(level) for level in NORMAL)
        raise ValueError(f"expected one of ministat's levels, {levels}, found {confidence}")
    meant = _MEANT.get(confidence, confidence)

    def needed(degrees: int) -> float:
        if degrees > MOST_DEGREES:
            return NORMAL[confidence]
        if meant != confidence and degrees in _MISPRINTS:
            return _MISPRINTS[degrees]
        return round(quantile(meant, degrees), 3)

    return needed


def later_percent_error(reference: Summary, other: Summary, t: float) -> float | None:
    """The error in percent as later versions of FreeBSD's ministat print it, with the uncertainty
    of the reference's average; None where that is 0."""
    if reference.average == 0:
        return None
    ratio = other.average / reference.average
    squares = (other.n - 1) * other.variance
    squares += (reference.n - 1) * reference.variance * ratio * ratio
    total = reference.n + other.n
    squares *= total / (reference.n * other.n * (total - 2.0))
    return 100 * t * root(squares) / reference.average


def summarise(values: Sequence[float]) -> Summary:
    """Returns the row that ministat prints. ministat requires at least 3 samples."""
    total = squares = 0.0
    for value in values:
        total += value
        squares += value * value
    n = len(values)
    ordered = sorted(values)
    variance = (squares - total * total / n) / (n - 1.0)
    return Summary(n, ordered[0], ordered[-1], ordered[n // 2], total / n, root(variance), variance)
