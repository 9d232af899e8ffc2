"""A C source as an editor sees it: the tables' values beside the places of their text."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property

from ....base.dataclass import dataclass
from ....base.model.table import Flag, IdleTable
from ....base.patterns import pattern
from ....base.reading.c.expression import evaluate
from ....base.reading.c.lexer import COMMENT, QUOTED_STRING, Token, UnsupportedC, tokens
from ....base.reading.c.preprocess import Preprocessed
from .. import c_table
from ..c_table.builtin import FLAG_NAMES, preprocess
from ..c_table.structure import Array, CRow, Span, StructMembers, arrays, layout, rows

_FIRMWARE_MACRO = pattern(r"(?:OPAL|IDLE)_\w+|PPC_BIT(?:MASK)?")
"""Names that stand for a bit or a field wherever they are used."""
_COMMENT = pattern(rf"({QUOTED_STRING})|(?<![ \t])([ \t]*+)({COMMENT})", re.DOTALL)


class EditRefused(Exception):
    """An edit that this text does not take. message: why; start, end: place in the text."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


def made_by_macro(place: Span, what: str) -> EditRefused:
    """Returns the refusal of an edit of what a macro makes. what: a row, or a field of one."""
    message = f"expected a {what} that stands in the table, found one that the macro {place.macro}"
    return EditRefused(f"{message} makes; change it by hand", place.start, place.end)


@dataclass(frozen=True, slots=True)
class TableText:
    """A table and where its text is; rows[i] is the text of table.states[i]."""

    table: IdleTable
    array: Array
    rows: tuple[CRow, ...]


class SourceText:
    """A C source that can be read.

    defines  macros of the tree's headers, see `c_table.read`; empty where they are not at hand
    Raises Unreadable (IS932).
    """

    def __init__(self, text: str, file: str, defines: Mapping[str, str] | None = None) -> None:
        self.text = text
        self.file = file
        self.defines = dict(defines or {})
        found = c_table.read(text, file, defines=self.defines)
        self.clean: Preprocessed = preprocess(text, self.defines)
        self.struct: StructMembers = layout(self.clean)
        problems: list[UnsupportedC] = []
        self.tables: dict[str, TableText] = {}
        for table, array in zip(found, arrays(self.clean, problems), strict=True):
            where = tuple(rows(self.clean, array, self.struct, problems))
            self.tables.setdefault(table.name, TableText(table, array, where))
        assert not problems, "c_table.read has reported them"

    def with_text(self, text: str) -> "SourceText":
        return SourceText(text, self.file, self.defines)

    @cached_property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def has_member(self, member: str) -> bool:
        """Returns whether the struct has the member, as far as this file tells."""
        if not self.struct.assumed:
            return member in self.struct.members
        return any(
            member in row.members for table in self.tables.values() for row in table.rows
        ) or not any(table.rows for table in self.tables.values())

    def value(self, text: str, at: int) -> int | None:
        """Returns the value that a compiler would give the expression `text` at offset `at`; None
        if it is not constant."""
        try:
            expanded = self.clean.expanded(tokens(text), at)
            return evaluate(expanded, 0, len(text)).value
        except UnsupportedC:
            return None

    def knows(self, macro: str) -> bool:
        """Returns whether the tree defines the macro. Where its headers are not at hand: whether
        skiboot usually does."""
        if not self.defines:
            return self.clean.definitions.lookup(macro, len(self.text)) is not None
        return macro in self._own_macros or any(
            head.partition("(")[0] == macro for head in self.defines
        )

    @cached_property
    def _own_macros(self) -> set[str]:
        return {macro.name for macro in self.clean.definitions.own()}

    def foreign_macros(self, text: str, at: int) -> list[str]:
        """Returns the macros in a value at offset `at` that name neither a flag nor a register
        field."""
        return [
            token.text
            for token in tokens(text)
            if token.kind == "name"
            and not _FIRMWARE_MACRO.fullmatch(token.text)
            and self.clean.definitions.lookup(token.text, at) is not None
        ]

    def uses(self, macro: str) -> int:
        """Returns how often the tables of the file use a macro."""
        return sum(
            token.text == macro
            for table in self.tables.values()
            for token in tokens(
                self.clean.code, table.array.initialiser.start, table.array.initialiser.end
            )
        )

    @cached_property
    def flag_names(self) -> dict[int, str]:
        """Returns, for each flag bit, the macro that rows of the file use for it, else skiboot's
        newest name; bits without a name are left out."""
        counts: dict[int, Counter[str]] = {}
        for name, count in Counter(self._names_in_flags()).items():
            value = self.value(name, len(self.text))
            if value is not None and value > 0 and value & (value - 1) == 0:
                counts.setdefault(value, Counter())[name] = count
        names = {int(flag): FLAG_NAMES[flag] for flag in Flag if self.knows(FLAG_NAMES[flag])}
        return names | {bit: found.most_common(1)[0][0] for bit, found in counts.items()}

    def _names_in_flags(self) -> Iterator[str]:
        for table in self.tables.values():
            for row in table.rows:
                if span := row.members.get("flags"):
                    yield from (
                        token.text
                        for token in tokens(self.clean.code, span.start, span.end)
                        if token.kind == "name" and _FIRMWARE_MACRO.fullmatch(token.text)
                    )


def without_comments(text: str) -> str:
    """Returns the text of a value or row without its comments and the blanks before them."""

    def left(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        if match[3].endswith("\r"):
            return "\r"
        following = text[match.end() : match.end() + 1]
        return "" if not following or following in " \t\r\n,;)}" else " "

    return _COMMENT.sub(left, text)


def comments_in(text: str) -> list[str]:
    """Returns the comments in a text, each as a block comment, so that code may follow on
    its line."""
    found = [match[3] for match in _COMMENT.finditer(text) if match[3]]
    return [
        f"/* {comment[2:].strip()} */" if comment.startswith("//") else comment for comment in found
    ]


def literals_restored(code: str, text: str) -> list[Token]:
    """Returns the tokens of `code`, in which literals and comments are blanked, with the literals
    of `text` put back."""
    return [
        token._replace(text=text[token.start : token.end])
        if token.kind in ("string", "character")
        else token
        for token in tokens(code)
    ]
