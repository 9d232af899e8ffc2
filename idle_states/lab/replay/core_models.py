"""replay.ReplayModel by the compiled core: the same counters, some hundred times faster.

CPUs are independent of each other, so the CPUs of a chunk are shared out among threads.
"""

import struct
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from ...base.reading.problems import InputProblems, Notes
from ...tables.linux import idle_loop
from ...tables.linux.governors import Governor, core
from ...tables.linux.governors.core.packing import NONE, PERIOD, Buffer, compiled
from ...tables.linux.governors.interface import Outcome, tick_ns
from ...tables.linux.idle_loop import unasked_stop_tick
from ..traces.chunks import CpuChunk, disable, limit_latency
from ..traces.periods import Period, Periods
from ..traces.recording import WAKE_OVERHEAD_NS
from .counters import Figures, Tally, counts_in_ns
from .machine import CpuTable, TracedMachine
from .polling import polling, polls_only
from .replay import PIECES_MAX, TURN_NS, CpuModels, Settings

if TYPE_CHECKING:
    from ...base.reading.threads import Threads
    from ...tables.linux.governors.source.model import CompiledSource

_SETTING = struct.Struct("<5Q10I")
_U64_MAX = (1 << 64) - 1
_T = TypeVar("_T")
_FEW = 2_000
"""With fewer decisions or periods than this, starting another thread does not pay."""


def knows(machines: Iterable[TracedMachine], settings: Settings, *, estimated: bool) -> bool:
    """Tells whether the core is installed and can replay all machines with these settings."""
    if not core.available():
        return False
    # haltpoll's polling limit depends on its history, which the core's estimate does not model
    if estimated and settings.governor == "haltpoll":
        return False
    tables = (table for machine in machines for table in machine.tables)
    return all(core.can_replay(settings.governor_of(table)) for table in tables)


def stream_of(governor: Governor, earlier: Outcome | None) -> "core.Stream | CompiledSource":
    """Returns what decides packed rows one after the other: the core, or a source's own program.
    earlier: the idle period before the governor was switched on; None: it is as booted."""
    source = governor.source
    if source is None:
        return core.Stream.of(governor, earlier)
    if earlier is not None and (earlier.state or earlier.residency_ns):
        source.switched_on(earlier)
    return source


class CoreModel(CpuModels):
    """A machine's CPUs, each with its governor: by the core."""

    def __init__(self, machine: TracedMachine, settings: Settings, problems: InputProblems) -> None:
        super().__init__(machine, settings, problems)
        self._cpus: dict[int, _Cpu | None] = {}

    def add(self, periods: Sequence[Period]) -> None:
        """Replays traced idle periods, which are in order for each CPU: estimated."""
        parts = Periods.of(periods).by_cpu
        for number, _ in parts:
            if number not in self._cpus:
                self._appear(number, self._problems.add)
        jobs = []
        for number, part in parts:
            cpu, count = self._cpus[number], len(part) // PERIOD.size
            if cpu is not None:
                jobs.append((number, count, _job(len(periods), cpu.follow, part, count)))
        unfinished: list[tuple[int, int, int]] = []
        for number, count, job in jobs:
            decisions, agreed, left, kept = job()
            if self.domains is not None:
                self.domains.extend(number, kept)
            self.decisions += decisions
            self.hold(number, count, agreed)
            if left:
                places = [place for place, period in enumerate(periods) if period[0] == number]
                unfinished += [(places[at], number, left_ns) for at, left_ns in left]
        for _, number, left_ns in sorted(unfinished):
            message = f"CPU {number}: {left_ns / 1000000000.0:.6f} s were read as one period"
            self._problems.add("piece-limit", message)

    def cpu(self, part: CpuChunk, notes: Notes) -> "_Cpu | None":
        """Returns the CPU that a part of a chunk belongs to; None if no table covers it."""
        if part.cpu not in self._cpus:
            first = part.lines[0]
            cpu = self._appear(part.cpu, lambda kind, message: notes.add(first, kind, message))
            if cpu is not None:
                cpu.switched_on(Outcome(part.earlier_state, part.earlier_residency_ns))
        return self._cpus[part.cpu]

    def _appear(self, number: int, report: Callable[[str, str], None]) -> "_Cpu | None":
        tally = self.tally_of(number, report)
        keeps = self.domains is not None
        cpu = None if tally is None else _Cpu(tally, self._settings, keeps=keeps)
        self._cpus[number] = cpu
        return cpu


class _Cpu:
    """One CPU. asks: whether its governor is asked, as it is not for a single state; keeps: whether
    follow() keeps the times in the last state."""

    def __init__(self, tally: Tally, settings: Settings, *, keeps: bool = False) -> None:
        table = tally.table
        self.tally = tally
        self.sweep: tuple[core.Sweep, tuple[_Cpu, ...]] | None = None
        """The sweep over this CPU number in several machines, and these CPUs in lane order."""
        self.stream = core.Stream.of(settings.governor_of(table))
        loop = idle_loop.features(settings.release)
        self.asks = settings.asks_governor(table)
        limit = polling(table, settings.release, settings.hz)
        self._setting = _SETTING.pack(
            tick_ns(settings.hz),
            _U64_MAX if limit.limit_ns is None else limit.limit_ns,
            TURN_NS,
            WAKE_OVERHEAD_NS,
            PIECES_MAX,
            limit.reports,
            settings.next_timer == "far",
            loop.governor_decides_tick,
            core.mask(table.disabled),
            table.limit_us,
            tally.in_ns,
            self.asks,
            unasked_stop_tick(loop, True),
            polls_only(table),
            len(table.states) - 1 if keeps else NONE,
        )

    def switched_on(self, earlier: Outcome) -> None:
        known = earlier.state < len(self.tally.table.states)
        if self.asks and known and (earlier.state or earlier.residency_ns):
            self.stream.switched_on(earlier)

    def follow(self, periods: Buffer, count: int) -> tuple[int, int, list[tuple[int, int]], bytes]:
        """Replays traced periods. Returns the number of decisions, the number of periods whose
        first decision agrees with the trace, (index, ns not replayed) of periods cut off at
        PIECES_MAX, and packed the times in the last state that are kept."""
        left = array("Q", bytes(8 * count))
        counters, (decisions, agreed, unfinished, none, kept) = self.estimated(periods, left)
        self.tally.absorb(counters)
        self.tally.stateless += none
        found = [(at, left_ns) for at, left_ns in enumerate(left) if left_ns] if unfinished else []
        return decisions, agreed, found, kept

    def estimated(self, periods: Buffer, left: "array[int]") -> tuple[Buffer, tuple[Any, ...]]:
        """Replays traced periods. Returns their counters, which are not added to the tally, and the
        results of the core; left: filled with the ns of each period that are not replayed."""
        counters = self.tally.empty_counters()
        given = *self.stream.given, self.stream.memory, self._setting, self.tally.thresholds
        return counters, compiled.estimate(*given, periods, left, counters)

    def decide(self, rows: Buffer) -> Buffer:
        """Returns the governor's decisions for recorded rows."""
        if not self.asks:
            return bytes(2 * (len(rows) // core.ROW.size))
        return self.stream.replay(_held_to(rows, self.tally.table)).packed

    def judge(self, part: CpuChunk, decisions: Buffer) -> int:
        """Counts the decisions; returns how many states are as recorded."""
        self.tally.stateless += self.tally.count(part.rows, decisions)[0]
        same: int = compiled.agreed(decisions, part.decided, False)[0]
        return same


def replay(models: Sequence[CoreModel], parts: Sequence[CpuChunk], notes: Notes) -> None:
    """Replays a chunk of an exact recording with all models. notes: collects problems."""
    jobs = []
    for part in parts:
        cpus = [(model, cpu) for model in models if (cpu := model.cpu(part, notes)) is not None]
        groups = _groups([cpu for _, cpu in cpus])
        jobs += [(part, cpus, _job(len(part), _decide, part, group)) for group in groups]
    for part, cpus, job in jobs:
        same = job()
        for model, cpu in cpus:
            if cpu in same:
                agreed, decisions = same[cpu]
                model.decisions += len(part)
                model.hold(part.cpu, len(part), agreed)
                if model.domains is not None:
                    model.domains.record_packed(part.cpu, part.rows, decisions)


def _groups(cpus: "list[_Cpu]") -> "list[tuple[_Cpu, ...]]":
    """Groups CPUs whose tables a sweep may take, if there are enough; the others one by one."""
    swept = (cpu for cpu in cpus if cpu.asks and cpu.stream.given[0] in core.SWEPT)
    first = next(swept, None)
    if first is None:
        return [(cpu,) for cpu in cpus]
    if first.sweep is not None:
        together = first.sweep[1]
    else:
        together = tuple(
            cpu
            for cpu in cpus
            if cpu.asks
            and cpu.stream.given[0] == first.stream.given[0]
            and cpu.tally.table.disabled == first.tally.table.disabled
            and cpu.tally.table.limit_us == first.tally.table.limit_us
        )
    if len(together) < core.FEWEST_TABLES:
        return [(cpu,) for cpu in cpus]
    return [together, *((cpu,) for cpu in cpus if cpu not in together)]


def _decide(part: CpuChunk, cpus: "tuple[_Cpu, ...]") -> "dict[_Cpu, tuple[int, Buffer]]":
    """Returns of each CPU how many states are as recorded, and its decisions."""
    if len(cpus) == 1:
        decisions = cpus[0].decide(part.rows)
        return {cpus[0]: (cpus[0].judge(part, decisions), decisions)}
    first = cpus[0]
    if first.sweep is None:
        first.sweep = core.Sweep([cpu.stream for cpu in cpus]), cpus
    rows = _held_to(part.rows, first.tally.table)
    answers = first.sweep[0].replay(rows)
    return {
        cpu: (cpu.judge(part, found.packed), found.packed)
        for cpu, found in zip(cpus, answers, strict=True)
    }


def _held_to(rows: Buffer, table: CpuTable) -> Buffer:
    """Recorded rows with a table's disabled states and latency limit."""
    return limit_latency(disable(rows, table.disabled), table.limit_us)


def _job(size: int, work: Callable[..., _T], *arguments: Any) -> Callable[[], _T]:
    """Starts work on another thread if that pays. Returns a function that gives its result."""
    if size < _FEW or core.processors() < 2:
        return lambda: work(*arguments)
    return _pool().call(work, *arguments)


@cache
def _pool() -> "Threads":
    from ...base.reading.threads import Threads

    return Threads(core.processors())


def follow(table: CpuTable, settings: Settings, of_cpus: Iterable[Buffer]) -> list[Figures]:
    """Replays traced periods, PERIOD each, with a table: each CPU's, from boot on. Returns the
    counters of each CPU."""
    cpu = _Cpu(Tally(table, counts_in_ns(settings.release)), settings)
    memory, figures = cpu.stream.memory, []
    for periods in of_cpus:
        memory[:] = bytes(len(memory))
        left = array("Q", bytes(8 * (len(periods) // PERIOD.size)))
        figures.append(cpu.tally.figures_of(cpu.estimated(periods, left)[0]))
    return figures
