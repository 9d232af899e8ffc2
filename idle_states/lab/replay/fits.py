"""Idle periods whose state did not fit their length: too deep ones and too shallow ones."""

from collections.abc import Sequence

from ...base.dataclass import dataclass
from ...base.report.html import opposed
from ...base.report.html.opposed import Opposed
from ...base.report.html.shares import legend
from ...base.report.sheet import Drawing
from .headlines import Measure

DEEP, SHALLOW = "too deep", "too shallow"


@dataclass(frozen=True, slots=True)
class Misfits:
    """A table's idle periods. states: (number, name, too deep ones, too shallow ones)."""

    label: str
    usage: float
    states: tuple[tuple[int, str, float, float], ...]

    def share(self, side: int) -> float:
        """Of all idle periods, those that are too deep (side 0) or too shallow (1)."""
        count = sum((above, below)[side] for _, _, above, below in self.states)
        return count / self.usage if self.usage else 0.0


def drawing(some: Sequence[Misfits]) -> Drawing:
    """Draws a bar to either side for each table, divided by states."""
    rows = [
        Opposed(
            each.label,
            _parts(each, 0),
            _parts(each, 1),
            (_percent(each.share(0)), _percent(each.share(1))),
        )
        for each in some
    ]
    drawn = opposed.opposed(
        "Idle periods whose state did not fit their length",
        f"For each table a bar to the left, the share of idle periods in a state {DEEP} for them, "
        f"and one to the right, those in a state {SHALLOW}; both divided by states.",
        rows,
        (DEEP, SHALLOW),
        "share of idle periods",
    )
    misfitting = (
        (each.label, [(number, name) for number, name, *counts in each.states if any(counts)])
        for each in some
    )
    return Drawing(drawn, legend(misfitting))


def _parts(misfits: Misfits, side: int) -> tuple[tuple[int, float, str], ...]:
    what = (DEEP, SHALLOW)[side]
    found = []
    for number, name, above, below in misfits.states:
        share = (above, below)[side] / misfits.usage if misfits.usage else 0.0
        found.append((number, share, f"{name}: {what} {_percent(share)}"))
    return tuple(found)


def measures(some: Sequence[Misfits]) -> list[Measure]:
    return [
        Measure(f"periods {what}", tuple(_percent(each.share(side)) for each in some))
        for side, what in enumerate((DEEP, SHALLOW))
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share else "0 %"
