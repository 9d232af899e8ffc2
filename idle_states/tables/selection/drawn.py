"""The pictures of select: the selection map, a band for each range of idle lengths, kernels,
governors and tables below each other, with the differences marked."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
from ...base.report.html.shares import legend
from ...base.report.sheet import NO_NUMBERS, Drawing, Picture, Rows
from ..linux.governors.steady import Range
from ..linux.kernel_ranges import kernel_ranges
from .idle_lengths import lengths
from .selection import Mapped, TableSelection, changes, map_changes
from .words import circumstances, names_in

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def maps(selections: Sequence[TableSelection]) -> Iterator[Picture]:
    """Yields the pictures of maps: one for each map that differs, which shows where; one for all
    others that are over the idle's length."""
    first = selections[0]
    differ = [mapped for other in selections[1:] for mapped, _ in changes(first, other)]
    moved = {n for n, mapped in enumerate(first.maps) if mapped in differ}
    same = [n for n in range(len(first.maps)) if n not in moved]
    by_length = [n for n in same if first.maps[n].idle_ns is None]
    groups = [[n] for n in sorted(moved)]
    groups += [by_length] if by_length else []
    for group in [*groups, *([n] for n in same if n not in by_length)]:
        shown = selections if group[0] in moved else selections[:1]
        rows = [
            (label, selection, selection.maps[number])
            for number in group
            for label, selection in _alike(shown, number)
        ]
        unmoved = len(selections) > 1 and group[0] not in moved
        draw, table = _picture(rows, ", the same in all" if unmoved else "")
        against = rows[0][0] if group[0] in moved else ""
        yield Picture(partial(_drawing, draw, shown, against), table)


def _drawing(
    draw: "Callable[[], Element]", shown: Sequence[TableSelection], against: str
) -> Drawing:
    """Returns a picture with its legend. against: the row that marks are beside; "": none."""
    samples = legend(_numbered(shown))
    if against:
        samples = (*samples, (svg.swatch_near("marked"), f"not as {against}"))
    return Drawing(draw(), samples)


def _numbered(selections: Sequence[TableSelection]) -> list[tuple[str, Iterable[tuple[int, str]]]]:
    """(title, numbered states) for each table, and for each kernel if a table's numbers depend on
    the kernel."""
    # whatever governor: it changes no names
    first = [s for s in selections if s.governor == selections[0].governor]
    named = _grouped(first, lambda s: (s.table, s.names))
    table2names: dict[tuple[str, int], set[str]] = {}
    for _, selection in named:
        for number, name in enumerate(selection.names):
            table2names.setdefault((selection.table, number), set()).add(name)
    fixed = all(len(names) == 1 for names in table2names.values())
    return [(s.table if fixed else label, enumerate(s.names)) for label, s in named]


def _alike(selections: Sequence[TableSelection], number: int) -> list[tuple[str, TableSelection]]:
    """Selections whose map `number` is equal share a row, under all their names."""
    if len(selections) == 1:
        return [(circumstances(selections[0].maps[number]), selections[0])]
    return _grouped(selections, lambda s: (s.table, s.names, s.maps[number].ranges))


def _grouped(
    selections: Sequence[TableSelection], key: Callable[[TableSelection], Hashable]
) -> list[tuple[str, TableSelection]]:
    """Returns the first of the selections with equal keys, under the names of all."""
    groups: dict[Hashable, list[TableSelection]] = {}
    for selection in selections:
        groups.setdefault((selection.governor, key(selection)), []).append(selection)
    governors = len({s.governor for s in selections}) > 1
    kernels = list(dict.fromkeys(s.release.name for s in selections))
    several = len({s.table for s in selections}) > 1
    found = []
    for group in groups.values():
        ranges = kernel_ranges([s.release.name for s in group], kernels)
        whose = f"{group[0].table}, " if several else ""
        whose += f"{group[0].governor} of " if governors else ""
        found.append((f"{whose}Linux {ranges}", group[0]))
    return found


def _picture(
    rows: Sequence[tuple[str, TableSelection, Mapped]], same: str
) -> "tuple[Callable[[], Element], Rows]":
    """Returns what draws maps, and lists them. same: behind the caption."""
    _, first, one = rows[0]
    fixed = circumstances(one)
    over_timer = one.idle_ns is not None
    what = "time to the next timer" if over_timer else "idle length"
    shared = "" if len({circumstances(mapped) for _, _, mapped in rows}) > 1 else fixed
    about = f"{'Next timer' if over_timer else 'Idle length'} and selected state"
    caption = f"{about}{same}: {shared}" if shared else about + same
    drawn = [
        BandRow(
            label,
            tuple(_band(selection, r) for r in mapped.ranges),
            tuple(_marked(first, one, selection, mapped)) if shared else (),
        )
        for label, selection, mapped in rows
    ]
    return map_of(caption, what, "Map", drawn)


def map_of(
    caption: str, what: str, of: str, rows: Sequence[BandRow]
) -> "tuple[Callable[[], Element], Rows]":
    """Returns what draws rows of band()s, and lists them, equal rows together. what: along which
    they are; of: what each row is of."""
    alike: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for row in rows:
        bands = tuple(band.tip.partition(": ")[::2] for band in row.bands)
        alike.setdefault(bands, []).append(row.label)

    def draw() -> "Element":
        firsts = [band.first for row in rows for band in row.bands]
        return pictures.bands(
            caption,
            f"A row for each of {'; '.join(row.label for row in rows)}. Bands along a logarithmic "
            f"scale of the {what} carry the number of the state that is selected.",
            rows,
            svg.times(firsts, f"{what}, every idle period alike"),
        )

    lines = (
        ("; ".join(labels) if place == 0 else "", *cells)
        for bands, labels in alike.items()
        for place, cells in enumerate(bands)
    )
    return draw, Rows((of, what.capitalize(), "Selected"), (*lines,), caption, NO_NUMBERS)


def _marked(
    a: TableSelection, before: Mapped, b: TableSelection, now: Mapped
) -> Iterator[tuple[float, float, str]]:
    """Yields the stretches in which a row selects other states than the first."""
    for each in map_changes(a.names, before.ranges, b.names, now.ranges):
        last = float("inf") if each.last_ns is None else each.last_ns + 1
        words = f"{'/'.join(each.a)} -> {'/'.join(each.b)}"
        yield each.first_ns, last, f"{lengths(each.first_ns, each.last_ns)}: {words}"


def _band(selection: TableSelection, r: Range) -> Band:
    # ladder may select one past the last state
    some = {n: selection.names[n] for n in sorted(r.states) if n < len(selection.names)}
    return band(r.first_ns, r.last_ns, some, names_in(selection, r))


def band(first: int, last: int | None, number2name: Mapping[int, str], what: str) -> Band:
    """Returns the band of the idles that take states. what: these in words."""
    short = "+".join(map(str, number2name))
    name = f"{short} {' and '.join(number2name.values())}"
    end = float("inf") if last is None else last + 1
    tip = f"{lengths(first, last)}: {what}"
    return Band(first, end, (*number2name,), short, name, tip, pictures.edge(first))
