"""Shares of a whole: bars divided by state, and distributions."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...dataclass import dataclass
from ..sheet import Drawing, Picture, Rows, as_is
from . import pictures, svg
from .pictures import Band, BandRow, Curve

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Legend = tuple[tuple["Element", str], ...]
States = Iterable[tuple[int, str]]
"""(the kernel's number, name)."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a bar.

    number  number of the state in its table, also of its hatching; svg.AWAKE: not an idle state
    value   share of the whole, 0 to 1
    amount  the amount with its unit, in words
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
                    f"{share.name}: {share.amount}, {written[:-1]} %",
                )
            )
        first = last
    return BandRow(label, tuple(bands))


def divided(title: str, some: Bars, whole: str, table: Rows | None = None) -> Picture:
    """Returns a bar for each label, divided by states. whole: each bar; table: else the shares."""
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
            f"A bar for each of {', '.join(label for label, _ in rows)}: {whole}, divided by "
            "states, which are numbered.",
            [bar(label, parts) for label, parts in rows],
            svg.shares(f"share of {whole}"),
        )
        return Drawing(drawing, legend(numbered))

    return Picture(draw, table or Rows(("", *map(as_is, names)), (*cells,), title))


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
        if len(names) == 1 or len(tables) == 1:
            words = " or ".join(names)
        else:
            words = ", ".join(f"{name} ({'; '.join(whose)})" for name, whose in names.items())
        found.append((svg.swatch_band(number), _numbered(number, words)))
    return tuple(found)


def _numbered(number: int, name: str) -> str:
    return name if number == svg.AWAKE else f"{number} {name}"


def distribution(
    title: str, caption: str, some: Sequence[tuple[str, Sequence[tuple[int, int]]]]
) -> Drawing:
    """Draws a curve for each label, from (value in ns, count), ascending."""
    values = [value for _, pairs in some for value, _ in pairs]
    drawing = pictures.curves(
        title,
        "For each table a curve that rises from 0 to 100 %: the share of wake-ups that paid at "
        "most so much.",
        [Curve(label, _cumulative(pairs)) for label, pairs in some],
        svg.times(values, caption),
        "share of wake-ups",
    )
    return Drawing(drawing, tuple((svg.swatch_line(i), label) for i, (label, _) in enumerate(some)))


def _cumulative(pairs: Sequence[tuple[int, int]]) -> tuple[tuple[float, float], ...]:
    whole = sum(count for _, count in pairs)
    found, so_far = [], 0
    for value, count in pairs:
        so_far += count
        found.append((float(value), so_far / whole))
    return tuple(found)
