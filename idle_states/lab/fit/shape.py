"""The shape of measured values that an interval hides: outliers, and several modes.

Outliers are values outside the adjusted boxplot: M. Hubert and E. Vandervieren, An adjusted boxplot
for skewed distributions, 2008, whose fences follow the skewness (medcouple), with 3 interquartile
ranges where they have 1.5; where there are several modes, of the lowest and the highest.

Modes are peaks of a Gaussian kernel density with Silverman's bandwidth (B. W. Silverman, Density
Estimation, 1986, 3.31) that are apart: at least 5 % of the values are on each side of a valley at
most half as high as the lower of both peaks.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.forms import Count, Limits
from ...base.model.measured import LatencyBins, Samples, SummaryOnly

Share = Annotated[float, Limits(minimum=0, maximum=1)]
_FEWEST = 30
"""Fewer values have no shape."""
_FENCE = 3.0
_QUANTILES = 199
"""So many, evenly spaced, stand for all values where skewness is computed."""
_CONSECUTIVE = 100_000
"""So many tell whether each value is like the one before."""
_GRID = 400
_REACH = 4
"""Bandwidths after which the kernel counts as 0."""
_SHARE = 0.05
_VALLEY = 0.5
_TIED = 5
"""So many values to each different one: they are rounded, and the kernel has to be wider."""


@dataclass(frozen=True, slots=True)
class Mode:
    """A peak of the density."""

    at_ns: Annotated[float, "The place of the density's peak."]
    share: Annotated[Share, "Share of all values that lie between the valleys beside it."]


@dataclass(frozen=True, slots=True)
class SampleShape:
    """The shape of measured values; where half of them are equal, these are both fences."""

    outliers: Annotated[Count, "Values beyond the fences of the adjusted boxplot."]
    low_ns: Annotated[float, "The lower fence; may be negative."]
    high_ns: Annotated[float, "The upper fence."]
    modes: Annotated[
        tuple[Mode, ...], "Peaks that are apart, ascending; several: several things were measured."
    ]
    serial: Annotated[
        Annotated[float, Limits(minimum=-1, maximum=1)] | None,
        "Rank correlation of each value with the one before; null of histograms and equal values.",
    ] = None


def shape(values: Samples | LatencyBins | SummaryOnly) -> SampleShape | None:
    """None where there are too few values or only a summary of them."""
    if isinstance(values, SummaryOnly):
        return None
    if isinstance(values, Samples):
        points = [(value, 1) for value in sorted(values.values_ns)]
    else:
        points = [((low + high) / 2, count) for low, high, count in values.bins]
    if sum(count for _, count in points) < _FEWEST:
        return None
    modes, valleys = _modes(points)
    lowest = [(v, count) for v, count in points if not valleys or v <= valleys[0]]
    highest = [(v, count) for v, count in points if not valleys or v > valleys[-1]]
    low = fences(_quantiles(lowest, _QUANTILES))[0]
    high = fences(_quantiles(highest, _QUANTILES))[1]
    outside = sum(count for value, count in points if not low <= value <= high and low < high)
    serial = None
    if isinstance(values, Samples):
        serial = serial_correlation(values.values_ns[:_CONSECUTIVE])
    return SampleShape(outside, low, high, modes, serial)


def serial_correlation(values: Sequence[float]) -> float | None:
    """Spearman's rank correlation of each value with the one before; None if there is no
    variance."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    for _, tied in groupby(enumerate(order), key=lambda each: values[each[1]]):
        group = list(tied)
        for _, at in group:
            ranks[at] = (group[0][0] + group[-1][0]) / 2
    middle = (len(values) - 1) / 2
    aside = [rank - middle for rank in ranks]
    variance = math.fsum(each * each for each in aside)
    return math.fsum(a * b for a, b in pairwise(aside)) / variance if variance else None


def fences(values: Sequence[float]) -> tuple[float, float]:
    """The adjusted boxplot's, of values in ascending order."""
    first, third = values[len(values) // 4], values[3 * len(values) // 4]
    width, skew = _FENCE * (third - first), medcouple(values)
    left, right = (-4, 3) if skew >= 0 else (-3, 4)
    return first - width * math.exp(left * skew), third + width * math.exp(right * skew)


def medcouple(values: Sequence[float]) -> float:
    """Robust skewness, -1 to 1, of values in ascending order: the median, over pairs about the
    middle, of how much farther one is from it than the other. 0 where half the values are equal."""
    middle = values[len(values) // 2]
    left = [value for value in values if value < middle]
    right = [value for value in values if value > middle]
    pairs = sorted((b - middle - (middle - a)) / (b - a) for a in left for b in right)
    if not pairs:
        return 0.0
    return (pairs[len(pairs) // 2] + pairs[(len(pairs) - 1) // 2]) / 2


def _quantiles(points: Sequence[tuple[float, int]], number: int) -> list[float]:
    n = sum(count for _, count in points)
    found, through, at = [], 0, 0
    for value, count in points:
        through += count
        while at < number and (at + 0.5) * n / number <= through:
            found.append(value)
            at += 1
    return found


def _modes(points: Sequence[tuple[float, int]]) -> tuple[tuple[Mode, ...], list[float]]:
    """The modes of a density estimated from (value, count), ascending, and the values between them
    at which it is least."""
    n, some = sum(count for _, count in points), _quantiles(points, _QUANTILES)
    width = _bandwidth(points, some, n)
    if width == 0:
        return (Mode(some[len(some) // 2], 1.0),), []
    start, end = some[0] - width, some[-1] + width
    step = (end - start) / _GRID
    counts = [0] * (_GRID + 1)
    for value, count in points:
        if start <= value <= end:
            counts[round((value - start) / step)] += count
    density = _smoothed(counts, width / step)
    peaks = [
        at
        for at in range(_GRID + 1)
        if density[at] > max(density[:at][-1:], default=0.0)
        and density[at] >= max(density[at + 1 : at + 2], default=0.0)
    ]
    while True:
        valleys = [min(range(a, b), key=density.__getitem__) for a, b in pairwise(peaks)]
        between = [start + at * step for at in valleys]
        shares = _shares(points, between, n)
        weak = _weakest(peaks, valleys, density, shares)
        if weak is None:
            places = [start + at * step for at in peaks]
            return tuple(map(Mode, places, shares)), between
        del peaks[weak]


def _weakest(
    peaks: Sequence[int], valleys: Sequence[int], density: Sequence[float], shares: Sequence[float]
) -> int | None:
    """The lowest peak that is not apart; None if all are."""
    for number in sorted(range(len(peaks)), key=lambda each: density[peaks[each]]):
        beside = [density[at] for at in valleys[max(0, number - 1) : number + 1]]
        shallow = beside and max(beside) > _VALLEY * density[peaks[number]]
        if len(peaks) > 1 and (shallow or shares[number] < _SHARE):
            return number
    return None


def _bandwidth(points: Sequence[tuple[float, int]], some: Sequence[float], n: int) -> float:
    """0 where all values but a few are equal."""
    mean = sum(some) / len(some)
    spread = math.sqrt(sum((value - mean) ** 2 for value in some) / len(some))
    quartiles = some[3 * len(some) // 4] - some[len(some) // 4]
    width = 0.9 * min(spread, quartiles / 1.34 or spread) * math.pow(n, -0.2)
    distinct = [value for value, _ in points if some[0] <= value <= some[-1]]
    gaps = sorted(b - a for a, b in pairwise(distinct) if b > a)
    if gaps and n >= _TIED * (len(gaps) + 1):
        width = max(width, gaps[len(gaps) // 2])
    return width


def _smoothed(counts: Sequence[int], width: float) -> list[float]:
    """width: the kernel's standard deviation in cells."""
    reach = max(1, min(len(counts), math.ceil(_REACH * width)))
    kernel = [math.exp(-0.5 * (at / width) ** 2) for at in range(reach + 1)]
    found = [0.0] * len(counts)
    for cell, count in enumerate(counts):
        if count:
            for at in range(max(0, cell - reach), min(len(counts), cell + reach + 1)):
                found[at] += count * kernel[abs(at - cell)]
    return found


def _shares(points: Sequence[tuple[float, int]], valleys: Sequence[float], n: int) -> list[float]:
    found = [0] * (len(valleys) + 1)
    for value, count in points:
        found[bisect_left(valleys, value)] += count
    return [count / n for count in found]
