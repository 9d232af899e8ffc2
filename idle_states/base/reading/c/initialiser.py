"""Initialisers of C structs and arrays, as tokens with all macros expanded."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .. import limits
from .lexer import NAME, Token, UnsupportedC

Number = Callable[[Sequence[Token], Token], int]
"""Evaluates an index. Arguments: its tokens, and a token before them for errors."""
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Initialised(NamedTuple):
    """An element of a list in braces.

    place       its first token: where it stands in the file, or the macro that it comes from
    path        its designators, `.states[1]` as ("states", 1); empty where it has none
    value       its tokens; of a list in braces its elements
    first       number of its first token
    start, end  number of the value's first token, and of the token after it
    """

    place: Token
    path: tuple[str | int, ...]
    value: "tuple[Token, ...] | tuple[Initialised, ...]"
    is_list: bool
    first: int
    start: int
    end: int


def elements(tokens: Sequence[Token], number: Number) -> tuple[Initialised, ...]:
    """Returns the elements of an initialiser, whose first token is a brace. number: evaluates the
    indices of designators. Raises UnsupportedC."""
    return _Parser(tokens, number).braces(0)


def placed(
    found: Sequence[Initialised], size: str
) -> list[tuple[int, tuple[str | int, ...], Initialised]]:
    """Returns (index, the rest of the path, element) for the elements of an array's list: each
    follows the one before it unless it names its index. size: what the array is called in errors.
    Raises UnsupportedC."""
    result = []
    following = 0
    for element in found:
        path = element.path
        if path:
            first, path = path[0], path[1:]
            if not isinstance(first, int):
                message = f"expected a row of {size}, found a member .{first}"
                raise UnsupportedC(message, element.place.start, element.place.end)
            following = first
        if not 0 <= following < limits.C_ROWS:
            message = f"expected at most {limits.C_ROWS} rows, found number {following}"
            raise UnsupportedC(message, element.place.start, element.place.end)
        result.append((following, path, element))
        following += 1
    return result


class _Parser:
    def __init__(self, tokens: Sequence[Token], number: Number) -> None:
        self.tokens = tokens
        self.number = number
        self.next = 0

    def peek(self, ahead: int = 0) -> Token:
        if self.next + ahead < len(self.tokens):
            return self.tokens[self.next + ahead]
        last = self.tokens[-1]
        return Token("sign", "", last.start, last.end)

    def take(self) -> Token:
        token = self.peek()
        self.next += 1
        return token

    def expect(self, sign: str) -> Token:
        token = self.take()
        if token.text != sign:
            found = token.text[:40] or "the end of the initialiser"
            raise UnsupportedC(f"expected {sign!r}, found {found}", token.start, token.end)
        return token

    def braces(self, depth: int) -> tuple[Initialised, ...]:
        opening = self.expect("{")
        if depth > limits.C_NESTING:
            message = f"expected at most {limits.C_NESTING} brackets inside each other, found more"
            raise UnsupportedC(message, opening.start, opening.end)
        found = []
        while self.peek().text != "}":
            found.append(self.element(depth))
            if self.peek().text != "}":
                self.expect(",")
        self.expect("}")
        return tuple(found)

    def element(self, depth: int) -> Initialised:
        place, first = self.peek(), self.next
        path: list[str | int] = []
        while self.peek().text in (".", "["):
            path.append(self.designator())
        if path:
            self.expect("=")
        elif place.kind == NAME and self.peek(1).text == ":":
            # GNU C's `name: value`
            path.append(place.text)
            self.next += 2
        start = self.next
        is_list = self.peek().text == "{"
        value = self.braces(depth + 1) if is_list else self.expression()
        return Initialised(place, tuple(path), value, is_list, first, start, self.next)

    def designator(self) -> str | int:
        opening = self.take()
        if opening.text == ".":
            name = self.take()
            if name.kind != "name":
                message = f"expected a member's name after '.', found {name.text[:40]!a}"
                raise UnsupportedC(message, name.start, name.end)
            return name.text
        start = self.next
        while self.peek().text not in ("]", ""):
            self.next += 1
        index = self.tokens[start : self.next]
        self.expect("]")
        return self.number(index, opening)

    def expression(self) -> tuple[Token, ...]:
        """The tokens up to the comma or brace that ends a value."""
        start = self.next
        opened: list[Token] = []
        while (token := self.peek()).text:
            if not opened and token.text in (",", *_CLOSING.values()):
                break
            if opened and token.text == _CLOSING[opened[-1].text]:
                opened.pop()
            elif token.text in _CLOSING:
                opened.append(token)
            self.next += 1
        if opened:
            message = f"expected {_CLOSING[opened[-1].text]!r}, found the end of the initialiser"
            raise UnsupportedC(message, opened[-1].start, opened[-1].end)
        return tuple(self.tokens[start : self.next])
