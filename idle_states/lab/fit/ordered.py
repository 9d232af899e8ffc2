"""Measured values in ascending order, as far as their source says them.

`at_least(rank)` and `at_most(rank)` bound the value of a rank, from 1 to n: to a point where every
value is known, to a bucket's edges in a histogram, by the nearest quantiles in a summary. None: it
is not bounded. Times are in nanoseconds.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Protocol

from ...base.model.measured import LatencyBins, Samples, SummaryOnly

_FEWEST = 30
_TIED = 3
"""So many values to each different one: the clock's steps are seen."""


class Ordered(Protocol):
    n: int

    def at_least(self, rank: int) -> float | None: ...

    def at_most(self, rank: int) -> float | None: ...

    def between(self, low: int | None, high: int | None) -> tuple[float | None, float | None]:
        """Bounds of what lies between two ranks, None for a side without one."""
        return (
            None if low is None else self.at_least(low),
            None if high is None else self.at_most(high),
        )


def clock_step(values: Sequence[float]) -> float:
    """Returns the step of the clock that measured values in ascending order: the least distance of
    two of them where most are equal to others, else 0."""
    distances = [b - a for a, b in pairwise(values) if b > a]
    seen = len(values) >= max(_FEWEST, _TIED * len(distances))
    return min(distances) if distances and seen else 0.0


def ordered(values: Samples | LatencyBins | SummaryOnly) -> Ordered | None:
    """None: a summary that does not say of how many values, or there are none."""
    if isinstance(values, Samples):
        return _Values(values) if values.values_ns else None
    if isinstance(values, LatencyBins):
        return _Buckets(values) if values.bins or values.over else None
    return _Known(values, values.n) if values.n else None


class _Values(Ordered):
    """Values of a clock whose steps are seen in them lie anywhere within half a step of what it
    said, and within a whole one above it if it truncates: equal ones share that room evenly."""

    def __init__(self, samples: Samples) -> None:
        self._values = sorted(samples.values_ns)
        self.n = len(self._values)
        self.step = clock_step(self._values)

    def at_least(self, rank: int) -> float:
        return self._values[rank - 1]

    def at_most(self, rank: int) -> float:
        return self._values[rank - 1]

    def between(self, low: int | None, high: int | None) -> tuple[float | None, float | None]:
        return (
            None if low is None else max(0.0, self._within(low)),
            None if high is None else self._within(high) + self.step / 2,
        )

    def _within(self, rank: int) -> float:
        """The value of a rank, were the clock a finer one."""
        value = self._values[rank - 1]
        first, end = bisect_left(self._values, value), bisect_right(self._values, value)
        return value + self.step * ((rank - 0.5 - first) / (end - first) - 0.5)


class _Buckets(Ordered):
    def __init__(self, bins: LatencyBins) -> None:
        self._bins = bins
        self._through = list(accumulate(count for _, _, count in bins.bins))
        self.n = (self._through[-1] if self._through else 0) + bins.over

    def at_least(self, rank: int) -> float | None:
        if rank == self.n and self._bins.max_ns is not None:
            return self._bins.max_ns
        bucket = bisect_left(self._through, rank)
        if bucket < len(self._through):
            low = self._bins.bins[bucket][0]
        elif self._bins.bins:
            low = self._bins.bins[-1][1]
        else:
            return self._bins.min_ns
        return low if self._bins.min_ns is None else max(low, self._bins.min_ns)

    def at_most(self, rank: int) -> float | None:
        bucket = bisect_left(self._through, rank)
        most = self._bins.max_ns
        if bucket == len(self._through):
            return most
        high = self._bins.bins[bucket][1]
        return high if most is None else min(high, most)


class _Known(Ordered):
    """Quantiles of a summary: programs interpolate differently, but each between the values of
    ranks n*p rounded down and n*p rounded up and one."""

    def __init__(self, summary: SummaryOnly, n: int) -> None:
        self.n = n
        self._summary = summary
        self._quantiles = sorted(summary.quantiles_ns.items())

    def at_least(self, rank: int) -> float | None:
        if rank == self.n and self._summary.max_ns is not None:
            return self._summary.max_ns
        known = [v for p, v in self._quantiles if math.ceil(self.n * p - 1e-9) + 1 <= rank]
        return known[-1] if known else self._summary.min_ns

    def at_most(self, rank: int) -> float | None:
        known = (v for p, v in self._quantiles if rank <= math.floor(self.n * p + 1e-9))
        return next(known, self._summary.max_ns)
