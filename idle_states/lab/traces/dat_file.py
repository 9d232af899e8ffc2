"""The head of a trace.dat: byte order, formats of events, and the places of each CPU's pages.

The formats are trace-cmd's versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)). What they
can hold and this reader does not follow, such as guests or clocks that do not count ns, raises
`Beyond`: trace-cmd reads it then.
"""

import re
import struct
from collections.abc import Iterator

from ...base.dataclass import dataclass
from ...base.reading import compressed, limits
from ...base.reading.inputs import Input
from ...base.reading.problems import quoted
from .event_formats import Beyond, Fields, idle_formats, number_of_formats, page_header
from .file_values import FileValues, part_of, refuse

_MAGIC_BYTES = 10
_CLOCKS = {b"", b"local", b"global", b"uptime", b"perf", b"mono", b"mono_raw", b"boot", b"tai"}
"""Clocks that count ns."""

_DONE, _BUFFER, _CLOCK, _OFFSET, _SHIFT, _GUEST, _TSC = 0, 3, 4, 7, 12, 13, 14
_HEADER_INFO, _FORMATS = 16, 18
_SHIFTED = {_OFFSET: "an offset of times", _SHIFT: "times of a guest", _GUEST: "a guest",
            _TSC: "times in cycles"}  # fmt: skip
_COMPRESSED = 1


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The layout of the ring buffer's pages.

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
    """The place of a CPU's pages in the file: offset and size in bytes, compressed or not."""

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
                yield self._whole(of, part_of(self.source, at, min(step, of.offset + of.size - at)))
            return
        order = ">" if self.layout.big else "<"
        (count,) = struct.unpack(f"{order}I", part_of(self.source, of.offset, 4))
        at = of.offset + 4
        for _ in range(count):
            data, at = _unpacked(
                self.source, at, order, self.compression, limits.TRACE_DAT_CHUNK_BYTES
            )
            yield self._whole(of, data)

    def _whole(self, of: CpuPages, data: bytes) -> bytes:
        if len(data) % self.layout.page_bytes:
            expected = f"expected pages of {self.layout.page_bytes} bytes"
            refuse(self.source, of.offset, f"{expected}, found {len(data)} bytes of CPU {of.cpu}")
        return data


def read(source: Input) -> DatFile:
    """Returns the head of a trace.dat. Raises Beyond; Unreadable naming the offset of the error."""
    file = FileValues(source)
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


def _version_6(file: FileValues, page_bytes: int) -> DatFile:
    data_at, commit_bytes = page_header(file)
    for _ in range(number_of_formats(file)):
        file.skip(file.u64())
    idle, miss = idle_formats(file)
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


def _version_7(file: FileValues, page_bytes: int) -> DatFile:
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
    data_at, commit_bytes = page_header(
        _section(file, where[_HEADER_INFO], compression, _HEADER_INFO)
    )
    idle, miss = idle_formats(_section(file, where[_FORMATS], compression, _FORMATS))
    if len(buffers) != 1:
        raise Beyond(f"{len(buffers)} buffers")
    buffer = FileValues(file.source, buffers[0], 0, file.order)
    section_at = buffer.u64()
    if buffer.text():
        raise Beyond("a buffer of an instance")
    _expect_plain(_CLOCK, buffer.text())
    page_bytes, count = buffer.u32(), buffer.u32()
    if count > limits.CPU + 1:
        file.refuse(f"expected at most {limits.CPU + 1} CPUs, found {count}")
    cpus = [CpuPages(buffer.u32(), buffer.u64(), buffer.u64()) for _ in range(count)]
    head = FileValues(file.source, part_of(file.source, section_at, 4), section_at, file.order)
    head.skip(2)
    layout = PageLayout(file.order == ">", page_bytes, data_at, commit_bytes, idle, miss)
    return _checked(file, layout, compression if head.u16() & _COMPRESSED else "", cpus)


def _section(file: FileValues, at: int, compression: str, kind: int | None) -> FileValues:
    """A section of version 7, whatever it is compressed with."""
    head = FileValues(file.source, part_of(file.source, at, 16), at, file.order)
    found, flags = head.u16(), head.u16()
    head.skip(4)
    size = head.u64()
    if found != (kind or 0):
        refuse(file.source, at, f"expected a section {kind or 0}, found {found}")
    if flags & _COMPRESSED:
        data, _ = _unpacked(file.source, at + 16, file.order, compression, limits.TRACE_HEAD_BYTES)
    else:
        data = part_of(file.source, at + 16, size)
    return FileValues(file.source, data, at, file.order)


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


def _checked(
    file: FileValues, layout: PageLayout, compression: str, cpus: list[CpuPages]
) -> DatFile:
    """Raises Unreadable for pages that no kernel has, or that lie beyond the end."""
    least, most = layout.data_at + 1, limits.TRACE_DAT_CHUNK_BYTES
    if not least <= layout.page_bytes <= most:
        file.refuse(f"expected pages of {least} to {most} bytes, found {layout.page_bytes}")
    for of in cpus:
        if of.size and of.offset + of.size > file.source.size:
            place = f"expected {of.size} bytes of CPU {of.cpu}"
            refuse(file.source, of.offset, f"{place}, found the end (a file cut short reads so)")
        if of.cpu > limits.CPU:
            file.refuse(f"expected CPUs up to {limits.CPU}, found {of.cpu}")
    return DatFile(file.source, layout, compression, tuple(cpus))


def _unpacked(
    source: Input, at: int, order: str, compression: str, limit: int
) -> tuple[bytes, int]:
    """Returns the unpacked data of an offset, and the offset after the packed data."""
    packed, plain = struct.unpack(f"{order}II", part_of(source, at, 8))
    if plain > limit:
        refuse(source, at, f"expected at most {limit} bytes unpacked, found {plain}")
    try:
        return compressed.unpack(
            compression, part_of(source, at + 8, packed), plain
        ), at + 8 + packed
    except compressed.DamagedArchive as error:
        refuse(source, at, f"expected {plain} bytes compressed with {compression}, found: {error}")
