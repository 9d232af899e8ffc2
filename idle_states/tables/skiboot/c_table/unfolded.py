"""The initialiser of an array with those macros expanded that make rows or members of them.

Macros within one value stay: what they stand for depends on nothing but the value, and an edit of
the row keeps them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from ....base.dataclass import dataclass
from ....base.reading.c.lexer import LITERALS, NAME, Token, UnsupportedC, written
from ....base.reading.c.macros import Macro
from ....base.reading.c.preprocess import Preprocessed

_OF_ROWS = frozenset("{},.=")
"""Signs that a macro within one value makes between parentheses only."""
_IN_ARGUMENTS = _OF_ROWS - {","}


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a C file.

    macro  the macro whose use this is, if that made what stands there; else ""
    made   what the macro made; empty where there is none
    """

    start: int
    end: int
    macro: str = ""
    made: str = ""


@dataclass(frozen=True, slots=True)
class _Use:
    """The use of a macro. at, length: where its expansion is in the text made; start, end: where
    the use is in the file."""

    at: int
    length: int
    start: int
    end: int
    macro: str


@dataclass(frozen=True, slots=True)
class Unfolded:
    """The text of an initialiser with macros expanded.

    start    where it begins in the file
    refused  offset in the file of a macro that was not expanded -> why
    """

    start: int
    made: str
    uses: Sequence[_Use]
    refused: Mapping[int, UnsupportedC]

    def span(self, start: int, end: int) -> Span:
        """Returns the place in the file of a part of the text."""
        met = self._met(start, end)
        if not met:
            return Span(self._origin(start), self._origin(end))
        begin = met[0].start if met[0].at <= start else self._origin(start)
        last = met[-1]
        finish = last.end if end <= last.at + last.length else self._origin(end)
        return Span(begin, finish, met[0].macro, self.made[start:end])

    def row(self, start: int, end: int) -> Span:
        """Returns the place of a row, whose members a macro may have made while the row stands in
        the file."""
        if self._met(start, start + 1) or self._met(end - 1, end):
            return self.span(start, end)
        return Span(self._origin(start), self._origin(end))

    def _met(self, start: int, end: int) -> Sequence[_Use]:
        """The uses that a part of the text is made of."""
        first = bisect_right(self.uses, start, key=lambda use: use.at + use.length)
        last = bisect_left(self.uses, end, key=lambda use: use.at)
        return self.uses[first:last]

    def _origin(self, at: int) -> int:
        """The offset in the file of a place that no macro made."""
        number = bisect_right(self.uses, at, key=lambda use: use.at + use.length)
        if not number:
            return self.start + at
        before = self.uses[number - 1]
        return before.end + at - before.at - before.length


def unfolded(clean: Preprocessed, place: Span, *, every: bool = False) -> Unfolded:
    """Returns the initialiser at a place. A macro that cannot be expanded stays as it is.

    every  expands macros within values, too
    """
    found = clean.tokens(place.start, place.end)
    code = _with_literals(clean.code[place.start : place.end], found, place.start)
    plain: dict[Macro, bool] = {}
    parts: list[str] = []
    uses: list[_Use] = []
    refused: dict[int, UnsupportedC] = {}
    done = size = 0
    for macro, call in _calls(clean, found):
        if not every and not _may_make_rows(clean, call, plain):
            continue
        try:
            made = clean.expanded(call, call[0].start)
        except UnsupportedC as problem:
            refused[call[0].start] = problem
            continue
        if made and not every and not _makes_rows(made):
            continue
        start, text = call[0].start - place.start, written(made)
        parts += code[done:start], text
        size += start - done
        uses.append(_Use(size, len(text), call[0].start, call[-1].end, macro.name))
        size += len(text)
        done = call[-1].end - place.start
    parts.append(code[done:])
    return Unfolded(place.start, "".join(parts), uses, refused)


def _with_literals(code: str, found: Sequence[Token], start: int) -> str:
    """The code with literals as they stand in the file, which `found` has."""
    parts: list[str] = []
    done = 0
    for token in found:
        if token.kind in LITERALS:
            parts += code[done : token.start - start], token.text
            done = token.end - start
    return "".join([*parts, code[done:]])


def _calls(clean: Preprocessed, found: Sequence[Token]) -> Iterator[tuple[Macro, Sequence[Token]]]:
    """The uses of macros outside of parentheses, each with its arguments."""
    at = 0
    while at < len(found):
        token, end = found[at], at + 1
        macro = clean.definitions.lookup(token.text, token.start) if token.kind == NAME else None
        has_arguments = found[end : end + 1] and found[end].text == "("
        if token.text == "(":
            end = _end_of_call(found, at)
        elif macro is not None and macro.parameters is None:
            yield macro, found[at:end]
        elif macro is not None and has_arguments:
            end = _end_of_call(found, end)
            yield macro, found[at:end]
        at = end


def _end_of_call(found: Sequence[Token], opening: int) -> int:
    """The number of the token after the parenthesis that closes the one of number `opening`."""
    depth = 0
    for number in range(opening, len(found)):
        depth += (found[number].text == "(") - (found[number].text == ")")
        if depth == 0:
            return number + 1
    return len(found)


def _may_make_rows(clean: Preprocessed, call: Sequence[Token], plain: dict[Macro, bool]) -> bool:
    """Whether a call or what its names stand for has a sign of rows. plain: what is known of
    macros, to which is added."""
    return any(
        token.text in _IN_ARGUMENTS
        or (token.kind == NAME and not _is_plain(clean, token.text, token.start, plain))
        for token in call
    )


def _is_plain(clean: Preprocessed, name: str, at: int, plain: dict[Macro, bool]) -> bool:
    waiting, met = [name], set[Macro]()
    while waiting:
        macro = clean.definitions.lookup(waiting.pop(), at)
        if macro is None or macro in met or plain.get(macro):
            continue
        met.add(macro)
        if not macro.body or macro.names is None or not _OF_ROWS.isdisjoint(macro.signs):
            return False
        waiting += macro.names
    plain |= dict.fromkeys(met, True)
    return True


def _makes_rows(made: Sequence[Token]) -> bool:
    depth = 0
    for token in made:
        depth += (token.text in "([") - (token.text in ")]")
        if depth == 0 and token.text in _OF_ROWS:
            return True
    return False
