"""Pictures of what was measured beside what was simulated: SVG files that stand for themselves.

A ring is the measurement, a diamond the simulation: told apart by form, not by colour. All that is
drawn is also written, as text that can be searched for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, indent, tostring

from idle_states.base.report.html import svg
from idle_states.base.report.html.svg import Axis, add, percent, text

WIDTH = 720
_STYLE = """
svg { background: #fff; font-family: "DejaVu Sans", sans-serif; }
text { fill: #1a1a1a; font-size: 12px; }
.title { font-size: 14px; font-weight: 600; }
.tick { fill: #565656; font-size: 11px; }
.grid { stroke: #c4c4c4; }
.range { stroke: #1a1a1a; stroke-dasharray: 2 3; stroke-width: 2; }
.mark { fill: #0a4f8f; stroke: #fff; }
.ring { fill: none; stroke: #1a1a1a; stroke-width: 2; }
"""
_PITCH, _TOP, _FOOT, _EDGE = 36, 60, 44, 16
_DIAMOND = 3


@dataclass(frozen=True, slots=True)
class PlottedPair:
    """between: least and greatest of what a jitter of 1 us changes; None: not asked for, or the
    same."""

    label: str
    measured: float
    simulated: float
    between: tuple[float, float] | None = None


def pairs(title: str, description: str, rows: Sequence[PlottedPair], axis: Axis) -> str:
    """A row below the other, as a file."""
    bottom = _TOP + _PITCH * len(rows)
    height = bottom + _FOOT
    found = svg.canvas(title, description, height)
    found.set("xmlns", "http://www.w3.org/2000/svg")
    found.set("width", str(WIDTH))
    found.set("viewBox", f"0 0 {WIDTH} {height}")
    add(found, "style").text = _STYLE
    text(found, title, x=_EDGE, y=22, class_="title")
    _legend(found, any(row.between for row in rows))
    plot = add(found, "svg", x=_EDGE, y=0, width=WIDTH - 2 * _EDGE, height=height)
    plot.set("overflow", "visible")
    _scale(plot, axis, bottom)
    for number, row in enumerate(rows):
        _row(plot, row, axis, _TOP + _PITCH * number)
    indent(found)
    return tostring(found, encoding="unicode") + "\n"


def _row(parent: Element, row: PlottedPair, axis: Axis, top: float) -> None:
    text(parent, row.label, x=0, y=top + 12)
    middle = top + 24
    if row.between:
        low, high = (percent(axis.at(value)) for value in row.between)
        add(parent, "line", x1=low, x2=high, y1=middle, y2=middle, class_="range")
    svg.marker(parent, _DIAMOND, axis.at(row.simulated), middle)
    add(parent, "circle", cx=percent(axis.at(row.measured)), cy=middle, r=7, class_="ring")


def _scale(parent: Element, axis: Axis, bottom: float) -> None:
    for value, label in axis.ticks:
        x = axis.at(value)
        add(parent, "line", x1=percent(x), x2=percent(x), y1=_TOP - 4, y2=bottom, class_="grid")
        anchor = "start" if x < 2 else "end" if x > 98 else "middle"
        text(parent, label, x=percent(x), y=bottom + 15, text_anchor=anchor, class_="tick")
    text(parent, axis.caption, x=0, y=bottom + 32, class_="tick")


def _legend(parent: Element, ranges: bool) -> None:
    y = 40
    add(parent, "circle", cx=_EDGE + 7, cy=y, r=7, class_="ring")
    text(parent, "measured", x=_EDGE + 20, y=y + 4)
    place = add(parent, "svg", x=_EDGE + 107, y=y, width=1, height=1, overflow="visible")
    add(place, "path", d=svg.MARKERS[_DIAMOND], class_="mark")
    text(parent, "simulated", x=_EDGE + 120, y=y + 4)
    if ranges:
        add(parent, "line", x1=_EDGE + 207, x2=_EDGE + 237, y1=y, y2=y, class_="range")
        text(parent, "with 1 us of jitter more or less", x=_EDGE + 245, y=y + 4)
