"""Matches the tables of two commits: by name, else by their content."""

from collections.abc import Mapping, Sequence

from ...base.dataclass import replace
from ...base.model.beyond_opal import MatchedCpu
from ...base.model.table import IdleState, IdleTable
from ...tables.sources import Source
from .uses import uses_of

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
    for number, index in _renamed(left, appeared):
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
    shares = [
        (-_alike(a, b), number, index)
        for number, b in enumerate(appeared)
        for index, a in enumerate(gone)
    ]
    found: dict[int, int] = {}
    for share, number, index in sorted(shares):
        if -share >= ALIKE and index not in found and number not in found.values():
            found[index] = number
    return {gone[index].name: appeared[number].name for index, number in found.items()}


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


def _renamed(gone: Mapping[int, Source], appeared: Mapping[int, Source]) -> list[tuple[int, int]]:
    """(index of the new table, index of the removed one), the most similar pair first."""
    if len(gone) * len(appeared) > MOST:
        return []
    candidates = sorted(
        (-similarity(old.table, new.table), number, index)
        for number, new in appeared.items()
        for index, old in gone.items()
        if old.table is not None and new.table is not None and not (old.boards or new.boards)
    )
    found: list[tuple[int, int]] = []
    for share, number, index in candidates:
        if -share >= ALIKE and not any(number == n or index == i for n, i in found):
            found.append((number, index))
    return found
