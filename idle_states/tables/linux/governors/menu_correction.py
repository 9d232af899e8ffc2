"""menu's correction factors: the share of the time to the next timer that CPUs really slept."""

from bisect import bisect_right

from .interface import u32, u64

RESOLUTION = 1024
DECAY = 8
UNITY = RESOLUTION * DECAY
MAX_INTERESTING_US = 50_000
"""Longer intervals count as if they had lasted until the timer."""

BINS = 6
_EDGES_US = (10, 100, 1_000, 10_000, 100_000)


class Correction:
    """Factors by bucket, in 1/8192. per_us: 1 if times are in us, 1000 if in ns."""

    def __init__(self, per_us: int) -> None:
        self.factors = [UNITY] * (2 * BINS)
        self._per_us = per_us
        self._edges = [edge * per_us for edge in _EDGES_US]

    def bucket(self, next_timer: int, waits_for_io: bool) -> int:
        """Bin of the time to the next timer; tasks in iowait have bins of their own."""
        return bisect_right(self._edges, next_timer) + (BINS if waits_for_io else 0)

    def predicted_us(self, next_timer: int, bucket: int) -> int:
        """The time to the next timer corrected, to the nearest us. The product wraps at 64 bits,
        the quotient is cut to 32."""
        return self._corrected_us(next_timer, self.factors[bucket])

    def _corrected_us(self, next_timer: int, factor: int) -> int:
        product = u64(next_timer * factor + UNITY * self._per_us // 2)
        return u32(product // (UNITY * self._per_us))

    def learn(self, bucket: int, measured: int, next_timer: int) -> None:
        """Learns one interval: an eighth of the bucket's factor is replaced by the new share."""
        factor = self.factors[bucket]
        self.factors[bucket] = factor - factor // DECAY + self._share(measured, next_timer)

    def settled_us(self, bucket: int, measured: int, next_timer: int) -> int:
        """Returns the limit of predicted_us() if this interval is learnt again and again. The
        factor only rises or only falls on the way there."""
        factor, share = self.factors[bucket], self._share(measured, next_timer)
        while factor // DECAY != share:
            factor += share - factor // DECAY
        return self._corrected_us(next_timer, factor)

    def _share(self, measured: int, next_timer: int) -> int:
        """The share of the time to the next timer that was slept, in 1/1024."""
        if next_timer > 0 and measured < MAX_INTERESTING_US * self._per_us:
            return RESOLUTION * measured // next_timer
        return RESOLUTION
