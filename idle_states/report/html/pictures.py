"""The kinds of picture there are: bands, curves, points and spans."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from . import svg
from .svg import CHARACTER, NARROW, PLOT, Axis, add, percent, text

_LABEL, _BAND, _GAP = 16, 22, 8
_AXIS = 38
_PLOT = 180
_TOP = 14
_MARGIN = 10
"""In pixels; holds half a marker."""
_NEAR_X, _NEAR_Y = 40, 14
"""Points so close, in percent and in pixels, share a label."""
_FINEST = 0.25
"""Steps of a curve that are closer, in percent of the width, are drawn as one."""


@dataclass(frozen=True, slots=True)
class Band:
    """A band from `first` to `last` along the axis.

    series       numbers of hatchings; several are drawn above each other
    short, name  labels: the longer one that fits is shown
    tip          text shown when the pointer rests on the band
    """

    first: float
    last: float
    series: tuple[int, ...]
    short: str
    name: str
    tip: str


@dataclass(frozen=True, slots=True)
class BandRow:
    """Bands side by side under a label."""

    label: str
    bands: tuple[Band, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """A share that rises in steps. steps: (value, share from this value on), ascending."""

    label: str
    steps: tuple[tuple[float, float], ...]


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
class PictureSpan:
    """A line from one value to another. last: None if there is no second value."""

    label: str
    first: float
    last: float | None
    tip: str


def bands(title: str, description: str, rows: Sequence[BandRow], axis: Axis) -> Element:
    """Draws the rows below each other."""
    pitch = _LABEL + _BAND + _GAP
    bottom = pitch * len(rows)
    found = svg.canvas(title, description, bottom + _AXIS)
    _axis(found, axis, bottom)
    for number, row in enumerate(rows):
        top = pitch * number
        label = text(found, svg.shortened(row.label, NARROW), x=0, y=top + 12, class_="on")
        svg.tip(label, row.label)
        for band in row.bands:
            _band(found, band, axis, top + _LABEL)
    return found


def _band(parent: Element, band: Band, axis: Axis, top: float) -> None:
    left, right = axis.at(band.first), axis.at(band.last)
    if right <= left:
        return
    group = add(parent, "g")
    svg.tip(group, band.tip)
    height = _BAND / max(1, len(band.series))
    for layer, number in enumerate(band.series):
        add(
            group,
            "rect",
            x=percent(left),
            y=top + layer * height,
            width=percent(right - left),
            height=height,
            fill=svg.hatching(number),
            class_="band",
        )
    for words in (band.name, band.short):
        if svg.fits(words, right - left):
            text(
                group,
                words,
                x=percent((left + right) / 2),
                y=top + _BAND / 2 + 4,
                text_anchor="middle",
                class_="on",
            )
            break


def curves(title: str, description: str, some: Sequence[Curve], axis: Axis) -> Element:
    """Draws the curves: shares from 0 to 1 over the axis."""
    found = _plot(title, description, axis, svg.shares(""))
    for number, curve in enumerate(some):
        group = add(found, "g")
        svg.tip(group, curve.label)
        x = drawn = share = 0.0
        for value, after in (*curve.steps, (float("inf"), 0.0)):
            here = axis.at(value)
            if here - x >= _FINEST:
                svg.line(group, number, percent(x), _y(drawn), percent(x), _y(share))
                svg.line(group, number, percent(x), _y(share), percent(here), _y(share))
                x, drawn = here, share
            share = after
    return found


def points(title: str, description: str, some: Sequence[Point], axis: Axis, up: Axis) -> Element:
    """Draws markers with labels, and a line from low to high where these differ."""
    found = _plot(title, description, axis, up)
    labels: list[tuple[float, float, list[str]]] = []
    for point in some:
        x = axis.at(point.x)
        low, high = (_y(up.at(value) / 100) for value in (point.low, point.high))
        group = add(found, "g")
        svg.tip(group, point.tip)
        if point.low != point.high:
            add(group, "line", x1=percent(x), x2=percent(x), y1=low, y2=high, class_="bar")
        middle = (low + high) / 2
        svg.marker(group, point.series, x, middle)
        if point.label:
            near = (n for a, b, n in labels if abs(x - a) <= _NEAR_X and abs(middle - b) <= _NEAR_Y)
            beside = next(near, None)
            if beside is None:
                labels.append((x, middle, [point.label]))
            else:
                beside.append(point.label)
    for x, y, words in labels:
        left = x > 50
        place = add(found, "svg", x=percent(x), y=y, width=1, height=1, overflow="visible")
        anchor = "end" if left else "start"
        room = PLOT * (x if left else 100 - x) / 100
        label = svg.shortened(", ".join(words), room)
        text(place, label, x=-9 if left else 9, y=4, text_anchor=anchor, class_="on")
    return found


def spans(title: str, description: str, some: Sequence[PictureSpan], axis: Axis) -> Element:
    """Draws a line for each span, from a ring at its beginning to a bar at its end."""
    pitch = _LABEL + 18
    bottom = pitch * len(some)
    found = svg.canvas(title, description, bottom + _AXIS, _MARGIN, _MARGIN)
    _axis(found, axis, bottom, _MARGIN)
    for number, span in enumerate(some):
        top = pitch * number
        words = svg.shortened(span.label, NARROW)
        label = text(found, words, x=-_MARGIN, y=top + 12, class_="on")
        svg.tip(label, span.tip)
        middle = top + _LABEL + 8
        first = axis.at(span.first)
        if span.last is not None:
            last = percent(axis.at(span.last))
            add(found, "line", x1=percent(first), x2=last, y1=middle, y2=middle, class_="span")
            add(found, "line", x1=last, x2=last, y1=middle - 7, y2=middle + 7, class_="span")
        add(found, "circle", cx=percent(first), cy=middle, r=4.5, class_="ring")
    return found


def _y(share: float) -> float:
    return _TOP + _PLOT * (1 - share)


def _plot(title: str, description: str, axis: Axis, up: Axis) -> Element:
    """Draws two axes. Labels of the upright one are in the margin, where nothing else is drawn."""
    bottom = _TOP + _PLOT
    left = 2 * _MARGIN + CHARACTER * max(len(label) for _, label in up.ticks)
    found = svg.canvas(title, description, bottom + _AXIS, left, _MARGIN)
    _axis(found, axis, bottom, left)
    for value, label in up.ticks:
        y = _y(up.at(value) / 100)
        add(found, "line", x1=0, x2="100%", y1=y, y2=y, class_="grid")
        text(found, label, x=-_MARGIN, y=y + 4, text_anchor="end", class_="tick")
    return found


def _axis(parent: Element, axis: Axis, bottom: float, left: int = 0) -> None:
    """left: the margin."""
    for value, label in axis.ticks:
        x = axis.at(value)
        add(parent, "line", x1=percent(x), x2=percent(x), y1=0, y2=bottom + 4, class_="grid")
        text(parent, label, x=percent(x), y=bottom + 17, text_anchor=_anchor(x), class_="tick")
    text(parent, axis.caption, x=-left, y=bottom + 33, class_="tick")


def _anchor(x: float) -> str:
    return "start" if x < 8 else "end" if x > 90 else "middle"
