"""Exact recordings: all inputs of every decision of a governor, one line for each decision.

CSV with a header, or JSON lines, with these columns in any order:

    latency_req_us sleep_length_ns delta_next_ns tick_stopped nr_iowaiters load
                                     inputs of select()
    state stop_tick                  its decision; stop_tick is 1 if the governor does not decide it
    rejected residency_ns got_tick poll_time_limit
                                     outcome of the decision
    clock_at_select_ns               local_clock(); reflect() follows residency plus 1000 ns later

and these optional ones:

    cpu                              may be left out if one CPU was recorded
    earlier_state earlier_residency_ns
                                     in the first line of a CPU on which the governor was switched
                                     on: the last idle period before, under another governor
                                     (state -1 if no idle period followed the last selection). Left
                                     out or 0: the recording begins at boot, or the past is unknown
    cpu_util                         sched_cpu_util(), 0 to 1024, which teo asks for from 6.3 to
                                     6.10: in every line, or in none. Left out: taken as 0
    cpu_capacity                     arch_scale_cpu_capacity(). Left out or 0: 1024

A head of comment lines may stand before the columns, see `head`.

Values are whole numbers; for values of 0 or 1, JSON may have true or false. CSV is separated by
commas; its header may be quoted. Any other line is an error: a replay with a decision missing would
not be exact.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ...base.dataclass import dataclass
from ...base.model.findings import Unreadable, next_step, unreadable
from ...base.patterns import pattern
from ...base.reading.inputs import CPU_MAX, Input, InputKind, lines
from ...base.reading.problems import quoted
from ...tables.linux.governors import asks_utilisation
from ...tables.linux.governors.interface import CPU_CAPACITY, Outcome, Situation
from ...tables.linux.releases import Release

WAKE_OVERHEAD_NS = 1_000
"""Time from the end of the idle period to reflect()."""

_U32, _S64, _U64 = (1 << 32) - 1, (1 << 63) - 1, (1 << 64) - 1

COMPLETE = "every input of every decision is in the recording"
"""The assumptions of an exact replay."""
UTILISATION = "cpu_util"
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
"""Column -> (minimum, maximum)."""
OPTIONAL = {
    "cpu": (0, CPU_MAX),
    "earlier_state": (-1, 31),
    "earlier_residency_ns": (0, _S64),
    UTILISATION: (0, CPU_CAPACITY),
    "cpu_capacity": (0, CPU_CAPACITY),
}
ALL = COLUMNS | OPTIONAL
"""All columns, in the order of a line's values."""
_BOUNDS = tuple(ALL.values())
_NUMBER = pattern(rb"\s*[+-]?\d{1,30}\s*")
"""Stricter than int(), which also takes 1_000."""
NOT_IDLE_YET = Outcome(0, 0)
"""The earlier idle period of a CPU that was not idle since boot."""


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """One decision. state, stop_tick: as recorded. earlier: for a CPU's first decision, state and
    residency of the idle period before it."""

    cpu: int
    situation: Situation
    state: int
    stop_tick: bool
    outcome: Outcome
    line: int
    earlier: Outcome = NOT_IDLE_YET


def rows(source: Input) -> Iterator[RecordedDecision]:
    """Yields the decisions, in order. Raises Unreadable naming line and column."""
    values = _csv(source) if source.kind is InputKind.CSV else json_values(source)
    with whole(source):
        for line, found in values:
            yield _row(line, found)


AGAIN = "record again, as root: idle-states collect --record > record.sh; sh record.sh > out.txt"


@contextmanager
def whole(source: Input) -> Iterator[None]:
    """Context manager in which a recording is read to its end. Raises Unreadable if that is cut
    off."""
    with next_step(AGAIN):
        try:
            yield
        except Unreadable:
            # in a truncated file, the last line is incomplete: that is not the error to report
            if source.cut is None:
                raise
        if source.cut is not None:
            raise unreadable(source.name, f"expected a whole recording, found: {source.cut}")


@next_step(AGAIN)
def check_kind(source: Input) -> None:
    """Raises Unreadable, naming the expected columns, if the input is no exact recording."""
    if source.kind in (InputKind.CSV, InputKind.JSONL):
        return
    line, text = source.opening
    found = quoted(text) if source.kind is InputKind.TEXT else f"a {source.kind}"
    message = (
        f"expected an exact recording: columns {', '.join(COLUMNS)}, separated by commas, or JSON "
        f"lines with them; found {found}"
    )
    raise unreadable(source.name, message, line)


def guessed(source: Input, governor: str, kernel: Release) -> tuple[str, ...]:
    """Returns a sentence if the kernel's governor asks for utilisation and the recording has none.

    Raises UnknownGovernor.
    """
    if not asks_utilisation(governor, kernel) or _has_utilisation(source):
        return ()
    return (
        f"the recording has no column {UTILISATION}, which {governor} of Linux {kernel.name} "
        "uses: its CPUs are assumed not to be utilised",
    )


def _has_utilisation(source: Input) -> bool:
    """Tells whether the header names the column; of JSON lines, the first one."""
    _, first = source.opening
    return re.search(rb"\b%s\b" % UTILISATION.encode(), first) is not None


def check_columns(found: Iterable[str], name: str, line: int) -> None:
    """Raises Unreadable naming the columns that are missing, unknown or duplicate."""
    names = list(found)
    missing = [column for column in COLUMNS if column not in names]
    unknown = [column for column in names if column not in ALL]
    twice = sorted(column for column, number in Counter(names).items() if number > 1)
    faults = [
        f"{what} {', '.join(repr(column)[:40] for column in columns[:8])}"
        for what, columns in (("lacks", missing), ("has unknown", unknown), ("repeats", twice))
        if columns
    ]
    if faults:
        raise unreadable(name, f"expected the columns of a recording; it {'; '.join(faults)}", line)


def _csv(source: Input) -> Iterator[tuple[int, list[int]]]:
    """Yields line numbers, and values in the order of ALL."""
    header = None
    line = 0
    for line, text in lines(source.blocks(), source.name):
        if line <= len(source.head) or not text.strip():
            continue
        if header is None:
            header = RecordingHeader(text, source.name, line)
        else:
            yield line, header.values(text, line)
    if header is None:
        raise without_columns(source.name, line)


class RecordingHeader:
    """The first line of a CSV recording. Raises Unreadable for missing or unknown columns."""

    def __init__(self, text: bytes, name: str, line: int) -> None:
        names = (name.strip() for name in text.decode("utf-8", "backslashreplace").split(","))
        self.columns = [
            name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name for name in names
        ]
        check_columns(self.columns, name, line)
        self._name = name
        self._places = [
            self.columns.index(column) if column in self.columns else -1 for column in ALL
        ]

    def values(self, text: bytes, line: int) -> list[int]:
        """Returns the values of a line in the order of ALL. Raises Unreadable."""
        cells = text.split(b",")
        if len(cells) != len(self.columns):
            message = f"expected {len(self.columns)} values, found {len(cells)}"
            raise unreadable(self._name, message, line)
        try:
            values = [int(cells[place]) if place >= 0 else 0 for place in self._places]
        except ValueError:
            raise _bad_cell(cells, self.columns, self._name, line) from None
        if b"_" in text:
            raise _bad_cell(cells, self.columns, self._name, line)
        _check_ranges(values, self._name, line)
        return values


def json_values(source: Input) -> Iterator[tuple[int, list[int]]]:
    import json

    utilised = None
    for line, text in lines(source.blocks(), source.name):
        if line <= len(source.head) or not text.strip():
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
        utilised = UTILISATION in given if utilised is None else utilised
        if utilised != (UTILISATION in given):
            message = f"expected column {UTILISATION} in every line or in none, found both"
            raise unreadable(source.name, message, line)
        values = [given.get(column, 0) for column in ALL]
        for column, value in zip(ALL, values, strict=True):
            if not isinstance(value, int) or (isinstance(value, bool) and ALL[column] != (0, 1)):
                shown = json.dumps(value)[:40]
                message = f"expected a whole number in column {column}, found {shown}"
                raise unreadable(source.name, message, line)
        _check_ranges(values, source.name, line)
        yield line, [int(value) for value in values]


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object as written, so that a duplicate key is detected."""


def without_columns(name: str, line: int) -> Unreadable:
    """The error for a CSV recording of which there is nothing but its head."""
    return unreadable(name, "expected the columns of a recording, found the end", line)


def _bad_cell(cells: list[bytes], columns: list[str], name: str, line: int) -> Exception:
    """Returns the error for the first cell that is no number."""
    found = zip(columns, cells, strict=True)
    column, cell = next(pair for pair in found if _NUMBER.fullmatch(pair[1]) is None)
    shown = cell[:40].decode("ascii", "backslashreplace")
    return unreadable(name, f"expected a whole number in column {column}, found {shown!r}", line)


def _check_ranges(values: list[int], name: str, line: int) -> None:
    for column, value, (least, greatest) in zip(ALL, values, _BOUNDS, strict=True):
        if not least <= value <= greatest:
            message = f"expected {least} to {greatest} in column {column}, found {value:#x}"
            raise unreadable(name, message[:200], line)


def _row(line: int, values: list[int]) -> RecordedDecision:
    (latency_us, sleep_ns, delta_ns, stopped, iowaiters, load, state, stop_tick, rejected) = values[
        :9
    ]
    residency_ns, got_tick, poll_limit, clock_ns, cpu, earlier_state, earlier_ns = values[9:16]
    util, capacity = values[16:]
    situation = Situation(
        latency_us,
        sleep_ns,
        delta_ns,
        bool(stopped),
        iowaiters,
        load,
        clock_ns,
        cpu_util=util,
        cpu_capacity=capacity or CPU_CAPACITY,
    )
    outcome = Outcome(
        state,
        residency_ns,
        bool(rejected),
        bool(got_tick),
        bool(poll_limit),
        clock_ns + residency_ns + WAKE_OVERHEAD_NS,
    )
    earlier = NOT_IDLE_YET
    if earlier_state or earlier_ns:
        earlier = Outcome(earlier_state, earlier_ns)
    return RecordedDecision(cpu, situation, state, bool(stop_tick), outcome, line, earlier)
