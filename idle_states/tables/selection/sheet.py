"""The result of select: which states are selected, or what other kernels and tables change."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.units import format_time
from ...base.report.escapes.text import printable
from ...base.report.sheet import (
    NO_NUMBERS,
    Cell,
    Either,
    Lines,
    Part,
    Rows,
    Section,
    Sheet,
    Worded,
    as_is,
)
from ...base.wording import joined, plural
from ..linux import grounds
from ..linux.governors import not_utilised
from ..linux.governors.interface import NO_STATE
from ..linux.governors.source.names import is_source
from ..linux.governors.steady import Range
from ..linux.kernel_ranges import kernel_ranges
from ..linux.qos import NO_LIMIT_US
from ..linux.releases import Release
from ..linux.request_parts import FAR_NS
from ..pipeline import Journey
from . import drawn
from .answer import Selections
from .idle_lengths import lengths
from .selection import Mapped, SelectionChange, TableSelection
from .words import circumstances, grouped, names_in, title

if TYPE_CHECKING:
    from ..linux.governors.ladder_steps import LadderStep

MapChanges = Sequence[tuple[Mapped, Sequence[SelectionChange]]]
Changed = Sequence[tuple[TableSelection, MapChanges]]
"""Every other selection, with its differences from the first."""


def sheet(found: Selections, journeys: Sequence[Journey] = ()) -> Sheet:
    """Returns the whole result of `select`: the maps of one selection, or what changes from the
    first of several on, whose maps pages alone have.

    journeys  the tables through all stages, for pages
    """
    selections, changed = found.selections, found.changed
    first = selections[0]
    more: list[Section] = []
    if changed:
        pictures: Iterable[Part] = drawn.maps(selections)
        sections = [Section(Worded("", "What is selected"), tuple(pictures))]
        sections += _changes(first, changed)
        for each in selections:
            more += [*_steps(each), _remarks(each)]
        more += [] if journeys else [_states(first)]
    else:
        picture, *others = drawn.maps(selections)
        picture = replace(picture, text=_maps(first))
        selected = Section(Worded("", "What is selected"), (picture, *others))
        # a page begins with what is selected, a text ends with it
        states = Section(Worded(printable(title(first)), ""), (Either(_states(first).parts),))
        sections = [states, selected, *_timers(first), *_steps(first), _remarks(first)]
        more += [] if journeys else [_states(first)]
    if any(each.domains for each in selections):
        from . import domains_sheet

        sections += domains_sheet.sections(selections)
    if found.limits:
        from . import limits_sheet

        sections += limits_sheet.sections(found)
    for journey in journeys:
        from ..show import sheet as show  # pages alone have them

        more += show.sections(journey, full=True)
    return Sheet(
        _title(selections),
        tuple(_headline(selections, changed)),
        tuple(sections),
        further=tuple(more),
    )


def _title(selections: Sequence[TableSelection]) -> str:
    first = selections[0]
    names = list(dict.fromkeys(s.table for s in selections if s.table))
    of = f"{' and '.join(names)}: " if names else ""
    kernels = list(dict.fromkeys(s.release.name for s in selections))
    governors = ", ".join(dict.fromkeys(s.governor for s in selections))
    return f"{of}{governors} of Linux {kernel_ranges(kernels, kernels)}, HZ {first.hz}"


def _headline(selections: Sequence[TableSelection], changed: Changed) -> Iterator[str]:
    """Yields what changes most from the first table or kernel on, or what is selected."""
    first = selections[0]
    if not changed:
        yield _selected(first)
    kernels = list(dict.fromkeys(s.release.name for s in selections))
    several = any(s.governor != first.governor for s in selections)
    alike: dict[tuple[str, str], list[str]] = {}
    for other, maps in changed:
        whose = f"{other.table}, " if other.table else ""
        whose += f"{other.governor} of " if several else ""
        alike.setdefault((whose, _most(first, maps)), []).append(other.release.name)
    short = _short(first, governor=several)
    for (whose, most), names in alike.items():
        yield f"{whose}Linux {kernel_ranges(names, kernels)} instead of {short}: {most}"


def _selected(selection: TableSelection) -> str:
    """Returns what long idles take, and what shorter ones."""
    mapped = selection.maps[0]
    *shorter, last = mapped.ranges
    what = "Times to the next timer of" if mapped.idle_ns is not None else "Idle periods of"
    some = dict.fromkeys(name for r in shorter for name in selection.state_names(r.states))
    others = [name for name in some if name not in selection.state_names(last.states)]
    rest = f", shorter ones {joined(others)}" if others else ""
    length = lengths(last.first_ns, last.last_ns) if shorter else "any length"
    return f"{what} {length} take {names_in(selection, last)}{rest} ({circumstances(mapped)})"


def _most(first: TableSelection, maps: MapChanges) -> str:
    """Returns the number of changed maps, and the place of the greatest change: over the range that
    ends at the greatest multiple of its beginning."""
    if not maps:
        return "nothing changes"

    def width(item: tuple[str, SelectionChange]) -> float:
        change = item[1]
        end = float("inf") if change.last_ns is None else change.last_ns + 1
        return end / max(change.first_ns, 1)

    where, most = max(((circumstances(m), c) for m, some in maps for c in some), key=width)
    return (
        f"{len(maps)} of {plural(len(first.maps), 'map')} change, most of all for idle periods "
        f"of {lengths(most.first_ns, most.last_ns)}: {each(most.a)} → {each(most.b)} ({where})"
    )


def _short(selection: TableSelection, *, governor: bool = False) -> str:
    of = f"{selection.table}, " if selection.table else ""
    of += f"{selection.governor} of " if governor else ""
    return f"{of}Linux {selection.release.name}"


def _states(selection: TableSelection) -> Section:
    rows = []
    for number, (name, state) in enumerate(zip(selection.names, selection.states, strict=True)):
        kinds = " polling" if state.polling else ""
        kinds += " off" if number in selection.disabled else ""
        whole = f"{state.exit_ns // 1000}/{state.residency_ns // 1000} us"
        times = f"{format_time(state.exit_ns)}/{format_time(state.residency_ns)}"
        rows.append((f"{number} {name}", Worded(whole + kinds, times + kinds)))
    head = (Worded("", "State"), Worded("", "Exit latency/target residency"))
    table = Rows(head, tuple(rows), "As given", NO_NUMBERS, right=frozenset())
    return Section(title(selection), (table,))


def _maps(selection: TableSelection) -> Rows:
    """Returns the ranges of each map whose timer is far, maps of equal ranges together."""
    shown = [(m, m.ranges) for m in selection.maps if m.circumstances.next_timer_ns == FAR_NS]
    rows: list[tuple[Cell, ...]] = []
    for titles, ranges in grouped(shown):
        by_timer = any(m.idle_ns is not None and m.ranges is ranges for m, _ in shown)
        above = [*titles, *(["  by the time to the next timer:"] if by_timer else [])]
        cells = [(lengths(r.first_ns, r.last_ns), names_in(selection, r)) for r in ranges]
        rows += _below(above, cells)
    return _ranged(rows, "Selected")


def _below(titles: Sequence[str], cells: Iterable[tuple[str, str]]) -> Iterator[tuple[Cell, ...]]:
    """Yields rows whose first one has titles: in text lines above them, joined by "and"."""
    above: Cell = Worded("\n".join(titles).replace("\nIdle", ", and\nIdle"), "; ".join(titles))
    for each in cells:
        yield above, *each
        above = ""


def _ranged(
    rows: Iterable[tuple[Cell, ...]], what: str, first: str = "  ", between: str = "\n"
) -> Rows:
    """Returns the table of (titles, lengths, what)."""
    head = tuple(Worded("", words) for words in ("Map", "Idle length or timer", what))
    right = frozenset({0})
    return Rows(
        head, tuple(rows), "By circumstances", NO_NUMBERS, right=right, first=first, between=between
    )


def _by_timer(maps: Sequence[Mapped]) -> dict[tuple[bool, int], list[Mapped]]:
    """Returns, for each (tick stopped, latency limit), the maps that differ in the next timer, the
    farthest last; combinations without nearer timers are left out."""
    found: dict[tuple[bool, int], list[Mapped]] = {}
    for mapped in sorted(maps, key=lambda mapped: mapped.circumstances.next_timer_ns):
        fixed = mapped.circumstances
        if mapped.idle_ns is None and not fixed.timer_driven:
            found.setdefault((fixed.tick_stopped, fixed.limit_us), []).append(mapped)
    return {key: some for key, some in found.items() if len(some) > 1}


def _timers(selection: TableSelection) -> Iterator[Section]:
    for (tick_stopped, limit_us), maps in _by_timer(selection.maps).items():
        limit = "" if limit_us == NO_LIMIT_US else f", limit {limit_us} us"
        tick = "stopped" if tick_stopped else "running"
        head = f"Interrupt before a timer, tick {tick}{limit}"
        below = "numbers of states; +: in turn; -: the timer comes first"
        yield Section(Worded(f"{head}\n{below}", f"{head}: {below}"), (_timer_table(maps),))


def _timer_table(maps: Sequence[Mapped]) -> Rows:
    """Returns a table: a row for each idle length, a column for each time to the next
    timer."""
    starts = sorted({r.first_ns for mapped in maps for r in mapped.ranges})
    starts += [mapped.circumstances.next_timer_ns for mapped in maps[:-1]]
    starts = sorted(set(starts))
    timers = [mapped.circumstances.next_timer_ns for mapped in maps]
    head = (as_is("10 s" if timer == FAR_NS else f"{timer // 1000} us") for timer in timers)
    rows: list[tuple[int, list[str]]] = []
    for start in starts:
        cells = [_cell(mapped.ranges, start) for mapped in maps]
        if not rows or rows[-1][1] != cells:
            rows.append((start, cells))
    ends: list[int | None] = [start - 1 for start, _ in rows[1:]]
    labels = [lengths(start, end) for (start, _), end in zip(rows, [*ends, None], strict=True)]
    table = tuple((label, *cells) for label, (_, cells) in zip(labels, rows, strict=True))
    return Rows((as_is("timer in"), *head), table, numbers=NO_NUMBERS, right=frozenset({0}))


def _cell(ranges: Sequence[Range], length_ns: int) -> str:
    fitting = (r for r in ranges if r.last_ns is None or r.last_ns >= length_ns)
    found = next(fitting, None)
    if found is None:
        return "-"
    return "+".join("none" if state == NO_STATE else str(state) for state in sorted(found.states))


def _steps(selection: TableSelection) -> Iterator[Section]:
    """Yields the steps of ladder from each state on."""
    source2lines: dict[int, list[str]] = {}
    for step in selection.steps:
        line = f"{lengths(step.first_ns, step.last_ns):>18}  {way(selection, step)}"
        source2lines.setdefault(step.source, []).append(line)
    for source, lines in source2lines.items():
        head = f"In {selection.names[source]}, measured idle periods"
        whose = Worded(printable(head), f"{title(selection)}: {head}")
        yield Section(whose, (Lines(tuple(lines), first="  "),))


def way(selection: TableSelection, step: "LadderStep") -> str:
    """Returns in words which state a step of ladder leads to, and after how many idle periods."""
    if step.after == 0:
        return "stay"
    name = selection.names[step.to]
    return f"{'up' if step.to > step.source else 'down'} to {name} " + (
        "at once" if step.after == 1 else f"after {step.after}"
    )


def _remarks(selection: TableSelection) -> Section:
    whose = Worded("", f"Remarks: {title(selection)}")
    return Section(whose, (Lines(tuple(remarks(selection))),))


def remarks(selection: TableSelection) -> Iterator[Cell]:
    """Yields sentences: the states never selected, and the assumptions of the maps."""
    names = tuple(map(printable, selection.names))
    if selection.unreachable:
        never = joined([names[i] for i in selection.unreachable])
        yield f"Never selected in any of these: {never}"
    if selection.level_with_snooze:
        level = joined([names[i] for i in selection.level_with_snooze])
        yield f"As cheap to leave as {names[0]}: {level}"
    for number, ranges in selection.locked.items():
        kept = joined([lengths(r.first_ns, r.last_ns) for r in ranges])
        yield _broken(
            f"Once in {names[number]}, idle periods of {kept} keep it selected:",
            f"its wake-up of {selection.wake_ns} ns counts as idle time",
        )
    if selection.steps:
        yield _broken(
            "ladder moves after 4 idle periods, in a row or not;",
            "one shorter than the exit latency counts as endless",
        )
    yield from not_utilised(selection.governor, [selection.release])
    yield from _grounds([selection.release], [selection.governor])


def _grounds(releases: Sequence[Release], governors: Sequence[str]) -> Iterator[str]:
    """Yields how well governors are known, and how ranges of those without a model are found."""
    yield from grounds.remarks(releases, *governors)
    if sources := [each for each in governors if is_source(each)]:
        yield f"ranges of {joined(sources)} are found by trying lengths, not proven"


def _broken(first: str, rest: str) -> Worded:
    """Returns a sentence that text breaks."""
    return Worded(f"{first}\n  {rest}", f"{first} {rest}")


def _changes(first: TableSelection, changed: Changed) -> Iterator[Section]:
    yield Section("", (Lines((Worded(f"From  {printable(title(first))}", ""),)),))
    shown: list[tuple[TableSelection, MapChanges]] = []
    for other, maps in changed:
        to = title(other)
        parts: tuple[Part, ...] = ()
        if not maps:
            beside = "" if other.domains == first.domains else " but what power domains enter"
            parts = (Lines((f"nothing changes{beside}",), first="  "),)
        as_before = [same for same, known in shown if (same.table, known) == (other.table, maps)]
        if maps and as_before:
            parts = (Lines((f"the same changes as to {title(as_before[0])}",), first="  "),)
        yield Section(Worded(f"to    {printable(to)}", f"From {_short(first)} to {to}"), parts)
        shown.append((other, maps))
        yield Section("", () if as_before else (moved(maps),))
        yield from (Section("", (Lines((line,)),)) for line in reach(first, other))
    if any(maps for _, maps in changed):
        yield Section("", (Lines(("idle lengths that are not listed do not change",)),))
    selections = (first, *(other for other, _ in changed))
    governors = list(dict.fromkeys(selection.governor for selection in selections))
    releases = list(dict.fromkeys(selection.release for selection in selections))
    rests = [line for each in governors for line in not_utilised(each, releases)]
    if len(governors) > 1:
        rests += _grounds(releases, governors)
    yield Section("", (Lines(tuple(rests)),))


def moved(maps: MapChanges, first: str = "  ", between: str = "\n") -> Rows:
    """Returns what changes in maps, those with equal changes together. first, between: of text."""
    rows: list[tuple[Cell, ...]] = []
    for titles, some in grouped((mapped, tuple(some)) for mapped, some in maps):
        cells = [(lengths(c.first_ns, c.last_ns), f"{each(c.a)} -> {each(c.b)}") for c in some]
        rows += _below(titles, cells)
    return _ranged(rows, "Change", first, between)


def reach(first: TableSelection, other: TableSelection) -> list[str]:
    """Returns sentences on states that both tables have but only one selection takes."""
    before, now = ({s.names[i] for i in s.unreachable} for s in (first, other))
    found = []
    for label, names in (("No longer selected", now - before), ("Newly selected", before - now)):
        known = [name for name in first.names if name in names and name in other.names]
        if known:
            found.append(f"{label}: {joined(known)}")
    return found


def each(names: Sequence[str]) -> str:
    """Returns the names of what is selected in turn as one word, a/b."""
    return "/".join(names)
