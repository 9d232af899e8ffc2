"""Opens an input, tells what it is by its content, and gives its bytes block by block.

Memory does not depend on the input's length. The SHA-256 is that of the file as it lies there,
compressed or not, and is made along the way.
"""

import codecs
import enum
import gzip
import io
import os
import stat
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from ..model.findings import unreadable
from ..patterns import pattern
from . import limits, opening

if TYPE_CHECKING:
    import hashlib

T = TypeVar("T")
Buffer = bytes | bytearray

BLOCK = limits.RECORDING_HEAD_BYTES
"""Bytes per block: what fits a cache is scanned three times as fast as what does not. A head lies
within the first."""
_AHEAD = 4
"""Blocks read before they are asked for, and as many not yet hashed: the fewer, the more often
threads wait for each other."""
_READERS = 2
LINE_MAX = limits.LINE_BYTES
"""No kernel prints a longer line."""
CPU_MAX = limits.CPU
"""Kernels have no more CPUs (NR_CPUS)."""

HEAD_MARK = b"# idle-states decisions "
"""The text that a head of comment lines before the columns of an exact recording begins with."""

_GZIP = b"\x1f\x8b"
_DAT = b"\x17\x08\x44tracing"
_PERF_DATA = (b"PERFILE2", b"2ELIFREP")
_SYSFS = pattern(
    rb"[^\s:]*(?:cpu\d+/cpuidle/(?:state\d+|driver)/[\w/]+|cpu\d+/power/\w+"
    rb"|/cpuidle/(?:current|available)_\w+|/proc/(?:version|cmdline)):"
)
_CSV = pattern(rb"(?:\s*(?:\w+|\"\w+\")\s*(?:,|\Z)){2,}\Z")


class InputKind(enum.StrEnum):
    TEXT = "trace text"
    DAT = "trace.dat"
    PERF = "perf.data"
    SYSFS = "cpuidle sysfs dump"
    CSV = "exact recording (CSV)"
    JSONL = "exact recording (JSON lines)"


class Input:
    """One input.

    name     as given; "-" is standard input
    kind     told from its first block
    advance  called with the number of raw bytes of every read
    held     its bytes, where they have been read; None: they are opened by name
    hashed   its SHA-256 is wanted: of a long trace the most costly part of the reading
    Raises OSError, and Unreadable for what is nothing this package reads.
    """

    def __init__(
        self,
        name: str,
        advance: Callable[[int], None] = lambda count: None,
        held: bytes | None = None,
        *,
        hashed: bool = True,
    ) -> None:
        self.name = name
        self._held = held
        self._origin: Input | None = None
        self._digest = _new_digest() if hashed else None
        raw = opening.open_operand(name) if held is None else io.BytesIO(held)
        self._raw = raw
        self._advance = advance
        self._hashed = _Hashed(raw, self._digest, advance)
        buffered = io.BufferedReader(self._hashed, BLOCK)
        self._data: io.BufferedIOBase = buffered
        self.packed = buffered.peek(2)[:2] == _GZIP
        """The file is compressed."""
        if self.packed:
            self._data = gzip.GzipFile(fileobj=buffered, mode="rb")
        self.cut: str | None = None
        """The reason why reading ended before the end, None if it did not."""
        self._first = self._read().removeprefix(codecs.BOM_UTF8)
        opening.expect_utf8(self._first, name)
        self.head, rest = _head(self._first, name)
        """The lines of an exact recording before its columns, from its first on, without ends."""
        self.kind = self._tell(rest)
        line, text = _opening(rest)
        self.opening = len(self.head) + line, text
        """Number and beginning of the first line after these that is not empty."""

    @property
    def beginning(self) -> bytes:
        """The first block, until it is read."""
        return self._first

    def blocks(self) -> Iterator[bytes]:
        """All bytes, decompressed, in blocks of BLOCK bytes. Can be read once."""
        block, self._first = self._first, b""
        while block:
            yield block
            block = self._read()

    def ahead(self, work: Callable[[Buffer], T]) -> Iterator[tuple[Buffer, T]]:
        """The same blocks, each to be used until the next is asked for, with what `work` makes of
        it. Of a file of some length, blocks are read and worked on in threads, some ahead of what
        is taken, and hashed in another, so that `cut` may be of a block to come."""
        if self._held is not None or len(self._first) < BLOCK // 2 or not _is_file(self._raw):
            # a thread that waits for a pipe would outlast an interrupt
            return ((block, work(block)) for block in self.blocks())
        first, self._first = self._first, b""
        following = self._unpacked_ahead(work) if self.packed else self._read_ahead(work)
        return chain([(first, work(first))], following)

    def _unpacked_ahead(self, work: Callable[[Buffer], T]) -> Iterator[tuple[Buffer, T]]:
        from .threads import Threads

        def worked() -> tuple[Buffer, T]:
            block = self._read()
            return block, work(block)

        with Threads(1) as unpacking:
            following = deque(unpacking.call(worked) for _ in range(_AHEAD))
            while (found := following.popleft()())[0]:
                following.append(unpacking.call(worked))
                yield found

    def _read_ahead(self, work: Callable[[Buffer], T]) -> Iterator[tuple[Buffer, T]]:
        from .threads import Threads

        def worked(memory: bytearray, at: int) -> tuple[bytearray, T]:
            block = self._filled(memory, at)
            return block, work(block)

        at = done = self._raw.tell()
        following: deque[Callable[[], tuple[bytearray, T]]] = deque()
        used: deque[tuple[bytearray, Callable[[], object]]] = deque()
        # memory that is used again need not be cleared by the system
        spare = [bytearray(BLOCK) for _ in range(2 * _AHEAD + 1)]
        digest = self._digest
        with Threads(digest is not None) as hashing, Threads(_READERS) as reading:
            try:
                block = spare[0]
                while len(block) == BLOCK:
                    while len(following) < _AHEAD:
                        following.append(reading.call(worked, spare.pop(), at))
                        at += BLOCK
                    block, made = following.popleft()()
                    used.append((block, hashing.call(digest.update, block) if digest else bool))
                    done += len(block)
                    self._advance(len(block))
                    if block:
                        yield block, made
                    if len(used) > (_AHEAD if digest else 0):
                        memory, finish = used.popleft()
                        finish()
                        spare.append(memory)
            finally:
                self._raw.seek(done)

    def _filled(self, block: bytearray, at: int) -> bytearray:
        """The bytes from an offset on, in the memory of a block: less of it where they end."""
        count, rest = 0, memoryview(block)
        while rest and (more := os.preadv(self._raw.fileno(), [rest], at + count)):
            count += more
            rest = rest[more:]
        return block if count == BLOCK else block[:count]

    def sha256(self) -> str:
        """Returns the SHA-256 of the whole file, which was to be hashed; reads the rest first."""
        if self._origin is not None:
            return self._origin.sha256()
        while self._hashed.read(BLOCK):
            pass
        assert self._digest is not None
        return self._digest.hexdigest()

    def replaced(self, data: bytes) -> "Input":
        """An input of other bytes in place of this one's: its name and digest stay."""
        other = Input(self.name, held=data, hashed=False)
        other._origin = self
        return other

    @property
    def repeatable(self) -> bool:
        """Tells whether it can be read again."""
        return self._held is not None or self.name != "-"

    def again(self) -> "Input":
        """The same input from its beginning, where it is repeatable; it is not hashed again."""
        return Input(self.name, held=self._held, hashed=False)

    def close(self) -> None:
        if self.name != "-":
            self._raw.close()

    @property
    def seekable(self) -> bool:
        """Tells whether any part of it can be read where it lies: a file of its own, not
        compressed, and not standard input, which may have been read from before."""
        if self.packed or self.name == opening.STANDARD_INPUT:
            return False
        return self._held is not None or _is_file(self._raw)

    @property
    def size(self) -> int:
        """Bytes of what is seekable."""
        return os.fstat(self._raw.fileno()).st_size if self._held is None else len(self._held)

    def part(self, offset: int, size: int) -> bytes:
        """Bytes of what is seekable, from an offset on: fewer where it ends."""
        if self._held is not None:
            return self._held[offset : offset + size]
        if offset >= self.size:
            return b""
        found = os.pread(self._raw.fileno(), min(size, self.size - offset), offset)
        while (
            found
            and len(found) < size
            and (more := os.pread(self._raw.fileno(), size - len(found), offset + len(found)))
        ):
            found += more
        return found

    def descriptor(self) -> int:
        """Returns the open file's descriptor, for a program that reads the file itself."""
        return self._raw.fileno()

    def _read(self) -> bytes:
        if self.cut is not None:
            return b""
        parts, wanted = [], BLOCK
        try:
            while wanted:
                part = self._data.read1(wanted)
                if not part:
                    break
                parts.append(part)
                wanted -= len(part)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self.cut = f"the compressed data end or break: {error}"
        return b"".join(parts)

    def _tell(self, first: bytes) -> InputKind:
        """first: the first block without head."""
        if not first and not self.head:
            why = self.cut or "found an empty file"
            raise unreadable(self.name, f"expected a trace, a recording or a sysfs dump; {why}")
        if first.startswith(_DAT):
            return InputKind.DAT
        if first.startswith(_PERF_DATA):
            return InputKind.PERF
        line = first[:LINE_MAX].lstrip().split(b"\n", 1)[0]
        if _SYSFS.match(line):
            return InputKind.SYSFS
        if line.startswith(b"{"):
            return InputKind.JSONL
        if self.head or _CSV.match(line):
            return InputKind.CSV
        return InputKind.TEXT


def lines(blocks: Iterable[bytes], name: str) -> Iterator[tuple[int, bytes]]:
    """Numbered lines without their ends, from 1. Raises Unreadable for one over LINE_MAX."""
    number, rest = 0, b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            number += 1
            yield number, _bounded(line, name, number)
        _bounded(rest, name, number + 1)
    if rest:
        yield number + 1, rest.rstrip(b"\r")


def _head(first: bytes, name: str) -> tuple[tuple[bytes, ...], bytes]:
    """The lines of an exact recording's head, and what follows them. Raises Unreadable if they do
    not end in the first block."""
    found: list[bytes] = []
    offset = 0
    while first.startswith(b"#" if found else HEAD_MARK, offset):
        end = first.find(b"\n", offset) + 1 or len(first)
        found.append(first[offset:end].rstrip(b"\r\n"))
        offset = end
    if found and offset == len(first) >= BLOCK - len(codecs.BOM_UTF8):
        message = f"expected the recording's head to end within {BLOCK} bytes"
        raise unreadable(name, message, len(found))
    return tuple(found), first[offset:]


def _opening(first: bytes) -> tuple[int, bytes]:
    text = first[:LINE_MAX]
    blank = text[: len(text) - len(text.lstrip())]
    return blank.count(b"\n") + 1, text.lstrip().split(b"\n", 1)[0].rstrip()


def _bounded(line: bytes, name: str, number: int) -> bytes:
    if len(line) > LINE_MAX:
        raise unreadable(name, f"expected lines of at most {LINE_MAX} bytes", number)
    return line.rstrip(b"\r")


def _is_file(raw: BinaryIO) -> bool:
    return stat.S_ISREG(os.fstat(raw.fileno()).st_mode)


def _new_digest() -> "hashlib._Hash":
    import hashlib

    return hashlib.sha256()


class _Hashed(io.RawIOBase):
    """A raw stream that reports what is read from it, and hashes it where there is a digest."""

    def __init__(
        self, raw: BinaryIO, digest: "hashlib._Hash | None", advance: Callable[[int], None]
    ) -> None:
        self._raw = raw
        self._digest = digest
        self._advance = advance

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        count = self._raw.readinto(buffer)  # type: ignore[attr-defined]
        if self._digest is not None:
            self._digest.update(buffer[:count])
        self._advance(count)
        return int(count)
