"""Idle events of a trace.dat, taken from the pages of ftrace's ring buffer without text in between.

A page has the time of its beginning, how many bytes of it are used, and events, each with the time
since the one before (include/linux/ring_buffer.h, kernel/trace/ring_buffer.c). Events of all CPUs
come in the order in which trace-cmd report prints them: always the earliest of those that are next
on their CPUs, of equal times that of the CPU first in the file. Lines are numbered as those of
`trace-cmd report -t -F 'cpu_idle.*'`.

The compiled core reads plain pages; what it refuses is read by the reference, which says why.
"""

import struct
import sys
from bisect import bisect_right
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any

from ...base.model.findings import unreadable
from ...base.reading import limits
from ...tables.linux.governors.core.packing import RING_EVENT, compiled
from ...tables.linux.governors.core.structs import RING_LAYOUT
from ...tables.linux.governors.interface import U64_MAX
from .dat_file import CpuPages, DatFile, PageLayout
from .event_formats import WrongEvent, idle_event
from .merged import batch_of
from .text import LOST, Batch, TraceText

_SIZE_MASK = (1 << 27) - 1
_MISSING, _MISSING_STORED = 1 << 31, 1 << 30
_DELTA_BITS = 27
_TOP_BITS = 0xF8 << 56
"""The bits that an absolute time lacks."""
_LONG, _PADDING, _TIME_EXTEND, _TIME_STAMP = 0, 29, 30, 31


class _BadPage(Exception):
    """Says what is wrong with a page."""


def batches(file: DatFile, reader: TraceText, core: Any = compiled) -> Iterator[Batch]:
    """Yields batches of a file's events; `reader` counts them, and collects where events were lost.

    core  the compiled core; None: read without it
    Raises Unreadable naming the CPU and its page, counted from 1.
    """
    cpus = [_Cpu(file, pages, core) for pages in file.cpus]
    # trace-cmd's first one says how many CPUs there are
    reader.lines = 1
    # of each CPU, the time that it was read up to, and of its first event, before its place among
    # all: a round looks at those alone that it takes events of
    read_to: list[tuple[int, int]] = []
    firsts: list[tuple[int, int]] = []
    held = 0
    empty = list(range(len(cpus)))
    while True:
        for place in empty:
            cpu = cpus[place]
            while cpu.reads and not cpu.packed:
                cpu.read_on()
            held += len(cpu.packed)
            if cpu.packed:
                heappush(firsts, (cpu.first_ns, place))
            if cpu.reads:
                heappush(read_to, (cpu.latest, place))
        if held > limits.TRACE_DAT_HELD_BYTES:
            most = limits.TRACE_DAT_HELD_BYTES
            raise unreadable(file.source.name, f"expected at most {most} bytes of events at once")
        # what is still to be read is not before this
        bound = read_to[0] if read_to else None
        parts = {}
        while firsts and (bound is None or firsts[0] <= bound):
            _, place = heappop(firsts)
            parts[place] = cpus[place].up_to(bound, place)
            if cpus[place].packed:
                heappush(firsts, (cpus[place].first_ns, place))
        merged = b"".join(parts[place] for place in sorted(parts))
        held -= len(merged)
        if merged:
            yield batch_of(merged, reader, core)
        if bound is None:
            return
        # nothing is left of the one that bounds, for it was read up to there
        empty = [heappop(read_to)[1]]


class _Cpu:
    """A CPU whose pages are read step by step.

    packed  events that were read and not yet given, RING_EVENT each
    latest  the greatest time read: no later event is merged before it
    reads   whether there is more to read
    """

    def __init__(self, file: DatFile, pages: CpuPages, core: Any) -> None:
        self.packed = b""
        self.latest = 0
        self.reads = True
        self._file = file
        self._number = pages.cpu
        self._left = file.pages(pages)
        self._core = core
        self._done = 0
        self._layout = _packed_layout(file.layout)

    def read_on(self) -> None:
        data = next(self._left, None)
        if data is None:
            self.reads = False
            return
        found = None
        if self._core is not None:
            found = self._core.read_ring(data, self._layout, self._number, self.latest)
        if not found:
            found = self._refer(data)
        self.packed, self.latest = found
        self._done += len(data) // self._file.layout.page_bytes

    @property
    def first_ns(self) -> int:
        """The time of the first event that is not yet given."""
        return int(RING_EVENT.unpack_from(self.packed)[-1])

    def _refer(self, data: bytes) -> tuple[bytes, int]:
        page_bytes = self._file.layout.page_bytes
        found = bytearray()
        latest = self.latest
        for at in range(0, len(data), page_bytes):
            try:
                page = data[at : at + page_bytes]
                latest = _read_page(self._file.layout, page, self._number, latest, found)
            except (_BadPage, WrongEvent) as bad:
                number = self._done + at // page_bytes + 1
                place = f"CPU {self._number}, page {number}"
                raise unreadable(self._file.source.name, f"{place}: {bad}") from None
        return bytes(found), latest

    def up_to(self, bound: tuple[int, int] | None, place: int) -> bytes:
        """Takes the events that come before whatever is still to be read. place: of this CPU among
        all; bound: the time and place of what comes first of that."""
        if bound is None:
            given, self.packed = self.packed, b""
            return given
        bound_ns, bound_place = bound
        size, packed = RING_EVENT.size, self.packed
        count = bisect_right(
            range(len(packed) // size),
            bound_ns if place <= bound_place else bound_ns - 1,
            key=lambda index: RING_EVENT.unpack_from(packed, index * size)[-1],
        )
        self.packed = packed[count * size :]
        return packed[: count * size]


def _packed_layout(layout: PageLayout) -> bytes:
    idle, miss = layout.idle, layout.miss
    return RING_LAYOUT.pack(
        page_bytes=layout.page_bytes,
        data_at=layout.data_at,
        commit_bytes=layout.commit_bytes,
        idle=idle.number if idle else -1,
        idle_state=idle.state if idle else 0,
        idle_cpu=idle.cpu if idle else 0,
        miss=miss.number if miss else -1,
        miss_cpu=miss.cpu if miss else 0,
        miss_state=miss.state if miss else 0,
        miss_below=miss.below if miss else 0,
        big=layout.big,
        swapped=layout.big != (sys.byteorder == "big"),
    )


def _read_page(layout: PageLayout, page: bytes, cpu: int, latest: int, found: bytearray) -> int:
    """The reference: packs the events of a page, and returns the latest time."""
    order = ">" if layout.big else "<"
    u32 = struct.Struct(f"{order}I").unpack_from
    long = struct.Struct(f"{order}{'Q' if layout.commit_bytes == 8 else 'I'}").unpack_from
    (now,) = struct.unpack_from(f"{order}Q", page)
    (commit,) = long(page, 8)
    size = commit & _SIZE_MASK
    at, end = layout.data_at, layout.data_at + size
    if end > len(page):
        raise _BadPage(f"expected at most {len(page) - at} bytes of events, found {size}")
    lost = commit & _MISSING != 0
    count = 0
    if lost and commit & _MISSING_STORED and end + layout.commit_bytes <= len(page):
        (count,) = long(page, end)
    while at < end:
        if end - at < 4:
            raise _BadPage(f"expected an event at byte {at}, found {end - at} bytes")
        (word,) = u32(page, at)
        at += 4
        if layout.big:
            kind, delta = word >> _DELTA_BITS, word & _SIZE_MASK
        else:
            kind, delta = word & 31, word >> 5
        if kind == _PADDING and not delta:
            break
        length = kind * 4
        if kind == _LONG or kind >= _PADDING:
            if end - at < 4:
                raise _BadPage(f"expected a length or time at byte {at}, found the end")
            (length,) = u32(page, at)
        if kind == _PADDING:
            now = now + delta & U64_MAX
            at += length
            continue
        if kind >= _TIME_EXTEND:
            extended = delta + (length << _DELTA_BITS)
            if kind == _TIME_EXTEND:
                now = now + extended & U64_MAX
            else:
                full = extended | now & _TOP_BITS
                now = full + (1 << 59) & U64_MAX if full < now and now & _TOP_BITS else full
            at += 4
            continue
        now = now + delta & U64_MAX
        if kind == _LONG:
            if not 4 <= length <= _SIZE_MASK:
                raise _BadPage(f"expected a length of 4 bytes or more at byte {at}, found {length}")
            length = (length - 4 + 3) & ~3
            at += 4
        if length > end - at:
            message = f"expected an event of at most {end - at} bytes at byte {at}, found {length}"
            raise _BadPage(message)
        latest = max(latest, now)
        if lost:
            found += RING_EVENT.pack(LOST, count, 0, cpu, False, latest)
            lost = False
        what = _what(layout, page[at : at + length], order, at)
        if what is not None:
            found += RING_EVENT.pack(what[1], now, 0, what[0], False, latest)
        at += length
    if lost:
        found += RING_EVENT.pack(LOST, count, 0, cpu, False, latest)
    return latest


def _what(layout: PageLayout, body: bytes, order: str, at: int) -> tuple[int, int] | None:
    """CPU and what of an event; None for what is no idle event."""
    if len(body) < 2:
        return None
    (number,) = struct.unpack_from(f"{order}H", body)
    for fields in (layout.idle, layout.miss):
        if fields is None or fields.number != number:
            continue
        is_miss = fields is layout.miss
        return idle_event(fields, body, order, is_miss=is_miss, place=f" at byte {at}")
    return None
