"""Selections in words: their title, the circumstances of maps, the states taken."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

from ...base.wording import joined
from ..linux.governors.steady import Range
from ..linux.qos import NO_LIMIT_US
from ..linux.request_parts import FAR_NS
from .selection import Mapped, TableSelection

Content = TypeVar("Content", bound=Hashable)
NARROW = 60
"""Columns that headings keep to."""


def title(selection: TableSelection) -> str:
    of = f"{selection.table}: " if selection.table else ""
    return f"{of}{selection.governor} of Linux {selection.release.name}, HZ {selection.hz}"


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


def names_in(selection: TableSelection, r: Range) -> str:
    """Returns the names of the states selected in a range."""
    names = selection.state_names(r.states)
    return names[0] if len(names) == 1 else f"{joined(names)} in turn"
