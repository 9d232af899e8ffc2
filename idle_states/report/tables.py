"""Columns of text that fit the terminal, or the width of a page where there is none."""

import shutil
import textwrap
from collections.abc import Sequence

from .escapes.text import printable

PAGE = 100
"""Width used for pipes and files, so that output does not depend on who reads it."""


def width() -> int:
    """Returns the terminal's number of columns; PAGE where output does not go to one."""
    import sys

    return shutil.get_terminal_size((PAGE, 24)).columns if sys.stdout.isatty() else PAGE


def columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns lines of left-aligned columns. The last column is wrapped to the width, with an
    indent."""
    everything = [_cells(row) for row in (head, *rows)]
    widths = [max(len(row[i]) for row in everything) for i in range(len(head) - 1)]
    indent = sum(widths) + 2 * len(widths)
    room = max(20, width() - indent)
    lines = []
    for row in everything:
        first = "".join(f"{cell:<{wide}}  " for cell, wide in zip(row, widths, strict=False))
        wrapped = textwrap.wrap(row[-1], room) or [""]
        lines.append((first + wrapped[0]).rstrip())
        lines += [" " * indent + line for line in wrapped[1:]]
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
