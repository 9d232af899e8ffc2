"""Histograms, schbench's percentiles and mmtests' tables as text."""

from collections.abc import Sequence

from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.wording import plural
from . import schbench
from .histogram import BAR, Histogram
from .mmtests import MeansRow, change, follows
from .percentile_blocks import BlockGroup

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
                    f"the means give {_percent(change(row, number)).strip()}"
                )
    if wrong:
        lines += ["", *(style("error", printable(line)) for line in wrong)]
    return "\n".join(lines) + "\n"


def _cell(row: MeansRow, number: int) -> str:
    cell = row.cells[number]
    printed = cell.printed is not None and follows(row, number) is not False
    shown = _percent(cell.printed if printed else change(row, number))
    decimals = 2 if cell.decimals is None else cell.decimals
    value = "nan" if cell.value is None else f"{cell.value:.{decimals}f}"
    return f"{value:>12} *{shown}*" if cell.significant else f"{value:>12} ({shown})"


def _percent(value: float | None) -> str:
    return "      -%" if value is None else f"{value:7.2f}%"
