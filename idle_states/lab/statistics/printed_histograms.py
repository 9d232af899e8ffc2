"""Histograms printed below summary rows: whether both can be of the same samples.

    101      5.095113      5.595269      5.204842     5.2298776    0.10762713
    5.10 - 5.15 : ##################################################   23% (24)

The samples are not needed. Bins, percents and bars follow from the row and the counts; and the
counts bound the median, the average and the standard deviation, which the row has.
"""

import math
import re
from collections.abc import Iterator, Sequence

from ...base.dataclass import dataclass
from .files import ResultsFile
from .histogram import BAR, BINS
from .summary import Dataset, Summary

_NUMBER = r"[0-9]{1,30}(?:\.[0-9]{1,30})?"
_BIN = re.compile(
    rf"\s*({_NUMBER})\s+-\s+({_NUMBER})\s*:\s*(#*)\s*(?:([0-9]{{1,3}})%\s+\(([0-9]{{1,9}})\))?\s*"
)
_CUT = re.compile(rf"\s*{_NUMBER}\s+-\s*")

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PrintedBin:
    """low, high: as printed. percent: None where a bin is empty."""

    low: str
    high: str
    bar: int
    percent: int | None
    count: int


@dataclass(frozen=True, slots=True)
class PrintedHistogram:
    """A histogram and the row above it.

    row         name of the row's set
    line        line of the first bin, from 1
    at_maximum  samples in no bin: the histogram leaves the maximum out
    median, average, stddev  what the counts allow, the row's minimum and maximum given; stddev
                around the row's average
    misfits     sentences: what does not follow from the row, or lies outside of that
    """

    row: str
    line: int
    bins: tuple[PrintedBin, ...]
    at_maximum: int
    median: Range
    average: Range
    stddev: Range
    misfits: tuple[str, ...]


def printed_histograms(
    file: ResultsFile, datasets: Sequence[Dataset]
) -> Iterator[PrintedHistogram]:
    """Yields the histogram below each row of the file that has all its bins there."""
    for dataset in datasets:
        if dataset.row is None or dataset.line is None or dataset.file != file.name:
            continue
        line, bins = _below(file.lines, dataset.line)
        if len(bins) == BINS:
            yield _judged(dataset.name, dataset.row, line, bins)


def _below(lines: Sequence[str], at: int) -> tuple[int, tuple[PrintedBin, ...]]:
    """Returns the line of the first bin, and the bins. at: the row's line, from 1. A mailer may
    have broken a bin's line behind the dash."""
    found: list[PrintedBin] = []
    first, cut = 0, ""
    for number, line in enumerate(lines[at:], at + 1):
        if not line.strip():
            continue
        match = _BIN.fullmatch(f"{cut} {line}")
        if match is None:
            if cut or not _CUT.fullmatch(line):
                break
            cut, first = line, first or number
            continue
        cut, first = "", first or number
        low, high, bar, percent, count = match.groups()
        share = None if percent is None else int(percent)
        found.append(PrintedBin(low, high, len(bar), share, int(count or 0)))
    return first, tuple(found)


def _judged(name: str, row: Summary, line: int, bins: tuple[PrintedBin, ...]) -> PrintedHistogram:
    width = (row.maximum - row.minimum) / BINS
    edges = [row.minimum + number * width for number in range(BINS)] + [row.maximum]
    at_maximum = row.n - sum(one.count for one in bins)
    median, average, stddev = _bounds(row, edges, [one.count for one in bins], max(at_maximum, 0))
    misfits = [*_forms(row, edges, bins)]
    if at_maximum < 1:
        misfits.append(
            f"the bins hold {row.n - at_maximum} of {row.n} samples; the maximum is in none, so "
            f"expected {row.n - 1} at most"
        )
    for what, value, (low, high), half in (
        ("median", row.median, median, 0.0),
        ("average", row.average, average, row.halves[0]),
        ("standard deviation", row.stddev, stddev, row.halves[1]),
    ):
        slack = half + 1e-6 * row.maximum
        if not low - slack <= value <= high + slack:
            misfits.append(
                f"the row's {what} is {value:.8g}; the bins allow {low:.8g} to {high:.8g}"
            )
    return PrintedHistogram(name, line, bins, at_maximum, median, average, stddev, tuple(misfits))


def _forms(row: Summary, edges: Sequence[float], bins: Sequence[PrintedBin]) -> Iterator[str]:
    """Yields labels, percents and bars that do not follow from the row and the counts."""
    most = max(1, *(one.count for one in bins))
    for number, one in enumerate(bins):
        named = f"bin {one.low} - {one.high}"
        for text, edge in ((one.low, edges[number]), (one.high, edges[number + 1])):
            half = 0.5 * 10.0 ** -len(text.partition(".")[2])
            if abs(float(text) - edge) > half + 1e-6 * row.maximum:
                yield f"{named}: {text} is printed, a tenth of the range is at {edge:.8g}"
        percent = 100 * one.count // row.n if one.count else None
        if one.percent != percent:
            yield f"{named}: {one.percent} % is printed, {one.count} of {row.n} are {percent} %"
        if one.bar != BAR * one.count // most:
            yield f"{named}: a bar of {one.bar} is printed, expected {BAR * one.count // most}"


def _bounds(
    row: Summary, edges: Sequence[float], counts: Sequence[int], at_maximum: int
) -> tuple[Range, Range, Range]:
    """Returns what the counts allow for median, average and standard deviation."""
    # one sample of the first bin is the minimum
    groups = [(edges[0], edges[0], min(1, counts[0])), (edges[0], edges[1], counts[0] - 1)]
    groups += zip(edges[1:-1], edges[2:], counts[1:], strict=True)
    groups = [*((low, high, max(count, 0)) for low, high, count in groups)]
    groups.append((row.maximum, row.maximum, at_maximum))
    lows, highs = ([each[end] for each in groups for _ in range(each[2])] for end in (0, 1))
    middle = ((row.n - 1) // 2, row.n // 2)
    median = _mean_of(lows, middle), _mean_of(highs, middle)
    average = math.fsum(lows) / row.n, math.fsum(highs) / row.n
    near = far = 0.0
    for low, high, count in groups:
        within = max(low - row.average, row.average - high, 0.0)
        near += count * within**2
        far += count * max(abs(low - row.average), abs(high - row.average)) ** 2
    return median, average, (math.sqrt(near / (row.n - 1)), math.sqrt(far / (row.n - 1)))


def _mean_of(values: Sequence[float], places: tuple[int, int]) -> float:
    last = len(values) - 1
    return sum(values[min(place, last)] for place in places) / 2 if values else math.nan
