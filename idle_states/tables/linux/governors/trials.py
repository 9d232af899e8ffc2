"""Idle periods and tables on which governors are tried and compared."""

from collections.abc import Iterator, Sequence

from .core.packing import AS_SELECTED, ROW
from .interface import CPU_CAPACITY, KTIME_MAX, State, tick_ns

PERIODS = 1000
"""The number of idle periods of each table."""
TABLES = (
    (State(0, 0, True), State(1_000, 10_000)),
    (State(0, 0, True), State(2_000, 2_000), State(10_000, 20_000), State(133_000, 600_000)),
    (State(0, 0), State(1_000, 10_000), State(20_000, 200_000), State(200_000, 20_000_000)),
    (State(0, 0), State(5_000, 20_000), State(90_000, 150_000), State(40_000, 400_000)),
)


def trial_rows(states: Sequence[State], hz: int, seed: int = 1) -> Iterator[bytes]:
    """Yields packed idle periods of all lengths and circumstances for a table, by a generator of
    Knuth's: the same each time. The state that is selected is entered."""
    number, clock, tick = seed, 0, tick_ns(hz)
    for _ in range(PERIODS):
        number = (number * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        bits = number >> 20
        sleep_ns = KTIME_MAX if bits % 16 == 0 else (bits & 0xFFFF) << (bits >> 16) % 14
        if (bits >> 13) % 64 == 0:
            sleep_ns = -(bits & 0xFFFF)
        stopped = (bits >> 5) % 8 == 0
        idle_ns = min(abs(sleep_ns), (bits >> 9 & 0xFFFF) << (bits >> 25) % 12)
        yield ROW.pack(
            sleep_ns,
            sleep_ns if stopped else min(sleep_ns, tick),
            clock,
            clock + idle_ns,
            idle_ns,
            bits & 0xFFF if (bits >> 40) % 4 == 0 else 0,
            (2_000_000_000, 2_000_000_000, 50, 0)[bits >> 30 & 3],
            (bits >> 33) % 5 == 0,
            1 << (bits >> 36) % len(states) if (bits >> 39) % 7 == 0 else 0,
            stopped,
            (bits >> 7) % 32 == 0,
            (bits >> 8) % 6 == 0,
            states[0].polling and (bits >> 11) % 3 == 0,
            AS_SELECTED,
            0,
            bits >> 12 & 0x3FF,
            CPU_CAPACITY,
        )
        clock += idle_ns + 1000
