"""The head of a perf.data: its events, the layout of samples, and the place of its records.

The format is that of files which perf record writes (Linux's
tools/perf/Documentation/perf.data-file-format.txt; samples: struct perf_event_attr and
PERF_RECORD_SAMPLE of perf_event_open(2)). What this reader does not follow raises `Beyond`: perf
script reads it then.
"""

import struct

from ...base.dataclass import dataclass
from ...base.model.findings import unreadable
from ...base.reading import limits
from ...base.reading.inputs import Input
from .event_formats import Beyond, Fields, idle_formats, number_of_formats, page_header
from .file_values import FileValues, part_of, refuse

_BIG = b"2ELIFREP"
_PIPED_BYTES = 16
_ATTR_BYTES = 64
"""Bytes of the first perf_event_attr there was; later ones are longer."""
_TRACEPOINT = 2
_SAMPLE_ID_ALL = 18
_TRACING_DATA = 1
_TRACING_MAGIC = b"\x17\x08\x44tracing"

IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD, READ, CALLCHAIN, RAW = (
    1 << bit for bit in (16, 0, 1, 2, 3, 6, 9, 7, 8, 4, 5, 10)
)
"""The parts that a sample may have, as bits of its sample_type, in the order of a sample."""
_FIXED = (IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD)
_TRAILING = (IDENTIFIER, CPU, STREAM, ID, TIME, TID)
"""The fields that follow a record that is no sample, from its end on backwards."""
_READ_EACH, _READ_GROUP = (0, 1, 2, 4), 8
"""Bits of a value more each; many values."""


@dataclass(frozen=True, slots=True)
class PerfEvent:
    """One event of a file, as its samples and other records are laid out: offsets in bytes from the
    beginning of a sample (*_at), or from the end of any other record (*_back).

    fields    where the fields of cpu_idle or cpu_idle_miss are; None: another event
    is_miss   whether it is cpu_idle_miss
    time_at   0: samples have none
    id_at     of the number of the event; None: samples have none
    chain_at  of the number of callers; None: samples have no call chain
    raw_at    of the size of the tracepoint's bytes, but for callers before it; None: values of
              changing length are before it
    time_back, id_back, cpu_back  None: other records have none
    """

    fields: Fields | None
    is_miss: bool
    time_at: int
    id_at: int | None
    chain_at: int | None
    raw_at: int | None
    time_back: int | None
    id_back: int | None
    cpu_back: int | None


@dataclass(frozen=True, slots=True)
class PerfFile:
    """A perf.data.

    big       byte order
    start, end  offsets of its records
    kinds     its events
    id2kind   an event's numbers, one for each CPU, and the place of its kind
    """

    source: Input
    big: bool
    start: int
    end: int
    kinds: tuple[PerfEvent, ...]
    id2kind: dict[int, int]


def read(source: Input) -> PerfFile:
    """Returns the head of a perf.data. Raises Beyond; Unreadable naming the offset of the error."""
    magic = source.part(0, 8)
    order = ">" if magic == _BIG else "<"
    file = FileValues(source, None, 8, order)
    size = file.u64()
    if size == _PIPED_BYTES:
        raise Beyond("records as perf writes them to a pipe")
    if size < 104:
        file.refuse(f"expected a head of 104 bytes or more, found {size}")
    attr_bytes, attrs_at, attrs_bytes, start, data_bytes = (file.u64() for _ in range(5))
    if not data_bytes:
        file.refuse("expected records, found none (perf record that was not ended writes so)")
    if start + data_bytes > source.size:
        message = (
            f"expected {data_bytes} bytes of records, found the end (a file cut short reads so)"
        )
        refuse(source, start, message)
    file.skip(16)
    has = [file.u64() for _ in range(4)]
    formats = _formats(file, has, start + data_bytes)
    if attr_bytes < _ATTR_BYTES + 16 or attrs_bytes % attr_bytes or not attrs_bytes:
        refuse(source, attrs_at, f"expected events of {attr_bytes} bytes, found {attrs_bytes}")
    if attrs_bytes // attr_bytes > limits.PERF_EVENTS:
        refuse(source, attrs_at, f"expected at most {limits.PERF_EVENTS} events")
    kinds: list[PerfEvent] = []
    id2kind: dict[int, int] = {}
    room = limits.PERF_IDS
    for at in range(attrs_at, attrs_at + attrs_bytes, attr_bytes):
        attr = part_of(source, at, attr_bytes)
        numbers = _ids(source, attr, order, at, room)
        room -= len(numbers)
        id2kind.update(dict.fromkeys(numbers, len(kinds)))
        kinds.append(_kind(source, attr, order, at, formats))
    if not any(kind.fields for kind in kinds):
        message = "expected events of power:cpu_idle, found none (perf record -e power:cpu_idle -a)"
        raise unreadable(source.name, message)
    if len({(kind.id_at, kind.id_back) for kind in kinds}) > 1:
        raise Beyond("events whose samples have their numbers at different places")
    if len(kinds) > 1 and kinds[0].id_at is None:
        raise Beyond("several events whose samples do not say which one they are of")
    return PerfFile(source, order == ">", start, start + data_bytes, tuple(kinds), id2kind)


def _formats(file: FileValues, has: list[int], at: int) -> tuple[Fields | None, Fields | None]:
    """cpu_idle and cpu_idle_miss, as the file says what tracepoints look like."""
    if not has[0] >> _TRACING_DATA & 1:
        return None, None
    sections = FileValues(file.source, None, at, file.order)
    if has[0] & 1:
        sections.skip(16)
    data = FileValues(file.source, None, sections.u64(), file.order)
    if data.take(len(_TRACING_MAGIC)) != _TRACING_MAGIC:
        data.refuse("expected the formats of tracepoints, found something else")
    data.text()
    data.order = "<>"[data.take(1) != b"\0"]
    data.skip(5)
    page_header(data)
    for _ in range(number_of_formats(data)):
        data.sized()
    return idle_formats(data)


def _ids(source: Input, attr: bytes, order: str, at: int, room: int) -> tuple[int, ...]:
    offset, size = struct.unpack_from(f"{order}2Q", attr, len(attr) - 16)
    if size % 8:
        refuse(source, at, f"expected numbers of 8 bytes, found {size} bytes")
    if size // 8 > room:
        refuse(source, at, f"expected at most {limits.PERF_IDS} numbers of events")
    return struct.unpack(f"{order}{size // 8}Q", part_of(source, offset, size))


def _kind(
    source: Input,
    attr: bytes,
    order: str,
    at: int,
    formats: tuple[Fields | None, Fields | None],
) -> PerfEvent:
    of, _ = struct.unpack_from(f"{order}2I", attr)
    config, _, has, read_format, flags = struct.unpack_from(f"{order}5Q", attr, 8)
    idle, miss = formats if of == _TRACEPOINT else (None, None)
    fields = next((each for each in (idle, miss) if each and each.number == config), None)
    # bit fields begin at the other end on a big-endian machine
    follows = flags >> (63 - _SAMPLE_ID_ALL if order == ">" else _SAMPLE_ID_ALL) & 1
    if fields and not (has & TIME and has & RAW):
        refuse(source, at, "expected a time and the tracepoint's bytes in samples of cpu_idle")
    offset = 8
    places: dict[int, int] = {}
    for what in _FIXED:
        if has & what:
            places[what] = offset
            offset += 8
    raw_at: int | None = offset
    if has & READ:
        each = 1 + sum(read_format >> bit & 1 for bit in _READ_EACH)
        raw_at = None if read_format & _READ_GROUP else offset + 8 * each
    if fields and raw_at is None:
        raise Beyond("values of groups in its samples")
    chain_at = raw_at if has & CALLCHAIN else None
    if raw_at is not None:
        raw_at += 8 if has & CALLCHAIN else 0
    back: dict[int, int] = {}
    for what in _TRAILING:
        if follows and has & what:
            back[what] = 8 * (len(back) + 1)
    return PerfEvent(
        fields,
        fields is not None and fields is miss,
        places.get(TIME, 0),
        places.get(IDENTIFIER, places.get(ID)),
        chain_at,
        raw_at,
        back.get(TIME),
        back.get(IDENTIFIER, back.get(ID)),
        back.get(CPU),
    )
