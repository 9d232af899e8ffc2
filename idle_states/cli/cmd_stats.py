"""Compares benchmark results: each set with the first, by Student's t with the pooled s.

FILE holds samples (a number a line, or a column), or it is output, or a mail with it: rows of
N Min Max Median Avg Stddev as ministat prints them, percentiles of schbench, tables of mmtests;
- is standard input. The quantile of t is exact; --ministat prints what ministat prints, digit for
digit, whose t comes from a table.

Exits 1 if --audit-outliers finds a conclusion that hangs on one sample, or a table's percent does
not follow from its means; 3 for input that is no measurement."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..statistics.analysis import Analysis
    from ..statistics.files import File
    from ..statistics.histogram import Histogram
    from ..statistics.mmtests import Row
    from ..statistics.percentile_blocks import Group
    from ..statistics.summary import Dataset

SUMMARY = "compare benchmark results: Student's t, ministat, schbench, mmtests"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from . import stats_options

    stats_options.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..report.documents.stats import Stats, found
    from ..report.json_output import envelope
    from ..statistics.files import Kind
    from ..statistics.mmtests import follows
    from ..statistics.reading import open_file
    from .options import emit, emit_text
    from .stats_options import check, check_kinds, has_sets

    check(arguments)
    files = [open_file(name) for name in arguments.files]
    check_kinds(arguments, files)
    kinds = {kind for file in files for kind in file.kinds}
    analysis: Analysis | None = None
    groups: list[Group] = []
    rows: list[Row] = []
    histograms: list[tuple[str, Histogram | None]] = []
    if arguments.mmtests or Kind.MMTESTS in kinds:
        rows = _table(arguments, files)
    if Kind.SCHBENCH in kinds:
        groups = _blocks(files)
    if has_sets(arguments, files):
        datasets = _datasets(arguments, files)
        if arguments.schbench:
            groups = _computed_blocks(datasets)
        else:
            analysis = _analysis(arguments, datasets)
            if arguments.histogram:
                histograms = _histograms(datasets)
    if arguments.format == "json":
        body = found(analysis, histograms, groups, rows)
        inputs = [(file.name, file.sha256) for file in files]
        emit(arguments, envelope("stats", Stats, body, inputs))
    else:
        emit_text(arguments, _text(arguments, analysis, histograms, groups, rows))
    hanging = analysis is not None and any(pair.survives is False for pair in analysis.pairs)
    contradicted = any(follows(row, i) is False for row in rows for i in range(len(row.cells)))
    return int(hanging or contradicted)


def _datasets(arguments: argparse.Namespace, files: "list[File]") -> "list[Dataset]":
    from ..reading.problems import unreadable
    from ..statistics.files import Kind
    from ..statistics.ministat import LEAST_SAMPLES, MOST_SETS
    from ..statistics.reading import samples
    from ..statistics.summary import SMALLEST, Dataset
    from ..statistics.summary_rows import rows, summary_row
    from .options import UsageError

    found: list[Dataset] = []
    for file in files:
        if Kind.ROWS in file.kinds:
            if arguments.histogram or arguments.schbench:
                raise UsageError(f"expected samples, found {file.holds} in {file.name}")
            found += rows(file)
            continue
        # ministat squares whatever it is given
        smallest = 0.0 if arguments.ministat else SMALLEST
        dataset = samples(file, arguments.column, arguments.delimiter, smallest)
        least = LEAST_SAMPLES if arguments.ministat else 2
        count = len(dataset.values or ())
        if count < least:
            raise unreadable(file.name, f"expected at least {least} samples, found {count}")
        found.append(dataset)
    if arguments.summary and (arguments.histogram or arguments.schbench):
        raise UsageError("expected samples, found --summary")
    for number, text in enumerate(arguments.summary, 1):
        name, equals, row = text.rpartition("=")
        try:
            summary = summary_row([word.strip() for word in row.split(",")])
        except ValueError as error:
            raise UsageError(f"--summary {text}: {error}") from None
        found.append(Dataset(name if equals else f"summary {number}", None, summary))
    if arguments.ministat and len(found) > MOST_SETS:
        raise UsageError(f"expected at most {MOST_SETS} sets for --ministat, found {len(found)}")
    reference = 1 if arguments.reference is None else arguments.reference
    if not 1 <= reference <= len(found):
        raise UsageError(f"expected --reference from 1 to {len(found)}, found {reference}")
    return [found[reference - 1], *found[: reference - 1], *found[reference:]]


def _analysis(arguments: argparse.Namespace, datasets: "list[Dataset]") -> "Analysis":
    from ..statistics.analysis import analyse
    from .options import UsageError
    from .stats_options import confidence

    try:
        return analyse(
            datasets, confidence(arguments), arguments.ministat, arguments.audit_outliers
        )
    except ValueError as error:
        raise UsageError(str(error)) from None


def _histograms(datasets: "list[Dataset]") -> "list[tuple[str, Histogram | None]]":
    from ..statistics.histogram import histogram

    return [(dataset.name, histogram(dataset.values or ())) for dataset in datasets]


def _blocks(files: "list[File]") -> "list[Group]":
    from ..statistics.percentile_blocks import groups

    return groups(files)


def _computed_blocks(datasets: "list[Dataset]") -> "list[Group]":
    from ..statistics.percentile_blocks import of_samples

    return [of_samples(datasets)]


def _table(arguments: argparse.Namespace, files: "list[File]") -> "list[Row]":
    from ..statistics.files import Kind
    from ..statistics.mmtests import joined, table
    from ..statistics.reading import named_samples
    from .options import UsageError

    if any(Kind.MMTESTS in file.kinds for file in files):
        return [row for file in files for row in table(file)]
    if arguments.summary or any(Kind.SAMPLES not in file.kinds for file in files):
        raise UsageError("expected files with lines of NAME SAMPLE... for --mmtests")
    named = [(file.name, named_samples(file, arguments.delimiter)) for file in files]
    return joined(named, arguments.mean or "Amean", arguments.lower_is_better)


def _text(
    arguments: argparse.Namespace,
    analysis: "Analysis | None",
    histograms: "list[tuple[str, Histogram | None]]",
    groups: "list[Group]",
    rows: "list[Row]",
) -> str:
    from ..report import stats_forms, stats_ministat, stats_text
    from ..report.style import Style

    style = Style(False) if arguments.output else Style.of()
    parts = [stats_forms.schbench_text(group) for group in groups]
    if rows:
        parts.append(stats_forms.mmtests_text(rows, style))
    if analysis is None:
        return "\n".join(parts)
    if arguments.ministat:
        text = stats_ministat.text(
            analysis,
            arguments.width or stats_ministat.WIDTH,
            arguments.separate_bars,
            drawn=not arguments.no_plot,
            compared=not arguments.rows_only,
        )
        return text + stats_text.audits(analysis, style)
    text = stats_text.text(analysis, style) + stats_forms.histograms_text(histograms)
    return "\n".join([*parts, text])
