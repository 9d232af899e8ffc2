"""stats for people: rows, comparisons with the first set of a group, and what becomes of them
without the sets' maxima; the text that ministat prints, byte for byte where it has the samples;
histograms, schbench's percentiles and mmtests' tables."""

import math
from collections.abc import Sequence

from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.wording import joined, plural
from . import schbench
from .analysis import Analysis, Pair
from .comparison import Comparison, TVerdict
from .histogram import BAR, Histogram
from .ministat import SYMBOLS
from .mmtests import MeansRow, change, follows
from .percentile_blocks import BlockGroup
from .plot import plot
from .printed_histograms import PrintedHistogram
from .summary import Dataset, Summary

HEAD = ("N", "Min", "Max", "Median", "Avg", "Stddev")


def text(analysis: Analysis, style: Style) -> str:
    names = [name(dataset) for dataset in analysis.datasets]
    wide = max(len(word) for word in names)
    lines = [style("strong", f"{'':<{wide}}  {_cells(HEAD)}".rstrip())]
    for label, row in zip(names, analysis.summaries, strict=True):
        values = (row.minimum, row.maximum, row.median, row.average, row.stddev)
        cells = _cells((str(row.n), *(number_text(value, ".8g") for value in values)))
        lines.append(f"{label:<{wide}}  {cells}")
    for pair in analysis.pairs:
        lines += ["", *_pair(analysis, pair, names, style)]
    return "\n".join(lines) + "\n"


def _cells(words: tuple[str, ...]) -> str:
    return f"{words[0]:>8} " + " ".join(f"{word:>13}" for word in words[1:])


def _pair(analysis: Analysis, pair: Pair, names: list[str], style: Style) -> list[str]:
    found = pair.comparison
    reference = names[pair.reference]
    kind = "note" if found.verdict is TVerdict.NONE else "strong"
    verdict = style(kind, _verdict(found, analysis))
    lines = [
        f"{names[pair.other]} against {reference}: {verdict}",
        f"  difference   {_g(found.difference)} +/- {_g(found.error)}",
    ]
    percent = _percent(found)
    if percent:
        lines.append(f"  percent      {percent} of the average of {reference}")
    t = "none, nothing varies" if found.t is None else _g(found.t)
    chance = "" if pair.probability is None else f"; p {pair.probability:.3g}"
    lines += [
        f"  Student's t  {t}; {found.needed:.6g} needed, {found.degrees} degrees of freedom, "
        f"exact{chance}",
        f"  pooled s     {_g(found.pooled)}",
    ]
    return lines + audit_lines(analysis, pair, names, style)


def _verdict(found: Comparison, analysis: Analysis) -> str:
    level = f"at {analysis.confidence} % confidence"
    if found.verdict is TVerdict.NONE:
        return f"no difference proven {level}"
    return f"{found.verdict} {level}"


def audits(analysis: Analysis, style: Style) -> str:
    """Returns what is printed after ministat's text where an audit (--audit) was asked for."""
    names = [name(dataset) for dataset in analysis.datasets]
    lines: list[str] = []
    for pair in analysis.pairs:
        found = audit_lines(analysis, pair, names, style)
        if found:
            lines += [f"{names[pair.other]} against {names[pair.reference]}", *found]
    return "".join(f"{line}\n" for line in lines)


def audit_lines(analysis: Analysis, pair: Pair, names: list[str], style: Style) -> list[str]:
    """Returns the lines on one pair of sets without their maxima; none where none were
    asked for."""
    if not pair.again:
        return []
    lines = ["  without the one maximum of"]
    whose = (pair.reference, pair.other)
    for again in pair.again:
        sets = [whose[which] for which in again.without]
        shares = []
        for number in sets:
            reduced = analysis.reduced[number]
            assert reduced is not None
            shares.append(f"{names[number]} ({100 * reduced.share:.1f} % of its squares)")
        found = again.comparison
        if again.survives is None:
            lines.append(f"    {joined(shares)}: the rows have too few digits to tell")
            continue
        percent = f": {_percent(found)}" if _percent(found) else ""
        verdict = "no difference proven" if found.verdict is TVerdict.NONE else str(found.verdict)
        shown = verdict if again.survives else style("error", f"{verdict}, another conclusion")
        lines.append(f"    {joined(shares)}: {shown}{percent}")
    if pair.survives is None:
        lines.append("  these rows cannot show whether the conclusion survives")
    elif pair.survives:
        lines.append("  the conclusion survives")
    else:
        lines.append(style("error", "  the conclusion depends on one sample"))
    return lines


def remarks(notes: Sequence[str]) -> str:
    """Returns what was repaired to read the files, below everything else."""
    return "".join(["\n", *(f"{printable(one)}\n" for one in notes)]) if notes else ""


def _percent(found: Comparison) -> str:
    """Returns a difference and its error in percent of the reference; "" if the reference's average
    is 0 or so small that they are no finite numbers."""
    both = (found.percent, found.percent_error)
    if any(value is None or math.isinf(value) for value in both):
        return ""
    return " +/- ".join(f"{_g(value)} %" for value in both if value is not None)


def _g(value: float) -> str:
    return number_text(value)


WIDTH = 74
"""The width of the plot, when ministat does not write to a terminal."""
_MINISTAT_HEAD = "    N           Min           Max        Median           Avg        Stddev\n"


def ministat_text(
    analysis: Analysis, width: int = WIDTH, separate: bool = False, drawn: bool = True,
    compared: bool = True,
) -> str:  # fmt: skip
    """Returns ministat's text.

    drawn     with the plot, which needs samples in every set
    compared  with the comparison of each set with the first
    """
    sets, rows = analysis.datasets, analysis.summaries
    parts = [f"{SYMBOLS[i]} {name(dataset)}\n" for i, dataset in enumerate(sets, 1)]
    if drawn and compared and all(dataset.values is not None for dataset in sets):
        parts.append(plot(sets, rows, width, separate))
    parts += [_MINISTAT_HEAD, vitals(rows[0], 1)]
    for pair in analysis.pairs:
        parts.append(vitals(rows[pair.other], pair.other + 1))
        if compared:
            parts.append(_relative(analysis, pair))
    return "".join(parts)


def name(dataset: Dataset) -> str:
    return "<stdin>" if dataset.name == "-" else printable(dataset.name)


def vitals(row: Summary, number: int) -> str:
    values: Sequence[float] = (row.minimum, row.maximum, row.median, row.average, row.stddev)
    cells = " ".join(f"{number_text(value, '.8g'):>13}" for value in values)
    return f"{SYMBOLS[number]} {row.n:3d} {cells}\n"


def number_text(value: float, form: str = "g") -> str:
    """Returns a number as C's printf prints it. (Python prints no sign of NaN.)"""
    if math.isnan(value):
        return "-nan" if math.copysign(1.0, value) < 0 else "nan"
    return format(value, form)


def _relative(analysis: Analysis, pair: Pair) -> str:
    found: Comparison = pair.comparison
    level = f"{analysis.confidence:.1f}% confidence"
    if found.verdict is TVerdict.NONE:
        return f"No difference proven at {level}\n"
    percent, error = (
        (_over_nothing(found.difference), _over_nothing(found.error))
        if found.percent is None or found.percent_error is None
        else (found.percent, found.percent_error)
    )
    return (
        f"Difference at {level}\n"
        f"\t{number_text(found.difference)} +/- {number_text(found.error)}\n"
        f"\t{number_text(percent)}% +/- {number_text(error)}%\n"
        f"\t(Student's t, pooled s = {number_text(found.pooled)})\n"
    )


def _over_nothing(value: float) -> float:
    """Divided by 0, as processors do it."""
    return math.copysign(math.inf, value) if value else -math.nan


_CELL_WIDTH = 23


def histograms_text(found: Sequence[tuple[str, Histogram | None]]) -> str:
    """Returns each histogram below its set's name; "" if there are none."""
    parts = []
    for label, one in found:
        parts.append(f"\n{printable(label)}\n")
        if one is None:
            parts.append("all samples are equal\n")
        else:
            parts += [f"{line}\n" for line in histogram_lines(one)]
            parts.append(f"not in a bin: {plural(one.uncounted, 'sample')} at the maximum\n")
    return "".join(parts)


def printed_text(found: Sequence[PrintedHistogram], style: Style) -> str:
    """Returns what the bins of each printed histogram allow for its row; "" if there are none."""
    parts = []
    for one in found:
        fit = "fits its row" if not one.misfits else style("error", "does not fit its row")
        parts.append(
            f"\n{printable(one.row)}: the printed histogram {fit}\n"
            f"  {sum(each.count for each in one.bins)} samples in bins, "
            f"{plural(one.at_maximum, 'sample')} at the maximum in none\n"
        )
        for what, (low, high) in (
            ("median", one.median),
            ("average", one.average),
            ("standard deviation", one.stddev),
        ):
            parts.append(f"  {what} by the bins: {low:.8g} to {high:.8g}\n")
        parts += [style("error", f"  {misfit}") + "\n" for misfit in one.misfits]
    return "".join(parts)


def histogram_lines(found: Histogram) -> list[str]:
    """Returns a histogram's lines. Labels are aligned by the digits before the point, as in the
    document."""
    digits = len(str(int(found.bins[-1].high)))
    lines = []
    for one in found.bins:
        low = f"{one.low:{digits}.{found.decimals}f}"
        high = f"{f'{one.high:.{found.decimals}f}':<{digits}}"
        share = f"{'#' * one.bar:<{BAR}}  {one.percent:3d}% ({one.count})" if one.count else ""
        lines.append(f"{low} - {high} : {share}".rstrip())
    return lines


def schbench_text(group: BlockGroup) -> str:
    """Returns one block as schbench prints it; of several, a table with a column for each, the
    change from the first, and the buckets that values come from."""
    first = group.blocks[0]
    if len(group.blocks) == 1 and not first.line:
        return _printed(first)
    lines = [f"{first.label or 'Unnamed'} percentiles ({first.unit or 'unit not given'})"]
    lines += [f"  {number} {printable(block.name)}" for number, block in enumerate(group.blocks, 1)]
    heads = ["", *(f"{number}" for number in range(1, len(group.blocks) + 1))]
    rows = [heads]
    for at, entry in enumerate(first.percentiles):
        cells = [f"{entry.percent:g}th"]
        for number, block in enumerate(group.blocks):
            change = group.change(number, at) if number else None
            shown = _value(block.percentiles[at].value)
            cells.append(f"{shown} ({change:+.2f} %)" if change is not None else shown)
        rows.append(cells)
    if any(block.high is not None for block in group.blocks):
        rows.append(["max", *("-" if b.high is None else str(b.high) for b in group.blocks)])
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    for row in rows:
        cells = [f"{cell:>{wide}}" for cell, wide in zip(row, widths, strict=True)]
        lines.append(("  " + "  ".join(cells)).rstrip())
    if group.left_out:
        lines.append(f"  {plural(group.left_out, 'earlier block')} left out: the last one counts")
    foreign = sorted(
        {
            entry.value
            for block in group.blocks
            for entry in block.percentiles
            if not schbench.is_printed(entry.value)
        }
    )
    if foreign:
        values = ", ".join(str(value) for value in foreign)
        lines.append(f"  not the middle of a bucket, so not printed by schbench itself: {values}")
    return "\n".join(lines) + "\n"


def _value(value: int) -> str:
    """Returns a percentile's value with the bucket that it is the middle of."""
    first, last = schbench.bounds(schbench.bucket(value))
    return str(value) if first == last else f"{value} [{first}..{last}]"


def _printed(block: schbench.Block) -> str:
    lines = [f"{block.label} percentiles ({block.unit})"]
    for entry in block.percentiles:
        star = "*" if entry.percent == schbench.STARRED else ""
        lines.append(f"\t{star}{entry.percent:.1f}th: {entry.value}")
    lines.append(f"\tmin={block.low}, max={block.high}")
    return "\n".join(lines) + "\n"


def mmtests_text(rows: Sequence[MeansRow], style: Style) -> str:
    """Returns mmtests' table with percentages computed from the means, and below it the printed
    ones that do not follow from the means."""
    wide = max(len(row.name) for row in rows)
    lines, wrong = [], []
    heads: tuple[tuple[str, ...], ...] = ()
    for row in rows:
        if row.heads != heads:
            heads = row.heads
            for head in heads:
                names = " ".join(f"{word:>{_CELL_WIDTH}}" for word in head)
                lines.append(printable(f"{'':<9} {'':<{wide}} {names}"))
        cells = " ".join(_cell(row, number) for number in range(len(row.cells)))
        lines.append(printable(f"{row.label:<9} {row.name:<{wide}} {cells}"))
        for number, cell in enumerate(row.cells):
            if follows(row, number) is False:
                wrong.append(
                    f"line {row.line}: {row.label} {row.name}: {cell.printed:.2f}% is printed, "
                    f"the means give {_share(change(row, number)).strip()}"
                )
    if wrong:
        lines += ["", *(style("error", printable(line)) for line in wrong)]
    return "\n".join(lines) + "\n"


def _cell(row: MeansRow, number: int) -> str:
    cell = row.cells[number]
    printed = cell.printed is not None and follows(row, number) is not False
    shown = _share(cell.printed if printed else change(row, number))
    decimals = 2 if cell.decimals is None else cell.decimals
    value = "nan" if cell.value is None else f"{cell.value:.{decimals}f}"
    return f"{value:>12} *{shown}*" if cell.significant else f"{value:>12} ({shown})"


def _share(value: float | None) -> str:
    return "      -%" if value is None else f"{value:7.2f}%"
