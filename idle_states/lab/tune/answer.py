"""The execution of a tuning request."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.reading.inputs import Input
from ...tables.linux.platforms import x86_of
from ...tables.power.energy import PowerModel
from ...tables.power.request import PowerRequest
from ..record.convert import as_recording
from ..replay.consumption import of_machine
from ..replay.machine import CpuTable
from ..replay.polling import polling
from ..replay.power import power_model
from ..replay.replay import Settings
from ..replay.tables import HeldTables, of_given, of_table
from ..simulation.given import given
from ..simulation.setup import Setup, check_selects, effects_of
from ..simulation.workload_request import WorkloadRequest
from .candidates import BootTimes, Grid
from .evaluate import EvaluationTask, TuneSimulation, Work
from .judging import Allowed
from .request import ALL, CMDLINE, TuneRequest
from .running import NoBar, StartBar, keeping, run_offline, running
from .sampling import SAMPLE, IdleSample, sample
from .search import Tuned, search
from .source import GapSource, read, read_list, simulated
from .truth import HonestTable, Truth, judge_honest, truth_of
from .tuning import Tuning
from .waits import Wait, cuts, waits


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
    believed = _believed(request)
    held, table, power = believed.held, believed.table, believed.power
    gaps = _gaps(request, believed, bar, say)
    source = gaps.source
    with _searched(request, believed, gaps, bar, say) as tuned:
        truth = believed.truth
        honest: tuple[HonestTable, ...] = ()
        if truth is not None and gaps.work is not None:
            honest = judge_honest(truth, table, believed.drawn, tuned, gaps.work)
        polled: tuple[Wait, ...] = ()
        if source.gaps.count:
            stall = request.objective.stall
            polled = waits(source.gaps, table, power, believed.timeout_ns, stall)
        boot = believed.boot
        yield Tuning(
            held.name,
            source,
            None if request.alone else request.settings,
            request.release,
            table,
            power,
            believed.drawn,
            tuned,
            polled,
            believed.timeout_ns,
            (*held.files, *source.files, *(truth.files if truth else ())),
            None if boot is None else boot.argument(tuned.best.candidate),
            truth,
            honest,
            gaps.sample,
        )


@contextmanager
def tune_each(
    request: TuneRequest, say: Callable[[str], None] = lambda message: None, bar: StartBar = NoBar
) -> Iterator[tuple[Tuning, ...]]:
    """Context manager that tunes under each governor of a request, one after the other, and yields
    the results; otherwise as tune()."""
    with ExitStack() as kept:
        yield tuple([kept.enter_context(tune(each, say=say, bar=bar)) for each in request.each])


@dataclass(frozen=True, slots=True)
class _Believed:
    """The facts that are known before any gap is read.

    table       the states as the governor believes them; real: as they really are
    power       what states draw; drawn: the same, of a simulation with what a running CPU draws
    timeout_ns  present polling limit of state 0; None: polls until the CPU is woken
    boot        what the machine can be given at boot; None where not asked
    """

    held: HeldTables
    real: CpuTable
    power: PowerModel
    drawn: PowerModel
    timeout_ns: int | None
    boot: BootTimes | None
    truth: Truth | None

    @property
    def table(self) -> CpuTable:
        return self.held.states

    @property
    def grid(self) -> Grid:
        return Grid(self.table, self.power)


def _believed(request: TuneRequest) -> _Believed:
    """Raises UsageError, Unreadable, OSError and the errors of reading a table."""
    held = _held(request)
    table = held.states
    boot = _boot_times(request, held) if request.to == CMDLINE else None
    power, truth, real = _power(request.power, held), None, table
    if request.measured:
        truth = truth_of(request.measured, held, request.of, request.release)
        power, real = truth.power(power, table), truth.real(table)
    if not request.alone:
        check_selects(request.settings.governor_of(table), table)
    # a simulation has CPUs that run
    drawn = power if request.workload is None else of_machine(power)
    timeout_ns = polling(table, request.release, request.settings.hz).limit_ns
    return _Believed(held, real, power, drawn, timeout_ns, boot, truth)


@dataclass(frozen=True, slots=True)
class _Gaps:
    """Idle gaps. work: evaluates tables over all of them with the governor; None without one.
    sample: what is searched over; None: all."""

    source: GapSource
    work: Work | None
    sample: IdleSample | None = None


def _gaps(
    request: TuneRequest, believed: _Believed, bar: StartBar, say: Callable[[str], None]
) -> _Gaps:
    """Raises UsageError, Unreadable, OSError."""
    table, settings = believed.table, request.settings
    if request.workload is not None:
        return _Gaps(*_simulation(request.workload, settings, believed.held, say, believed.truth))
    stall = request.objective.stall
    polls = cuts(table, believed.power, believed.timeout_ns, stall)
    source = _source(request, [*believed.grid.cuts(), *polls], bar, say)
    if request.alone:
        return _Gaps(source, None)
    searched = None
    if request.search_over != ALL:
        searched = sample(source.cpus, request.search_over or SAMPLE)
    return _Gaps(source, EvaluationTask(settings, table, source.cpus), searched)


@contextmanager
def _searched(
    request: TuneRequest,
    believed: _Believed,
    gaps: _Gaps,
    bar: StartBar,
    say: Callable[[str], None],
) -> Iterator[Tuned]:
    """Searches for the best tables. What was evaluated stays on disk until the context ends without
    an error."""
    boot, source = believed.boot, gaps.source
    allowed: Allowed = (lambda candidate: True) if boot is None else boot.accepts
    parameters = believed.real, believed.drawn, request.objective, believed.grid
    if gaps.work is None:
        yield search(*parameters, run_offline(source, believed.table), allowed=allowed)
        return
    with keeping(request.resume, gaps.work, gaps.sample, source, say) as results:
        with running(results, request.jobs, request.scheduler, bar) as over:
            over_all = over(gaps.work)
            if gaps.sample is None:
                tuned = search(*parameters, over_all, allowed=allowed)
            else:
                cpus = gaps.sample.cpus
                sampled = over(EvaluationTask(request.settings, believed.table, cpus, sampled=True))
                tuned = search(*parameters, sampled, over_all, allowed=allowed)
        yield tuned


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
    power = power_model(request, [held.states], held.rows)
    if power is not None:
        names = [name for name in names if name not in power.states]
    if power is None or names:
        example = ",".join(f"{name}=0.9" for name in held.states.names[:2])
        raise UsageError(
            f"expected the power of all states, found none for {', '.join(names)}; give them "
            f"(--power {example},...), or assume that each residency is the break-even point "
            "(--power implied)"
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
        exits = {one.state: one.typical_ns for one in truth.latencies} | exits
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
