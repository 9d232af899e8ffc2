"""A histogram of idle gaps: count and sum of buckets a thousandth wide; small values exact.

Sums over all gaps up to some length are exact wherever a bucket ends: at every bucket's greatest
gap, which is where an optimum lies, and at `cuts`, lengths that matter beforehand.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

_DIGITS = 11
"""Bits of a value that tell buckets apart: below 2^11 each value has its own."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """Idle gaps. Buckets are in ascending order.

    greatest         each bucket's greatest gap, in ns (or in whatever is counted)
    counts, sums     of the gaps in the first n buckets, n from 0
    """

    greatest: tuple[int, ...]
    counts: tuple[int, ...]
    sums: tuple[int, ...]

    @property
    def count(self) -> int:
        return self.counts[-1]

    @property
    def total(self) -> int:
        """Sum of all."""
        return self.sums[-1]

    def up_to(self, length: int) -> tuple[int, int]:
        """Count and sum of the gaps that are not longer.

        A bucket that the length divides counts as longer, unless it is one of the cuts.
        """
        place = bisect_right(self.greatest, length)
        return self.counts[place], self.sums[place]

    def shared(self, length: int) -> tuple[int, int]:
        """The sum of what of each gap lies within the length, and the count of longer ones."""
        count, total = self.up_to(length)
        longer = self.count - count
        return total + longer * length, longer


def from_counts(pairs: Iterable[tuple[int, int]], cuts: Iterable[int] = ()) -> Gaps:
    """pairs: (gap, how many). cuts: lengths L such that `up_to(L)` is to be exact.

    Raises ValueError for a negative gap or number.
    """
    gathered = Gatherer(cuts)
    for gap, count in pairs:
        gathered.add(gap, count)
    return gathered.gaps()


class Gatherer:
    """Gaps as they come."""

    def __init__(self, cuts: Iterable[int] = ()) -> None:
        self._buckets: dict[int, list[int]] = {}
        self._cuts: dict[int, list[int]] = {}
        for cut in sorted(set(cuts)):
            # a gap as long as the cut belongs to what ends there
            self._cuts.setdefault(_bucket(cut + 1), []).append(cut + 1)

    def add(self, gap: int, count: int = 1) -> None:
        if gap < 0 or count < 0:
            raise ValueError(f"expected gaps and numbers of 0 or more, found {gap}, {count}")
        if not count:
            return
        low = _bucket(gap)
        for cut in self._cuts.get(low, ()):
            if gap >= cut:
                low = cut
        self._put(low, gap, count)

    def extend(self, gaps: Sequence[int]) -> None:
        """Many, one each."""
        buckets, cuts = self._buckets, self._cuts
        for gap in gaps:
            shift = gap.bit_length() - _DIGITS
            low = gap if shift <= 0 else gap >> shift << shift
            if low in cuts:
                self.add(gap)
                continue
            try:
                bucket = buckets[low]
            except KeyError:
                self.add(gap)
                continue
            bucket[0] += 1
            bucket[1] += gap
            if gap > bucket[2]:
                bucket[2] = gap

    def gaps(self) -> Gaps:
        ordered = [self._buckets[low] for low in sorted(self._buckets)]
        return Gaps(
            tuple(greatest for _, _, greatest in ordered),
            tuple(accumulate((count for count, _, _ in ordered), initial=0)),
            tuple(accumulate((total for _, total, _ in ordered), initial=0)),
        )

    def _put(self, low: int, gap: int, count: int) -> None:
        bucket = self._buckets.setdefault(low, [0, 0, 0])
        bucket[0] += count
        bucket[1] += gap * count
        bucket[2] = max(bucket[2], gap)


def _bucket(gap: int) -> int:
    """The least value of a gap's bucket."""
    shift = max(gap.bit_length() - _DIGITS, 0)
    return gap >> shift << shift
