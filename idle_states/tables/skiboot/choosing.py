"""The code of skiboot that chooses a table for a machine: a tree of conditions with their places.

The functions are add_cpu_idle_state_properties() of hw/slw.c and, since 65d9909a7,
find_cpu_idle_state_properties_p8() of hw/slw-p8.c. Conditions on the chip's type and EC level, the
generation, quirks and fused cores are understood; another condition is a doubt where it decides.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

from ...base.dataclass import dataclass, field
from ...base.model.findings import Location
from ...base.patterns import pattern
from ...base.reading import limits
from ...base.reading.c.lexer import Token, UnsupportedC, tokens
from .c_table.builtin import preprocess

EXPORT, OF_POWER8 = "add_cpu_idle_state_properties", "find_cpu_idle_state_properties_p8"
USUAL_BUILD = {"CONFIG_P8": "1"}
"""The macros that skiboot's Makefile defines unless it is told otherwise."""
MAMBO = ("QUIRK_MAMBO_CALLOUTS", "QUIRK_DISABLE_NAP")
LATEST_EC = 0xFF
_MOST_WORDS = 400
"""Tokens of a condition."""
MOST_MACHINES = 20_000
"""Combinations of chip, EC level, quirk and fused cores that one tree's code is asked for."""


@dataclass(frozen=True, slots=True)
class MachineKind:
    """The properties of a machine that the code asks for. chip, quirks: as skiboot names them,
    without PROC_CHIP_, and with QUIRK_."""

    chip: str
    ec: int = LATEST_EC
    quirks: frozenset[str] = frozenset()
    fused: bool = False

    @property
    def generation(self) -> int:
        return generation_of(self.chip)

    def __str__(self) -> str:
        parts = [f"chip {self.chip}"]
        parts += [] if self.ec == LATEST_EC else [f"EC {self.ec:#04x}"]
        parts += sorted(self.quirks)
        return ", ".join([*parts, "fused cores"] if self.fused else parts)


def quirk_word(macro: str) -> str:
    """The word that specs and platforms have for a quirk: "mambo" of QUIRK_MAMBO_CALLOUTS."""
    return "mambo" if macro in MAMBO else macro.removeprefix("QUIRK_").lower()


def quirk_macro(word: str) -> str:
    """The macro of a quirk that a spec names by its word, or by the macro itself."""
    return MAMBO[0] if word == "mambo" else f"QUIRK_{word.removeprefix('QUIRK_').upper()}"


def generation_of(chip: str) -> int:
    """The number in a chip's name: 9 of "P9_NIMBUS"; 0 where there is none."""
    found = re.match(r"P([0-9]{1,3})", chip)
    return int(found[1]) if found else 0


# Conditions


@dataclass(frozen=True, slots=True)
class Atom:
    """A comparison. value: a chip's type, an EC level, a generation's number or quirks' names; of
    what is not understood, its text."""

    what: Literal["chip", "ec", "generation", "quirk", "fused", "unknown"]
    operator: str = ""
    value: str | int | frozenset[str] = ""


@dataclass(frozen=True, slots=True)
class Junction:
    """Conditions joined by || (any), && (all), or one that is negated (none)."""

    how: Literal["any", "all", "none"]
    parts: tuple["Condition", ...]


Condition = Atom | Junction
_COMPARE: Mapping[str, frozenset[int]] = {
    "==": frozenset({0}),
    "!=": frozenset({-1, 1}),
    "<": frozenset({-1}),
    "<=": frozenset({-1, 0}),
    ">": frozenset({1}),
    ">=": frozenset({0, 1}),
}
_ATOM = pattern(
    r"""\w+->type(?P<chip>==|!=)PROC_CHIP_(?P<type>\w+)
    | \w+->ec_level(?P<ec>[=!]=|[<>]=?)(?P<level>0[xX][0-9a-fA-F]{1,8}|[0-9]{1,9})
    | proc_gen(?P<gen>[=!]=|[<>]=?)proc_gen_p(?P<number>[0-9]{1,3})
    | (?:proc_chip_quirks&|chip_quirk\()\(?(?P<quirks>QUIRK_\w+(?:\|QUIRK_\w+)*)\)*
    | (?P<mambo>is_mambo_chip\(\w*\))
    | (?P<fused>\w+(?:\(\))?->is_fused_core)""",
    re.VERBOSE | re.ASCII,
)


def condition(words: Sequence[Token]) -> Condition:
    """Returns the condition that tokens express."""
    while _is_enclosed(words):
        words = words[1:-1]
    for sign, how in (("||", "any"), ("&&", "all")):
        parts = _split(words, sign)
        if len(parts) > 1:
            joined: Literal["any", "all"] = "any" if how == "any" else "all"
            return Junction(joined, tuple(condition(part) for part in parts))
    if words and words[0].text == "!" and (len(words) == 2 or _is_enclosed(words[1:])):
        return Junction("none", (condition(words[1:]),))
    if words and words[0].text == "!" and _ATOM.fullmatch(_text(words[1:])):
        return Junction("none", (condition(words[1:]),))
    return _atom(_text(words))


def _atom(text: str) -> Atom:
    found = _ATOM.fullmatch(text)
    if found is None:
        return Atom("unknown", value=text)
    if found["chip"]:
        return Atom("chip", found["chip"], found["type"])
    if found["ec"]:
        level = found["level"]
        return Atom("ec", found["ec"], int(level, 16 if level[:2] in ("0x", "0X") else 10))
    if found["gen"]:
        return Atom("generation", found["gen"], int(found["number"]))
    if found["quirks"]:
        return Atom("quirk", value=frozenset(found["quirks"].split("|")))
    return Atom("quirk", value=frozenset(MAMBO)) if found["mambo"] else Atom("fused")


def _text(words: Iterable[Token]) -> str:
    return "".join(word.text for word in words)


def _is_enclosed(words: Sequence[Token]) -> bool:
    if len(words) < 2 or words[0].text != "(" or words[-1].text != ")":
        return False
    depth = 0
    for number, word in enumerate(words):
        depth += (word.text == "(") - (word.text == ")")
        if depth == 0:
            return number == len(words) - 1
    return False


def _split(words: Sequence[Token], sign: str) -> list[Sequence[Token]]:
    parts, depth, begin = [], 0, 0
    for number, word in enumerate(words):
        depth += (word.text in "([") - (word.text in ")]")
        if depth == 0 and word.text == sign:
            parts.append(words[begin:number])
            begin = number + 1
    return [*parts, words[begin:]]


def holds(condition: Condition, machine: MachineKind) -> bool | None:
    """Tells whether a condition holds on a machine; None where that is not known."""
    if isinstance(condition, Junction):
        answers = [holds(part, machine) for part in condition.parts]
        if condition.how == "none":
            return None if answers[0] is None else not answers[0]
        decisive = condition.how == "any"
        return decisive if decisive in answers else None if None in answers else not decisive
    if condition.what == "chip":
        return (machine.chip == condition.value) == (condition.operator == "==")
    if condition.what == "quirk":
        assert isinstance(condition.value, frozenset)
        return bool(machine.quirks & condition.value)
    if condition.what == "fused":
        return machine.fused
    if condition.what == "unknown":
        return None
    have, value = machine.ec if condition.what == "ec" else machine.generation, condition.value
    assert isinstance(value, int)
    return (have > value) - (have < value) in _COMPARE[condition.operator]


def atoms(condition: Condition) -> Iterator[Atom]:
    """The comparisons of a condition."""
    if isinstance(condition, Atom):
        yield condition
    else:
        for part in condition.parts:
            yield from atoms(part)


# Statements


@dataclass(frozen=True, slots=True)
class StatementBlock:
    """Statements in braces."""

    start: int
    end: int
    inner: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """An if. condition_at: start and end of its condition, within the parentheses."""

    start: int
    end: int
    condition: Condition
    condition_at: tuple[int, int]
    then: "Statement"
    otherwise: "Statement | None"


@dataclass(frozen=True, slots=True)
class Assigned:
    """states = ARRAY, or *states = ARRAY. array: "" for what is no array's name."""

    start: int
    end: int
    array: str
    target: str


@dataclass(frozen=True, slots=True)
class Plain:
    """Any other statement. inner: what a loop repeats."""

    start: int
    end: int
    kind: Literal["return", "power8", "count", "other", "loop"]
    inner: tuple["Statement", ...] = ()


Statement = StatementBlock | Branch | Assigned | Plain


class _Parser:
    def __init__(self, code: str, start: int, end: int) -> None:
        self.words = tokens(code, start, end)
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        found = self.at + ahead
        return self.words[found].text if found < len(self.words) else ""

    def next_word(self) -> Token:
        if self.at >= len(self.words):
            place = self.words[-1] if self.words else Token("", "")
            raise UnsupportedC("expected a statement, found the end", place.start, place.end)
        self.at += 1
        return self.words[self.at - 1]

    def group(self) -> list[Token]:
        """The tokens in the parentheses that come next."""
        begin, depth = self.at, 0
        while True:
            word = self.next_word().text
            depth += (word == "(") - (word == ")")
            if depth == 0:
                return self.words[begin + 1 : self.at - 1]

    def statement(self, depth: int) -> Statement:
        if depth > limits.C_NESTING:
            word = self.words[self.at]
            raise UnsupportedC("expected fewer statements in each other", word.start, word.end)
        while self.peek() in ("case", "default") or (self.peek(1) == ":" and self.peek() != "?"):
            while self.next_word().text != ":":
                pass
        first = self.next_word()
        if first.text == "}":
            raise UnsupportedC("expected a statement, found }", first.start, first.end)
        if first.text == "{":
            inner = []
            while self.peek() not in ("}", ""):
                inner.append(self.statement(depth + 1))
            return StatementBlock(first.start, self.next_word().end, tuple(inner))
        if first.text == "if" and self.peek() == "(":
            return self.branch(first, depth)
        if first.text in ("for", "while", "switch") and self.peek() == "(":
            self.group()
            body = self.statement(depth + 1)
            return Plain(first.start, body.end, "loop", (body,))
        if first.text == "do":
            body = self.statement(depth + 1)
            return Plain(first.start, self.rest().end, "loop", (body,))
        self.at -= 1
        begin = self.at
        last = self.rest()
        return _plain(self.words[begin : self.at], last)

    def branch(self, first: Token, depth: int) -> Branch:
        opening = self.words[self.at]
        words = self.group()
        if len(words) > _MOST_WORDS:
            raise UnsupportedC("expected a shorter condition", opening.start, opening.end)
        place = opening.end, self.words[self.at - 1].start
        then = self.statement(depth + 1)
        otherwise = None
        if self.peek() == "else":
            self.at += 1
            otherwise = self.statement(depth + 1)
        end = (otherwise or then).end
        return Branch(first.start, end, condition(words), place, then, otherwise)

    def rest(self) -> Token:
        """The last token of a statement that ends with a semicolon."""
        depth = 0
        while True:
            word = self.next_word()
            depth += (word.text in "({[") - (word.text in ")}]")
            if word.text == ";" and depth <= 0:
                return word


def _plain(words: Sequence[Token], last: Token) -> Assigned | Plain:
    start, texts = words[0].start, [word.text for word in words]
    star = int(texts[0] == "*")
    if texts[star : star + 2] == ["states", "="]:
        value = words[star + 2 : -1]
        name = value[0].text if len(value) == 1 and value[0].kind == "name" else ""
        return Assigned(start, last.end, name, "*states" if star else "states")
    if texts[star : star + 2] == ["nr_states", "="]:
        return Plain(start, last.end, "count")
    if texts[0] == "return":
        return Plain(start, last.end, "return")
    kind: Literal["power8", "other"] = "power8" if texts[0] == OF_POWER8 else "other"
    return Plain(start, last.end, kind)


def inner(statement: Statement) -> tuple[Statement, ...]:
    """The statements directly within one."""
    if isinstance(statement, Branch):
        other = statement.otherwise
        return (statement.then,) if other is None else (statement.then, other)
    return () if isinstance(statement, Assigned) else statement.inner


def all_within(statement: Statement) -> Iterator[Statement]:
    """A statement and all within it, in order."""
    waiting = [statement]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += reversed(inner(found))


@dataclass(frozen=True, slots=True)
class Function:
    """A function that chooses. file: its path in the tree; text: of the file."""

    file: str
    text: str = field(repr=False)
    body: StatementBlock = field(repr=False)

    def place(self, at: int) -> Location:
        """The place of an offset in the file."""
        before = self.text.rfind("\n", 0, at)
        return Location("", self.file, self.text.count("\n", 0, at) + 1, at - before)


@dataclass(frozen=True, slots=True)
class TakenTable:
    """The table that the code takes on a machine.

    array      it takes, "" for none
    function   that has the statement, and path: the statements around it, the outermost first
    doubt      a statement that decides, and of which it is not known what it does
    """

    array: str = ""
    function: Function | None = None
    path: tuple[Statement, ...] = ()
    doubt: Statement | None = None


class _Returned(Exception):
    """The function ends."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """The functions of a tree that choose. power8: None where the first has all of it."""

    main: Function
    power8: Function | None = None
    known: dict[MachineKind, TakenTable] = field(default_factory=dict, compare=False)

    def table_for(self, machine: MachineKind) -> TakenTable:
        """Returns the table that a machine gets."""
        if machine not in self.known:
            run = _Run(self, machine)
            try:
                run.statement(self.main, self.main.body, ())
            except _Returned:
                run.found = TakenTable(doubt=run.found.doubt)
            self.known[machine] = run.found
        return self.known[machine]

    @property
    def functions(self) -> tuple[Function, ...]:
        return (self.main,) if self.power8 is None else (self.main, self.power8)

    def branches(self) -> Iterator[tuple[Function, Branch]]:
        """All ifs that decide which array is taken."""
        for function in self.functions:
            for found in all_within(function.body):
                if isinstance(found, Branch) and decides(found):
                    yield function, found

    def machines(self, more: Iterable[MachineKind] = ()) -> list[MachineKind]:
        """Machines of every kind that a condition tells apart, and of those that others have."""
        compared = [atom for _, branch in self.branches() for atom in atoms(branch.condition)]
        others = list(more)
        chips = dict.fromkeys(
            [*(str(a.value) for a in compared if a.what == "chip"), *(m.chip for m in others)]
        )
        levels = {a.value for a in compared if a.what == "ec" and isinstance(a.value, int)}
        levels |= {machine.ec for machine in others}
        near = {level + step for level in levels - {LATEST_EC} for step in (-1, 0, 1)}
        quirks: dict[frozenset[str], None] = {frozenset(): None}
        for atom in compared:
            if isinstance(atom.value, frozenset):
                quirks |= dict.fromkeys(frozenset({name}) for name in sorted(atom.value))
        quirks |= dict.fromkeys(machine.quirks for machine in others)
        fused = any(a.what == "fused" for a in compared) or any(m.fused for m in others)
        ecs = sorted(ec for ec in {*near, LATEST_EC} if 0 <= ec <= LATEST_EC)
        if len(chips) * len(ecs) * len(quirks) > MOST_MACHINES:
            raise UnsupportedC(f"expected at most {MOST_MACHINES} kinds of machines, found more")
        sides = (False, True) if fused else (False,)
        return [MachineKind(*each) for each in product(chips, reversed(ecs), quirks, sides)]


class _Run:
    def __init__(self, choosing: Choosing, machine: MachineKind) -> None:
        self.choosing = choosing
        self.machine = machine
        self.found = TakenTable()

    def statement(self, function: Function, at: Statement, path: tuple[Statement, ...]) -> None:
        path = (*path, at)
        if isinstance(at, Assigned):
            doubt = self.found.doubt if at.array else at
            self.found = TakenTable("" if at.array == "NULL" else at.array, function, path, doubt)
        elif isinstance(at, Branch):
            answer = holds(at.condition, self.machine)
            if answer is None:
                self.doubt(at)
            elif answer or at.otherwise is not None:
                chosen = at.then if answer else at.otherwise
                assert chosen is not None
                self.statement(function, chosen, path)
        elif isinstance(at, StatementBlock):
            for each in at.inner:
                if not (isinstance(each, Plain) and each.kind in ("other", "count")):
                    self.statement(function, each, path)
        elif at.kind == "return":
            raise _Returned
        elif at.kind == "power8" and self.choosing.power8 is not None:
            with_power8 = self.choosing.power8
            self.statement(with_power8, with_power8.body, path)
        elif at.kind == "loop":
            self.doubt(at)

    def doubt(self, at: Statement) -> None:
        if self.found.doubt is None and decides(at):
            self.found = TakenTable(self.found.array, self.found.function, self.found.path, at)


def decides(at: Statement) -> bool:
    """Tells whether an array is taken within a statement, or POWER8's function called."""
    return any(
        isinstance(each, Assigned) or (isinstance(each, Plain) and each.kind == "power8")
        for each in all_within(at)
    )


# Reading


_PAIRS = {"{": "}", "(": ")"}


def closing(code: str, start: int) -> int:
    """Offset of the bracket that closes the one at `start`; the end where none does."""
    opening, ending = code[start], _PAIRS[code[start]]
    depth = 0
    for match in re.compile(rf"[{opening}{ending}]").finditer(code, start):
        depth += 1 if match[0] == opening else -1
        if depth == 0:
            return match.start()
    return len(code)


def body_at(code: str, name: str) -> tuple[int, int] | None:
    """Offsets of the braces around a function's body; None where the function is not defined."""
    # it begins with the name, which re skips to; a word boundary would be tried at each character
    for match in re.finditer(rf"{name}(?<!\w{name})\s*\([^()]*\)\s*(?=\{{)", code):
        return match.end(), closing(code, match.end())
    return None


def read_choosing(texts: Mapping[str, str]) -> Choosing | None:
    """The code that chooses in a tree's C files, by their paths; None where there is none. Raises
    UnsupportedC for code that is not understood."""
    found: dict[str, Function] = {}
    for file, text in texts.items():
        if EXPORT not in text and OF_POWER8 not in text:
            continue
        clean = preprocess(text, USUAL_BUILD)
        for name in (EXPORT, OF_POWER8):
            place = body_at(clean.bare, name)
            if place is not None and name not in found:
                body = _Parser(clean.bare, place[0], place[1] + 1).statement(0)
                assert isinstance(body, StatementBlock)
                found[name] = Function(file, text, body)
    if EXPORT not in found or not any(decides(each.body) for each in found.values()):
        return None
    return Choosing(found[EXPORT], found.get(OF_POWER8))
