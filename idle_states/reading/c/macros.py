"""Macros: their definitions by place in the file, and their expansion as in a preprocessor."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from .. import limits
from ..macro_budget import MacroBudget, TooMuch, weight
from .lexer import Token, UnsupportedC, tokens

MAX_DEPTH = limits.C_MACRO_DEPTH
"""Macros inside macros, and calls inside the arguments of calls."""

_HEAD = re.compile(r"\s*([A-Za-z_]\w*)(\(([^()]*)\))?", re.ASCII)
_PARAMETERS = re.compile(r"\s*(?:[A-Za-z_]\w*\s*(?:,\s*[A-Za-z_]\w*\s*)*)?", re.ASCII)


class Macro:
    """A macro. parameters: None for one that takes no argument list."""

    def __init__(self, name: str, parameters: tuple[str, ...] | None, text: str) -> None:
        self.name = name
        self.parameters = parameters
        self.text = text

    @cached_property
    def body(self) -> list[Token]:
        return tokens(self.text)

    @property
    def head(self) -> str:
        """The macro's name and parameters as after #define: "NAME" or "NAME(a, b)"."""
        if self.parameters is None:
            return self.name
        return f"{self.name}({', '.join(self.parameters)})"

    @classmethod
    def parsed(cls, definition: str) -> "Macro | None":
        """Parses the text after #define; None for malformed and for variadic definitions."""
        match = _HEAD.match(definition)
        if match is None or (match[2] is None and definition[match.end() :][:1] == "("):
            return None
        if match[2] is not None and not _PARAMETERS.fullmatch(match[3]):
            return None
        parameters = None
        if match[2] is not None:
            parameters = tuple(name.strip() for name in match[3].split(",") if name.strip())
        return cls(match[1], parameters, definition[match.end() :])


class Definitions:
    """The macros of a file, each from its #define to its #undef or to the next #define.

    given    the caller's, "NAME" or "NAME(a, b)" -> text
    builtin  likewise; a macro of `given` replaces one of the same name, the file's own replace both
    """

    def __init__(self, given: Mapping[str, str], builtin: Mapping[str, str]) -> None:
        self._outer: dict[str, Macro] = {}
        for head, text in (*builtin.items(), *given.items()):
            macro = Macro.parsed(f"{head} {text}")
            if macro is not None:
                self._outer[macro.name] = macro
        self._changes: dict[str, list[tuple[int, Macro | None]]] = {}
        self._offsets: list[int] = []

    def change(self, offset: int, name: str, macro: Macro | None) -> None:
        """Records a #define at `offset`, or an #undef (macro None). Offsets must ascend."""
        self._changes.setdefault(name, []).append((offset, macro))
        self._offsets.append(offset)

    def lookup(self, name: str, at: int) -> Macro | None:
        """Returns the macro that a name stands for at an offset; None if it is none there."""
        changes = self._changes.get(name)
        if changes:
            index = bisect_right(changes, at, key=lambda change: change[0])
            if index:
                return changes[index - 1][1]
        return self._outer.get(name)

    def version(self, at: int) -> int:
        """Returns a number that is equal for two offsets if no definition changes between them."""
        return bisect_right(self._offsets, at)

    def own(self) -> Iterable[Macro]:
        """Returns the macros that the file itself defines, as they are at its end."""
        return [last for changes in self._changes.values() if (last := changes[-1][1])]


class Expander:
    """Expands macros of one file, within its budget."""

    def __init__(self, definitions: Definitions, budget: MacroBudget) -> None:
        self.definitions = definitions
        self.budget = budget

    def spend(self, tokens: Sequence[Token], token: Token, level: int = 0) -> None:
        """Pays for what the use of a macro at `level` produces: a set has a name for each level."""
        count = limits.MACRO_TOKEN_BYTES * (1 + level) + weight(tokens)
        try:
            self.budget.spend(count, token.text)
        except TooMuch as problem:
            raise UnsupportedC(str(problem), token.start, token.end) from None

    def expand(self, source: Sequence[Token], at: int, depth: int = 0) -> list[Token]:
        """Returns the tokens with all macros expanded, as they are defined at offset `at`.

        Raises UnsupportedC. The algorithm is Prosser's; a token's hide set is its `hidden`.
        """
        pending = list(reversed(source))
        result: list[Token] = []
        while pending:
            token = pending.pop()
            macro = None
            if token.kind == "name" and token.text not in token.hidden:
                macro = self.definitions.lookup(token.text, at)
            if macro is None or not self._is_use(macro, pending):
                result.append(token)
                continue
            if len(token.hidden) >= MAX_DEPTH or depth >= MAX_DEPTH:
                message = f"expected at most {MAX_DEPTH} macros inside each other, found more"
                raise UnsupportedC(message, token.start, token.end)
            self.spend((), token, len(token.hidden))
            if macro.parameters is None:
                body, end, hidden = macro.body, token.end, token.hidden | {macro.name}
                self.spend(body, token)
            else:
                arguments, closing = _arguments(pending, token)
                expanded = [self.expand(argument, at, depth + 1) for argument in arguments]
                body = self._substituted(macro, expanded, token)
                end = max(token.end, closing.end)
                hidden = token.hidden & closing.hidden | {macro.name}
            if any(part.text in ("#", "##") for part in body):
                message = f"expected a macro without # and ##, found {macro.name}"
                raise UnsupportedC(message, token.start, end)
            # one set for all tokens of equal origin: there may be a name in it for each level
            unions = {part.hidden: part.hidden | hidden for part in body}
            pending += [
                Token(part.kind, part.text, token.start, end, unions[part.hidden])
                for part in reversed(body)
            ]
        return result

    @staticmethod
    def _is_use(macro: Macro, pending: Sequence[Token]) -> bool:
        return macro.parameters is None or (bool(pending) and pending[-1].text == "(")

    def _substituted(
        self, macro: Macro, arguments: Sequence[Sequence[Token]], use: Token
    ) -> list[Token]:
        names = macro.parameters or ()
        if not names and len(arguments) == 1 and not arguments[0]:
            arguments = ()
        if len(names) != len(arguments):
            message = f"expected {len(names)} arguments of {macro.name}, found {len(arguments)}"
            raise UnsupportedC(message, use.start, use.end)
        values = dict(zip(names, arguments, strict=True))
        body: list[Token] = []
        for token in macro.body:
            part = values.get(token.text, (token,)) if token.kind == "name" else (token,)
            self.spend(part, use)
            body += part
        return body


def _arguments(pending: list[Token], use: Token) -> tuple[list[list[Token]], Token]:
    """Takes the call "( ... )" of the macro used at `use` off the end of `pending`. Returns its
    arguments and the closing parenthesis."""
    pending.pop()
    arguments: list[list[Token]] = [[]]
    depth = 0
    while pending:
        token = pending.pop()
        if token.text == ")" and depth == 0:
            return arguments, token
        if token.text == "," and depth == 0:
            arguments.append([])
            continue
        depth += (token.text == "(") - (token.text == ")")
        arguments[-1].append(token)
    raise UnsupportedC(f"expected ')' after {use.text}(, found none", use.start, use.end)
