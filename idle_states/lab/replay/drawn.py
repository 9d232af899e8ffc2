"""The pictures of replay: residency bars, how selections fit, distributions of wake latency."""

from collections.abc import Sequence

from ...base.report.html import pictures, svg
from ...base.report.html.pictures import BandRow
from ...base.report.html.shares import Share, bar, distribution, legend
from ...base.report.sheet import Drawing
from .counters import Figures
from .energy_said import AS_HELD
from .fits import Misfits
from .results import Account

Totals = Sequence[tuple[str, Figures]]
"""(name of a table, its figures)."""


def residencies(some: Totals) -> Drawing:
    """Draws a bar of shares of the idle time for each table."""
    drawing = pictures.bands(
        "Share of idle time by state",
        "For each table a bar of the whole idle time, divided by states, which are numbered.",
        [_bar(label, figures) for label, figures in some],
        svg.shares("share of idle time"),
    )
    return Drawing(drawing, legend((label, _states(figures)) for label, figures in some))


def by_cpu(account: Account) -> Drawing:
    """Draws a bar of shares of its idle time for each CPU."""
    drawing = pictures.bands(
        f"Share of idle time by state and CPU: {account.machine}",
        "For each CPU a bar of its idle time, divided by states, which are numbered.",
        [_bar(f"CPU {cpu}", figures) for cpu, figures in account.cpus.items()],
        svg.shares("share of idle time"),
    )
    return Drawing(drawing, legend([(account.machine, _states(account.total))]))


def _states(figures: Figures) -> list[tuple[int, str]]:
    return [(state.index, state.name) for state in figures.states]


def _bar(label: str, figures: Figures) -> BandRow:
    whole = figures.time_us or 1
    parts = [
        Share(state.index, state.name, state.time_us / whole, f"{state.time_us} us")
        for state in figures.states
    ]
    return bar(label, parts)


def misfits(some: Totals) -> list[Misfits]:
    """Returns the idle periods that were too deep or too shallow, by table and state."""
    return [
        Misfits(
            label,
            figures.usage,
            tuple((s.index, s.name, s.above, s.below) for s in figures.states),
        )
        for label, figures in some
    ]


def latencies(some: Totals) -> Drawing:
    """Draws the distribution of the exit latency that wake-ups paid, a curve for each table."""
    return distribution(
        "Share of wake-ups that paid at most so much",
        AS_HELD,
        [(label, figures.wakeups) for label, figures in some],
    )
