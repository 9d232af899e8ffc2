"""The text ministat prints, byte for byte where it has the samples."""

import math
from collections.abc import Sequence

from ...base.report.escapes.text import printable
from .analysis import Analysis, Pair
from .comparison import Comparison, TVerdict
from .ministat import SYMBOLS
from .plot import plot
from .summary import Dataset, Summary

WIDTH = 74
"""Of the plot, when ministat does not write to a terminal."""
HEAD = "    N           Min           Max        Median           Avg        Stddev\n"


def text(
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
    parts += [HEAD, vitals(rows[0], 1)]
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
