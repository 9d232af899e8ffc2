"""The result of replay: what was read and assumed, figures in total and CPU by CPU, problems."""

from collections.abc import Iterator, Sequence
from functools import partial

from ...base.model.findings import Severity
from ...base.report.sheet import (
    Lines,
    Marked,
    Picture,
    Rows,
    Section,
    Sheet,
    Worded,
    as_is,
    bullets,
)
from ...base.wording import percent, plural
from ...tables.linux.genpd import said as domains_said
from ...tables.linux.grounds import LOOP, remarks
from ...tables.linux.releases import Release
from ...tables.power.energy import PowerModel, Spent
from . import agreement_said, drawn, energy_said, fits, rivals
from .answer import Replayed
from .beginning import time_line
from .consumption import of_accounts, spent
from .counters import PERCENTILES, Figures, percentile_name
from .drawn import Totals
from .dumps import COMPARED
from .energy_said import AS_HELD, PAID, Priced
from .headlines import Measure, compared
from .replay import Settings
from .results import Account, Read, ReplayResult

_HEAD = ("State", "Usage", "Time", "Share", "Too deep", "Too shallow", "Refused")
_CPUS = 32
"""Up to this many CPUs get a bar each."""


def sheet(found: Replayed, *, per_cpu: bool = False, page: bool = False) -> Sheet:
    """Returns the whole output of `replay`. per_cpu: each CPU's figures too, not those of all
    together alone; page: what pages alone have, too."""
    result, power, release = found.result, found.power, found.release
    totals = [(account.machine, account.total) for account in result.accounts]
    sections = []
    if result.agreement is not None:
        held = agreement_said.section(result.agreement, result.calibration, per_cpu=per_cpu)
        sections.append(held)
    if page and result.beginning is not None:
        sections.append(Section("Time line", (*time_line(result.beginning),)))
    some = rivals.rivals(result, power)
    if some:
        sections.append(rivals.section(some, power))
    sections.append(_rests(result, release if found.told else None, found.asked))
    sections += _pictures(result, totals)
    span_ns = result.read.span_ns
    whole_us = None if span_ns is None else span_ns // 1000
    for account in result.accounts:
        sections += [*_account(account, per_cpu), *agreement_said.bounds(account)]
        for domain in account.domains:
            sections.append(domains_said.section(domain, domains_said.rows(domain, whole_us)))
    if len(result.accounts) > 1:
        sections.append(_comparison(totals))
    sections += [*_energies(result, totals, power), *_beside(result)]
    names = ", ".join(each.governor for each in found.asked)
    states = f"{names}, HZ {found.asked[0].hz}" if found.asked else "states as entered"
    linux = f"Linux {release.name}" if found.told else "a kernel that the dump does not name"
    about = Lines(
        (
            f"{found.name}: {reading(result.read)}",
            (Marked("strong", result.exactness.upper()), f": {linux}, {states}"),
        )
    )
    return Sheet(
        title=f"{found.name}: {states}, {linux}",
        headline=_headline(totals, power),
        about=Section("What this is", (about,)),
        sections=tuple(sections),
    )


def _headline(totals: Totals, power: PowerModel | None) -> tuple[str, ...]:
    """Returns the differences between the tables, or one table's figures."""
    paid = tuple(microseconds(figures.wake_latency_ns(99.0)) for _, figures in totals)
    measures = [Measure(f"p99 {PAID}", paid), *fits.measures(drawn.misfits(totals))]
    if power is not None:
        unit = energy_said.unit_of(power)
        costs = tuple(energy_said.total(spent(figures, power), unit) for _, figures in totals)
        measures.insert(0, Measure("energy", costs))
    measures.append(Measure("most idle time in", tuple(_most(figures) for _, figures in totals)))
    return compared([label for label, _ in totals], measures)


def _most(figures: Figures) -> str:
    most = max(figures.states, key=lambda state: state.time_us, default=None)
    if most is None:
        return "-"
    return f"{most.name} ({percent(most.time_us, figures.time_us)})"


def _rests(result: ReplayResult, release: Release | None, asked: Sequence[Settings]) -> Section:
    """Returns the section on the assumptions of the figures."""
    suspected = [result.suspicion.words] if result.suspicion else []
    governors = dict.fromkeys(each.governor for each in asked) or (LOOP,)
    known = remarks([release] if release else [], *governors)
    said = bullets([*result.assumptions, *suspected, *known])
    return Section(Worded("", "Assumptions"), (said,))


def _pictures(result: ReplayResult, totals: Totals) -> Iterator[Section]:
    """The pages' pictures, with columns of the tables of states."""

    def beside(columns: Sequence[int], caption: str) -> Rows:
        rows = (
            (*(row[column] for column in columns), label)
            for label, figures in totals
            for row in _states(figures)
        )
        head = (*(_HEAD[column] for column in columns), "Table")
        return Rows(head, tuple(rows), caption, frozenset(range(1, len(columns))), unbroken=True)

    fitting = beside((0, 1, 4, 5), "Too deep and too shallow by state")
    yield Section(
        "How selections fit", (Picture(partial(fits.drawing, drawn.misfits(totals)), fitting),)
    )
    paid = Rows(
        (PAID.capitalize(), *(as_is(label) for label, _ in totals)),
        tuple((name, *times) for name, times in _latencies(totals)),
        f"Percentiles of the {AS_HELD}",
    )
    yield Section("What waking cost", (Picture(partial(drawn.latencies, totals), paid),))
    times = beside((0, 1, 2, 3, 6), "Usage and time by state")
    by_cpu = [drawn.by_cpu(each) for each in result.accounts if 1 < len(each.cpus) <= _CPUS]
    yield Section("Where idle time went", (drawn.residencies(totals, times), *by_cpu))


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
        said = (
            f"the model makes {plural(account.decisions, 'decision')} and selects the state really "
            f"entered in {account.agreed} of {account.compared} periods "
            f"({percent(account.agreed, account.compared)})"
        )
        yield Section("", (Lines((said,)),))


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
    said = [f"wake latency (exit latency paid): {', '.join(words)}"] if figures.usage else []
    table = Rows(_HEAD, (*_states(figures), total))
    return Section(title, (table, Lines(tuple(said), first="  ")))


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
    return Section("Compared", (Rows(head, tuple(rows)),))


def _energies(result: ReplayResult, totals: Totals, power: PowerModel | None) -> Iterator[Section]:
    if power is None:
        if len(totals) > 1:
            yield energy_said.NO_FIGURES
        return

    def priced(costs: Sequence[Spent]) -> list[Priced]:
        found = []
        for (label, figures), cost in zip(totals, costs, strict=True):
            latency_ns = figures.wake_latency_ns(99.0)
            found.append(Priced(label, cost, latency_ns, microseconds(latency_ns)))
        return found

    costs = priced([spent(figures, power) for _, figures in totals])
    yield energy_said.idle_section(costs, power, energy_said.REPLAYED)
    machine = of_accounts(result.accounts, result.read.span_ns, power)
    if machine is None:
        yield energy_said.NOT_RUN
    else:
        costs = priced(machine.spents)
        yield energy_said.machine_section(costs, machine, "", energy_said.REPLAYED)


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
        yield Section(Worded("", "Beside this"), (lines,))


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
    title = "By the trace, and what the dumps around it count more"
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
