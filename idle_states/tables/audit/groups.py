"""The tables of a fleet that are equal, counted; those that memory does not hold in a file."""

import marshal
from collections.abc import Iterator
from operator import attrgetter

from ...base.dataclass import dataclass, field, fields
from ...base.spill import Spill, name_key
from .audited import Audited

HELD = 4096
"""The number of groups that are held until they are added to the file."""
_EXAMPLES = 3
_APART = "count * 20 <= total AND total <= 2 * largest"
_GROUPS = (
    "t JOIN (SELECT cpu, SUM(count) total, MAX(count) largest FROM t GROUP BY cpu) USING (cpu)"
)


@dataclass(slots=True)
class TableGroup:
    """Tables that are equal in every value.

    cpu       generation, or what the first CPU is compatible with
    outlier   whether it has at most 1/20 of its processor's tables, where another group has half
    examples  the first files, by name
    boards    of trees of sources, all that have the table
    """

    fingerprint: str
    cpu: str
    nearest: str | None
    states: tuple[str, ...]
    differences: tuple[str, ...]
    count: int = 0
    outlier: bool = False
    examples: list[str] = field(default_factory=list)
    boards: list[str] = field(default_factory=list)


class TableGroups:
    """Groups, sorted by processor, of each processor the largest first.

    of_boards  whether one is of boards
    """

    def __init__(self) -> None:
        self._held: dict[str, TableGroup] = {}
        self._rows: Spill | None = None
        self.of_boards = False

    def add(self, audited: Audited, file: str) -> None:
        """Adds a table. file: its own, where the audit is another's that is alike."""
        group = self._held.get(audited.fingerprint)
        if group is None:
            if len(self._held) >= HELD:
                self._settled()
            cpu = audited.cpu or (audited.machine.processor if audited.machine else "")
            values = audited.fingerprint, cpu, audited.nearest, audited.states, audited.differences
            group = self._held[audited.fingerprint] = TableGroup(*values)
        group.count += 1
        if len(group.examples) < _EXAMPLES:
            group.examples.append(file)
        if audited.alike and file not in group.boards[-1:]:
            group.boards.append(file)
            self.of_boards = True

    def _settled(self) -> Spill:
        """Returns the file's rows, to which the groups that are held have been added."""
        if self._rows is None:
            self._rows = Spill("cpu", "count", "examples", "body")
        for fingerprint, group in self._held.items():
            if row := self._rows.get(fingerprint):
                earlier = _read(row[-1])
                group.count += earlier.count
                group.examples = (earlier.examples + group.examples)[:_EXAMPLES]
                group.boards = earlier.boards + group.boards
            # bytes, which are sorted as Python sorts the names
            cpu, examples = map(name_key, (group.cpu, "\0".join(group.examples)))
            self._rows.put(fingerprint, cpu, group.count, examples, _written(group))
        self._held.clear()
        return self._rows

    def __iter__(self) -> Iterator[TableGroup]:
        order = "ORDER BY cpu, count DESC, examples"
        for body, apart in self._settled().query(f"SELECT body, {_APART} FROM {_GROUPS} {order}"):
            group = _read(body)
            group.outlier = bool(apart)
            yield group

    def numbers(self) -> tuple[int, int]:
        """Returns the number of groups, and of those that stand out."""
        ((count, apart),) = self._settled().query(f"SELECT COUNT(*), SUM({_APART}) FROM {_GROUPS}")
        return count, apart or 0

    def __len__(self) -> int:
        return self.numbers()[0]


_VALUES = attrgetter(*(each.name for each in fields(TableGroup)))


def _written(group: TableGroup) -> bytes:
    # in a quarter of pickle's time
    return marshal.dumps(_VALUES(group))


def _read(body: bytes) -> TableGroup:
    return TableGroup(*marshal.loads(body))
