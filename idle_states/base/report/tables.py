"""Columns of text that fit the terminal, or the width of a page where there is none."""

import os
import sys
from collections.abc import Collection, Sequence

from .escapes.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

PAGE = 100
"""Width used for pipes and files, so that output does not depend on who reads it."""

LEAST = 20
"""Columns that lines are given however narrow the terminal."""


def width() -> int:
    """Returns the terminal's number of columns; PAGE where output does not go to one."""
    return terminal_width(sys.stdout) if sys.stdout.isatty() else PAGE


def terminal_width(stream: "TextIO") -> int:
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


def aligned(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Collection[int] | None = None,
    first: str = "  ",
    keys: int = 0,
) -> list[list[str]]:
    """Returns the lines of columns, that of the head first.

    right  numbers of right-aligned columns; None: all but the first
    first  what each line begins with
    keys   number of columns that stand before the others again where these do not fit the width
           and follow as a further list of lines; 0: all stand in one list
    """
    columns = []
    for number, cells in enumerate(zip(*map(_cells, (head, *rows)), strict=True)):
        wide = max(map(len, cells))
        to_right = number > 0 if right is None else number in right
        columns.append([cell.rjust(wide) if to_right else cell.ljust(wide) for cell in cells])
    found, begun, columns = [], columns[:keys], columns[keys:]
    while columns:
        group = [*begun, columns.pop(0)]
        while columns and not (keys and _wide([*group, columns[0]]) > width()):
            group.append(columns.pop(0))
        found.append([(first + "  ".join(row)).rstrip() for row in zip(*group, strict=True)])
    return found


def _wide(columns: Sequence[Sequence[str]]) -> int:
    return sum(len(cells[0]) + 2 for cells in columns) - 2


def _cells(row: Sequence[str]) -> list[str]:
    """Whatever comes from an input is made fit for a terminal here, so that no report forgets."""
    return [printable(cell) for cell in row]
