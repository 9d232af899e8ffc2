"""Tests whether a conclusion depends on one sample: compares sets again without their maximum.

Samples are not needed: n, maximum, average and stddev are enough to remove the maximum from a row.
But if the maximum makes up most of the sum of squares, the rest may be less than the row's
rounding.
"""

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

from ...base.dataclass import dataclass, replace
from .comparison import Comparison, compare, root
from .summary import Summary

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Reduced:
    """A set without its maximum.

    share      part of the sum of squared deviations due to the maximum, 0 to 1, with its effect on
               the average
    averages   least and greatest average that the row's printed digits allow
    variances  least and greatest variance that they allow
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
    """A comparison without some maxima. without: 0 for the reference's, 1 for the other set's.

    survives  whether the verdict is the same; None if the rows have too few digits to tell
    """

    without: tuple[int, ...]
    comparison: Comparison
    survives: bool | None


def without_maximum(row: Summary) -> Reduced | None:
    """Returns None if fewer than two samples would be left. A sum of squares that the row's
    rounding makes negative counts as 0."""
    if row.n < 3:
        return None
    left = row.n - 1
    squares = left * row.variance
    share = row.n / left * (row.maximum - row.average) ** 2
    average = row.average - (row.maximum - row.average) / left
    variance = max(0.0, squares - share) / (left - 1)
    return Reduced(left, average, variance, _share(row), *_ranges(row))


def without_sample(
    values: Sequence[float], row: Summary, summarise: Callable[[Sequence[float]], Summary]
) -> Reduced | None:
    """Like without_maximum() for samples, whose summary is `row`: removes the first maximum."""
    if row.n < 3:
        return None
    at = values.index(row.maximum)
    left = summarise([*values[:at], *values[at + 1 :]])
    averages, variances = (left.average, left.average), (left.variance, left.variance)
    return Reduced(left.n, left.average, left.variance, _share(row), averages, variances)


def _share(row: Summary) -> float:
    left = row.n - 1
    squares = left * row.variance
    share = row.n / left * (row.maximum - row.average) ** 2
    return min(1.0, share / squares) if squares > 0 else 0.0


def _ranges(row: Summary) -> tuple[Range, Range]:
    """Returns the ranges of average and variance without the maximum, if each figure of the row is
    anywhere within its rounding."""
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
    """Compares again without the reference's maximum, without the other's, and without both."""
    verdict = compare(*rows, needed_for).verdict
    found = []
    for which in ((0,), (1,), (0, 1)):
        if any(reduced[number] is None for number in which):
            continue
        sets = [reduced[number] if number in which else None for number in (0, 1)]
        again = compare(_left(rows[0], sets[0]), _left(rows[1], sets[1]), needed_for)
        # least and greatest difference, each with least and greatest error: if all four agree, so
        # do all values between
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
    """Replaces what compare() uses; minimum, maximum, median and stddev stay unchanged."""
    if reduced is None:
        return row
    return replace(row, n=reduced.n, average=reduced.average, variance=reduced.variance)


def _end(row: Summary, reduced: Reduced | None, average: int, variance: int) -> Summary:
    """Returns the row with average and variance at their least (0) or greatest (1) value."""
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
