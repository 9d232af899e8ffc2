"""Axes and grids, drawn: the frame of every picture that has one."""

from typing import TYPE_CHECKING

from . import svg
from .svg import CHARACTER, Axis, add, percent, text

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

BELOW = 38
"""Height of an axis with its caption."""
MARGIN = 10
"""Holds half a marker."""
_PLOT = 180
_TOP = 30
"""Room for the caption of the upright axis. All of these are in pixels."""


def height(share: float) -> float:
    """The y of a share, 0 to 1, of the plot's height."""
    return _TOP + _PLOT * (1 - share)


def plot(title: str, description: str, axis: Axis, up: Axis) -> "Element":
    """Draws two axes. Labels of the upright one are in the margin, where nothing else is drawn."""
    bottom = height(0)
    left = 2 * MARGIN + CHARACTER * max(len(label) for _, label in up.ticks)
    found = svg.canvas(title, description, bottom + BELOW, left, MARGIN)
    text(found, up.caption, x=-left, y=12, class_="tick")
    below(found, axis, bottom, left, top=_TOP)
    for value, label in up.ticks:
        y = height(up.at(value) / 100)
        add(found, "line", x1=0, x2="100%", y1=y, y2=y, class_="grid")
        text(found, label, x=-MARGIN, y=y + 4, text_anchor="end", class_="tick")
    return found


def below(parent: "Element", axis: Axis, bottom: float, left: int = 0, top: float = 0) -> None:
    """Draws an axis with its grid, which begins at `top`. left: the margin."""
    for ticks, group in ((axis.ticks, parent), (axis.more, svg.element("g", class_="roomy"))):
        for value, label in ticks:
            x, anchor = axis.at(value), svg.anchor(axis.at(value))
            add(group, "line", x1=percent(x), x2=percent(x), y1=top, y2=bottom + 4, class_="grid")
            text(group, label, x=percent(x), y=bottom + 17, text_anchor=anchor, class_="tick")
        if group is not parent and ticks:
            parent.append(group)
    text(parent, axis.caption, x=-left, y=bottom + 33, class_="tick")
