"""The histogram of the kernel's SMT8 discussion: ten bins of equal width from minimum to maximum.

It keeps two peculiarities of the original: samples equal to the maximum are in no bin (the last
bin excludes its upper end), and percent is truncated to a whole number.
"""

import math
from collections.abc import Sequence
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.forms import HIDDEN, Count, KeyName

BINS = 10
BAR = 50
"""Characters of the longest bar."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Samples from low up to, but not including, high. bar: length of the bar in characters,
    floored; BAR for the fullest bin."""

    low: Annotated[float, KeyName("from"), "First value of the bin."]
    high: Annotated[float, KeyName("to"), "The value it ends before."]
    count: Annotated[Count, "Samples."]
    percent: Annotated[Count, "Percent of all samples, rounded down."]
    bar: Annotated[int, HIDDEN]


@dataclass(frozen=True, slots=True)
class Histogram:
    """decimals     number of decimals that labels need to distinguish the bins
    uncounted    number of samples equal to the maximum
    """

    bins: tuple[Bin, ...]
    n: int
    decimals: int
    uncounted: int


def histogram(values: Sequence[float]) -> Histogram | None:
    """Returns None if all samples are equal."""
    low, high = min(values), max(values)
    width = (high - low) / BINS
    if width == 0:
        return None
    counts = [0] * BINS
    uncounted = 0
    for value in values:
        if value == high:
            uncounted += 1
        else:
            counts[min(BINS - 1, int((value - low) / width))] += 1
    most = max(counts)
    bins = tuple(
        Bin(
            low + number * width,
            high if number == BINS - 1 else low + (number + 1) * width,
            count,
            100 * count // len(values),
            BAR * count // most,
        )
        for number, count in enumerate(counts)
    )
    return Histogram(bins, len(values), max(0, -math.floor(math.log10(width))), uncounted)
