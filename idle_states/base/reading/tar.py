"""The members of a tar archive, in one pass and bounded memory.

The standard library's tarfile follows extension headers by recursion and parses them in quadratic
time (CPython 3.11), so an archive of a few hundred kilobytes can stop it; here each member has at
most one extension of a kind, and those are taken word for word.

Source: POSIX.1-2024 pax, "ustar Interchange Format" and "pax Header Block"; GNU tar manual, "Basic
Tar Format" (long names, base-256 sizes).
"""

from collections.abc import Iterator

from ..dataclass import dataclass
from . import limits

BLOCK = 512

REGULAR, DIRECTORY = "a regular file", "a directory"
_KINDS = {
    b"\0": REGULAR,
    b"0": REGULAR,
    b"7": REGULAR,
    b"1": "a link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"5": DIRECTORY,
    b"6": "a pipe",
    b"S": "a sparse file",
}
_EXTENSIONS = (b"L", b"K", b"x", b"g")


class NotTar(ValueError):
    """The error for data that are no tar archive, or one cut off or damaged; says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """One entry. data: of a regular file; of others b"".

    kind  REGULAR, DIRECTORY, or what else it is
    name  bytes that are no UTF-8 are surrogates
    """

    name: str
    kind: str
    data: bytes


def members(data: bytes) -> Iterator[Member]:
    """All members up to the end mark or the end. Raises NotTar."""
    at = 0
    found = False
    extensions: dict[bytes, bytes] = {}
    while at + BLOCK <= len(data):
        header = data[at : at + BLOCK]
        if not header.strip(b"\0"):
            break
        _check(header, at)
        found = True
        kind, size, at = header[156:157], _size(header[124:136], at), at + BLOCK
        if kind in _EXTENSIONS:
            if kind in extensions or size > limits.TAR_EXTENSION_BYTES:
                raise NotTar(f"more than one or a huge extension header at offset {at - BLOCK}")
            extensions[kind] = _content(data, at, size)
            at += _padded(size)
            continue
        name = _name(header, extensions)
        extensions = {}
        what = _KINDS.get(kind, "something else")
        if what is REGULAR and kind == b"\0" and name.endswith("/"):
            what = DIRECTORY
        if what is not REGULAR:
            yield Member(name, what, b"")
            continue
        yield Member(name, what, _content(data, at, size))
        at += _padded(size)
    if extensions:
        raise NotTar("an extension header with nothing after it")
    if at > len(data) or at < len(data) < at + BLOCK:
        raise NotTar("the archive's end within a block")
    if not found:
        raise NotTar("no member")


def _check(header: bytes, at: int) -> None:
    """A checksum counts itself as blanks; old programs summed signed bytes."""
    blanked = header[:148] + b" " * 8 + header[156:]
    difference = sum(blanked) - (_octal(header[148:156]) or 0)
    if difference and difference != 256 * sum(byte > 127 for byte in blanked):
        raise NotTar(f"a bad checksum at offset {at}")


def _size(field: bytes, at: int) -> int:
    size = int.from_bytes(field[1:], "big") if field[0] == 0x80 else _octal(field)
    if size is None:
        raise NotTar(f"no size at offset {at}")
    return size


def _octal(field: bytes) -> int | None:
    digits = field.partition(b"\0")[0].strip()
    if not digits:
        return 0
    return int(digits, 8) if not digits.strip(b"01234567") else None


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _content(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise NotTar(f"the archive's end, {at + size - len(data)} bytes before that of a member")
    return data[at : at + size]


def _name(header: bytes, extensions: dict[bytes, bytes]) -> str:
    name = header[:100].partition(b"\0")[0]
    prefix = header[345:500].partition(b"\0")[0]
    if header[257:263] == b"ustar\0" and prefix:
        name = prefix + b"/" + name
    if b"L" in extensions:
        name = extensions[b"L"].partition(b"\0")[0]
    for kind in {b"g", b"x"} & extensions.keys():
        records = _records(extensions[kind])
        if b"size" in records or any(key.startswith(b"GNU.sparse") for key in records):
            raise NotTar("a member whose size is in an extension header")
        name = records.get(b"path", name) if kind == b"x" else name
    return name.decode("utf-8", "surrogateescape")


def _records(data: bytes) -> dict[bytes, bytes]:
    """LENGTH KEY=VALUE and a newline, the length that of all of it."""
    records = {}
    at = 0
    while at < len(data):
        blank = data.find(b" ", at, at + 6)
        length = data[at:blank] if blank > 0 else b""
        end = at + int(length) if length.isdigit() else at
        key, equals, value = data[blank + 1 : end].partition(b"=")
        if not equals or end > len(data) or not value.endswith(b"\n"):
            raise NotTar("a damaged extension header")
        records[key] = value[:-1]
        at = end
    return records
