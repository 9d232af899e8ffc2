"""schbench's percentile blocks and the buckets behind them.

Source: schbench.c plat_val_to_idx(), plat_idx_to_val(), calc_percentiles(), the same since its
first version: values below 512 us have a bucket each; above, every power of two is cut into 256
buckets, and a percentile is printed as the middle of its bucket. A printed 3452 means 3448 to 3455.
"""

from collections.abc import Iterable, Sequence

from ...base.dataclass import dataclass
from .buckets import bucket_of, least_of

BITS = 8
GROUP = 1 << BITS
BUCKETS = 19 * GROUP
PERCENTILES = (50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9)
"""schbench's percentiles from 2016 to 2022; later versions print 20, 50, 90, 99, 99.9, by kind."""
STARRED = 99.0


@dataclass(frozen=True, slots=True)
class Percentile:
    """percent, the printed value, and the sample count that newer versions print beside it."""

    percent: float
    value: int
    samples: int | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """The percentiles that one run printed under one heading.

    label      "Latency", "Wakeup Latencies"; "" without heading
    low, high  exact minimum and maximum; None if not printed
    line       line number of the first percentile, from 1
    runtime    in s, as newer versions print it in the heading; "" if not printed
    """

    name: str
    label: str
    unit: str
    percentiles: tuple[Percentile, ...]
    low: int | None
    high: int | None
    line: int
    runtime: str = ""


def bucket(value: int) -> int:
    """Returns the bucket of a value, from 0 on. The last bucket holds all larger values."""
    return min(bucket_of(value, BITS), BUCKETS - 1)


def bounds(number: int) -> tuple[int, int]:
    """Returns the first and the last value of a bucket other than the last one."""
    return least_of(number, BITS), least_of(number + 1, BITS) - 1


def middle(number: int) -> int:
    """Returns the value that schbench prints for a bucket."""
    first, last = bounds(number)
    return first + (last - first + 1) // 2


def is_printed(value: int) -> bool:
    """Tells whether schbench can print this value for a percentile."""
    return middle(bucket(value)) == value


def percentiles(
    values: Iterable[int], wanted: Sequence[float] = PERCENTILES
) -> tuple[Percentile, ...]:
    """Computes percentiles as schbench does: the first bucket at which the running count reaches
    percent of all. Percentile.samples counts those since the percentile before.

    values: whole numbers of 0 or more, at least one.
    """
    counts: dict[int, int] = {}
    for value in values:
        number = bucket(value)
        counts[number] = counts.get(number, 0) + 1
    total = sum(counts.values())
    found: list[Percentile] = []
    reached = before = 0
    for number in sorted(counts):
        reached += counts[number]
        while len(found) < len(wanted) and reached >= wanted[len(found)] / 100.0 * total:
            found.append(Percentile(wanted[len(found)], middle(number), reached - before))
            before = reached
    return tuple(found)
