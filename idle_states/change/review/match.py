"""Matches the tables of two commits: by name, else by their content."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from ...base.dataclass import replace
from ...base.model.beyond_opal import BuiltIn, MatchedCpu, TableUse
from ...base.model.table import IdleState, IdleTable
from ...tables.diff.tables import ABSENT, Difference
from ...tables.sources import Source
from .tree import End

ALIKE = 0.5
"""Share of equal values from which a new table counts as a removed one that was renamed."""

MOST = 400
"""Greatest number of pairs that are compared; above it no table counts as renamed."""

Pair = tuple[Source | None, Source | None]


def pairs(before: Sequence[Source], after: Sequence[Source]) -> list[Pair]:
    """(before, after) for every table, in the order of `after`, then the removed ones; None on the
    side that lacks the table."""
    left = dict(enumerate(before))
    matched: dict[int, Source] = {}
    for key in (_place, _name):
        known: dict[object, list[int]] = {}
        for index, source in left.items():
            known.setdefault(key(source), []).append(index)
        for number, source in enumerate(after):
            if number not in matched and known.get(key(source)):
                matched[number] = left.pop(known[key(source)].pop(0))
    appeared = {n: source for n, source in enumerate(after) if n not in matched}
    for index, number in _renamed(left, appeared).items():
        matched[number] = left.pop(index)
    kept: list[Pair] = [(matched.get(number), source) for number, source in enumerate(after)]
    return [*kept, *((source, None) for source in left.values())]


def is_same(a: Source, b: Source) -> bool:
    """True if nothing that a stage or a rule sees differs."""
    return (
        _homeless(a.table) == _homeless(b.table)
        and [(s.rules, s.reason) for s in a.suppressions]
        == [(s.rules, s.reason) for s in b.suppressions]
        and [(f.rule, f.message) for f in a.findings] == [(f.rule, f.message) for f in b.findings]
    )


def in_same_place(a: Source, b: Source) -> bool:
    """True if the tables beside both are the same, as far as rules compare with them, and the code
    that exports them."""
    return a.code == b.code and _beside(a) == _beside(b) and _cpus(a) == _cpus(b)


def similarity(a: IdleTable, b: IdleTable) -> float:
    """Share of equal values in rows of the same name, 0 to 1."""
    rows = max(len(a.states), len(b.states))
    if not rows or a.register is not b.register:
        return 0.0
    others = {state.name: state for state in reversed(b.states)}
    equal = fields = 0
    for state in a.states:
        values = state.values()[1:]
        fields = len(values)
        if state.name in others:
            other = others[state.name].values()[1:]
            equal += sum(x == y for x, y in zip(values, other, strict=True))
    return equal / (rows * fields) if fields else 0.0


def renamed_states(before: IdleTable, after: IdleTable) -> dict[str, str]:
    """Name before -> name after, of states that are gone under the one and appear under the other
    with at least half of what tells them apart."""
    if before.register is not after.register:
        return {}
    old, new = ([state.name for state in table.states] for table in (before, after))
    gone = [s for s in before.states if s.name not in new and old.count(s.name) == 1]
    appeared = [s for s in after.states if s.name not in old and new.count(s.name) == 1]
    if len(gone) * len(appeared) > MOST:
        return {}
    found = _best(
        (_alike(a, b), number, index)
        for number, b in enumerate(appeared)
        for index, a in enumerate(gone)
    )
    return {gone[index].name: appeared[number].name for index, number in found.items()}


def _best(shares: Iterable[tuple[float, int, int]]) -> dict[int, int]:
    """Pairs those that are most alike first. shares: (share of equal values, number of the new one,
    index of the one that is gone). Returns index -> number."""
    found: dict[int, int] = {}
    for share, number, index in sorted(shares, key=lambda each: (-each[0], *each[1:])):
        if share >= ALIKE and index not in found and number not in found.values():
            found[index] = number
    return found


def _alike(a: IdleState, b: IdleState) -> float:
    """Share of equal values, without those that neither has."""
    values = [
        (x, y)
        for x, y in zip(_telling(a), _telling(b), strict=True)
        if x not in (None, 0) or y not in (None, 0)
    ]
    return sum(x == y for x, y in values) / len(values) if values else 0.0


def _telling(state: IdleState) -> tuple[int | None, ...]:
    return state.latency_ns, state.residency_ns, state.flags, state.control


def as_renamed(before: Source, after: Source) -> tuple[Source, dict[str, str]]:
    """The source before with the names that its states have after, and name before -> after.

    Both must have tables.
    """
    table, other = before.table, after.table
    assert table is not None
    assert other is not None
    names = renamed_states(table, other)
    if not names:
        return before, names
    states = tuple(replace(s, name=names.get(s.name, s.name)) for s in table.states)
    return replace(before, table=replace(table, states=states)), names


def _homeless(table: IdleTable | None) -> IdleTable | None:
    """The table without its file, so that a table moved to another file compares equal; of one
    built into a driver without the processors that have it, which stand beside it, and with its
    flags by name, which headers may give other bits."""
    if table is None:
        return None
    origin = table.origin
    if origin.form == "driver":
        states = tuple(replace(state, flags=0) for state in origin.states)
        origin = replace(origin, states=states, cpus=(), uses=uses_of(origin))
    return replace(table, firmware=replace(table.firmware, file=""), origin=origin)


def _beside(source: Source) -> list[IdleTable | None] | None:
    table, others = source.table, source.beside
    if table is None or others is None:
        return None
    return [_homeless(other) for other in others if other.register is table.register]


def _cpus(source: Source) -> tuple[MatchedCpu, ...]:
    if source.table is None or source.table.origin.form != "driver":
        return ()
    return source.table.origin.cpus


def _place(source: Source) -> object:
    return source.name, source.file


def _name(source: Source) -> object:
    # CPUs have the same names on every board
    return _place(source) if source.boards else source.name


def _renamed(gone: Mapping[int, Source], appeared: Mapping[int, Source]) -> dict[int, int]:
    """Index of a removed table -> that of the new one that it became."""
    if len(gone) * len(appeared) > MOST:
        return {}
    return _best(
        (similarity(old.table, new.table), number, index)
        for number, new in appeared.items()
        for index, old in gone.items()
        if old.table is not None and new.table is not None and not (old.boards or new.boards)
    )


_OF_LIST = ".state_table"
"""A struct idle_cpu that names the table: its members are the processors' (`processors`)."""


def uses_of(built_in: BuiltIn) -> tuple[TableUse, ...]:
    """The driver's uses of a table, but for those that say which processors have it."""
    return tuple(use for use in built_in.uses if not use.text.startswith(_OF_LIST))


def used_otherwise(a: Source, b: Source) -> Iterator[Difference]:
    """The statements that differ, function by function. Both sources must have tables."""
    old, new = _by_function(a), _by_function(b)
    for function in dict.fromkeys([*old, *new]):
        before, after = old.get(function, []), new.get(function, [])
        gone = [text for text in before if text not in after]
        come = [text for text in after if text not in before]
        where = f"in {function}()" if function else "in a list"
        for left, right in zip_longest(gone, come, fillvalue=ABSENT):
            yield Difference("table", where, left, right)


def _by_function(source: Source) -> dict[str, list[str]]:
    """Function -> its statements with the table, each with the conditions around it."""
    assert source.table is not None
    found: dict[str, list[str]] = {}
    for use in uses_of(source.table.origin) if source.table.origin.form == "driver" else ():
        found.setdefault(use.function, []).append(" ".join((*use.conditions, use.text)))
    return found


def _between(before: End, after: End) -> list[tuple[Source | None, Source | None]]:
    """Pairs of tables that differ, without tables of files that are unread at one end."""
    unread = before.unread | after.unread
    old = [source for source in before.sources if source.file not in unread]
    new = [source for source in after.sources if source.file not in unread]
    return [
        (a, b)
        for a, b in pairs(old, new)
        if a is None or b is None or is_changed(a, b) or not in_same_place(a, b)
    ]


def is_changed(before: Source, after: Source) -> bool:
    return not is_same(before, after) or before.file != after.file


def differing(
    before: End, after: End, others: Sequence[End]
) -> list[tuple[Source | None, Source | None]]:
    """Pairs of tables that differ; for a merge only those that differ from every parent's."""
    changed = [_between(other, after) for other in others]
    return [
        (a, b)
        for a, b in _between(before, after)
        if all(
            any(new is b if b else new is None and _same_place(old, a) for old, new in one)
            for one in changed
        )
    ]


def counterpart(
    before: Source | None, after: Source | None, other: End, merged: End
) -> Source | None:
    """The table as the other parent has it."""
    for a, b in pairs(other.sources, merged.sources):
        if b is after if after else _same_place(a, before):
            return a
    return None


def _same_place(a: Source | None, b: Source | None) -> bool:
    return a is not None and b is not None and (a.name, a.file) == (b.name, b.file)


def comparable(before: Source | None, after: Source | None) -> tuple[Source, Source] | None:
    """Both sources. If one is missing, the other without its rows stands for it. None if one of
    them could not be read as a table."""
    one = before or after
    if one is None or any(source and source.table is None for source in (before, after)):
        return None
    return before or emptied(one), after or emptied(one)


def emptied(source: Source) -> Source:
    """Returns a source that has a table, without the table's rows."""
    assert source.table is not None
    return replace(source, table=replace(source.table, states=()))
