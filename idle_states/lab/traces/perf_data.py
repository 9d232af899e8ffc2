"""Idle events of a perf.data, taken from its records without text in between.

Samples lie in the file as perf found them in the ring buffer of one CPU after another. A record
FINISHED_ROUND says that whatever follows is later than all that was there at the one before, so
that what is held until then can be sorted by time, as perf script does. What a CPU lost is put
between the events of that CPU that it lies between in the file: the record of it bears a time of
its own, which may be after that of the first event that was not lost.

The compiled core reads samples in their plain forms; any other record is read here. Lines number
idle events and losses, in order.
"""

import struct
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from ...base.reading import compressed, limits
from ...base.reading.inputs import CPU_MAX
from ...tables.linux.governors.core.packing import (
    PERF_ID,
    RING_EVENT,
    Buffer,
    compiled,
)
from ...tables.linux.governors.core.structs import PERF_KIND, PERF_LAYOUT
from ...tables.linux.governors.interface import U64_MAX
from .event_formats import WrongEvent, idle_event
from .file_values import refuse
from .merged import batch_of
from .perf_file import PerfEvent, PerfFile
from .text import LOST, Batch, TraceText

_LOST, _SAMPLE, _USER, _ROUND, _AUXTRACE, _PACKED, _PACKED_2 = 2, 9, 64, 68, 71, 81, 83
"""Types of records. From _USER on they are perf's own, below the kernel's."""
_IDLE_KIND, _MISS_KIND = 1, 2
_ABSENT = -1


def batches(file: PerfFile, reader: TraceText, core: Any = compiled) -> Iterator[Batch]:
    """Yields batches of a file's events; `reader` counts them, and collects where events were lost.

    core  the compiled core; None: read without it
    Raises Unreadable naming the offset.
    """
    records = _Records(file, core)
    at = file.start
    while at < file.end:
        size = min(limits.PERF_PART_BYTES, file.end - at)
        done = records.walk(file.source.part(at, size), at)
        if not done:
            refuse(file.source, at, "expected a whole record, found the end of records")
        at += done
        if merged := records.settled():
            yield batch_of(merged, reader, core)
    if at > file.end:
        refuse(
            file.source, file.end, f"expected {at - file.end} bytes more, found the end of records"
        )
    records.expect_end(at)
    if merged := records.rest():
        yield batch_of(merged, reader, core)


class _Records:
    """Records read one after another, and the events of them that are held to be sorted."""

    def __init__(self, file: PerfFile, core: Any) -> None:
        self._file = file
        self._core = core
        self._order = ">" if file.big else "<"
        self._head = struct.Struct(f"{self._order}I2H")
        self._u64 = struct.Struct(f"{self._order}Q")
        self._u32 = struct.Struct(f"{self._order}I")
        self._held = bytearray()
        self._state = bytearray(24)
        """The latest time, that at the last round, and up to which all events are known; u64."""
        self._times = memoryview(self._state).cast("Q")
        self._done_ns = 0
        self._cpu2latest: dict[int, int] = {}
        self._noted = 0
        self._stream: compressed.ZstdStream | None = None
        self._left = b""
        if core is not None:
            self._layout = _packed_layout(file)
            self._kinds = b"".join(_packed_kind(kind) for kind in file.kinds)
            self._ids = b"".join(PERF_ID.pack(*each) for each in sorted(file.id2kind.items()))

    def walk(self, data: bytes, base: int, *, inner: bool = False) -> int:
        """Reads whole records from the beginning of `data`, which is at the offset `base`. inner:
        it was compressed there. Returns how many bytes they take, with what follows them that they
        do not count."""
        at = 0
        while len(data) - at >= 8:
            if self._core is not None:
                packed, at = self._core.read_perf(
                    data, at, self._layout, self._kinds, self._ids, self._state
                )
                self._held += packed
                if len(data) - at < 8:
                    break
            kind, _, size = self._head.unpack_from(data, at)
            place = base if inner else base + at
            if size < 8:
                self._refuse(place, f"expected a record of 8 bytes or more, found {size}")
            if size > len(data) - at:
                break
            at += size
            at += self._read(kind, data[at - size : at], place, inner=inner)
        if len(self._held) > limits.PERF_HELD_BYTES:
            most = f"{limits.PERF_HELD_BYTES} bytes of events to be sorted at once"
            self._refuse(base, f"expected at most {most}; run perf script on it, with --ns")
        return at

    def settled(self) -> Buffer:
        """Takes the held events that nothing still to be read comes before."""
        bound = self._times[2]
        if bound == self._done_ns or not self._held:
            return b""
        self._done_ns = bound
        if self._core is not None:
            given, kept = self._core.part_ring(self._held, bound)
        else:
            given, kept = bytearray(), bytearray()
            for event in RING_EVENT.iter_unpack(self._held):
                (kept if event[-1] > bound else given).extend(RING_EVENT.pack(*event))
        self._held = bytearray(kept)
        self._cpu2latest.clear()
        self._noted = 0
        return bytes(given)

    def rest(self) -> Buffer:
        """Takes all that is held."""
        held, self._held = self._held, bytearray()
        return held

    def expect_end(self, at: int) -> None:
        """Raises Unreadable if a record that was compressed is not whole."""
        if self._left:
            self._refuse(at, f"expected a whole record, found {len(self._left)} bytes")

    def _read(self, kind: int, record: bytes, place: int, *, inner: bool) -> int:
        """Reads a record. Returns how many bytes follow that belong to it."""
        if kind == _SAMPLE:
            self._sample(record, place)
        elif kind == _LOST:
            self._loss(record, place)
        elif kind == _ROUND:
            self._times[2] = self._times[1]
            self._times[1] = self._times[0]
        elif kind in (_PACKED, _PACKED_2) and not inner:
            self._unpack(record[8:] if kind == _PACKED else self._counted(record, place), place)
        elif kind == _AUXTRACE:
            return self._number(record, 8, place)
        elif kind < _USER:
            of = self._of(self._trailing(record, self._file.kinds[0].id_back))
            if of is not None:
                self._pass(self._trailing(record, of.time_back))
        return 0

    def _sample(self, record: bytes, place: int) -> None:
        id_at = self._file.kinds[0].id_at
        number = None if id_at is None else self._number(record, id_at, place)
        of = self._of(number)
        if of is None:
            self._refuse(place, f"expected a sample of one of the file's events, found {number}")
        now = self._number(record, of.time_at, place) if of.time_at else 0
        self._pass(now)
        if of.fields is None or of.raw_at is None:
            return
        at = of.raw_at
        if of.chain_at is not None:
            at += 8 * self._number(record, of.chain_at, place)
        if at + 4 > len(record):
            self._refuse(place, f"expected a tracepoint's bytes at byte {at} of a sample")
        (size,) = self._u32.unpack_from(record, at)
        at += 4
        if size > len(record) - at:
            self._refuse(place, f"expected the fields of cpu_idle, found {size} bytes")
        body = record[at : at + size]
        try:
            cpu, what = idle_event(of.fields, body, self._order, is_miss=of.is_miss)
        except WrongEvent as wrong:
            self._refuse(place, str(wrong))
        self._held += RING_EVENT.pack(what, now, 0, cpu, False, now)

    def _loss(self, record: bytes, place: int) -> None:
        count = self._number(record, 16, place)
        of = self._of(self._trailing(record, self._file.kinds[0].id_back))
        cpu = None if of is None else self._trailing(record, of.cpu_back)
        if of is None or cpu is None:
            self._refuse(place, "expected the CPU that lost events, found none")
        cpu = cpu >> 32 if self._file.big else cpu & 0xFFFFFFFF
        if cpu > CPU_MAX:
            self._refuse(place, f"expected a CPU up to {CPU_MAX}, found {cpu}")
        for event in RING_EVENT.iter_unpack(memoryview(self._held)[self._noted :]):
            self._cpu2latest[event[3]] = max(self._cpu2latest.get(event[3], 0), event[-1])
        self._noted = len(self._held)
        self._held += RING_EVENT.pack(LOST, count, 0, cpu, False, self._cpu2latest.get(cpu, 0))
        self._pass(self._trailing(record, of.time_back))

    def _unpack(self, data: bytes, place: int) -> None:
        """Reads the records that are compressed in one, perhaps with the end of one before."""
        if self._stream is None:
            if not compressed.can_unpack("zstd"):
                self._refuse(
                    place, "expected records that are not compressed, found zstd; install libzstd"
                )
            self._stream = compressed.ZstdStream()
        try:
            for plain in self._stream.unpacked(data):
                whole = self._left + plain
                self._left = whole[self.walk(whole, place, inner=True) :]
                if len(self._left) > limits.PERF_PART_BYTES:
                    self._refuse(place, "expected records, found a longer one than there is")
        except compressed.DamagedArchive as error:
            self._refuse(place, f"expected records compressed with zstd, found: {error}")

    def _counted(self, record: bytes, place: int) -> bytes:
        size = self._number(record, 8, place)
        if size > len(record) - 16:
            self._refuse(place, f"expected at most {len(record) - 16} bytes, found {size}")
        return record[16 : 16 + size]

    def _of(self, number: int | None) -> PerfEvent | None:
        """The kind of event that a number is of; without number, the first."""
        if number is None:
            return self._file.kinds[0]
        place = self._file.id2kind.get(number)
        return None if place is None else self._file.kinds[place]

    def _pass(self, now: int | None) -> None:
        if now is not None and now != U64_MAX:
            self._times[0] = max(self._times[0], now)

    def _number(self, record: bytes, at: int, place: int) -> int:
        if at + 8 > len(record):
            self._refuse(place, f"expected a record of {at + 8} bytes, found {len(record)}")
        (found,) = self._u64.unpack_from(record, at)
        return int(found)

    def _trailing(self, record: bytes, back: int | None) -> int | None:
        if back is None or back > len(record) - 8:
            return None
        (found,) = self._u64.unpack_from(record, len(record) - back)
        return int(found)

    def _refuse(self, place: int, message: str) -> NoReturn:
        refuse(self._file.source, place, message)


def _packed_layout(file: PerfFile) -> bytes:
    first = file.kinds[0]
    return PERF_LAYOUT.pack(
        swapped=file.big != (sys.byteorder == "big"),
        id_at=_placed(first.id_at),
        id_back=_placed(first.id_back),
    )


def _packed_kind(kind: PerfEvent) -> bytes:
    fields = kind.fields
    return PERF_KIND.pack(
        what=0 if fields is None else _MISS_KIND if kind.is_miss else _IDLE_KIND,
        time_at=kind.time_at,
        time_back=_placed(kind.time_back),
        chain_at=_ABSENT if fields is None else _placed(kind.chain_at),
        raw_at=_ABSENT if fields is None else _placed(kind.raw_at),
        state=fields.state if fields else 0,
        cpu=fields.cpu if fields else 0,
        below=fields.below if fields else 0,
    )


def _placed(at: int | None) -> int:
    return _ABSENT if at is None else at
