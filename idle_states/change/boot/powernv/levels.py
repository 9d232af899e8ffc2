"""Changes ibm,enabled-stop-levels in the device tree that QEMU gives to skiboot.

QEMU's powernv machines enable stop levels 0 and 1 only; the value is built in, and a tree given
with -dtb is not used (hw/ppc/pnv.c pnv_reset() makes a new one). So the machine is halted before
its first instruction, and the property's bytes are changed in its memory through QEMU's GDB stub.
skiboot and Linux then run unchanged. Source: GDB's remote serial protocol; PNV_FDT_ADDR.
"""

import re
import socket
import time
from contextlib import suppress
from pathlib import Path

from ....base.model.findings import Unreadable
from ....base.model.power_mgt import NODE, STOP_LEVELS
from ....tables.devicetree import fdt
from ....tables.devicetree.tree import Node

TREE_ADDRESS = 0x0100_0000
"""Real address of the device tree when the machine starts."""
_TOTAL_SIZE_AT = 4
_MAX_TREE = 1 << 20
_CHUNK = 1024
_TIMEOUT_S = 20.0
_PACKET = re.compile(rb"\$([^#]*)#[0-9a-f]{2}")


class StubError(Exception):
    """QEMU's GDB stub did not answer as expected; the message says how."""


def enable(path: Path, levels: int) -> None:
    """Sets the property and lets the machine run.

    path    socket of the GDB stub
    levels  the new value, one bit a stop level, the highest bit for level 0
    Raises StubError; the machine is then still halted.
    """
    try:
        with _connected(path) as stub:
            place, size = _place(_tree(stub))
            if size != 4:
                raise StubError(f"expected 4 bytes as {STOP_LEVELS}, found {size}")
            _ask(stub, b"M%x,4:%08x" % (TREE_ADDRESS + place, levels), b"OK")
            _ask(stub, b"D", b"OK")
    except OSError as error:
        raise StubError(f"expected QEMU's GDB stub to answer, found: {error}") from None


def _connected(path: Path) -> socket.socket:
    """Connects to the stub, waiting for QEMU to make the socket."""
    limit = time.monotonic() + _TIMEOUT_S
    while True:
        stub = socket.socket(socket.AF_UNIX)
        stub.settimeout(_TIMEOUT_S)
        try:
            stub.connect(str(path))
            return stub
        except OSError:
            stub.close()
            if time.monotonic() > limit:
                raise
            time.sleep(0.05)


def _tree(stub: socket.socket) -> bytes:
    head = _memory(stub, TREE_ADDRESS, _TOTAL_SIZE_AT + 4)
    size = int.from_bytes(head[_TOTAL_SIZE_AT:], "big")
    if not 0 < size <= _MAX_TREE:
        raise StubError(f"expected a device tree in memory, found one of {size} bytes")
    return b"".join(
        _memory(stub, TREE_ADDRESS + at, min(_CHUNK, size - at)) for at in range(0, size, _CHUNK)
    )


def _place(tree: bytes) -> tuple[int, int]:
    """Offset and size of the property's value in the blob. Each occurrence of its bytes is tried:
    the right one is where a change of the bytes changes the property in the parsed tree."""
    value = _value(tree)
    start = tree.find(value)
    while start >= 0:
        changed = bytearray(tree)
        changed[start] ^= 0x01
        with suppress(StubError):
            if _value(bytes(changed)) != value:
                return start, len(value)
        start = tree.find(value, start + 1)
    raise StubError(f"expected {STOP_LEVELS} in the tree's blob, found none")


def _value(tree: bytes) -> bytes:
    try:
        root = fdt.read(tree, "QEMU's tree")
    except Unreadable as error:
        raise StubError(f"expected a device tree in memory, found: {error}") from None
    node: Node | None = root.find(NODE)
    value = node.properties.get(STOP_LEVELS, b"") if node else b""
    if not value:
        raise StubError(f"expected {NODE} with {STOP_LEVELS} in QEMU's tree, found none")
    return value


def _memory(stub: socket.socket, address: int, size: int) -> bytes:
    answer = _ask(stub, b"m%x,%x" % (address, size))
    try:
        data = bytes.fromhex(answer.decode("ascii"))
    except ValueError:
        data = b""
    if len(data) != size:
        raise StubError(f"expected {size} bytes at {address:#x}, found {answer[:40]!r}")
    return data


def _ask(stub: socket.socket, words: bytes, expected: bytes | None = None) -> bytes:
    stub.sendall(b"$%s#%02x" % (words, sum(words) & 0xFF))
    answer = b""
    while not (match := _PACKET.search(answer)):
        part = stub.recv(65536)
        if not part:
            raise StubError("expected an answer of QEMU's GDB stub, found the connection closed")
        answer += part
    stub.sendall(b"+")
    if expected is not None and match[1] != expected:
        raise StubError(f"expected {expected!r} from QEMU's GDB stub, found {match[1][:40]!r}")
    return match[1]
