"""What a trace.dat says of itself: byte order, formats of events, and where each CPU's pages lie.

The formats are trace-cmd's versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)). What they
can hold and this reader does not follow, such as guests or clocks that do not count ns, raises
`Beyond`: trace-cmd reads it then.
"""

import re
import struct
from collections.abc import Iterator
from typing import Literal, NoReturn

from ..dataclass import dataclass
from ..findings import unreadable
from ..reading import compressed, limits
from ..reading.inputs import Input
from ..reading.problems import quoted

_MAGIC_BYTES = 10
_CLOCKS = {b"", b"local", b"global", b"uptime", b"perf", b"mono", b"mono_raw", b"boot", b"tai"}
"""Clocks that count ns."""

_DONE, _BUFFER, _CLOCK, _OFFSET, _SHIFT, _GUEST, _TSC = 0, 3, 4, 7, 12, 13, 14
_HEADER_INFO, _FORMATS = 16, 18
_SHIFTED = {_OFFSET: "an offset of times", _SHIFT: "times of a guest", _GUEST: "a guest",
            _TSC: "times in cycles"}  # fmt: skip
_COMPRESSED = 1
_WINDOW = 1 << 16
_TEXT_MAX = 4096
_FIELD = re.compile(rb"field:[^;]*?(\w+);\s*offset:(\d{1,5});\s*size:(\d{1,5});")
_ID = re.compile(rb"^ID:\s*(\d{1,5})\s*$", re.MULTILINE)
_NAME = re.compile(rb"name:\s*(cpu_idle(?:_miss)?)\s")
_IDLE = {b"common_type": 2, b"state": 4, b"cpu_id": 4}
_MISS = {**_IDLE, b"below": 1}


class Beyond(Exception):
    """The file has what only trace-cmd reads; says what."""


@dataclass(frozen=True, slots=True)
class Fields:
    """An event as its format has it: the number of its kind, and its fields' offsets in bytes.
    below: of cpu_idle_miss only."""

    number: int
    state: int
    cpu: int
    below: int = 0


@dataclass(frozen=True, slots=True)
class PageLayout:
    """How pages of the ring buffer are laid out.

    big           byte order of the machine traced
    page_bytes    size of a page
    data_at       offset of the first event in a page
    commit_bytes  size of a long of the kernel traced
    idle, miss    cpu_idle and cpu_idle_miss; None: the trace has none
    """

    big: bool
    page_bytes: int
    data_at: int
    commit_bytes: int
    idle: Fields | None
    miss: Fields | None


@dataclass(frozen=True, slots=True)
class CpuPages:
    """Where a CPU's pages lie in the file: offset and size in bytes, compressed or not."""

    cpu: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class DatFile:
    """A trace.dat.

    compression  name of what its pages are compressed with; "": they are not
    cpus         in the order of the file
    """

    source: Input
    layout: PageLayout
    compression: str
    cpus: tuple[CpuPages, ...]

    def pages(self, of: CpuPages) -> Iterator[bytes]:
        """A CPU's pages, some at a time, each whole. Raises Unreadable naming the place."""
        if not of.size:
            return
        page = self.layout.page_bytes
        if not self.compression:
            step = max(page, limits.TRACE_DAT_PAGES_BYTES // page * page)
            for at in range(of.offset, of.offset + of.size, step):
                yield self._whole(of, _part(self.source, at, min(step, of.offset + of.size - at)))
            return
        order = ">" if self.layout.big else "<"
        (count,) = struct.unpack(f"{order}I", _part(self.source, of.offset, 4))
        at = of.offset + 4
        for _ in range(count):
            data, at = _unpacked(
                self.source, at, order, self.compression, limits.TRACE_DAT_CHUNK_BYTES
            )
            yield self._whole(of, data)

    def _whole(self, of: CpuPages, data: bytes) -> bytes:
        if len(data) % self.layout.page_bytes:
            expected = f"expected pages of {self.layout.page_bytes} bytes"
            _refuse(self.source, of.offset, f"{expected}, found {len(data)} bytes of CPU {of.cpu}")
        return data


def read(source: Input) -> DatFile:
    """What a trace.dat says. Raises Beyond; Unreadable naming the offset of what is wrong."""
    file = _Reader(source)
    file.skip(_MAGIC_BYTES)
    version = file.text()
    if version not in (b"6", b"7"):
        raise Beyond(f"version {quoted(version, 20)} of the format")
    order = file.take(1)
    if order not in (b"\0", b"\1"):
        file.refuse(f"expected a byte order of 0 or 1, found {order[0]}")
    file.order = "<" if order == b"\0" else ">"
    file.skip(1)
    page_bytes = file.u32()
    return _version_6(file, page_bytes) if version == b"6" else _version_7(file, page_bytes)


def _version_6(file: "_Reader", page_bytes: int) -> DatFile:
    data_at, commit_bytes = _header_info(file)
    for _ in range(file.u32()):
        file.skip(file.u64())
    idle, miss = _formats(file)
    for size in (file.u32, file.u32, file.u64):  # addresses, texts of printk, names of tasks
        file.skip(size())
    count = file.u32()
    kind = file.take(10)
    if kind == b"options  \0":
        while (option := file.u16()) != _DONE:
            payload = file.take(file.u32())
            if option == _BUFFER:
                raise Beyond("several buffers")
            _expect_plain(option, payload)
        kind = file.take(10)
    if kind != b"flyrecord\0":
        raise Beyond(f"{quoted(kind, 10)} instead of pages")
    if count > limits.CPU + 1:
        file.refuse(f"expected at most {limits.CPU + 1} CPUs, found {count}")
    cpus = [CpuPages(cpu, file.u64(), file.u64()) for cpu in range(count)]
    layout = PageLayout(file.order == ">", page_bytes, data_at, commit_bytes, idle, miss)
    return _checked(file, layout, "", cpus)


def _version_7(file: "_Reader", page_bytes: int) -> DatFile:
    name = file.text()
    compression = "" if name == b"none" else name.decode("ascii", "replace")
    if compression and not compressed.can_unpack(compression):
        raise Beyond(f"data compressed with {quoted(name, 20)}")
    file.text()
    next_at = file.u64()
    where: dict[int, int] = {}
    buffers: list[bytes] = []
    for _ in range(limits.TRACE_DAT_SECTIONS):
        if not next_at:
            break
        options = _section(file, next_at, compression, None)
        next_at = 0
        while options.left():
            option, size = options.u16(), options.u32()
            payload = options.part(size)
            if option == _DONE:
                next_at = payload.u64()
                break
            if option in (_HEADER_INFO, _FORMATS):
                where[option] = payload.u64()
            elif option == _BUFFER:
                buffers.append(payload.take(size))
            else:
                _expect_plain(option, payload.take(size))
    if next_at:
        file.refuse(f"expected at most {limits.TRACE_DAT_SECTIONS} sections of options")
    if not {_HEADER_INFO, _FORMATS} <= where.keys():
        file.refuse("expected the formats of pages and events, found none")
    data_at, commit_bytes = _header_info(
        _section(file, where[_HEADER_INFO], compression, _HEADER_INFO)
    )
    idle, miss = _formats(_section(file, where[_FORMATS], compression, _FORMATS))
    if len(buffers) != 1:
        raise Beyond(f"{len(buffers)} buffers")
    buffer = _Reader(file.source, buffers[0], 0, file.order)
    section_at = buffer.u64()
    if buffer.text():
        raise Beyond("a buffer of an instance")
    _expect_plain(_CLOCK, buffer.text())
    page_bytes, count = buffer.u32(), buffer.u32()
    if count > limits.CPU + 1:
        file.refuse(f"expected at most {limits.CPU + 1} CPUs, found {count}")
    cpus = [CpuPages(buffer.u32(), buffer.u64(), buffer.u64()) for _ in range(count)]
    head = _Reader(file.source, _part(file.source, section_at, 4), section_at, file.order)
    head.skip(2)
    layout = PageLayout(file.order == ">", page_bytes, data_at, commit_bytes, idle, miss)
    return _checked(file, layout, compression if head.u16() & _COMPRESSED else "", cpus)


def _section(file: "_Reader", at: int, compression: str, kind: int | None) -> "_Reader":
    """A section of version 7, whatever it is compressed with."""
    head = _Reader(file.source, _part(file.source, at, 16), at, file.order)
    found, flags = head.u16(), head.u16()
    head.skip(4)
    size = head.u64()
    if found != (kind or 0):
        _refuse(file.source, at, f"expected a section {kind or 0}, found {found}")
    if flags & _COMPRESSED:
        data, _ = _unpacked(
            file.source, at + 16, file.order, compression, limits.TRACE_DAT_HEAD_BYTES
        )
    else:
        data = _part(file.source, at + 16, size)
    return _Reader(file.source, data, at, file.order)


def _expect_plain(option: int, payload: bytes) -> None:
    """Raises Beyond for times that are no ns of the machine's own."""
    if option in _SHIFTED:
        raise Beyond(_SHIFTED[option])
    if option == _CLOCK:
        text = payload.rstrip(b"\0\n")
        chosen = re.search(rb"\[([\w-]+)\]", text)
        clock = chosen[1] if chosen else text
        if clock not in _CLOCKS:
            raise Beyond(f"the clock {quoted(clock, 40)}")


def _header_info(file: "_Reader") -> tuple[int, int]:
    """Where a page's events begin, and the size of the kernel's long."""
    if (name := file.take(12)) != b"header_page\0":
        file.refuse(f"expected header_page, found {quoted(name, 12)}")
    fields = {name: (int(at), int(size)) for name, at, size in _FIELD.findall(file.sized())}
    if (name := file.take(13)) != b"header_event\0":
        file.refuse(f"expected header_event, found {quoted(name, 13)}")
    file.sized()
    commit_at, commit_bytes = fields.get(b"commit", (0, 0))
    data_at, _ = fields.get(b"data", (0, 0))
    start = fields.get(b"timestamp")
    if (
        start != (0, 8)
        or commit_at != 8
        or commit_bytes not in (4, 8)
        or data_at < 8 + commit_bytes
    ):
        file.refuse("expected a page of a time, the size of its data and data, found another")
    return data_at, commit_bytes


def _formats(file: "_Reader") -> tuple[Fields | None, Fields | None]:
    """cpu_idle and cpu_idle_miss among all formats."""
    found: dict[bytes, Fields] = {}
    seen = 0
    for _ in range(file.u32()):
        file.text()
        for _ in range(file.u32()):
            seen += 1
            if seen > limits.TRACE_DAT_FORMATS:
                file.refuse(f"expected at most {limits.TRACE_DAT_FORMATS} formats of events")
            text = file.sized()
            name = _NAME.match(text)
            if name is not None:
                found[name[1]] = _fields(text, _MISS if name[1].endswith(b"miss") else _IDLE)
    return found.get(b"cpu_idle"), found.get(b"cpu_idle_miss")


def _fields(text: bytes, expected: dict[bytes, int]) -> Fields:
    number = _ID.search(text)
    found = {name: (int(at), int(size)) for name, at, size in _FIELD.findall(text)}
    sizes = {name: found.get(name, (0, 0))[1] for name in expected}
    if number is None or sizes != expected or found[b"common_type"][0]:
        raise Beyond("another form of cpu_idle")
    return Fields(
        int(number[1]), found[b"state"][0], found[b"cpu_id"][0], found.get(b"below", (0, 0))[0]
    )


def _checked(
    file: "_Reader", layout: PageLayout, compression: str, cpus: list[CpuPages]
) -> DatFile:
    """Raises Unreadable for pages that no kernel has, or that lie beyond the end."""
    least, most = layout.data_at + 1, limits.TRACE_DAT_CHUNK_BYTES
    if not least <= layout.page_bytes <= most:
        file.refuse(f"expected pages of {least} to {most} bytes, found {layout.page_bytes}")
    for of in cpus:
        if of.size and of.offset + of.size > file.source.size:
            place = f"expected {of.size} bytes of CPU {of.cpu}"
            _refuse(file.source, of.offset, f"{place}, found the end (a file cut short reads so)")
        if of.cpu > limits.CPU:
            file.refuse(f"expected CPUs up to {limits.CPU}, found {of.cpu}")
    return DatFile(file.source, layout, compression, tuple(cpus))


class _Reader:
    """Reads values from bytes of the file that begin at the offset `at`.

    data  the bytes; None: all that follows in the file
    """

    def __init__(
        self, source: Input, data: bytes | None = None, at: int = 0, order: str = "<"
    ) -> None:
        self.source = source
        self.order = order
        self._goes_on = data is None
        self._data = data or b""
        self._at = at
        self._done = 0

    def left(self) -> int:
        return len(self._data) - self._done

    def _fill(self, size: int) -> None:
        """Has so many bytes of the file at hand, as far as there are any."""
        if self._goes_on and self.left() < size:
            self._at += self._done
            self._done = 0
            if size > limits.TRACE_DAT_HEAD_BYTES:
                self.refuse(f"expected at most {limits.TRACE_DAT_HEAD_BYTES} bytes, found {size}")
            self._data = self.source.part(self._at, max(size, _WINDOW))

    def take(self, size: int) -> bytes:
        self._fill(size)
        if size > self.left():
            self.refuse(f"expected {size} bytes, found {self.left()} (a file cut short reads so)")
        self._done += size
        return self._data[self._done - size : self._done]

    def part(self, size: int) -> "_Reader":
        at = self._at + self._done
        return _Reader(self.source, self.take(size), at, self.order)

    def skip(self, size: int) -> None:
        self.take(size)

    def sized(self) -> bytes:
        return self.take(self.u64())

    def text(self) -> bytes:
        """A text up to its NUL."""
        self._fill(_TEXT_MAX)
        end = self._data.find(b"\0", self._done)
        if end < 0:
            self.refuse("expected a text that ends, found the end (a file cut short reads so)")
        return self.take(end + 1 - self._done)[:-1]

    def u16(self) -> int:
        return int.from_bytes(self.take(2), self._endian)

    def u32(self) -> int:
        return int.from_bytes(self.take(4), self._endian)

    def u64(self) -> int:
        return int.from_bytes(self.take(8), self._endian)

    @property
    def _endian(self) -> Literal["big", "little"]:
        return "big" if self.order == ">" else "little"

    def refuse(self, message: str) -> NoReturn:
        _refuse(self.source, self._at + self._done, message)


def _part(source: Input, offset: int, size: int) -> bytes:
    """Bytes of the file. Raises Unreadable if there are fewer."""
    if size > limits.TRACE_DAT_HEAD_BYTES:
        most = limits.TRACE_DAT_HEAD_BYTES
        _refuse(source, offset, f"expected at most {most} bytes together, found {size}")
    found = source.part(offset, size)
    if len(found) < size:
        text = f"expected {size} bytes, found {len(found)} (a file cut short reads so)"
        _refuse(source, offset, text)
    return found


def _unpacked(
    source: Input, at: int, order: str, compression: str, limit: int
) -> tuple[bytes, int]:
    """What was compressed at an offset, and the offset after it."""
    packed, plain = struct.unpack(f"{order}II", _part(source, at, 8))
    if plain > limit:
        _refuse(source, at, f"expected at most {limit} bytes unpacked, found {plain}")
    try:
        return compressed.unpack(compression, _part(source, at + 8, packed), plain), at + 8 + packed
    except compressed.DamagedArchive as error:
        _refuse(source, at, f"expected {plain} bytes compressed with {compression}, found: {error}")


def _refuse(source: Input, offset: int, message: str) -> NoReturn:
    raise unreadable(source.name, f"offset {offset:#x}: {message}")
