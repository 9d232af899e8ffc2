"""The elements of SVG that pictures use.

A picture is as wide as the page: along x everything is placed in percent, along y in pixels, so
that text keeps its size on a phone. Series differ in hatching, dashes or the form of a marker, not
in colour alone.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ...dataclass import dataclass
from ...model.findings import Severity
from ..escapes.text import printable

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from markupsafe import Markup

NARROW = 300
"""Width in pixels into which labels must fit: that of a narrow page."""
CHARACTER = 7
"""Width of a character of a label in pixels, or a little less."""
PLOT = 240
"""Pixels that NARROW leaves between the margins."""
WIDE = 560
"""The same of a wide page, see `.roomy` in templates/page.html.j2."""
SEVERITIES = tuple(map(str, Severity))
"""The classes of what has a severity's colour, in a picture and in words."""
AWAKE = -1
"""Stands for time awake where a state's number is expected."""
HATCHES = (
    "",
    "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4",
    "M1,2 h2 M5,6 h2",
    "M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4",
    "M0,0 l8,8 M0,8 l8,-8",
    "M0,2 h8 M0,6 h8",
    "M2,4 a2,2 0 1 0 4,0 a2,2 0 1 0 -4,0",
    "M2,0 v8 M6,0 v8",
    "M0,4 h8 M4,0 v8",
    "M0,6 l4,-4 l4,4",
)
DASHES = ("", "8 4", "2 3", "10 3 2 3", "14 6", "5 2 1 2 1 2", "1 6", "20 4 4 4")
MARKERS = (
    "M-5,0 a5,5 0 1 0 10,0 a5,5 0 1 0 -10,0 z",
    "M-4.5,-4.5 h9 v9 h-9 z",
    "M0,-6 l6,10 h-12 z",
    "M0,-6.5 l6.5,6.5 l-6.5,6.5 l-6.5,-6.5 z",
    "M0,6 l6,-10 h-12 z",
    "M-2,-6 h4 v4 h4 v4 h-4 v4 h-4 v-4 h-4 v-4 h4 z",
    "M0,-2 l3,-3 l2,2 l-3,3 l3,3 l-2,2 l-3,-3 l-3,3 l-2,-2 l3,-3 l-3,-3 l2,-2 z",
)
CROSS = len(MARKERS) - 1
"""Number of the marker of what ends there."""
_SAME, _NOTHING = 1e-9, 1e-12
"""Values that differ by less, relatively and absolutely, count as one value on an axis."""


def element(name: str, **attributes: object) -> "Element":
    """An element. In names of attributes, _ stands for -; a trailing _ is dropped (class_)."""
    from xml.etree.ElementTree import Element

    found = Element(name)
    for key, value in attributes.items():
        found.set(key.rstrip("_").replace("_", "-"), _written(value))
    return found


def add(parent: "Element", name: str, **attributes: object) -> "Element":
    child = element(name, **attributes)
    parent.append(child)
    return child


def text(parent: "Element", words: str, **attributes: object) -> "Element":
    found = add(parent, "text", **attributes)
    found.text = printable(words)
    return found


def tip(parent: "Element", words: str) -> None:
    """Adds text that is shown when the pointer rests on the parent."""
    add(parent, "title").text = printable(words)


def canvas(title: str, description: str, height: float, left: int = 0, right: int = 0) -> "Element":
    """An empty picture. height: in pixels. left, right: margins in pixels, beyond 0 and 100 %."""
    found = element("svg", class_="picture", role="img", width="100%", height=height)
    if left or right:
        # what lies in a margin is shown, too
        found.set("style", f"padding:0 {right}px 0 {left}px;overflow:visible")
    add(found, "title").text = printable(title)
    add(found, "desc").text = printable(description)
    return found


def markup(picture: "Element") -> "Markup":
    """Returns the picture as a page's markup. Its text is escaped."""
    from xml.etree.ElementTree import tostring

    from markupsafe import Markup

    return Markup(tostring(picture, encoding="unicode"))


def percent(value: float) -> str:
    return f"{_number(value)}%"


def plain(number: int) -> str:
    """The class of a hatching's ground."""
    return f"s{8 if number == AWAKE else number % len(HATCHES)}"


def hatching(number: int) -> str:
    """Returns the hatching of a state, by its number, or of AWAKE, as the template defines it."""
    return f"url(#h{'awake' if number == AWAKE else number % len(HATCHES)})"


def swatch_band(number: int) -> "Element":
    """A sample for a legend."""
    return _sample("rect", x=1, y=1, width=30, height=14, fill=hatching(number), class_="band")


def swatch_line(number: int) -> "Element":
    found = _sample()
    line(found, number, 0, 8, 32, 8)
    return found


def swatch_marker(number: int, kind: str = "") -> "Element":
    path = MARKERS[number % len(MARKERS)]
    return _sample("path", d=path, transform="translate(16 8)", class_=f"mark {kind}".rstrip())


def swatch_near(kind: str = "near") -> "Element":
    return _sample("line", x1=0, y1=8, x2=32, y2=8, class_=kind)


def line(parent: "Element", number: int, x1: object, y1: float, x2: object, y2: float) -> None:
    """A piece of a curve."""
    drawn = add(parent, "line", x1=x1, y1=y1, x2=x2, y2=y2, class_=f"curve c{number % 4}")
    if dashes := DASHES[number % len(DASHES)]:
        drawn.set("stroke-dasharray", dashes)


def marker(
    parent: "Element", number: int, x: float, y: float, size: float = 1, kind: str = ""
) -> None:
    """x: in percent, y: in pixels; size: how many times as large as in a legend; kind: a severity
    whose colour it is filled with, or ""."""
    place = add(parent, "svg", x=percent(x), y=y, width=1, height=1, overflow="visible")
    class_ = f"mark {kind}".rstrip()
    drawn = add(place, "path", d=MARKERS[number % len(MARKERS)], class_=class_)
    if size != 1:
        drawn.set("transform", f"scale({_number(size)})")


def shortened(words: str, pixels: float) -> str:
    """Cut to what fits, in the middle: names of files begin alike, and what differs ends them."""
    room = max(4, int(pixels / CHARACTER))
    words = printable(words)
    half = room // 2
    return words if len(words) <= room else f"{words[: room - half - 1]}…{words[-half:]}"


def label(parent: "Element", words: str, tip_words: str, **attributes: object) -> None:
    """Adds a row's label, of which a narrow page has what fits, and a wide one more."""
    whole, short = shortened(words, WIDE), shortened(words, NARROW)
    found = text(parent, whole if whole == short else "", **attributes)
    if whole != short:
        add(found, "tspan", class_="slim").text = short
        add(found, "tspan", class_="roomy").text = whole
    tip(found, tip_words)


def fits(words: str, share: float, pixels: int) -> bool:
    """Tells whether words fit a part, in percent, of so many pixels."""
    return len(printable(words)) * CHARACTER + 6 <= share * pixels / 100


@dataclass(frozen=True, slots=True)
class Axis:
    """From values to percent of the width; what lies outside is put at the ends.

    ticks  (value, label)
    more   ticks for which only a wide page has room
    """

    first: float
    last: float
    ticks: tuple[tuple[float, str], ...]
    caption: str
    logarithmic: bool = False
    more: tuple[tuple[float, str], ...] = ()

    def at(self, value: float) -> float:
        inside = min(max(value, self.first), self.last)
        if self.logarithmic:
            share = math.log(inside / self.first) / math.log(self.last / self.first)
        else:
            share = (inside - self.first) / (self.last - self.first)
        return 100 * share


def shares(caption: str) -> Axis:
    """0 to 100 percent."""
    return Axis(0, 1, tuple((part / 4, f"{25 * part} %") for part in range(5)), caption)


def counts(greatest: int, caption: str) -> Axis:
    """Logarithmic, from below 1 to a count: 1 is seen beside 10,000. Labelled are the powers of
    ten."""
    ticks = [10**power for power in range(1 + math.floor(math.log10(greatest)))]
    return Axis(0.5, greatest, tuple((each, f"{each:,}") for each in ticks), caption, True)


def times(values_ns: Sequence[float], caption: str) -> Axis:
    """Logarithmic, about all the values, in ns. The lower end is 0. Labelled is every decade, every
    second, and so on, as there is room, and between decades their double and fivefold."""
    some = [value for value in values_ns if value > 0] or [1000]
    first, last = min(some) / 4, max(some) * 2
    bare = Axis(first, last, (), caption, logarithmic=True)
    narrow = _ticks(bare, {first: "0"}, PLOT)
    wide = _ticks(bare, narrow, WIDE)
    more = tuple(sorted((value, label) for value, label in wide.items() if value not in narrow))
    return Axis(first, last, tuple(sorted(narrow.items())), caption, True, more)


def _ticks(axis: Axis, there: dict[float, str], pixels: int) -> dict[float, str]:
    """Adds to the labels that are there what fits so many pixels beside them."""
    found = dict(there)
    lowest, highest = math.floor(math.log10(axis.first)), math.floor(math.log10(axis.last) + _SAME)
    powers = range(lowest, highest + 1)
    inside = [10.0**power for power in powers if 10.0**power > axis.first]
    # beside the 0 at the end there may be no room for the next
    ends = {axis.first: "0"}
    inside = [value for value in inside if _clear(axis, ends | {value: time(value)}, pixels)]
    for step in range(1, len(inside) + 1):
        decades = {value: time(value) for value in inside[::-1][::step]}
        if _clear(axis, found | decades, pixels):
            found |= decades
            break
    if all(value in found for value in inside):
        for value in (factor * 10.0**power for factor in (2, 5) for power in powers):
            added = found | {value: time(value)}
            if axis.first < value <= axis.last and _clear(axis, added, pixels):
                found = added
    return found


def _clear(axis: Axis, labels: dict[float, str], pixels: int) -> bool:
    places = [reach(label, axis.at(value), pixels) for value, label in sorted(labels.items())]
    return all(before[1] <= after[0] for before, after in pairwise(places))


def reach(label: str, x: float, pixels: int = PLOT) -> tuple[float, float]:
    """From where to where, in percent of so many pixels, a tick's label goes, with a gap."""
    wide = 100 * CHARACTER * (len(label) + 0.4) / pixels
    start = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor(x)]
    return start, start + wide


def anchor(x: float) -> str:
    """Returns the text-anchor of a tick's label, by its place in percent."""
    return "start" if x < 8 else "end" if x > 90 else "middle"


def time(ns: float) -> str:
    """In the unit that suits it: 300 ns, 20 us, 5 ms."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.6g} {unit}"
    return f"{ns:.6g} ns"


def named(names: Sequence[str], caption: str) -> Axis:
    """Names at equal distances; labelled are the last and those before it that there is room
    for."""
    last = len(names) - 1
    bare = Axis(0, max(1, last), (), caption)
    found: list[dict[float, str]] = [{last: names[last]}]
    for pixels in (PLOT, WIDE):
        found.append(dict(found[-1]))
        for value, label in enumerate(names):
            if _clear(bare, found[-1] | {value: label}, pixels):
                found[-1][value] = label
    _, narrow, wide = (tuple(each.items()) for each in found)
    more = tuple(tick for tick in wide if tick not in narrow)
    return Axis(bare.first, bare.last, narrow, caption, more=more)


def linear(low: float, high: float, caption: str) -> Axis:
    """About low to high, with round ticks."""
    if high - low <= max(_SAME * max(abs(low), abs(high)), _NOTHING):
        spread = abs(low) / 2 if abs(low) > _NOTHING else 1.0
        # what is never negative has no axis below 0
        low, high = low if abs(low) <= _NOTHING else low - spread, high + spread
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if factor * step * 4 >= high - low)
    first, last = math.floor(low / step), math.ceil(high / step)
    places = [number * step for number in range(first, last + 1)]
    return Axis(places[0], places[-1], tuple((p, f"{p:.6g}") for p in places), caption)


def _sample(name: str = "g", **attributes: object) -> "Element":
    found = element("svg", class_="sample", width=32, height=16, aria_hidden="true")
    add(found, name, **attributes)
    return found


def _written(value: object) -> str:
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
