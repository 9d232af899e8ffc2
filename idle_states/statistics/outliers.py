"""Does a conclusion hang on one sample? Every set without its one maximum, compared again.

It needs no samples: n, maximum, average and stddev are enough to take the maximum out of a row.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .comparison import Comparison, compare
from .summary import Summary


@dataclass(frozen=True, slots=True)
class Reduced:
    """A set without its maximum.

    share  what the maximum contributes to the sum of squares, 0 to 1: it and what it does to the
           average
    """

    n: int
    average: float
    variance: float
    share: float

    @property
    def stddev(self) -> float:
        return math.sqrt(self.variance)


@dataclass(frozen=True, slots=True)
class Again:
    """A comparison without the maxima of `without`: 0 the reference, 1 the other set."""

    without: tuple[int, ...]
    comparison: Comparison
    survives: bool


def without_maximum(row: Summary) -> Reduced | None:
    """None if fewer than two samples would be left. Rounding of the row can take the sum of
    squares below 0, which is then 0."""
    if row.n < 3:
        return None
    left = row.n - 1
    squares = left * row.variance
    taken = row.n / left * (row.maximum - row.average) ** 2
    average = row.average - (row.maximum - row.average) / left
    share = min(1.0, taken / squares) if squares > 0 else 0.0
    return Reduced(left, average, max(0.0, squares - taken) / (left - 1), share)


def audit(
    reference: Summary, other: Summary, needed_for: Callable[[int], float]
) -> tuple[Again, ...]:
    """The comparison without the reference's maximum, the other's, and both."""
    verdict = compare(reference, other, needed_for).verdict
    found = []
    for which in ((0,), (1,), (0, 1)):
        rows = _reduced((reference, other), which)
        if rows is not None:
            again = compare(*rows, needed_for)
            found.append(Again(which, again, again.verdict is verdict))
    return tuple(found)


def _reduced(rows: tuple[Summary, Summary], which: Sequence[int]) -> tuple[Summary, Summary] | None:
    found = list(rows)
    for number in which:
        left = without_maximum(rows[number])
        if left is None:
            return None
        row = rows[number]
        # minimum, maximum and median are not compared
        found[number] = Summary(
            left.n, row.minimum, row.maximum, row.median, left.average, left.stddev, left.variance
        )
    return found[0], found[1]
