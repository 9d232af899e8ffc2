"""select, for people and for programs."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from ...base.dataclass import replace
from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.wording import joined
from ..linux import grounds
from ..linux.asked import FAR_NS, NO_LIMIT_US
from ..linux.governors import not_utilised
from ..linux.governors.interface import NO_STATE
from ..linux.governors.ladder_steps import LadderStep
from ..linux.governors.steady import Range
from .idle_lengths import lengths
from .selection import Mapped, TableSelection

Content = TypeVar("Content", bound=Hashable)
NARROW = 60
"""Columns that headings keep to."""


def text(selection: TableSelection, style: Style) -> str:
    """Returns a block for each map, then the states that are never selected. Lines fit 60 columns
    unless names are long."""
    selection = _printable(selection)
    lines = [style("strong", title(selection)), *_states(selection)]
    shown = [(m, m.ranges) for m in selection.maps if m.circumstances.next_timer_ns == FAR_NS]
    for titles, ranges in grouped(shown):
        lines += ["", *(style("strong", line) for line in titles)]
        if any(m.idle_ns is not None and m.ranges is ranges for m, _ in shown):
            lines.append("  by the time to the next timer:")
        lines += aligned((lengths(r.first_ns, r.last_ns), taken(selection, r)) for r in ranges)
    for fixed, maps in _by_timer(selection.maps).items():
        lines += ["", *(style("strong", line) for line in _timer_title(*fixed))]
        lines += _timer_table(maps)
    lines += _steps(selection, style)
    return "\n".join([*lines, "", *remarks(selection)]).rstrip("\n") + "\n"


def _printable(selection: TableSelection) -> TableSelection:
    """Returns the selection with names that are safe to print on a terminal."""
    names = tuple(printable(name) for name in selection.names)
    return replace(selection, names=names)


def title(selection: TableSelection) -> str:
    of = f"{printable(selection.table)}: " if selection.table else ""
    return f"{of}{selection.governor} of Linux {selection.release.name}, HZ {selection.hz}"


def aligned(rows: Iterable[tuple[str, str]]) -> list[str]:
    pairs = [(printable(left), printable(right)) for left, right in rows]
    wide = max(len(left) for left, _ in pairs)
    return [f"  {left:>{wide}}  {right}" for left, right in pairs]


def grouped(
    contents: Iterable[tuple[Mapped, Content]],
) -> list[tuple[list[str], Content]]:
    """Groups maps of equal content. Returns (titles, content) for each group, in order."""
    groups: dict[Content, list[str]] = {}
    for mapped, content in contents:
        groups.setdefault(content, []).append(heading(mapped))
    return [(titles, content) for content, titles in groups.items()]


def circumstances(mapped: Mapped) -> str:
    """Returns in a few words what ends the idle period, whether the tick runs, and the latency
    limit."""
    fixed = mapped.circumstances
    if mapped.idle_ns is not None:
        ended = f"interrupt after {mapped.idle_ns // 1000} us"
    elif fixed.timer_driven:
        ended = "timer"
    elif fixed.next_timer_ns == FAR_NS:
        ended = "interrupt"
    else:
        ended = f"interrupt, timer {fixed.next_timer_ns // 1000} us"
    limit = "" if fixed.limit_us == NO_LIMIT_US else f", limit {fixed.limit_us} us"
    return f"{ended}, tick {'stopped' if fixed.tick_stopped else 'running'}{limit}"


def heading(mapped: Mapped) -> str:
    fixed = mapped.circumstances
    tick = "stopped" if fixed.tick_stopped else "running"
    if mapped.idle_ns is not None:
        what = f"Idle ended by an interrupt after {mapped.idle_ns // 1000} us"
    elif fixed.timer_driven:
        what = "Idle ended by the next timer"
    elif fixed.next_timer_ns == FAR_NS:
        what = "Idle ended by an interrupt, timer 10 s away"
    else:
        what = f"Idle ended by an interrupt, timer {fixed.next_timer_ns // 1000} us away"
    head = f"{what}, tick {tick}"
    if fixed.limit_us == NO_LIMIT_US:
        return head
    limit = f"latency limit {fixed.limit_us} us"
    return f"{head}, {limit}" if len(head + limit) + 2 <= NARROW else f"{head},\n  {limit}"


def _states(selection: TableSelection) -> list[str]:
    wide = max(len(name) for name in selection.names)
    return [
        f"  {number} {selection.names[number]:<{wide}}  "
        f"{state.exit_ns // 1000}/{state.residency_ns // 1000} us"
        + (" polling" if state.polling else "")
        + (" off" if number in selection.disabled else "")
        for number, state in enumerate(selection.states)
    ]


def taken(selection: TableSelection, r: Range) -> str:
    """Returns the names of the states selected in a range."""
    names = selection.taken(r.states)
    return names[0] if len(names) == 1 else f"{joined(names)} in turn"


def _by_timer(maps: Sequence[Mapped]) -> dict[tuple[bool, int], list[Mapped]]:
    """Returns, for each (tick stopped, latency limit), the maps that differ in the next timer, the
    farthest last; combinations without nearer timers are left out."""
    found: dict[tuple[bool, int], list[Mapped]] = {}
    for mapped in sorted(maps, key=lambda mapped: mapped.circumstances.next_timer_ns):
        fixed = mapped.circumstances
        if mapped.idle_ns is None and not fixed.timer_driven:
            found.setdefault((fixed.tick_stopped, fixed.limit_us), []).append(mapped)
    return {key: some for key, some in found.items() if len(some) > 1}


def _timer_title(tick_stopped: bool, limit_us: int) -> list[str]:
    limit = "" if limit_us == NO_LIMIT_US else f", limit {limit_us} us"
    return [
        f"Interrupt before a timer, tick {'stopped' if tick_stopped else 'running'}{limit}",
        "numbers of states; +: in turn; -: the timer comes first",
    ]


def _timer_table(maps: Sequence[Mapped]) -> list[str]:
    """Returns a table as lines: a row for each idle length, a column for each time to the next
    timer."""
    starts = sorted({r.first_ns for mapped in maps for r in mapped.ranges})
    starts += [mapped.circumstances.next_timer_ns for mapped in maps[:-1]]
    starts = sorted(set(starts))
    timers = [mapped.circumstances.next_timer_ns for mapped in maps]
    head = ["10 s" if timer == FAR_NS else f"{timer // 1000} us" for timer in timers]
    rows: list[tuple[int, list[str]]] = []
    for start in starts:
        cells = [_cell(mapped.ranges, start) for mapped in maps]
        if not rows or rows[-1][1] != cells:
            rows.append((start, cells))
    ends: list[int | None] = [start - 1 for start, _ in rows[1:]]
    labels = [lengths(start, end) for (start, _), end in zip(rows, [*ends, None], strict=True)]
    wide = max(map(len, labels))
    lines = [f"  {'timer in':>{wide}}  " + "  ".join(head)]
    for label, (_, cells) in zip(labels, rows, strict=True):
        padded = (f"{cell:<{len(top)}}" for cell, top in zip(cells, head, strict=True))
        lines.append(f"  {label:>{wide}}  {'  '.join(padded)}".rstrip())
    return lines


def _cell(ranges: Sequence[Range], length_ns: int) -> str:
    fitting = (r for r in ranges if r.last_ns is None or r.last_ns >= length_ns)
    found = next(fitting, None)
    if found is None:
        return "-"
    return "+".join("none" if state == NO_STATE else str(state) for state in sorted(found.states))


def _steps(selection: TableSelection, style: Style) -> list[str]:
    lines = []
    source = None
    for step in selection.steps:
        if step.source != source:
            source = step.source
            lines += ["", style("strong", f"In {selection.names[source]}, idles measured")]
        lines.append(f"  {lengths(step.first_ns, step.last_ns):>18}  {way(selection, step)}")
    return lines


def way(selection: TableSelection, step: LadderStep) -> str:
    """Returns in words which state a step of ladder leads to, and after how many idle periods."""
    if step.after == 0:
        return "stay"
    name = selection.names[step.to]
    return f"{'up' if step.to > step.source else 'down'} to {name} " + (
        "at once" if step.after == 1 else f"after {step.after}"
    )


def remarks(selection: TableSelection) -> list[str]:
    """Returns sentences: the states never selected, and the assumptions of the maps."""
    lines = []
    if selection.unreachable:
        never = [selection.names[i] for i in selection.unreachable]
        lines.append(f"Never selected in any of these: {joined(never)}")
    if selection.level_with_snooze:
        level = [selection.names[i] for i in selection.level_with_snooze]
        lines.append(f"As cheap to leave as {selection.names[0]}: {joined(level)}")
    for number, ranges in selection.locked.items():
        kept = joined([lengths(r.first_ns, r.last_ns) for r in ranges])
        lines.append(f"Once in {selection.names[number]}, idles of {kept} keep selecting it:")
        lines.append(f"  its wake-up of {selection.wake_ns} ns counts as idle time")
    if selection.steps:
        lines.append("ladder counts to 4 in all while in a state, in a row or not;")
        lines.append("  an idle shorter than the exit latency counts as endless")
    lines += not_utilised(selection.governor, [selection.release])
    return [*lines, *grounds.remarks([selection.release], selection.governor)]
