"""Compares benchmark results: each set with the first, by Student's t with the pooled s.

FILE holds samples (a number a line, or a column), or it is output, or a mail with it: rows of N Min
Max Median Avg Stddev as ministat prints them, percentiles of schbench, tables of mmtests; - is
standard input. The quantile of t is exact; --ministat prints the output of ministat, digit for
digit, with its table of t.

A histogram printed below a row is compared with the row.

Exits 1 if --audit-outliers finds a conclusion that depends on one sample, a table's percentage does
not follow from its means, or a histogram does not fit its row; 3 for input without measurements."""

from typing import TYPE_CHECKING

from ..base.dataclass import dataclass, field
from ..base.model.findings import UsageError
from ..base.options import Annotated, Option, Options
from ..lab.statistics.request import MINISTAT, StatsRequest
from .output import NO_PAGE, USUAL, Output

if TYPE_CHECKING:
    from ..base.report.style import Style
    from ..lab.statistics.answer import StatsResult


WIDTH_MAX = 1000
_PLOT = "with --ministat"


@dataclass(frozen=True, slots=True)
class Plot:
    """The options of --ministat's output. width: None for the usual one."""

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
    """Options of `stats`."""

    request: StatsRequest
    plot: Annotated[Plot, Options(after="--delimiter")] = field(default_factory=Plot)
    out: Annotated[Output, NO_PAGE] = USUAL


def run(given: StatsCommand) -> int:
    from ..lab.statistics.answer import stats

    request, out, drawn = given.request, given.out, given.plot
    drawn.check(ministat=request.form == MINISTAT)
    found = stats(request)
    if out.format == "json":
        from ..lab.statistics.stats_document import Stats
        from ..tables.documents.json_output import envelope

        out.document(envelope("stats", Stats, found, found.inputs))
    else:
        out.text(_text(found, drawn if request.form == MINISTAT else None, out.style))
    return int(found.doubtful)


def _text(found: "StatsResult", plot: "Plot | None", style: "Style") -> str:
    """plot: None but for --ministat."""
    from ..lab.statistics import sheet

    remarks = sheet.remarks(found.remarks)
    parts = [sheet.schbench_text(group) for group in found.groups]
    if found.rows:
        parts.append(sheet.mmtests_text(found.rows, style))
    analysis = found.analysis
    if analysis is None:
        return "\n".join(parts) + remarks
    if plot is not None:
        texts = [
            sheet.ministat_text(
                group,
                plot.width or sheet.WIDTH,
                plot.separate_bars,
                drawn=not plot.no_plot,
                compared=not plot.rows_only,
            )
            + sheet.audits(group, style)
            for group in analysis.groups
        ]
        return "\n".join(texts) + sheet.printed_text(found.printed, style) + remarks
    text = sheet.text(analysis, style) + sheet.histograms_text(found.histograms)
    text += sheet.printed_text(found.printed, style)
    return "\n".join([*parts, text]) + remarks
