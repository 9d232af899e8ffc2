"""N, minimum, maximum, median, average and standard deviation of samples."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

LARGEST = 1e100
SMALLEST = 1e-100
"""Samples between these have squares that can be added up."""
LARGEST_N = 10_000_000


@dataclass(frozen=True, slots=True)
class Summary:
    """One row. In the samples' own unit; variance has n - 1 in the denominator.

    variance  kept beside stddev, because programs compute on with it, not with its root
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
    """Samples in the order of their file, or a row when only that is known.

    file, line  where it comes from, line None for a whole file; "" for the command line
    """

    name: str
    values: tuple[float, ...] | None
    row: Summary | None
    file: str = ""
    line: int | None = None

    def summary(self, summarised: Callable[[Sequence[float]], Summary]) -> Summary:
        """The row as given, or that of the samples: at least 2."""
        if self.row is not None:
            return self.row
        assert self.values is not None
        return summarised(self.values)


def summarise(values: Sequence[float]) -> Summary:
    """Sums are taken as rational numbers and rounded once. values: at least 2, finite, up to
    LARGEST. The median of an even number of samples is the mean of the middle two."""
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
    """Why no samples can have this row, None if some may. Allows for the row being rounded."""
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
    # the two extremes alone, and half of the samples at either end
    least = math.sqrt(max(0.0, low * low + high * high) / (row.n - 1))
    most = math.sqrt(max(0.0, low * high) * row.n / (row.n - 1))
    if not least * (1 - 1e-3) - slack <= row.stddev <= most * (1 + 1e-3) + slack:
        return (
            f"expected a Stddev from {least:.8g} to {most:.8g}, as N, Min, Max and Avg allow, "
            f"found {row.stddev:.8g}"
        )
    return None
