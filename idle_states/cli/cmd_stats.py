"""Compares benchmark results: each set with the first, by Student's t with the pooled s.

FILE holds samples (a number a line, or a column), rows of N Min Max Median Avg Stddev such as
ministat's output or a mail with it, percentiles of schbench, or a table of mmtests; - is standard
input. The quantile of t is exact; --ministat prints what ministat prints, digit for digit, whose
t comes from a table.

Exits 1 if --audit-outliers finds a conclusion that hangs on one sample, or a table's percent does
not follow from its means; 3 for input that is no measurement."""

import argparse
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..statistics.analysis import Analysis
    from ..statistics.histogram import Histogram
    from ..statistics.mmtests import Row
    from ..statistics.percentile_blocks import Group
    from ..statistics.reading import File
    from ..statistics.summary import Dataset

SUMMARY = "compare benchmark results: Student's t, ministat, schbench, mmtests"
CONFIDENCE = "99"
MINISTAT_CONFIDENCE = "95"
WIDTH_MAX = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_format

    parser.add_argument("files", metavar="FILE", nargs="*", help="the first one is the reference")
    parser.add_argument(
        "--summary",
        metavar="[NAME=]N,MIN,MAX,MEDIAN,AVG,STDDEV",
        action="append",
        default=[],
        help="a row in place of a file; may be repeated",
    )
    parser.add_argument(
        "-c",
        "--confidence",
        metavar="PERCENT",
        help=f"default: {CONFIDENCE}; with --ministat its own, {MINISTAT_CONFIDENCE}",
    )
    parser.add_argument(
        "--audit-outliers",
        action="store_true",
        help="compare again without each set's one maximum: does the conclusion survive?",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--ministat", action="store_true", help="as ministat computes and prints it")
    form.add_argument("--histogram", action="store_true", help="ten bins of each set, too")
    form.add_argument(
        "--schbench", action="store_true", help="percentiles of samples in us as schbench has them"
    )
    form.add_argument(
        "--mmtests",
        action="store_true",
        help="a table of means with percent, from files with lines of NAME SAMPLE...",
    )
    parser.add_argument("-C", "--column", metavar="N", type=int, default=1, help="default: 1")
    parser.add_argument(
        "-d", "--delimiter", metavar="CHARS", default=" \t", help="default: space and tab"
    )
    plot = parser.add_argument_group("with --ministat")
    plot.add_argument("-n", "--rows-only", action="store_true", help="no plot, no comparison")
    plot.add_argument("-A", "--no-plot", action="store_true")
    plot.add_argument("-s", "--separate-bars", action="store_true")
    plot.add_argument("-w", "--width", metavar="N", type=int, help="of the plot (default: 74)")
    table = parser.add_argument_group("with --mmtests")
    table.add_argument(
        "--mean",
        choices=("Amean", "Hmean"),
        default="Amean",
        help="arithmetic, or harmonic, for rates (default: Amean)",
    )
    table.add_argument(
        "--lower-is-better", action="store_true", help="a positive percent is less, as in mmtests"
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..report import stats_json
    from ..report.json_output import envelope
    from ..statistics.mmtests import follows
    from ..statistics.reading import Kind, open_file
    from .options import UsageError, emit

    _check(arguments)
    files = [open_file(name) for name in arguments.files]
    kinds = {file.kind for file in files}
    analysis: Analysis | None = None
    groups: list[Group] = []
    rows: list[Row] = []
    histograms: list[tuple[str, Histogram | None]] = []
    special = kinds & {Kind.SCHBENCH, Kind.MMTESTS}
    if special and (len(kinds) > 1 or arguments.summary):
        shown = ", ".join(f"{file.kind} in {file.name}" for file in files)
        raise UsageError(f"expected files of one kind, found {shown}")
    if Kind.SCHBENCH in kinds:
        groups = _blocks(arguments, files)
    elif Kind.MMTESTS in kinds or arguments.mmtests:
        rows = _table(arguments, files)
    else:
        datasets = _datasets(arguments, files)
        if arguments.schbench:
            groups = _computed_blocks(arguments, datasets)
        else:
            analysis = _analysis(arguments, datasets)
            if arguments.histogram:
                histograms = _histograms(datasets)
    if arguments.format == "json":
        body = stats_json.body(analysis, histograms, groups, rows, arguments.lower_is_better)
        inputs = [(file.name, file.sha256) for file in files]
        emit(arguments, envelope("stats", body, inputs))
    else:
        emit(arguments, _text(arguments, analysis, histograms, groups, rows))
    hanging = analysis is not None and not all(pair.survives for pair in analysis.pairs)
    contradicted = any(follows(row, i) is False for row in rows for i in range(len(row.cells)))
    return int(hanging or contradicted)


def _check(arguments: argparse.Namespace) -> None:
    from .options import UsageError

    if not arguments.files and not arguments.summary:
        raise UsageError("expected files or --summary")
    if arguments.files.count("-") > 1:
        raise UsageError("expected standard input once")
    if arguments.column < 1:
        raise UsageError(f"expected --column from 1, found {arguments.column}")
    if not arguments.delimiter:
        raise UsageError("expected characters for --delimiter, found none")
    plotting = {
        "--rows-only": arguments.rows_only,
        "--no-plot": arguments.no_plot,
        "--separate-bars": arguments.separate_bars,
        "--width": arguments.width is not None,
    }
    for option, given in plotting.items():
        if given and not arguments.ministat:
            raise UsageError(f"expected {option} with --ministat only")
    if arguments.width is not None and not 2 <= arguments.width <= WIDTH_MAX:
        raise UsageError(f"expected --width from 2 to {WIDTH_MAX}, found {arguments.width}")


def _confidence(arguments: argparse.Namespace) -> Decimal:
    from .options import UsageError

    text = arguments.confidence or (MINISTAT_CONFIDENCE if arguments.ministat else CONFIDENCE)
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not 0 < value <= Decimal("99.9999999999"):
        raise UsageError(
            f"expected a confidence above 0 and up to 99.9999999999 percent, found {text!r}"
        )
    return value


def _datasets(arguments: argparse.Namespace, files: "list[File]") -> "list[Dataset]":
    from ..statistics import reading
    from ..statistics.ministat import LEAST_SAMPLES, MOST_SETS
    from ..statistics.summary import Dataset
    from ..workload.problems import unreadable
    from .options import UsageError

    found: list[Dataset] = []
    for file in files:
        if file.kind is reading.Kind.ROWS:
            if arguments.histogram or arguments.schbench:
                raise UsageError(f"expected samples, found {file.kind} in {file.name}")
            found += reading.rows(file)
            continue
        dataset = reading.samples(file, arguments.column, arguments.delimiter)
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
            summary = reading.summary_row([word.strip() for word in row.split(",")])
        except ValueError as error:
            raise UsageError(f"--summary {text}: {error}") from None
        found.append(Dataset(name if equals else f"summary {number}", None, summary))
    if arguments.ministat and len(found) > MOST_SETS:
        raise UsageError(f"expected at most {MOST_SETS} sets for --ministat, found {len(found)}")
    return found


def _analysis(arguments: argparse.Namespace, datasets: "list[Dataset]") -> "Analysis":
    from ..statistics.analysis import analyse
    from .options import UsageError

    try:
        return analyse(
            datasets, _confidence(arguments), arguments.ministat, arguments.audit_outliers
        )
    except ValueError as error:
        raise UsageError(str(error)) from None


def _histograms(datasets: "list[Dataset]") -> "list[tuple[str, Histogram | None]]":
    from ..statistics.histogram import histogram

    return [(dataset.name, histogram(dataset.values or ())) for dataset in datasets]


def _blocks(arguments: argparse.Namespace, files: "list[File]") -> "list[Group]":
    from ..statistics.percentile_blocks import groups
    from .options import UsageError

    if arguments.ministat or arguments.histogram or arguments.mmtests or arguments.audit_outliers:
        raise UsageError(f"expected samples or summary rows, found {files[0].kind}")
    return groups(files)


def _computed_blocks(arguments: argparse.Namespace, datasets: "list[Dataset]") -> "list[Group]":
    from ..statistics.percentile_blocks import of_samples
    from .options import UsageError

    if arguments.audit_outliers:
        raise UsageError("expected --audit-outliers without --schbench")
    return [of_samples(datasets)]


def _table(arguments: argparse.Namespace, files: "list[File]") -> "list[Row]":
    from ..statistics import reading
    from ..statistics.mmtests import joined
    from .options import UsageError

    if arguments.ministat or arguments.histogram or arguments.schbench or arguments.audit_outliers:
        raise UsageError(f"expected samples or summary rows, found {files[0].kind}")
    if files and files[0].kind is reading.Kind.MMTESTS:
        return [row for file in files for row in reading.table(file)]
    if arguments.summary or any(file.kind is not reading.Kind.SAMPLES for file in files):
        raise UsageError("expected files with lines of NAME SAMPLE... for --mmtests")
    named = [(file.name, reading.named_samples(file, arguments.delimiter)) for file in files]
    return joined(named, arguments.mean)


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
    if groups:
        return "\n".join(stats_forms.schbench_text(group) for group in groups)
    if rows:
        return stats_forms.mmtests_text(rows, arguments.lower_is_better, style)
    assert analysis is not None
    if not arguments.ministat:
        text = stats_text.text(analysis, style)
        return text + stats_forms.histograms_text(histograms)
    text = stats_ministat.text(
        analysis,
        arguments.width or stats_ministat.WIDTH,
        arguments.separate_bars,
        drawn=not arguments.no_plot,
        compared=not arguments.rows_only,
    )
    return text + stats_text.audits(analysis, style)
