"""A sheet as text, for terminals and files."""

from collections.abc import Iterator

from . import tables
from .escapes.text import printable
from .sheet import (
    NO_NUMBERS,
    Cell,
    Line,
    Lines,
    Marked,
    Part,
    Picture,
    Rows,
    Section,
    Sheet,
    Worded,
)
from .style import Style


def text(sheet: Sheet, style: Style) -> str:
    """Returns the whole text: a block for each section, with an empty line between them."""
    blocks = [_block(Section("", sheet.about.parts), style)]
    blocks += [_block(section, style) for section in sheet.sections]
    return "\n".join(filter(None, blocks))


def _block(section: Section, style: Style) -> str:
    title = _plain(section.title)
    body = "".join(line for part in section.parts for line in _part(part, style))
    if not title or (section.parts and not body):
        return body
    return f"{style('strong', title)}\n{body}"


def _part(part: Part | None, style: Style) -> Iterator[str]:
    if isinstance(part, Lines):
        yield from _lines(part, style)
    elif isinstance(part, Picture):
        yield from _part(part.told, style)
    elif part is not None:
        yield _table(part, style)


def _lines(part: Lines, style: Style) -> Iterator[str]:
    for line in filter(_plain, part.lines):
        if part.further is None:
            yield f"{part.first}{_styled(line, style)}\n"
        else:
            yield from (
                f"{one}\n" for one in tables.wrapped(_plain(line), part.first, part.further)
            )


def _table(part: Rows, style: Style) -> str:
    head = [_plain(cell) for cell in part.head]
    rows = [[_plain(cell) for cell in row] for row in part.rows]
    if part.numbers == NO_NUMBERS:
        return tables.columns(head, rows)
    first, *lines = tables.right_aligned(head, rows).splitlines()
    marked = [_ending(line, row[-1], style) for line, row in zip(lines, part.rows, strict=True)]
    return "".join(f"{line}\n" for line in (first, *marked))


def _ending(line: str, cell: Cell, style: Style) -> str:
    """A row's line with its last cell as it is shown."""
    words = _plain(cell)
    return line[: len(line) - len(words)] + _styled(cell, style)


def _styled(line: Line, style: Style) -> str:
    if isinstance(line, tuple):
        return "".join(_styled(cell, style) for cell in line)
    return style(line.kind, _plain(line)) if isinstance(line, Marked) else _plain(line)


def _plain(line: Line) -> str:
    if isinstance(line, tuple):
        return "".join(map(_plain, line))
    if isinstance(line, Worded):
        return printable(line.text)
    return printable(line.words if isinstance(line, Marked) else line)
