"""Idle periods whose state did not fit their length: too deep ones and too shallow ones."""

from collections.abc import Sequence

from ...base.dataclass import dataclass
from ...base.report.sheet import Section
from .counters import Figures
from .headlines import Measure

Totals = Sequence[tuple[str, Figures]]
"""(name of a table, its figures)."""
DEEP, SHALLOW = "too deep", "too shallow"


@dataclass(frozen=True, slots=True)
class Misfits:
    """A table's idle periods. states: (number, name, too deep ones, too shallow ones)."""

    label: str
    usage: float
    states: tuple[tuple[int, str, float, float], ...]

    def share(self, side: int) -> float:
        """Returns the share of idle periods that are too deep (side 0) or too shallow (1)."""
        count = sum((above, below)[side] for _, _, above, below in self.states)
        return count / self.usage if self.usage else 0.0


def misfits(some: Totals) -> list[Misfits]:
    """Returns the idle periods that were too deep or too shallow, by table and state."""
    return [
        Misfits(label, each.usage, tuple((s.index, s.name, s.above, s.below) for s in each.states))
        for label, each in some
    ]


def section(some: Sequence[Misfits]) -> Section:
    """Returns the picture of how selections fit: two bars for each table, divided by states."""
    from ...base.report.html.shares import Share, divided

    bars = [
        (
            f"{each.label}: {what} {_percent(each.share(side))}",
            [
                Share(number, name, counts[side] / (each.usage or 1), f"{counts[side]:g}")
                for number, name, *counts in each.states
            ],
        )
        for each in some
        for side, what in enumerate((DEEP, SHALLOW))
    ]
    title = "Idle periods whose state did not fit their length"
    return Section("How selections fit", (divided(title, bars, "idle periods"),))


def measures(some: Sequence[Misfits]) -> list[Measure]:
    return [
        Measure(f"periods {what}", tuple(_percent(each.share(side)) for each in some))
        for side, what in enumerate((DEEP, SHALLOW))
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share else "0 %"
