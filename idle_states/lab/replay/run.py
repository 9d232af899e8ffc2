"""One replay, from its inputs to counters: reads the input, judges it, and models governors."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ...base.dataclass import replace
from ...base.model.findings import unreadable
from ...base.reading.inputs import Input, InputKind
from ...base.reading.problems import InputProblems, Notes
from ...base.reading.sysfs import SysfsState
from ...tables.linux.governors import core
from ...tables.linux.releases import Release
from ..traces import any_trace, recording
from ..traces.chunks import chunks
from ..traces.periods import Pairing, Period, joined
from ..traces.text import Batch, TraceText
from .accounts import ByEntered, ByGovernor, agreement_of, judged, modelled
from .assumed import of_domains, of_estimate
from .core_models import CoreModel, knows, replay
from .counters import counts_in_ns
from .domains import DomainReplay, domains_of
from .dumps import bracket
from .machine import TracedMachine
from .observed import Observed
from .replay import ReplayModel, Settings
from .results import ESTIMATED, EXACT, Account, Read, ReplayResult

_TOGETHER = 1 << 16
"""Periods judged at a time."""


def from_trace(
    source: Input,
    traced: TracedMachine,
    machines: Sequence[TracedMachine],
    release: Release,
    settings: Settings | None,
    by: Settings | None,
    counted: Mapping[int, Sequence[SysfsState]],
    *,
    certain: bool,
) -> ReplayResult:
    """Replays a trace of cpu_idle.

    traced    machine on which the trace was taken; its table judges the states really entered
    certain   whether it is known to be that machine; if not, cpu_idle_miss is ignored
    machines  machines to replay, with settings; without settings, `traced` and they are judged by
              the states really entered
    by        what decided in the trace; None without settings
    counted   CPU -> the kernel's counts around the trace, if known
    Raises Unreadable.
    """
    problems = InputProblems()
    reader = TraceText(problems)
    beyond = "state-beyond-table" if certain else "other-state"
    pairing = Pairing(problems, _counts(traced), beyond)
    judge = Observed(traced, counts_in_ns(release), problems)
    others: ByGovernor | ByEntered = (
        ByEntered(traced, machines, release, problems)
        if settings is None or by is None
        else ByGovernor(traced, machines, settings, by, problems, certain=certain)
    )
    seen = 0
    for periods, misses in _periods(any_trace.batches(source, reader), pairing):
        idle = judge.sift(periods, certain and misses)
        others.add(idle)
        seen += len(idle)
    misses = certain and pairing.misses > 0
    if source.cut is not None:
        problems.add("truncated-file", source.cut, reader.lines)
    if not reader.events:
        raise _no_events(source, reader, problems)
    observed = Account(traced.name, None, judge.finish(misses))
    found = others.finish(observed, misses, counted)
    bracketed = bracket(observed, counted, problems)
    span = pairing.span_ns
    return ReplayResult(
        ESTIMATED,
        (
            *of_estimate(reader.coarse, certain, misses, release, settings, machines, found),
            *of_domains(
                machines, found.accounts, release, settings.next_timer if settings else None
            ),
        ),
        Read(
            str(source.kind),
            reader.lines,
            reader.events,
            seen,
            None if span is None else span[1] - span[0],
        ),
        observed,
        found.accounts,
        problems.listing(),
        judge.said if misses else None,
        bracketed,
        agreement=found.agreement,
        calibration=found.calibration,
    )


def from_recording(
    source: Input,
    traced: TracedMachine,
    machines: Sequence[TracedMachine],
    release: Release,
    settings: Settings | None,
) -> ReplayResult:
    """Replays an exact recording; parameters as in from_trace(). Raises Unreadable."""
    problems = InputProblems()
    beyond = "state-beyond-table" if settings is None else "other-state"
    judge = Observed(traced, counts_in_ns(release), problems, beyond=beyond)
    own = replace(traced, domains=machines[0].domains)
    domains = None if settings else domains_of(own, release)
    every = _with(traced, machines)
    models: Sequence[ReplayModel | CoreModel]
    if core.available() and (settings is None or knows(every, settings, estimated=False)):
        by_core = [CoreModel(machine, settings, problems) for machine in every if settings]
        count, refused = _decided_by_core(source, by_core, judge, domains, problems)
        models = by_core
    else:
        by_reference = [ReplayModel(machine, settings, problems) for machine in every if settings]
        count, refused = _decided(source, by_reference, judge, domains)
        models = by_reference
    if not count:
        raise unreadable(source.name, "expected decisions, found none")
    observed = judged(own, judge.finish(False), domains)
    agreement = None
    accounts: tuple[Account, ...] = (observed,)
    if settings is not None:
        accounts = tuple(modelled(model, settings) for model in models)
        likes = (at for at, each in enumerate(every) if each.like(traced))
        agreement = agreement_of(accounts[next(likes)], observed, settings, {})
        accounts = accounts[: len(machines)]
    guessed: tuple[str, ...] = ()
    if settings is not None:
        guessed = recording.guessed(source, settings.governor, settings.release)
    assumptions = [*(guessed or [recording.COMPLETE])]
    if settings is not None:
        assumptions += [
            "an idle period lasts as long as recorded, whatever is selected; exact therefore for "
            "the table and kernel of the recording",
            f"clock at reflect: {recording.WAKE_OVERHEAD_NS} ns after the end of the period",
        ]
    assumptions += of_domains(machines, accounts, release, "recorded")
    return ReplayResult(
        ESTIMATED if guessed else EXACT,
        tuple(assumptions),
        Read(str(source.kind), events=count, periods=count - refused),
        observed,
        accounts,
        problems.listing(),
        agreement=agreement,
    )


def _decided_by_core(
    source: Input,
    models: Sequence[CoreModel],
    judge: Observed,
    domains: DomainReplay | None,
    problems: InputProblems,
) -> tuple[int, int]:
    """Gives a recording's decisions to the core's models, and to what judges those that were
    recorded; returns how many there are, and how many of them the driver refused."""
    count = refused = 0
    for parts in chunks(source):
        notes = Notes()
        for part in parts:
            count += len(part)
            refused += part.rejected
            judge.count(part, notes)
            if domains is not None:
                domains.record_packed(part.cpu, part.rows, part.decided)
        replay(models, parts, notes)
        notes.report(problems)
    return count, refused


def _decided(
    source: Input, models: Sequence[ReplayModel], judge: Observed, domains: DomainReplay | None
) -> tuple[int, int]:
    """What _decided_by_core() does, with models of the reference."""
    count = refused = 0
    for row in recording.rows(source):
        count += 1
        refused += row.outcome.rejected
        judge.add(row)
        if domains is not None:
            domains.record(row, row.state, row.stop_tick)
        for model in models:
            model.decide(row)
    return count, refused


def _with(traced: TracedMachine, machines: Sequence[TracedMachine]) -> Sequence[TracedMachine]:
    """The machines to replay: those asked for, and the traced one, to which the model is held."""
    return machines if any(each.like(traced) for each in machines) else (*machines, traced)


def _counts(machine: TracedMachine) -> Callable[[int], int | None]:
    def states(cpu: int) -> int | None:
        table = machine.table(cpu)
        return None if table is None else len(table.states)

    return states


def _periods(batches: Iterable[Batch], pairing: Pairing) -> Iterator[tuple[Sequence[Period], bool]]:
    """Yields periods, many at a time, as every CPU among them costs time; and whether the trace has
    had a cpu_idle_miss by the end of the batch that completed them."""
    some: list[Sequence[Period]] = []
    misses = False
    for batch in batches:
        periods = pairing.feed(batch)
        if misses != (pairing.misses > 0) or sum(map(len, some)) >= _TOGETHER:
            yield joined(some), misses
            some = []
        misses = pairing.misses > 0
        some.append(periods)
    yield joined(some), misses
    yield pairing.finish(), misses


_RECORDS = {
    InputKind.PERF: "perf record -e power:cpu_idle -a",
    InputKind.DAT: "trace-cmd record -e power:cpu_idle",
}


def _no_events(source: Input, reader: TraceText, problems: InputProblems) -> Exception:
    """Returns the error for a trace without any idle event."""
    for problem in problems.listing():
        if problem.kind in ("unreadable-line", "truncated-file", "long-line", "truncated-line"):
            first = problem.examples[0]
            message = f"expected events of cpu_idle, found none; {first.message}"
            return unreadable(source.name, message, first.line)
    found = f"{reader.lines} lines; expected text of ftrace, trace-cmd report or perf script"
    if command := _RECORDS.get(source.kind):
        found = f"this {source.kind}; record all CPUs while some are idle ({command})"
    return unreadable(source.name, f"expected events of cpu_idle, found none in {found}")
