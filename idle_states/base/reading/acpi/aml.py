"""Walks the AML of tables: which devices, processors, names and methods they define, and where.

Only what is defined is looked at; the bodies of methods are not run. What stands below an If is
kept as conditional. Where something is not understood, the rest of its scope is left out, and that
is said (`Gap`).

Source: ACPI specification 6.5, chapter 20 (AML grammar).
"""

import string
from collections.abc import Sequence

from ...dataclass import dataclass, field
from .. import limits
from .tables import HEADER_BYTES, AcpiTable

ROOT = "\\"
_LEAD = frozenset((string.ascii_uppercase + "_").encode("ascii"))
_NAME = _LEAD | frozenset(string.digits.encode("ascii"))
_NAME_STARTS = _LEAD | frozenset(b"\\^./")
_EXTENDED = 0x5B00
# opcode -> its arguments: n name, t anything with a value, b w d q numbers of 1 to 8 bytes, s text,
# P length of a package that begins here, | the rest of the package is passed over
_PLAIN: dict[int, str] = {
    **dict.fromkeys((0x00, 0x01, 0xFF, 0x9F, 0xA3, 0xA5, 0xCC, 0x5B30, 0x5B31, 0x5B33), ""),
    **dict.fromkeys(range(0x60, 0x6F), ""),
    0x0A: "b",
    0x0B: "w",
    0x0C: "d",
    0x0D: "s",
    0x0E: "q",
    0x06: "nn",
    0x15: "nbb",
    0x11: "P|",
    0x12: "P|",
    0x13: "P|",
    **dict.fromkeys((0x71, 0x75, 0x76, 0x83, 0x87, 0x8E, 0x92, 0xA4), "t"),
    **dict.fromkeys((0x5B21, 0x5B22, 0x5B24, 0x5B26, 0x5B27, 0x5B2A), "t"),
    **dict.fromkeys((0x70, 0x80, 0x81, 0x82, 0x86, 0x90, 0x91, 0x93, 0x94, 0x95), "tt"),
    **dict.fromkeys((0x96, 0x97, 0x98, 0x99, 0x9D), "tt"),
    **dict.fromkeys((0x5B12, 0x5B25, 0x5B28, 0x5B29), "tt"),
    **dict.fromkeys((0x72, 0x73, 0x74, 0x77, 0x79, 0x7A, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F), "ttt"),
    **dict.fromkeys((0x84, 0x85, 0x88, 0x9C), "ttt"),
    **dict.fromkeys((0x78, 0x9E), "tttt"),
    **dict.fromkeys((0x8A, 0x8B, 0x8C, 0x8D, 0x8F), "ttn"),
    0x89: "tbtbtt",
    0xA0: "P|",
    0xA1: "P|",
    0xA2: "P|",
    0x5B01: "nb",
    0x5B02: "n",
    0x5B13: "tttn",
    0x5B1F: "tttttt",
    0x5B20: "nt",
    0x5B23: "tw",
    0x5B32: "bdt",
    0x5B80: "nbtt",
    0x5B81: "P|",
    0x5B86: "P|",
    0x5B87: "P|",
    0x5B88: "nttt",
}
_NUMBERS = {"b": 1, "w": 2, "d": 4, "q": 8}
_NAME_OP, _SCOPE, _METHOD, _EXTERNAL, _IF, _ELSE, _WHILE = 0x08, 0x10, 0x14, 0x15, 0xA0, 0xA1, 0xA2
_DEVICE, _PROCESSOR, _POWER, _THERMAL = 0x5B82, 0x5B83, 0x5B84, 0x5B85


class NotUnderstood(Exception):
    """AML that is not as the grammar has it, or not modelled. offset: in its table."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Defined:
    """A name that AML defines.

    kind         "device", "processor", "method", "name", "external"
    table        that it is in
    start, end   what it is given in the table: a name's value, up to the end of its scope, or a
                 method's body
    conditional  it stands below an If, whose condition nobody evaluated
    numbers      of a processor: its number, the I/O port of its registers, how many bytes
    """

    path: str
    kind: str
    table: AcpiTable = field(repr=False)
    start: int
    end: int
    conditional: bool = False
    numbers: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Gap:
    """A scope whose rest was not understood, from the offset on."""

    path: str
    table: AcpiTable = field(repr=False)
    offset: int
    message: str


@dataclass(slots=True)
class NameSpace:
    """The definitions in tables. defined: path -> the first definition, as ACPICA takes it; again:
    later ones of the same paths."""

    defined: dict[str, Defined] = field(default_factory=dict)
    again: list[Defined] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    def children(self, path: str) -> list[Defined]:
        return [each for each in self.defined.values() if parent(each.path) == path]


def parent(path: str) -> str:
    """The scope that a path lies in."""
    return path.rpartition(".")[0] or ROOT


def walk(tables: Sequence[AcpiTable]) -> NameSpace:
    """Returns the tables' definitions, in their order. Skips tables without AML."""
    arities: dict[str, int] = {}
    aml = [table for table in tables if len(table.data) >= HEADER_BYTES]
    for _ in range(2):
        # how many arguments follow a method's name is known once all methods are
        found = NameSpace()
        before = dict(arities)
        count = 0
        for table in aml:
            walker = _Walker(table, found, arities, count)
            walker.scope(HEADER_BYTES, len(table.data), ROOT, conditional=False, depth=0)
            count = walker.count
        if arities == before:
            break
    return found


class _Walker:
    def __init__(
        self, table: AcpiTable, found: NameSpace, arities: dict[str, int], count: int
    ) -> None:
        self.table = table
        self.data = table.data
        self.found = found
        self.arities = arities
        self.count = count

    def scope(self, at: int, end: int, path: str, *, conditional: bool, depth: int) -> None:
        """Everything from `at` to `end`, which lies in the scope `path`."""
        try:
            if depth > limits.ACPI_DEPTH:
                message = f"expected at most {limits.ACPI_DEPTH} scopes within scopes"
                raise NotUnderstood(at, message)
            while at < end:
                at = self.term(at, end, path, conditional=conditional, depth=depth)
        except NotUnderstood as problem:
            self.found.gaps.append(Gap(path, self.table, problem.offset, str(problem)))

    def term(self, at: int, end: int, path: str, *, conditional: bool, depth: int) -> int:
        self.counted(at)
        code, next_at = opcode(self.data, at, end)
        if code == _NAME_OP:
            name, next_at = name_string(self.data, next_at, end)
            self.define(
                Defined(absolute(name, path), "name", self.table, next_at, end), conditional
            )
            return self.value(next_at, end, path, depth)
        if code == _EXTERNAL:
            name, next_at = name_string(self.data, next_at, end)
            kind, arity = self.bytes(next_at, end, 2)
            self.external(absolute(name, path), kind, arity, next_at)
            return next_at + 2
        if code in (_SCOPE, _METHOD, _DEVICE, _PROCESSOR, _POWER, _THERMAL):
            inner_end, next_at = package_length(self.data, next_at, end)
            self.named(code, next_at, inner_end, path, conditional=conditional, depth=depth)
            return inner_end
        if code in (_IF, _ELSE, _WHILE):
            inner_end, next_at = package_length(self.data, next_at, end)
            if code != _ELSE:
                next_at = self.value(next_at, inner_end, path, depth)
            self.scope(next_at, inner_end, path, conditional=True, depth=depth + 1)
            return inner_end
        return self.value(at, end, path, depth)

    def named(
        self, code: int, at: int, end: int, path: str, *, conditional: bool, depth: int
    ) -> None:
        name, at = name_string(self.data, at, end)
        if code == _SCOPE:
            inner = self.reached(name, path)
            self.scope(at, end, inner, conditional=conditional, depth=depth + 1)
            return
        inner = absolute(name, path)
        if code == _METHOD:
            (flags,) = self.bytes(at, end, 1)
            self.arities.setdefault(inner, flags & 7)
            self.define(Defined(inner, "method", self.table, at + 1, end), conditional)
            return
        numbers = (0, 0, 0)
        if code == _PROCESSOR:
            fixed = self.bytes(at, end, 6)
            numbers = (fixed[0], int.from_bytes(fixed[1:5], "little"), fixed[5])
            at += 6
        elif code == _POWER:
            self.bytes(at, end, 3)
            at += 3
        kind = "processor" if code == _PROCESSOR else "device"
        if code in (_DEVICE, _PROCESSOR):
            made = Defined(inner, kind, self.table, at, end, numbers=numbers)
            self.define(made, conditional)
        self.scope(at, end, inner, conditional=conditional, depth=depth + 1)

    def define(self, new: Defined, conditional: bool) -> None:
        if conditional:
            new = Defined(new.path, new.kind, new.table, new.start, new.end, True, new.numbers)
        known = self.found.defined.get(new.path)
        if known is None or known.kind == "external":
            self.found.defined[new.path] = new
        else:
            self.found.again.append(new)

    def external(self, path: str, kind: int, arity: int, at: int) -> None:
        # object types of ACPICA: 6 a device, 8 a method, 12 a processor
        if kind == 8:
            self.arities.setdefault(path, arity)
        elif kind in (6, 12) and path not in self.found.defined:
            self.found.defined[path] = Defined(path, "external", self.table, at, at)

    def reached(self, name: str, path: str) -> str:
        """The scope that Scope (name) means: a single name is searched for upwards."""
        first = absolute(name, path)
        if name[:1] in (ROOT, "^") or "." in name:
            return first
        while path != ROOT and absolute(name, path) not in self.found.defined:
            path = parent(path)
        found = absolute(name, path)
        return found if found in self.found.defined else first

    def value(self, at: int, end: int, path: str, depth: int) -> int:
        """The end of a term that is passed over."""
        self.counted(at)
        if depth > limits.ACPI_DEPTH:
            raise NotUnderstood(at, f"expected at most {limits.ACPI_DEPTH} terms within terms")
        if at < end and self.data[at] in _NAME_STARTS:
            name, at = name_string(self.data, at, end)
            for _ in range(self.arity(name, path)):
                at = self.value(at, end, path, depth + 1)
            return at
        code, next_at = opcode(self.data, at, end)
        if code not in _PLAIN:
            raise NotUnderstood(at, f"expected an operation of AML, found opcode {code:#04x}")
        stop = end
        for kind in _PLAIN[code]:
            if kind == "n":
                _, next_at = name_string(self.data, next_at, stop)
            elif kind == "t":
                next_at = self.value(next_at, stop, path, depth + 1)
            elif kind == "P":
                stop, next_at = package_length(self.data, next_at, stop)
            elif kind == "|":
                next_at = stop
            elif kind == "s":
                next_at = text_end(self.data, next_at, stop)
            else:
                self.bytes(next_at, stop, _NUMBERS[kind])
                next_at += _NUMBERS[kind]
        return next_at

    def arity(self, name: str, path: str) -> int:
        if name[:1] in (ROOT, "^") or "." in name:
            return self.arities.get(absolute(name, path), 0)
        while (found := self.arities.get(absolute(name, path))) is None and path != ROOT:
            path = parent(path)
        return found or 0

    def bytes(self, at: int, end: int, count: int) -> bytes:
        if end - at < count:
            raise NotUnderstood(at, f"expected {count} bytes, found {end - at}")
        return self.data[at : at + count]

    def counted(self, at: int) -> None:
        self.count += 1
        if self.count > limits.ACPI_TERMS:
            raise NotUnderstood(at, f"expected at most {limits.ACPI_TERMS} terms, found more")


def opcode(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The operation at an offset, and the offset after it. Extended ones are 0x5b00 and more.
    Raises NotUnderstood."""
    if at >= end:
        raise NotUnderstood(at, "expected an operation of AML, found the end of its scope")
    if data[at] != _EXTENDED >> 8:
        return data[at], at + 1
    if at + 1 >= end:
        raise NotUnderstood(at, "expected a byte after 0x5b, found the end of its scope")
    return _EXTENDED | data[at + 1], at + 2


def package_length(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The end of the package whose length stands at an offset, and the offset after the length.
    Raises NotUnderstood."""
    if at >= end:
        raise NotUnderstood(at, "expected the length of a package, found the end of its scope")
    more = data[at] >> 6
    if at + more >= end:
        raise NotUnderstood(at, f"expected {more + 1} bytes of a length, found {end - at}")
    size = data[at] & 0x3F
    if more:
        size = (size & 0xF) | int.from_bytes(data[at + 1 : at + 1 + more], "little") << 4
    if not more < size <= end - at:
        message = f"expected a package of {more + 1} to {end - at} bytes, found {size}"
        raise NotUnderstood(at, message)
    return at + size, at + more + 1


def name_string(data: bytes, at: int, end: int) -> tuple[str, int]:
    """A name as ASL writes it (\\_SB.CPU0, ^CPU0, CPU0), and the offset after it. "" for none.
    Raises NotUnderstood."""
    start = at
    while at < end and data[at] in b"\\^":
        at += 1
    prefix = data[start:at].decode("ascii")
    count = 1
    if at < end and data[at] == 0:
        return prefix, at + 1
    if at < end and data[at] == ord("."):
        count, at = 2, at + 1
    elif at + 1 < end and data[at] == ord("/"):
        count, at = data[at + 1], at + 2
    parts = []
    for _ in range(count):
        part = data[at : min(at + 4, end)]
        if len(part) < 4 or part[0] not in _LEAD or not _NAME.issuperset(part):
            message = f"expected a name of 4 letters, digits or _, found {part.hex(' ') or 'none'}"
            raise NotUnderstood(at, message)
        parts.append(part.decode("ascii").rstrip("_") or "_")
        at += 4
    return prefix + ".".join(parts), at


def absolute(name: str, scope: str) -> str:
    """The path that a name has which is defined in a scope."""
    if name.startswith(ROOT):
        return name
    while name.startswith("^"):
        name, scope = name[1:], parent(scope)
    if not name:
        return scope
    return f"{ROOT}{name}" if scope == ROOT else f"{scope}.{name}"


def text_end(data: bytes, at: int, end: int) -> int:
    """The offset after a text and its NUL. Raises NotUnderstood."""
    found = data.find(b"\0", at, end)
    if found < 0:
        raise NotUnderstood(at, "expected a NUL at the end of a text, found the end of its scope")
    return found + 1
