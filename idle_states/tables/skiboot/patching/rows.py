"""Whole rows put in, taken out and moved, in the style of the rows beside them."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from ....base.dataclass import dataclass
from ....base.model.table import IdleState
from ....base.patterns import pattern
from ....base.reading.c.lexer import COMMENT, QUOTED_STRING, UnsupportedC, integer_literal, tokens
from .source import EditRefused, SourceText, TableText, made_by_macro, without_comments

_DIRECTIVE = pattern(r"^[ \t]*#", re.MULTILINE)
_REST_OF_LINE = pattern(rf"(?:[ \t\f\v]|{COMMENT})*", re.DOTALL)
_COMMA = pattern(r"\s*,")
SKELETON = '{{{newline}{indent}\t.name = "" }}'


@dataclass(frozen=True, slots=True)
class Replacement:
    """text[start:end] becomes `new`."""

    start: int
    end: int
    new: str


def replaced(text: str, edits: Sequence[Replacement]) -> str:
    """Returns the text with all edits made. Edits must not overlap; those at one offset are made in
    the order given."""
    pieces, position = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        assert edit.start >= position
        pieces += [text[position : edit.start], edit.new]
        position = edit.end
    return "".join([*pieces, text[position:]])


def arranged(source: SourceText, table: TableText, wanted: Sequence[IdleState]) -> str:
    """Text of the file with as many rows as wanted, each row where its name has its place.

    A row that is new is a copy of the most similar one, its values still to be changed; so is
    the name of a row whose name none had. Raises Refused.
    """
    names = [state.name for state in table.table.states]
    target = [state.name for state in wanted]
    if names == target:
        return source.text
    return _Arrangement(source, table, wanted).text(names, target)


class _Arrangement:
    def __init__(self, source: SourceText, table: TableText, wanted: Sequence[IdleState]) -> None:
        self.source = source
        self.table = table
        self.wanted = wanted
        self.rows = [Element.of(source, row.span.start, row.span.end) for row in table.rows]

    def text(self, names: Sequence[str], target: Sequence[str]) -> str:
        kept: dict[int, int] = {}
        matcher = SequenceMatcher(None, names, target, autojunk=False)
        for _, a, a_end, b, b_end in matcher.get_opcodes():
            if a_end - a == b_end - b:
                kept.update(
                    (b + step, a + step)
                    for step in range(a_end - a)
                    if names[a + step] == target[b + step] or self.renamed(a + step, b + step)
                )
        leftover = [index for index in range(len(names)) if index not in kept.values()]
        edits = [self.removal(index) for index in leftover]
        anchor: int | None = None
        fresh: list[str] = []
        for position, state in enumerate(self.wanted):
            if position in kept:
                edits += self.insertion(anchor, fresh)
                anchor, fresh = kept[position], []
                continue
            moved = next((index for index in leftover if names[index] == state.name), None)
            if moved is None:
                fresh.append(self.copy_for(state))
            else:
                leftover.remove(moved)
                row = self.rows[moved]
                fresh.append(self.source.text[row.start : row.end])
        edits += self.insertion(anchor, fresh)
        edits += self.size(len(names), len(target))
        return replaced(self.source.text, edits)

    def renamed(self, index: int, position: int) -> bool:
        """Returns whether the row at `index` has every value of the wanted row at `position` but
        its name."""
        return self.table.table.states[index].values()[1:] == self.wanted[position].values()[1:]

    def removal(self, index: int) -> Replacement:
        """Returns the edit that removes a row with its comma and its whole lines, and one of two
        blank lines around it."""
        self.refuse_macro(index)
        row, text = self.rows[index], self.source.text
        start, end = row.start, row.after_comma
        line = text.rfind("\n", 0, start) + 1
        rest = re.compile(r"[ \t\r]*(?:\n|\Z)").match(text, end)
        if text[line:start].strip() or rest is None:
            if rest is not None:
                while text[start - 1] in " \t":
                    start -= 1
            return Replacement(start, end, "")
        start, end = line, rest.end()
        before = re.compile(r"(?:^|\n)([ \t\r]*\n)\Z").search(text[max(0, start - 200) : start])
        after = re.compile(r"[ \t\r]*(?:\n|\};?)").match(text, end)
        if before and after:
            start -= len(before[1])
        return Replacement(start, end, "")

    def insertion(self, anchor: int | None, fresh: Sequence[str]) -> Iterator[Replacement]:
        """Yields the edits that insert the texts `fresh` after the row `anchor`, which stays; None:
        before all rows that stay."""
        if not fresh:
            return
        text, newline = self.source.text, self.source.newline
        if anchor is None:
            yield self.first(fresh)
            return
        row = self.rows[anchor]
        if row.after_comma == row.end:
            self.refuse_macro(anchor)
            yield Replacement(row.end, row.end, ",")
        rest = _REST_OF_LINE.match(text, row.after_comma)
        assert rest is not None
        if rest.end() == len(text) or text[rest.end()] in "\r\n":
            lead = newline + self.indent(anchor)
            made = "".join(f"{lead}{piece}," for piece in fresh)
            yield Replacement(rest.end(), rest.end(), made)
        else:
            made = "".join(f" {piece}," for piece in fresh)
            yield Replacement(row.after_comma, row.after_comma, made)

    def first(self, fresh: Sequence[str]) -> Replacement:
        """Returns the edit that inserts rows right after the table's opening brace: a comment
        before a row then stays with that row."""
        opening = self.table.array.initialiser.start + 1
        lead = self.source.newline + self.indent(0)
        rest = _REST_OF_LINE.match(self.source.text, opening)
        assert rest is not None
        if rest.end() < len(self.source.text) and self.source.text[rest.end()] in "\r\n":
            opening = rest.end()
            return Replacement(opening, opening, "".join(f"{lead}{row}," for row in fresh))
        made = "".join(f"{lead}{row}," for row in fresh) + lead
        return Replacement(opening, opening, made)

    def refuse_macro(self, index: int) -> None:
        place = self.table.rows[index].span
        if place.macro:
            raise made_by_macro(place, "row")

    def indent(self, index: int) -> str:
        """Returns the blanks before a row; skiboot's usual ones where the row does not begin its
        line."""
        if index >= len(self.rows):
            return "\t"
        start = self.rows[index].start
        line = self.source.text.rfind("\n", 0, start) + 1
        before = self.source.text[line:start]
        return before if before and not before.strip() else "\t"

    def copy_for(self, state: IdleState) -> str:
        """Returns the text, without comments, of the row most similar to the state that has neither
        directives nor macros of its own; if there is none, a row with a name only."""

        def distance(index: int) -> tuple[int, int]:
            values, other = self.table.table.states[index].values(), state.values()
            unlike = sum(a != b for a, b in zip(values[3:], other[3:], strict=True))
            return unlike, abs(index - self.wanted.index(state))

        for index in sorted(range(len(self.rows)), key=distance):
            row = self.rows[index]
            text = without_comments(self.source.text[row.start : row.end])
            if _DIRECTIVE.search(re.sub(QUOTED_STRING, "", text)):
                continue
            if self.source.foreign_macros(text, row.start):
                continue
            return "\n".join(line for line in text.split("\n") if line.strip())
        return SKELETON.format(newline=self.source.newline, indent=self.indent(0))

    def size(self, before: int, after: int) -> Iterator[Replacement]:
        """Yields the edit of the number of rows in the array's brackets, if a number
        stands there."""
        span = self.table.array.size
        words = tokens(self.source.clean.code, span.start, span.end)
        if not words or before == after:
            return
        try:
            if len(words) == 1 and integer_literal(words[0])[0] == before:
                yield Replacement(words[0].start, words[0].end, str(after))
                return
        except UnsupportedC:
            pass
        found = self.source.text[span.start : span.end].strip()
        raise EditRefused(
            f"expected the array's size as a number or none, found {found}; change it by hand",
            span.start,
            span.end,
        )


@dataclass(frozen=True, slots=True)
class Element:
    """A row in its array: from brace to brace, and the end of the comma after it."""

    start: int
    end: int
    after_comma: int

    @classmethod
    def of(cls, source: SourceText, start: int, end: int) -> "Element":
        comma = _COMMA.match(source.clean.code, end)
        return cls(start, end, comma.end() if comma else end)
