"""Columns of text that fit the terminal, or the width of a page where there is none."""

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from .escapes.text import printable

PAGE = 100
"""Width used for pipes and files, so that output does not depend on who reads it."""

LEAST = 20
"""Columns that lines are given however narrow the terminal."""


def width() -> int:
    """Returns the terminal's number of columns; PAGE where output does not go to one."""
    return terminal_width(sys.stdout) if sys.stdout.isatty() else PAGE


def terminal_width(stream: TextIO) -> int:
    """Number of columns of the terminal that a stream goes to: COLUMNS if it is set."""
    try:
        found = int(os.environ.get("COLUMNS", "0"))
    except ValueError:
        found = 0
    if found <= 0:
        try:
            found = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):
            found = 0
    return max(found or PAGE, LEAST)


def wrapped(text: str, first: str = "", further: str = "", *, room: int | None = None) -> list[str]:
    """The lines of a paragraph, in width() columns or `room`; no word is broken. first, further:
    what they begin with."""
    import textwrap

    return textwrap.wrap(
        text,
        max(width() if room is None else room, LEAST),
        initial_indent=first,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns lines of left-aligned columns. The last column is wrapped to the width, with an
    indent."""
    everything = [_cells(row) for row in (head, *rows)]
    widths = [max(len(row[i]) for row in everything) for i in range(len(head) - 1)]
    indent = sum(widths) + 2 * len(widths)
    room = width() - indent
    lines = []
    for row in everything:
        first = "".join(f"{cell:<{wide}}  " for cell, wide in zip(row, widths, strict=False))
        last, *more = wrapped(row[-1], room=room) or [""]
        lines.append((first + last).rstrip())
        lines += [" " * indent + line for line in more]
    return "\n".join(lines) + "\n"


def right_aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns indented lines of columns, the first left-aligned, the others right-aligned."""
    everything = [_cells(row) for row in (head, *rows)]
    widths = [max(len(row[i]) for row in everything) for i in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(wide) if place == 0 else cell.rjust(wide)
            for place, (cell, wide) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in everything
    ]
    return "".join(f"  {line}\n" for line in lines)


def _cells(row: Sequence[str]) -> list[str]:
    """Whatever comes from an input is made fit for a terminal here, so that no report forgets."""
    return [printable(cell) for cell in row]
