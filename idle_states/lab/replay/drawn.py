"""The pictures of replay: residency bars, how selections fit, what waking up cost."""

from collections.abc import Iterator, Sequence

from ...base.report.html.shares import Share, divided, ranges
from ...base.report.sheet import Picture
from .counters import PERCENTILES, Figures, percentile_name
from .energy_sheet import AS_HELD
from .fits import Misfits
from .results import Account

Totals = Sequence[tuple[str, Figures]]
"""(name of a table, its figures)."""
_CPUS = 32
"""Up to this many CPUs get bars."""


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


def misfits(some: Totals) -> list[Misfits]:
    """Returns the idle periods that were too deep or too shallow, by table and state."""
    return [
        Misfits(
            label, figures.usage, tuple((s.index, s.name, s.above, s.below) for s in figures.states)
        )
        for label, figures in some
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
