"""ACPI tables for tests: ASL compiled by iasl, tables made of bytes, text as acpidump prints it."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

IASL = shutil.which("iasl") or "iasl"


@cache
def compiled(asl: str) -> bytes:
    """AML of ASL, by iasl. What iasl itself complains about is compiled all the same."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory, "table.asl")
        source.write_text(asl, "ascii")
        done = subprocess.run(
            [IASL, "-f", "-p", "table", source.name],
            cwd=directory,
            capture_output=True,
            text=True,
        )
        made = Path(directory, "table.aml")
        assert made.exists(), done.stdout + done.stderr
        return made.read_bytes()


def block(inner: str, signature: str = "DSDT", revision: int = 2) -> str:
    """ASL of a table with these terms."""
    return f'DefinitionBlock ("", "{signature}", {revision}, "OWN", "IDLE", 1) {{\n{inner}\n}}'


def table(signature: str, body: bytes, revision: int = 2) -> bytes:
    """A table with a header whose length and checksum are right."""
    size = (36 + len(body)).to_bytes(4, "little")
    head = signature.encode("ascii") + size + bytes([revision, 0]) + b"OWN   IDLE    "
    data = head + (1).to_bytes(4, "little") + b"OWN " + (1).to_bytes(4, "little") + body
    return data[:9] + bytes([-sum(data) % 256]) + data[10:]


def fadt(c2_latency_us: int, c3_latency_us: int, flags: int, cst_control: int = 0) -> bytes:
    """A FACP of revision 5 with these fields."""
    body = bytearray(268 - 36)
    body[48 - 36 : 52 - 36] = (0xB2).to_bytes(4, "little")
    body[95 - 36] = cst_control
    body[96 - 36 : 98 - 36] = c2_latency_us.to_bytes(2, "little")
    body[98 - 36 : 100 - 36] = c3_latency_us.to_bytes(2, "little")
    body[112 - 36 : 116 - 36] = flags.to_bytes(4, "little")
    return table("FACP", bytes(body), 5)


def madt(entries: Iterable[bytes]) -> bytes:
    """An APIC with these entries."""
    return table("APIC", bytes(8) + b"".join(entries), 4)


def lapic(uid: int, flags: int) -> bytes:
    return bytes([0, 8, uid, uid]) + flags.to_bytes(4, "little")


def gicc(uid: int, flags: int) -> bytes:
    head = bytes([0xB, 80, 0, 0]) + bytes(4)
    return head + uid.to_bytes(4, "little") + flags.to_bytes(4, "little") + bytes(64)


def dump(tables: Iterable[bytes]) -> str:
    """Text as acpidump prints it."""
    lines = []
    for data in tables:
        lines.append(f"{data[:4].decode('ascii')} @ 0x0000000000000000")
        for at in range(0, len(data), 16):
            row = data[at : at + 16]
            shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
            lines.append(f"    {at:04X}: {row.hex(' ').upper():<47}  {shown}")
        lines.append("")
    return "\n".join(lines)


def processor(
    name: str, uid: int, block: int, cst: Iterable[tuple[bytes, int, int]] | None
) -> bytes:
    """AML of a Processor with a P_BLK of 6 bytes, unless block is 0. cst: register, type and
    latency of its C-states; None: without _CST."""
    rows = [_package([_buffer(r), _integer(k), _integer(us), b"\0"]) for r, k, us in cst or ()]
    own = b"" if cst is None else b"\x08_CST" + _package([_integer(len(rows)), *rows])
    where = block.to_bytes(4, "little") + bytes([6 if block else 0])
    return b"\x5b\x83" + _sized(name.encode("ascii") + bytes([uid]) + where + own)


def _package(elements: list[bytes]) -> bytes:
    return b"\x12" + _sized(bytes([len(elements)]) + b"".join(elements))


def _buffer(data: bytes) -> bytes:
    return b"\x11" + _sized(_integer(len(data)) + data)


def _integer(value: int) -> bytes:
    return b"\x0c" + value.to_bytes(4, "little")


def _sized(body: bytes) -> bytes:
    """Bytes with their length before them, which counts itself."""
    if len(body) < 63:
        return bytes([len(body) + 1]) + body
    size = len(body) + 2
    return bytes([0x40 | size & 15, size >> 4]) + body
