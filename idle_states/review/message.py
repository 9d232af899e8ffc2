"""Checks a commit's message against its change: the states it names and the numbers it claims.

Conservative: a message that names no changed state, or all of them, is not reported.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..findings import Confidence, Finding, Location, Severity
from ..reading.git import Commit
from ..sources import Source
from ..table import IdleState, IdleTable
from ..units import format_time
from .message_claims import ClaimedNumber, claims, covers_state, names_bits, names_state

TIMES = ("latency", "residency")


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


Judged = tuple[Finding, ChangedRow]
"""A finding and the row it is about."""


def check_message(
    commit: Commit, rows: Sequence[ChangedRow], added: Sequence[IdleTable]
) -> list[Judged]:
    """The findings of IS510 and IS511.

    rows   all rows that the commit changes
    added  whole tables that the commit adds
    """
    return [
        *_unmentioned(commit, rows),
        *_numbers(commit, rows, [state for table in added for state in table.states]),
    ]


def _unmentioned(commit: Commit, rows: Sequence[ChangedRow]) -> Iterator[Judged]:
    by_name: dict[str, list[ChangedRow]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    named = [name for name in by_name if names_state(commit.message, name)]
    bits = names_bits(commit.message)
    for name, changed in by_name.items():
        if not named or name in named or covers_state(commit.message, name):
            continue
        if bits and all(_only_bits(row) for row in changed):
            continue
        first = changed[0]
        what = "; ".join(dict.fromkeys(_what(row) for row in changed))
        finding = Finding(
            "IS510",
            "unmentioned-change",
            Severity.WARNING,
            f"commit {commit.short} changes {name} too, which its message does not mention: {what}",
            first.where,
            Confidence.MEDIUM,
            related=tuple((row.where, "and here") for row in changed[1:]),
            table=first.table.name,
        )
        yield finding, first


def _only_bits(row: ChangedRow) -> bool:
    """Whether flags or registers are all that changed."""
    same_times = not any(_steps(row, field) for field in TIMES)
    return row.before is not None and row.after is not None and same_times


def _numbers(
    commit: Commit, rows: Sequence[ChangedRow], added: Sequence[IdleState]
) -> Iterator[Judged]:
    if not any(_steps(row, field) for row in rows for field in TIMES):
        return
    for claim in claims(commit.message):
        fields = [claim.field] if claim.field else list(TIMES)
        steps = [step for row in rows for field in fields for step in _steps(row, field)]
        new = {after for _, after in steps}
        new |= {value for state in added for field in fields for value in [_time(state, field)]}
        if steps and not _holds(claim, steps, new):
            found = ", ".join(
                dict.fromkeys(f"{_text(before)} -> {_text(after)}" for before, after in steps)
            )
            what = claim.field or "latency or residency"
            finding = Finding(
                "IS511",
                "number-not-in-change",
                Severity.WARNING,
                f"commit {commit.short} says {claim.text!r}, but changes {what} otherwise: {found}",
                rows[0].where,
                Confidence.MEDIUM,
                table=rows[0].table.name,
            )
            yield finding, rows[0]


def _holds(
    claim: ClaimedNumber, steps: Sequence[tuple[int | None, int | None]], new: set[int | None]
) -> bool:
    if claim.factor:
        return any(
            before is not None
            and after is not None
            and (after == before * claim.factor or before == after * claim.factor)
            for before, after in steps
        )
    if claim.old_ns is not None:
        return (claim.old_ns, claim.new_ns) in steps
    return claim.new_ns in new


def _steps(row: ChangedRow, field: str) -> list[tuple[int | None, int | None]]:
    """[(time before, time after)] in ns if the row's time changes, else []."""
    before, after = _time(row.before, field), _time(row.after, field)
    return [(before, after)] if before != after else []


def _time(state: IdleState | None, field: str) -> int | None:
    if state is None:
        return None
    return state.latency_ns if field == "latency" else state.residency_ns


def _what(row: ChangedRow) -> str:
    if row.before is None:
        return "added"
    if row.after is None:
        return "removed"
    parts = [
        f"{field} {_text(before)} -> {_text(after)}"
        for field in TIMES
        for before, after in _steps(row, field)
    ]
    for field, a, b in (
        ("flags", row.before.flags, row.after.flags),
        ("control", row.before.control, row.after.control),
        ("mask", row.before.mask, row.after.mask),
    ):
        if a != b:
            parts.append(f"{field} {a:#x} -> {b:#x}")
    return ", ".join(parts)


def _text(nanoseconds: int | None) -> str:
    return "none" if nanoseconds is None else format_time(nanoseconds)


def _by_name(table: IdleTable) -> Mapping[str, IdleState]:
    rows: dict[str, IdleState] = {}
    for state in table.states:
        rows.setdefault(state.name, state)
    return rows


def place_in(source: Source, row: ChangedRow) -> Location:
    """Place of the row's change in the same table at another commit."""
    assert source.table is not None
    state = source.table.state(row.name)
    if state is None:
        return source.table.where.get("table") or Location(source.name, source.file)
    field = next((f for f, place in _row_places(row) if place == row.where), "state")
    return state.where.get(field) or state.where.get("state") or Location(source.name, source.file)


def _row_places(row: ChangedRow) -> list[tuple[str, Location]]:
    return list(row.after.where.items()) if row.after else []


def _where(table: IdleTable, before: IdleState | None, after: IdleState | None) -> Location:
    """Place of the first field that changed."""
    if after is None:
        return table.where.get("table") or Location(table.name)
    for field, a, b in (
        ("latency", before and before.latency_ns, after.latency_ns),
        ("residency", before and before.residency_ns, after.residency_ns),
        ("flags", before and before.flags, after.flags),
        ("control", before and before.control, after.control),
        ("mask", before and before.mask, after.mask),
    ):
        if before is not None and a != b and field in after.where:
            return after.where[field]
    return after.where.get("state") or Location(table.name)
