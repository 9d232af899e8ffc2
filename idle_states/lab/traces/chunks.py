"""Exact recordings read in chunks, each CPU's decisions packed for the compiled core.

The core reads lines of plain numbers. Every other line is read by `recording`, so that both accept
the same input and report the same errors.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from ...base.model.findings import unreadable
from ...base.reading.inputs import LINE_MAX, Input, InputKind
from ...tables.linux.governors.core.packing import (
    AS_SELECTED,
    DISABLED,
    ENTERED,
    LATENCY,
    RECORDED,
    REJECTED,
    ROW,
    Buffer,
    compiled,
    mask,
)
from ...tables.linux.governors.interface import CPU_CAPACITY, U64_MAX
from ...tables.linux.qos import NO_LIMIT_US
from .recording import (
    ALL,
    WAKE_OVERHEAD_NS,
    RecordingHeader,
    json_values,
    whole,
    without_columns,
)

RECORDS = 1 << 16
"""Decisions in a chunk: some MB, enough to be worth a thread."""
_RECORD_END = struct.Struct("<QQIBBbx")
_COLUMN = struct.Struct("<QqQ")


class CpuChunk(NamedTuple):
    """Successive decisions of one CPU.

    rows      packed for the core, AS_SELECTED
    decided   the recorded decisions, two bytes each: state, and whether the tick stops
    lines     line number of each decision
    earlier_state, earlier_residency_ns: of the first decision, see recording
    """

    cpu: int
    rows: bytes
    decided: bytes
    lines: memoryview
    earlier_state: int
    earlier_residency_ns: int

    def __len__(self) -> int:
        return len(self.rows) // ROW.size

    @property
    def rejected(self) -> int:
        """Number of entries that the driver refused."""
        return sum(self.rows[REJECTED :: ROW.size])

    def as_recorded(self) -> bytearray:
        """Returns the rows with the recorded states entered, instead of AS_SELECTED."""
        rows = bytearray(self.rows)
        rows[ENTERED :: ROW.size] = rows[RECORDED :: ROW.size]
        return rows


def disable(rows: Buffer, disabled: frozenset[int]) -> Buffer:
    """Returns the rows with exactly these states disabled, whatever was disabled before. An empty
    set leaves the rows as they are."""
    if not disabled:
        return rows
    switched_off = bytearray(rows)
    count = len(rows) // ROW.size
    for place, byte in enumerate(mask(disabled).to_bytes(2, "little"), DISABLED):
        switched_off[place :: ROW.size] = bytes([byte]) * count
    return switched_off


def limit_latency(rows: Buffer, limit_us: int) -> Buffer:
    """Returns the rows with latency limits of at most limit_us."""
    if limit_us >= NO_LIMIT_US:
        return rows
    limited = bytearray(rows)
    words = memoryview(limited).cast("I")
    step = ROW.size // words.itemsize
    for at in range(LATENCY // words.itemsize, len(words), step):
        words[at] = min(words[at], limit_us)
    return limited


def chunks(source: Input) -> Iterator[list[CpuChunk]]:
    """Yields a recording in chunks of up to RECORDS decisions; each CPU's are in order.

    Raises Unreadable naming line and column.
    """
    with whole(source):
        for records in _csv(source) if source.kind is InputKind.CSV else _json(source):
            yield [
                CpuChunk(cpu, rows, decided, memoryview(lines).cast("Q"), state, residency_ns)
                for cpu, rows, decided, lines, state, residency_ns in compiled.split(records)
            ]


def _json(source: Input) -> Iterator[Buffer]:
    records = bytearray()
    for line, values in json_values(source):
        records += _record(values, line)
        if len(records) >= RECORDS * compiled.record_size:
            yield records
            records = bytearray()
    yield records


def _csv(source: Input) -> Iterator[Buffer]:
    size = compiled.record_size
    records = memoryview(bytearray(RECORDS * size))
    filled, line = 0, 1
    header: RecordingHeader | None = None
    columns = b""
    for text in _whole_lines(source):
        offset = 0
        while offset < len(text):
            if header is not None:
                offset, line, count = compiled.scan_records(
                    text, offset, columns, WAKE_OVERHEAD_NS, line, records[filled:]
                )
                filled += count * size
                if filled == len(records):
                    yield records
                    filled = 0
                    continue
            if offset == len(text):
                break
            end = text.find(b"\n", offset)
            other = text[offset : end if end >= 0 else None]
            if len(other) > LINE_MAX:
                message = f"expected lines of at most {LINE_MAX} bytes"
                raise unreadable(source.name, message, line)
            other = other.rstrip(b"\r")
            if line <= len(source.head):
                pass
            elif other.strip() and header is None:
                header = RecordingHeader(other, source.name, line)
                columns = _columns(header)
            elif other.strip() and header is not None:
                records[filled : filled + size] = _record(header.values(other, line), line)
                filled += size
                if filled == len(records):
                    yield records
                    filled = 0
            line += 1
            offset = end + 1 if end >= 0 else len(text)
    if header is None:
        raise without_columns(source.name, line - 1)
    yield records[:filled]


def _whole_lines(source: Input) -> Iterator[bytes]:
    """Yields blocks that end where a line ends. A line that is too long is passed on as it is."""
    rest = b""
    for block in source.blocks():
        data = rest + block
        end = data.rfind(b"\n") + 1
        rest = data[end:]
        if end:
            yield data[:end]
        if len(rest) > LINE_MAX:
            break
    if rest:
        yield rest


def _columns(header: RecordingHeader) -> bytes:
    """Packs the order of the file's columns for the core."""
    numbers = {name: number for number, name in enumerate(compiled.record_fields)}
    return b"".join(_COLUMN.pack(numbers[name], *ALL[name]) for name in header.columns)


def _record(values: list[int], line: int) -> bytes:
    of = dict(zip(ALL, values, strict=True))
    clock_ns, residency_ns = of["clock_at_select_ns"], of["residency_ns"]
    row = ROW.pack(
        of["sleep_length_ns"],
        of["delta_next_ns"],
        clock_ns,
        (clock_ns + residency_ns + WAKE_OVERHEAD_NS) & U64_MAX,
        residency_ns,
        of["load"],
        of["latency_req_us"],
        of["nr_iowaiters"],
        0,
        of["tick_stopped"],
        of["rejected"],
        of["got_tick"],
        of["poll_time_limit"],
        AS_SELECTED,
        of["state"],
        of["cpu_util"],
        of["cpu_capacity"] or CPU_CAPACITY,
    )
    return row + _RECORD_END.pack(
        line,
        of["earlier_residency_ns"],
        of["cpu"],
        of["state"],
        of["stop_tick"],
        of["earlier_state"],
    )
