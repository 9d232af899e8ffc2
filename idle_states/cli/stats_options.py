"""Options of `stats`: what they are, and which go with which input."""

import argparse
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..statistics.files import File

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
        "--reference", metavar="N", type=int, help="number of the set or row (default: 1)"
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
        help="arithmetic, or harmonic, for rates (default: Amean)",
    )
    table.add_argument(
        "--lower-is-better", action="store_true", help="a positive percent is less, as in mmtests"
    )
    add_format(parser)


def check(arguments: argparse.Namespace) -> None:
    """Raises UsageError."""
    from .options import UsageError

    if not arguments.files and not arguments.summary:
        raise UsageError("expected files or --summary")
    if arguments.files.count("-") > 1:
        raise UsageError("expected standard input once")
    if "" in arguments.files:
        raise UsageError("expected files, found the empty word ''")
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
    table = {"--mean": arguments.mean is not None, "--lower-is-better": arguments.lower_is_better}
    for option, given in table.items():
        if given and not arguments.mmtests:
            raise UsageError(f"expected {option} with --mmtests only")
    if arguments.width is not None and not 2 <= arguments.width <= WIDTH_MAX:
        raise UsageError(f"expected --width from 2 to {WIDTH_MAX}, found {arguments.width}")


def has_sets(arguments: argparse.Namespace, files: "list[File]") -> bool:
    """There is something to summarise."""
    from ..statistics.files import Kind

    sets = any(file.kinds & {Kind.SAMPLES, Kind.ROWS} for file in files)
    return bool(sets or arguments.summary) and not arguments.mmtests


def check_kinds(arguments: argparse.Namespace, files: "list[File]") -> None:
    """Whether the options go with what the files hold. Raises UsageError."""
    from ..statistics.files import Kind
    from .options import UsageError

    printed = [file for file in files if file.kinds & {Kind.SCHBENCH, Kind.MMTESTS}]
    if printed and (len({file.kinds for file in files}) > 1 or arguments.summary):
        shown = ", ".join(f"{file.holds} in {file.name}" for file in files)
        raise UsageError(f"expected files of one kind, found {shown}")
    kinds = {kind for file in files for kind in file.kinds}
    others = (
        arguments.ministat
        or arguments.histogram
        or (arguments.schbench and kinds != {Kind.SCHBENCH})
        or (arguments.mmtests and kinds != {Kind.MMTESTS})
    )
    if printed and others:
        raise UsageError(f"expected samples or summary rows, found {files[0].holds}")
    if printed and (arguments.mean or arguments.lower_is_better):
        raise UsageError(
            f"expected samples for --mean and --lower-is-better, found {files[0].holds}"
        )
    columned = {"--column": arguments.column != 1, "--delimiter": arguments.delimiter != " \t"}
    for option, given in columned.items():
        if given and not any(Kind.SAMPLES in file.kinds for file in files):
            found = files[0].holds if files else "--summary"
            raise UsageError(f"expected samples for {option}, found {found}")
    compared = has_sets(arguments, files) and not arguments.schbench
    for option, given in {
        "--audit-outliers": arguments.audit_outliers,
        "--confidence": arguments.confidence is not None,
        "--reference": arguments.reference is not None,
    }.items():
        if given and not compared:
            form = "--schbench" if arguments.schbench else "--mmtests"
            found = files[0].holds if printed else form
            raise UsageError(f"expected samples or summary rows for {option}, found {found}")


def confidence(arguments: argparse.Namespace) -> Decimal:
    """In percent. Raises UsageError."""
    from .options import UsageError

    text = arguments.confidence
    if text is None:
        text = MINISTAT_CONFIDENCE if arguments.ministat else CONFIDENCE
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not 50 <= value <= Decimal("99.9999999999"):
        hint = "; 99 % is 99, not 0.99" if value.is_finite() and 0 < value < 1 else ""
        raise UsageError(
            f"expected a confidence from 50 to 99.9999999999 percent, found {text!r}{hint}"
        )
    return value
