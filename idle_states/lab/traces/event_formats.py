"""Formats of tracepoints, as ftrace describes them in a trace.dat and perf in a perf.data: which
number cpu_idle has, and where its fields are.
"""

import re
import struct

from ...base.dataclass import dataclass
from ...base.patterns import pattern
from ...base.reading import limits
from ...base.reading.inputs import CPU_MAX
from ...base.reading.problems import quoted
from .file_values import FileValues
from .text import EXIT, MISS

_FIELD = pattern(rb"field:[^;]*?(\w+);\s*offset:(\d{1,5});\s*size:(\d{1,5});")
_ID = pattern(rb"^ID:\s*(\d{1,5})\s*$", re.MULTILINE)
_NAME = pattern(rb"name:\s*(cpu_idle(?:_miss)?)\s")
_IDLE = {b"common_type": 2, b"state": 4, b"cpu_id": 4}
_MISS = {**_IDLE, b"below": 1}
_EXIT_STATE = 0xFFFFFFFF


class Beyond(Exception):
    """The file has what the reader of its kind does not follow; says what."""


class WrongEvent(Exception):
    """An event is not as its format says; says how."""


@dataclass(frozen=True, slots=True)
class Fields:
    """An event as its format has it: the number of its kind, and its fields' offsets in bytes.
    below: of cpu_idle_miss only."""

    number: int
    state: int
    cpu: int
    below: int = 0


def page_header(file: FileValues) -> tuple[int, int]:
    """Returns the offset of a page's first event, and the size of the kernel's long."""
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


def number_of_formats(file: FileValues, most: int = limits.TRACE_FORMATS) -> int:
    """Returns the number of formats, or of systems of formats, that follow."""
    if (count := file.u32()) > most:
        file.refuse(f"expected at most {limits.TRACE_FORMATS} formats of events")
    return count


def idle_formats(file: FileValues) -> tuple[Fields | None, Fields | None]:
    """cpu_idle and cpu_idle_miss among all formats."""
    found: dict[bytes, Fields] = {}
    left = limits.TRACE_FORMATS
    for _ in range(number_of_formats(file, left)):
        file.text()
        count = number_of_formats(file, left)
        left -= count
        for _ in range(count):
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


def idle_event(
    fields: Fields, body: bytes, order: str, *, is_miss: bool, place: str = ""
) -> tuple[int, int]:
    """CPU and what of an event, from the bytes of its tracepoint. place: for messages, in words.
    Raises WrongEvent."""
    if max(fields.state + 4, fields.cpu + 4, fields.below + 1) > len(body):
        raise WrongEvent(f"expected the fields of cpu_idle{place}, found {len(body)} bytes")
    (state,) = struct.unpack_from(f"{order}I", body, fields.state)
    (cpu,) = struct.unpack_from(f"{order}I", body, fields.cpu)
    if cpu > CPU_MAX:
        raise WrongEvent(f"expected a CPU up to {CPU_MAX}{place}, found {cpu}")
    if is_miss:
        return cpu, MISS - 2 * state - (body[fields.below] != 0)
    return cpu, EXIT if state == _EXIT_STATE else state
