"""The arrays of a C file, their rows and members, with all macros expanded."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ....base.dataclass import dataclass, field
from ....base.patterns import pattern
from ....base.reading import limits
from ....base.reading.c.initialiser import Initialised, elements
from ....base.reading.c.lexer import Token, UnsupportedC, scan, written
from ....base.reading.c.preprocess import Preprocessed

MAX_ARRAY_CHARACTERS = limits.C_ARRAY_CHARACTERS
"""The most characters of all arrays together; skiboot's largest file has 12 KiB of them."""
MAX_ARRAYS = limits.C_ARRAYS
MAX_ROWS = limits.C_ROWS
MAX_NESTING = limits.C_NESTING

FIELD_MEMBERS = {
    # field of IdleState -> names of its member, newest first
    "name": ("name",),
    "latency": ("latency_ns",),
    "residency": ("residency_ns",),
    "control": ("pm_ctrl_reg_val", "pmicr", "psscr"),
    "mask": ("pm_ctrl_reg_mask", "pmicr_mask", "psscr_mask"),
    "flags": ("flags",),
}
"""struct cpu_idle_states, in its order since 952daa69b."""
_FORMER = {old: names[0] for names in FIELD_MEMBERS.values() for old in names[1:]}
_KNOWN = frozenset(name for names in FIELD_MEMBERS.values() for name in names)

_ATTRIBUTE = r"(?:__\w++\s*(?:\(\([^;{}=]{0,200}?\)\)\s*)?)?"
_ARRAY = pattern(
    rf"struct(?<!\wstruct)\s+cpu_idle_states\s+(?:const\s+)?{_ATTRIBUTE}(\w+)\s*\[([^\[\]{{}};]{{0,200}})\]"
    rf"\s*{_ATTRIBUTE}=\s*",
    re.ASCII,
)
_STRUCT = pattern(r"struct(?<!\wstruct)\s+cpu_idle_states\s*\{([^{}]{0,4000})\}")
_DECLARATORS = pattern(r"\b(\w++)\s*+(?:\[[^\[\]]*\]\s*)?(?:,|$)", re.ASCII)
_BRACKET = pattern(r"[][(){}]")
_ENDS = frozenset("{},=:")
"""Signs across which no call of a macro goes on, unless they are in its parentheses."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a C file.

    macro   the macro whose use this is, if that made what stands there; else ""
    tokens  of a value, with macros expanded as far as they can be
    """

    start: int
    end: int
    macro: str = ""
    tokens: Sequence[Token] = ()


@dataclass(frozen=True, slots=True)
class CRow:
    """One row of an array.

    span     its text
    members  name -> place of the value, as in the text
    given    name and place of all values in the text's order, those too that a later one replaces
    """

    span: Span
    members: dict[str, Span] = field(default_factory=dict)
    given: list[tuple[str, Span]] = field(default_factory=list)

    @property
    def macro(self) -> str:
        """The macro that makes the row or the first of its members that one makes; else ""."""
        places = (self.span, *self.members.values())
        return next((place.macro for place in places if place.macro), "")


@dataclass(frozen=True, slots=True)
class Array:
    """An array with its initialiser. size: the text between its brackets, which may be empty."""

    name: Span
    size: Span
    initialiser: Span


@dataclass(frozen=True, slots=True)
class StructMembers:
    """The struct's members in order. assumed: the file does not define it, so that it may be the
    struct of any release."""

    members: tuple[str, ...]
    assumed: bool

    def position(self, member: str) -> int | None:
        if self.assumed:
            member = _FORMER.get(member, member)
        return self.members.index(member) if member in self.members else None

    def member(self, field: str) -> str | None:
        """Returns the name of the struct member for a field of IdleState; None if the struct has
        none."""
        return next((name for name in FIELD_MEMBERS[field] if name in self.members), None)


def layout(clean: Preprocessed) -> StructMembers:
    match = _STRUCT.search(clean.bare)
    if match is None:
        return StructMembers(tuple(names[0] for names in FIELD_MEMBERS.values()), assumed=True)
    declarations = match[1].split(";")
    names = [name for part in declarations for name in _DECLARATORS.findall(part.rstrip())]
    return StructMembers(tuple(names), assumed=False)


def arrays(clean: Preprocessed, problems: list[UnsupportedC]) -> Iterator[Array]:
    """Yields every array of struct cpu_idle_states that has an initialiser. problems: what cannot
    be parsed is added."""
    total = 0
    for count, match in enumerate(_ARRAY.finditer(clean.bare), 1):
        name = Span(*match.span(1))
        if count > MAX_ARRAYS:
            message = f"expected at most {MAX_ARRAYS} tables, found more"
            problems.append(UnsupportedC(message, name.start, name.end))
            return
        try:
            end = _end_of_initialiser(clean.bare, match.end(), name)
        except UnsupportedC as problem:
            problems.append(problem)
            continue
        total += end - match.end()
        if total > MAX_ARRAY_CHARACTERS:
            message = f"expected at most {MAX_ARRAY_CHARACTERS} characters of tables, found more"
            problems.append(UnsupportedC(message, name.start, name.end))
            return
        yield Array(name, Span(*match.span(2)), Span(match.end(), end))


def _end_of_initialiser(bare: str, start: int, name: Span) -> int:
    """Returns the offset after the initialiser's closing brace. Raises UnsupportedC if no semicolon
    follows."""
    word = bare[name.start : name.end]
    if bare[start : start + 1] != "{":
        message = f"expected '{{' after {word}[] =, found {bare[start : start + 1]!a}"
        raise UnsupportedC(message, name.start, name.end)
    depth = 0
    for match in _BRACKET.finditer(bare, start):
        depth += 1 if match[0] in "({[" else -1
        if depth > MAX_NESTING:
            message = f"expected at most {MAX_NESTING} brackets inside each other, found more"
            raise UnsupportedC(message, match.start(), match.end())
        if depth == 0:
            rest = bare[match.end() : match.end() + 200].lstrip()[:1]
            if rest != ";":
                message = f"expected ';' after the rows of {word}, found {rest or 'nothing'}"
                raise UnsupportedC(message, match.start(), match.end())
            return match.end()
    message = f"expected '}};' at the end of {word}, found the end of the file"
    raise UnsupportedC(message, name.start, name.end)


def rows(
    clean: Preprocessed, array: Array, struct: StructMembers, problems: list[UnsupportedC]
) -> list[CRow]:
    """Returns the rows of an array. Values without a designator are in the order of the struct's
    members. problems: what cannot be parsed is added."""
    return _Rows(clean, array, struct).read(problems)


class _Rows:
    def __init__(self, clean: Preprocessed, array: Array, struct: StructMembers) -> None:
        self.clean = clean
        self.array = array
        self.struct = struct
        self.tokens = list(_expanded(clean, array.initialiser))

    def read(self, problems: list[UnsupportedC]) -> list[CRow]:
        try:
            listed = elements(self.tokens, lambda index, before: 0)
        except UnsupportedC as problem:
            problems.append(problem)
            return []
        if len(listed) > MAX_ROWS:
            message = f"expected at most {MAX_ROWS} rows, found more"
            problems.append(UnsupportedC(message, self.array.name.start, self.array.name.end))
            return []
        found = []
        for element in listed:
            try:
                found.append(self.row(element))
            except UnsupportedC as problem:
                problems.append(problem)
                found.append(CRow(self.whole(element)))
        return found

    def row(self, element: Initialised) -> CRow:
        span = self.whole(element)
        if not element.is_list or element.path:
            # what could not be expanded is told in its own words
            self.clean.expanded(self.tokens[element.start : element.end], span.start)
            word = self.designators(element) or self.macro(element.place)
            word = word or written(self.tokens[element.start : element.end]).split("(")[0].strip()
            message = f"expected a row in braces, found {word[:60]!a}"
            raise UnsupportedC(message, span.start, span.end)
        ends = self.tokens[element.start], self.tokens[element.end - 1]
        row = CRow(Span(span.start, span.end, next(filter(None, map(self.macro, ends)), "")))
        position = 0
        for member in element.value:
            assert isinstance(member, Initialised)
            place = self.whole(member)
            if member.path:
                name = self.designated(member)
            elif position < len(self.struct.members):
                name = self.struct.members[position]
            else:
                message = f"expected at most {len(self.struct.members)} values in a row, found more"
                raise UnsupportedC(message, place.start, place.end)
            found = self.struct.position(name)
            if found is None or name not in _KNOWN:
                known = ", ".join(name for name in self.struct.members if name in _KNOWN)
                message = f"expected a member of struct cpu_idle_states ({known}), found {name}"
                raise UnsupportedC(message, place.start, place.end)
            row.members[name] = self.value(member)
            row.given.append((name, row.members[name]))
            position = found + 1
        return row

    def designated(self, member: Initialised) -> str:
        name = member.path[0]
        if len(member.path) != 1 or not isinstance(name, str):
            span = self.whole(member)
            message = "expected a member's designator such as .name, found "
            word = self.designators(member)
            raise UnsupportedC(f"{message}{word[:60]!a}", span.start, span.end)
        return name

    def value(self, member: Initialised) -> Span:
        """Returns the place of a value without the one pair of braces that C allows around it. A
        macro made it that made what is beside it, too."""
        if member.is_list and len(member.value) == 1:
            (inner,) = member.value
            assert isinstance(inner, Initialised)
            member = inner._replace(is_list=inner.is_list or bool(inner.path))
        start, end = member.start, member.end
        if start == end:
            at = self.tokens[start - 1].end
            raise UnsupportedC(f"expected a value, found {self.tokens[end].text}", at, at + 1)
        first, last = self.tokens[start], self.tokens[end - 1]
        if member.is_list:
            raise UnsupportedC("expected one value, found a list", first.start, last.end)
        macro = ""
        for own, other in ((first, self.tokens[start - 1]), (last, self.tokens[end])):
            if other.start == own.start:
                macro = macro or self.macro(own)
        return Span(first.start, last.end, macro, self.tokens[start:end])

    def whole(self, element: Initialised) -> Span:
        last = self.tokens[element.end - 1]
        return Span(element.place.start, max(element.place.end, last.end))

    def designators(self, element: Initialised) -> str:
        return written(self.tokens[element.first : max(element.first, element.start - 1)])

    def macro(self, token: Token) -> str:
        """The macro of whose use a token is from; "" for one that stands in the file."""
        return next(scan(self.clean.code, token.start)).text if token.hidden else ""


def _expanded(clean: Preprocessed, place: Span) -> Iterator[Token]:
    """Yields an initialiser's tokens with all macros expanded. A part that cannot be expanded, be
    it a value, stays as it is, so that the others can be read."""
    depth = 0
    part: list[Token] = []
    for token in clean.tokens(place.start, place.end):
        depth = max(0, depth + (token.text == "(") - (token.text == ")"))
        part.append(token)
        if depth or token.text not in _ENDS:
            continue
        with suppress(UnsupportedC):
            made = clean.expanded(part, part[0].start)
            signs = [token.text for token in made]
            if signs.count("(") == signs.count(")"):
                part = made
        yield from part
        part = []
    yield from part
