"""The beginning of a recording, kept to try other tables and kernels on."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ...base.dataclass import dataclass, field, replace
from ...tables.linux.governors import Governor, core
from ...tables.linux.governors.core.packing import Buffer
from ...tables.linux.governors.identify import DecidedRows
from ..traces.chunks import disable
from ..traces.recording import RecordedDecision
from .basis import Basis

CPUS = 4
ROWS, ROWS_OF_REFERENCE = 4000, 1000
"""Decisions to try each candidate on; the reference is some hundred times slower than the core."""
ROWS_READ = 20
"""Times as many are read to find them."""


@dataclass(slots=True)
class _Cpu:
    rows: list[RecordedDecision] = field(default_factory=list)
    packed: Buffer = b""
    deepest: int = 0
    """The deepest of the states that it entered."""


class Sample:
    """The first decisions of a recording's first CPUs."""

    def __init__(self) -> None:
        self._cpus: dict[int, _Cpu] = {}
        self._most = ROWS if core.available() else ROWS_OF_REFERENCE
        self._read = self._held = 0

    def kept(self, recorded: Iterable[RecordedDecision]) -> Iterator[RecordedDecision]:
        """Passes decisions on, and keeps those of the sample."""
        for row in recorded:
            self._read += 1
            wanted = len(self._cpus) < CPUS or row.cpu in self._cpus
            if wanted and self._held < self._most:
                cpu = self._cpus.setdefault(row.cpu, _Cpu())
                cpu.rows.append(row)
                cpu.deepest = max(cpu.deepest, row.state, row.earlier.state)
                self._held += 1
            yield row

    def fill(self, recorded: Iterable[RecordedDecision]) -> None:
        """Reads as many decisions as the sample needs."""
        for _ in self.kept(recorded):
            if self._held == self._most or self._read == ROWS_READ * self._most:
                break

    def judged(self, skip: int) -> int:
        """Decisions of the sample that are judged."""
        return sum(max(len(cpu.rows) - skip, 0) for cpu in self._cpus.values())

    def agreement(self, by: Basis, least: int = 0) -> int | None:
        """Decisions that agree; None if a CPU has no table, or entered a state that its table
        lacks, and where fewer than `least` can agree."""
        agree = 0
        may_differ = self.judged(by.skip) - least
        for number, cpu in self._cpus.items():
            table = by.machine.table(number)
            if table is None or cpu.deepest >= len(table.states):
                return None
            decided = self._decided(cpu, by.model(table.states), table.disabled)
            for row, made in islice(zip(cpu.rows, decided, strict=True), by.skip, None):
                if (row.state, row.stop_tick) == made:
                    agree += 1
                    continue
                may_differ -= 1
                if may_differ < 0:
                    return None
        return agree

    def decided(self, by: Basis) -> list[DecidedRows]:
        """Returns the sample's decisions on a basis's tables; [] if they lack a state. The core has
        to be there."""
        found = []
        for number, cpu in self._cpus.items():
            table = by.machine.table(number)
            if table is None or cpu.deepest >= len(table.states):
                return []
            cpu.packed = cpu.packed or _packed(cpu.rows)
            found.append(
                DecidedRows(
                    by.model(table.states).states,
                    by.hz,
                    disable(cpu.packed, table.disabled),
                    bytes(byte for row in cpu.rows for byte in (row.state & 0xFF, row.stop_tick)),
                    min(by.skip, len(cpu.rows)),
                    cpu.rows[0].earlier,
                )
            )
        return found

    def _decided(
        self, cpu: _Cpu, model: Governor, disabled: frozenset[int]
    ) -> Iterator[tuple[int, bool]]:
        earlier = cpu.rows[0].earlier
        if core.can_replay(model):
            cpu.packed = cpu.packed or _packed(cpu.rows)
            packed = core.Stream.of(model, earlier).replay(disable(cpu.packed, disabled)).packed
            yield from zip(packed[::2], map(bool, packed[1::2]), strict=True)
            return
        model.switched_on(earlier)
        for row in cpu.rows:
            decision = model.select(replace(row.situation, disabled=disabled))
            model.reflect(row.outcome)
            yield decision.state, decision.stop_tick


def _packed(rows: Sequence[RecordedDecision]) -> Buffer:
    return core.pack((row.situation, row.outcome) for row in rows)
