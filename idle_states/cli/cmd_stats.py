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
    from ..report.style import Style
    from ..statistics.request import StatsResult
    from .stats_options import Plot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from . import stats_options

    stats_options.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..report.documents.stats import Stats
    from ..report.documents.stats import found as composed
    from ..report.json_output import envelope
    from ..statistics.request import MINISTAT, stats
    from .options import output
    from .stats_options import plot, request

    asked, out, drawn = request(arguments), output(arguments), plot(arguments)
    found = stats(asked)
    if out.format == "json":
        body = composed(found.analysis, found.histograms, found.groups, found.rows, found.remarks)
        out.document(envelope("stats", Stats, body, found.inputs))
    else:
        out.text(_text(found, drawn if asked.form == MINISTAT else None, out.style))
    return int(found.doubtful)


def _text(found: "StatsResult", plot: "Plot | None", style: "Style") -> str:
    """plot: None but for --ministat."""
    from ..report import stats_forms, stats_ministat, stats_text

    remarks = stats_text.remarks(found.remarks)
    parts = [stats_forms.schbench_text(group) for group in found.groups]
    if found.rows:
        parts.append(stats_forms.mmtests_text(found.rows, style))
    analysis = found.analysis
    if analysis is None:
        return "\n".join(parts) + remarks
    if plot is not None:
        texts = [
            stats_ministat.text(
                group,
                plot.width or stats_ministat.WIDTH,
                plot.separate_bars,
                drawn=plot.drawn,
                compared=not plot.rows_only,
            )
            + stats_text.audits(group, style)
            for group in analysis.groups
        ]
        return "\n".join(texts) + remarks
    text = stats_text.text(analysis, style) + stats_forms.histograms_text(found.histograms)
    return "\n".join([*parts, text]) + remarks
