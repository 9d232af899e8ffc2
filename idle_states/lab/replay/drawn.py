"""The pictures of replay: residency bars, how selections fit, distributions of wake latency."""

from collections.abc import Sequence

from ...base.report.html.shares import Share, distribution, divided
from ...base.report.sheet import Drawing, Picture, Rows
from .counters import Figures
from .energy_said import AS_HELD
from .fits import Misfits
from .results import Account

Totals = Sequence[tuple[str, Figures]]
"""(name of a table, its figures)."""


def residencies(some: Totals, table: Rows) -> Picture:
    """Draws a bar of shares of the idle time for each table."""
    bars = ((label, _shares(figures)) for label, figures in some)
    return divided("Share of idle time by state", bars, "idle time", table)


def by_cpu(account: Account) -> Picture:
    """Draws a bar of shares of its idle time for each CPU."""
    title = f"Share of idle time by state and CPU: {account.machine}"
    bars = ((f"CPU {cpu}", _shares(figures)) for cpu, figures in account.cpus.items())
    return divided(title, bars, "idle time")


def _shares(figures: Figures) -> list[Share]:
    whole = figures.time_us or 1
    return [
        Share(state.index, state.name, state.time_us / whole, f"{state.time_us} us")
        for state in figures.states
    ]


def misfits(some: Totals) -> list[Misfits]:
    """Returns the idle periods that were too deep or too shallow, by table and state."""
    return [
        Misfits(
            label, figures.usage, tuple((s.index, s.name, s.above, s.below) for s in figures.states)
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
