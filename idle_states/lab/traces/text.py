"""Idle events from text of ftrace, trace-cmd report and perf script, a chunk at a time.

    <idle>-0     [003]  1082.183820: cpu_idle:             state=0 cpu_id=3
    <idle>-0     [003] d..1.  1082.183820118: cpu_idle: state=4294967295 cpu_id=3
    swapper     0 [003]   1082.183820:       power:cpu_idle: state=0 cpu_id=3
    CPU:2 [LOST 13 EVENTS]

The compiled core, if installed, reads lines of the usual form and leaves all others to this reader.
Threads read and scan chunks, some ahead of what is taken.

Without the core, this reader takes every line.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ...base.patterns import pattern
from ...base.reading.inputs import CPU_MAX, LINE_MAX, Buffer, Input
from ...base.reading.problems import InputProblems, quoted
from ...tables.linux.governors.core.packing import EVENT, compiled

Event = tuple[int, int, int, int]
"""(CPU, what, time in ns, line). what: number of the state entered, or EXIT, LOST, MISS and
below."""

EXIT = -1
LOST = -2
"""Events of this CPU were lost before this line; the time is their number, 0 if unknown."""
MISS = -3
"""cpu_idle_miss: MISS - 2 * state for type above, MISS - 2 * state - 1 for type below."""

_FORMS = f"state=N cpu_id=N or _miss: cpu_id=N state=N type=T, N of a CPU up to {CPU_MAX},"
_EXIT_STATE = 0xFFFFFFFF
_NS_PER_SECOND = 1_000_000_000

_EVENT = pattern(
    rb"(?:^|[ \t])(\d{1,10})\.(\d{9}|\d{6}):[ \t]+(?:[\w-]+:)?"
    rb"(cpu_idle(?=:|_miss:|\s|\Z)|[\w-]+)(.*)"
)
_IDLE = pattern(rb":[ \t]*state=(\d{1,10}) cpu_id=(\d{1,5})[ \t\r]{0,4}")
_MISSED = pattern(rb"_miss:[ \t]*cpu_id=(\d{1,5}) state=(\d{1,10}) type=(above|below)[ \t\r]{0,4}")
_LOST = pattern(rb"\s*CPU:(\d{1,5}) \[(?:LOST )?(\d{1,19} )?EVENTS(?: DROPPED)?\]\s*")
_PERF_LOST = b"PERF_RECORD_LOST"
_PERF_CPU = pattern(rb"\[(\d{1,5})\]")
_PERF_COUNT = pattern(rb"\D*(\d{1,19})")
_HARMLESS = pattern(
    rb"\s*|\s*#.*|cpus=\d+|version = .*|CPU \d+ is empty|\s*=> .*|\s*<(?:user )?stack trace>"
    rb"|\s+[0-9a-f]{6,16} .*"
)
"""Short lines that are no events: comments, trace-cmd's first lines, call chains."""


_Scanned = tuple[bytes, list[tuple[int, int, int]], int, bool]
"""The core's account of a chunk: events, unusual lines, lines, whether any time is in us."""


class _Piece(NamedTuple):
    """Whole lines: `data` from `start` to `end`, where the last one's newline is.

    kind     WHOLE; LAST: a last line without newline; LONG: the beginning of one that is too long
    scanned  what the core made of them, if it was asked before
    """

    data: Buffer
    start: int
    end: int
    kind: int
    scanned: _Scanned | None = None


_WHOLE, _LAST, _LONG = range(3)


class Batch:
    """Events of one chunk, in order, as the core has them: EVENT each, with lines from 0 on."""

    __slots__ = ("_first_line", "packed")

    def __init__(self, packed: bytes, first_line: int) -> None:
        self.packed = packed
        self._first_line = first_line

    def __len__(self) -> int:
        return len(self.packed) // EVENT.size

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[Event]:
        """Yields the events from `start` on and before `stop`."""
        end = None if stop is None else stop * EVENT.size
        some = memoryview(self.packed)[start * EVENT.size : end]
        for what, ns, line, cpu, _ in EVENT.iter_unpack(some):
            yield cpu, what, ns, self._first_line + line


class TraceText:
    """A reader of trace text.

    problems  collects lines that could not be read
    core      the compiled core; None: read without it
    lines     number of lines read so far
    events    number of cpu_idle and cpu_idle_miss events so far
    lost      number of lost events so far, as far as the trace states it
    coarse    whether times have six decimals, not nine
    """

    def __init__(self, problems: InputProblems, core: Any = compiled) -> None:
        self.lines = 0
        self.events = 0
        self.lost = 0
        self.coarse = False
        self.problems = problems
        self._core = core

    def batches(self, blocks: Iterable[bytes]) -> Iterator[Batch]:
        """Yields batches of events; every line is either read, skipped or counted as a problem."""
        return map(self._batch, _pieces((block, self._scanned(block)) for block in blocks))

    def batches_of(self, source: Input) -> Iterator[Batch]:
        """Yields batches of a whole input's events, as batches() does of blocks; threads read and
        scan some blocks ahead."""
        return map(self._batch, _pieces(source.ahead(self._scanned)))

    def _batch(self, piece: _Piece) -> Batch:
        """The events of the next piece."""
        data, start, end, kind, scanned = piece
        if kind == _LAST:
            return self._last(bytes(data))
        if kind == _LONG:
            self.lines += 1
            self._refuse_long(bytes(data), self.lines)
            return Batch(b"", self.lines)
        first_line = self.lines + 1
        if self._core is not None:
            return self._compiled(piece, first_line, scanned or self._scan(data, start, end))
        lines = bytes(data[start:end]).split(b"\n")
        self.lines += len(lines)
        return self._read(lines, first_line)

    def _last(self, line: bytes) -> Batch:
        """Reads a last line without newline; only its form tells whether it is complete."""
        self.lines += 1
        if _EVENT.search(line) or _HARMLESS.fullmatch(line) or _lost(line):
            batch = self._read([line], self.lines, "truncated-line")
            if batch.packed or b"cpu_idle" not in line:
                self.problems.add("no-newline", quoted(line), self.lines)
            return batch
        self.problems.add("truncated-line", f"found {quoted(line)}", self.lines)
        return Batch(b"", self.lines)

    def _scanned(self, block: Buffer) -> _Scanned | None:
        """Returns the core's scan of a block's whole lines: from after the first newline in it to
        the last. Threads may call it."""
        start, end = _whole(block)
        return self._scan(block, start, end) if self._core is not None and start <= end else None

    def _scan(self, data: Buffer, start: int, end: int) -> _Scanned:
        scanned: _Scanned = self._core.scan_trace(memoryview(data)[start:end])
        return scanned

    def _compiled(self, piece: _Piece, first_line: int, scanned: _Scanned) -> Batch:
        data, start, end, *_ = piece
        packed, unusual, count, coarse = scanned
        # the last line may be empty
        self.lines += count + (start == end or data.endswith(b"\n", start, end))
        self.events += len(packed) // EVENT.size
        self.coarse |= coarse
        if not unusual:
            return Batch(packed, first_line)
        # insert the events of the lines that the core left to this reader
        parts = []
        done = 0
        for index, offset, number in unusual:
            parts.append(packed[done : index * EVENT.size])
            done = index * EVENT.size
            stop = data.find(b"\n", start + offset, end)
            line = bytes(data[start + offset : stop if stop >= 0 else end])
            parts.append(self._event(line, first_line, number, "unreadable-line"))
        parts.append(packed[done:])
        return Batch(b"".join(parts), first_line)

    def _read(
        self, chunk: Sequence[bytes], first_line: int, malformed: str = "unreadable-line"
    ) -> Batch:
        """Reads line by line. malformed: problem kind for an idle event of another form."""
        events = (self._event(line, first_line, at, malformed) for at, line in enumerate(chunk))
        return Batch(b"".join(events), first_line)

    def _event(self, line: bytes, first_line: int, at: int, malformed: str) -> bytes:
        """Packs a line's event; b"" without one. at: the line's number from first_line on."""
        found = self._found(line, first_line + at, malformed)
        return b"" if found is None else EVENT.pack(found[1], found[2], at, found[0], False)

    def _found(self, line: bytes, number: int, malformed: str) -> tuple[int, int, int] | None:
        """Reads a line's CPU, what and time in ns."""
        if len(line) > LINE_MAX:
            self._refuse_long(line, number)
            return None
        match = _EVENT.search(line)
        if match is None:
            loss = self._loss(line, number)
            if loss is not None:
                return loss
            binary = not line.isascii() or b"\0" in line
            odd = b"cpu_idle:" in line or (len(line) < 40 and not _HARMLESS.fullmatch(line))
            if binary or odd:
                message = f"expected an event with a time in seconds, found {quoted(line)}"
                self.problems.add("unreadable-line", message, number)
            return None
        seconds, fraction, name, rest = match.groups()
        if name != b"cpu_idle":
            return self._loss(line, number) if name == _PERF_LOST else None
        what = _payload(rest)
        if what is None:
            message = f"expected {_FORMS} after cpu_idle, found {quoted(rest)}"
            self.problems.add(malformed, message, number)
            return None
        self.coarse |= len(fraction) == 6
        self.events += 1
        return *what, int(seconds) * _NS_PER_SECOND + int(fraction) * 10 ** (9 - len(fraction))

    def _refuse_long(self, line: bytes, number: int) -> None:
        message = f"expected at most {LINE_MAX} bytes, found {quoted(line, 20)}"
        self.problems.add("long-line", message, number)

    def _loss(self, line: bytes, number: int) -> tuple[int, int, int] | None:
        lost = _lost(line)
        if lost is None:
            return None
        self.report_lost(*lost, number)
        return lost[0], LOST, lost[1]

    def report_lost(self, cpu: int, count: int, line: int) -> None:
        """Counts events that a CPU lost before a line; count: 0 if it is not known."""
        self.lost += count
        of = f"{count} events" if count else "events, an unknown number"
        self.problems.add("lost-events", f"CPU {cpu} lost {of}", line)


def _whole(block: Buffer) -> tuple[int, int]:
    """Returns the start and the end of a block's lines that are whole whatever stands before it."""
    return block.find(b"\n") + 1, block.rfind(b"\n")


def _pieces(blocks: Iterable[tuple[Buffer, _Scanned | None]]) -> Iterator[_Piece]:
    """Cuts blocks at the ends of lines; the line up to a block's first newline, which may have
    begun in blocks before, is a piece of its own. With each block comes what was scanned of it."""
    rest = b""
    oversized = False
    for block, scanned in blocks:
        start, end = _whole(block)
        if start and not oversized:
            line = rest + block[: start - 1]
            yield _Piece(line, 0, len(line), _WHOLE)
        if start:
            rest, oversized = b"", False
        elif oversized:
            continue
        if end >= start:
            yield _Piece(block, start, end, _WHOLE, scanned)
        rest += block[end + 1 :]
        if len(rest) > LINE_MAX:
            yield _Piece(rest, 0, len(rest), _LONG)
            rest, oversized = b"", True
    if rest:
        yield _Piece(rest, 0, len(rest), _LAST)


def _payload(text: bytes) -> tuple[int, int] | None:
    """Returns (CPU, what) of the text after the name cpu_idle; None if it has another form."""
    match = _IDLE.fullmatch(text)
    if match:
        state, cpu = int(match[1]), int(match[2])
        what = EXIT if state == _EXIT_STATE else state
        return (cpu, what) if cpu <= CPU_MAX else None
    match = _MISSED.fullmatch(text)
    if match:
        cpu, state = int(match[1]), int(match[2])
        what = MISS - 2 * state - (match[3] == b"below")
        return (cpu, what) if cpu <= CPU_MAX else None
    return None


def _lost(line: bytes) -> tuple[int, int] | None:
    """Returns (CPU, number) of a line that reports lost events; number 0 if it states none."""
    match = _LOST.fullmatch(line)
    if match is not None:
        cpu, count = int(match[1]), int(match[2] or 0)
    else:
        head, _, tail = line.rpartition(_PERF_LOST)
        cpus = _PERF_CPU.findall(head)
        if not cpus:
            return None
        number = _PERF_COUNT.match(tail)
        cpu, count = int(cpus[-1]), int(number[1]) if number else 0
    return (cpu, count) if cpu <= CPU_MAX else None
