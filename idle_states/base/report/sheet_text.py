"""A sheet as text, for terminals and files."""

from collections.abc import Iterator

from ..dataclass import replace
from . import tables
from .escapes.text import printable, printable_lines
from .sheet import (
    NO_NUMBERS,
    Cell,
    Either,
    FindingsPart,
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
    blocks = [block(Section("", sheet.about.parts), style)]
    blocks += [block(section, style) for section in sheet.sections]
    return "\n".join(filter(None, blocks))


def block(section: Section, style: Style) -> str:
    """Returns the text of a section; "" where it has nothing to show."""
    title = _title(section.title, style)
    body = "".join(line for part in section.parts for line in _part(part, style))
    return body if section.parts and not body else title + body


def _title(title: Line, style: Style) -> str:
    """A title's lines, strong if it does not say how each of its cells is shown."""
    words = _plain(title)
    if not words:
        return ""
    lines = words.split("\n")
    shown = [style("strong", line) for line in lines]
    return "\n".join([_styled(title, style)] if isinstance(title, tuple) else shown) + "\n"


def _part(part: Part | None, style: Style) -> Iterator[str]:
    if isinstance(part, Lines):
        yield from _lines(part, style)
    elif isinstance(part, Picture):
        yield from _part(part.text, style)
    elif isinstance(part, Either):
        yield from (line for each in part.text for line in _part(each, style))
    elif isinstance(part, FindingsPart):
        from .findings_text import render

        if lines := render(part.findings, part.texts, style, notes=part.notes):
            yield lines.rstrip("\n") + "\n"
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
    if part.between is not None:
        return part.between.join(_groups(part, style))
    head = [_headed(cell) for cell in part.head]
    rows = [[_plain(cell) for cell in row] for row in part.rows]
    if part.numbers == NO_NUMBERS and part.right is None:
        first = part.first or ""
        return "".join(
            f"{first}{line}".rstrip() + "\n" for line in tables.columns(head, rows).splitlines()
        )
    blocks = []
    indent = "  " if part.first is None else part.first
    for first, *lines in tables.aligned(head, rows, part.right, indent, part.keys):
        shown = [_ending(line, row[-1], style) for line, row in zip(lines, part.rows, strict=True)]
        if isinstance(part.head[0], Marked):
            first = style(part.head[0].kind, first)
        blocks.append("".join(f"{line}\n" for line in ([first] if any(head) else []) + shown))
    return "\n".join(blocks)


def _groups(part: Rows, style: Style) -> Iterator[str]:
    """Blocks of rows without their first cell, which stands above them."""
    groups: list[tuple[Line, list[tuple[Line, ...]]]] = []
    for title, *cells in part.rows:
        if _plain(title) or not groups:
            groups.append((title, []))
        groups[-1][1].append((*cells,))
    for title, rows in groups:
        below = replace(part, head=part.head[1:], rows=tuple(rows), between=None)
        above = _title(title, style).splitlines()
        yield "".join(f"{(part.first or '')[2:]}{line}\n" for line in above) + _table(below, style)


def _headed(cell: Cell) -> str:
    """A column's head in capitals, without its unit."""
    if isinstance(cell, Worded):
        return _plain(cell)
    words, comma, unit = _plain(cell).partition(", ")
    return words.upper() + comma + unit


def _ending(line: str, cell: Line, style: Style) -> str:
    """A row's line with its last cell as it is shown."""
    if not isinstance(cell, Marked):
        return line
    return line[: len(line) - len(_plain(cell))] + _styled(cell, style)


def _styled(line: Line, style: Style) -> str:
    if isinstance(line, tuple):
        return "".join(_styled(cell, style) for cell in line)
    return style(line.kind, _plain(line)) if isinstance(line, Marked) else _plain(line)


def _plain(line: Line) -> str:
    if isinstance(line, tuple):
        return "".join(map(_plain, line))
    if isinstance(line, Worded):
        return printable_lines(line.text)
    return printable(line.words if isinstance(line, Marked) else str(line))
