"""Shares of a whole: bars divided by state; and ranges of values."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...dataclass import dataclass
from ..sheet import Drawing, Picture, Rows, as_is
from . import markers, pictures, svg
from .markers import Level
from .pictures import Band, BandRow

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NAMED = 3
"""The most tables for which a legend tells whose name of a state is which."""
Legend = tuple[tuple["Element", str], ...]
States = Iterable[tuple[int, str]]
"""(the kernel's number, name)."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a bar.

    number  number of the state in its table, also of its hatching; svg.AWAKE: not an idle state
    value   share of the whole, 0 to 1
    amount  the amount with its unit, in words; "" for the share alone
    """

    number: int
    name: str
    value: float
    amount: str


Bars = Iterable[tuple[str, Sequence[Share]]]


def bar(label: str, some: Sequence[Share]) -> BandRow:
    bands, first = [], 0.0
    for share in some:
        last, written = first + share.value, f"{share.value:.2%}"
        short = share.name if share.number == svg.AWAKE else str(share.number)
        if share.value > 0:
            bands.append(
                Band(
                    first,
                    last,
                    (share.number,),
                    short,
                    f"{_numbered(share.number, share.name)} {written[:-1]} %",
                    f"{share.name}: {share.amount and share.amount + ', '}{written[:-1]} %",
                )
            )
        first = last
    return BandRow(label, tuple(bands))


def divided(title: str, some: Bars, whole: str) -> Picture:
    """Returns a bar for each label, divided by states. whole: each bar."""
    rows = [*some]
    numbered = [(label, [(part.number, part.name) for part in parts]) for label, parts in rows]
    names = dict.fromkeys(name for _, states in numbered for _, name in states)
    cells = []
    for label, parts in rows:
        own = {part.name: f"{100 * part.value:.2f} %" for part in parts}
        cells.append((label, *(own.get(name, "-") for name in names)))

    def draw() -> Drawing:
        drawing = pictures.bands(
            title,
            f"A bar for each of {', '.join((label for label, _ in rows))}: {whole}, divided by "
            "state number.",
            [bar(label, parts) for label, parts in rows],
            svg.shares(f"share of {whole}"),
        )
        return Drawing(drawing, legend(numbered))

    return Picture(draw, Rows(("", *map(as_is, names)), (*cells,), title))


def legend(some: Iterable[tuple[str, States]]) -> Legend:
    """A sample for each number of a state. If tables name the state differently, the names are
    given table by table."""
    number2names: dict[int, dict[str, list[str]]] = {}
    tables = set()
    for table, states in some:
        tables.add(table)
        for number, name in states:
            whose = number2names.setdefault(number, {}).setdefault(name, [])
            if table not in whose:
                whose.append(table)
    found = []
    for number, names in sorted(number2names.items()):
        if len(names) == 1 or not 1 < len(tables) <= _NAMED:
            words = " or ".join(names)
        else:
            words = ", ".join(f"{name} ({'; '.join(whose)})" for name, whose in names.items())
        found.append((svg.swatch_band(number), _numbered(number, words)))
    return tuple(found)


def _numbered(number: int, name: str) -> str:
    return name if number == svg.AWAKE else f"{number} {name}"


def ranges(
    title: str, some: Sequence[tuple[str, int, Sequence[float]]], *, in_ns: bool = True
) -> Picture:
    """Returns a row for each label with a marker, and a line from the least to the greatest. some:
    label, number of the marker, and values: the mean or middle, the least and the greatest."""
    written = svg.time if in_ns else "{:.6g}".format
    rows, levels = [], []
    for label, marker, values in some:
        mean, least, greatest = (written(value) for value in values)
        rows.append((label, mean, least, greatest))
        words = mean if least == greatest else f"{mean}, {least} to {greatest}"
        near = values[1], values[2]
        levels.append(Level(f"{label}: {words}", ((marker, values[0]),), near, words))
    ends = [value for *_, values in some for value in values]
    axis = svg.times(ends, title) if in_ns else svg.linear(0, max(ends), title)
    words = "For each table a marker at its value, and a line from the least to the greatest."
    table = Rows(("Table", "Value", "Least", "Greatest"), tuple(rows), title)
    return Picture(lambda: Drawing(markers.levels(title, words, levels, axis)), table)
