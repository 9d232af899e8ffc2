"""Runs the preprocessor: a source with what it includes, as one text for dtc.

It does what these sources use of the C preprocessor, as GNU cpp does it for assembler: includes,
macros with #, ## and variadic arguments, conditions. What it does not do (#include_next, __LINE__
and the like) is refused by name.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property

from ....base.dataclass import dataclass, field
from ....base.model.findings import Location, Unreadable, unreadable
from ....base.patterns import pattern
from ....base.reading import limits
from ....base.reading.c.budget import MacroBudget
from ....base.reading.c.expression import evaluate
from ....base.reading.c.lexer import NAME, SIGN, Token, UnsupportedC, pastes, tokens, written
from ....base.reading.c.macros import Expansion, Following, Macro
from ....base.reading.c.preprocess import with_defined
from ..tree import not_a_tree
from .sections import DefineRun, Directive, ExpandedText, Misread, Sections, Text, sections

_NAMED = pattern(r'<([^>\n]*)>|"([^"\n]*)"')
_PREDEFINED = {"__DTS__": "1", "__ASSEMBLER__": "1", "__STDC__": "1", "__STDC_HOSTED__": "1"}
_REFUSED = ("__FILE__", "__LINE__", "__BASE_FILE__", "__INCLUDE_LEVEL__", "__COUNTER__",
            "__DATE__", "__TIME__", "__TIMESTAMP__", "_Pragma", "__has_include")  # fmt: skip
_CONDITIONS = ("if", "ifdef", "ifndef")
_IGNORED = ("warning", "ident", "pragma")
_MOST_KEPT = 200_000
"""Names of macros that are kept with texts expanded before, of one source."""

Find = Callable[[str, bool, str], tuple[str, Sections] | None]
"""name, whether it stands in quotes, the file that includes it -> path and content of the file;
None if there is none. Raises Unreadable for what may not be opened; Misread."""


@dataclass
class MadeText:
    """A stretch of the output, as long in lines as what it was made of.

    edits  (place in the output, length there, place in the text, length there) of each macro's use
    """

    file: str
    text: Text
    made: str
    edits: list[tuple[int, int, int, int]]

    @cached_property
    def lines(self) -> list[int]:
        """The positions where the lines of the output begin."""
        return [0, *(match.end() for match in re.finditer("\n", self.made))]


@dataclass(slots=True)
class WholeSource:
    """A source as dtc takes it.

    shown    file -> text of each file that was read
    digests  file -> its SHA-256
    """

    text: str = ""
    shown: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    _stretches: list[MadeText] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)

    def place(self, line: int, column: int) -> tuple[str, int, int]:
        """File, line and column where a place of the text was written; of what a macro made, where
        the macro was used."""
        if not self._stretches:
            return "", line, column
        number = max(0, bisect_right(self._starts, line) - 1)
        stretch = self._stretches[number]
        lines = stretch.lines
        at = lines[min(line - self._starts[number], len(lines) - 1)]
        at = _origin(stretch.edits, at + column - 1)
        source = stretch.text.text
        written_at = stretch.text.line + source.count("\n", 0, at)
        return stretch.file, written_at, at - source.rfind("\n", 0, at)


def _origin(edits: list[tuple[int, int, int, int]], at: int) -> int:
    number = bisect_right(edits, at, key=lambda edit: edit[0]) - 1
    if number < 0:
        return at
    made, made_length, source, length = edits[number]
    return source if at < made + made_length else at - made - made_length + source + length


@dataclass(slots=True)
class _Group:
    """An #if that is open. decided: whether a branch was compiled; live: whether this one is."""

    line: int
    outer: bool
    decided: bool
    live: bool
    last: bool = False


def preprocess(data: bytes, file: str, find: Find) -> WholeSource:
    """A source, as GNU cpp would give it to dtc. file: what messages call it.

    Raises Unreadable: IS931 for what no preprocessor takes, IS930 for what may not be opened or is
    too much, each at its place.
    """
    run = _Run(find, len(data))
    run.file(_parsed(data, file), file)
    run.made.text = "".join(run.parts)
    return run.made


def _parsed(data: bytes, file: str) -> Sections:
    try:
        return sections(data)
    except Misread as error:
        raise not_a_tree(Location("", file, error.line, 1), str(error)) from None


class _Run:
    def __init__(self, find: Find, size: int) -> None:
        self.find = find
        self.macros = {name: Macro(name, text) for name, text in _PREDEFINED.items()}
        self.budget = MacroBudget(size)
        self.expansion = Expansion(self.macros, self.budget, strict=False)
        # of names that take no arguments and whose expansion has none that does
        self.known: dict[str, tuple[str, Token, Token] | None] = {}
        self.made = WholeSource()
        self.parts: list[str] = []
        self.line = 1
        self.size = self.read = 0
        self.includes = 0
        self.depth = self.kept = 0

    def file(self, read: Sections, name: str) -> None:
        self.made.shown[name] = read.shown
        self.made.digests[name] = read.sha256
        groups: list[_Group] = []
        live = True
        for part in read.parts:
            if isinstance(part, Directive):
                if part.word in _CONDITIONS:
                    holds = live and self.holds(part, name)
                    groups.append(_Group(part.line, live, holds, holds))
                    live = holds
                elif part.word in ("elif", "else", "endif"):
                    live = self.branch(groups, part, name)
                elif live:
                    self.directive(part, name)
            elif not live:
                continue
            elif isinstance(part, DefineRun):
                self.macros.update(part.macros)
                self.known.clear()
            else:
                self.text(part, name)
        if groups:
            raise not_a_tree(Location("", name, groups[-1].line, 1), "expected #endif, found none")

    def branch(self, groups: list[_Group], part: Directive, name: str) -> bool:
        if not groups or (groups[-1].last and part.word != "endif"):
            raise self.bad(part, name, f"expected an #if before #{part.word}, found none")
        group = groups[-1]
        if part.word == "endif":
            groups.pop()
            return group.outer
        if part.word == "else":
            group.last = True
            group.live = group.outer and not group.decided
        else:
            group.live = group.outer and not group.decided and self.holds(part, name)
        group.decided = group.decided or group.live
        return group.live

    def directive(self, part: Directive, name: str) -> None:
        if part.word == "include":
            self.include(part, name)
        elif part.word == "undef":
            if self.macros.pop(part.rest, None):
                self.known.clear()
        elif part.word == "define":
            raise self.bad(part, name, part.rest)
        elif part.word == "error":
            raise self.bad(
                part, name, f"expected a source without errors, found #error {part.rest}"
            )
        elif part.word not in _IGNORED:
            raise self.bad(
                part, name, f"expected a directive that kernel sources use, found #{part.word}"
            )

    def include(self, part: Directive, name: str) -> None:
        where = Location("", name, part.line, 1, len("#include"))
        rest = part.rest
        if not _NAMED.match(rest):
            try:
                rest = written(self.expansion.expanded(tokens(rest)))
            except UnsupportedC as problem:
                raise not_a_tree(where, str(problem)) from None
        named = _NAMED.match(rest)
        if named is None:
            raise not_a_tree(where, f"expected a file to include, found {rest!r}")
        self.includes += 1
        if self.includes > limits.DTS_INCLUDES:
            raise unreadable(where, f"expected at most {limits.DTS_INCLUDES} includes in all")
        if self.depth >= limits.DTS_INCLUDE_DEPTH:
            raise unreadable(where, f"expected includes at most {limits.DTS_INCLUDE_DEPTH} deep")
        try:
            found = self.find(named[1] or named[2] or "", named[2] is not None, name)
        except Misread as error:
            raise not_a_tree(where, str(error)) from None
        except Unreadable as error:
            raise unreadable(where, error.findings[0].message) from None
        if found is None:
            message = f"expected a file to include, found none of the name {named[0]}"
            raise not_a_tree(where, message)
        path, read = found
        size = len(read.shown)
        self.read += size
        try:
            # a file that is included again is more work, and no more source
            if path in self.made.shown:
                self.expansion.spend(size, Token(NAME, named[0]))
            else:
                self.budget.grow(size)
        except UnsupportedC as problem:
            raise not_a_tree(where, str(problem)) from None
        files, most = limits.DTS_INCLUDED_FILES, limits.DTS_EXPANDED_BYTES
        if len(self.made.shown) > files or self.read > most:
            raise unreadable(where, f"expected at most {files} included files and {most} bytes")
        self.depth += 1
        self.file(read, path)
        self.depth -= 1

    def holds(self, part: Directive, name: str) -> bool:
        if part.word != "if" and part.word != "elif":
            named = tokens(part.rest)
            if not named or named[0].kind != NAME:
                raise self.bad(part, name, f"expected a name after #{part.word}, found none")
            return (named[0].text in self.macros) == (part.word == "ifdef")
        try:
            settled = with_defined(tokens(part.rest), self.macros.__contains__)
            condition = self.expansion.expanded(settled)
            return bool(evaluate(condition, 0, 0, in_if=True).value)
        except UnsupportedC as problem:
            raise self.bad(part, name, f"#{part.word} cannot be evaluated: {problem}") from None

    def text(self, part: Text, name: str) -> None:
        used = self.macros.keys() & part.names
        made, edits = self.made_of(part, used, name) if used else (part.text, [])
        self.check_refused(part, name)
        self.made._starts.append(self.line)
        self.made._stretches.append(MadeText(name, part, made, edits))
        # the next stretch begins on a line of its own
        ends = "" if made.endswith("\n") else "\n"
        self.parts += (made, ends) if ends else (made,)
        self.line += made.count("\n") + len(ends)
        self.size += len(made) + len(ends)
        if self.size > limits.DTS_EXPANDED_BYTES:
            message = f"expected at most {limits.DTS_EXPANDED_BYTES} bytes with all includes"
            raise unreadable(Location(file=name), message)

    def made_of(
        self, part: Text, used: set[str], name: str
    ) -> tuple[str, list[tuple[int, int, int, int]]]:
        """A stretch with the macros expanded, and the edits; as before, if the macros are."""
        held = part.expanded
        if held is not None and held.used == used and held.cost <= self.budget.left:
            current = self.macros.get
            if all(current(word) is macro for word, macro in held.macros.items()):
                self.budget.left -= held.cost
                return held.made, held.edits
        edits: list[tuple[int, int, int, int]] = []
        left = self.budget.left
        made = self.replaced(part, used, edits, name)
        # what is included may be met again, by another board
        if self.depth and part.met and (macros := self.reached(used)):
            self.kept += len(macros)
            part.expanded = ExpandedText(used, macros, made, edits, left - self.budget.left)
        part.met = True
        return made, edits

    def reached(self, used: set[str]) -> dict[str, Macro | None]:
        """All that an expansion of these macros may look up; empty where ## makes that unknown, or
        where too much is kept by now."""
        found: dict[str, Macro | None] = {}
        waiting = [*used]
        while waiting:
            if self.kept + len(found) > _MOST_KEPT:
                return {}
            word = waiting.pop()
            if word in found:
                continue
            macro = found[word] = self.macros.get(word)
            if macro is not None:
                if macro.names is None:
                    return {}
                waiting += macro.names
        return found

    def check_refused(self, part: Text, name: str) -> None:
        for word in _REFUSED:
            if word in part.names:
                line = part.line + part.text.count("\n", 0, part.names[word][0])
                message = f"expected an operand that kernel sources use, found {word}"
                raise not_a_tree(Location("", name, line, 1), message)

    def replaced(
        self, part: Text, used: set[str], edits: list[tuple[int, int, int, int]], name: str
    ) -> str:
        """A stretch with the macros expanded."""
        source = part.text
        parts: list[str] = []
        done = size = owed = 0
        before: Token | None = None
        uses = sorted((at, name) for name in used for at in part.names[name])
        for at, word in uses:
            if at < done:
                continue
            try:
                known = self.known[word] if word in self.known else self.learned(word)
                if known is not None:
                    cost = limits.MACRO_TOKEN_BYTES + len(known[0])
                    self.expansion.spend(cost, Token(NAME, word))
                    text, first, last, end = *known, at + len(word)
                else:
                    following = Following(source, at + len(word))
                    found = self.expansion.expanded([Token(NAME, word)], following)
                    text, end = written(found), following.at
                    first, last = (found[0], found[-1]) if found else (_NOTHING, _NOTHING)
            except UnsupportedC as problem:
                line = part.line + source.count("\n", 0, at)
                column = at - source.rfind("\n", 0, at)
                raise not_a_tree(
                    Location("", name, line, column, len(word)), str(problem)
                ) from None
            left = before if before and at == done else _ending(source, at)
            if text and left and pastes(left, first):
                text = f" {text}"
            if end < len(source) and not source[end].isspace():
                (right, *_) = tokens(source[end : end + 2])
                if pastes(last, right) if text else left and pastes(left, right):
                    text = f"{text} "
            plain = source[done:at]
            if owed and "\n" in plain:
                plain, size = _paid(plain, owed, edits, size, done), size + owed
                owed = 0
            # the lines that a call took: at the end of the line, as cpp has them
            owed += source.count("\n", at, end)
            parts += (plain, text)
            size += at - done
            edits.append((size, len(text), at, end - at))
            size += len(text)
            done, before = end, last
        plain = source[done:]
        if owed:
            plain = _paid(plain, owed, edits, size, done)
        parts.append(plain)
        return "".join(parts)

    def learned(self, word: str) -> tuple[str, Token, Token] | None:
        """The expansion of a name, if it is the same wherever it stands."""
        found: tuple[str, Token, Token] | None = None
        if self.macros[word].parameters is None:
            made = self.expansion.expanded([Token(NAME, word)])
            macro = self.macros.get(made[-1].text) if made and made[-1].kind == NAME else None
            if macro is None or macro.parameters is None:
                first, last = (made[0], made[-1]) if made else (_NOTHING, _NOTHING)
                found = written(made), first, last
        self.known[word] = found
        return found

    @staticmethod
    def bad(part: Directive, name: str, message: str) -> Unreadable:
        where = Location("", name, part.line, 1, len(part.word) + 1)
        return not_a_tree(where, message)


_NOTHING = Token(SIGN, "")


def _paid(
    plain: str, owed: int, edits: list[tuple[int, int, int, int]], size: int, done: int
) -> str:
    """A text, put at `size` and written at `done`, with ends of lines put in at its first."""
    at = plain.find("\n") if "\n" in plain else len(plain)
    edits.append((size + at, owed, done + at, 0))
    return plain[:at] + "\n" * owed + plain[at:]


def _ending(source: str, at: int) -> Token | None:
    """The sign right before a place; None where there is a blank or the beginning."""
    sign = source[at - 1 : at]
    return Token(SIGN, sign) if sign and not sign.isspace() else None
