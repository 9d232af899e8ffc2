"""Files of benchmark results: what they hold, told by their content, and read.

samples       a number a line, or one column of several; # begins a comment
summary rows  rows below a line N Min Max Median Avg Stddev: ministat output, or a mail with it
schbench      percentile blocks, in one column or side by side
mmtests       rows of means with percent in parentheses
"""

import enum
import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from ..workload.problems import unreadable
from . import schbench
from .mmtests import Cell, Row
from .numbers import PLAIN, sample, shown
from .summary import Dataset, Summary, inconsistency

LARGEST_FILE = 256 << 20
SYMBOLS = "x+*%#@O"

_HEAD = re.compile(r"\s*N\s+Min\s+Max\s+Median\s+Avg\s+Stddev\s*")
_NAME = re.compile(rf"([{re.escape(SYMBOLS)}]) (\S.*)")
_PERCENTILE = re.compile(
    r"([0-9]{1,3}(?:\.[0-9]+)?)th:\s+([0-9]{1,10})(?!\S)(?:\s+\(([0-9]{1,20}) samples\))?"
)
_HEADING = re.compile(r"(?:^|(?<=\s))((?:[A-Z]\w* ){0,4}[A-Z]\w*) percentiles \((\w+)\)")
_EXTREMES = re.compile(r"\bmin=([0-9]{1,10}), max=([0-9]{1,10})")
_CELL = re.compile(r"(?<!\S)([0-9]+(?:\.([0-9]+))?)\s+[(*]\s*(-?[0-9]+(?:\.[0-9]+)?)%[)*]")


class Kind(enum.StrEnum):
    SAMPLES = "samples"
    ROWS = "summary rows"
    SCHBENCH = "schbench percentiles"
    MMTESTS = "an mmtests table"


@dataclass(frozen=True, slots=True)
class File:
    """One input as lines. sha256: of its bytes."""

    name: str
    lines: tuple[str, ...]
    sha256: str
    kind: Kind


def open_file(name: str) -> File:
    """- is standard input. Raises OSError, and Unreadable for a file that is too large or empty."""
    if name == "-":
        data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    else:
        with Path(name).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise unreadable(name, f"expected at most {LARGEST_FILE >> 20} MiB")
    lines = tuple(data.decode("utf-8", "backslashreplace").split("\n"))
    if not any(line.strip() for line in lines):
        raise unreadable(name, "expected samples, summary rows, schbench or mmtests output, "
                               "found nothing")  # fmt: skip
    return File(name, lines, hashlib.sha256(data).hexdigest(), _kind(lines))


def _kind(lines: tuple[str, ...]) -> Kind:
    for line in lines:
        if "th:" in line and _PERCENTILE.search(line):
            return Kind.SCHBENCH
        if "Min" in line and _HEAD.fullmatch(line):
            return Kind.ROWS
        if "%" in line and _CELL.search(line):
            return Kind.MMTESTS
    return Kind.SAMPLES


def samples(file: File, column: int = 1, delimiter: str = " \t") -> Dataset:
    """One column, from 1, of a file whose columns are parted by any of the characters."""
    values = []
    parting = re.compile(f"[{re.escape(delimiter)}]+")
    for number, line in enumerate(file.lines, 1):
        words = _words(line, parting)
        if not words:
            continue
        if len(words) < column:
            raise unreadable(file.name, f"expected {column} columns, found {len(words)}", number)
        values.append(_sample(file, number, words[column - 1]))
    return Dataset(file.name, tuple(values), None, file.name)


def named_samples(file: File, delimiter: str = " \t") -> dict[str, list[float]]:
    """Lines of a name and its samples; lines of the same name add up."""
    found: dict[str, list[float]] = {}
    parting = re.compile(f"[{re.escape(delimiter)}]+")
    for number, line in enumerate(file.lines, 1):
        words = _words(line, parting)
        if not words:
            continue
        if len(words) < 2:
            raise unreadable(
                file.name, f"expected a name and its samples, found {shown(words[0])}", number
            )
        found.setdefault(words[0], []).extend(_sample(file, number, word) for word in words[1:])
    return found


def _words(line: str, parting: re.Pattern[str]) -> list[str]:
    """Up to the first word that begins with #."""
    words = []
    for word in filter(None, (part.strip() for part in parting.split(line.rstrip()))):
        if word.startswith("#"):
            break
        words.append(word)
    return words


def _sample(file: File, number: int, word: str) -> float:
    try:
        return sample(word)
    except ValueError as error:
        raise unreadable(file.name, str(error), number) from None


def rows(file: File) -> list[Dataset]:
    """All rows below heads. A row is named as ministat's legend above has it, or by its place."""
    found: list[Dataset] = []
    legend: dict[str, str] = {}
    below = False
    for number, line in enumerate(file.lines, 1):
        words = line.split()
        if _HEAD.fullmatch(line):
            below = True
        elif below and (part := _row_words(words)) is not None:
            symbol = words[0] if len(words) > len(part) else ""
            name = legend.get(symbol) or f"{file.name}:{number}"
            found.append(Dataset(name, None, _row(file, number, part), file.name, number))
        elif match := _NAME.fullmatch(line.rstrip()):
            legend = ({} if below else legend) | {match[1]: match[2]}
            below = False
    if not found:
        raise unreadable(file.name, "expected rows below N Min Max Median Avg Stddev, found none")
    return found


def _row_words(words: list[str]) -> list[str] | None:
    """The six words of what looks like a row."""
    marked = len(words) == 7 and words[0] in SYMBOLS
    part = words[1:] if marked else words
    return part if len(part) == 6 and part[0].isdigit() and "-" not in part else None


def _row(file: File, number: int, words: list[str]) -> Summary:
    try:
        return summary_row(words)
    except ValueError as error:
        raise unreadable(file.name, str(error), number) from None


def summary_row(words: list[str]) -> Summary:
    """N, Min, Max, Median, Avg, Stddev. Raises ValueError, which says what was expected."""
    names = ("N", "Min", "Max", "Median", "Avg", "Stddev")
    if len(words) != len(names):
        raise ValueError(f"expected {','.join(names)}, found {len(words)} values")
    if not re.fullmatch(r"[0-9]{1,18}", words[0]):
        raise ValueError(f"expected N to be a whole number, found {shown(words[0])}")
    for name, word in zip(names, words, strict=True):
        if re.fullmatch(PLAIN, word) is None:
            raise ValueError(f"expected {name} to be a number, found {shown(word)}")
    low, high, median, average, stddev = (float(word) for word in words[1:])
    row = Summary(int(words[0]), low, high, median, average, stddev, stddev * stddev)
    wrong = inconsistency(row)
    if wrong is not None:
        raise ValueError(wrong)
    return row


def blocks(file: File) -> list[tuple[schbench.Block, ...]]:
    """schbench's blocks in the order of the file; those printed side by side together."""
    found: list[tuple[schbench.Block, ...]] = []
    columns: list[list[schbench.Percentile]] = []
    headings: list[tuple[str, str]] = []
    first = 0

    def close(extremes: list[tuple[int, int]]) -> None:
        nonlocal columns, headings
        if columns:
            made = []
            for number, column in enumerate(columns):
                label, unit = headings[number] if number < len(headings) else ("", "")
                low, high = extremes[number] if number < len(extremes) else (None, None)
                name = file.name if len(columns) == 1 else f"{file.name} column {number + 1}"
                made.append(schbench.Block(name, label, unit, tuple(column), low, high, first))
            found.append(tuple(made))
        columns, headings = [], []

    for number, line in enumerate(file.lines, 1):
        if headed := _HEADING.findall(line):
            close([])
            headings = headed
        elif cells := list(_PERCENTILE.finditer(line)):
            if columns and float(cells[0][1]) <= columns[0][-1].percent:
                close([])
            if not columns:
                first = number
                columns = [[] for _ in cells]
            if len(cells) != len(columns):
                raise unreadable(
                    file.name, f"expected {len(columns)} percentiles, found {len(cells)}", number
                )
            for column, cell in zip(columns, cells, strict=True):
                column.append(_percentile(file, number, cell, column))
        elif extremes := _EXTREMES.findall(line):
            close([(int(low), int(high)) for low, high in extremes])
    close([])
    return found


def _percentile(
    file: File, line: int, cell: re.Match[str], before: list[schbench.Percentile]
) -> schbench.Percentile:
    percent, value = float(cell[1]), int(cell[2])
    if not 0 < percent <= 100:
        raise unreadable(file.name, f"expected a percentile up to 100, found {cell[1]}", line)
    if before and (percent <= before[-1].percent or value < before[-1].value):
        raise unreadable(
            file.name,
            f"expected percentiles and values to rise, found {cell[1]}th: {value} after "
            f"{before[-1].percent:g}th: {before[-1].value}",
            line,
        )
    return schbench.Percentile(percent, value, None if cell[3] is None else int(cell[3]))


def table(file: File) -> list[Row]:
    """Rows of means with percent."""
    found = []
    for number, line in enumerate(file.lines, 1):
        cells = list(_CELL.finditer(line))
        if not cells:
            continue
        words = line[: cells[0].start()].split()
        label, name = (words[0], " ".join(words[1:])) if words else ("", "")
        made = tuple(Cell(float(cell[1]), len(cell[2] or ""), float(cell[3])) for cell in cells)
        found.append(Row(label, name, made, number))
    return found
