"""Does a conclusion hang on one sample? Every set without its one maximum, compared again.

It needs no samples: n, maximum, average and stddev are enough to take the maximum out of a row. But
where the maximum is most of the sum of squares, what is left may be less than the row's rounding.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from .comparison import Comparison, compare, root
from .summary import Summary

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Reduced:
    """A set without its maximum.

    share  what the maximum contributes to the sum of squares, 0 to 1: it and what it does to the
           average
    averages, variances  least and most that they may be, as far as a row's printed digits tell
    """

    n: int
    average: float
    variance: float
    share: float
    averages: Range
    variances: Range

    @property
    def stddev(self) -> float:
        return root(self.variance)


@dataclass(frozen=True, slots=True)
class Again:
    """A comparison without the maxima of `without`: 0 the reference, 1 the other set.

    survives  None if the rows have too few digits to tell
    """

    without: tuple[int, ...]
    comparison: Comparison
    survives: bool | None


def without_maximum(row: Summary) -> Reduced | None:
    """None if fewer than two samples would be left. Rounding of the row can take the sum of
    squares below 0, which is then 0."""
    if row.n < 3:
        return None
    left = row.n - 1
    squares = left * row.variance
    taken = row.n / left * (row.maximum - row.average) ** 2
    average = row.average - (row.maximum - row.average) / left
    variance = max(0.0, squares - taken) / (left - 1)
    return Reduced(left, average, variance, _share(row), *_ranges(row))


def without_sample(
    values: Sequence[float], row: Summary, summarise: Callable[[Sequence[float]], Summary]
) -> Reduced | None:
    """The same of samples, whose row this is: the first of the largest is left out."""
    if row.n < 3:
        return None
    at = values.index(row.maximum)
    left = summarise([*values[:at], *values[at + 1 :]])
    averages, variances = (left.average, left.average), (left.variance, left.variance)
    return Reduced(left.n, left.average, left.variance, _share(row), averages, variances)


def _share(row: Summary) -> float:
    left = row.n - 1
    squares = left * row.variance
    taken = row.n / left * (row.maximum - row.average) ** 2
    return min(1.0, taken / squares) if squares > 0 else 0.0


def _ranges(row: Summary) -> tuple[Range, Range]:
    """Of average and variance without the maximum, each figure of the row anywhere in what is
    rounded to it."""
    average, stddev, maximum = map(Fraction, (row.average, row.stddev, row.maximum))
    off, stddev_off, maximum_off = map(Fraction, row.halves)
    nothing = Fraction(0)
    left = row.n - 1
    centre = average * row.n / left - maximum / left
    slack = off * row.n / left + maximum_off / left
    above, above_off = maximum - average, maximum_off + off
    least = left * max(nothing, stddev - stddev_off) ** 2 - (above + above_off) ** 2 * row.n / left
    most = left * (stddev + stddev_off) ** 2 - max(nothing, above - above_off) ** 2 * row.n / left
    return (
        (float(centre - slack), float(centre + slack)),
        (float(max(nothing, least) / (left - 1)), float(max(nothing, most) / (left - 1))),
    )


def audit(
    rows: tuple[Summary, Summary],
    reduced: tuple[Reduced | None, Reduced | None],
    needed_for: Callable[[int], float],
) -> tuple[Again, ...]:
    """The comparison without the reference's maximum, the other's, and both."""
    verdict = compare(*rows, needed_for).verdict
    found = []
    for which in ((0,), (1,), (0, 1)):
        if any(reduced[number] is None for number in which):
            continue
        sets = [reduced[number] if number in which else None for number in (0, 1)]
        again = compare(_left(rows[0], sets[0]), _left(rows[1], sets[1]), needed_for)
        # the least and the greatest difference, each with the least and the greatest error: if all
        # four agree, so does whatever is between
        verdicts = {
            compare(
                _end(rows[0], sets[0], 1 - end, spread),
                _end(rows[1], sets[1], end, spread),
                needed_for,
            ).verdict
            for end, spread in itertools.product((0, 1), repeat=2)
        }
        survives = again.verdict is verdict if len(verdicts) == 1 else None
        found.append(Again(which, again, survives))
    return tuple(found)


def _left(row: Summary, reduced: Reduced | None) -> Summary:
    """minimum, maximum, median and stddev are not compared."""
    if reduced is None:
        return row
    return replace(row, n=reduced.n, average=reduced.average, variance=reduced.variance)


def _end(row: Summary, reduced: Reduced | None, average: int, variance: int) -> Summary:
    """With the least (0) or the most (1) that average and variance may be."""
    if reduced is not None:
        ends = reduced.averages[average], reduced.variances[variance]
        return replace(row, n=reduced.n, average=ends[0], variance=ends[1])
    off, stddev_off, _ = row.halves
    stddev = max(0.0, row.stddev + (stddev_off if variance else -stddev_off))
    return replace(
        row,
        average=row.average + (off if average else -off),
        variance=stddev * stddev if stddev_off else row.variance,
    )
