"""The rows that a change changes, adds or removes, and their places."""

from collections.abc import Iterator, Mapping

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Location
from ...base.model.table import IdleState, IdleTable
from ...base.model.units import format_time
from ...tables.sources import Source

TIMES = ("latency", "residency")
FIELDS = (*TIMES, "flags", "control", "mask")
"""The fields of `IdleState.values()` after the name."""


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row that a commit changes, adds or removes in a table that exists before and after it.

    table   source with the row's table, after the commit
    before  the row before the commit, None if it is added
    after   the row after the commit, None if it is removed
    where   place of the row after the commit; of a removed row, of the table
    """

    table: Source
    name: str
    before: IdleState | None
    after: IdleState | None
    where: Location


def changed_rows(before: Source, after: Source) -> Iterator[ChangedRow]:
    """The rows that differ between two sources. Both must have tables."""
    assert before.table is not None
    assert after.table is not None
    old, new = _by_name(before.table), _by_name(after.table)
    for name in dict.fromkeys([*new, *old]):
        a, b = old.get(name), new.get(name)
        if a is None or b is None or a.values() != b.values():
            yield ChangedRow(after, name, a, b, _where(after.table, a, b))


def steps(row: ChangedRow, field: str) -> list[tuple[int | None, int | None]]:
    """[(time before, time after)] in ns if the row's time changes, else []."""
    before, after = time_of(row.before, field), time_of(row.after, field)
    return [(before, after)] if before != after else []


def time_of(state: IdleState | None, field: str) -> int | None:
    """The state's latency or residency in ns; None where it has none."""
    if state is None:
        return None
    return state.latency_ns if field == "latency" else state.residency_ns


def change_in_words(row: ChangedRow) -> str:
    """Returns the row's change in words."""
    if row.before is None:
        return "added"
    if row.after is None:
        return "removed"
    sides = (shown_values(row.before)[1:], shown_values(row.after)[1:])
    return ", ".join(
        f"{field} {a} -> {b}" for field, a, b in zip(FIELDS, *sides, strict=True) if a != b
    )


def shown_values(state: IdleState) -> tuple[str, ...]:
    """A row's name and its other fields."""
    times = shown_time(state.latency_ns), shown_time(state.residency_ns)
    return state.name, *times, *map(hex, (state.flags, state.control, state.mask))


def shown_time(nanoseconds: int | None) -> str:
    """A time in its shortest spelling, or "none"."""
    return "none" if nanoseconds is None else format_time(nanoseconds)


def _by_name(table: IdleTable) -> Mapping[str, IdleState]:
    rows: dict[str, IdleState] = {}
    for number, state in enumerate(table.states):
        if table.origin.form == "driver":
            # the kernel's, which have no place among OPAL's
            state = replace(state, flags=table.origin.of_row(number).flags)
        rows.setdefault(state.name, state)
    return rows


def place_in(source: Source, row: ChangedRow) -> Location:
    """Place of the row's change in the same table at another commit."""
    assert source.table is not None
    state = source.table.state(row.name)
    if state is None:
        return source.table.where.get("table") or Location(source.name, source.file)
    places = row.after.where if row.after else {}
    field = next((f for f, place in places.items() if place == row.where), "state")
    return state.where.get(field) or state.where.get("state") or Location(source.name, source.file)


def _where(table: IdleTable, before: IdleState | None, after: IdleState | None) -> Location:
    """Place of the first field that changed."""
    if after is None:
        return table.where.get("table") or Location(table.name)
    old = before.values()[1:] if before is not None else after.values()[1:]
    for field, a, b in zip(FIELDS, old, after.values()[1:], strict=True):
        if a != b and field in after.where:
            return after.where[field]
    return after.where.get("state") or Location(table.name)
