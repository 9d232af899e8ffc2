"""replay: residency bars, how selections fit, wake-latency distributions, energy."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...linux.releases import Release
from ...workload.counters import PERCENTILES, Figures, percentile_name
from ...workload.energy import WATTS, Model, Spent, spent
from ...workload.replay import Settings
from ...workload.run import Account, Result
from .. import energy_output
from ..replay_text import counted, microseconds, percent, reading
from . import pictures, svg
from .page import Lines, Part, Picture, Section, Table
from .pictures import Band, Point, Row
from .shares import Share, bar, distribution, legend

_CPUS = 32
"""Up to so many CPUs get a bar each."""
_NS = 1_000_000_000
_FITS = ("fits", "too deep", "too shallow")


def title(name: str, release: Release, settings: Settings | None) -> str:
    states = "states as entered" if settings is None else f"{settings.governor}, HZ {settings.hz}"
    return f"{name}: {states}, Linux {release.name}"


def sections(result: Result, power: Model | None = None) -> list[Section]:
    """power: what is known of the states' power."""
    rests = f"{result.exactness}, resting on this:" if result.assumptions else result.exactness
    about = (reading(result.read), rests, *(f"- {said}" for said in result.assumptions))
    totals = [(account.machine, account.total) for account in result.accounts]
    found = [
        Section("What this is", (Lines(about),)),
        Section(
            "Where idle time went", (residencies(totals), *_by_cpu(result.accounts, _names(totals)))
        ),
        Section("How selections fit", (fitting(totals),)),
        Section("What waking cost", (latencies(totals),)),
    ]
    if power is not None:
        found.append(energies(totals, power))
    said = list(_agreements(result.accounts))
    said += [f"{p.severity}: {p.count} {p.meaning}" for p in result.problems]
    if said:
        found.append(Section("Beside this", (Lines(tuple(said)),)))
    return found


Named = Sequence[tuple[str, Figures]]
"""Tables, and what they came to."""


def residencies(some: Named) -> Picture:
    """A bar of shares of the idle time for each table."""
    names = _names(some)
    rows = [_bar(label, figures, names) for label, figures in some]
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
    table = Table("Usage and time by state", head, lines, frozenset({1, 2, 3, 4}))
    return Picture(drawing, table, legend(names, names))


def _names(some: Named) -> list[str]:
    """All states; a state's place is its number on the whole page."""
    return list(dict.fromkeys(state.name for _, figures in some for state in figures.states))


def _by_cpu(accounts: Sequence[Account], names: Sequence[str]) -> Iterator[Part]:
    for account in accounts:
        if not 1 < len(account.cpus) <= _CPUS:
            continue
        own = [state.name for state in account.total.states]
        drawing = pictures.bands(
            f"Share of idle time by state and CPU: {account.machine}",
            "For each CPU a bar of its idle time, divided by states, which are numbered.",
            [_bar(f"CPU {cpu}", figures, names) for cpu, figures in account.cpus.items()],
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
        table = Table(f"Share of idle time: {account.machine}", ("CPU", *own), rows, numbers)
        yield Picture(drawing, table, legend(names, own))


def _bar(label: str, figures: Figures, names: Sequence[str]) -> Row:
    whole = figures.time_us or 1
    parts = [
        Share(state.name, state.time_us / whole, f"{state.time_us} us") for state in figures.states
    ]
    return bar(label, parts, names)


def fitting(some: Named) -> Picture:
    """A bar of idle periods for each table: those that fit, too deep and too shallow ones."""
    rows = []
    for label, figures in some:
        parts = (figures.usage - figures.above - figures.below, figures.above, figures.below)
        bands, first = [], 0
        for number, (what, count) in enumerate(zip(_FITS, parts, strict=True)):
            share = percent(count, figures.usage)
            if count > 0:
                ends = (first / figures.usage, (first + count) / figures.usage)
                tip = f"{what}: {count}, {share}"
                bands.append(Band(*ends, (number,), share, f"{what} {share}", tip))
            first += count
        rows.append(Row(label, tuple(bands)))
    drawing = pictures.bands(
        "Idle periods whose state fits their length",
        "For each table a bar of all idle periods: the state fitted, was too deep, or too shallow.",
        rows,
        svg.shares("share of idle periods"),
    )
    lines = tuple(
        (name, str(usage), counted(above, usage), counted(below, usage), label)
        for label, figures in some
        for name, usage, above, below in [
            *((s.name, s.usage, s.above, s.below) for s in figures.states),
            ("all", figures.usage, figures.above, figures.below),
        ]
    )
    head = ("state", "idle periods", "too deep", "too shallow", "table")
    table = Table("Too deep and too shallow by state", head, lines, frozenset({1, 2, 3}))
    samples = tuple((svg.swatch_band(number), what) for number, what in enumerate(_FITS))
    return Picture(drawing, table, samples)


def latencies(some: Named) -> Picture:
    """The distribution of the exit latency that wake-ups paid, a curve for each table."""
    drawing, lines = distribution(
        "Share of wake-ups that paid at most so much",
        "exit latency paid",
        [(label, figures.wakeups) for label, figures in some],
    )
    rows = tuple(
        (
            percentile_name(percentile),
            *(microseconds(figures.wake_latency_ns(percentile)) for _, figures in some),
        )
        for percentile in PERCENTILES
    )
    head = ("wake latency", *(label for label, _ in some))
    numbers = frozenset(range(1, len(head)))
    return Picture(drawing, Table("Wake latency by percentile", head, rows, numbers), lines)


def energies(some: Named, power: Model) -> Section:
    """Energy against p99 wake latency, a point for each table that has a total."""
    known: list[tuple[str, int, Spent]] = []
    said = list(power.assumptions)
    for label, figures in some:
        cost, latency_ns = spent(figures, power), figures.wake_latency_ns(99.0)
        if cost.missing:
            said.append(f"{label}: no figures for {', '.join(cost.missing)}: no total")
        if cost.total is not None and latency_ns is not None:
            known.append((label, latency_ns, cost))
    rests = Lines(("resting on this:", *(f"- {words}" for words in said)))
    parts = (_energy_picture(known, power), rests) if known else (rests,)
    return Section("Energy of the idle time", parts)


def _energy_picture(known: Sequence[tuple[str, int, Spent]], power: Model) -> Picture:
    """known: (table, p99 wake latency in ns, what was spent)."""
    unit = "J" if power.unit == WATTS else "s awake"
    points, rows = [], []
    for number, (label, latency_ns, cost) in enumerate(known):
        assert cost.total is not None
        total = cost.total.times(Fraction(1, _NS))
        written = energy_output.ranged(total)
        tip = f"{label}: {written} {unit}, p99 wake latency {svg.time(latency_ns)}"
        short = svg.shortened(label, 120)
        points.append(Point(latency_ns, float(total.low), float(total.high), number, short, tip))
        rows.append((label, written, microseconds(latency_ns)))
    drawing = pictures.points(
        "Energy against wake latency",
        f"A marker for each table: to the right its p99 wake latency, up its energy in {unit}.",
        points,
        svg.times([latency_ns for _, latency_ns, _ in known], "p99 wake latency"),
        svg.linear(min(p.low for p in points), max(p.high for p in points), ""),
    )
    head = ("table", f"energy, {unit}", "p99 wake latency")
    table = Table("Energy and wake latency", head, tuple(rows), frozenset({1, 2}))
    samples = tuple((svg.swatch_marker(i), label) for i, (label, _, _) in enumerate(known))
    return Picture(drawing, table, samples)


def _agreements(accounts: Sequence[Account]) -> Iterator[str]:
    for account in accounts:
        if account.compared:
            yield (
                f"{account.machine}: the model selects the state really entered in "
                f"{account.agreed} of {account.compared} periods "
                f"({percent(account.agreed, account.compared)})"
            )
