"""Pictures of two opposite shares: bars to the left and to the right of a middle line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...dataclass import dataclass
from . import axes, svg
from .svg import NARROW, add, percent, text

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_LABEL, _BAR, _SAID, _GAP = 16, 16, 14, 8
"""Heights in pixels: of a row's label, its bars, what is said below them, and of a gap."""


@dataclass(frozen=True, slots=True)
class Opposed:
    """A share to the left of the middle and one to the right, each of (number of a hatching, share,
    text shown when the pointer rests on it). said: (left, right), written below."""

    label: str
    left: tuple[tuple[int, float, str], ...]
    right: tuple[tuple[int, float, str], ...]
    said: tuple[str, str]


def opposed(
    title: str, description: str, rows: Sequence[Opposed], sides: tuple[str, str], caption: str
) -> "Element":
    """Draws bars to both sides of a middle line. sides: what lies to the left and to the right."""
    wholes = [sum(part[1] for part in side) for row in rows for side in (row.left, row.right)]
    axis = svg.both_ways(max(wholes, default=0), caption)
    pitch = _LABEL + _BAR + _SAID + _GAP
    head = _LABEL + 4
    bottom = head + pitch * len(rows)
    found = svg.canvas(title, description, bottom + axes.BELOW)
    axes.below(found, axis, bottom, top=head)
    for side, x, anchor in ((0, "48%", "end"), (1, "52%", "start")):
        text(found, sides[side], x=x, y=12, text_anchor=anchor)
    for number, row in enumerate(rows):
        top = head + pitch * number
        label = text(found, svg.shortened(row.label, NARROW), x=0, y=top + 12, class_="on")
        svg.tip(label, row.label)
        for parts, way in ((row.left, -1), (row.right, 1)):
            first = 0.0
            for series, share, tip in parts:
                ends = sorted((axis.at(way * first), axis.at(way * (first + share))))
                _side(found, series, ends, top + _LABEL, tip)
                first += share
        for side, x, anchor in ((0, "48%", "end"), (1, "52%", "start")):
            y = top + _LABEL + _BAR + 12
            text(found, row.said[side], x=x, y=y, text_anchor=anchor, class_="tick on")
    add(found, "line", x1="50%", x2="50%", y1=head, y2=bottom, class_="bar")
    return found


def _side(parent: "Element", series: int, ends: Sequence[float], top: float, tip: str) -> None:
    if ends[1] <= ends[0]:
        return
    group = add(parent, "g")
    svg.tip(group, tip)
    add(
        group,
        "rect",
        x=percent(ends[0]),
        y=top,
        width=percent(ends[1] - ends[0]),
        height=_BAR,
        fill=svg.hatching(series),
        class_="band",
    )
