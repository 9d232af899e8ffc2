"""The pictures of replay: residency bars, how selections fit, what waking up cost."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
from ...base.report.html.shares import Share, divided, legend, ranges
from ...base.report.sheet import NO_NUMBERS, Drawing, Picture, Rows
from .beginning import Beginning
from .counters import PERCENTILES, Figures, percentile_name
from .energy_sheet import AS_HELD
from .fits import Totals
from .results import Account

_CPUS, _ROWS = 32, 4
"""Up to this many CPUs get bars; CPUs of a time line."""
Piece = tuple[int, int, int]
"""(state, start, end), in ns."""


def residencies(some: Sequence[tuple[str, Account]]) -> Iterator[Picture]:
    """Draws how the idle time divides among states, a bar for each account; then for each CPU the
    same bars beside each other, if there are not too many."""
    title = "Share of idle time by state"
    yield divided(title, [(label, _shares(each.total)) for label, each in some], "idle time")
    cpus = sorted({cpu for _, each in some for cpu in each.cpus})
    bars = [
        (f"CPU {cpu}: {label}", _shares(each.cpus[cpu]))
        for cpu in cpus
        for label, each in some
        if cpu in each.cpus
    ]
    if 1 < len(cpus) <= _CPUS:
        yield divided(f"{title} and CPU", bars, "idle time")


def _shares(figures: Figures) -> list[Share]:
    whole = figures.time_us or 1
    return [
        Share(state.index, state.name, state.time_us / whole, f"{state.time_us} us")
        for state in figures.states
    ]


def latencies(some: Totals) -> Picture:
    """Draws the percentiles of the exit latency that wake-ups paid with each table."""
    paid = [
        (f"{percentile_name(each)}: {label}", at, (float(ns),) * 3)
        for each in PERCENTILES
        for at, (label, figures) in enumerate(some)
        if (ns := figures.wake_latency_ns(each)) is not None
    ]
    return ranges(AS_HELD.capitalize(), paid)


def time_line(found: Beginning) -> Iterator[Picture]:
    """Yields the time line of the CPUs with most of the periods, if there are any."""
    found.run()
    if not found.periods:
        return
    most = Counter(period[0] for period in found.periods).most_common(_ROWS)
    zero_ns = min(period[2] for period in found.periods)
    rows: list[BandRow] = []
    table: list[tuple[str, ...]] = []
    named: list[tuple[str, Iterable[tuple[int, str]]]] = []
    for cpu in sorted(cpu for cpu, _ in most):
        own = [period for period in found.periods if period[0] == cpu]
        lines = [("entered", found.traced, [[(s, start, end)] for _, s, start, end, _ in own])]
        starts = [start for _, _, start, _, _ in own]
        for machine, periods in found.models:
            groups: list[list[Piece]] = [[] for _ in own]
            for number, state, start, end, _ in periods:
                if number == cpu and (at := bisect_right(starts, start)):
                    groups[at - 1].append((state, start, end))
            lines.append((machine.name, machine, groups))
        columns = []
        for what, machine, groups in lines:
            states = machine.table(cpu)
            names = dict(enumerate(states.names if states else ()))
            label = f"CPU {cpu}: {what}"
            some = (_band(label, names, each, zero_ns) for pieces in groups for each in pieces)
            rows.append(BandRow(label, (*some,)))
            named.append((machine.name, names.items()))
            columns.append([" ".join(names.get(n, str(n)) for n, *_ in each) for each in groups])
        for at, (_, _, start, end, _) in enumerate(own):
            cells = (column[at] or "-" for column in columns)
            since = f"{(start - zero_ns) / 1e6:.6g} ms"
            table.append((f"CPU {cpu}", since, svg.time(end - start), *cells))
    caption = f"The first {len(found.periods)} idle periods: states entered, and selected"

    def draw() -> Drawing:
        drawn = pictures.bands(
            caption,
            "For each CPU a row of the states it entered and a row for each model, along time.",
            rows,
            svg.linear(0, max(b.last for row in rows for b in row.bands), "ms from the first on"),
        )
        drawn.set("data-zooms", "")
        return Drawing(drawn, legend(named))

    head = ("CPU", "Start", "Length", "Entered", *(machine.name for machine, _ in found.models))
    yield Picture(draw, Rows(head, tuple(table), caption, NO_NUMBERS))


def _band(label: str, names: Mapping[int, str], piece: Piece, zero_ns: int) -> Band:
    state, start_ns, end_ns = piece
    name = names.get(state, f"state {state}")
    since = (start_ns - zero_ns) / 1e6
    tip = f"{label}: {since:.6g} ms, for {svg.time(end_ns - start_ns)}: {name}"
    series = (state,) if state in names else ()
    return Band(since, (end_ns - zero_ns) / 1e6, series, str(state), f"{state} {name}", tip)
