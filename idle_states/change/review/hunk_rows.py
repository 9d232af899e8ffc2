"""Reads the rows of C tables from one side of a hunk, which may begin or end within a table."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass
from ...base.patterns import pattern
from ...base.reading.c.initialiser import elements
from ...base.reading.c.lexer import (
    COMMENT,
    QUOTED_CHARACTER,
    QUOTED_STRING,
    SIGN,
    Token,
    UnsupportedC,
    blanks,
    tokens,
)
from ...base.reading.patch.unified import HunkLine

BEGUN_COMMENT = pattern(r"\A(?:(?!/\*).)*?\*/", re.DOTALL)
"""The end of a comment that begins before a text."""
_NO_CODE = pattern(rf"({QUOTED_STRING}|{QUOTED_CHARACTER})|{COMMENT}", re.DOTALL)
_DIRECTIVE = pattern(r"^[ \t]*#.*", re.MULTILINE)
_NAME = pattern(r'\s*"((?:[^"\\]|\\.)*)"')
_OPEN, _CLOSE, _CUT = Token(SIGN, "{"), Token(SIGN, "}"), Token(SIGN, "")


@dataclass(frozen=True, slots=True)
class ShownRow:
    """name         "" where it is not shown
    members      name of a member -> (its line, its text up to the comma)
    start, end   where its text, without its braces, stands in that of the hunk's side
    is_whole     whether its end is shown
    """

    name: str
    members: Mapping[str, tuple[int, str]]
    start: int = 0
    end: int = 0
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class TablePart:
    """The rows of a table, or what may be rows, from start to end of a side's text.

    table   its name; "" where the part is of none that is known
    opened  where the name is declared; None if not there
    closed  whether the end of the table is shown
    """

    table: str
    start: int
    end: int
    opened: int | None = None
    closed: bool = False


class HunkSide:
    """One side of a hunk.

    first    number of its first line
    section  the line that opens the part of the file it lies in
    text     its lines
    shown    these without comments, each character in its place
    """

    def __init__(self, lines: Sequence[HunkLine], first: int, section: str) -> None:
        self.lines = lines
        self.first = first
        self._section = section
        self.text = "\n".join(line.text for line in lines)
        text = BEGUN_COMMENT.sub(lambda match: blanks(match[0]), self.text)
        self.shown = _NO_CODE.sub(lambda match: match[1] or blanks(match[0]), text)
        self._code = _DIRECTIVE.sub(lambda match: blanks(match[0]), self.shown)
        self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]

    @property
    def numbered(self) -> Iterator[tuple[int, HunkLine]]:
        """Yields the lines with their numbers."""
        return enumerate(self.lines, self.first)

    def line_at(self, offset: int) -> int:
        return self.first + bisect_right(self._starts, offset) - 1

    def parts(self, boundary: re.Pattern[str], declared: re.Pattern[str]) -> Iterator[TablePart]:
        """Yields the parts of the side. boundary: where a table begins, with its name as the group
        `table`, or ends; declared: the same of the section's line, which is cut short."""
        named = declared.search(self._section)
        table = named["table"] if named else ""
        start, opened = 0, None
        for match in boundary.finditer(self._code):
            yield TablePart(table, start, match.start(), opened, not match["table"])
            table, start = match["table"] or "", match.end()
            opened = match.start() if table else None
        yield TablePart(table, start, len(self._code), opened)

    def rows(self, part: TablePart) -> Iterator[ShownRow]:
        """Yields the rows of a part, each with the members that it shows in full."""
        row: list[Token] = []
        depth = whole = 0
        start = -1
        for token in (*tokens(self._code, part.start, part.end), _CUT):
            if token is _CUT:
                # the value that the hunk cuts off is not known
                row = row[:whole]
            if token is _CUT or (depth == 0 and token.text in ("{", "}")):
                members = {
                    name: (self.line_at(span[0]), self._code[slice(*span)])
                    for name, span in _members(row)
                }
                match = _NAME.match(members["name"][1]) if "name" in members else None
                if members:
                    name = match[1] if match else ""
                    yield ShownRow(name, members, start, token.start, token.text == "}")
                row, depth, whole, start = [], 0, 0, token.end
            elif row or token.text == ".":
                # the first row may begin before the hunk
                start = token.start if start < 0 else start
                depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
                row.append(token)
                if depth == 0 and token.text == ",":
                    whole = len(row)


def _members(row: Sequence[Token]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Name, and the value's start and end, of each member that the tokens of a row name."""
    try:
        found = elements([_OPEN, *row, _CLOSE], _no_index)
    except UnsupportedC:
        return
    for each in found:
        value = [token for token in each.value if isinstance(token, Token)]
        if len(each.path) == 1 and value:
            yield str(each.path[0]), (value[0].start, value[-1].end)


def _no_index(index: Sequence[Token], before: Token) -> int:
    raise UnsupportedC("expected a member by its name, found an index", before.start, before.end)
