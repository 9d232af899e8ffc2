"""Flattened device trees (dtb), read and written.

Blobs come from anywhere: every offset and length is checked before it is used, nesting is
followed without recursion, and what a blob can make the reader do is bounded by its limits.

Source: Devicetree Specification v0.4, chapter 5, Flattened Devicetree (DTB) Format.
"""

import struct
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ...base.dataclass import dataclass, field
from ...base.model.findings import Location, Unreadable, unreadable
from ...base.reading import limits
from .tree import MAX_DEPTH, MAX_NAME, NAME, Node, not_a_tree

try:
    _fdt: Any = import_module(f"{__package__}._fdt")
except ImportError:
    _fdt = None

MAX_BYTES = limits.TREE_BYTES
MAX_TOKENS = limits.TREE_TOKENS
"""Tokens in the structure block, each of which takes far more memory when read than in the blob.
A POWER9 server's tree has about 4,500."""
MAX_RESERVATIONS = limits.TREE_RESERVATIONS

MAGIC = 0xD00DFEED
MAGIC_BYTES = MAGIC.to_bytes(4, "big")
VERSION, LAST_COMPATIBLE = 17, 16
BEGIN_NODE, END_NODE, PROP, NOP, END = 1, 2, 3, 4, 9

_WORD = struct.Struct(">I")
_PAIR = struct.Struct(">II")
_PROP = struct.Struct(">III")
_RESERVATION = struct.Struct(">QQ")
_HEADER = struct.Struct(">10I")
_HEADER_BYTES = {16: 36, 17: 40}
_PADDING = (b"", bytes(3), bytes(2), bytes(1))


@dataclass(frozen=True, slots=True)
class Blob:
    """The content of a blob.

    reservations  (address, bytes) of reserved memory
    boot_cpu      reg of the CPU that boots
    """

    root: Node
    reservations: tuple[tuple[int, int], ...] = ()
    boot_cpu: int = 0


def read(data: bytes, file: str) -> Node:
    """The root node of a blob of version 16 or 17; `file` is what messages call it.

    Raises Unreadable (IS931) for anything that is not a device tree through and through.
    """
    return read_blob(data, file).root


def read_blob(data: bytes, file: str) -> Blob:
    """Like `read`, with the memory reservations and the boot CPU."""
    return _Reader(data, file).blob()


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """The part of a blob that an audit judges, and the root's properties that it only repeats.

    shape          equal for blobs that are judged alike but for the states' times: all else that is
                   read of /cpus, of /ibm,opal/power-mgt and of the firmware's versions
    latencies      value of power-mgt's property; None if there is none
    residencies    likewise
    system_id      of the root, likewise
    serial_number  likewise
    """

    shape: bytes
    latencies: bytes | None
    residencies: bytes | None
    system_id: bytes | None
    serial_number: bytes | None

    @property
    def key(self) -> bytes:
        """Equal for blobs that are judged alike. The shape tells how long the others are."""
        return self.shape + (self.latencies or b"") + (self.residencies or b"")


def judged(data: bytes) -> JudgedPart | None:
    """Reads that much of a blob in C, without building its tree. None for a blob that `read` does
    not take, for one that is built in an unusual way, has another behind it or no
    /ibm,opal/power-mgt, and without the extension: `read` tells which."""
    if _fdt is None:
        return None
    reader = _Reader(data, "")
    try:
        (at, end, closed), reserved, _ = reader.blocks()
        reader.reservations(reserved)
    except Unreadable:
        return None
    if data.find(MAGIC_BYTES, reader.total) >= 0:
        return None
    blocks = (at, end, reader.strings, reader.strings_end)
    found = _fdt.judged(data, *blocks, closed, MAX_DEPTH, MAX_NAME, MAX_TOKENS)
    return found and JudgedPart(*found)


def judged_nodes(data: bytes, file: str) -> Node:
    """The root of a blob that `judged` takes, with only the nodes that are judged. Raises
    Unreadable as `read` does."""
    reader = _Reader(data, file)
    block, _, _ = reader.blocks()
    return reader._quickly(*block, judged=True) or read(data, file)


@dataclass(slots=True)
class _Open:
    """A node whose end token was not read yet. `children`: None for the child being read."""

    name: str
    properties: dict[str, bytes] = field(default_factory=dict)
    children: dict[str, Node | None] = field(default_factory=dict)

    def closed(self) -> Node:
        return Node(self.name, self.properties, tuple(filter(None, self.children.values())))


class _Reader:
    def __init__(self, data: bytes, file: str) -> None:
        self.data = data
        self.file = file
        self.stack: list[_Open] = []
        self.names: dict[int, str] = {}

    def blob(self) -> Blob:
        block, reserved, boot_cpu = self.blocks()
        root = self._quickly(*block) or self._structure(*block)
        return Blob(root, self.reservations(reserved), boot_cpu)

    def blocks(self) -> tuple[tuple[int, int, bool], int, int]:
        """Start and end of the structure block, and whether FDT_END must be its last; where the
        reservations are; the boot CPU."""
        header = self._header()
        _, total, structure, strings, reserved, version, _, boot_cpu, *sizes = header
        strings_size, structure_size = sizes if version >= 17 else (sizes[0], total - structure)
        first = _HEADER_BYTES[min(version, VERSION)]
        self._check_block("memory reservation block", reserved, 16, 8, first, total)
        self._check_block("structure block", structure, structure_size, 4, first, total)
        self._check_block("strings block", strings, strings_size, 1, first, total)
        self.total = total
        self.strings, self.strings_end = strings, strings + strings_size
        return (structure, structure + structure_size, version >= 17), reserved, boot_cpu

    def _bad(self, message: str) -> Unreadable:
        path = "/" + "/".join(node.name for node in self.stack[1:])
        return not_a_tree(Location(path if self.stack else "", self.file), message)

    def _header(self) -> tuple[int, ...]:
        """The ten words of the header; the last is 0 before version 17."""
        data, found = self.data, len(self.data)
        if found > MAX_BYTES:
            raise self._bad(f"expected at most {MAX_BYTES} bytes, found {found}")
        magic = int.from_bytes(data[:4], "big")
        if found < 4 or magic != MAGIC:
            swapped = magic == int.from_bytes(MAGIC_BYTES, "little")
            what = f"{magic:#010x}" if found >= 4 else f"{found} bytes"
            hint = ", a header with its bytes swapped" if swapped else ""
            raise self._bad(f"expected the magic {MAGIC:#010x} at offset 0, found {what}{hint}")
        if found < 28:
            raise self._bad(f"expected a header of {_HEADER.size} bytes, found the end at {found}")
        version, compatible = _PAIR.unpack_from(data, 20)
        if version < LAST_COMPATIBLE or compatible > VERSION:
            raise self._bad(
                f"expected format version {LAST_COMPATIBLE} or {VERSION} at offset 20, found "
                f"version {version}, readable as {compatible} and later"
            )
        needed = _HEADER_BYTES[min(version, VERSION)]
        total = _WORD.unpack_from(data, 4)[0]
        if found < needed:
            raise self._bad(f"expected a header of {needed} bytes, found the end at {found}")
        if total < needed:
            raise self._bad(
                f"expected a total of {needed} bytes or more at offset 4, found {total}"
            )
        if total > found:
            raise self._bad(
                f"expected {total} bytes, which the header says at offset 4, found {found}: "
                "the file was cut off or its header is damaged"
            )
        behind = data.find(MAGIC_BYTES, total)
        if behind >= 0 and not data[total:behind].strip(b"\0"):
            message = (
                f"expected one tree, found another after it at offset {behind}; split the file"
            )
            raise unreadable(self.file, message)
        return _HEADER.unpack(data[:needed].ljust(_HEADER.size, b"\0"))

    def _check_block(
        self, what: str, offset: int, size: int, alignment: int, first: int, total: int
    ) -> None:
        if offset < first or size < 0 or offset + size > total:
            raise self._bad(
                f"expected the {what} between offset {first} and {total}, found {size} bytes "
                f"at offset {offset}"
            )
        if offset % alignment:
            raise self._bad(
                f"expected the {what} at a multiple of {alignment}, found it at offset {offset}"
            )

    def reservations(self, at: int) -> tuple[tuple[int, int], ...]:
        """Up to the entry of size 0, as libfdt and Linux read them."""
        found: list[tuple[int, int]] = []
        while at + _RESERVATION.size <= self.total and len(found) <= MAX_RESERVATIONS:
            address, size = _RESERVATION.unpack_from(self.data, at)
            if not size:
                return tuple(found)
            found.append((address, size))
            at += _RESERVATION.size
        raise self._bad(
            f"expected an entry of zeros to end the memory reservations within "
            f"{MAX_RESERVATIONS} entries, found none up to offset {at}"
        )

    def _quickly(self, at: int, end: int, closed: bool, *, judged: bool = False) -> Node | None:
        """Does the same as `_structure` in C; None without the extension, or on any error."""
        if _fdt is None:
            return None
        blocks = (at, end, self.strings, self.strings_end)
        limits = (MAX_DEPTH, MAX_NAME, MAX_TOKENS)
        root: Node | None = _fdt.read(self.data, *blocks, closed, *limits, Node, judged)
        return root

    def _structure(self, at: int, end: int, closed: bool) -> Node:
        """The root from the tokens in [at, end). closed: FDT_END must be the block's last."""
        data, stack, names = self.data, self.stack, self.names
        word, pair = _WORD.unpack_from, _PAIR.unpack_from
        root: Node | None = None
        properties: dict[str, bytes] | None = None  # of the innermost node, until its first child
        for _ in range(MAX_TOKENS):
            if at + 4 > end:
                raise self._bad(
                    f"expected FDT_END, found the end of the structure block at offset {end}"
                )
            (token,) = word(data, at)
            if token == PROP:
                start = at + 12
                if start > end:
                    raise self._bad(
                        f"expected a property's length and name at offset {at + 4}, found the end "
                        f"of the structure block at offset {end}"
                    )
                length, offset = pair(data, at + 4)
                name = names.get(offset) or self._property_name(offset, at + 8)
                if properties is None or name in properties:
                    raise self._misplaced(name, at)
                after = start + length
                if after > end:
                    raise self._bad(
                        f"expected a property of at most {end - start} bytes at offset {start}, "
                        f"found a length of {length}"
                    )
                properties[name] = data[start:after]
                at = after + 3 & ~3
            elif token == BEGIN_NODE:
                if root is not None:
                    raise self._bad(f"expected FDT_END at offset {at}, found a second root node")
                at = self._begin(at + 4, end)
                properties = stack[-1].properties
            elif token == END_NODE:
                if not stack:
                    raise self._bad(
                        f"expected a node or FDT_END at offset {at}, found FDT_END_NODE"
                    )
                node = stack.pop().closed()
                if stack:
                    stack[-1].children[node.name] = node
                else:
                    root = node
                properties = None
                at += 4
            elif token == NOP:
                at += 4
            elif token == END:
                return self._end(root, at, end if closed else None)
            else:
                raise self._bad(f"expected a token (1 to 4, or 9) at offset {at}, found {token:#x}")
        raise self._bad(f"expected at most {MAX_TOKENS} tokens, found more before offset {at}")

    def _begin(self, at: int, end: int) -> int:
        """Opens the node whose name starts at `at`; returns where the next token is."""
        data, stack = self.data, self.stack
        nul = data.find(b"\0", at, min(end, at + MAX_NAME + 1))
        if nul < 0:
            raise self._bad(
                f"expected a node's name of at most {MAX_NAME} bytes and a NUL at offset {at}, "
                "found no NUL"
            )
        name = data[at:nul].decode("latin-1")
        if not stack:
            if name:
                raise self._bad(f"expected a nameless root node at offset {at}, found {name!a}")
        elif not NAME.fullmatch(name):
            raise self._bad(f"expected a node's name at offset {at}, found {name!a}")
        elif name in stack[-1].children:
            raise self._bad(f"expected one node {name} here, found a second at offset {at}")
        elif len(stack) >= MAX_DEPTH:
            raise self._bad(
                f"expected nodes nested at most {MAX_DEPTH} deep, found one deeper at offset {at}"
            )
        else:
            stack[-1].children[name] = None
        stack.append(_Open(name))
        return nul + 4 & ~3

    def _misplaced(self, name: str, at: int) -> Unreadable:
        if not self.stack:
            return self._bad(f"expected a node at offset {at}, found property {name}")
        if self.stack[-1].children:
            # Linux and libfdt stop looking for properties at the first child
            return self._bad(
                f"expected properties before child nodes, found {name} after one at offset {at}"
            )
        return self._bad(f"expected one property {name} here, found a second at offset {at}")

    def _property_name(self, offset: int, at: int) -> str:
        start = self.strings + offset
        if start >= self.strings_end:
            size = self.strings_end - self.strings
            raise self._bad(
                f"expected a name within the {size} bytes of the strings block, found string "
                f"{offset} at offset {at}"
            )
        nul = self.data.find(b"\0", start, min(self.strings_end, start + MAX_NAME + 1))
        if nul < 0:
            raise self._bad(
                f"expected a property's name of at most {MAX_NAME} bytes and a NUL at offset "
                f"{start}, found no NUL"
            )
        name = self.data[start:nul].decode("latin-1")
        if not NAME.fullmatch(name):
            raise self._bad(f"expected a property's name at offset {start}, found {name!a}")
        self.names[offset] = name
        return name

    def _end(self, root: Node | None, at: int, end: int | None) -> Node:
        if self.stack:
            raise self._bad(f"expected FDT_END_NODE, found FDT_END at offset {at}")
        if root is None:
            raise self._bad(f"expected a root node, found FDT_END at offset {at}")
        if end is not None and at + 4 != end:
            raise self._bad(
                f"expected FDT_END to end the structure block at offset {end}, found it at {at}"
            )
        return root


def write(root: Node, reservations: Iterable[tuple[int, int]] = (), boot_cpu: int = 0) -> bytes:
    """A blob of version 17, laid out as dtc does it: header, reservations, structure, strings.

    Raises ValueError for a tree that no blob can hold.
    """
    reserved = b"".join(_RESERVATION.pack(*entry) for entry in (*reservations, (0, 0)))
    structure, strings = _Writer().run(root)
    at_structure = _HEADER.size + len(reserved)
    at_strings = at_structure + len(structure)
    total = at_strings + len(strings)
    if total > MAX_BYTES:
        raise ValueError(f"expected a tree of at most {MAX_BYTES} bytes, found {total}")
    header = _HEADER.pack(
        MAGIC,
        total,
        at_structure,
        at_strings,
        _HEADER.size,
        VERSION,
        LAST_COMPATIBLE,
        boot_cpu,
        len(strings),
        len(structure),
    )
    return b"".join((header, reserved, structure, strings))


class _Writer:
    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.strings = bytearray()
        self.offsets: dict[str, int] = {}

    def run(self, root: Node) -> tuple[bytes, bytes]:
        """Structure and strings block."""
        end_node = _WORD.pack(END_NODE)
        waiting: list[tuple[str, Node] | None] = [("/", root)]
        depth = 0
        while waiting:
            entry = waiting.pop()
            if entry is None:
                self.parts.append(end_node)
                depth -= 1
                continue
            path, node = entry
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(f"expected nodes nested at most {MAX_DEPTH} deep, found {path}")
            self._node("" if node is root else node.name, node, path)
            base = path.rstrip("/")
            waiting.append(None)
            waiting += [(f"{base}/{child.name}", child) for child in reversed(node.children)]
        self.parts.append(_WORD.pack(END))
        return b"".join(self.parts), bytes(self.strings)

    def _node(self, name: str, node: Node, path: str) -> None:
        seen: set[str] = set()
        for child in node.children:
            if not NAME.fullmatch(child.name):
                raise ValueError(f"expected a node's name below {path}, found {child.name!a}")
            if child.name in seen:
                raise ValueError(f"expected one node {child.name} below {path}, found two")
            seen.add(child.name)
        self.parts += (_WORD.pack(BEGIN_NODE), _padded(name.encode("ascii") + b"\0"))
        parts, offsets, prop, padding = self.parts, self.offsets, _PROP.pack, _PADDING
        for key, value in node.properties.items():
            offset = offsets.get(key)
            if offset is None:
                if not NAME.fullmatch(key):
                    raise ValueError(f"expected a property's name in {path}, found {key!a}")
                offset = self._string(key)
            length = len(value)
            parts += (prop(PROP, length, offset), value, padding[length % 4])

    def _string(self, name: str) -> int:
        """Offset in the strings block of a name that is new; the end of a longer name serves as
        well, as with dtc."""
        stored = name.encode("ascii") + b"\0"
        offset = self.strings.find(stored)
        if offset < 0:
            offset = len(self.strings)
            self.strings += stored
        self.offsets[name] = offset
        return offset


def _padded(data: bytes) -> bytes:
    return data + _PADDING[len(data) % 4]
