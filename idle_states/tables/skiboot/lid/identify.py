"""Divides a run of adjacent rows in an image into tables.

An image has no names of tables and nothing between them. So rows are assigned to the packaged specs
by state names and stop levels, at the least cost. A latency that decreases or a name that repeats
also suggests a new table, but only among rows that match no spec: a faulty table has such rows too.
"""

from collections.abc import Sequence
from functools import lru_cache

from ....base.dataclass import dataclass
from ....base.model.table import RL_MASK, IdleState, IdleTable, Register
from ...spec.library import packaged

UNUSED = "unused"
"""Name that `replace` gives to a row it has no state for; its other values are 0, so that no
firmware exports it."""

_PER_TABLE = 2
_PER_STRANGE_ROW = 3
_PER_UNEXPLAINED_ROW = 4
"""Costs: few tables are better than many, a spec that explains most rows better than none."""

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Part:
    """A table's rows within a run.

    start    first row
    rows     number of rows
    used     number of rows with a state; the others, at the end, are unused
    spec     packaged table that the rows match; None if there is none
    strange  number of rows whose name or level differs from the spec's
    """

    start: int
    rows: int
    used: int
    spec: IdleTable | None = None
    strange: int = 0


@dataclass(frozen=True, slots=True)
class _Best:
    """The cheapest division of the first rows of a run into tables.

    cost       its cost
    different  number of rows whose values differ from their spec's, to choose among equal costs
    part       its last table
    """

    cost: int
    different: int
    part: Part | None = None

    @property
    def rank(self) -> tuple[int, int]:
        return self.cost, self.different


def is_unused(state: IdleState) -> bool:
    return state.name == UNUSED and not any(
        (state.latency_ns, state.residency_ns, state.flags, state.control, state.mask)
    )


def parts(rows: Sequence[IdleState]) -> list[Part]:
    """The tables of a run of rows, in order; every row is in one of them."""
    unused = [is_unused(row) for row in rows]
    best: list[_Best | None] = [_Best(0, 0)] + [None] * len(rows)
    for start in range(len(rows)):
        before = best[start]
        if before is None:
            continue
        single = _Best(before.cost + _PER_UNEXPLAINED_ROW, before.different, Part(start, 1, 1))
        _improve(best, start + 1, single)
        for spec in known():
            part = _fit(rows, unused, start, spec)
            if part is None:
                continue
            cost = before.cost + _PER_TABLE + _PER_STRANGE_ROW * part.strange
            different = before.different + _different(rows, part)
            _improve(best, start + part.rows, _Best(cost, different, part))
    return _joined(rows, unused, _chain(best))


def named_part(start: int, rows: Sequence[IdleState], array: str) -> Part:
    """The rows from `start` on as the array of that name: of the packaged specs of the array, the
    one with most of these names and levels, in doubt the current one."""
    used = next((at for at, row in enumerate(rows) if at and is_unused(row)), len(rows))
    found = Part(start, len(rows), used)
    for spec in known():
        if spec.firmware.array == array:
            mine = [_key(row, spec) for row in rows[:used]]
            theirs = [_key(state, spec) for state in spec.states]
            strange = max(used, len(theirs)) - _common(mine, theirs)
            if found.spec is None or strange < found.strange:
                found = Part(start, len(rows), used, spec, strange)
    return found


def _improve(best: list[_Best | None], end: int, new: _Best) -> None:
    old = best[end]
    if old is None or new.rank < old.rank:
        best[end] = new


def _chain(best: Sequence[_Best | None]) -> list[Part]:
    chain = []
    end = len(best) - 1
    while end:
        entry = best[end]
        assert entry is not None
        assert entry.part is not None
        chain.append(entry.part)
        end = entry.part.start
    return chain[::-1]


@lru_cache(maxsize=1)
def known() -> tuple[IdleTable, ...]:
    """The packaged tables that firmware has, in order of preference: current ones first; POWER7's
    last, because its row equals the nap-only table of every later release."""
    firmware = [table for table in packaged() if table.register is not Register.NONE]
    return tuple(
        sorted(
            firmware, key=lambda t: t.cpu is not None and t.cpu.processor.table != t.cpu.generation
        )
    )


def _key(row: IdleState, spec: IdleTable) -> Key:
    return row.name, row.control & RL_MASK if spec.register is Register.PSSCR else 0


def _fit(
    rows: Sequence[IdleState], unused: Sequence[bool], start: int, spec: IdleTable
) -> Part | None:
    """The rows from `start` on as the table of a spec; None if they do not match it."""
    size = len(spec.states)
    end = start + size
    if end > len(rows) or unused[start] or (end < len(rows) and unused[end]):
        return None
    used = next((i for i in range(size) if unused[start + i]), size)
    if not all(unused[start + used : end]):
        return None
    mine = [_key(row, spec) for row in rows[start : start + used]]
    theirs = [_key(state, spec) for state in spec.states]
    alike = _common(mine, theirs) if used < size else sum(map(_same, mine, theirs))
    if 2 * alike < used:
        return None
    return Part(start, size, used, spec, used - alike)


def _same(a: Key, b: Key) -> bool:
    return a == b


def _common(a: Sequence[Key], b: Sequence[Key]) -> int:
    """Length of the longest common subsequence."""
    previous = [0] * (len(b) + 1)
    for x in a:
        current = [0]
        for j, y in enumerate(b):
            current.append(previous[j] + 1 if x == y else max(current[j], previous[j + 1]))
        previous = current
    return previous[-1]


def _different(rows: Sequence[IdleState], part: Part) -> int:
    assert part.spec is not None
    theirs = {state.values() for state in part.spec.states}
    return sum(row.values() not in theirs for row in rows[part.start : part.start + part.used])


def _joined(rows: Sequence[IdleState], unused: Sequence[bool], chain: Sequence[Part]) -> list[Part]:
    """The division with rows that match no spec joined to tables, which end at unused rows and
    where a latency decreases or a name repeats."""
    result: list[Part] = []
    for part in chain:
        last = result[-1] if result else None
        if part.spec or last is None or last.spec or _parted(rows, unused, last, part.start):
            result.append(part)
            continue
        used = last.used + (not unused[part.start])
        result[-1] = Part(last.start, last.rows + 1, used)
    return result


def _parted(rows: Sequence[IdleState], unused: Sequence[bool], last: Part, start: int) -> bool:
    if unused[start]:
        return False
    if unused[start - 1]:
        return True
    repeats = any(row.name == rows[start].name for row in rows[last.start : start])
    return repeats or rows[start].latency_ns < rows[start - 1].latency_ns
