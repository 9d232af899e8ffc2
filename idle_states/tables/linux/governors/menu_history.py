"""menu's history: the last eight idle intervals, and the typical one among them."""

from functools import lru_cache
from math import isqrt
from typing import NamedTuple

from .interface import U32_MAX, u32, u64

SIZE = 8
SHIFT = 3
UNKNOWN = U32_MAX
"""No typical interval; also what is pushed for an entry that was rejected."""

STILL_ALIKE = 400
"""Variance in us^2 (20 us) below which samples count as alike whatever their average."""

STILL_ALIKE_DEVIATION = 20
"""The same as STILL_ALIKE, where the kernel takes the root: in whole us."""


class SampleSpread(NamedTuple):
    """Samples still considered. Times in us, variance in us^2."""

    size: int
    low: int
    high: int
    average: int
    variance: int


class IntervalHistory:
    """Ring of intervals in us, u32. All 0 at boot."""

    def __init__(
        self,
        *,
        trims_both_ends: bool,
        maximum: bool,
        ceiling: int,
        unknown: str,
        deviation_bits: int = 0,
    ) -> None:
        """The parameters are the features of the same meaning (MenuFeatures.typical_*).
        deviation_bits: up to which width a variance's root is taken; 0: variances are compared"""
        self.intervals = [0] * SIZE
        self._next = 0
        self._trims_both_ends = trims_both_ends
        self._maximum = maximum
        self._ceiling = ceiling
        self._unknown = unknown
        self._deviation_bits = deviation_bits

    def push(self, interval_us: int) -> None:
        self.intervals[self._next] = u32(interval_us)
        self._next = (self._next + 1) % SIZE

    @property
    def oldest_first(self) -> tuple[int, ...]:
        """All that decisions depend on: not where in the ring an interval is."""
        return (*self.intervals[self._next :], *self.intervals[: self._next])

    def typical(self, timer_us: int) -> int:
        """Returns the typical interval in us, or UNKNOWN. timer_us: the corrected timer's value."""
        if self._trims_both_ends:
            return self._typical_between(timer_us)
        return self._typical_below(timer_us)

    def _typical_below(self, timer_us: int) -> int:
        """Until 6.14: the greatest samples are dropped till the rest is alike."""
        ceiling = self._ceiling
        while True:
            samples = tuple([value for value in self.intervals if value <= ceiling])
            if self._nothing_new(samples, timer_us):
                return UNKNOWN
            spread = _spread_of_differences(samples)
            if self._deviation_bits:
                alike = _alike_by_root(spread, self._deviation_bits)
            else:
                alike = _alike(spread)
            if alike:
                return spread.average
            if _few(spread):
                return self._of_few(spread)
            ceiling = spread.high - 1

    def _nothing_new(self, samples: tuple[int, ...], timer_us: int) -> bool:
        """Tells whether the samples are useless, or add nothing to the timer's prediction."""
        if not samples:
            return True
        if self._unknown == "late":
            return min(samples) >= timer_us
        return self._unknown == "zeros" and not any(samples)

    def _typical_between(self, timer_us: int) -> int:
        """From 6.15: of least and greatest sample, the farther from the average is dropped."""
        floor, ceiling = -1, UNKNOWN
        while True:
            samples = tuple([value for value in self.intervals if floor < value < ceiling])
            if self._nothing_new(samples, timer_us):
                return UNKNOWN
            spread = _spread_of_squares(samples)
            if _alike(spread):
                return spread.average
            if _few(spread):
                return self._of_few(spread)
            if spread.average - spread.low > spread.high - spread.average:
                floor = spread.low
            else:
                ceiling = spread.high

    def _of_few(self, spread: SampleSpread) -> int:
        """Returns the result for six samples or less that still differ too much."""
        return spread.high if self._maximum and spread.size >= SIZE // 2 else UNKNOWN


def _mean(total: int, count: int) -> int:
    return total >> SHIFT if count == SIZE else total // count


@lru_cache(maxsize=64)
def _spread_of_differences(samples: tuple[int, ...]) -> SampleSpread:
    """Variance as the mean square of differences from the (floored) average."""
    average = _mean(sum(samples), len(samples))
    squares = u64(sum((value - average) ** 2 for value in samples))
    variance = _mean(squares, len(samples))
    return SampleSpread(len(samples), min(samples), max(samples), average, variance)


@lru_cache(maxsize=64)
def _spread_of_squares(samples: tuple[int, ...]) -> SampleSpread:
    """Variance as the mean of squares less the square of the average, each of them floored."""
    average = _mean(sum(samples), len(samples))
    squares = u64(sum(value**2 for value in samples))
    variance = u64(_mean(squares, len(samples)) - average**2)
    return SampleSpread(len(samples), min(samples), max(samples), average, variance)


def _alike(spread: SampleSpread) -> bool:
    """Standard deviation below a sixth of the average, for three quarters of the samples at
    least, or of 20 us at most."""
    small = spread.average**2 > 36 * spread.variance and spread.size * 4 >= SIZE * 3
    return small or spread.variance <= STILL_ALIKE


def _alike_by_root(spread: SampleSpread, bits: int) -> bool:
    """Tells whether samples are alike as before 4.6: by the standard deviation, cut to whole us;
    samples whose variance exceeds a C long are not alike."""
    deviation = isqrt(spread.variance)
    small = spread.average > 6 * deviation and spread.size * 4 >= SIZE * 3
    return spread.variance >> bits == 0 and (small or deviation <= STILL_ALIKE_DEVIATION)


def _few(spread: SampleSpread) -> bool:
    """Three quarters of the samples or less are left: nothing more is dropped."""
    return spread.size * 4 <= SIZE * 3
