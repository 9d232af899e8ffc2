"""Tables of means with percent, in the form of mmtests' comparisons.

    Hmean     mb/sec-1       287.54 (   0.00%)      817.01 ( 184.14%)

A percent is 100 * (new - old) / old; for what is better when it is lower, mmtests turns the sign.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ..workload.problems import unreadable


@dataclass(frozen=True, slots=True)
class Cell:
    """value    a mean, as printed or computed
    decimals  it was printed with, None if computed
    printed   the percent beside it, None if there was none
    """

    value: float
    decimals: int | None = None
    printed: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """label "Hmean", "Amean", ...; cells: the first is the baseline. line: in its file, or 0."""

    label: str
    name: str
    cells: tuple[Cell, ...]
    line: int = 0


def percent(old: float, new: float, lower_is_better: bool = False) -> float | None:
    """None if old is 0."""
    if old == 0:
        return None
    change = 100 * (new - old) / old
    return -change if lower_is_better else change


def mean(label: str, values: Sequence[float]) -> float:
    """label: Hmean, the harmonic one, for rates; Amean, the arithmetic one."""
    return statistics.harmonic_mean(values) if label == "Hmean" else statistics.fmean(values)


def joined(files: Sequence[tuple[str, dict[str, list[float]]]], label: str) -> list[Row]:
    """Rows of means from files, each with its name -> samples; the first file is the baseline.
    Raises Unreadable for a file whose names are not the first one's."""
    first_file, first = files[0]
    for file, own in files[1:]:
        for name in [*first, *own]:
            if name not in own or name not in first:
                lacking, having = (file, first_file) if name in first else (first_file, file)
                raise unreadable(lacking, f"expected samples of {name!r} as in {having}")
    return [
        Row(label, name, tuple(Cell(mean(label, own[name])) for _, own in files)) for name in first
    ]


def follows(row: Row, number: int) -> bool | None:
    """The percent printed beside a cell follows from the printed means, in either sense of
    better, as far as their rounding tells. None if there is nothing to judge."""
    old, new = row.cells[0], row.cells[number]
    if new.printed is None or old.value == 0:
        return None
    if old.decimals is None or new.decimals is None:
        return None
    half_old, half_new = 0.5 * 10.0**-old.decimals, 0.5 * 10.0**-new.decimals
    change = percent(old.value, new.value)
    assert change is not None
    ratio = new.value / old.value
    slack = 100 * (half_new + abs(ratio) * half_old) / max(abs(old.value) - half_old, math.ulp(1.0))
    # the percent itself is printed with two decimals
    return any(abs(new.printed - sign * change) <= slack + 0.005 + 1e-9 for sign in (1, -1))
