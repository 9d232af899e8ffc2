"""Tables of means with percent, in the form of mmtests' comparisons.

    Hmean     mb/sec-1       287.54 (   0.00%)      817.01 * 184.14%*

A percent is 100 * (new - old) / old; where lower is better, mmtests reverses the sign. Asterisks
mark what mmtests found significant. A missing result is nan, or 0 with 0.00%.
"""

import math
import re
import statistics
from collections.abc import Sequence
from functools import cached_property

from ...base.dataclass import dataclass
from ...base.model.findings import unreadable
from .files import ResultsFile
from .numbers import shown

_CELL = re.compile(
    r"(?<!\S)([-+]?(?:[0-9][\w.,+-]*|nan|inf))\s+([(*])\s*([-+\w.,]+)%[)*]", re.IGNORECASE
)
_FIGURE = re.compile(r"[-+]?[0-9]{1,40}(?:\.([0-9]{1,40}))?")
_NOTHING = re.compile(r"[-+]?0+(?:\.0*)?|nan", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cell:
    """value        a mean, as printed or computed; None if missing
    decimals     number of decimals printed; None if computed
    printed      the percent beside the mean; None if there is none
    significant  as marked in the table; None if computed
    """

    value: float | None
    decimals: int | None = None
    printed: float | None = None
    significant: bool | None = None


@dataclass(frozen=True)
class MeansRow:
    """label: "Hmean", "Amean", ...; cells: the first is the baseline; line: in the file, or 0.

    heads            lines of names above the columns
    lower_is_better  for a computed row; a printed row shows it by the signs of its percents
    """

    label: str
    name: str
    cells: tuple[Cell, ...]
    line: int = 0
    heads: tuple[tuple[str, ...], ...] = ()
    lower_is_better: bool = False

    @cached_property
    def sense(self) -> int:
        """1 if more is better, -1 if less: the sign with which more of the row's printed percents
        follow from its means; on a tie, the sign with which the first of them follows."""

        def misfits(sign: int) -> tuple[int, list[bool]]:
            wrong = [_fits(self, number, sign) is False for number in range(len(self.cells))]
            return sum(wrong), wrong

        return -1 if self.lower_is_better else min((1, -1), key=misfits)


def percent(old: float, new: float) -> float | None:
    """Returns the change in percent; None if old is 0, or so small that the result overflows."""
    change = 100 * (new - old) / old if old else math.inf
    return change if math.isfinite(change) else None


def change(row: MeansRow, number: int) -> float | None:
    """Returns the percent of a cell by the means, positive for better; None if a mean is missing or
    the percent is undefined."""
    old, new = row.cells[0].value, row.cells[number].value
    if old is None or new is None or _missing(row, number):
        return None
    found = percent(old, new)
    # adding 0 turns -0.0 into 0.0
    return None if found is None else row.sense * found + 0.0


def follows(row: MeansRow, number: int) -> bool | None:
    """Tells whether the percent printed beside a cell follows from the printed means, with the
    row's sign and within the rounding; None if it cannot be judged."""
    return _fits(row, number, row.sense)


def _missing(row: MeansRow, number: int) -> bool:
    cell = row.cells[number]
    return number > 0 and cell.value == 0 and cell.printed == 0


def _fits(row: MeansRow, number: int, sign: int) -> bool | None:
    old, new = row.cells[0], row.cells[number]
    if not old.value or new.value is None or new.printed is None or _missing(row, number):
        return None
    if old.printed:
        # a change itself: what it is compared with stands without a percentage, and is not read
        return None
    if old.decimals is None or new.decimals is None:
        return None
    half_old, half_new = 0.5 * 10.0**-old.decimals, 0.5 * 10.0**-new.decimals
    by_means = percent(old.value, new.value)
    assert by_means is not None
    ratio = new.value / old.value
    slack = 100 * (half_new + abs(ratio) * half_old) / max(abs(old.value) - half_old, math.ulp(1.0))
    # the percent itself is printed with two decimals
    return abs(new.printed - sign * by_means) <= slack + 0.005 + 1e-9


def cells(line: str) -> list[re.Match[str]]:
    """Returns the parts of a line that look like the cells of a row; none for a sentence."""
    found = list(_CELL.finditer(line)) if "%" in line else []
    if not found:
        return []
    begin = found[0].start()
    together = len(found) > 1 and not _CELL.sub("", line[begin:]).strip()
    is_row = together or not line[:begin].strip() or _NOTHING.fullmatch(found[0][3])
    return found if is_row else []


def table(file: ResultsFile) -> list[MeansRow]:
    """Returns rows of means with percent. Raises Unreadable for a row whose columns differ from
    those of the row above."""
    found: list[MeansRow] = []
    above: list[str] = []
    heads: tuple[tuple[str, ...], ...] = ()
    beside = False
    for number, line in enumerate(file.lines, 1):
        parts = cells(line)
        if not parts:
            above = [*above[-1:], line] if line[:1].isspace() and line.strip() else []
            beside = False
            continue
        try:
            label, name, made = _row(line, parts)
        except ValueError as error:
            raise unreadable(file.name, str(error), number) from None
        if beside and len(made) != len(found[-1].cells):
            message = f"expected {len(found[-1].cells)} means as in the row above"
            raise unreadable(file.name, f"{message}, found {len(made)}", number)
        if not beside:
            heads = tuple(words for head in above if len(words := (*head.split(),)) == len(made))
        found.append(MeansRow(label, name, made, number, heads))
        above, beside = [], True
    return found


def _row(line: str, parts: list[re.Match[str]]) -> tuple[str, str, tuple[Cell, ...]]:
    """Parses a row. Raises ValueError with what was expected."""
    label, *name = line[: parts[0].start()].split() or [""]
    if not label:
        raise ValueError(f"expected a label before the means, found {shown(line.strip())}")
    rest = _CELL.sub("", line[parts[0].start() :]).strip()
    if rest:
        raise ValueError(f"expected means with percent, found {shown(rest)}")
    return label, " ".join(name), tuple(_cell(part) for part in parts)


def _cell(part: re.Match[str]) -> Cell:
    value, decimals = _figure(part[1])
    printed, _ = _figure(part[3])
    if value is not None and value < 0:
        raise ValueError(f"expected a mean of 0 or more, found {shown(part[1])}")
    return Cell(value, decimals, printed, part[2] == "*")


def _figure(text: str) -> tuple[float | None, int]:
    """Returns a number and its decimals; None for nan."""
    if text.lower() == "nan":
        return None, 0
    found = _FIGURE.fullmatch(text)
    if found is None:
        raise ValueError(f"expected a mean or percent such as 287.54, found {shown(text)}")
    return float(text), len(found[1] or "")


def mean(label: str, values: Sequence[float]) -> float:
    """Returns the harmonic mean for Hmean (for rates), the arithmetic mean for Amean."""
    return statistics.harmonic_mean(values) if label == "Hmean" else statistics.fmean(values)


def joined(
    files: Sequence[tuple[str, dict[str, list[float]]]], label: str, lower_is_better: bool = False
) -> list[MeansRow]:
    """Returns rows of means of several files, each given with its name -> samples; the first file
    is the baseline. Raises Unreadable for a file whose names differ from the first one's."""
    first_file, first = files[0]
    for file, own in files[1:]:
        for name in [*first, *own]:
            if name not in own or name not in first:
                lacking, having = (file, first_file) if name in first else (first_file, file)
                raise unreadable(lacking, f"expected samples of {name!r} as in {having}")
    found = []
    for name in first:
        means = tuple(Cell(mean(label, own[name])) for _, own in files)
        found.append(MeansRow(label, name, means, lower_is_better=lower_is_better))
    return found
