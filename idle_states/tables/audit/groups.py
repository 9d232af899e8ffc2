"""The tables of a fleet that are equal, counted; in a temporary file where there are many different
ones."""

import pickle
from collections import Counter
from collections.abc import Iterator

from ...base.dataclass import dataclass, field
from ...base.spill import Spill
from .audited import Audited

HELD = 4096
"""How many groups are held in memory until they are written to the file."""
_EXAMPLES = 3
_ORDER = "ORDER BY cpu, count DESC, examples"


@dataclass(slots=True)
class TableGroup:
    """Tables that are equal in every value.

    cpu       generation, or what the first CPU is compatible with
    examples  the first files, by name
    boards    of trees of sources, all that have the table
    """

    fingerprint: str
    cpu: str
    nearest: str | None
    states: tuple[str, ...]
    differences: tuple[str, ...]
    count: int = 0
    examples: list[str] = field(default_factory=list)
    boards: list[str] = field(default_factory=list)

    def merge(self, later: "TableGroup") -> None:
        """Adds tables that came after these."""
        self.count += later.count
        self.examples = (self.examples + later.examples)[:_EXAMPLES]
        self.boards += later.boards


class TableGroups:
    """Groups, sorted by processor, of each processor the largest first.

    of_boards  whether one is of boards
    """

    def __init__(self) -> None:
        self._held: dict[str, TableGroup] = {}
        self._spilled: Spill | None = None
        self._totals: tuple[Counter[str], Counter[str]] | None = None
        self.of_boards = False

    def add(self, audited: Audited, file: str) -> None:
        """Adds a table. file: its own, where the audit is another's that is alike."""
        group = self._held.get(audited.fingerprint)
        if group is None:
            if len(self._held) >= HELD:
                self._spill()
            group = self._held[audited.fingerprint] = TableGroup(
                audited.fingerprint,
                audited.cpu or (audited.machine.processor if audited.machine else ""),
                audited.nearest,
                audited.states,
                audited.differences,
            )
        self._totals = None
        group.count += 1
        if len(group.examples) < _EXAMPLES:
            group.examples.append(file)
        if audited.alike and file not in group.boards[-1:]:
            group.boards.append(file)
            self.of_boards = True

    def _spill(self) -> None:
        if self._spilled is None:
            self._spilled = Spill("cpu", "count", "examples", "body")
        for fingerprint, later in self._held.items():
            packed = self._spilled.get(fingerprint)
            group = pickle.loads(packed) if packed else later
            if packed:
                group.merge(later)
            # sorted as Python sorts the names
            cpu, *examples = (
                text.encode("utf-8", "surrogatepass") for text in (group.cpu, *group.examples)
            )
            body = pickle.dumps(group)
            self._spilled.put(fingerprint, cpu, group.count, b"\0".join(examples), body)
        self._held.clear()

    def __iter__(self) -> Iterator[TableGroup]:
        if self._spilled is None:
            yield from sorted(
                self._held.values(), key=lambda group: (group.cpu, -group.count, group.examples)
            )
            return
        self._spill()
        for (body,) in self._spilled.query(f"SELECT body FROM t {_ORDER}"):
            yield pickle.loads(body)

    def __len__(self) -> int:
        return sum(1 for _ in self._counts())

    def _counts(self) -> Iterator[tuple[str, int]]:
        """Yields the processor and the count of each group."""
        if self._spilled is None:
            yield from ((group.cpu, group.count) for group in self._held.values())
            return
        self._spill()
        for cpu, count in self._spilled.query("SELECT cpu, count FROM t"):
            yield cpu.decode("utf-8", "surrogatepass"), count

    @property
    def outliers(self) -> int:
        """Number of groups that stand out."""
        return sum(self._apart(cpu, count) for cpu, count in self._counts())

    def stands_out(self, group: TableGroup) -> bool:
        """Returns whether the group has at most 1/20 of its processor's tables, where another one
        has half."""
        return self._apart(group.cpu, group.count)

    def _apart(self, cpu: str, count: int) -> bool:
        if self._totals is None:
            total, largest = self._totals = Counter[str](), Counter[str]()
            for each, number in self._counts():
                total[each] += number
                largest[each] = max(largest[each], number)
        total, largest = self._totals
        return count * 20 <= total[cpu] <= 2 * largest[cpu]
