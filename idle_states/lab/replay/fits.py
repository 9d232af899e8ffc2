"""Idle periods whose state did not fit their length: too deep ones and too shallow ones."""

from collections.abc import Iterator, Sequence

from ...base.dataclass import dataclass
from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
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
        """Returns the share of idle periods that are too deep (side 0) or too shallow (1)."""
        count = sum((above, below)[side] for _, _, above, below in self.states)
        return count / self.usage if self.usage else 0.0


def drawing(some: Sequence[Misfits]) -> Drawing:
    """Draws a bar to either side for each table, divided by states."""
    axis = svg.both_ways(
        max((each.share(side) for each in some for side in (0, 1)), default=0),
        f"share of idle periods: {DEEP} | {SHALLOW}",
    )
    rows = []
    for each in some:
        deep, shallow = (_percent(each.share(side)) for side in (0, 1))
        label = f"{deep}, {shallow}: {each.label}"
        rows.append(BandRow(label, (*_bands(each, 0), *_bands(each, 1))))
    drawn = pictures.bands(
        "Idle periods whose state did not fit their length",
        f"For each table a bar to the left, the share of idle periods in a state {DEEP} for them, "
        f"and one to the right, those in a state {SHALLOW}; both divided by states.",
        rows,
        axis,
    )
    misfitting = (
        (each.label, [(number, name) for number, name, *counts in each.states if any(counts)])
        for each in some
    )
    return Drawing(drawn, legend(misfitting))


def _bands(misfits: Misfits, side: int) -> Iterator[Band]:
    """Yields the bands of a side, from the middle on."""
    end, way = 0.0, (-1, 1)[side]
    for number, name, *counts in misfits.states:
        share = counts[side] / misfits.usage if misfits.usage else 0.0
        start, end = end, end + way * share
        first, last = sorted((start, end))
        tip = f"{name}: {(DEEP, SHALLOW)[side]} {_percent(share)}"
        yield Band(first, last, (number,), str(number), f"{number} {name}", tip)


def measures(some: Sequence[Misfits]) -> list[Measure]:
    return [
        Measure(f"periods {what}", tuple(_percent(each.share(side)) for each in some))
        for side, what in enumerate((DEEP, SHALLOW))
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share else "0 %"
