"""Exact recordings: every input of every decision of a governor, one line each.

CSV with a header, or JSON lines, with these columns in any order:

    latency_req_us sleep_length_ns delta_next_ns tick_stopped nr_iowaiters load
                                     what select() was given
    state stop_tick                  what it decided; stop_tick 1 where a governor is silent
    rejected residency_ns got_tick poll_time_limit
                                     what became of it
    clock_at_select_ns               local_clock(); at reflect, residency and 1000 ns later

and `cpu`, which may be left out where one CPU was recorded. Values are whole numbers; a JSON value
may be true or false. A line that is not so ends the reading: a replay with a decision missing
would not be exact.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..findings import Unreadable
from ..linux.governors.interface import Outcome, Situation
from .inputs import Input, Kind, lines
from .problems import unreadable
from .trace_text import CPU_MAX

WAKE_OVERHEAD_NS = 1_000
"""From the end of the idle period to reflect()."""

_U32, _S64, _U64 = (1 << 32) - 1, (1 << 63) - 1, (1 << 64) - 1

COLUMNS: dict[str, tuple[int, int]] = {
    "latency_req_us": (0, _U32),
    "sleep_length_ns": (-_S64, _S64),
    "delta_next_ns": (-_S64, _S64),
    "tick_stopped": (0, 1),
    "nr_iowaiters": (0, _U32),
    "load": (0, _U64),
    "state": (0, 31),
    "stop_tick": (0, 1),
    "rejected": (0, 1),
    "residency_ns": (0, _S64),
    "got_tick": (0, 1),
    "poll_time_limit": (0, 1),
    "clock_at_select_ns": (0, _U64),
}
"""Column -> least and greatest value."""
OPTIONAL = {"cpu": (0, CPU_MAX)}
_ALL = COLUMNS | OPTIONAL
_BOUNDS = tuple(_ALL.values())


@dataclass(frozen=True, slots=True)
class Row:
    """One decision. state, stop_tick: as recorded."""

    cpu: int
    situation: Situation
    state: int
    stop_tick: bool
    outcome: Outcome
    line: int


def rows(source: Input) -> Iterator[Row]:
    """The decisions, in order. Raises Unreadable naming line and column."""
    values = _csv(source) if source.kind is Kind.CSV else _json(source)
    try:
        for line, found in values:
            yield _row(line, found)
    except Unreadable:
        # of a file that is cut, the last line is in pieces: not the fault to report
        if source.cut is None:
            raise
    if source.cut is not None:
        raise unreadable(source.name, f"expected a whole recording, found: {source.cut}")


def check_columns(found: Iterable[str], name: str, line: int) -> None:
    """Raises Unreadable naming the columns that are missing, unknown or there twice."""
    names = list(found)
    missing = [column for column in COLUMNS if column not in names]
    unknown = [column for column in names if column not in _ALL]
    twice = sorted({column for column in names if names.count(column) > 1})
    faults = [
        f"{what} {', '.join(repr(column)[:40] for column in columns[:8])}"
        for what, columns in (("lacks", missing), ("has unknown", unknown), ("repeats", twice))
        if columns
    ]
    if faults:
        raise unreadable(name, f"expected the columns of a recording; it {'; '.join(faults)}", line)


def _csv(source: Input) -> Iterator[tuple[int, list[int]]]:
    """Line numbers, and values in the order of _ALL."""
    numbered = lines(source.blocks(), source.name)
    line, head = next(numbered)
    while not head.strip():
        line, head = next(numbered)
    columns = [column.strip() for column in head.decode("utf-8", "backslashreplace").split(",")]
    check_columns(columns, source.name, line)
    places = [columns.index(column) if column in columns else -1 for column in _ALL]
    width = len(columns)
    for line, text in numbered:
        if not text.strip():
            continue
        cells = text.split(b",")
        if len(cells) != width:
            message = f"expected {width} values, found {len(cells)}"
            raise unreadable(source.name, message, line)
        try:
            values = [int(cells[place]) if place >= 0 else 0 for place in places]
        except ValueError:
            raise _bad_cell(cells, columns, source.name, line) from None
        for value, (least, greatest) in zip(values, _BOUNDS, strict=True):
            if not least <= value <= greatest:
                raise _out_of_range(values, source.name, line)
        yield line, values


def _json(source: Input) -> Iterator[tuple[int, list[int]]]:
    for line, text in lines(source.blocks(), source.name):
        if not text.strip():
            continue
        try:
            record: Any = json.loads(text, object_pairs_hook=_Pairs)
        except (ValueError, RecursionError) as error:
            message = f"expected a JSON object on the line, found: {error}"
            raise unreadable(source.name, message[:200], line) from None
        if not isinstance(record, _Pairs):
            raise unreadable(source.name, "expected a JSON object on the line", line)
        check_columns((key for key, _ in record), source.name, line)
        given = dict(record)
        values = [given.get(column, 0) for column in _ALL]
        for column, value in zip(_ALL, values, strict=True):
            if not isinstance(value, int):
                shown = json.dumps(value)[:40]
                message = f"expected a whole number in column {column}, found {shown}"
                raise unreadable(source.name, message, line)
        for value, (least, greatest) in zip(values, _BOUNDS, strict=True):
            if not least <= value <= greatest:
                raise _out_of_range(values, source.name, line)
        yield line, [int(value) for value in values]


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with its keys as written, so that one that is there twice is noticed."""


def _bad_cell(cells: list[bytes], columns: list[str], name: str, line: int) -> Exception:
    for column, cell in zip(columns, cells, strict=True):
        try:
            int(cell)
        except ValueError:
            shown = cell[:40].decode("ascii", "backslashreplace")
            message = f"expected a whole number in column {column}, found {shown!r}"
            return unreadable(name, message, line)
    raise AssertionError("every cell is a number")


def _out_of_range(values: list[int], name: str, line: int) -> Exception:
    for value, (column, (least, greatest)) in zip(values, _ALL.items(), strict=True):
        if not least <= value <= greatest:
            message = f"expected {least} to {greatest} in column {column}, found {value:#x}"
            return unreadable(name, message[:200], line)
    raise AssertionError("every value is in its range")


def _row(line: int, values: list[int]) -> Row:
    (latency_us, sleep_ns, delta_ns, stopped, iowaiters, load, state, stop_tick, rejected) = values[
        :9
    ]
    residency_ns, got_tick, poll_limit, clock_ns, cpu = values[9:]
    situation = Situation(latency_us, sleep_ns, delta_ns, bool(stopped), iowaiters, load, clock_ns)
    outcome = Outcome(
        state,
        residency_ns,
        bool(rejected),
        bool(got_tick),
        bool(poll_limit),
        clock_ns + residency_ns + WAKE_OVERHEAD_NS,
    )
    return Row(cpu, situation, state, bool(stop_tick), outcome, line)
