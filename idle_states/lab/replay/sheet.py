"""The result of replay: what was read and assumed, figures in total and CPU by CPU, problems."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...base.model.findings import Severity
from ...base.report.sheet import (
    Line,
    Lines,
    Marked,
    Rows,
    Section,
    Sheet,
    Worded,
    as_is,
    bullets,
)
from ...base.wording import percent, plural
from ...tables.linux.grounds import LOOP, remarks
from ...tables.linux.releases import Release
from . import agreement_sheet, fits
from .answer import Replayed
from .counters import PAID, PERCENTILES, Figures, percentile_name
from .dumps import COMPARED
from .fits import Totals
from .headlines import Measure, compared
from .replay import Settings
from .results import Account, Read, ReplayResult

if TYPE_CHECKING:
    from ...tables.power.energy import PowerModel

_HEAD = ("State", "Usage", "Time", "Share", "Too deep", "Too shallow", "Refused")


def sheet(found: Replayed, *, per_cpu: bool = False, page: bool = False) -> Sheet:
    """Returns the whole output of `replay`. per_cpu: each CPU's figures too, not those of all
    together alone; page: what pages alone have, too."""
    result, power, release = found.result, found.power, found.release
    totals = [(account.machine, account.total) for account in result.accounts]
    sections = [*_pictures(result, totals)] if page else []
    held = list[Line]()
    if result.agreement is not None:
        held.append(agreement_sheet.verdict(result.agreement, result.exactness))
        sections.append(
            agreement_sheet.section(
                result.agreement, result.calibration, result.exactness, per_cpu=per_cpu
            )
        )
    if result.oracles:
        from . import rivals

        sections.append(rivals.section(rivals.rivals(result, power), power))
    sections.append(_rests(result, release if found.is_named else None, found.every))
    span_ns = result.read.span_ns
    whole_us = None if span_ns is None else span_ns // 1000
    for account in result.accounts:
        sections += [*_account(account, per_cpu), *agreement_sheet.bounds(account)]
        if account.domains:
            from ...tables.linux.genpd.sheet import rows, section

            sections += [section(each, rows(each, whole_us)) for each in account.domains]
    if len(result.accounts) > 1:
        sections.append(_comparison(totals))
    if power is not None or len(totals) > 1:
        from . import energy_sheet

        sections += energy_sheet.sections(result, totals, power)
    sections += _beside(result)
    names = ", ".join(each.governor for each in found.every)
    states = f"{names}, HZ {found.every[0].hz}" if found.every else "states as entered"
    linux = f"Linux {release.name}" if found.is_named else "an unnamed kernel"
    about = Lines(
        (
            f"{found.name}: {reading(result.read)}",
            (Marked("strong", result.exactness.upper()), f": {linux}, {states}"),
        )
    )
    return Sheet(
        title=f"{found.name}: {states}, {linux}",
        headline=(*_headline(totals, power), *held),
        about=Section("Input", (about,)),
        sections=tuple(sections),
    )


def _headline(totals: Totals, power: "PowerModel | None") -> tuple[str, ...]:
    """Returns the differences between the tables, or one table's figures."""
    paid = tuple(microseconds(figures.wake_latency_ns(99.0)) for _, figures in totals)
    measures = [Measure(f"p99 {PAID}", paid), *fits.measures(fits.misfits(totals))]
    if power is not None:
        from .energy_sheet import costs

        measures.insert(0, Measure("energy", costs(totals, power)))
    measures.append(Measure("most idle time in", tuple(_most(figures) for _, figures in totals)))
    return compared([label for label, _ in totals], measures)


def _most(figures: Figures) -> str:
    most = max(figures.states, key=lambda state: state.time_us, default=None)
    if most is None:
        return "-"
    return f"{most.name} ({percent(most.time_us, figures.time_us)})"


def _rests(result: ReplayResult, release: Release | None, settings: Sequence[Settings]) -> Section:
    """Returns the section on the assumptions of the figures."""
    suspected = [result.suspicion.words] if result.suspicion else []
    governors = dict.fromkeys(each.governor for each in settings) or (LOOP,)
    known = remarks([release] if release else [], *governors)
    assumptions = bullets([*result.assumptions, *suspected, *known])
    return Section(Worded("", "Assumptions"), (assumptions,))


def _pictures(result: ReplayResult, totals: Totals) -> Iterator[Section]:
    """The pages' pictures, the recording beside the models first."""
    from . import drawn  # only pages have it

    shown = [(account.machine, account) for account in result.accounts]
    if any(account.governor for account in result.accounts):
        shown.insert(0, ("as recorded", result.observed))
    yield Section("Where idle time went", (*drawn.residencies(shown),))
    if result.beginning is not None:
        yield Section("Time line", (*drawn.time_line(result.beginning),))
    yield fits.section(fits.misfits(totals))
    if any(figures.usage for _, figures in totals):
        yield Section("Wake-up latency", (drawn.latencies(totals),))


def reading(read: Read) -> str:
    """Returns in words what was read: its kind, and how many lines, events, idle periods and
    seconds."""
    words = [read.kind]
    if read.lines:
        words.append(plural(read.lines, "line"))
    if read.events:
        words.append(plural(read.events, "event" if read.lines else "decision"))
    words.append(plural(read.periods, "idle period"))
    if read.span_ns is not None:
        words.append(f"{read.span_ns / 1e9:.6f} s")
    return ", ".join(words)


def _account(account: Account, per_cpu: bool) -> Iterator[Section]:
    one = len(account.cpus) == 1
    if not one:
        yield _figures(f"{account.machine}: all CPUs", account.total)
    if per_cpu or one:
        for cpu, figures in account.cpus.items():
            title = f"{account.machine}: CPU {cpu}" if one else f"CPU {cpu}"
            yield _figures(title, figures)
    elif account.cpus:
        cpus = f"{plural(len(account.cpus), 'CPU')} (--per-cpu shows each)"
        yield Section("", (Lines((cpus,)),))
    if account.compared:
        sentence = (
            f"the model makes {plural(account.decisions, 'decision')} and selects the recorded "
            f"state in {account.agreed} of {account.compared} periods "
            f"({percent(account.agreed, account.compared)})"
        )
        yield Section("", (Lines((sentence,)),))


def _figures(title: str, figures: Figures) -> Section:
    total = (
        "total",
        str(figures.usage),
        f"{figures.time_us} us",
        "",
        counted(figures.above, figures.usage),
        counted(figures.below, figures.usage),
        str(sum(state.rejected for state in figures.states)),
    )
    words = [f"{name} {time}" for name, (time,) in _latencies([("", figures)])]
    lines = [f"wake latency (exit latency paid): {', '.join(words)}"] if figures.usage else []
    table = Rows(_HEAD, (*_states(figures), total))
    return Section(title, (table, Lines(tuple(lines), first="  ")), folded=True)


def _states(figures: Figures) -> list[tuple[str, ...]]:
    """Cells of _HEAD for each state."""
    return [
        (
            state.name,
            str(state.usage),
            f"{state.time_us} us",
            percent(state.time_us, figures.time_us),
            counted(state.above, state.usage),
            counted(state.below, state.usage),
            str(state.rejected),
        )
        for state in figures.states
    ]


def _latencies(totals: Totals) -> list[tuple[str, tuple[str, ...]]]:
    """(percentile, the exit latency paid with each table)."""
    return [
        (
            percentile_name(percentile),
            tuple(microseconds(figures.wake_latency_ns(percentile)) for _, figures in totals),
        )
        for percentile in PERCENTILES
    ]


def _comparison(totals: Totals) -> Section:
    """The figures of all CPUs, with a column for each table."""
    some = [figures for _, figures in totals]
    rows: list[tuple[str | Worded, ...]] = [
        ("idle periods", *(str(figures.usage) for figures in some)),
        ("too deep", *(counted(figures.above, figures.usage) for figures in some)),
        ("too shallow", *(counted(figures.below, figures.usage) for figures in some)),
    ]
    for name, times in _latencies(totals):
        rows.append((Worded(f"wake latency {name}", f"{PAID}, {name}"), *times))
    head = ("All CPUs", *(as_is(label) for label, _ in totals))
    return Section("Compared", (Rows(head, tuple(rows)),), folded=True)


def _beside(result: ReplayResult) -> Iterator[Section]:
    if result.misses is not None:
        total = result.observed.total
        words = [
            f"{kind} {count} by cpu_idle_miss, {getattr(total, kind)} recomputed"
            for kind, count in result.misses.items()
        ]
        yield Section("", (Lines(("; ".join(words),)),))
    if result.bracketed:
        yield _bracketed(result)
    if result.problems:
        lines = Lines(tuple(_problems(result)))
        yield Section(Worded("", "Other figures"), (lines,))


def _bracketed(result: ReplayResult) -> Section:
    """The sums over CPUs of the trace's counters and of the dumps' counters, with the surplus of
    the dumps."""
    sums: dict[tuple[int, str], dict[str, list[int]]] = {}
    for row in result.bracketed:
        both = sums.setdefault((row.state, row.name), {}).setdefault(row.counter, [0, 0])
        both[0] += row.trace
        both[1] += row.dumps
    rows = []
    for (_, name), counters in sorted(sums.items()):
        cells = []
        for counter in COMPARED:
            trace, dumps = counters.get(counter, (0, 0))
            cells.append(f"{trace} + {dumps - trace}" if counter in counters else "-")
        rows.append((name, *cells))
    head = ("State", *(counter.capitalize() for counter in COMPARED))
    title = "Counted in the trace, and additionally between the dumps around it"
    return Section(title, (Rows(head, tuple(rows)),))


def _problems(result: ReplayResult) -> Iterator[str | tuple[str | Marked, ...]]:
    for problem in result.problems:
        severity = str(problem.severity)
        yield Marked(severity, severity), f": {problem.count} {problem.meaning}"
        # every idle CPU of a machine may have a note: the first says enough
        first_only = problem.severity is Severity.NOTE
        for example in problem.examples[:1] if first_only else problem.examples:
            if example.message:
                place = "" if example.line is None else f"line {example.line}: "
                yield f"  {place}{example.message}"


def counted(part: int, whole: int) -> str:
    """Returns a number with its share of the whole: "12 (3.4 %)"."""
    return f"{part} ({percent(part, whole)})" if part else "0"


def microseconds(ns: int | None) -> str:
    if ns is None:
        return "-"
    return f"{ns // 1000} us" if ns % 1000 == 0 else f"{ns / 1000:g} us"
