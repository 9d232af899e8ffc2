"""Idle gaps and the governor's inputs at each, kept in memory to be replayed many times.

    exact recording   64 bytes a decision; the governor gets its recorded inputs
    trace of cpu_idle 24 bytes a period; estimated, see replay.py
    list              CSV of gap_ns,count: unordered, so no governor can be asked

Each recorded decision is a gap of its own, even if the tick cut it short. Polls that ended by their
time limit and the decision after them are one gap in the histogram; a governor is still asked at
each of them, as it was when recorded.
"""

import re
from array import array
from collections.abc import Iterable, Iterator

from ...base.dataclass import dataclass
from ...base.model.findings import next_step, unreadable
from ...base.reading.inputs import Input, InputKind, lines
from ...base.reading.problems import InputProblems, Problem
from ...tables.linux.governors import core
from ...tables.linux.governors.core.packing import POLL_TIME_LIMIT, RECORDED, REJECTED
from ...tables.linux.governors.interface import Outcome
from ..replay.replay import Settings
from ..traces import any_trace
from ..traces.chunks import chunks
from ..traces.periods import Pairing, Periods, idle_ns
from ..traces.recording import COMPLETE, guessed, rows
from ..traces.text import TraceText
from .gaps import Gaps, Gatherer

EXACT, ESTIMATED, COUNTED, SIMULATED = "exact", "estimated", "counted", "simulated"
_PAIR = re.compile(rb"\s*(\d{1,19})\s*(\+?)\s*,\s*(\d{1,19})\s*", re.ASCII)
_CLOCK, _RESIDENCY = 2, 4
"""Index of these fields in a row, in 8-byte words."""
TURN_NS = 100_000
"""Maximum time from the end of a poll to the next selection; if longer, the CPU ran a task."""


@dataclass(frozen=True, slots=True)
class CpuGaps:
    """One CPU's gaps, in order.

    rows     recorded decisions as the core packs them, AS_SELECTED; empty for a trace
    periods  traced, PERIOD each, whose CPU and verdict mean nothing here; empty for a recording
    settles  of rows, a byte each: 1 if a governor is asked for what it remembers of it, and it is
             not counted; empty if all are
    earlier  the idle period before the first row; None if the recording begins at boot
    """

    number: int
    rows: bytes = b""
    periods: bytes | bytearray = b""
    earlier: Outcome | None = None
    settles: bytes = b""


@dataclass(frozen=True, slots=True)
class GapSource:
    """Idle gaps of all CPUs.

    files        (name, SHA-256) of every file read
    exactness    EXACT, ESTIMATED, COUNTED or SIMULATED
    assumptions  sentences on what the gaps rest on
    shorter      of a list: (length in ns, number of gaps shorter than that), at powers of two
    running_ns   how long CPUs ran, each from its first idle period to its last; None: not known
    open_bin     of a list: (least length in ns, number) of gaps that are so long or longer; None:
                 there is no such bin
    """

    name: str
    files: tuple[tuple[str, str], ...]
    exactness: str
    gaps: Gaps
    cpus: tuple[CpuGaps, ...]
    assumptions: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    shorter: tuple[tuple[int, int], ...] = ()
    open_bin: tuple[int, int] | None = None
    running_ns: int | None = None


def read(source: Input, cuts: Iterable[int] = (), settings: Settings | None = None) -> GapSource:
    """Reads a whole trace or exact recording. cuts: see gaps.py. settings: the governor in the
    loop, if any. Raises Unreadable."""
    gathered = Gatherer(cuts)
    if source.kind in (InputKind.CSV, InputKind.JSONL):
        joined = Joined()
        cpus = _recorded(source, gathered, joined)
        notes = guessed(source, settings.governor, settings.release) if settings else ()
        exactness = ESTIMATED if notes else EXACT
        notes = notes or (COMPLETE,)
        if joined.count:
            notes += (
                "polls cut short by a time-out form one gap with what follows within "
                f"{TURN_NS // 1000} us ({joined.count} joined), for the count of gaps and how "
                "long to poll; the governor is asked at each, as recorded",
            )
        problems: tuple[Problem, ...] = ()
    elif source.kind is InputKind.SYSFS:
        raise unreadable(source.name, "expected a trace or a recording, found a sysfs dump")
    else:
        cpus, problems = _traced(source, gathered)
        notes = (
            "a gap lasts from the event of its entry to that of its exit; entries that the driver "
            "refused, if any, count as gaps",
        )
        exactness = ESTIMATED
    return GapSource(
        source.name,
        ((source.name, source.sha256()),),
        exactness,
        gathered.gaps(),
        tuple(cpus),
        (*notes, "gaps last as long as they did, for any selected state"),
        problems,
        running_ns=_running_ns(cpus),
    )


def _running_ns(cpus: Iterable[CpuGaps]) -> int | None:
    """None for a recording whose clock stands still."""
    running = 0
    for cpu in cpus:
        if cpu.periods:
            words = memoryview(cpu.periods).cast("Q")
            span_ns, asleep_ns = words[-2] - words[0], idle_ns(cpu.periods)
        else:
            words, size = memoryview(cpu.rows).cast("Q"), core.ROW.size // 8
            lengths = words[_RESIDENCY::size]
            span_ns = words[_CLOCK::size][-1] + lengths[-1] - words[_CLOCK]
            asleep_ns = sum(lengths)
        if span_ns < asleep_ns:
            return None
        running += span_ns - asleep_ns
    return running


@next_step("write one gap and its count on each line: 70000,12 stands for 12 gaps of 70 us")
def read_list(source: Input, cuts: Iterable[int] = ()) -> GapSource:
    """Reads CSV of gap in ns and count; a header and # comments are allowed. One gap may have a +:
    so long or longer, the last bin of a histogram. Raises Unreadable."""
    gathered = Gatherer(cuts)
    found = False
    by_bits: dict[int, int] = {}
    longest = 0
    open_bin: tuple[int, int] | None = None
    for number, text in lines(source.blocks(), source.name):
        if not text.strip() or text.lstrip().startswith(b"#"):
            continue
        match = _PAIR.fullmatch(text)
        if match is None:
            if not found and not any(48 <= byte <= 57 for byte in text):
                continue
            shown = text[:40].decode("ascii", "backslashreplace")
            raise unreadable(source.name, f"expected GAP_NS,COUNT, found {shown!r}", number)
        found = True
        gap, count = int(match[1]), int(match[3])
        gathered.add(gap, count)
        if match[2]:
            if open_bin is not None:
                raise unreadable(source.name, "expected one open bin (GAP_NS+), found two", number)
            open_bin = gap, count
        else:
            longest = max(longest, gap)
        bits = gap.bit_length()
        by_bits[bits] = by_bits.get(bits, 0) + count
    if open_bin is not None and longest >= open_bin[0]:
        message = f"expected gaps below the open bin of {open_bin[0]}+, found {longest}"
        raise unreadable(source.name, message)
    if source.cut is not None:
        raise unreadable(source.name, f"expected a whole list, found: {source.cut}")
    gaps = gathered.gaps()
    if not gaps.count:
        raise unreadable(source.name, "expected idle gaps, found none")
    notes: tuple[str, ...] = ("gaps as listed; in which order they came is not known",)
    if open_bin is not None:
        least, count = open_bin
        notes += (
            f"{count} gaps ({100 * count / gaps.count:.2f} %) are {least} ns or longer, of "
            f"unknown length: they count as {least} ns, so idle time and costs are lower bounds, "
            f"and waits from {least} ns on are not distinguished",
        )
    return GapSource(
        source.name,
        ((source.name, source.sha256()),),
        COUNTED,
        gaps,
        (),
        notes,
        (),
        _shorter(by_bits, longest if open_bin is None else open_bin[0] - 1),
        open_bin,
    )


def _shorter(by_bits: dict[int, int], longest: int) -> tuple[tuple[int, int], ...]:
    """by_bits: number of bits of a gap -> how many; longest: up to which lengths are known."""
    found = []
    count = 0
    for bits in range(longest.bit_length() + 1):
        count += by_bits.get(bits, 0)
        if count and (1 << bits) - 1 <= longest:
            found.append((1 << bits, count))
    return tuple(found)


def simulated(name: str, files: tuple[tuple[str, str], ...]) -> GapSource:
    """The source for a workload: no gaps of its own, as each candidate's simulation makes them."""
    notes = (
        "tasks, their CPUs and costs are simulated, and gaps follow from the table",
        "energy is that of all CPUs for the whole run, for each unit of work counted",
        "a state counts as reached when it is requested, even if siblings keep the core in a "
        "lighter one",
        "no polling time is given: a simulation counts gaps by state, without their lengths",
    )
    return GapSource(name, files, SIMULATED, Gatherer().gaps(), (), notes)


@next_step(any_trace.TRACE)
def _traced(source: Input, gathered: Gatherer) -> tuple[list[CpuGaps], tuple[Problem, ...]]:
    problems = InputProblems()
    reader, pairing = TraceText(problems), Pairing(problems)
    found: dict[int, bytearray] = {}
    for periods in pairing.whole(any_trace.batches(source, reader)):
        if isinstance(periods, Periods):
            gathered.extend_packed(periods.packed)
            for cpu, packed in periods.by_cpu:
                found.setdefault(cpu, bytearray()).extend(packed)
            continue
        for cpu, state, start_ns, end_ns, _ in periods:
            found.setdefault(cpu, bytearray()).extend(array("Q", (start_ns, end_ns, state)))
        gathered.extend([end_ns - start_ns for _, _, start_ns, end_ns, _ in periods])
    if source.cut is not None:
        problems.add("truncated-file", source.cut, reader.lines)
    if not found:
        of = "lines" if source.kind is InputKind.TEXT else "events of cpu_idle"
        message = f"expected idle periods, found none in {reader.lines} {of}"
        raise unreadable(source.name, message)
    cpus = [CpuGaps(cpu, periods=found[cpu]) for cpu in sorted(found)]
    return cpus, problems.listing()


class Joined:
    """Joins decisions that belong to one gap: polls that a time limit ended, and what follows.

    count  number of polls joined to the decision after them
    """

    def __init__(self) -> None:
        self.count = 0
        self._open: dict[int, tuple[int, int, int]] = {}
        """CPU -> (start of its unfinished gap in ns, end so far in ns, number of polls)."""

    def gaps(self, cpu: int, rows: bytes) -> list[int]:
        """Takes successive rows of a CPU; returns the lengths in ns of the gaps that ended."""
        size, words = core.ROW.size, memoryview(rows).cast("Q")
        lengths = words[_RESIDENCY :: size // 8].tolist()
        refused, limits = rows[REJECTED::size], rows[POLL_TIME_LIMIT::size]
        if cpu not in self._open and not any(limits) and not any(refused):
            return lengths
        clocks = words[_CLOCK :: size // 8].tolist()
        found = []
        begin, end, polls = self._open.pop(cpu, (0, 0, 0))
        for clock, length, rejected, limit, state in zip(
            clocks, lengths, refused, limits, rows[RECORDED::size], strict=True
        ):
            if polls and not 0 <= clock - end <= TURN_NS:
                found.append(end - begin)
                self.count += polls - 1
                polls = 0
            if not polls:
                begin = clock
            end = clock + length
            # with a deeper state, poll_time_limit is left over from the poll before
            if limit and not state and not rejected:
                polls += 1
            elif not rejected:
                found.append(end - begin)
                self.count += polls
                polls = 0
        if polls:
            self._open[cpu] = begin, end, polls
        return found

    def rest(self) -> list[int]:
        """Returns the lengths so far of gaps that last beyond the end of the recording, in ns."""
        self.count += sum(polls - 1 for _, _, polls in self._open.values())
        return [end - begin for begin, end, _ in self._open.values()]


def _recorded(source: Input, gathered: Gatherer, joined: Joined) -> list[CpuGaps]:
    packed: dict[int, bytearray] = {}
    earlier: dict[int, Outcome] = {}
    for cpu, some, state, residency_ns in _recorded_rows(source):
        if cpu not in packed:
            packed[cpu] = bytearray()
            if state or residency_ns:
                earlier[cpu] = Outcome(state, residency_ns)
        packed[cpu] += some
        gathered.extend(joined.gaps(cpu, some))
    gathered.extend(joined.rest())
    if not packed:
        raise unreadable(source.name, "expected decisions, found none")
    return [CpuGaps(cpu, bytes(of), earlier=earlier.get(cpu)) for cpu, of in sorted(packed.items())]


def _recorded_rows(source: Input) -> Iterator[tuple[int, bytes, int, int]]:
    """Yields CPU, packed rows, and the state and residency (ns) of the idle period before them."""
    if core.available():
        for parts in chunks(source):
            for part in parts:
                yield part.cpu, part.rows, part.earlier_state, part.earlier_residency_ns
        return
    for row in rows(source):
        some = core.pack([(row.situation, row.outcome)], as_selected=True)
        yield row.cpu, bytes(some), row.earlier.state, row.earlier.residency_ns
