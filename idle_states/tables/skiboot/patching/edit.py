"""A table's text -> the text of another table, and proof that nothing else has changed."""

import re
from collections.abc import Iterator, Sequence

from ....base.model.findings import Unreadable
from ....base.model.table import IdleState, Register
from ....base.reading.c.lexer import encoded
from ..c_table.structure import FIELD_MEMBERS, CRow
from .conditionals import refuse_undecided
from .fresh import fresh, number_of
from .rows import Replacement, arranged, replaced
from .source import EditRefused, SourceText, TableText, made_by_macro
from .values import rewritten

FIELDS = ("name", "latency", "residency", "flags", "control", "mask")


def edit_table(
    source: SourceText, array: str, wanted: Sequence[IdleState], register: Register | None = None
) -> str:
    """The file's text with the rows of one table reading as `wanted`: name, times, flags, control
    register and mask; nothing else of a state is in the C struct.

    Only the text of values that differ changes, in the form it has: base and suffix of numbers,
    sums of flags, PSSCR fields as calls of their macros. Rows are matched by name; a new one is
    written like its most similar neighbour. The result has been read again: this table is as
    wanted, all others are as they were.
    register: of a table without rows, which do not tell it.
    Raises Refused, with the place in the text given; KeyError for an array it has not got.
    """
    table = source.tables[array]
    if not differing(table.table.states, wanted):
        return source.text
    refuse_undecided(source, table)
    _no_residency(source, table, wanted)
    text = arranged(source, table, wanted)
    middle = source if text == source.text else _again(source, text, table)
    table = middle.tables[array]
    if len(table.rows) != len(wanted):
        name = source.tables[array].array.name
        message = f"expected {len(wanted)} rows after the edit, found {len(table.rows)}"
        raise EditRefused(message, name.start, name.end)
    edits: list[Replacement] = []
    for row, state, target in zip(table.rows, table.table.states, wanted, strict=True):
        edits += _row_edits(middle, row, state, target, register or table.table.register)
    result = replaced(middle.text, edits)
    _verify(source, _again(source, result, table), array, wanted)
    return result


def differing(have: Sequence[IdleState], want: Sequence[IdleState]) -> bool:
    return [state.values() for state in have] != [state.values() for state in want]


def _again(source: SourceText, text: str, table: TableText) -> SourceText:
    """Reads the edited text again. That it does not read is an error of this program, not of the
    tree."""
    try:
        return source.with_text(text)
    except Unreadable as unreadable:
        name = table.array.name
        message = f"expected C that reads after the edit, found: {unreadable.findings[0].message}"
        raise EditRefused(message, name.start, name.end) from None


def _no_residency(source: SourceText, table: TableText, wanted: Sequence[IdleState]) -> None:
    """Raises EditRefused where wanted states do not fit the struct: a residency needs the member,
    and a struct that has it gives every row one."""
    name = table.array.name
    has = any(state.residency_ns is not None for state in table.table.states) or (
        not table.table.states and source.has_member("residency_ns")
    )
    for state in wanted:
        if has and state.residency_ns is None:
            message = (
                f"expected a target residency of {state.name}, which the struct has, found none"
            )
            raise EditRefused(message, name.start, name.end)
        if not has and state.residency_ns is not None:
            message = (
                f"expected a struct with residency_ns for {state.name}, found one without; this "
                "skiboot is older than target residencies"
            )
            raise EditRefused(message, name.start, name.end)


def _row_edits(
    source: SourceText, row: CRow, state: IdleState, target: IdleState, register: Register
) -> Iterator[Replacement]:
    missing = []
    for field in FIELDS:
        if _value(state, field) == _value(target, field):
            continue
        member = next((name for name in FIELD_MEMBERS[field] if name in row.members), None)
        if member is None:
            missing.append(field)
            continue
        span = row.members[member]
        if span.macro:
            raise made_by_macro(span, field)
        new = rewritten(source, span, field, target, register)
        yield Replacement(span.start, span.end, new)
    for field in missing:
        yield _inserted(source, row, field, target, register)


def _value(state: IdleState, field: str) -> bytes | int | None:
    """Returns a field's value as the reader gives it: a residency is None only where no row of the
    file has one."""
    if field == "name":
        return encoded(state.name)
    return state.residency_ns if field == "residency" else number_of(state, field)


def _inserted(
    source: SourceText, row: CRow, field: str, target: IdleState, register: Register
) -> Replacement:
    """Returns the edit that adds a member that the row leaves out, after the last member that
    precedes it in other rows."""
    if row.span.macro:
        raise made_by_macro(row.span, "row")
    member = source.struct.member(field) or FIELD_MEMBERS[field][0]
    text = f".{member} = {fresh(source, field, target, register)}"
    order = _member_order(source)
    places = {name: _designator(source, row, name) for name in row.members}
    if not row.members:
        return Replacement(row.span.start + 1, row.span.start + 1, f" {text} ")
    before = None
    if all(start is not None for start in places.values()):
        ahead = order[: order.index(field)] if field in order else order
        before = next((name for name in reversed(list(row.members)) if _field(name) in ahead), None)
        if before is None:
            first = next(iter(row.members))
            start = places[first]
            assert start is not None
            return Replacement(start, start, f"{text},{_lead(source, start)}")
    before = before or list(row.members)[-1]
    end = _end_of_value(source, row, before)
    start = places[before]
    lead = " " if start is None else _lead(source, start)
    return Replacement(end, end, f",{lead}{text}")


def _member_order(source: SourceText) -> list[str]:
    """Returns the fields in the order of the file's longest row."""
    rows = [row for table in source.tables.values() for row in table.rows]
    longest = max(rows, key=lambda row: len(row.members), default=None)
    found = [_field(name) for name in longest.members] if longest else []
    return found if len(found) == len(FIELDS) else list(FIELDS)


def _field(member: str) -> str:
    return next(field for field, members in FIELD_MEMBERS.items() if member in members)


def _designator(source: SourceText, row: CRow, member: str) -> int | None:
    """Returns the offset of `.member =`; None for a value without a designator."""
    before = source.clean.code[row.span.start : row.members[member].start]
    pattern = rf"(?:\.\s*{member}\s*=|\b{member}\s*:)\s*\{{?\s*\Z"
    match = re.search(pattern, before)
    return None if match is None else row.span.start + match.start()


def _end_of_value(source: SourceText, row: CRow, member: str) -> int:
    """Returns the offset after a member's value, and after the brace around it if there is one."""
    span, code = row.members[member], source.clean.code
    if code[row.span.start + 1 : span.start].rstrip().endswith("{"):
        return code.index("}", span.end) + 1
    return span.end


def _lead(source: SourceText, start: int) -> str:
    """Returns the text to put before a new member so that it is laid out like the one at
    `start`."""
    line = source.text.rfind("\n", 0, start) + 1
    before = source.text[line:start]
    return " " if before.strip() else source.newline + before


def _verify(before: SourceText, after: SourceText, array: str, wanted: Sequence[IdleState]) -> None:
    """Checks that the table reads as wanted and every other table as before. Raises EditRefused."""
    name = before.tables[array].array.name
    if list(before.tables) != list(after.tables):
        raise EditRefused(
            "expected the same tables after the edit, found others", name.start, name.end
        )
    for other, table in before.tables.items():
        found = after.tables[other].table.states
        expected = wanted if other == array else table.table.states
        pairs = zip([s.values() for s in found], [s.values() for s in expected], strict=False)
        if len(found) != len(expected) or any(a != b for a, b in pairs):
            message = f"expected {other} to read as wanted after the edit, found another value"
            raise EditRefused(message, name.start, name.end)
