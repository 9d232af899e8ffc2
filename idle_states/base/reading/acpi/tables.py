"""ACPI tables: as blobs, one or several after each other, and as text that acpidump prints.

A table has a header of 36 bytes with its signature, its length and a byte that makes the sum of all
its bytes 0 modulo 256 (ACPI specification 6.5, 5.2.6).
"""

import re
from collections.abc import Iterator

from ...dataclass import dataclass
from ...model.acpi_objects import Fadt
from ...model.findings import Location, unreadable
from .. import limits
from .signs import HEAD, USED

HEADER_BYTES = 36
_SIGNATURE = re.compile(rb"[A-Z_][A-Z0-9_!]{3}")
_ROW = re.compile(rb"[ \t]*([0-9A-Fa-f]{4,8}): ((?:[0-9A-Fa-f]{2} ){1,16})")
_LOGGED = re.compile(rb"(Firmware|ACPI) (Warning|Error)\b")
"""The words that acpidump puts between rows. The checksum of a table shows that no row is lost."""
_BLANK = re.compile(rb"\s*$")
_LAPIC, _LAPIC_X2, _GICC, _RINTC = 0, 9, 0xB, 0x18
_MADT_ENTRIES = 44
# type of a processor's interrupt controller -> architecture; offset of its UID, UID's bytes; offset
# of its flags, those that say that it is enabled or may be brought in later
_CONTROLLERS = {
    _LAPIC: ("x86", 2, 1, 4, 3),
    _LAPIC_X2: ("x86", 12, 4, 8, 3),
    _GICC: ("arm64", 8, 4, 12, 9),
    _RINTC: ("riscv64", 16, 4, 4, 3),
}


@dataclass(frozen=True, slots=True)
class AcpiTable:
    """A table. name: DSDT, SSDT1, ... as messages call it; data: all of it, header included."""

    name: str
    data: bytes
    file: str

    @property
    def signature(self) -> bytes:
        return self.data[:4]

    @property
    def revision(self) -> int:
        return self.data[8]

    def at(self, offset: int, path: str = "") -> Location:
        """The place of a byte."""
        return Location(f"{path or self.name} (byte {offset:#x} of {self.name})", self.file)


@dataclass(frozen=True, slots=True)
class Madt:
    """The processors' interrupt controllers. arch: "" if none tells; enabled: UIDs of processors
    that are there; absent: of those that are not, and cannot come."""

    arch: str
    enabled: frozenset[int]
    absent: frozenset[int]


def blobs(data: bytes, file: str, name: str = "") -> list[AcpiTable]:
    """The tables of bytes that hold them one after the other.

    file  what places and messages call it
    name  of the only one; "" for names by their signatures
    Raises Unreadable (IS930) for what is no table, and for damaged ones among those that are used.
    """
    found: list[AcpiTable] = []
    at = 0
    while at < len(data):
        where = f"{file}: byte {at:#x}" if at else file
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        if len(data) - at < HEADER_BYTES or not _SIGNATURE.match(data, at):
            message = f"expected a table's header of {HEADER_BYTES} bytes, found"
            shown = data[at : at + 8].hex(" ")
            raise unreadable(where, f"{message} {len(data) - at} bytes: {shown}")
        if not HEADER_BYTES <= size <= len(data) - at:
            message = f"expected a length of {HEADER_BYTES} to {len(data) - at}, found {size}"
            raise unreadable(where, message)
        if len(found) == limits.ACPI_TABLES:
            raise unreadable(where, f"expected at most {limits.ACPI_TABLES} tables, found more")
        found.append(_checked(data[at : at + size], file, where, name))
        at += size
    return named(found)


def dumped(data: bytes, file: str) -> list[AcpiTable]:
    """The tables of text that acpidump prints. Raises Unreadable (IS930) with the line."""
    found: list[AcpiTable] = []
    for line, signature, content in _dumped(data, file):
        if len(found) == limits.ACPI_TABLES:
            message = f"expected at most {limits.ACPI_TABLES} tables, found more"
            raise unreadable(file, message, line)
        size = int.from_bytes(content[4:8], "little")
        if signature not in USED:
            continue
        if len(content) < HEADER_BYTES or content[:4] != signature or size != len(content):
            name = signature.decode("ascii")
            message = f"expected a table {name} of {size} bytes, found {len(content)}"
            raise unreadable(file, f"{message} that begin with {content[:8].hex(' ')}", line)
        found.append(_checked(content, file, f"{file}:{line}", ""))
    return named(found)


def named(tables: list[AcpiTable]) -> list[AcpiTable]:
    """Tables with numbers after the names of those that there are several of."""
    seen: dict[str, int] = {}
    result = []
    for table in tables:
        name = table.name
        if name == "SSDT" or name in seen:
            seen[name] = seen.get(name, 0) + 1
            result.append(AcpiTable(f"{name}{seen[name]}", table.data, table.file))
        else:
            seen[name] = 1
            result.append(table)
    return result


def fadt(tables: list[AcpiTable]) -> Fadt | None:
    """Returns the contents of the first FACP; None without one."""
    for table in tables:
        if table.signature == b"FACP" and len(table.data) >= 116:
            data = table.data

            def number(at: int, size: int, data: bytes = data) -> int:
                return int.from_bytes(data[at : at + size], "little")

            return Fadt(number(96, 2), number(98, 2), number(112, 4), number(48, 4), data[95])
    return None


def madt(tables: list[AcpiTable]) -> Madt | None:
    """Returns the processors that the first APIC lists; None without one."""
    for table in tables:
        if table.signature == b"APIC":
            return _madt(table)
    return None


def _madt(table: AcpiTable) -> Madt:
    data, at = table.data, _MADT_ENTRIES
    arch = ""
    enabled: set[int] = set()
    absent: set[int] = set()
    while at + 2 <= len(data):
        kind, size = data[at], data[at + 1]
        if size < 2 or at + size > len(data):
            message = f"expected an entry of 2 to {len(data) - at} bytes, found {size}"
            raise unreadable(table.at(at), message)
        if kind in _CONTROLLERS:
            arch, uid_at, uid_bytes, flags_at, there = _CONTROLLERS[kind]
            flags = int.from_bytes(data[at + flags_at : at + min(flags_at + 4, size)], "little")
            uid = int.from_bytes(data[at + uid_at : at + min(uid_at + uid_bytes, size)], "little")
            (enabled if flags & there else absent).add(uid)
        at += size
    return Madt(arch, frozenset(enabled), frozenset(absent - enabled))


def _dumped(data: bytes, file: str) -> Iterator[tuple[int, bytes, bytes]]:
    """The line of each table, its signature and its bytes."""
    head: tuple[int, bytes] | None = None
    content = bytearray()
    for number, line in enumerate(data.split(b"\n"), 1):
        if begins := HEAD.match(line):
            if head:
                yield *head, bytes(content)
            head, content = (number, begins[1]), bytearray()
            continue
        row = _ROW.match(line)
        if row and head:
            if int(row[1], 16) != len(content):
                message = f"expected the bytes from {len(content):#x} on, found those from"
                raise unreadable(file, f"{message} {int(row[1], 16):#x}", number)
            content += bytes.fromhex(row[2].decode("ascii"))
        elif not _BLANK.match(line) and not (head and _LOGGED.match(line)):
            shown = line[:40].decode("utf-8", "replace")
            message = f"expected a row of acpidump, as '0000: 44 53 44 54', found {shown!r}"
            raise unreadable(file, message, number)
    if head:
        yield *head, bytes(content)


def _checked(data: bytes, file: str, where: str, name: str) -> AcpiTable:
    """The table of these bytes. Raises Unreadable for one of USED with a wrong checksum; those of
    other tables are not looked at."""
    signature = data[:4]
    if signature in USED and (total := sum(data) % 256):
        message = f"expected bytes of {signature.decode('ascii')} whose sum modulo 256 is 0"
        raise unreadable(where, f"{message}, found {total}: the table is damaged")
    return AcpiTable(name or signature.decode("ascii"), data, file)
