"""Reads the idle tables of a C source, with the place of every value."""

from collections.abc import Mapping
from functools import cached_property, lru_cache

from ....base.dataclass import replace
from ....base.digests import sha256
from ....base.model.findings import Location
from ....base.model.table import Cpu, Firmware, IdleState, IdleTable, Psscr, ReadFrom, Register
from ....base.patterns import pattern
from ....base.reading import limits
from ....base.reading.c.expression import Constant, evaluate, stored
from ....base.reading.c.lexer import Token, UnsupportedC, encoded, string
from ....base.reading.c.preprocess import Preprocessed
from ....base.reading.c.source import MAX_FINDINGS, CSource
from ...spec.library import packaged
from .builtin import UNSETTLED, preprocess
from .structure import (
    FIELD_MEMBERS,
    Array,
    CRow,
    Span,
    StructMembers,
    arrays,
    layout,
    rows,
)

MAX_CHARACTERS = limits.C_CHARACTERS
MAX_VALUE_CHARACTERS = limits.C_VALUE_CHARACTERS

_BITS = {"latency": 32, "residency": 32, "flags": 32, "control": 64, "mask": 64}
_PSSCR = pattern(r"\bOPAL_PM_PSSCR_|\.\s*psscr")
_PSSCR_FIELD = pattern(r"\bOPAL_PM_PSSCR_([A-Z]+)\b")


def read(
    text: str,
    file: str,
    *,
    defines: Mapping[str, str] | None = None,
    sha256: str | None = None,
) -> list[IdleTable]:
    """Returns the tables of a C source in its order; none if it has none.

    Values are those that a compiler for skiboot's target stores; times are in ns.

    file     what places and messages call it
    defines  macros that the file uses and does not define, "NAME" or "NAME(a, b)" -> text;
             `definitions_in` reads them from headers. OPAL_PM_* and PPC_BIT are known.
    sha256   of the file's bytes, if the caller has it; None: it is computed from the text

    A member that a row does not name is 0. The residency is None in all rows if the struct has no
    such member. If the struct is defined in another file, it has the member if a row names it.
    Raises Unreadable (IS932) with the places that cannot be evaluated, at most 50.
    """
    return _Reader(text, file, defines or {}, sha256).run()


class _Reader(CSource):
    def __init__(
        self, text: str, file: str, defines: Mapping[str, str], sha256: str | None
    ) -> None:
        super().__init__(text, file)
        self.defines = defines
        self.sha256 = sha256

    def run(self) -> list[IdleTable]:
        if "cpu_idle_states" not in self.text:
            return []
        if len(self.text) > MAX_CHARACTERS:
            message = f"expected at most {MAX_CHARACTERS} characters, found {len(self.text)}"
            self.blame([UnsupportedC(message, 0, 1)])
            raise self.unreadable()
        clean = preprocess(self.text, self.defines)
        self.blame(clean.problems)
        struct = layout(clean)
        found = self.structure(clean, struct)
        self.doubt(clean, [array for array, _ in found])
        has_residency = "residency_ns" in struct.members and (
            not struct.assumed
            or any("residency_ns" in row.members for _, table in found for row in table)
        )
        tables = [self.table(clean, array, table, struct, has_residency) for array, table in found]
        if self.problems:
            raise self.unreadable()
        return tables

    def structure(
        self, clean: Preprocessed, struct: StructMembers
    ) -> list[tuple[Array, list[CRow]]]:
        problems: list[UnsupportedC] = []
        found = list(arrays(clean, problems))
        self.blame(problems)
        result = []
        for array in found:
            problems = []
            result.append((array, rows(clean, array, struct, problems)))
            self.blame(problems, self.text[array.name.start : array.name.end])
        return result

    def doubt(self, clean: Preprocessed, found: list[Array]) -> None:
        """Reports an #if that cannot be evaluated if it is within an array, or has one inside."""
        for doubt in clean.doubts:
            inside = any(
                array.initialiser.start <= doubt.start < array.initialiser.end for array in found
            )
            if inside or "cpu_idle_states" in self.text[doubt.start : doubt.end]:
                self.blame([doubt])

    def table(
        self,
        clean: Preprocessed,
        array: Array,
        found: list[CRow],
        struct: StructMembers,
        has_residency: bool,
    ) -> IdleTable:
        name = self.text[array.name.start : array.name.end]
        self.check_size(clean, array, found, name)
        states = []
        for index, row in enumerate(found):
            if len(self.problems) >= MAX_FINDINGS:
                break
            state = self.state(clean, row, struct, f"{name}[{index}]")
            if not has_residency:
                state = replace(state, residency_ns=None)
            states.append(state)
        register, cpu, firmware = _packaged(name)
        if register is None:
            span = array.initialiser
            is_stop = any(state.is_stop for state in states) or _PSSCR.search(
                clean.code, span.start, span.end
            )
            register = Register.PSSCR if is_stop else Register.PMICR
        where = self.location(array.name.start, array.name.end, name)
        return IdleTable(
            name=name,
            states=tuple(states),
            register=register,
            cpu=cpu,
            firmware=replace(firmware, array=name, file=self.file),
            read_from=ReadFrom("c", self.file, self.digest, where),
            where={"table": where, "name": where},
        )

    @cached_property
    def digest(self) -> str:
        return self.sha256 or sha256(encoded(self.text))

    def check_size(self, clean: Preprocessed, array: Array, found: list[CRow], path: str) -> None:
        """Reports a size in the array's brackets that is not the number of rows: C would add rows
        of zeros."""
        if self.problems or not clean.code[array.size.start : array.size.end].strip():
            return
        try:
            size = self.number(clean, array.size, 64)
            if size != len(found):
                message = f"expected {size} rows, the array's size, found {len(found)}"
                raise UnsupportedC(message, array.size.start, array.size.end)
        except UnsupportedC as problem:
            self.blame([problem], path)

    def state(self, clean: Preprocessed, row: CRow, struct: StructMembers, path: str) -> IdleState:
        where = {"state": self.location(row.span.start, row.span.start + 1, path)}
        values: dict[str, int] = {}
        name = ""
        for field, members in FIELD_MEMBERS.items():
            given = [each for name in reversed(members) for each in row.given if each[0] == name]
            where[field] = where["state"].at(f"{path}.{struct.member(field) or members[0]}")
            for member, span in given:
                where[field] = self.location(span.start, span.end, f"{path}.{member}")
                try:
                    if field == "name":
                        name = self.string(clean, span)
                    else:
                        values[field] = self.number(clean, span, _BITS[field])
                except UnsupportedC as problem:
                    self.blame([problem], f"{path}.{member}")
            if field == "control" and given:
                self.place_fields(clean, span, f"{path}.{member}", where)
        return IdleState(
            name=name,
            latency_ns=values.get("latency", 0),
            residency_ns=values.get("residency", 0),
            flags=values.get("flags", 0),
            control=values.get("control", 0),
            mask=values.get("mask", 0),
            where=where,
            macro=row.macro,
        )

    def number(self, clean: Preprocessed, span: Span, bits: int) -> int:
        """Returns the value of the expression at `span`, as an unsigned member of `bits` bits holds
        it. Raises UnsupportedC."""
        if span.end - span.start > MAX_VALUE_CHARACTERS:
            message = f"expected a value of at most {MAX_VALUE_CHARACTERS} characters, found more"
            raise UnsupportedC(message, span.start, span.end)
        found = _tokens(clean, span)
        last = found[-1].start if found else span.start
        try:
            value = _value(tuple((token.kind, token.text) for token in found))
        except UnsupportedC:
            value = evaluate(found, last, span.end, unsettled=UNSETTLED)
        return stored(value, bits, span.start, span.end)

    def string(self, clean: Preprocessed, span: Span) -> str:
        """Returns a name up to its first NUL. Bytes that are not UTF-8 become surrogates."""
        return string(_tokens(clean, span), span.start, span.end).decode("utf-8", "surrogateescape")

    def place_fields(
        self, clean: Preprocessed, span: Span, path: str, where: dict[str, Location]
    ) -> None:
        """Adds the places of macros that give one field of PSSCR to `where`, as control.FIELD."""
        if span.macro:
            return
        for match in _PSSCR_FIELD.finditer(clean.code, span.start, span.end):
            name = match[1].lower()
            if name not in Psscr.FIELDS:
                continue
            end = _end_of_call(clean.code, match.end(), span.end)
            where.setdefault(f"control.{name}", self.location(match.start(), end, path))


@lru_cache(maxsize=256)
def _value(words: tuple[tuple[str, str], ...]) -> Constant:
    """The value of an expression. Raises UnsupportedC without a place."""
    return evaluate([Token(*word) for word in words], 0, 0)


def _tokens(clean: Preprocessed, span: Span) -> list[Token]:
    """The tokens of a value. Raises UnsupportedC for a macro in it that cannot be expanded."""
    return clean.expanded(span.tokens or clean.tokens(span.start, span.end), span.start)


_OPENING = pattern(r"\s*\(")
_PARENTHESIS = pattern(r"[()]")


def _end_of_call(code: str, start: int, limit: int) -> int:
    """Returns the offset after the argument list that follows a macro's name; `start` if there is
    none."""
    opening = _OPENING.match(code, start, limit)
    if opening is None:
        return start
    depth = 1
    for match in _PARENTHESIS.finditer(code, opening.end(), limit):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.end()
    return start


@lru_cache(maxsize=64)
def _packaged(array: str) -> tuple[Register | None, Cpu | None, Firmware]:
    """Returns register, processor and firmware of the packaged spec of an array; current specs come
    before historical ones."""
    for table in packaged(lambda revision: array.encode() in revision.file.read_bytes()):
        if table.firmware.array == array:
            return table.register, table.cpu, table.firmware
    return None, None, Firmware()
