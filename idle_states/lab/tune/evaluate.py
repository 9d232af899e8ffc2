"""Evaluation of candidates: what a governor would have selected over all gaps.

With a governor, every gap is replayed in order, with the governor's history, as `replay` does it.
For exact recordings, menu evaluates eight candidates at a time. Without a governor, the length of
each gap is taken as known when it begins, and the gap goes to the deepest state whose residency it
reaches: the decisions of a governor that is never wrong.
"""

from collections.abc import Iterable, Sequence
from operator import or_
from typing import Protocol

from ...base.dataclass import dataclass, replace
from ...base.reading.problems import InputProblems
from ...tables.linux.governors import Governor, core
from ...tables.linux.governors.core.packing import PERIOD, REJECTED, SETTLES
from ..replay.core_models import follow, knows, stream_of
from ..replay.counters import Figures, StateFigures, Tally, counts_in_ns
from ..replay.machine import CpuTable, TracedMachine
from ..replay.replay import ReplayModel, Settings
from ..simulation import by_core as simulate_core
from ..simulation import simulate
from ..simulation.setup import Setup, SimulationRun
from .gaps import Gaps
from .source import CpuGaps

Candidate = tuple[int, ...]
"""Target residencies in us of states 1, 2, ..."""
TOGETHER = 8
"""Candidates evaluated at a time: the lanes of the core's sweep."""
_BLOCK = 1 << 14
"""Rows processed at a time: the rows and their decisions fit a cache."""
_US = 1000


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The result of a candidate: idle periods and idle time in us, by state.

    busy_us  of a simulation: time not idle, in us; otherwise 0
    work     of a simulation: count of work done; otherwise 0
    sampled  of a sample of the idle periods
    """

    candidate: Candidate
    usage: tuple[int, ...]
    time_us: tuple[int, ...]
    busy_us: int = 0
    work: int = 0
    sampled: bool = False

    def figures(self, table: CpuTable) -> Figures:
        """Returns replay counters; `above` and `below` are not counted and stay 0."""
        rows = enumerate(zip(table.names, self.usage, self.time_us, strict=True))
        states = [StateFigures(number, *row) for number, row in rows]
        return Figures.of(states, (state.exit_ns for state in table.states))


class Work(Protocol):
    """Evaluates candidates.

    fast      whether the compiled core does it; the interpreter's lock is then released
    together  candidates that are evaluated together in little more time than one
    sampled   whether over a sample of the idle periods
    """

    @property
    def fast(self) -> bool: ...

    @property
    def together(self) -> int:
        return 1

    @property
    def sampled(self) -> bool:
        return False

    def evaluate(self, candidates: Sequence[Candidate]) -> list[Outcomes]: ...

    def with_table(self, table: CpuTable) -> "Work":
        """The same evaluation of candidates for a governor that is given another table."""


@dataclass(frozen=True, slots=True)
class EvaluationTask:
    """The data that candidates share. table: the present one; sampled: CPUs have a sample only."""

    settings: Settings
    table: CpuTable
    cpus: tuple[CpuGaps, ...]
    sampled: bool = False

    @property
    def fast(self) -> bool:
        machine = TracedMachine("", self.table, {})
        return knows([machine], self.settings, estimated=self._traced)

    @property
    def together(self) -> int:
        return TOGETHER if self.settings.governor == "menu" and not self._traced else 1

    @property
    def _traced(self) -> bool:
        return any(cpu.periods for cpu in self.cpus)

    def evaluate(self, candidates: Sequence[Candidate]) -> list[Outcomes]:
        """See evaluate()."""
        return evaluate(self, candidates)

    def with_table(self, table: CpuTable) -> "EvaluationTask":
        return replace(self, table=table)


def with_residencies(table: CpuTable, candidate: Candidate) -> CpuTable:
    states = [
        state if number == 0 else replace(state, residency_ns=candidate[number - 1] * _US)
        for number, state in enumerate(table.states)
    ]
    return replace(table, states=tuple(states))


def candidate_of(table: CpuTable) -> Candidate:
    """Returns a table's present residencies."""
    return tuple(state.residency_ns // _US for state in table.states[1:])


def evaluate(task: EvaluationTask, candidates: Sequence[Candidate]) -> list[Outcomes]:
    """Evaluates candidates with the governor; results in order. Raises UnknownGovernor."""
    tables = [with_residencies(task.table, candidate) for candidate in candidates]
    found: Iterable[Sequence[Figures]]
    if task._traced:
        found = [_followed(table, task) for table in tables]
    else:
        of_cpus = [_decided(tables, task.settings, cpu, task.fast) for cpu in task.cpus]
        found = zip(*of_cpus, strict=True)
    return [
        Outcomes(candidate, *_sums(own), sampled=task.sampled)
        for candidate, own in zip(candidates, found, strict=True)
    ]


def _sums(of_cpus: Sequence[Figures]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns how often CPUs were in each state, and how long in us."""
    of_states = list(zip(*(figures.states for figures in of_cpus), strict=True))
    return (
        tuple(sum(figures.usage for figures in state) for state in of_states),
        tuple(sum(figures.time_us for figures in state) for state in of_states),
    )


def offline(gaps: Gaps, table: CpuTable, candidate: Candidate) -> Outcomes:
    """Evaluates a candidate with the length of every gap known when the gap begins. For exact
    results, 1 ns less than each residency must be one of the gaps' cuts."""
    limits = [0, *(residency_us * _US for residency_us in candidate)]
    usage, time_us = [], []
    for number, limit in enumerate(limits):
        # of two states, the deeper is chosen if its residency is no greater
        longest = min(limits[number + 1 :], default=None)
        first = gaps.up_to(limit - 1) if limit else (0, 0)
        last = (gaps.count, gaps.total) if longest is None else gaps.up_to(longest - 1)
        usage.append(max(last[0] - first[0], 0))
        time_us.append(max(last[1] - first[1], 0) // _US)
    return Outcomes(candidate, tuple(usage), tuple(time_us))


def _followed(table: CpuTable, task: EvaluationTask) -> list[Figures]:
    """Replays each CPU's traced periods."""
    if task.fast:
        return follow(table, task.settings, [cpu.periods for cpu in task.cpus])
    model = ReplayModel(TracedMachine("", table, {}), task.settings, InputProblems())
    for cpu in task.cpus:
        settling = cpu.periods[SETTLES :: PERIOD.size]
        rows = zip(PERIOD.iter_unpack(cpu.periods), settling, strict=True)
        for (start_ns, end_ns, state, _, _), settles in rows:
            model.add([(cpu.number, state, start_ns, end_ns, 0)], counted=not settles)
    return [*model.figures().values()]


def _decided(
    tables: Sequence[CpuTable], settings: Settings, cpu: CpuGaps, fast: bool
) -> list[Figures]:
    """Replays one CPU's recorded decisions with each table."""
    in_ns = counts_in_ns(settings.release)
    tallies = [Tally(table, in_ns) for table in tables]
    governors = [settings.governor_of(table) for table in tables]
    if not fast and not (core.available() and governors[0].source):
        for governor, tally in zip(governors, tallies, strict=True):
            _referred(governor, tally, cpu)
        return [tally.figures() for tally in tallies]
    known = cpu.earlier is not None and cpu.earlier.state < len(tables[0].states)
    earlier = cpu.earlier if known else None
    streams = [stream_of(governor, earlier) for governor in governors]
    sweep = None
    if settings.governor in core.SWEPT and len(tables) >= core.FEWEST_TABLES:
        sweep = core.Sweep([stream for stream in streams if isinstance(stream, core.Stream)])
    size = _BLOCK * core.ROW.size
    view, counted = memoryview(cpu.rows), memoryview(_counted(cpu))
    for start in range(0, len(view), size):
        rows = view[start : start + size]
        decided = sweep.replay(rows) if sweep else [stream.replay(rows) for stream in streams]
        for tally, decisions in zip(tallies, decided, strict=True):
            tally.count(counted[start : start + size], decisions.packed)
    return [tally.figures() for tally in tallies]


def _counted(cpu: CpuGaps) -> bytes | bytearray:
    """A CPU's rows, those that only settle a governor marked as refused, which are not counted."""
    if not cpu.settles:
        return cpu.rows
    rows = bytearray(cpu.rows)
    rows[REJECTED :: core.ROW.size] = bytes(map(or_, rows[REJECTED :: core.ROW.size], cpu.settles))
    return rows


def _referred(governor: Governor, tally: Tally, cpu: CpuGaps) -> None:
    """Replays one CPU's recorded decisions by the Python reference."""
    if cpu.earlier is not None and cpu.earlier.state < len(governor.states):
        governor.switched_on(cpu.earlier)
    recorded = memoryview(cpu.rows)[core.RECORDED :: core.ROW.size]
    settling = cpu.settles or bytes(len(recorded))
    rows = zip(core.unpack(cpu.rows), recorded, settling, strict=True)
    for (situation, outcome), before, settles in rows:
        state = governor.select(situation).state
        is_reported = outcome.poll_time_limit and before == state
        governor.reflect(replace(outcome, state=state, poll_time_limit=is_reported))
        if not (outcome.rejected or settles):
            tally.add(state, outcome.residency_ns)


@dataclass(frozen=True, slots=True)
class TuneSimulation(Work):
    """Evaluates tables in a simulated workload: their effect on idle periods and on work done.

    Nothing is recorded, so another table leads to other gaps: a CPU that wakes up later works
    later. Energy therefore covers the whole run, computing included, and a table is judged by the
    energy per unit of work.

    setup: with the present table. seeds: one run each; their counters are added up.
    """

    setup: Setup
    seeds: tuple[int, ...]

    @property
    def fast(self) -> bool:
        return simulate_core.knows(self.setup)

    def evaluate(self, candidates: Sequence[Candidate]) -> list[Outcomes]:
        """Evaluates candidates; results in order. Raises UnknownGovernor."""
        tables = [with_residencies(self.setup.table, candidate) for candidate in candidates]
        setups = [replace(self.setup, table=table) for table in tables]
        of_seeds = [self._runs(setups, seed) for seed in self.seeds]
        return [_worked(*each) for each in zip(candidates, *of_seeds, strict=True)]

    def with_table(self, table: CpuTable) -> "TuneSimulation":
        return replace(self, setup=replace(self.setup, table=table))

    def _runs(self, setups: Sequence[Setup], seed: int) -> list[SimulationRun]:
        if self.fast:
            return simulate_core.simulate_each(setups, seed)
        return [simulate.simulate(setup, seed) for setup in setups]


def _worked(candidate: Candidate, *runs: SimulationRun) -> Outcomes:
    usage, time_us = _sums([cpu for run in runs for cpu in run.cpus])
    cpus = sum(len(run.cpus) * run.duration_ns for run in runs)
    busy_us = max(cpus // 1000 - sum(time_us), 0)
    return Outcomes(candidate, usage, time_us, busy_us, sum(run.counted for run in runs))
