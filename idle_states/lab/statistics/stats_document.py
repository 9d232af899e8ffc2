"""stats. What is no number is null."""

import math
from collections.abc import Iterable
from typing import Annotated, Literal

from ...base.model.forms import GIVEN, INLINE, Count, Form, Limits, With, derived
from . import (
    comparison,
    histogram,
    outliers,
    percentile_blocks,
    printed_histograms,
    schbench,
    summary,
)
from .analysis import Analysis, Pair
from .answer import StatsResult
from .mmtests import MeansRow as TableRow
from .mmtests import change, follows

Samples = Annotated[int, Limits(minimum=2)]
VerdictName = Literal["higher", "lower", "none"]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


class Reduced(Form[outliers.Reduced]):
    n: Annotated[Samples, "Samples left."]
    average: Annotated[float, "Average of the remaining samples."]
    stddev: Annotated[float | None, "Their deviation."] = derived(lambda row: _finite(row.stddev))
    share_of_squares: Annotated[
        float, Limits(minimum=0, maximum=1), "The maximum's share of the sum of squares."
    ] = derived("share")


class Set(Form[summary.Summary]):
    name: Annotated[str, "File, its place in a file, or the name given with --summary."] = GIVEN
    n: Annotated[Samples, "Samples."]
    min: Annotated[float, "Least sample."] = derived("minimum")
    max: Annotated[float, "Greatest sample."] = derived("maximum")
    median: Annotated[float, "Median; by ministat the upper of the middle two."]
    average: Annotated[float, "Arithmetic mean."]
    stddev: Annotated[
        float | None, "Standard deviation, over n - 1; null where ministat prints -nan."
    ] = derived(lambda row: _finite(row.stddev))
    without_maximum: Annotated[
        Reduced | None, "The set without its one maximum; null without --audit-outliers."
    ] = GIVEN


class Figures(Form[comparison.Comparison]):
    """A set against the reference."""

    difference: Annotated[float, "The set's average minus the reference's."]
    error: Annotated[
        float | None, "Half the interval around the difference, at the confidence."
    ] = derived(lambda found: _finite(found.error))
    percent: Annotated[
        float | None,
        "The difference in percent of the reference's average; null if that is 0 or too small.",
    ] = derived(lambda found: _finite(found.percent))
    percent_error: Annotated[float | None, "The error in percent of the reference's average."] = (
        derived(lambda found: _finite(found.percent_error))
    )
    pooled_stddev: Annotated[float | None, "Pooled s."] = derived(
        lambda found: _finite(found.pooled)
    )
    degrees_of_freedom: Annotated[Samples, "n1 + n2 - 2."] = derived("degrees")
    t: Annotated[float | None, "The difference in standard errors; null if nothing varies."]
    t_needed: Annotated[float, "The t of the confidence: exact, or from ministat's table."] = (
        derived("needed")
    )


class Again(Form[outliers.Again]):
    of: Annotated[list[str], "Sets without their maximum."] = GIVEN
    survives: Annotated[
        bool | None, "The verdict is the same; null if the rows have too few digits to tell."
    ]
    verdict: Annotated[
        VerdictName | None,
        "The verdict on the set against the reference; null if the rows have too few digits to "
        "tell.",
    ] = derived(lambda again: None if again.survives is None else again.comparison.verdict)
    comparison: Annotated[Figures, INLINE]


class Compared(Form[Pair]):
    reference: Annotated[str, "Name of the first set of its group."] = GIVEN
    set: Annotated[str, "Name of the other one."] = GIVEN
    verdict: Annotated[VerdictName, "The verdict on the set against the reference."] = derived(
        "comparison.verdict"
    )
    comparison: Annotated[Figures, INLINE]
    p: Annotated[
        float | None,
        "Probability of so large a difference by chance, two-sided; null by ministat, or if "
        "nothing varies.",
    ] = derived("probability")
    without_maxima: Annotated[
        list[Again], "With --audit-outliers: the comparison without maxima."
    ] = GIVEN


class Histogram(Form[tuple[str, histogram.Histogram | None]]):
    name: Annotated[str, "The set."]
    at_maximum: Annotated[
        Count | None,
        "Samples equal to the maximum, which are in no bin; null if all samples are equal.",
    ] = derived(lambda item: item[1] and item[1].uncounted)
    bins: Annotated[
        list[histogram.Bin], "Ten bins of equal width; none if all samples are equal."
    ] = derived(lambda item: item[1].bins if item[1] else [])


class PrintedBin(Form[printed_histograms.PrintedBin]):
    low: Annotated[str, "The lower bound, as printed."]
    high: Annotated[str, "The upper bound, as printed."]
    bar: Annotated[Count, "Characters of its bar."]
    percent: Annotated[Count | None, "The percentage printed; null: none is."]
    count: Annotated[Count, "Samples."]


_ALLOWED = Limits(minItems=2, maxItems=2)


class PrintedHistogram(Form[printed_histograms.PrintedHistogram]):
    """A histogram that a file has below a row: whether both can be of the same samples."""

    row: Annotated[str, "The row's set."]
    line: Annotated[Count, "Line of the first bin."]
    bins: Annotated[list[PrintedBin], "The printed bins."]
    binned: Annotated[Count, "Samples in the bins."] = derived(
        lambda one: sum(each.count for each in one.bins)
    )
    at_maximum: Annotated[int, "The row's samples that are in no bin: those at the maximum."]
    median: Annotated[list[float], _ALLOWED, "Least and greatest that the bins allow."]
    average: Annotated[list[float], _ALLOWED, "Least and greatest that the bins allow."]
    stddev: Annotated[
        list[float], _ALLOWED, "Least and greatest around the row's average that the bins allow."
    ]
    misfits: Annotated[list[str], "Parts that contradict the row; empty: none do."]
    fits: Annotated[bool, "All of it follows from the row, or is what the bins allow."] = derived(
        lambda one: not one.misfits
    )


class Percentile(Form[schbench.Percentile]):
    percent: Annotated[float, "The percentile."]
    value: Annotated[Count, "The printed figure."]
    bucket: Annotated[
        list[Count], Limits(minItems=2, maxItems=2), "First and last value of the bucket."
    ] = derived(lambda entry: schbench.bounds(schbench.bucket(entry.value)))
    is_middle: Annotated[bool, "schbench itself can print this value."] = derived(
        lambda entry: schbench.is_printed(entry.value)
    )
    samples: Annotated[Count | None, "Samples since the percentile before; null if not printed."]
    change_percent: Annotated[
        float | None, "Against the first block; null for that, and if its value is 0."
    ] = GIVEN


class Block(Form[schbench.Block]):
    name: Annotated[str, "File, and its column, or the line of its first percentile."]
    min: Annotated[Count | None, "Least sample; null if not printed."] = derived("low")
    max: Annotated[Count | None, "Greatest sample; null if not printed."] = derived("high")
    percentiles: Annotated[list[Percentile], "In the order of the block."]


class Group(Form[percentile_blocks.BlockGroup]):
    label: Annotated[str, "Heading of the first block; empty if there was none."] = derived(
        lambda group: group.blocks[0].label
    )
    unit: Annotated[str, "Unit of the first block; empty if not given."] = derived(
        lambda group: group.blocks[0].unit
    )
    left_out: Annotated[Count, "Earlier blocks of the same heading."]
    blocks: Annotated[list[Block], "Blocks, the reference first."] = derived(
        lambda group: [
            With(
                block,
                percentiles=[
                    With(entry, change_percent=group.change(number, at) if number else None)
                    for at, entry in enumerate(block.percentiles)
                ],
            )
            for number, block in enumerate(group.blocks)
        ]
    )


class Cell(Form[tuple[TableRow, int]]):
    column: Annotated[str, "The column's heading; empty if it has none."] = derived(
        lambda at: " ".join(head[at[1]] for head in at[0].heads)
    )
    value: Annotated[float | None, "The mean; null if the table has nan."] = derived(
        lambda at: at[0].cells[at[1]].value
    )
    percent: Annotated[
        float | None,
        "Computed from the means, positive for better; null if the reference is 0 or a result is "
        "missing.",
    ] = derived(lambda at: change(*at))
    printed_percent: Annotated[
        float | None, "The value printed in the table; null for a table made here, or nan."
    ] = derived(lambda at: at[0].cells[at[1]].printed)
    significant: Annotated[
        bool | None, "True if the table marks it by asterisks; null for a table made here."
    ] = derived(lambda at: at[0].cells[at[1]].significant)
    follows: Annotated[
        bool | None,
        "The printed percent follows from the printed means; null if there is nothing to judge.",
    ] = derived(lambda at: follows(*at))


class Row(Form[TableRow]):
    label: Annotated[str, "Hmean, Amean or what the table has."]
    name: Annotated[str, "Name of the row."]
    cells: Annotated[list[Cell], "Columns, the reference first."] = derived(
        lambda row: [(row, number) for number in range(len(row.cells))]
    )


class Stats(Form[StatsResult]):
    method: Annotated[
        Literal["exact", "ministat"] | None,
        "How sets are compared; null if only percentiles and tables of means are there.",
    ] = derived(lambda found: found.analysis and found.analysis.method)
    confidence: Annotated[float | None, "In percent."] = derived(
        lambda found: found.analysis and float(found.analysis.confidence)
    )
    sets: Annotated[list[Set], "Samples and summary rows, the reference first."] = derived(
        lambda found: _sets(found.analysis) if found.analysis else ()
    )
    comparisons: Annotated[
        list[Compared],
        "Every other set against the reference; of a file with several blocks of rows, against "
        "the first of its block.",
    ] = derived(lambda found: _compared(found.analysis) if found.analysis else ())
    histograms: Annotated[list[Histogram], "With --histogram: one for each set."]
    printed_histograms: Annotated[
        list[PrintedHistogram], "Histograms printed below the files' rows."
    ] = derived("printed")
    schbench: Annotated[list[Group], "Groups of percentile blocks."] = derived("groups")
    mmtests: Annotated[list[Row], "Rows of a table of means."] = derived("rows")
    remarks: Annotated[list[str], "Repairs made to read files as they were mailed."]


def _sets(analysis: Analysis) -> Iterable[With]:
    rows = zip(analysis.datasets, analysis.summaries, analysis.reduced, strict=True)
    for dataset, row, reduced in rows:
        yield With(row, name=dataset.name, without_maximum=reduced)


def _compared(analysis: Analysis) -> Iterable[With]:
    for pair in analysis.pairs:
        names = (analysis.datasets[pair.reference].name, analysis.datasets[pair.other].name)
        again = [With(each, of=[names[which] for which in each.without]) for each in pair.again]
        yield With(pair, reference=names[0], set=names[1], without_maxima=again)
