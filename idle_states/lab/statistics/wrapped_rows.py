"""Joins summary rows again that a mailer broke over several lines.

    101      5.095113      5.595269      5.204842     5.
    2298776    0.
    10762713

A row has six figures that agree with each other (the average lies between minimum and maximum, and
so on). Of all ways to join its parts, one is taken only if it alone gives such a row.
"""

import itertools
import re
from collections.abc import Sequence

from .summary_rows import FIGURES, SYMBOLS, is_head, summary_row

_PARTS = 6
"""A row has no more parts than figures, but for those within a figure."""
_FIGURES = re.compile(r"\s*(?:[x+*%#@O]\s+)?[0-9][0-9.eE+-]*(?:\s+[0-9.][0-9.eE+-]*)*\s*")


def rejoined(lines: Sequence[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The lines with rows whole again, and the numbers of those rows, from 1. A row stands in its
    first line, the others are left empty, so that all keep their numbers."""
    found = list(lines)
    repaired = []
    below = False
    for at, line in enumerate(found):
        if is_head(line):
            below = True
        elif below and _FIGURES.fullmatch(line) and _seems_cut(line):
            whole = _whole(found, at)
            if whole is not None:
                found[at], end = whole
                found[at + 1 : end] = [""] * (end - at - 1)
                repaired.append(at + 1)
    return tuple(found), tuple(repaired)


def _whole(lines: Sequence[str], at: int) -> tuple[str, int] | None:
    """The row that begins at lines[at], and the index of the line after it. None if there is none,
    or more than one way to make it."""
    ways = {" ".join(lines[at].split()): at + 1} if _is_row(lines[at]) else {}
    end = at + 1
    while end < len(lines) and end - at < _PARTS and _FIGURES.fullmatch(lines[end]):
        end += 1
        parts = lines[at:end]
        for glue in itertools.product(("", " "), repeat=len(parts) - 1):
            row = parts[0] + "".join(g + p for g, p in zip(glue, parts[1:], strict=True))
            if _is_row(row):
                ways.setdefault(" ".join(row.split()), end)
    return next(iter(ways.items())) if len(ways) == 1 else None


def _seems_cut(line: str) -> bool:
    figures = _figures(line)
    return len(figures) < len(FIGURES) or (
        len(figures) == len(FIGURES) and (line.rstrip().endswith(".") or not _is_row(line))
    )


def _is_row(text: str) -> bool:
    try:
        summary_row(_figures(text))
    except ValueError:
        return False
    return True


def _figures(text: str) -> list[str]:
    words = text.split()
    return words[1:] if words and words[0] in SYMBOLS else words
