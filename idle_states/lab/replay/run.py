"""One replay, from its inputs to counters: reads the input, judges it, and models governors."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.beyond_opal import SysfsState
from ...base.model.findings import next_step, unreadable
from ...base.reading.inputs import Input, InputKind
from ...base.reading.problems import InputProblems, Notes
from ...base.wording import plural
from ...tables.linux.governors import core
from ...tables.linux.qos import NO_LIMIT_US
from ...tables.linux.releases import Release
from ..traces import any_trace, recording
from ..traces.chunks import chunks
from ..traces.periods import Pairing, Period, joined
from ..traces.text import Batch, TraceText
from .accounts import Accounts, ByEntered, ByGovernor, agreement_of, judged, modelled
from .beginning import Beginning
from .calibrated import assumed_of_calibration, not_calibrated
from .core_models import CoreModel, knows, replay
from .counters import counts_in_ns
from .domains import DomainReplay, assumed_of_domains, assumed_of_timers, domains_of
from .dumps import bracket
from .machine import TracedMachine
from .observed import Observed
from .oracle import Oracles
from .replay import TURN_NS, Case, ReplayModel, Settings, each_case
from .results import ESTIMATED, EXACT, Account, Read, ReplayResult

if TYPE_CHECKING:
    from ...tables.power.energy import PowerModel
    from .timeline import TimeLine

_TOGETHER = 1 << 16
"""Periods judged at a time."""


@next_step(any_trace.TRACE)
def from_trace(
    source: Input,
    traced: TracedMachine,
    machines: Sequence[TracedMachine],
    release: Release,
    settings: Sequence[Settings],
    by: Settings | None,
    counted: Mapping[int, Sequence[SysfsState]],
    power: "PowerModel | None" = None,
    line: "TimeLine | None" = None,
    *,
    certain: bool,
) -> ReplayResult:
    """Replays a trace of cpu_idle.

    traced    machine on which the trace was taken; its table judges the states really entered
    certain   whether it is known to be that machine; if not, cpu_idle_miss is ignored
    machines  machines to replay, with each of settings; without settings, `traced` and they are
              judged by the states really entered
    by        what decided in the trace; None without settings
    counted   CPU -> the kernel's counts around the trace, if known
    power     what states draw, for the oracle that several governors are compared with
    line      takes every idle period, as traced and as modelled
    Raises Unreadable.
    """
    problems = InputProblems()
    reader = TraceText(problems)
    beyond = "state-beyond-table" if certain else "other-state"
    pairing = Pairing(problems, _counts(traced), beyond)
    judge = Observed(traced, counts_in_ns(release), problems)
    beginning = Beginning(traced, line)
    if line is not None:
        judging = () if settings else (each for each in machines if not each.like(traced))
        line.start((traced, *judging), release)
    cases = each_case(machines, settings)
    others: ByGovernor | ByEntered = (
        ByEntered(traced, machines, release, problems)
        if by is None
        else ByGovernor(traced, cases, by, problems, beginning, certain=certain)
    )
    oracles = Oracles(traced, machines, release, power) if len(settings) > 1 else None
    seen = 0
    for periods, misses in _periods(any_trace.batches(source, reader), pairing):
        idle = judge.sift(periods, certain and misses)
        beginning.enter(idle)
        others.add(idle)
        if oracles is not None:
            oracles.add(idle)
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
    if not found.calibration:
        beginning.cases = cases
    return ReplayResult(
        ESTIMATED,
        (
            *of_estimate(reader.coarse, certain, misses, release, settings, machines, found),
            *of_domains(
                machines, found.accounts, release, settings[0].next_timer if settings else None
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
        judge.misses if misses else None,
        bracketed,
        agreement=found.agreement,
        calibration=found.calibration,
        oracles=oracles.finish() if oracles else (),
        beginning=beginning,
    )


def from_recording(
    source: Input,
    traced: TracedMachine,
    machines: Sequence[TracedMachine],
    release: Release,
    settings: Sequence[Settings],
    by: Settings | None = None,
    power: "PowerModel | None" = None,
    line: "TimeLine | None" = None,
) -> ReplayResult:
    """Replays an exact recording; parameters as in from_trace(). Raises Unreadable."""
    problems = InputProblems()
    by = by or (settings[0] if settings else None)
    beyond = "state-beyond-table" if by is None else "other-state"
    judge = Observed(traced, counts_in_ns(release), problems, beyond=beyond)
    own = replace(traced, domains=machines[0].domains)
    domains = None if settings else domains_of(own, release)
    cases = each_case(machines, settings)
    every, at = _with(traced, cases, by) if by else ((), 0)
    oracles = Oracles(traced, machines, release, power) if len(settings) > 1 else None
    models: Sequence[ReplayModel | CoreModel]
    # the core does not list idle periods
    by_core = line is None and core.available()
    if by_core and all(knows((own,), each, estimated=False) for own, each in every):
        models = compiled = [CoreModel(*each, problems) for each in every]
        count, refused = _decided_by_core(source, compiled, judge, domains, problems, oracles)
    else:
        models = references = [ReplayModel(*each, problems) for each in every]
        if line is not None:
            line.start([traced], release)
            for model, each in zip(references, cases, strict=False):
                model.note = line.model(*each)
        count, refused = _decided(source, references, judge, domains, oracles, line)
    if not count:
        raise unreadable(source.name, "expected decisions, found none")
    observed = judged(own, judge.finish(False), domains)
    agreement = None
    accounts: tuple[Account, ...] = (observed,)
    if by is not None:
        made = zip(models, every, strict=True)
        accounts = tuple(modelled(model, each) for model, (_, each) in made)
        agreement = agreement_of(accounts[at], observed, by, {})
        accounts = accounts[: len(cases)]
    guessed = tuple(
        dict.fromkeys(
            words
            for each in settings
            for words in recording.guessed(source, each.governor, each.release)
        )
    )
    assumptions = [*(guessed or [recording.COMPLETE])]
    if by is not None:
        assumptions += [
            "an idle period lasts as long as recorded, for any selected state; so it is exact for "
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
        oracles=oracles.finish() if oracles else (),
        beginning=Beginning(traced, None, cases, source),
    )


def _decided_by_core(
    source: Input,
    models: Sequence[CoreModel],
    judge: Observed,
    domains: DomainReplay | None,
    problems: InputProblems,
    oracles: Oracles | None,
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
            if oracles is not None:
                oracles.add_packed(part)
        replay(models, parts, notes)
        notes.report(problems)
    return count, refused


def _decided(
    source: Input,
    models: Sequence[ReplayModel],
    judge: Observed,
    domains: DomainReplay | None,
    oracles: Oracles | None,
    line: "TimeLine | None",
) -> tuple[int, int]:
    """Does the work of _decided_by_core(), with models of the reference."""
    count = refused = 0
    for row in recording.rows(source):
        count += 1
        refused += row.outcome.rejected
        judge.add(row)
        if line is not None:
            line.record(row)
        if domains is not None:
            domains.record(row, row.state, row.stop_tick)
        if oracles is not None:
            oracles.add_row(row)
        for model in models:
            model.decide(row)
    return count, refused


def _with(traced: TracedMachine, cases: Sequence[Case], by: Settings) -> tuple[Sequence[Case], int]:
    """Returns what to replay: what is asked for, and the traced machine with its own governor, to
    which the model is held; and the place of that one."""
    for at, (machine, settings) in enumerate(cases):
        if settings == by and machine.like(traced):
            return cases, at
    return (*cases, (traced, by)), len(cases)


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


def of_estimate(
    coarse: bool,
    certain: bool,
    misses: bool,
    release: Release,
    all_settings: Sequence[Settings],
    machines: Sequence[TracedMachine],
    found: Accounts,
) -> tuple[str, ...]:
    """Returns the assumptions of replaying a trace of cpu_idle.

    coarse   the trace's times are whole microseconds
    certain  its machine is known
    misses   it has cpu_idle_miss
    """
    notes = ["an idle period lasts from the event of its entry to that of its exit"]
    if coarse:
        notes.append("the trace has whole microseconds: each period may be 1 us off")
    if not misses:
        why = (
            "the trace has no cpu_idle_miss"
            if certain
            else "no sysfs dump of the traced machine was given (--sysfs)"
        )
        notes.append(f"{why}: entries that the driver refused, if any, count as idle periods")
    if release.version < (5, 1):
        notes.append(
            f"Linux {release.name} does not count above and below; counted as by 5.1 to 5.4"
        )
    if not all_settings:
        notes.append("the states are those entered; no governor was asked (--governor)")
        return tuple(notes)
    settings = all_settings[0]
    if found.calibration is not None:
        return (*notes, *assumed_of_calibration(found.calibration, settings))
    if all(each.calibrates for each in all_settings):
        notes.append(not_calibrated(found.others, certain=certain))
    limited = any(table.limit_us < NO_LIMIT_US for each in machines for table in each.tables)
    timer = (
        "every period ends with the next timer, which the governor knows (--next-timer gap)"
        if settings.next_timer != "far"
        else "no timer is near, every period ends by something else (--next-timer far)"
    )
    notes += [
        "an idle period lasts as long as traced, for any selected state",
        timer,
        f"the tick runs when a CPU goes idle, on whole multiples of 1/{settings.hz} s; kept, it "
        "wakes the CPU, which selects again",
        f"no latency limit{(' except the named one' if limited else '')}, no task waiting for "
        "I/O, no load, no utilisation",
        "polling ends at its time limit, too, and the CPU selects again",
        f"selecting again takes {TURN_NS} ns",
    ]
    return tuple(notes)


def of_domains(
    machines: Sequence[TracedMachine],
    accounts: Sequence[Account],
    release: Release,
    timers: str | None,
) -> Iterator[str]:
    """Yields what a replay assumes of power domains, in sentences. timers: as in
    assumed_of_timers()."""
    yield from assumed_of_domains(machines, accounts[0].cpus, release)
    if any(account.domains for account in accounts):
        yield from assumed_of_timers(timers)
    for account in accounts:
        if account.left:
            words = plural(account.left, "idle period")
            yield f"time goes back: {words} of the last state are left out of power domains"
