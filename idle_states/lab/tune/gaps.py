"""A histogram of idle gaps: counts and sums in buckets 2^-10 of the value wide; exact below 2^11.

Sums over all gaps up to a length are exact at the greatest gap of every bucket, which is where an
optimum lies, and at the lengths given as `cuts`.
"""

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from ...base.dataclass import dataclass
from ...tables.linux.governors.core.packing import Buffer, compiled
from ..statistics.buckets import bucket_of, least_of

_PACKED = struct.Struct("<4Q")
"""A bucket as the core has it: number, sum in two words, greatest gap."""
_BITS = 10


@dataclass(frozen=True, slots=True)
class Gaps:
    """A histogram of idle gaps, with buckets in ascending order.

    greatest         greatest gap in each bucket, in ns (or in the unit counted)
    counts, sums     [n]: number and sum of the gaps in the first n buckets, n from 0
    """

    greatest: tuple[int, ...]
    counts: tuple[int, ...]
    sums: tuple[int, ...]

    @property
    def count(self) -> int:
        return self.counts[-1]

    @property
    def total(self) -> int:
        """Sum of all gaps."""
        return self.sums[-1]

    def up_to(self, length: int) -> tuple[int, int]:
        """Returns the number and the sum of the gaps up to `length`. A bucket with gaps on both
        sides of `length` is left out as a whole; a cut has no such bucket."""
        place = bisect_right(self.greatest, length)
        return self.counts[place], self.sums[place]

    def shared(self, length: int) -> tuple[int, int]:
        """Returns the sum of min(gap, length) over all gaps, and the number of longer gaps."""
        count, total = self.up_to(length)
        longer = self.count - count
        return total + longer * length, longer


class Gatherer:
    """Builds a histogram gap by gap; up_to() is exact at every length in `cuts`."""

    def __init__(self, cuts: Iterable[int] = ()) -> None:
        self._buckets: dict[int, list[int]] = {}
        self._cuts: dict[int, list[int]] = {}
        for cut in sorted(set(cuts)):
            # buckets are split after the cut: a gap as long as the cut lies below the split
            self._cuts.setdefault(_bucket(cut + 1), []).append(cut + 1)
        self._core: _CoreBuckets | None = None

    def add(self, gap: int, count: int = 1) -> None:
        """Raises ValueError for a negative gap or count."""
        if gap < 0 or count < 0:
            raise ValueError(f"expected gaps and numbers of 0 or more, found {gap}, {count}")
        if not count:
            return
        low = _bucket(gap)
        for cut in self._cuts.get(low, ()):
            if gap >= cut:
                low = cut
        self._merge(low, count, gap * count, gap)

    def extend(self, gaps: Sequence[int]) -> None:
        """Adds each gap once."""
        buckets, cuts = self._buckets, self._cuts
        for gap in gaps:
            shift = gap.bit_length() - _BITS - 1
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

    def extend_packed(self, periods: Buffer) -> None:
        """Adds the length of each period once. periods: as the core has them; it is installed."""
        if self._core is None:
            self._core = _CoreBuckets([cut for cuts in self._cuts.values() for cut in cuts])
        self._core.gather(periods)

    def gaps(self) -> Gaps:
        if self._core is not None:
            for low, count, total, greatest in self._core.buckets():
                self._merge(low, count, total, greatest)
            self._core = None
        ordered = [self._buckets[low] for low in sorted(self._buckets)]
        return Gaps(
            tuple(greatest for _, _, greatest in ordered),
            tuple(accumulate((count for count, _, _ in ordered), initial=0)),
            tuple(accumulate((total for _, total, _ in ordered), initial=0)),
        )

    def _merge(self, low: int, count: int, total: int, greatest: int) -> None:
        bucket = self._buckets.setdefault(low, [0, 0, 0])
        bucket[0] += count
        bucket[1] += total
        bucket[2] = max(bucket[2], greatest)


class _CoreBuckets:
    """Buckets that the core fills: one for each value of _bucket(), then one for each cut.

    cuts: ascending; a gap as long as a cut, or longer, lies in the cut's bucket.
    """

    def __init__(self, cuts: Sequence[int]) -> None:
        count = compiled.gap_buckets
        self._cuts = array("Q", cuts)
        self._first = array("I", bytes(4 * count))
        for place, cut in enumerate(cuts):
            at = bucket_of(cut, _BITS)
            self._first[at] = self._first[at] or place + 1
        self._packed = bytearray(_PACKED.size * (count + len(cuts)))

    def gather(self, periods: Buffer) -> None:
        compiled.gather(periods, self._cuts, self._first, self._packed)

    def buckets(self) -> Iterable[tuple[int, int, int, int]]:
        """Yields least value, number, sum and greatest gap of every bucket with gaps."""
        plain = len(self._first)
        for place, of_bucket in enumerate(_PACKED.iter_unpack(self._packed)):
            count, sum_low, sum_high, greatest = of_bucket
            if count:
                low = least_of(place, _BITS) if place < plain else self._cuts[place - plain]
                yield low, count, sum_low + (sum_high << 64), greatest


def _bucket(gap: int) -> int:
    """Returns the least value that falls into the gap's bucket."""
    return least_of(bucket_of(gap, _BITS), _BITS)
