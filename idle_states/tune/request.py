"""A tuning request, and its execution."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Literal

from ..dataclass import dataclass
from ..findings import UsageError
from ..linux.governors.given import GovernorRequest
from ..linux.platforms import x86_of
from ..linux.releases import Release
from ..reading.inputs import Input
from ..record.unconverted import as_recording
from ..replay.consumption import of_machine
from ..replay.energy import PowerModel
from ..replay.machine import CpuTable
from ..replay.polling import polling
from ..replay.power import FROM_SPECS, PowerRequest
from ..replay.replay import Settings
from ..replay.tables import HeldTables, of_given, of_table
from ..simulation.given import WorkloadRequest, given
from ..simulation.setup import Setup, check_selects, effects_of
from .boot_times import BootTimes
from .candidates import Grid
from .evaluate import EvaluationTask, Work
from .judging import Allowed, Objective
from .running import NoBar, StartBar, keeping, run_offline, running
from .sampling import SAMPLE, IdleSample, sample
from .search import search
from .simulated import TuneSimulation
from .source import GapSource, read, read_list, simulated
from .truth import HonestTable, Truth, judge_honest, truth_of
from .tuning import Tuning
from .waits import Wait, cuts, waits

ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """What to tune, and over which idle gaps. Raises UsageError for contradictory options.

    of          the table or the states, and the governor in the loop
    trace       idle gaps from a trace of cpu_idle or a recording (one of trace, workload and gaps)
    workload    idle gaps from a simulation
    gaps        idle gaps from a list (CSV of gap_ns,count)
    governed    False: no governor; every gap's length is taken as known when the gap begins. A list
                of gaps is always evaluated so
    next_timer  one of replay.NEXT_TIMERS, for traces of cpu_idle
    jobs        number of processes; None: one for each CPU
    scheduler   address of a Dask cluster to evaluate on
    resume      file that keeps evaluated candidates; None: a file in the user's cache
    measured    measurements of the machine as fit takes them, or SPEC alone: what waking up really
                takes, while the governor believes the table; (): as the table says
    search_over  idle periods of a trace or recording to try tables over, if there are more: what is
                reported is evaluated over all; ALL: every table is; None: SAMPLE of them
    at_boot     only tables that intel_idle.table= can give the machine may be the best
    """

    of: GovernorRequest
    release: Release
    objective: Objective
    trace: str | None = None
    workload: WorkloadRequest | None = None
    gaps: str | None = None
    governed: bool = True
    next_timer: str = "gap"
    power: PowerRequest = FROM_SPECS
    jobs: int | None = None
    scheduler: str | None = None
    resume: Path | None = None
    search_over: int | Literal["all"] | None = None
    at_boot: bool = False
    measured: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if [self.trace, self.workload, self.gaps].count(None) != 2:
            raise UsageError(
                "expected idle gaps from --trace, --workload or --gaps, one of the three"
            )
        if self.workload is not None and not self.governed:
            raise UsageError("expected a governor for --workload, found --governor none")
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"expected at least one process, found --jobs {self.jobs}")
        over = self.search_over
        if over is not None and over != ALL and over < 1:
            raise UsageError(f"expected --search-over of 1 or more, or {ALL}, found {over}")
        if over is not None and self.trace is None:
            found = "--workload" if self.workload is not None else "--gaps"
            raise UsageError(f"expected --trace for --search-over, found {found}")
        alone = (
            ("scheduler", self.scheduler),
            ("resume", self.resume),
            ("search-over", self.search_over),
        )
        for option, value in alone:
            if self.alone and value is not None:
                raise UsageError(f"expected a governor for --{option}, found none to ask")

    @property
    def alone(self) -> bool:
        """Whether tuning runs without a governor."""
        return not self.governed or self.gaps is not None

    @property
    def settings(self) -> Settings:
        return Settings(self.of.governor, self.release, self.of.hz, self.next_timer)


@contextmanager
def tune(
    request: TuneRequest,
    *,
    say: Callable[[str], None] = lambda message: None,
    bar: StartBar = NoBar,
) -> Iterator[Tuning]:
    """Context manager that tunes and yields the result. Evaluated candidates stay on disk until the
    context ends without an error.

    say: called with messages for the user; bar: makes a progress bar from the name of its unit.
    Raises UsageError, Unreadable, OSError and the errors of reading a table.
    """
    held = _held(request)
    if held.note:
        say(held.note)
    table, settings, objective = held.states, request.settings, request.objective
    boot = _boot_times(request, held) if request.at_boot else None
    allowed: Allowed = (lambda candidate: True) if boot is None else boot.accepts
    power, truth, real = _power(request.power, held), None, table
    if request.measured:
        truth = truth_of(request.measured, held, request.of, request.release)
        power, real = truth.power(power, table), truth.real(table)
    if not request.alone:
        check_selects(settings.governor_of(table), table)
    timeout_ns = polling(table, request.release, settings.hz).limit_ns
    grid = Grid(table, power)
    # a simulation has CPUs that run
    drawn = power if request.workload is None else of_machine(power)
    work: Work
    part: IdleSample | None = None
    if request.workload is not None:
        source, work = _simulation(request.workload, settings, held, say, truth)
    else:
        exact_at = [*grid.cuts(), *cuts(table, power, timeout_ns, objective.stall)]
        source = _source(request, exact_at, bar, say)
        work = EvaluationTask(settings, table, source.cpus)
        if request.search_over != ALL and not request.alone:
            part = sample(source.cpus, request.search_over or SAMPLE)
    honest: tuple[HonestTable, ...] = ()
    with ExitStack() as kept:
        if request.alone:
            tuned = search(
                real, drawn, objective, grid, run_offline(source, table), allowed=allowed
            )
        else:
            results = kept.enter_context(keeping(request.resume, work, part, source, say))
            with running(results, request.jobs, request.scheduler, bar) as over:
                over_all = over(work)
                if part is None:
                    tuned = search(real, drawn, objective, grid, over_all, allowed=allowed)
                else:
                    sampled = over(EvaluationTask(settings, table, part.cpus, sampled=True))
                    tuned = search(real, drawn, objective, grid, sampled, over_all, allowed=allowed)
            if truth is not None:
                honest = judge_honest(truth, table, drawn, tuned, work)
        polled: tuple[Wait, ...] = ()
        if source.gaps.count:
            polled = waits(source.gaps, table, power, timeout_ns, objective.stall)
        yield Tuning(
            held.name,
            source,
            None if request.alone else settings,
            request.release,
            table,
            power,
            drawn,
            tuned,
            polled,
            timeout_ns,
            (*held.files, *source.files, *(truth.files if truth else ())),
            None if boot is None else boot.argument(tuned.best.candidate),
            truth,
            honest,
            part,
        )


def _boot_times(request: TuneRequest, held: HeldTables) -> BootTimes:
    """Raises UsageError for a table that no x86 machine has."""
    platform = None if held.table is None else x86_of(request.of.platform, held.table)
    if platform is None:
        raise UsageError("expected a table of intel_idle, and its machine, for --to cmdline")
    return BootTimes.of(held.states, request.release, platform)


def _held(request: TuneRequest) -> HeldTables:
    of = request.of
    if of.states is not None:
        held = of_given(of.states)
    else:
        assert of.table is not None
        held = of_table(of.table, of.platform, request.release)
    if len(held.states.states) < 2:
        raise UsageError(f"expected a state besides {held.states.names[0]}, found none")
    return held


def _power(request: PowerRequest, held: HeldTables) -> PowerModel:
    """Returns a power model that covers every state. Raises UsageError if a figure is missing."""
    names: Sequence[str] = held.states.names
    power = request.model([held.states], held.rows)
    if power is not None:
        names = [name for name in names if name not in power.states]
    if power is None or names:
        example = ",".join(f"{name}=0.9" for name in held.states.names[:2])
        raise UsageError(
            f"expected to know what states draw, found no figure for {', '.join(names)}; give "
            f"them (--power {example},...), or take the rows' word for it (--power implied)"
        )
    return power


def _source(
    request: TuneRequest, cuts: list[int], bar: StartBar, say: Callable[[str], None]
) -> GapSource:
    """Reads the idle gaps of a trace, a recording or a list. Raises Unreadable, OSError."""
    name = request.trace or request.gaps or ""
    notes: list[str] = []
    with bar("bytes read") as shown:
        shown.expect(os.path.getsize(name) if os.path.isfile(name) else 0)
        source = Input(name, shown.advance)
        if request.gaps:
            return read_list(source, cuts)
        source = as_recording(source, notes.append)
        found = read(source, cuts, None if request.alone else request.settings)
    # what is said while a bar is drawn would stand behind it
    for note in notes:
        say(note)
    return found


def _simulation(
    request: WorkloadRequest,
    settings: Settings,
    held: HeldTables,
    say: Callable[[str], None],
    truth: Truth | None,
) -> tuple[GapSource, TuneSimulation]:
    """Prepares a simulated workload, whose wake-ups take what was measured. Raises UsageError, and
    Unreadable for a bad file."""
    of = given(request, say)
    table: CpuTable = held.states
    exits = request.exits_ns(table)
    if truth is not None:
        exits = {one.name: one.typical_ns for one in truth.latencies} | exits
    setup = Setup(
        held.name,
        of.topology,
        of.policy,
        of.workload,
        table,
        effects_of(table, held.table, exits, held.rows),
        settings.governor,
        settings.release,
        settings.hz,
        of.duration_ns,
        request.costs,
    )
    return simulated(request.workload, of.files), TuneSimulation(setup, tuple(request.seeds))
