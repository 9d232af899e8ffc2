"""N, minimum, maximum, median, average and standard deviation of samples."""

import math
import statistics
from collections.abc import Callable, Sequence

from ...base.dataclass import dataclass

LARGEST = 1e100
SMALLEST = 1e-100
"""Range of sample values whose squares can be added up in doubles."""
LARGEST_N = 10_000_000


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of samples, in their own unit; variance has n - 1 in the denominator.

    variance  kept beside stddev, because programs compute with it rather than with its root
    halves    half a unit in the last printed place of average, stddev and maximum; 0 if computed
    """

    n: int
    minimum: float
    maximum: float
    median: float
    average: float
    stddev: float
    variance: float
    halves: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Samples in the order of their file, or a summary row if only that is known.

    file, line  origin; line None for a whole file; file "" for the command line
    group       sets of one group are compared with its first
    """

    name: str
    values: tuple[float, ...] | None
    row: Summary | None
    file: str = ""
    line: int | None = None
    group: int = 0

    def summary(self, summarised: Callable[[Sequence[float]], Summary]) -> Summary:
        """Returns the given row, or the summary of the samples, of which it needs at least 2."""
        if self.row is not None:
            return self.row
        assert self.values is not None
        return summarised(self.values)


def summarise(values: Sequence[float]) -> Summary:
    """Summarises samples; sums are exact rational numbers, rounded once. values: at least 2,
    finite, up to LARGEST. The median of an even number is the mean of the middle two."""
    variance = float(statistics.variance(values))
    return Summary(
        len(values),
        min(values),
        max(values),
        float(statistics.median(values)),
        float(statistics.mean(values)),
        math.sqrt(variance),
        variance,
    )


def inconsistency(row: Summary) -> str | None:
    """Returns why no samples can have this row, allowing for its rounding; None if some can."""
    if not 2 <= row.n <= LARGEST_N:
        return f"expected N from 2 to {LARGEST_N}, found {row.n}"
    for name, value in (
        ("Min", row.minimum),
        ("Max", row.maximum),
        ("Median", row.median),
        ("Avg", row.average),
        ("Stddev", row.stddev),
    ):
        if not math.isfinite(value) or not 0 <= value <= LARGEST:
            return f"expected {name} from 0 to {LARGEST:g}, found {value:g}"
    slack = 1e-6 * row.maximum
    for name, value in (("Median", row.median), ("Avg", row.average)):
        if not row.minimum - slack <= value <= row.maximum + slack:
            return (
                f"expected {name} from Min to Max, {row.minimum:.8g} to {row.maximum:.8g}, "
                f"found {value:.8g}"
            )
    low, high = row.average - row.minimum, row.maximum - row.average
    # least: all samples but the two extremes at the average; greatest: every sample at an extreme
    least = math.sqrt(max(0.0, low * low + high * high) / (row.n - 1))
    most = math.sqrt(max(0.0, low * high) * row.n / (row.n - 1))
    if not least * (1 - 1e-3) - slack <= row.stddev <= most * (1 + 1e-3) + slack:
        return (
            f"expected a Stddev from {least:.8g} to {most:.8g}, as N, Min, Max and Avg allow, "
            f"found {row.stddev:.8g}"
        )
    return None
