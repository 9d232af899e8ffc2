"""One replay, from its inputs to counters: reads the input, judges it, and models governors."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from .. import core
from ..findings import unreadable
from ..linux.idle_loop import NO_LIMIT_US
from ..linux.releases import Release
from ..reading import sysfs
from ..reading.inputs import Input, InputKind
from ..reading.problems import InputProblems, Notes
from ..reading.sysfs import Dump, SysfsState
from ..traces import dat as trace_dat
from ..traces import recording
from ..traces.chunks import chunks
from ..traces.periods import Pairing, Period, joined
from ..traces.text import Batch, PackedBatch, TraceText
from ..wording import plural
from .agreement import Agreement, held
from .calibrated import (
    Calibrated,
    Calibration,
    Trace,
    assumed_of_calibration,
    not_calibrated,
    unasked_most,
)
from .core_models import CoreModel, knows, replay
from .counters import Figures, StateFigures, counts_in_ns
from .domains import DomainReplay, assumed_of_domains, assumed_of_timers, delayed, domains_of
from .machine import TracedMachine
from .observed import Observed
from .replay import CALIBRATED, TURN_NS, ReplayModel, Settings
from .results import ESTIMATED, EXACT, Account, Bracketed, Read, ReplayResult

_TOGETHER = 1 << 16
"""Periods judged at a time."""
COMPARED = ("usage", "time_us", "above", "below", "rejected")


def from_dumps(before: Dump | None, after: Dump, machine: TracedMachine) -> ReplayResult:
    """Returns the kernel's counts between two dumps, or since boot if `before` is None."""
    counted = sysfs.difference(before, after)
    cpus = {cpu: _dumped(states) for cpu, states in counted.items()}
    account = Account(machine.name, None, cpus)
    since = "since boot" if before is None else "between the dumps"
    assumptions = (f"counters are the kernel's own, {since}",)
    read = Read(InputKind.SYSFS, periods=account.total.usage)
    return ReplayResult(EXACT, assumptions, read, account, (account,), ())


def from_trace(
    source: Input,
    traced: TracedMachine,
    machines: Sequence[TracedMachine],
    release: Release,
    settings: Settings | None,
    counted: Mapping[int, Sequence[SysfsState]] | None = None,
    *,
    certain: bool = True,
    by: Settings | None = None,
) -> ReplayResult:
    """Replays a trace of cpu_idle.

    traced    machine on which the trace was taken; its table judges the states really entered
    certain   whether it is known to be that machine; if not, cpu_idle_miss is ignored
    machines  machines to replay, with settings; without settings, `traced` and they are judged by
              the states really entered
    counted   CPU -> the kernel's counts around the trace
    by        what decided in the trace; None: as `settings`
    Raises Unreadable.
    """
    problems = InputProblems()
    reader = TraceText(problems)
    beyond = "state-beyond-table" if certain else "other-state"
    pairing = Pairing(problems, _counts(traced), beyond)
    judges = [Observed(traced, counts_in_ns(release), problems)]
    models: Sequence[ReplayModel | CoreModel] = []
    domains: list[DomainReplay | None] = []
    agreement = calibration = trace = None
    others = 0
    traced_one: ReplayModel | CoreModel | None = None
    if settings is None:
        domains = [domains_of(machine, release) for machine in machines]
        judges += [
            Observed(machine, counts_in_ns(release), problems, traced=False)
            for machine in machines
            if not machine.like(traced)
        ]
    else:
        by = by or settings
        known = all(knows((*machines, traced), each, estimated=True) for each in (settings, by))
        make = CoreModel if known else ReplayModel
        models = [make(machine, settings, problems) for machine in machines]
        if by == settings:
            likes = (model for model in models if model.machine.like(traced))
            traced_one = next(likes, None)
        if traced_one is None:
            traced_one = make(traced, by, problems)
            models.append(traced_one)
        others = sum(by != settings or not machine.like(traced) for machine in machines)
        unasked = settings.next_timer != CALIBRATED
        if settings.calibrates and (certain or not unasked):
            trace = Trace(traced, by, unasked_most(others) if unasked else None)
    seen = 0
    for periods, misses in _periods(reader.batches(trace_dat.text(source)), pairing):
        seen += _give(periods, certain and misses, judges, models, domains, trace)
    misses = certain and pairing.misses > 0
    if source.cut is not None:
        problems.add("truncated-file", source.cut, reader.lines)
    if not reader.events:
        raise _no_events(source, reader, problems)
    figures = [judge.finish(misses) for judge in judges]
    observed = Account(traced.name, None, figures[0])
    if settings is None:
        rest = iter(figures[1:])
        accounts = tuple(
            _judged(machine, figures[0] if machine.like(traced) else next(rest), of)
            for machine, of in zip(machines, domains, strict=True)
        )
    else:
        assert by is not None
        assert traced_one is not None
        accounts = tuple(_modelled(model, settings) for model in models[: len(machines)])
        own = _modelled(traced_one, by)
        agreement = _agreement(own, observed, by, counted or {})
        if trace is not None and not trace.too_long:
            calibration, again, calibrated = trace.calibrate(machines, settings, problems)
            accounts = tuple(
                replace(_modelled(model, settings), bounds=model.bounds) for model in calibrated
            )
            agreement = replace(
                _agreement(_modelled(again, by), observed, by, counted or {}),
                uncalibrated=own.agreed,
            )
    bracketed = _bracket(observed, counted or {}, problems)
    span = pairing.span_ns
    return ReplayResult(
        ESTIMATED,
        (
            *_assumptions(
                reader.coarse,
                certain,
                misses,
                release,
                settings,
                _limited(machines),
                calibration,
                others,
            ),
            *_of_domains(machines, accounts, release, settings.next_timer if settings else None),
        ),
        Read(
            source.kind,
            reader.lines,
            reader.events,
            seen,
            None if span is None else span[1] - span[0],
        ),
        observed,
        accounts,
        problems.listing(),
        judges[0].said if misses else None,
        bracketed,
        agreement=agreement,
        calibration=calibration,
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
    models: Sequence[ReplayModel | CoreModel] = []
    count = refused = 0
    every = _with(traced, machines)
    if core.available() and (settings is None or knows(every, settings, estimated=False)):
        by_core = [CoreModel(machine, settings, problems) for machine in every if settings]
        models = by_core
        for parts in chunks(source):
            notes = Notes()
            for part in parts:
                count += len(part)
                refused += part.rejected
                judge.count(part, notes)
                if domains is not None:
                    domains.record_packed(part.cpu, part.rows, part.decided)
            replay(by_core, parts, notes)
            notes.report(problems)
    else:
        by_reference = [ReplayModel(machine, settings, problems) for machine in every if settings]
        models = by_reference
        for row in recording.rows(source):
            count += 1
            refused += row.outcome.rejected
            judge.add(row)
            if domains is not None:
                domains.record(row, row.state, row.stop_tick)
            for model in by_reference:
                model.decide(row)
    if not count:
        raise unreadable(source.name, "expected decisions, found none")
    observed = _judged(own, judge.finish(False), domains)
    agreement = None
    accounts: tuple[Account, ...] = (observed,)
    if settings is not None:
        accounts = tuple(_modelled(model, settings) for model in models)
        likes = (at for at, each in enumerate(every) if each.like(traced))
        agreement = _agreement(accounts[next(likes)], observed, settings, {})
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
    assumptions += _of_domains(machines, accounts, release, "recorded")
    return ReplayResult(
        ESTIMATED if guessed else EXACT,
        tuple(assumptions),
        Read(source.kind, events=count, periods=count - refused),
        observed,
        accounts,
        problems.listing(),
        agreement=agreement,
    )


def _with(traced: TracedMachine, machines: Sequence[TracedMachine]) -> Sequence[TracedMachine]:
    """The machines to replay: those asked for, and the traced one, to which the model is held."""
    return machines if any(each.like(traced) for each in machines) else (*machines, traced)


def _agreement(
    account: Account,
    observed: Account,
    settings: Settings,
    counted: Mapping[int, Sequence[SysfsState]],
) -> Agreement:
    """account: the traced machine's, by the model of what decided there, which `settings` are;
    counted: CPU -> the kernel's counts around the trace."""
    usages: Counter[tuple[int, str]] = Counter()
    for states in counted.values():
        for number, state in enumerate(states):
            usages[number, state.name] += state.usage or 0
    return Agreement(
        account.machine,
        f"{settings.governor} of Linux {settings.release.name}",
        account.held,
        held(observed.total, account.total, usages),
    )


def _counts(machine: TracedMachine) -> Callable[[int], int | None]:
    def states(cpu: int) -> int | None:
        table = machine.table(cpu)
        return None if table is None else len(table.states)

    return states


def _periods(
    batches: Iterable[Batch | PackedBatch], pairing: Pairing
) -> Iterator[tuple[Sequence[Period], bool]]:
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


def _give(
    periods: Sequence[Period],
    misses: bool,
    judges: Sequence[Observed],
    models: Sequence[ReplayModel | CoreModel],
    domains: Sequence[DomainReplay | None],
    trace: Trace | None,
) -> int:
    """Passes periods to all judges, then to all models, and to `trace`. Returns how many were idle
    periods."""
    idle = judges[0].sift(periods, misses)
    for judge in judges[1:]:
        judge.sift(idle, misses=False)
    for model in models:
        model.add(idle)
    for each in domains:
        if each is not None:
            each.observe(idle)
    if trace is not None:
        trace.add(idle)
    return len(idle)


def _modelled(model: ReplayModel | CoreModel | Calibrated, settings: Settings) -> Account:
    return replace(
        _judged(model.machine, model.figures(), model.domains),
        governor=settings.governor,
        decisions=model.decisions,
        held=dict(sorted(model.held.items())),
    )


def _judged(
    machine: TracedMachine, cpus: dict[int, Figures], domains: DomainReplay | None
) -> Account:
    if domains is None:
        return Account(machine.name, None, cpus)
    found = domains.finish()
    return Account(
        machine.name,
        None,
        delayed(cpus, found, machine),
        domains=found.figures,
        left=found.left,
    )


def _of_domains(
    machines: Sequence[TracedMachine],
    accounts: Sequence[Account],
    release: Release,
    timers: str | None,
) -> Iterator[str]:
    yield from assumed_of_domains(machines, accounts[0].cpus, release)
    if any(account.domains for account in accounts):
        yield from assumed_of_timers(timers)
    for account in accounts:
        if account.left:
            words = plural(account.left, "idle period")
            yield f"time goes back: {words} of the last state left out of power domains"


def _no_events(source: Input, reader: TraceText, problems: InputProblems) -> Exception:
    """Returns the error for a trace without any idle event."""
    for problem in problems.listing():
        if problem.kind in ("unreadable-line", "truncated-file", "long-line", "truncated-line"):
            first = problem.examples[0]
            message = f"expected events of cpu_idle, found none; {first.message}"
            return unreadable(source.name, message, first.line)
    return unreadable(
        source.name,
        f"expected events of cpu_idle, found none in {reader.lines} lines; "
        "expected text of ftrace, trace-cmd report or perf script",
    )


def _assumptions(
    coarse: bool,
    certain: bool,
    misses: bool,
    release: Release,
    settings: Settings | None,
    limited: bool,
    calibration: Calibration | None,
    others: int,
) -> tuple[str, ...]:
    """Returns the assumptions of an estimate, as sentences. limited: tables name a latency limit
    that they are under; others: number of machines besides the traced one."""
    said = ["an idle period lasts from the event of its entry to that of its exit"]
    if coarse:
        said.append("the trace has whole microseconds: each period may be 1 us off")
    if not misses:
        why = (
            "the trace has no cpu_idle_miss"
            if certain
            else "no sysfs dump of the traced machine was given (--sysfs)"
        )
        said.append(f"{why}: entries that the driver refused, if any, count as idle periods")
    if release.version < (5, 1):
        said.append(
            f"Linux {release.name} does not count above and below; counted as by 5.1 to 5.4"
        )
    if settings is None:
        said.append("the states are those entered; no governor was asked (--governor)")
        return tuple(said)
    if calibration is not None:
        return (*said, *assumed_of_calibration(calibration, settings))
    if settings.calibrates:
        said.append(not_calibrated(others, certain=certain))
    timer = (
        "every period ends with the next timer, which the governor knows (--next-timer gap)"
        if settings.next_timer != "far"
        else "no timer is near, every period ends by something else (--next-timer far)"
    )
    said += [
        "an idle period lasts as long as traced, whatever is selected",
        timer,
        f"the tick runs when a CPU goes idle, on whole multiples of 1/{settings.hz} s; kept, it "
        "wakes the CPU, which selects again",
        f"no latency limit{' but the one named' if limited else ''}, no task waiting for I/O, no "
        "load, no utilisation",
        "polling ends at its time limit, too, and the CPU selects again",
        f"selecting again takes {TURN_NS} ns",
    ]
    return tuple(said)


def _limited(machines: Sequence[TracedMachine]) -> bool:
    return any(table.limit_us < NO_LIMIT_US for each in machines for table in each.tables)


def _dumped(states: Sequence[SysfsState]) -> Figures:
    latency2count: dict[int, int] = {}
    for state in states:
        if state.usage:
            exit_ns = state.latency_us * 1000
            latency2count[exit_ns] = latency2count.get(exit_ns, 0) + state.usage
    return Figures(
        tuple(
            StateFigures(
                number,
                state.name,
                state.usage or 0,
                state.time_us or 0,
                state.above or 0,
                state.below or 0,
                state.rejected or 0,
            )
            for number, state in enumerate(states)
        ),
        tuple(sorted(latency2count.items())),
    )


def _bracket(
    observed: Account, counted: Mapping[int, Sequence[SysfsState]], problems: InputProblems
) -> tuple[Bracketed, ...]:
    """Compares counters of the trace with the kernel's, which covered a longer time and must not be
    less."""
    found = []
    for cpu, states in sorted(counted.items()):
        ours = observed.cpus.get(cpu)
        for number, state in enumerate(states):
            row = None
            if ours is not None and number < len(ours.states):
                row = ours.states[number]
            for counter in COMPARED:
                theirs = getattr(state, counter)
                if theirs is None:
                    continue
                mine = 0 if row is None else getattr(row, counter)
                found.append(Bracketed(cpu, number, state.name, counter, mine, theirs))
                if mine > theirs:
                    message = (
                        f"CPU {cpu}, {state.name}: {counter} is {mine} by the trace, "
                        f"{theirs} by the dumps"
                    )
                    problems.add("counter-exceeds-dumps", message)
    return tuple(found)
