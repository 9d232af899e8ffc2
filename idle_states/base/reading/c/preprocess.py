"""The C preprocessor. Text that it removes becomes blanks, so that no offset changes."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from ...dataclass import dataclass
from ...patterns import pattern
from .. import limits
from .budget import MacroBudget
from .definitions import Definitions, DefinitionsAt
from .expression import evaluate
from .lexer import (
    COMMENT,
    LITERALS,
    NAME,
    NUMBER,
    QUOTED_CHARACTER,
    QUOTED_STRING,
    SPLICE,
    Token,
    UnsupportedC,
    tokens,
)
from .macros import Expansion, Macro

MAX_DIRECTIVES = limits.C_DIRECTIVES
MAX_OPEN_GROUPS = limits.C_OPEN_GROUPS
MAX_CONDITION_CHARACTERS = limits.C_CONDITION_CHARACTERS
"""Far beyond any C that people write; a limit on hostile text."""

_LITERAL = rf"{QUOTED_STRING}|{QUOTED_CHARACTER}"
_SCAN = pattern(
    rf"""{COMMENT}
    | {_LITERAL}
    | \#(?>(?: [^\n\\/"']+ | \\(?:\r?\n|.)? | {COMMENT} | / | {_LITERAL} )*)
    | {SPLICE}""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = pattern(rf"\#(?>(?:[ \t\f\v]|{SPLICE}|{COMMENT})*)([a-z_]+)", re.DOTALL)
_BLANK = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
_PLAIN = bytes({0: 0x3F, 0x0B: 0x20, 0x0C: 0x20}.get(byte, byte) for byte in range(256))


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """A C file as it is compiled. Offsets in `code` and `bare` are those in `text`.

    text         as it was read
    code         with blanks for comments, directives, line continuations and what a false #if
                 leaves out, "?" for all that is not ASCII; macros are not expanded
    bare         `code` with blanks for the content of string and character literals
    definitions  the macros
    budget       what they may still produce
    problems     an #if without #endif, an #else without #if, and the like
    doubts       each #if with a condition that cannot be evaluated, up to its #endif; the branch is
                 left out
    """

    text: str
    code: str
    bare: str
    definitions: Definitions
    budget: MacroBudget
    problems: tuple[UnsupportedC, ...]
    doubts: tuple[UnsupportedC, ...]

    def tokens(self, start: int, end: int) -> list[Token]:
        """Returns the tokens between two offsets, with literals as in the original text, which need
        not be ASCII."""
        return [
            token._replace(text=self.text[token.start : token.end])
            if token.kind in LITERALS
            else token
            for token in tokens(self.code, start, end)
        ]

    def expanded(self, found: Sequence[Token], at: int) -> list[Token]:
        """Returns tokens with all macros expanded, as they are defined at offset `at`. Raises
        UnsupportedC."""
        macros = DefinitionsAt(self.definitions, at)
        return Expansion(macros, self.budget, strict=True).expanded(found)


def preprocess(
    text: str,
    defines: Mapping[str, str] | None = None,
    builtin: Mapping[str, str] | None = None,
) -> Preprocessed:
    """Returns a C file as it is compiled.

    defines  macros that the file does not define itself, "NAME" or "NAME(a, b)" -> text. A name
             that is no macro is 0 in an #if, as for the compiler
    builtin  likewise, what every file of its kind has; `defines` goes before it
    """
    return _Preprocessor(text, defines or {}, builtin or {}).run()


def own_definitions(clean: Preprocessed) -> dict[str, str]:
    """Returns the macros that a file itself defines: "NAME" or "NAME(a, b)" -> text."""
    return {macro.head: " ".join(t.text for t in macro.body) for macro in clean.definitions.own()}


@dataclass(slots=True)
class _Group:
    """An #if whose #endif has not come yet.

    start      offset of the #if
    enclosing  whether the text around it is compiled
    decided    whether no further branch can be compiled: one was, or nothing around it is
    otherwise  whether its #else came
    doubt      the first of its conditions that cannot be evaluated
    """

    start: int
    enclosing: bool
    decided: bool
    otherwise: bool = False
    doubt: UnsupportedC | None = None


class _Preprocessor:
    def __init__(self, text: str, defines: Mapping[str, str], builtin: Mapping[str, str]) -> None:
        self.text = text
        self.definitions = Definitions(defines, builtin)
        self.budget = MacroBudget(len(text))
        self.code = bytearray(text.encode("ascii", "replace").translate(_PLAIN))
        if text.startswith("\ufeff"):
            self.code[:1] = b" "
        self.literals: list[tuple[int, int]] = []
        self.groups: list[_Group] = []
        self.active = True
        self.inactive_from = 0
        self.directives = 0
        self.problems: list[UnsupportedC] = []
        self.doubts: list[UnsupportedC] = []

    def run(self) -> Preprocessed:
        for match in _SCAN.finditer(self.text):
            start, end = match.span()
            first = match[0][0]
            if first in "\"'":
                self.literals.append((start, end))
            elif first != "#":
                self.blank(start, end)
            elif self.starts_line(start):
                self.directives += 1
                self.directive(match[0], start, end)
                self.blank(start, end)
                if self.directives > MAX_DIRECTIVES or len(self.groups) > MAX_OPEN_GROUPS:
                    message = f"expected at most {MAX_DIRECTIVES} directives, found more"
                    if len(self.groups) > MAX_OPEN_GROUPS:
                        message = f"expected at most {MAX_OPEN_GROUPS} open #if, found more"
                    self.problem(message, start)
                    break
        else:
            for group in self.groups:
                self.problem("expected #endif, found the end of the file", group.start)
                self.close(group, len(self.text))
        if not self.active:
            self.blank(self.inactive_from, len(self.text))
        bare = bytearray(self.code)
        for start, end in self.literals:
            bare[start:end] = bare[start:end].translate(_BLANK)
        return Preprocessed(
            self.text,
            self.code.decode("ascii"),
            bare.decode("ascii"),
            self.definitions,
            self.budget,
            tuple(self.problems),
            tuple(self.doubts),
        )

    def blank(self, start: int, end: int) -> None:
        self.code[start:end] = self.code[start:end].translate(_BLANK)

    def starts_line(self, offset: int) -> bool:
        """Only blanks (or comments, blank by now) come before `offset` in its line."""
        line = self.code.rfind(b"\n", 0, offset) + 1
        return not self.code[line:offset].strip()

    def problem(self, message: str, offset: int) -> None:
        self.problems.append(UnsupportedC(message, offset, offset + 1))

    def directive(self, text: str, start: int, end: int) -> None:
        match = _DIRECTIVE.match(text)
        if match is None:
            return
        word, rest, offset = match[1], text[match.end() :], start + match.end()
        if word in ("if", "ifdef", "ifndef"):
            group = _Group(start, self.active, decided=not self.active)
            self.groups.append(group)
            self.branch(group, word, start, offset, end)
        elif word in ("elif", "elifdef", "elifndef", "else", "endif"):
            if not self.groups:
                self.problem(f"expected #if before #{word}, found none", start)
            else:
                self.continuation(self.groups[-1], word, start, offset, end)
        elif self.active and word in ("define", "undef"):
            # what the compiler refuses is told where it is used, as a name that is no macro
            with suppress(UnsupportedC):
                macro = Macro.parsed(_without_comments(rest))
                self.definitions.change(start, macro.name, macro if word == "define" else None)

    def continuation(self, group: _Group, word: str, start: int, offset: int, end: int) -> None:
        if word == "endif":
            self.groups.pop()
            self.close(group, end)
            self.switch(group.enclosing, start, end)
            return
        if group.otherwise:
            self.problem(f"expected #endif after #else, found #{word}", start)
        group.otherwise = group.otherwise or word == "else"
        self.switch(False, start, end)
        kind = "else" if word == "else" else word.removeprefix("el")
        self.branch(group, kind, start, offset, end)

    def branch(self, group: _Group, word: str, start: int, offset: int, end: int) -> None:
        """Begins a branch, which is compiled if it is the first whose condition holds."""
        chosen = not group.decided and (word == "else" or self.holds(group, word, offset, end))
        group.decided = group.decided or chosen
        self.switch(chosen, start, end)

    def switch(self, active: bool, start: int, end: int) -> None:
        """Compiles from the directive start..end on, or leaves out what follows it."""
        if active and not self.active:
            self.blank(self.inactive_from, start)
        elif self.active and not active:
            self.inactive_from = end
        self.active = active

    def holds(self, group: _Group, word: str, offset: int, end: int) -> bool:
        try:
            if end - offset > MAX_CONDITION_CHARACTERS:
                message = f"expected at most {MAX_CONDITION_CHARACTERS} characters, found more"
                raise UnsupportedC(message, offset, end)
            condition = tokens(self.text, offset, end)
            if word == "if":
                return bool(self.condition(condition, offset, end))
            if len(condition) != 1 or condition[0].kind != "name":
                raise UnsupportedC(f"expected one name after #{word}", offset, end)
        except UnsupportedC as problem:
            group.doubt = group.doubt or problem
            return False
        defined = self.definitions.lookup(condition[0].text, offset) is not None
        return defined == (word == "ifdef")

    def condition(self, condition: list[Token], offset: int, end: int) -> int:
        macros = DefinitionsAt(self.definitions, offset)
        settled = with_defined(condition, lambda name: macros.get(name) is not None)
        expanded = Expansion(macros, self.budget, strict=True).expanded(settled)
        return evaluate(expanded, offset, end, in_if=True).value

    def close(self, group: _Group, end: int) -> None:
        if group.doubt is not None:
            message = f"#if cannot be evaluated: {group.doubt.message}"
            self.doubts.append(UnsupportedC(message, group.start, end))


def _without_comments(text: str) -> str:
    return re.sub(rf"{COMMENT}|{SPLICE}|({_LITERAL})", _kept, text, flags=re.DOTALL)


def _kept(match: re.Match[str]) -> str:
    return match[1] or " "


def with_defined(condition: Sequence[Token], defined: Callable[[str], bool]) -> list[Token]:
    """Returns the condition of an #if with 0 or 1 for each `defined NAME`. Raises UnsupportedC."""
    settled = []
    index = 0
    while index < len(condition):
        token = condition[index]
        index += 1
        if token.text == "defined":
            following = condition[index : index + 3]
            if [part.text for part in following[::2]] == ["(", ")"]:
                index += 2
                following = following[1:]
            index += 1
            if not following or following[0].kind != NAME:
                raise UnsupportedC("expected a name after defined", token.start, token.end)
            token = token._replace(kind=NUMBER, text=str(int(defined(following[0].text))))
        settled.append(token)
    return settled
