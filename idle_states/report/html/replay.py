"""replay: residency bars, how selections fit, wake-latency distributions, energy."""

from collections.abc import Iterable, Iterator, Sequence

from ...linux.releases import Release
from ...replay.agreement import Agreement
from ...replay.calibrated import Calibration
from ...replay.consumption import of_accounts
from ...replay.counters import PERCENTILES, Figures, percentile_name
from ...replay.energy import PowerModel, Spent, spent
from ...replay.replay import Settings
from ...replay.results import Account, ReplayResult
from ...wording import percent
from .. import agreement_output, energy_output
from ..replay_text import counted, microseconds, reading
from . import domain_counters, energies, fits, pictures, svg
from .energies import Priced
from .fits import Misfits
from .headlines import Measure, compared
from .page import Lines, PageTable, Part, Picture, Section
from .pictures import BandRow
from .shares import Share, bar, distribution, legend

_CPUS = 32
"""Up to this many CPUs get a bar each."""


def title(name: str, release: Release, settings: Settings | None) -> str:
    states = "states as entered" if settings is None else f"{settings.governor}, HZ {settings.hz}"
    return f"{name}: {states}, Linux {release.name}"


def headline(result: ReplayResult, power: PowerModel | None = None) -> tuple[str, ...]:
    """What differs between the tables, or one table's figures."""
    totals = [(account.machine, account.total) for account in result.accounts]
    paid = tuple(microseconds(figures.wake_latency_ns(99.0)) for _, figures in totals)
    measures = [Measure(f"p99 {energies.PAID}", paid), *fits.measures(_misfits(totals))]
    if power is not None:
        unit = energy_output.unit_of(power)
        costs = tuple(energies.written(spent(figures, power), unit) for _, figures in totals)
        measures.insert(0, Measure("energy", costs))
    measures.append(Measure("most idle time in", tuple(_most(figures) for _, figures in totals)))
    return compared([label for label, _ in totals], measures)


def _most(figures: Figures) -> str:
    most = max(figures.states, key=lambda state: state.time_us, default=None)
    if most is None:
        return "-"
    return f"{most.name} ({percent(most.time_us, figures.time_us)})"


def sections(
    result: ReplayResult, power: PowerModel | None = None, known: Sequence[str] = ()
) -> list[Section]:
    """power: what is known of the states' power; known: how well the kernel is."""
    suspected = [result.suspicion.words] if result.suspicion else []
    said = [*result.assumptions, *suspected, *known]
    rests = f"{result.exactness}, resting on this:" if said else result.exactness
    about = (reading(result.read), rests, *(f"- {words}" for words in said))
    totals = [(account.machine, account.total) for account in result.accounts]
    found = [] if result.agreement is None else [_held(result.agreement, result.calibration)]
    found += [
        Section("What the trace leaves open", (_bounds(account),))
        for account in result.accounts
        if any(each.least < each.most for each in account.bounds)
    ]
    found += [
        Section("How selections fit", (fitting(totals),)),
        Section("What waking cost", (latencies(totals),)),
    ]
    if power is not None:
        found.append(_energies(totals, [spent(one, power) for _, one in totals], power))
        machine = of_accounts(result.accounts, result.read.span_ns, power)
        if machine is not None:
            found.append(_energies(totals, machine.spents, machine.model, machine=True))
    found.append(Section("Where idle time went", (residencies(totals), *_by_cpu(result.accounts))))
    of_domains = [(each.machine, each.domains) for each in result.accounts if each.domains]
    if of_domains:
        span_ns = result.read.span_ns
        whole_us = None if span_ns is None else span_ns // 1000
        found.append(domain_counters.section(of_domains, whole_us))
    beside = list(_agreements(result.accounts))
    beside += [f"{p.severity}: {p.count} {p.meaning}" for p in result.problems]
    if beside:
        found.append(Section("Beside this", (Lines(tuple(beside)),)))
    return [*found, Section("What this is", (Lines(about),))]


def _bounds(account: Account) -> PageTable:
    head, rows = agreement_output.BOUNDS_HEAD, agreement_output.bounds_rows(account.bounds)
    return PageTable(f"{account.machine}: least and most", head, rows, frozenset(range(1, 5)))


def _held(agreement: Agreement, calibration: Calibration | None) -> Section:
    """How true the model is: what it makes of the traced machine, beside what was traced."""
    head, rows = agreement_output.head_and_rows(agreement)
    numbers = frozenset(range(1, len(head)))
    table = PageTable(f"{agreement.machine}: traced and modelled", head, rows, numbers)
    words = [agreement.verdict]
    if calibration is not None and calibration.unexplained:
        words.append(agreement_output.unexplained(calibration))
    return Section(agreement_output.TITLE, (Lines(tuple(words)), table))


Named = Sequence[tuple[str, Figures]]
"""(name of a table, its figures)."""


def residencies(some: Named) -> Picture:
    """A bar of shares of the idle time for each table."""
    rows = [_bar(label, figures) for label, figures in some]
    drawing = pictures.bands(
        "Share of idle time by state",
        "For each table a bar of the whole idle time, divided by states, which are numbered.",
        rows,
        svg.shares("share of idle time"),
    )
    lines = tuple(
        (
            state.name,
            str(state.usage),
            f"{state.time_us} us",
            percent(state.time_us, figures.time_us),
            str(state.rejected),
            label,
        )
        for label, figures in some
        for state in figures.states
    )
    head = ("state", "usage", "time", "share", "refused", "table")
    table = PageTable(
        "Usage and time by state", head, lines, frozenset({1, 2, 3, 4}), unbroken=True
    )
    return Picture(drawing, table, legend((label, _states(figures)) for label, figures in some))


def _states(figures: Figures) -> list[tuple[int, str]]:
    return [(state.number, state.name) for state in figures.states]


def _by_cpu(accounts: Sequence[Account]) -> Iterator[Part]:
    for account in accounts:
        if not 1 < len(account.cpus) <= _CPUS:
            continue
        states = _states(account.total)
        own = list(dict.fromkeys(name for _, name in states))
        drawing = pictures.bands(
            f"Share of idle time by state and CPU: {account.machine}",
            "For each CPU a bar of its idle time, divided by states, which are numbered.",
            [_bar(f"CPU {cpu}", figures) for cpu, figures in account.cpus.items()],
            svg.shares("share of idle time"),
        )
        rows = tuple(
            (
                f"CPU {cpu}",
                *(
                    percent(sum(s.time_us for s in figures.states if s.name == n), figures.time_us)
                    for n in own
                ),
            )
            for cpu, figures in account.cpus.items()
        )
        numbers = frozenset(range(1, len(own) + 1))
        table = PageTable(f"Share of idle time: {account.machine}", ("CPU", *own), rows, numbers)
        yield Picture(drawing, table, legend([(account.machine, states)]))


def _bar(label: str, figures: Figures) -> BandRow:
    whole = figures.time_us or 1
    parts = [
        Share(state.number, state.name, state.time_us / whole, f"{state.time_us} us")
        for state in figures.states
    ]
    return bar(label, parts)


def fitting(some: Named) -> Picture:
    """Idle periods that were too deep or too shallow, by table and state."""
    lines = tuple(
        (name, str(usage), counted(above, usage), counted(below, usage), label)
        for label, figures in some
        for name, usage, above, below in [
            *((s.name, s.usage, s.above, s.below) for s in figures.states),
            ("all", figures.usage, figures.above, figures.below),
        ]
    )
    head = ("state", "idle periods", fits.DEEP, fits.SHALLOW, "table")
    table = PageTable(
        "Too deep and too shallow by state", head, lines, frozenset({1, 2, 3}), unbroken=True
    )
    return fits.picture(_misfits(some), table)


def _misfits(some: Named) -> list[Misfits]:
    return [
        Misfits(
            label,
            figures.usage,
            tuple((s.number, s.name, s.above, s.below) for s in figures.states),
        )
        for label, figures in some
    ]


def latencies(some: Named) -> Picture:
    """The distribution of the exit latency that wake-ups paid, a curve for each table."""
    drawing, lines = distribution(
        "Share of wake-ups that paid at most so much",
        energies.AS_HELD,
        [(label, figures.wakeups) for label, figures in some],
    )
    rows = tuple(
        (
            percentile_name(percentile),
            *(microseconds(figures.wake_latency_ns(percentile)) for _, figures in some),
        )
        for percentile in PERCENTILES
    )
    head = (energies.PAID, *(label for label, _ in some))
    numbers = frozenset(range(1, len(head)))
    caption = f"Percentiles of the {energies.AS_HELD}"
    return Picture(drawing, PageTable(caption, head, rows, numbers), lines)


def _energies(
    some: Named, costs: Iterable[Spent], power: PowerModel, *, machine: bool = False
) -> Section:
    """Energies against exit latencies, the only latencies that a replay knows. machine: of whole
    machines, running CPUs included."""
    priced = []
    for (label, figures), cost in zip(some, costs, strict=True):
        latency_ns = figures.wake_latency_ns(99.0)
        priced.append(Priced(label, cost, latency_ns, microseconds(latency_ns)))
    return energies.section(priced, power, energies.PAID, energies.AS_HELD, machine=machine)


def _agreements(accounts: Sequence[Account]) -> Iterator[str]:
    for account in accounts:
        if account.compared:
            yield (
                f"{account.machine}: the model selects the state really entered in "
                f"{account.agreed} of {account.compared} periods "
                f"({percent(account.agreed, account.compared)})"
            )
