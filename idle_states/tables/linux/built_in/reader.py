"""Reads the tables in the source of a Linux cpuidle driver, with the place of every value."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from ....base.dataclass import dataclass, field
from ....base.model.beyond_opal import BuiltIn, BuiltInState, MatchedCpu, TableUse
from ....base.model.findings import Location
from ....base.model.table import IdleState, IdleTable, ReadFrom, Register
from ....base.patterns import pattern
from ....base.reading import limits
from ....base.reading.c.expression import evaluate, stored
from ....base.reading.c.initialiser import Initialised, elements, placed
from ....base.reading.c.lexer import Token, UnsupportedC, string
from ....base.reading.c.preprocess import preprocess
from ....base.reading.c.source import CSource
from ..cpuidle_flags import HINT_SHIFT
from .headers import BUILTIN, CONFIGURED, enumerators
from .uses import uses
from .x86_match import ENTRY, LIST, entry, matched
from .x86_match import rows as listed

KIND = "driver"
OWN = ("", "WFI", "wait", "POLL", "snooze")
"""Names of state 0 where it is what any CPU does; "" is filled in by cpuidle_poll_state_init()."""

MAX_TABLES = 100
"""In one file; intel_idle has some forty, other drivers at most three."""
# atomic groups: what a hostile text could be split into in many ways is tried in one
_ATTRIBUTE = r"(?>(?:(?>__\w+(?:\([^()]{0,200}\))?)(?:\s+|(?==)))*)"
_TABLE = pattern(
    rf"(?:\bstatic\s+)?(?:\bconst\s+)?\bstruct\s+cpuidle_(driver|state)\s+{_ATTRIBUTE}(\w+)\s*"
    rf"(\[[^\[\]{{}};]*\])?\s*{_ATTRIBUTE}=\s*(?=\{{)",
    re.ASCII,
)
_ARRAY = r"\bNAME\s*\[([^\[\]{};]*)\]\s*" + _ATTRIBUTE + r"=\s*(?=\{)"
_BRACE = pattern(r"[{}]")
_TIMES = ("exit_latency", "target_residency")
_MEMBERS = {
    # member of struct cpuidle_state -> bits, signed
    "exit_latency": (32, False),
    "target_residency": (32, False),
    "exit_latency_ns": (64, True),
    "target_residency_ns": (64, True),
    "flags": (32, False),
    "power_usage": (32, True),
}
_ENTERS = ("enter", "enter_s2idle", "enter_freeze")
_IGNORED = frozenset((*_ENTERS, "enter_dead", "disabled"))
_MWAIT = "MWAIT2flg"
"""intel_idle's macro for hints in flags; a row of its arrays that enters nothing ends the array."""
_STRINGS = {"name": 16, "desc": 32}
"""Bytes of CPUIDLE_NAME_LEN and CPUIDLE_DESC_LEN."""
_PLACES = {
    "name": "name",
    "latency": "exit_latency",
    "residency": "target_residency",
    "flags": "flags",
}


def read(
    text: str, file: str, *, defines: Mapping[str, str], arch: str = "", sha256: str = ""
) -> list[IdleTable]:
    """Returns the tables of a driver's source in its order; none if it has none with states.

    Values are those that the compiler stores; times of the table are in ns.

    file     what places and messages call it
    defines  what the headers define, "NAME" or "NAME(a, b)" -> text
    arch     the architecture whose headers these are; "" where that makes no difference
    sha256   of the file's bytes
    Raises Unreadable (IS932) with the places that cannot be evaluated.
    """
    return _Reader(text, file, defines, arch, sha256).run()


def listed_cpus(text: str, file: str, *, defines: Mapping[str, str]) -> list[MatchedCpu]:
    """Returns the processors of intel_idle's list, those without a table too. Arguments as of
    `read`. Raises UnsupportedC."""
    return _Reader(text, file, defines, "", "").cpus


@dataclass(slots=True)
class _Row:
    """The members of one state, each with the place of its value."""

    place: Token
    members: dict[str, Sequence[Token]] = field(default_factory=dict)


class _Reader(CSource):
    def __init__(
        self, text: str, file: str, defines: Mapping[str, str], arch: str, sha256: str
    ) -> None:
        super().__init__(text, file)
        self.arch = arch
        self.sha256 = sha256
        self.sizes: dict[str, int] = {}
        self.known = {**CONFIGURED, **defines}
        clean = preprocess(text, self.known, BUILTIN)
        named = enumerators(clean)
        self.clean = preprocess(text, self.known | named, BUILTIN) if named else clean
        self.blame(clean.problems)

    def run(self) -> list[IdleTable]:
        found: list[IdleTable] = []
        try:
            self.cpus  # noqa: B018
        except UnsupportedC as problem:
            self.blame([problem])
            raise self.unreadable() from None
        for count, match in enumerate(_TABLE.finditer(self.clean.bare), 1):
            name = match[2]
            if count > MAX_TABLES:
                message = f"expected at most {MAX_TABLES} tables, found more"
                self.problems.append((UnsupportedC(message, match.start(), match.end()), name))
                break
            try:
                table = self.table(match)
            except UnsupportedC as problem:
                self.problems.append((problem, name))
                continue
            if table is not None:
                found.append(table)
        if self.problems:
            raise self.unreadable()
        return found

    def table(self, match: re.Match[str]) -> IdleTable | None:
        """Returns a table; None for one whose source gives it no states, or none to be entered."""
        name = match[2]
        end = self.end_of_list(match.end())
        found = elements(self.expanded(match.end(), end), self.index)
        members: dict[str, Initialised] = {}
        rows: dict[int, _Row] = {}
        if match[1] == "state":
            self.rows(found, rows, name)
        for element in found if match[1] == "driver" else ():
            if not element.path or not isinstance(element.path[0], str):
                message = "expected the members of struct cpuidle_driver by name"
                raise UnsupportedC(message, element.place.start, element.place.end)
            if element.path[0] != "states":
                members[element.path[0]] = element
            elif len(element.path) > 1:
                self.rows([element._replace(path=element.path[1:])], rows, name)
            elif element.is_list:
                self.rows(_list(element), rows, name)
        if not rows:
            return None
        last = max(rows)
        if match[1] == "state" and self.has_hints:
            last = next((n for n in range(last + 1) if not _enters(rows.get(n))), last + 1) - 1
        if last < 0:
            return None
        states = [self.state(rows.get(number), f"{name}[{number}]") for number in range(last + 1)]
        built_in = BuiltIn(
            tuple(states),
            int(states[0].name in OWN),
            self.member(members, "state_count"),
            self.member(members, "safe_state_index") or 0,
            self.word(members, "name"),
            self.word(members, "governor"),
            (self.arch,) if self.arch else (),
            tuple(self.uses(name, match.start(), end)),
            tuple(cpu for cpu in self.cpus if cpu.table == name),
        )
        return self.made(match, built_in, rows)

    def made(self, match: re.Match[str], built_in: BuiltIn, rows: Mapping[int, _Row]) -> IdleTable:
        name = match[2]
        where = self.location(match.start(2), match.end(2), name)
        member = "states" if match[1] == "driver" else ""
        return IdleTable(
            name,
            tuple(
                IdleState(
                    state.name,
                    state.exit_latency_us * 1000 + state.beyond_us[0],
                    state.target_residency_us * 1000 + state.beyond_us[1],
                    flags=0,
                    note=state.description if state.description != state.name else "",
                    where=self.places(rows.get(number), where, _path(name, member, number)),
                )
                for number, state in enumerate(built_in.states)
                if number >= built_in.first_row
            ),
            Register.NONE,
            origin=built_in,
            title=f"built into Linux's driver {built_in.driver}"
            if built_in.driver
            else "an array that a driver of Linux makes its states of",
            read_from=ReadFrom(KIND, self.file, self.sha256, where),
            where={"table": where, "name": where},
        )

    def rows(self, found: Sequence[Initialised], rows: dict[int, _Row], name: str) -> None:
        """Adds the rows of an array's list. A row that is given again replaces the one before."""
        for number, path, element in placed(found, name):
            if len(path) == 1 and isinstance(path[0], str):
                row = rows.setdefault(number, _Row(element.place))
                self.add(row, element._replace(path=path))
                continue
            if path or not element.is_list:
                found_text = element.place.text[:40]
                message = f"expected a row in braces or a known macro, found {found_text}"
                raise UnsupportedC(message, element.place.start, element.place.end)
            row = rows[number] = _Row(element.place)
            for member in _list(element):
                self.add(row, member)

    def add(self, row: _Row, member: Initialised) -> None:
        place = member.place
        if len(member.path) != 1 or not isinstance(member.path[0], str) or member.is_list:
            message = f"expected the members of a state by name, found {place.text[:40]}"
            raise UnsupportedC(message, place.start, place.end)
        word = member.path[0]
        if word not in _MEMBERS and word not in _STRINGS and word not in _IGNORED:
            known = ", ".join((*_STRINGS, *_MEMBERS))
            message = f"expected a member of struct cpuidle_state ({known}), found {word}"
            raise UnsupportedC(message, place.start, place.end)
        row.members[word] = [token for token in member.value if isinstance(token, Token)]

    def state(self, row: _Row | None, path: str) -> BuiltInState:
        if row is None:
            return BuiltInState("", "", 0, 0)
        values = dict.fromkeys(_MEMBERS, 0)
        texts = dict.fromkeys(_STRINGS, "")
        for member, tokens in row.members.items():
            try:
                if member in _STRINGS:
                    texts[member] = self.string(tokens, _STRINGS[member], row.place)
                elif member in _MEMBERS:
                    values[member] = self.number(tokens, row.place, *_MEMBERS[member])
            except UnsupportedC as problem:
                self.problems.append((problem, f"{path}.{member}"))
        latency, residency = (
            values[member] * 1000 or max(values[f"{member}_ns"], 0) for member in _TIMES
        )
        return BuiltInState(
            texts["name"],
            texts["desc"],
            latency // 1000,
            residency // 1000,
            values["flags"],
            self.flag_names(values["flags"]),
            values["power_usage"],
            values["flags"] >> HINT_SHIFT if self.has_hints else None,
            (latency % 1000, residency % 1000),
        )

    def flag_names(self, flags: int) -> tuple[str, ...]:
        names = self.bits
        count = HINT_SHIFT if self.has_hints else 32
        return tuple(
            names.get(1 << bit, f"{1 << bit:#x}") for bit in range(count) if flags >> bit & 1
        )

    @cached_property
    def has_hints(self) -> bool:
        return self.clean.definitions.lookup(_MWAIT, len(self.text)) is not None

    @cached_property
    def cpus(self) -> list[MatchedCpu]:
        """The processors of intel_idle's lists, in their order. Raises UnsupportedC."""
        if not self.has_hints:
            return []
        name2entry = {}
        for match in ENTRY.finditer(self.clean.bare):
            tokens = self.expanded(match.end(), self.end_of_list(match.end()))
            name2entry[match[1]] = entry(elements(tokens, self.index), self.number)
        return [
            matched(row, name2entry, self.value)
            for match in LIST.finditer(self.clean.bare)
            if not name2entry.keys().isdisjoint(re.findall(r"\w+", match[2]))
            for row in listed(self.clean.tokens(*match.span(2)))
        ]

    def value(self, tokens: Sequence[Token], before: Token) -> int:
        """The value of an expression whose macros are not expanded yet."""
        return self.number(self.clean.expanded(tokens, before.start), before, 32, False)

    @cached_property
    def bits(self) -> dict[int, str]:
        """Bit -> name, of the macros for one flag; the kernel's go before the driver's own."""
        own = [macro.name for macro in self.clean.definitions.own() if macro.parameters is None]
        heads = [head for head in self.known if head.startswith("CPUIDLE_FLAG_")]
        found: dict[int, str] = {}
        for name in (*heads, *(name for name in own if "_FLAG" in name)):
            token = Token("name", name, 0, 0)
            try:
                value = evaluate(self.clean.expanded([token], len(self.text)), 0, 0).value
            except UnsupportedC:
                continue
            if value and value & (value - 1) == 0:
                found.setdefault(value, name)
        return found

    def member(self, members: Mapping[str, Initialised], name: str) -> int | None:
        if name not in members:
            return None
        element = members[name]
        return self.number(_tokens(element), element.place, 32, True)

    def word(self, members: Mapping[str, Initialised], name: str) -> str:
        if name not in members:
            return ""
        element = members[name]
        return self.string(_tokens(element), limits.C_VALUE_CHARACTERS, element.place)

    def index(self, tokens: Sequence[Token], before: Token) -> int:
        return self.number(tokens, before, 32, True)

    def number(self, tokens: Sequence[Token], before: Token, bits: int, signed: bool) -> int:
        """The value of an expression, as a member of so many bits holds it."""
        start, end = (tokens[0].start, tokens[-1].end) if tokens else (before.start, before.end)
        return stored(evaluate(self.sized(tokens), start, end), bits, start, end, signed=signed)

    def sized(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens with the number of its elements for each ARRAY_SIZE(array)."""
        result: list[Token] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            words = [each.text for each in tokens[index : index + 4]]
            if words[0] == "ARRAY_SIZE" and len(words) == 4 and words[1::2] == ["(", ")"]:
                size = self.array_size(words[2], token)
                token = token._replace(kind="number", text=str(size), end=tokens[index + 3].end)
                index += 3
            result.append(token)
            index += 1
        return result

    def array_size(self, name: str, use: Token) -> int:
        if name in self.sizes:
            return self.sizes[name]
        match = None
        if len(self.sizes) < MAX_TABLES:
            match = re.search(_ARRAY.replace("NAME", name), self.clean.bare)
        if match is None:
            message = f"expected an array {name} with an initialiser in this file, found none"
            raise UnsupportedC(message, use.start, use.end)
        if match[1].strip():
            size = self.index(self.expanded(*match.span(1)), use)
        else:
            found = elements(self.expanded(match.end(), self.end_of_list(match.end())), self.index)
            size = 1 + max((number for number, _, _ in placed(found, name)), default=-1)
        self.sizes[name] = size
        return size

    def string(self, tokens: Sequence[Token], size: int, before: Token) -> str:
        """A name up to its first NUL, of at most `size` bytes."""
        content = string(tokens, before.start, before.end)
        return content[:size].decode("utf-8", "surrogateescape")

    def expanded(self, start: int, end: int) -> list[Token]:
        return self.clean.expanded(self.clean.tokens(start, end), start)

    def end_of_list(self, start: int) -> int:
        """The offset after the brace that closes the one at `start`."""
        depth = 0
        for match in _BRACE.finditer(self.clean.bare, start):
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return match.end()
        raise UnsupportedC("expected '}', found the end of the file", start, start + 1)

    def uses(self, name: str, start: int, end: int) -> list[TableUse]:
        return [
            TableUse(
                use.function, use.conditions, use.text, self.location(use.start, use.end, name)
            )
            for use in uses(self.clean, name, (start, end))
        ]

    def places(self, row: _Row | None, table: Location, path: str) -> dict[str, Location]:
        if row is None:
            return {"state": table.at(path)}
        state = self.location(row.place.start, row.place.end, path)
        where = {"state": state}
        for name, member in _PLACES.items():
            tokens = row.members.get(member)
            where[name] = state.at(f"{path}.{member}")
            if tokens:
                ends = tokens[0].start, tokens[-1].end
                where[name] = self.location(*ends, f"{path}.{member}")
        return where


def _enters(row: _Row | None) -> bool:
    return row is not None and any(
        [token.text for token in row.members.get(member, ())] not in ([], ["NULL"], ["0"])
        for member in _ENTERS
    )


def _path(name: str, member: str, number: int) -> str:
    return f"{name}.{member}[{number}]" if member else f"{name}[{number}]"


def _list(element: Initialised) -> "tuple[Initialised, ...]":
    return tuple(each for each in element.value if isinstance(each, Initialised))


def _tokens(element: Initialised) -> list[Token]:
    return [each for each in element.value if isinstance(each, Token)]
