"""Compares benchmark results: each set with the first, by Student's t with the pooled s.

FILE holds samples (a number a line, or a column), or it is output, or a mail with it: rows of
N Min Max Median Avg Stddev as ministat prints them, percentiles of schbench, tables of mmtests;
- is standard input. The quantile of t is exact; --ministat prints what ministat prints, digit for
digit, whose t comes from a table.

A histogram printed below a row is compared with the row.

Exits 1 if --audit-outliers finds a conclusion that hangs on one sample, a table's percent does not
follow from its means, or a histogram does not fit its row; 3 for input that is no measurement."""

from typing import TYPE_CHECKING, Literal

from ..base.dataclass import dataclass, field
from ..base.model.findings import UsageError
from ..base.options import Annotated, Argument, Option
from .output import NO_PAGE, USUAL, Output

if TYPE_CHECKING:
    from decimal import Decimal

    from ..base.report.style import Style
    from ..lab.statistics.request import StatsForm, StatsRequest, StatsResult


CONFIDENCE, MINISTAT_CONFIDENCE = "99", "95"
WIDTH_MAX = 1000
_FORMS: "tuple[StatsForm, ...]" = ("ministat", "histogram", "schbench", "mmtests")
_PLOT, _TABLE = "with --ministat", "with --mmtests"


@dataclass(frozen=True, slots=True)
class Plot:
    """What --ministat prints. width: None for the usual one."""

    rows_only: Annotated[
        bool, Option("--rows-only", "no plot, no comparison", short="-n", heading=_PLOT)
    ] = False
    no_plot: Annotated[bool, Option("--no-plot", short="-A", heading=_PLOT)] = False
    separate_bars: Annotated[bool, Option("--separate-bars", short="-s", heading=_PLOT)] = False
    width: Annotated[
        int | None,
        Option("--width", "of the plot (default: 74)", metavar="N", short="-w", heading=_PLOT),
    ] = None

    def check(self, *, ministat: bool) -> None:
        """Raises UsageError for options that do not fit."""
        for option, given in {
            "--rows-only": self.rows_only,
            "--no-plot": self.no_plot,
            "--separate-bars": self.separate_bars,
            "--width": self.width is not None,
        }.items():
            if given and not ministat:
                raise UsageError(f"expected {option} with --ministat only")
        if self.width is not None and not 2 <= self.width <= WIDTH_MAX:
            raise UsageError(f"expected --width from 2 to {WIDTH_MAX}, found {self.width}")


@dataclass(frozen=True, slots=True)
class StatsCommand:
    """Options of `stats`: those of StatsRequest, whose form is one of four switches, and the
    plot."""

    files: Annotated[tuple[str, ...], Argument("FILE", "the first one is the reference")] = ()
    summaries: Annotated[
        tuple[str, ...],
        Option(
            "--summary",
            "a row in place of a file; may be repeated",
            metavar="[NAME=]N,MIN,MAX,MEDIAN,AVG,STDDEV",
        ),
    ] = ()
    confidence: Annotated[
        "Decimal | None",
        Option(
            "--confidence",
            f"default: {CONFIDENCE}; with --ministat its own, {MINISTAT_CONFIDENCE}",
            metavar="PERCENT",
            short="-c",
            reads="lab.statistics.request.confidence_of",
        ),
    ] = None
    reference: Annotated[
        int | None, Option("--reference", "number of the set or row (default: 1)", metavar="N")
    ] = None
    audit_outliers: Annotated[
        bool,
        Option(
            "--audit-outliers",
            "compare again without each set's one maximum: does the conclusion survive?",
        ),
    ] = False
    ministat: Annotated[
        bool, Option("--ministat", "as ministat computes and prints it", only="form")
    ] = False
    histogram: Annotated[bool, Option("--histogram", "ten bins of each set, too", only="form")] = (
        False
    )
    schbench: Annotated[
        bool,
        Option("--schbench", "percentiles of samples in us as schbench has them", only="form"),
    ] = False
    mmtests: Annotated[
        bool,
        Option(
            "--mmtests",
            "a table of means with percent, from files with lines of NAME SAMPLE...",
            only="form",
        ),
    ] = False
    column: Annotated[int, Option("--column", "default: 1", metavar="N", short="-C")] = 1
    delimiter: Annotated[
        str, Option("--delimiter", "default: space and tab", metavar="CHARS", short="-d")
    ] = " \t"
    plot: Plot = field(default_factory=Plot)
    mean: Annotated[
        Literal["Amean", "Hmean"] | None,
        Option("--mean", "arithmetic, or harmonic, for rates (default: Amean)", heading=_TABLE),
    ] = None
    lower_is_better: Annotated[
        bool,
        Option("--lower-is-better", "a positive percent is less, as in mmtests", heading=_TABLE),
    ] = False
    out: Annotated[Output, NO_PAGE] = USUAL

    def request(self) -> "StatsRequest":
        """Returns the request of the room. Raises UsageError."""
        from ..lab.statistics.request import StatsRequest

        return StatsRequest(
            files=self.files,
            summaries=self.summaries,
            form=next((form for form in _FORMS if getattr(self, form)), ""),
            confidence=self.confidence,
            reference=self.reference,
            audit_outliers=self.audit_outliers,
            column=self.column,
            delimiter=self.delimiter,
            mean=self.mean,
            lower_is_better=self.lower_is_better,
        )


def run(given: StatsCommand) -> int:
    from ..lab.statistics.request import MINISTAT, stats
    from ..lab.statistics.stats_document import Stats
    from ..lab.statistics.stats_document import found as composed
    from ..tables.documents.json_output import envelope

    asked, out, drawn = given.request(), given.out, given.plot
    drawn.check(ministat=given.ministat)
    found = stats(asked)
    if out.format == "json":
        body = composed(
            found.analysis,
            found.histograms,
            found.groups,
            found.rows,
            found.remarks,
            found.printed,
        )
        out.document(envelope("stats", Stats, body, found.inputs))
    else:
        out.text(_text(found, drawn if asked.form == MINISTAT else None, out.style))
    return int(found.doubtful)


def _text(found: "StatsResult", plot: "Plot | None", style: "Style") -> str:
    """plot: None but for --ministat."""
    from ..lab.statistics import said

    remarks = said.remarks(found.remarks)
    parts = [said.schbench_text(group) for group in found.groups]
    if found.rows:
        parts.append(said.mmtests_text(found.rows, style))
    analysis = found.analysis
    if analysis is None:
        return "\n".join(parts) + remarks
    if plot is not None:
        texts = [
            said.ministat_text(
                group,
                plot.width or said.WIDTH,
                plot.separate_bars,
                drawn=not plot.no_plot,
                compared=not plot.rows_only,
            )
            + said.audits(group, style)
            for group in analysis.groups
        ]
        return "\n".join(texts) + said.printed_text(found.printed, style) + remarks
    text = said.text(analysis, style) + said.histograms_text(found.histograms)
    text += said.printed_text(found.printed, style)
    return "\n".join([*parts, text]) + remarks
