"""Macros: as they are defined, and as they expand.

Source: ISO/IEC 9899:2011 6.10.3, with Prosser's algorithm of hidden sets; GCC's named variadic
parameters and its `, ## ARGUMENTS`, which loses the comma where nothing is given.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple, Protocol

from ...patterns import pattern
from .. import limits
from .budget import MacroBudget, TooMuch, weight
from .lexer import LITERALS, NAME, PASTE, SIGN, STRING, WORD, Token, UnsupportedC, scan, tokens

_HEAD = pattern(rf"\s*({WORD})(?:\(([^()]*)\))?", re.ASCII)
_PARAMETER = pattern(rf"({WORD})?\s*(\.\.\.)?", re.ASCII)
_OPENING = pattern(r"[ \t\r\n\f\v]*\(")
_VARIADIC = "__VA_ARGS__"
MAX_DEPTH = limits.MACRO_DEPTH
"""Macros inside macros, and calls inside the arguments of calls."""

_Spend = Callable[[int], None]
"""Pays for so many bytes of tokens."""


class Macro:
    """A macro.

    parameters  None for one that takes no arguments
    variadic    whether the last parameter takes all further arguments
    """

    __slots__ = ("__dict__", "name", "parameters", "text", "variadic")

    def __init__(
        self,
        name: str,
        text: str,
        parameters: tuple[str, ...] | None = None,
        variadic: bool = False,
    ) -> None:
        self.name = name
        self.text = text
        self.parameters = parameters
        self.variadic = variadic

    @cached_property
    def body(self) -> list[Token]:
        found = tokens(self.text)
        return [t._replace(kind=PASTE) if t.text == "##" else t for t in found]

    @cached_property
    def weight(self) -> int:
        """The cost of one expansion in bytes, without arguments."""
        return limits.MACRO_TOKEN_BYTES + weight(self.body)

    @cached_property
    def names(self) -> frozenset[str] | None:
        """The names that its body has; None where ## may make others of them."""
        if "##" in self.text:
            return None
        return frozenset(token.text for token in self.body if token.kind == NAME)

    @property
    def head(self) -> str:
        """The macro's name and parameters as after #define: "NAME" or "NAME(a, b)"."""
        if self.parameters is None:
            return self.name
        shown = list(self.parameters)
        if self.variadic:
            shown[-1] = f"{shown[-1].removesuffix(_VARIADIC)}..."
        return f"{self.name}({', '.join(shown)})"

    @classmethod
    def parsed(cls, definition: str) -> "Macro":
        """Parses the text after #define. Raises UnsupportedC, without a place."""
        head = _HEAD.match(definition)
        if head is None or (head[2] is None and definition.startswith("(", head.end())):
            found = definition.strip()
            raise UnsupportedC(f"expected a macro's name and parameters, found {found!r}")
        text = definition[head.end() :].strip()
        if head[2] is None:
            return cls(head[1], text)
        names, variadic = [], False
        given = [part.strip() for part in head[2].split(",")]
        for part in given if given != [""] else []:
            match = _PARAMETER.fullmatch(part)
            if match is None or not part or variadic:
                raise UnsupportedC(f"expected parameters of {head[1]}, found {head[2]!r}")
            names.append(match[1] or _VARIADIC)
            variadic = match[2] is not None
        return cls(head[1], text, tuple(names), variadic)


class Macros(Protocol):
    """The macros of a place, by their names."""

    def get(self, name: str, /) -> Macro | None: ...


class Expansion:
    """Expands macros, as they are at the time, within the budget of one source.

    strict  whether two tokens that ## joins must make one, as in C; for assembler they stay apart
    """

    def __init__(self, macros: Macros, budget: MacroBudget, *, strict: bool) -> None:
        self.macros = macros
        self.budget = budget
        self.strict = strict

    def spend(self, count: int, use: Token) -> None:
        """Takes bytes off the budget. use: of the macro that makes them. Raises UnsupportedC."""
        try:
            self.budget.spend(count, use.text)
        except TooMuch as problem:
            raise UnsupportedC(str(problem), use.start, use.end) from None

    def expanded(
        self, source: Sequence[Token], following: "Following | None" = None, depth: int = 0
    ) -> list[Token]:
        """Returns the tokens with all macros expanded. A call that begins there may end in
        `following`. Raises UnsupportedC."""
        if depth > MAX_DEPTH and source:
            raise _too_deep(source[0])
        pending = list(reversed(source))
        made: list[Token] = []
        while pending:
            token = pending.pop()
            macro = self.macros.get(token.text) if token.kind == NAME else None
            if macro is None or token.text in token.hidden:
                made.append(token)
                continue
            end = token.end
            if macro.parameters is None:
                hidden = token.hidden | {macro.name}
                body: Sequence[Token] = macro.body
                self.spend(macro.weight, token)
                if any(part.kind == PASTE for part in body):
                    body = self._joined(macro, body, token)
            else:
                call = _arguments(macro, token, pending, following)
                if call is None:
                    made.append(token)
                    continue
                hidden = token.hidden & call.closing.hidden | {macro.name}
                end = max(end, call.closing.end)
                body = self._substituted(macro, call.values, token, depth)
            if len(hidden) > MAX_DEPTH:
                raise _too_deep(token)
            # a set has a name for each level
            self.spend(limits.MACRO_TOKEN_BYTES * len(hidden), token)
            if pending:
                after = pending.pop()
                blank = after.blank or (token.blank and not body)
                pending.append(after._replace(blank=blank, edge=True))
            # one set for all tokens of equal origin: there may be a name in it for each level
            unions: dict[frozenset[str], frozenset[str]] = {frozenset(): hidden}
            for number in range(len(body) - 1, -1, -1):
                part = body[number]
                blank, edge = (part.blank, part.edge) if number else (token.blank, True)
                union = unions.get(part.hidden)
                if union is None:
                    union = unions[part.hidden] = part.hidden | hidden
                pending.append(Token(part.kind, part.text, token.start, end, blank, edge, union))
        return made

    def _substituted(
        self, macro: Macro, arguments: Sequence[list[Token]], use: Token, depth: int
    ) -> Sequence[Token]:
        """Returns the body with its parameters replaced, # and ## done."""
        values = dict(zip(macro.parameters or (), arguments, strict=True))

        def paid(given: list[Token]) -> list[Token]:
            self.spend(weight(given), use)
            return given

        self.spend(macro.weight, use)
        whole: dict[str, list[Token]] = {}
        body, made, number = macro.body, list[Token](), 0
        pastes = False
        while number < len(body):
            token = body[number]
            number += 1
            if token.text == "#" and number < len(body) and body[number].text in values:
                text = _quoted(paid(values[body[number].text]))
                made.append(Token(STRING, text, blank=token.blank))
                number += 1
                continue
            pastes = pastes or token.kind == PASTE
            if token.kind != NAME or token.text not in values:
                made.append(token)
                continue
            pasted = number >= 2 and body[number - 2].kind == PASTE
            if pasted or (number < len(body) and body[number].kind == PASTE):
                given = values[token.text]
                last = macro.variadic and token.text == (macro.parameters or ("",))[-1]
                if pasted and last and number >= 3 and body[number - 3].text == ",":
                    # GCC: , ## ARGUMENTS
                    made.pop()
                    if not given:
                        made.pop()
                elif not given:
                    given = [Token(SIGN, "", blank=token.blank)]
                made += _placed(paid(given), token._replace(blank=False) if pasted else token)
                continue
            if token.text not in whole:
                whole[token.text] = self.expanded(values[token.text], None, depth + 1)
            made += _placed(paid(whole[token.text]), token)
            if number < len(body):
                made.append(Token(SIGN, "", edge=True))
        return self._joined(macro, made, use) if pastes else list(_without_nothing(made))

    def _joined(self, macro: Macro, made: Sequence[Token], use: Token) -> list[Token]:
        """Returns the tokens with every ## done."""
        if PASTE in (macro.body[0].kind, macro.body[-1].kind):
            message = f"expected ## between two tokens of {macro.name}"
            raise UnsupportedC(message, use.start, use.end)
        return list(_pasted(made, partial(self.spend, use=use), use if self.strict else None))


class Following:
    """The text after a macro's name, from which a call takes its arguments.

    at  where the next token begins
    """

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def parenthesis(self) -> bool:
        """Steps over "(" if it comes next."""
        found = _OPENING.match(self.text, self.at)
        if found is None:
            return False
        self.at = found.end()
        return True

    def tokens(self) -> Iterator[Token]:
        for token in scan(self.text, self.at):
            self.at = token.end
            yield token


class _Call(NamedTuple):
    """The arguments of a call, and the ")" that ends it."""

    values: list[list[Token]]
    closing: Token


def _arguments(
    macro: Macro, use: Token, pending: list[Token], following: Following | None
) -> _Call | None:
    """The arguments of a call that may follow; None where none does."""
    if pending:
        if pending[-1].text != "(":
            return None
        pending.pop()
    elif following is None or not following.parenthesis():
        return None
    arguments: list[list[Token]] = [[]]
    names = macro.parameters or ()
    level = 0
    for token in _rest(pending, following):
        if token.text == ")" and not level:
            closing = token
            break
        if (
            token.text == ","
            and not level
            and not (macro.variadic and len(arguments) == len(names))
        ):
            arguments.append([])
            continue
        level += (token.text == "(") - (token.text == ")")
        arguments[-1].append(token)
    else:
        raise UnsupportedC(f"expected ')' after {use.text}(, found none", use.start, use.end)
    if arguments == [[]] and not names:
        arguments = []
    if macro.variadic and len(arguments) == len(names) - 1:
        arguments.append([])
    if len(arguments) != len(names):
        message = f"expected {len(names)} arguments of {macro.name}, found {len(arguments)}"
        raise UnsupportedC(message, use.start, use.end)
    return _Call(arguments, closing)


def _rest(pending: list[Token], following: Following | None) -> Iterator[Token]:
    while pending:
        yield pending.pop()
    if following is not None:
        yield from following.tokens()


def _placed(given: Sequence[Token], at: Token) -> list[Token]:
    """An argument in the place of its parameter."""
    if not given:
        return [Token(SIGN, "", blank=at.blank, edge=True)]
    return [given[0]._replace(blank=at.blank, edge=True), *given[1:]]


def _without_nothing(made: Iterable[Token]) -> Iterator[Token]:
    """Without the empty tokens, which leave their blank to the next."""
    blank = edge = False
    for token in made:
        if not token.text:
            blank, edge = blank or token.blank, True
        elif blank or edge:
            yield token._replace(blank=token.blank or blank, edge=True)
            blank = edge = False
        else:
            yield token


def _pasted(made: Sequence[Token], spend: _Spend, use: Token | None) -> Iterator[Token]:
    """With every ## done. use: of the macro, where two that make no token are refused; None: they
    stay apart, as in cpp for assembler."""
    done: list[Token] = []
    join = False
    for token in made:
        if token.kind == PASTE:
            join = bool(done)
        elif join and done:
            join = False
            left = done.pop()
            if token.text and left.text:
                spend(len(left.text) + len(token.text))
                both = tokens(left.text + token.text)
                if len(both) == 1:
                    hidden = left.hidden & token.hidden
                    done.append(both[0]._replace(blank=left.blank, edge=left.edge, hidden=hidden))
                elif use is not None:
                    message = f"expected ## in {use.text} to make a token, found {left.text[:40]} "
                    raise UnsupportedC(f"{message}and {token.text[:40]}", use.start, use.end)
                else:
                    done += [left, token._replace(blank=False)]
            else:
                other = left if left.text else token
                done.append(other._replace(blank=left.blank, edge=left.edge))
        else:
            done.append(token)
    return _without_nothing(done)


def _quoted(given: Sequence[Token]) -> str:
    """An argument as #, the operator, writes it."""
    parts = [
        re.sub(r'["\\]', r"\\\g<0>", token.text) if token.kind in LITERALS else token.text
        for token in given
    ]
    blanks = ["", *(" " if token.blank else "" for token in given[1:])]
    return '"' + "".join(blank + part for blank, part in zip(blanks, parts, strict=False)) + '"'


def _too_deep(use: Token) -> UnsupportedC:
    message = f"expected at most {MAX_DEPTH} macros inside each other, found more"
    return UnsupportedC(message, use.start, use.end)
