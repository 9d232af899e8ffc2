"""Pictures of markers: points on a plane, and several values in a row. Markers in one place stay
visible: they are outlines, each larger than the one below it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...dataclass import dataclass
from ..sheet import Drawing, Picture, Rows
from . import axes, svg
from .svg import CHARACTER, PLOT, Axis, add, percent, text

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_GROWS = 0.7
"""A marker on others is larger by this share for each of them."""
_SAME_X, _SAME_Y = 2.0, 5.0
"""Markers closer than this, in percent and in pixels, are in one place."""
_LINE = 13
_ASIDE = 11
"""Height of a line, and from a marker to its label, in pixels."""
_LABEL, _ROW = 16, 24
_CROWD = 24
"""Events in a row from which on their markers are smaller."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point. low, high: bounds of y; series: number of the marker; label: shown beside it."""

    x: float
    low: float
    high: float
    series: int
    label: str
    tip: str


@dataclass(frozen=True, slots=True)
class Level:
    """Values of several series on one axis.

    values  (number of the marker, value); no value: no marker
    near    a stretch of the axis that is drawn below the markers
    tips    of each marker, if they are events one after the other
    kinds   severity of each marker; the worst is also the label's
    """

    label: str
    values: tuple[tuple[int, float | None], ...]
    near: tuple[float, float]
    tip: str
    tips: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowEvent:
    """An event of a row. at: the name of its place; marker: its number; kind: its severity."""

    at: str
    words: str
    marker: int
    kind: str = ""


def points(
    title: str,
    description: str,
    some: Sequence[Point],
    axis: Axis,
    up: Axis,
    *,
    joined: bool = False,
) -> "Element":
    """Draws markers with labels, and a line from low to high where these differ. Points in one
    place share a label. joined: lines join a series, where only points with labels have markers.
    """
    found = axes.plot(title, description, axis, up)
    before: dict[int, tuple[float, float]] = {}
    places: list[tuple[float, float, list[str]]] = []
    for point in some:
        x = axis.at(point.x)
        low, high = (axes.height(up.at(value) / 100) for value in (point.low, point.high))
        if joined and not point.label and point.series not in before:
            before[point.series] = x, high
            continue
        group = add(found, "g")
        svg.tip(group, point.tip)
        if point.low != point.high:
            add(group, "line", x1=percent(x), x2=percent(x), y1=low, y2=high, class_="bar")
        middle = (low + high) / 2
        if joined and point.series in before:
            start, level = before[point.series]
            svg.line(group, point.series, percent(start), level, percent(x), middle)
        before[point.series] = x, middle
        if joined and not point.label:
            continue
        here = next((w for a, b, w in places if _same(x - a, middle - b)), None)
        if here is None:
            places.append((x, middle, here := []))
        svg.marker(group, point.series, x, middle, 1 + _GROWS * len(here))
        here.append("" if joined else point.label)
    _labels(found, places)
    return found


def _same(across: float, down: float) -> bool:
    return abs(across) <= _SAME_X and abs(down) <= _SAME_Y


Box = tuple[float, float, float, float]


def _labels(parent: "Element", places: Sequence[tuple[float, float, Sequence[str]]]) -> None:
    """Puts each label where it meets no other and no marker, on a narrow page too."""
    boxes: list[Box] = []
    for x, y, words in places:
        half = 6 * (1 + _GROWS * (len(words) - 1))
        boxes.append((x * PLOT / 100 - half, y - half, x * PLOT / 100 + half, y + half))
    for (x, y, words), own in zip(places, boxes[: len(places)], strict=True):
        lines = _lines([word for word in dict.fromkeys(words) if word])
        if not lines:
            continue
        box, anchor, aside = _place(lines, x, y, own[3] - y, [box for box in boxes if box != own])
        boxes.append(box)
        place = add(parent, "svg", x=percent(x), y=y, width=1, height=1, overflow="visible")
        for number, line in enumerate(lines):
            down = box[1] - y + _LINE * number + 10
            text(place, line, x=aside, y=down, text_anchor=anchor, class_="on")


def _lines(words: Sequence[str]) -> list[str]:
    """In one line if they fit half of a narrow plot."""
    one = ", ".join(words)
    lines = [one] if len(one) * CHARACTER <= PLOT / 2 else list(words)
    return [svg.shortened(line, PLOT / 2) for line in lines]


def _place(
    lines: Sequence[str], x: float, y: float, half: float, others: Iterable[Box]
) -> tuple[Box, str, float]:
    """(where, anchor, pixels aside): beside the marker, to the side with more room, else above or
    below. half: of the marker's size."""
    wide, high = CHARACTER * max(map(len, lines)), _LINE * len(lines)
    centre, aside = x * PLOT / 100, half + _ASIDE - 6
    right = (centre + aside, y - high / 2, centre + aside + wide, y + high / 2), "start", aside
    left = (centre - aside - wide, y - high / 2, centre - aside, y + high / 2), "end", -aside
    level = (right, left) if x <= 50 else (left, right)
    _, anchor, shift = level[0]
    shift = 0 if 25 < x < 75 else -half if anchor == "start" else half
    anchor = "middle" if 25 < x < 75 else anchor
    start = centre + shift - (wide / 2 if anchor == "middle" else wide if anchor == "end" else 0)
    over = (start, y - half - high - 2, start + wide, y - half - 2), anchor, shift
    under = (start, y + half + 2, start + wide, y + half + high + 2), anchor, shift
    some = [*level, over, under]
    free = (one for one in some if _free(one[0], others))
    return next(free, level[0])


def _free(box: Box, others: Iterable[Box]) -> bool:
    x1, y1, x2, y2 = box
    inside = x1 >= -axes.MARGIN and x2 <= PLOT + axes.MARGIN and y2 <= axes.height(0)
    return inside and all(x2 <= a or c <= x1 or y2 <= b or d <= y1 for a, b, c, d in others)


def levels(title: str, description: str, some: Sequence[Level], axis: Axis) -> "Element":
    """Draws a row for each, with a marker for every value."""
    pitch = _LABEL + _ROW
    found = svg.canvas(title, description, pitch * len(some) + axes.BELOW, axes.MARGIN, axes.MARGIN)
    axes.below(found, axis, pitch * len(some), axes.MARGIN)
    for number, level in enumerate(some):
        top = pitch * number
        kind = max(level.kinds, key=("", *svg.SEVERITIES).index, default="")
        class_ = f"on {kind}".rstrip()
        svg.label(found, level.label, level.tip, x=-axes.MARGIN, y=top + 12, class_=class_)
        y = top + _LABEL + _ROW / 2
        ends = [percent(axis.at(end)) for end in level.near]
        add(found, "line", x1=ends[0], x2=ends[1], y1=y, y2=y, class_="near")
        drawn: list[float] = []
        size = 1 if len(level.tips) < _CROWD else 0.6
        for place, (series, value) in enumerate(level.values):
            if value is not None:
                x = axis.at(value)
                below = sum(abs(x - other) <= _SAME_X for other in drawn)
                group = add(found, "g")
                if level.tips:
                    svg.tip(group, level.tips[place])
                    below = 0
                kind = level.kinds[place] if level.kinds else ""
                svg.marker(group, series, x, y, size + _GROWS * below, kind)
                drawn.append(x)
    return found


def along(
    title: str,
    description: str,
    rows: Mapping[str, Sequence[RowEvent]],
    axis: tuple[Sequence[str], str],
    legend: Mapping[int, str],
    table: Rows,
) -> Picture:
    """Returns a row of events for each label, along names such as releases or stages, from its
    first event to its last.

    axis    the names in order, and what they are
    legend  words for each marker
    """
    names, caption = axis
    marker2kind = {event.marker: event.kind for events in rows.values() for event in events}

    def draw() -> Drawing:
        some = []
        for label, events in rows.items():
            values = tuple((event.marker, names.index(event.at)) for event in events)
            tips = tuple(f"{event.at}: {event.words}" for event in events)
            severities = tuple(event.kind for event in events)
            places = [place for _, place in values]
            near = min(places), max(places)
            some.append(Level(label, values, near, label, tips, severities))
        drawn = levels(title, description, some, svg.named(names, caption))
        there = ((n, words) for n, words in legend.items() if n in marker2kind)
        return Drawing(drawn, tuple((svg.swatch_marker(n, marker2kind[n]), w) for n, w in there))

    return Picture(draw, table)
