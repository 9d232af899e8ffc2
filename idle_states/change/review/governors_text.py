"""The lines of a review on governors whose source changes."""

from collections.abc import Iterator, Sequence

from ...base.wording import few, joined, plural
from ...tables.selection.idle_lengths import lengths
from ...tables.selection.selection import SelectionChange
from .governors import GovernorChange, JudgedDecisions, MapChange

_SHOWN = 2
"""Ranges of one map that are shown."""


def verdict(change: GovernorChange) -> str:
    """Returns the outcome in a few words."""
    if change.unsaid:
        return f"{change.name} {change.unsaid.partition(';')[0].partition(':')[0]}"
    return f"{change.name}: {_counted(change, change.decisions)}"


def headline(change: GovernorChange) -> str:
    """Returns the outcome in a sentence."""
    name = f"{change.name} ({change.file})"
    if change.unsaid:
        return f"{name} {change.unsaid}"
    compared = sum(table.maps for table in change.tables)
    changed = sum(len(table.changed) for table in change.tables)
    return (
        f"{name}, both sides compiled and run confined, Linux {change.kernel}, HZ {change.hz}: "
        f"{_counted(change, change.decisions)}; {changed} of {compared} maps of idle lengths "
        f"change, on {plural(len(change.tables), 'table')}"
    )


def summary(change: GovernorChange) -> str:
    """Returns the outcome and the circumstance with most differences."""
    most = max(change.judged, key=lambda one: one.differ)
    return f"{headline(change)}. Most differ with {most.circumstance}: {_judged(most)}"


def decisions(change: GovernorChange) -> Iterator[str]:
    """Yields the decisions that differ, by circumstance, and the states that come and go."""
    alike: dict[str, list[str]] = {}
    for one in change.judged if change.differ + change.ticks else ():
        alike.setdefault(_judged(one), []).append(one.circumstance)
    for decided, circumstances in alike.items():
        yield f"{joined(circumstances)}: {decided}"
    for table in change.tables:
        tables = few(table.tables, _SHOWN)
        for states, what in ((table.lost, "no longer selected"), (table.gained, "selected now")):
            if states:
                yield f"{tables}: {joined(states)} {what}, in decisions and maps"


def maps(change: GovernorChange) -> Iterator[str]:
    """Yields the maps that differ, by table."""
    for table in change.tables:
        if table.changed:
            tables = few(table.tables, _SHOWN)
            first, *others = sorted(table.changed, key=lambda one: len(one.changes))
            verb = "changes" if len(others) == 1 else "change"
            more = f"; {plural(len(others), 'other map')} {verb}" if others else ""
            yield f"{tables}: {_mapped(first)}{more}"


def _counted(one: GovernorChange | JudgedDecisions, of: int, more: str = "") -> str:
    """Returns how many decisions differ. more: of those."""
    if not one.differ + one.ticks:
        return f"nothing differs in {of:,} decisions"
    ticks = f", {one.ticks:,} more about the tick" if one.ticks else ""
    return f"{one.differ:,} of {of:,} decisions differ{more}{ticks}"


def _judged(one: JudgedDecisions) -> str:
    counts = _counted(one, one.periods, f", {one.deeper:,} to a deeper state")
    if not one.differ:
        return counts
    return (
        f"{counts}; too deep {_shares(one.too_deep, one.periods)}, "
        f"too shallow {_shares(one.too_shallow, one.periods)}"
    )


def _shares(sides: tuple[int, int], of: int) -> str:
    before, after = (f"{100 * count / of:.2f}" for count in sides)
    return f"{before} -> {after} %"


def _mapped(one: MapChange) -> str:
    ended = "ended by the next timer" if one.timer_driven else "ended by an interrupt"
    tick = "stopped" if one.tick_stopped else "running"
    more = len(one.changes) - _SHOWN
    rest = f"; {plural(more, 'more range')}" if more > 0 else ""
    return f"idle {ended}, tick {tick}: {_ranges(one.changes[:_SHOWN])}{rest}"


def _ranges(some: Sequence[SelectionChange]) -> str:
    return "; ".join(
        f"{lengths(one.first_ns, one.last_ns)} {' or '.join(one.a)} -> {' or '.join(one.b)}"
        for one in some
    )
