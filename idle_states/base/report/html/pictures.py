"""Pictures of bands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...dataclass import dataclass
from . import axes, svg
from .axes import BELOW
from .svg import NARROW, WIDE, Axis, add, percent, text

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_LABEL, _WORDS, _HATCHED, _GAP = 16, 17, 9, 8
"""Heights in pixels: of a row's label; of a band, what carries its label and what is hatched."""
_BAND = _WORDS + _HATCHED
_PLAIN = 12
"""The height of a band where none is hatched."""
_MARK = 5
"""The height of the line below a marked stretch."""
_EDGES = 14
"""The height of the labels of bands' beginnings."""


@dataclass(frozen=True, slots=True)
class Band:
    """A band from `first` to `last` along the axis.

    series       numbers of hatchings; several are drawn above each other; none: see kind
    short, name  labels: the longer one that fits is shown, on a wide page as there
    tip          text shown when the pointer rests on the band
    edge         shown below its beginning, if there is room
    kind         severity whose colour the band has
    """

    first: float
    last: float
    series: tuple[int, ...]
    short: str
    name: str
    tip: str
    edge: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class BandRow:
    """Bands side by side under a label. marked: (first, last, tip) of stretches underlined below
    them."""

    label: str
    bands: tuple[Band, ...]
    marked: tuple[tuple[float, float, str], ...] = ()


def bands(title: str, description: str, rows: Sequence[BandRow], axis: Axis) -> "Element":
    """Draws the rows below each other."""
    edges = _EDGES if any(band.edge for row in rows for band in row.bands) else 0
    height = _BAND if any(band.series for row in rows for band in row.bands) else _PLAIN
    below = _LABEL + height + (_MARK if any(row.marked for row in rows) else 0)
    pitch = below + edges + _GAP
    bottom = pitch * len(rows)
    found = svg.canvas(title, description, bottom + BELOW)
    axes.below(found, axis, bottom)
    for number, row in enumerate(rows):
        top = pitch * number
        svg.label(found, row.label, row.label, x=0, y=top + 12, class_="on")
        free = 0.0
        for band in row.bands:
            _band(found, band, axis, top + _LABEL, height)
            free = _edge(found, band, axis.at(band.first), top + below, free)
        for first, last, tip in row.marked:
            x1, x2 = percent(axis.at(first)), percent(axis.at(last))
            group, y = add(found, "g"), top + _LABEL + height + 1 + _MARK / 2
            svg.tip(group, tip)
            add(group, "line", x1=x1, x2=x2, y1=y, y2=y, class_="marked")
    return found


def _band(parent: "Element", band: Band, axis: Axis, top: float, whole: float) -> None:
    """A label stands on plain colour: on a hatching it would be hard to read."""
    left, right = axis.at(band.first), axis.at(band.last)
    if right <= left:
        return
    group = add(parent, "g")
    svg.tip(group, band.tip)
    x, width = percent(left), percent(right - left)
    plain = band.kind or (svg.plain(band.series[0]) if len(band.series) == 1 else "several")
    add(group, "rect", x=x, y=top, width=width, height=whole, class_=f"band {plain}")
    height = _HATCHED / max(1, len(band.series))
    for layer, number in enumerate(band.series):
        y = top + _WORDS + layer * height
        fill = svg.hatching(number)
        add(group, "rect", x=x, y=y, width=width, height=height, fill=fill, class_="hatched")
    place = {"x": percent((left + right) / 2), "y": top + _WORDS - 4, "text_anchor": "middle"}
    slim, roomy = (
        next((each for each in (band.name, band.short) if svg.fits(each, right - left, wide)), "")
        for wide in (NARROW, WIDE)
    )
    if slim:
        text(group, slim, **place, **({} if slim == roomy else {"class_": "slim"}))
    if roomy != slim:
        text(group, roomy, **place, class_="roomy")


def edge(first_ns: int) -> str:
    """The label of the beginning of a band that begins at a time."""
    return svg.time(first_ns) if first_ns else ""


def _edge(parent: "Element", band: Band, x: float, top: float, free: float) -> float:
    """Labels the beginning. free, returned: from where on there is room, in percent."""
    if not band.edge:
        return free
    start, end = svg.reach(band.edge, x)
    if start < free:
        return free
    anchor = svg.anchor(x)
    text(parent, band.edge, x=percent(x), y=top + 12, text_anchor=anchor, class_="tick on")
    return end
