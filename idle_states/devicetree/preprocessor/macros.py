"""Macros as they are defined, and as they expand.

Source: ISO/IEC 9899:2011 6.10.3, with Prosser's algorithm of hidden sets; GCC's named variadic
parameters and its `, ## ARGUMENTS`, which loses the comma where nothing is given.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from ...reading import limits
from ...reading.macro_budget import MacroBudget, TooMuch, weight
from .tokens import NAME, PASTE, QUOTED, SIGN, TOKEN, WORD, DtsToken, tokens

_HEAD = re.compile(rf"[ \t\r\f\v]*({WORD})(?:\(([^()]*)\))?", re.ASCII)
_PARAMETER = re.compile(rf"({WORD})?[ \t\r\f\v]*(\.\.\.)?", re.ASCII)
_DEPTH = limits.DTS_MACRO_DEPTH


class BadMacro(Exception):
    """A definition or a use that the preprocessor refuses; the message says what was expected."""


_Spend = Callable[[int], None]
"""Pays for so many bytes of tokens."""


class DtsMacro:
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
    def body(self) -> list[DtsToken]:
        found = tokens(self.text)
        if any(token.text == "##" for token in found):
            if found[0].text == "##" or found[-1].text == "##":
                raise BadMacro(f"expected ## between two tokens of {self.name}")
            return [t._replace(kind=PASTE) if t.text == "##" else t for t in found]
        return found

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

    @classmethod
    def parsed(cls, definition: str) -> "DtsMacro":
        """The text after #define. Raises BadMacro."""
        head = _HEAD.match(definition)
        if head is None or (head[2] is None and definition.startswith("(", head.end())):
            raise BadMacro(f"expected a macro's name and parameters, found {definition.strip()!r}")
        text = definition[head.end() :].strip()
        if head[2] is None:
            return cls(head[1], text)
        names, variadic = [], False
        given = [part.strip() for part in head[2].split(",")]
        for part in given if given != [""] else []:
            match = _PARAMETER.fullmatch(part)
            if match is None or not part or variadic:
                raise BadMacro(f"expected parameters of {head[1]}, found {head[2]!r}")
            names.append(match[1] or "__VA_ARGS__")
            variadic = match[2] is not None
        return cls(head[1], text, tuple(names), variadic)


class Expansion:
    """Expands macros, as they are at the time, within the budget of one source."""

    def __init__(self, macros: dict[str, DtsMacro], budget: MacroBudget) -> None:
        self.macros = macros
        self.budget = budget

    def spend(self, count: int, macro: str) -> None:
        """Takes bytes off the budget. Raises BadMacro."""
        try:
            self.budget.spend(count, macro)
        except TooMuch as problem:
            raise BadMacro(str(problem)) from None

    def expanded(
        self, source: Sequence[DtsToken], following: "Following | None" = None, depth: int = 0
    ) -> list[DtsToken]:
        """All macros of `source` expanded. A call that begins there may end in `following`.

        Raises BadMacro.
        """
        if depth > _DEPTH:
            raise BadMacro(f"expected macros at most {_DEPTH} within each other")
        pending = list(reversed(source))
        made: list[DtsToken] = []
        while pending:
            token = pending.pop()
            macro = self.macros.get(token.text) if token.kind == NAME else None
            if macro is None or token.text in token.hidden:
                made.append(token)
                continue
            if macro.parameters is None:
                hidden = token.hidden | {macro.name}
                body: Sequence[DtsToken] = macro.body
                self.spend(macro.weight, macro.name)
                if any(part.kind == PASTE for part in body):
                    body = list(_pasted(body, partial(self.spend, macro=macro.name)))
            else:
                arguments = _arguments(macro, pending, following)
                if arguments is None:
                    made.append(token)
                    continue
                hidden = token.hidden & arguments.closing.hidden | {macro.name}
                body = self._substituted(macro, arguments.values, depth)
            if len(hidden) > _DEPTH:
                raise BadMacro(f"expected macros at most {_DEPTH} within each other")
            # a set has a name for each level
            self.spend(limits.MACRO_TOKEN_BYTES * len(hidden), macro.name)
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
                pending.append(DtsToken(part.kind, part.text, blank, edge, union))
        return made

    def _substituted(
        self, macro: DtsMacro, arguments: Sequence[list[DtsToken]], depth: int
    ) -> list[DtsToken]:
        """The body with its parameters replaced, # and ## done."""
        values = dict(zip(macro.parameters or (), arguments, strict=True))
        spend = partial(self.spend, macro=macro.name)

        def paid(given: list[DtsToken]) -> list[DtsToken]:
            spend(weight(given))
            return given

        spend(macro.weight)
        whole: dict[str, list[DtsToken]] = {}
        body, made, number = macro.body, list[DtsToken](), 0
        pastes = False
        while number < len(body):
            token = body[number]
            number += 1
            if token.text == "#" and number < len(body) and body[number].text in values:
                text = _quoted(paid(values[body[number].text]))
                made.append(DtsToken(QUOTED, text, token.blank))
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
                    given = [DtsToken(SIGN, "", token.blank)]
                made += _placed(paid(given), token._replace(blank=False) if pasted else token)
                continue
            if token.text not in whole:
                whole[token.text] = self.expanded(values[token.text], None, depth + 1)
            made += _placed(paid(whole[token.text]), token)
            if number < len(body):
                made.append(DtsToken(SIGN, "", edge=True))
        return list(_pasted(made, spend)) if pastes else list(_without_nothing(made))


class Following:
    """The text after a macro's name, from which a call takes its arguments.

    at  where the next token begins
    """

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def parenthesis(self) -> bool:
        """Steps over "(" if it comes next."""
        found = _NEXT.match(self.text, self.at)
        if found is None:
            return False
        self.at = found.end()
        return True

    def tokens(self) -> Iterator[DtsToken]:
        blank = False
        for match in TOKEN.finditer(self.text, self.at):
            self.at = match.end()
            kind = match.lastgroup or SIGN
            if kind == "blank":
                blank = True
            else:
                yield DtsToken(kind, match[0], blank)
                blank = False


_NEXT = re.compile(r"[ \t\r\n\f\v]*\(")


class _Call(NamedTuple):
    """The arguments of a call, and the ")" that ends it."""

    values: list[list[DtsToken]]
    closing: DtsToken


def _arguments(
    macro: DtsMacro, pending: list[DtsToken], following: Following | None
) -> _Call | None:
    """The arguments of a call that may follow; None where none does."""
    if pending:
        if pending[-1].text != "(":
            return None
        pending.pop()
    elif following is None or not following.parenthesis():
        return None
    arguments: list[list[DtsToken]] = [[]]
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
        raise BadMacro(f"expected the end of the call of {macro.name}")
    if arguments == [[]] and not names:
        arguments = []
    if macro.variadic and len(arguments) == len(names) - 1:
        arguments.append([])
    if len(arguments) != len(names):
        raise BadMacro(f"expected {len(names)} arguments of {macro.name}, found {len(arguments)}")
    return _Call(arguments, closing)


def _rest(pending: list[DtsToken], following: Following | None) -> Iterator[DtsToken]:
    while pending:
        yield pending.pop()
    if following is not None:
        yield from following.tokens()


def _placed(given: Sequence[DtsToken], at: DtsToken) -> list[DtsToken]:
    """An argument in the place of its parameter."""
    if not given:
        return [DtsToken(SIGN, "", at.blank, True)]
    return [given[0]._replace(blank=at.blank, edge=True), *given[1:]]


def _without_nothing(made: Iterable[DtsToken]) -> Iterator[DtsToken]:
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


def _pasted(made: Sequence[DtsToken], spend: _Spend) -> Iterator[DtsToken]:
    """With every ## done. Two that make no token stay apart, as in cpp for assembler."""
    done: list[DtsToken] = []
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
                else:
                    done += [left, token._replace(blank=False)]
            else:
                other = left if left.text else token
                done.append(other._replace(blank=left.blank, edge=left.edge))
        else:
            done.append(token)
    return _without_nothing(done)


def _quoted(given: Sequence[DtsToken]) -> str:
    """An argument as #, the operator, writes it."""
    parts = [
        re.sub(r'["\\]', r"\\\g<0>", token.text) if token.kind == QUOTED else token.text
        for token in given
    ]
    blanks = ["", *(" " if token.blank else "" for token in given[1:])]
    return '"' + "".join(blank + part for blank, part in zip(blanks, parts, strict=False)) + '"'
