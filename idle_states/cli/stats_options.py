"""Options of `stats`, and what they ask for."""

import argparse
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from ..dataclass import dataclass
from ..findings import UsageError

if TYPE_CHECKING:
    from ..statistics.request import StatsRequest

CONFIDENCE = "99"
MINISTAT_CONFIDENCE = "95"
WIDTH_MAX = 1000
_FORMS = ("ministat", "histogram", "schbench", "mmtests")


@dataclass(frozen=True, slots=True)
class Plot:
    """What --ministat prints. width: None for the usual one."""

    rows_only: bool
    drawn: bool
    separate_bars: bool
    width: int | None


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


def request(arguments: argparse.Namespace) -> "StatsRequest":
    """Raises UsageError."""
    from ..statistics.request import StatsRequest

    return StatsRequest(
        files=tuple(arguments.files),
        summaries=tuple(arguments.summary),
        form=next((form for form in _FORMS if getattr(arguments, form)), ""),
        confidence=None if arguments.confidence is None else _confidence(arguments.confidence),
        reference=arguments.reference,
        audit_outliers=arguments.audit_outliers,
        column=arguments.column,
        delimiter=arguments.delimiter,
        mean=arguments.mean,
        lower_is_better=arguments.lower_is_better,
    )


def plot(arguments: argparse.Namespace) -> Plot:
    """Raises UsageError."""
    width = arguments.width
    for option, given in {
        "--rows-only": arguments.rows_only,
        "--no-plot": arguments.no_plot,
        "--separate-bars": arguments.separate_bars,
        "--width": width is not None,
    }.items():
        if given and not arguments.ministat:
            raise UsageError(f"expected {option} with --ministat only")
    if width is not None and not 2 <= width <= WIDTH_MAX:
        raise UsageError(f"expected --width from 2 to {WIDTH_MAX}, found {width}")
    return Plot(arguments.rows_only, not arguments.no_plot, arguments.separate_bars, width)


def _confidence(text: str) -> Decimal:
    """In percent. Raises UsageError."""
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
