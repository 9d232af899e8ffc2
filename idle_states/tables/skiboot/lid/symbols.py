"""The symbols of a build's tables, from skiboot.elf or from the list skiboot.map.

An image has no names; its build leaves them beside it. skiboot is linked at 0, and the image is the
memory from there on, so that a symbol's address is its offset in the image.
Sources: skiboot Makefile.main (TARGET.map is `nm -n` of TARGET.elf, TARGET.lid its objcopy); the
ELF-64 object file format.
"""

import re
import struct
from collections.abc import Iterator
from pathlib import PurePath

from ....base.dataclass import dataclass
from ....base.model.findings import unreadable
from ....base.patterns import pattern
from ....base.reading import limits, opening

ELF_MAGIC = b"\x7fELF"
ENDINGS = (".map", ".elf")
"""The endings of the files beside an image; the first that is there counts."""
_HEAD = struct.Struct(">16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct(">IIQQQQQQ")
_SECTION = struct.Struct(">IIQQQQIIQQ")
_SYMBOL = struct.Struct(">IBBHQQ")
_OF_64_BITS_BIG_ENDIAN = bytes((2, 2))
_LOADED, _SYMBOLS = 1, 2
_LINE = pattern(rb"^([0-9a-f]{8,16}) [A-Za-z] (\w{1,200})\r?$", re.MULTILINE)
_TABLE = pattern(r"\w*cpu_idle_states", re.ASCII)


@dataclass(frozen=True, slots=True)
class TableSymbols:
    """Addresses of a build's arrays of idle states, by name. file: where they are from."""

    file: str
    addresses: dict[str, int]


def names_beside(image: str) -> list[str]:
    """Names of the files that may hold the symbols of an image: of skiboot.lid and skiboot.lid.xz,
    skiboot.map and skiboot.elf."""
    stem = PurePath(image).name
    while PurePath(stem).suffix in (".xz", ".signed", ".stb", ".lid"):
        stem = PurePath(stem).stem
    return [f"{stem}{ending}" for ending in ENDINGS]


def symbols_in(tree: opening.Tree, image: str) -> TableSymbols | None:
    """The symbols of an image, by its file's name, in the directory it lies in; None without such
    a file. Raises Unreadable (IS930), OSError."""
    for name in names_beside(image):
        if tree.is_file(name):
            shown = tree.shown(name)
            return read_symbols(tree.read(name, shown=shown), shown)
    return None


def read_symbols(data: bytes, shown: str) -> TableSymbols:
    """The symbols of an ELF file or of a list as nm prints it. Raises Unreadable (IS930)."""
    if data.startswith(ELF_MAGIC):
        found = dict(_of_elf(data, shown))
    else:
        found = {match[2].decode("ascii", "replace"): int(match[1], 16) for match in _lines(data)}
    return TableSymbols(
        shown, {name: address for name, address in found.items() if _TABLE.fullmatch(name)}
    )


def _lines(data: bytes) -> Iterator[re.Match[bytes]]:
    return _LINE.finditer(data)


def loaded(data: bytes, shown: str) -> bytes:
    """The memory that an ELF file describes, from address 0 on. Raises Unreadable (IS930)."""
    head = _head(data, shown)
    memory = bytearray()
    for at in range(head[10]):
        kind, _, offset, _, address, size, _, _ = _unpacked(
            _SEGMENT, data, head[5] + at * head[9], shown
        )
        if kind != _LOADED or not size:
            continue
        end = address + size
        if end > limits.LID_BYTES or offset + size > len(data):
            message = f"expected segments within {limits.LID_BYTES} bytes and the file, found {end}"
            raise unreadable(shown, message)
        memory.extend(bytes(max(0, end - len(memory))))
        memory[address:end] = data[offset : offset + size]
    return bytes(memory)


def _of_elf(data: bytes, shown: str) -> Iterator[tuple[str, int]]:
    head = _head(data, shown)
    sections = [_unpacked(_SECTION, data, head[6] + at * head[11], shown) for at in range(head[12])]
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != _SYMBOLS or link >= len(sections) or offset + size > len(data):
            continue
        names = sections[link]
        texts = data[names[4] : names[4] + names[5]]
        end = size - size % _SYMBOL.size
        for name, _, _, _, value, _ in _SYMBOL.iter_unpack(data[offset : offset + end]):
            text = texts[name : name + limits.SYMBOL_BYTES].partition(b"\0")[0]
            yield text.decode("utf-8", "replace"), value


def _head(data: bytes, shown: str) -> tuple[int, ...]:
    head = _unpacked(_HEAD, data, 0, shown)
    if data[4:6] != _OF_64_BITS_BIG_ENDIAN:
        raise unreadable(shown, "expected an ELF file of 64 bits, big-endian, found another")
    if (head[10] and head[9] != _SEGMENT.size) or (head[12] and head[11] != _SECTION.size):
        raise unreadable(shown, "expected an ELF file of 64 bits, found entries of another size")
    return head


def _unpacked(form: struct.Struct, data: bytes, at: int, shown: str) -> tuple[int, ...]:
    if at + form.size > len(data):
        raise unreadable(shown, "expected a whole ELF file, found its beginning only")
    return form.unpack_from(data, at)
