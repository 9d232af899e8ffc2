"""select: the selection map, a band for each range of idle lengths, kernel by kernel."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from xml.etree.ElementTree import Element

from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
from ...base.report.html.shares import legend
from ...base.report.sheet import NO_NUMBERS, Drawing, Lines, Part, Picture, Rows, Section, Sheet
from ...base.wording import plural
from ..linux.governors.ladder_steps import LadderStep
from ..linux.governors.steady import Range
from ..linux.kernel_ranges import kernel_ranges
from ..pipeline import Journey
from ..show.said import sections as stages
from . import said as select_output
from . import said_domains as select_domains
from . import said_limits as limits
from .answer import Selections
from .idle_lengths import lengths
from .said_changes import Changed, each, reach
from .selection import Mapped, SelectionChange, TableSelection


def _title(selections: Sequence[TableSelection]) -> str:
    first = selections[0]
    names = list(dict.fromkeys(s.table for s in selections if s.table))
    of = f"{' and '.join(names)}: " if names else ""
    kernels = list(dict.fromkeys(s.release.name for s in selections))
    return f"{of}{first.governor} of Linux {kernel_ranges(kernels, kernels)}, HZ {first.hz}"


Maps = tuple[tuple[str, tuple[SelectionChange, ...]], ...]
"""(the map's circumstances, what changes in it)."""


def _headline(selections: Sequence[TableSelection], changed: Changed) -> tuple[str, ...]:
    """What changes from the first table or kernel on, or what is selected."""
    first = selections[0]
    if not changed:
        return (_selected(first),)
    return tuple(
        f"{label} instead of {_short(first)}: {_most(first, maps)}"
        for label, maps, _ in _changed(selections, changed)
    )


def _changed(
    selections: Sequence[TableSelection], changed: Changed
) -> Iterator[tuple[str, Maps, tuple[str, ...]]]:
    """(label, what changes in maps, sentences on states): kernels with equal changes together."""
    alike: dict[tuple[str, Maps, tuple[str, ...]], list[str]] = {}
    for other, some in changed:
        maps = tuple((select_output.circumstances(m), tuple(changes)) for m, changes in some)
        said = tuple(line for line in reach(selections[0], other) if line)
        alike.setdefault((other.table, maps, said), []).append(other.release.name)
    kernels = list(dict.fromkeys(s.release.name for s in selections))
    for (table, maps, said), names in alike.items():
        whose = f"{table}, " if table else ""
        yield f"{whose}Linux {kernel_ranges(names, kernels)}", maps, said


def _selected(selection: TableSelection) -> str:
    mapped = selection.maps[0]
    what = "time to the next timer" if mapped.idle_ns is not None else "idle length"
    some = [f"{lengths(r.first_ns, r.last_ns)} {_taken(selection, r)}" for r in mapped.ranges]
    return f"{select_output.circumstances(mapped)}, by {what}: {'; '.join(some)}"


def _most(first: TableSelection, maps: Maps) -> str:
    """How many maps change, and where most: over the range that ends at the greatest multiple of
    its beginning."""
    if not maps:
        return "nothing changes"

    def width(item: tuple[str, SelectionChange]) -> float:
        change = item[1]
        end = float("inf") if change.last_ns is None else change.last_ns + 1
        return end / max(change.first_ns, 1)

    where, most = max(((where, c) for where, some in maps for c in some), key=width)
    return (
        f"{len(maps)} of {plural(len(first.maps), 'map')} change, most of all for idles of "
        f"{lengths(most.first_ns, most.last_ns)}: {each(most.a)} → {each(most.b)} ({where})"
    )


def sheet(found: Selections, journeys: Sequence[Journey]) -> Sheet:
    """Returns the page's contents."""
    selections, changed = found.selections, found.changed
    sections = [Section("What is selected", tuple(_maps(selections)))]
    if len(selections) > 1:
        sections.append(_changes(selections, changed))
    sections += [
        Section(title or "Remarks: power domains", (Lines(tuple(line.strip() for line in lines)),))
        for title, lines in select_domains.blocks(selections)
    ]
    sections += [Section(title, (Lines(tuple(lines)),)) for title, lines in limits.blocks(found)]
    sections += [_steps(selection) for selection in selections if selection.steps]
    sections += [
        Section(f"Remarks: {select_output.title(selection)}", (Lines(tuple(said)),))
        for selection in selections
        if (said := _joined(select_output.remarks(selection)))
    ]
    if not journeys:
        sections.append(_states(selections[0]))
    sections += [section for journey in journeys for section in stages(journey)]
    return Sheet(_title(selections), _headline(selections, changed), tuple(sections))


def _maps(selections: Sequence[TableSelection]) -> list[Part]:
    """The pictures of maps: of one selection, a picture for all that are over the idle's length; of
    several, a picture for each map, which shows where they differ."""
    samples = legend(_numbered(selections))
    numbers = range(len(selections[0].maps))
    if len(selections) == 1:
        maps = selections[0].maps
        by_length = [n for n in numbers if maps[n].idle_ns is None]
        groups = [by_length, *([n] for n in numbers if n not in by_length)]
    else:
        groups = [[n] for n in numbers]
    parts: list[Part] = []
    for group in groups:
        rows = [
            (label, selection, selection.maps[number])
            for number in group
            for label, selection in _alike(selections, number)
        ]
        drawing, table = _picture(rows)
        parts.append(Picture(partial(Drawing, drawing, samples), table))
    return parts


def _numbered(selections: Sequence[TableSelection]) -> list[tuple[str, Iterable[tuple[int, str]]]]:
    """(title, numbered states) for each table, and for each kernel if a table's numbers depend on
    the kernel."""
    named = _grouped(selections, lambda s: (s.table, s.names))
    table2names: dict[tuple[str, int], set[str]] = {}
    for _, selection in named:
        for number, name in enumerate(selection.names):
            table2names.setdefault((selection.table, number), set()).add(name)
    fixed = all(len(names) == 1 for names in table2names.values())
    return [(s.table if fixed else label, enumerate(s.names)) for label, s in named]


def _alike(selections: Sequence[TableSelection], number: int) -> list[tuple[str, TableSelection]]:
    """Selections whose map `number` is equal share a row, under all their names."""
    if len(selections) == 1:
        return [(select_output.circumstances(selections[0].maps[number]), selections[0])]
    return _grouped(selections, lambda s: (s.table, s.names, s.maps[number].ranges))


def _grouped(
    selections: Sequence[TableSelection], key: Callable[[TableSelection], Hashable]
) -> list[tuple[str, TableSelection]]:
    """Of selections with equal keys, the first, under the names of all."""
    groups: dict[Hashable, list[TableSelection]] = {}
    for selection in selections:
        groups.setdefault(key(selection), []).append(selection)
    kernels = list(dict.fromkeys(s.release.name for s in selections))
    several = len({s.table for s in selections}) > 1
    found = []
    for group in groups.values():
        ranges = kernel_ranges([s.release.name for s in group], kernels)
        whose = f"{group[0].table}, " if several else ""
        found.append((f"{whose}Linux {ranges}", group[0]))
    return found


def _picture(rows: Sequence[tuple[str, TableSelection, Mapped]]) -> tuple[Element, Rows]:
    one = rows[0][2]
    fixed = select_output.circumstances(one)
    over_timer = one.idle_ns is not None
    what = "time to the next timer" if over_timer else "idle length"
    shared = (
        "" if len({select_output.circumstances(mapped) for _, _, mapped in rows}) > 1 else fixed
    )
    about = f"{'Next timer' if over_timer else 'Idle length'} and selected state"
    caption = f"{about}: {shared}" if shared else about
    starts = [r.first_ns for _, _, mapped in rows for r in mapped.ranges]
    drawing = pictures.bands(
        caption,
        f"A row for each of {'; '.join(label for label, _, _ in rows)}. Bands along a logarithmic "
        f"scale of the {what} carry the number of the state that is selected.",
        [
            BandRow(label, tuple(_band(selection, r) for r in mapped.ranges))
            for label, selection, mapped in rows
        ],
        svg.times(starts, f"{what}, every idle period alike"),
    )
    alike: dict[Hashable, tuple[list[str], list[tuple[str, str]]]] = {}
    for label, selection, mapped in rows:
        selected = [(lengths(r.first_ns, r.last_ns), _taken(selection, r)) for r in mapped.ranges]
        alike.setdefault(tuple(selected), ([], selected))[0].append(label)
    lines = [
        ("; ".join(labels) if place == 0 else "", *cells)
        for labels, selected in alike.values()
        for place, cells in enumerate(selected)
    ]
    return drawing, Rows(("map", what, "selected"), tuple(lines), caption, NO_NUMBERS)


def _band(selection: TableSelection, r: Range) -> Band:
    # ladder may select one past the last state
    series = tuple(sorted(state for state in r.states if state < len(selection.names)))
    short = "+".join(str(number) for number in series)
    name = f"{short} {' and '.join(selection.names[number] for number in series)}"
    last = float("inf") if r.last_ns is None else r.last_ns + 1
    whole = f"{lengths(r.first_ns, r.last_ns)}: {_taken(selection, r)}"
    return Band(r.first_ns, last, series, short, name, whole, pictures.edge(r.first_ns))


def _taken(selection: TableSelection, r: Range) -> str:
    return select_output.taken(selection, r)


def _steps(selection: TableSelection) -> Section:
    def row(step: LadderStep) -> tuple[str, ...]:
        name = selection.taken((step.source,))[0]
        way = select_output.way(selection, step)
        return name, lengths(step.first_ns, step.last_ns), way

    table = Rows(
        ("in", "idles measured", "leads"),
        tuple(map(row, selection.steps)),
        "From state to state",
        NO_NUMBERS,
    )
    return Section(f"Steps: {select_output.title(selection)}", (table,))


def _changes(selections: Sequence[TableSelection], changed: Changed) -> Section:
    parts: list[Part] = []
    for label, maps, said in _changed(selections, changed):
        caption = f"From {_short(selections[0])} to {label}"
        rows = tuple(
            (where, lengths(change.first_ns, change.last_ns), each(change.a), each(change.b))
            for where, some in maps
            for change in some
        )
        if rows:
            parts.append(
                Rows(("map", "idle length or timer", "before", "now"), rows, caption, NO_NUMBERS)
            )
        else:
            said = (f"{caption}: nothing changes", *said)
        if said:
            parts.append(Lines(said))
    return Section("What changes", tuple(parts))


def _short(selection: TableSelection) -> str:
    of = f"{selection.table}, " if selection.table else ""
    return f"{of}Linux {selection.release.name}"


def _states(selection: TableSelection) -> Section:
    rows = tuple(
        (
            name,
            str(number),
            svg.time(state.exit_ns) if state.exit_ns else "0",
            svg.time(state.residency_ns) if state.residency_ns else "0",
            "polling" if state.polling else "off" if number in selection.disabled else "",
        )
        for number, (name, state) in enumerate(zip(selection.names, selection.states, strict=True))
    )
    head = ("state", "number", "exit latency", "target residency", "")
    return Section("States", (Rows(head, rows, "As given", frozenset({1, 2, 3})),))


def _joined(lines: Sequence[str]) -> list[str]:
    """Joins indented lines to the line before them."""
    found: list[str] = []
    for line in lines:
        if line.startswith("  ") and found:
            found[-1] = f"{found[-1]} {line.strip()}"
        else:
            found.append(line)
    return found
