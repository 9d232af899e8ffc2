"""A table before and after a change, as one kernel has it, and what is known of its hardware."""

from collections.abc import Iterator, Mapping
from typing import Self

from ...base.dataclass import dataclass
from ...base.model.table import IdleTable, Power
from ...lab.replay.machine import CpuTable, from_driver
from ...lab.replay.power import Rows
from ...lab.simulation.setup import SCOPES, Effect, effects_of
from ...tables.linux.releases import Release
from ...tables.pipeline import Arrival
from ...tables.power.energy import RELATIVE
from ...tables.spec.library import packaged


@dataclass(frozen=True, slots=True)
class Side:
    """A table under a kernel.

    held  the states as its governor sees them
    rows  (kernel's state name, row) of the rows that became states
    """

    table: IdleTable
    held: CpuTable
    rows: Rows

    @classmethod
    def of(cls, table: IdleTable, arrival: Arrival) -> Self:
        rows = sorted(arrival.registered.items())
        return cls(
            table,
            from_driver(arrival.driver),
            tuple((state.name, table.states[row]) for row, state in rows),
        )

    def effects(self, exits_ns: Mapping[str, int] | None = None) -> tuple[Effect, ...]:
        """What the hardware does in each state. exits_ns: state -> what it takes to leave it, where
        that is not the table's."""
        return effects_of(self.held, self.table, exits_ns, self.rows)


@dataclass(frozen=True, slots=True)
class Case:
    """Two tables under one kernel."""

    release: Release
    old: Side
    new: Side

    def latencies(self) -> Iterator[tuple[str, int, int]]:
        """(state, old exit latency, new one) of states that both tables have, in ns."""
        before = dict(self.old.rows)
        for name, row in self.new.rows:
            if name in before:
                yield name, before[name].latency_ns, row.latency_ns

    def hardware(self) -> Iterator[dict[str, int]]:
        """State -> what it takes to leave it, in ns: as the new table says and, where the old one
        says otherwise, as that does."""
        both = list(self.latencies())
        yield {name: after for name, _, after in both}
        if any(before != after for _, before, after in both):
            yield {name: before for name, before, _ in both}

    def by_depth(self) -> list[tuple[str, str]]:
        """(state, its scope) of all that one of the tables registers, but for snooze: by scope,
        then by what it takes to leave it."""
        found: dict[str, tuple[int, int]] = {}
        for side in (self.new, self.old):
            for name, effect in list(zip(side.held.names, side.effects(), strict=True))[1:]:
                found.setdefault(name, (effect.scope, effect.exit_ns))
        ordered = sorted(found.items(), key=lambda item: item[1])
        return [(name, SCOPES[scope]) for name, (scope, _) in ordered]

    def figures(self) -> dict[str, Power]:
        """State -> its power relative to an awake CPU, as its row gives it, or a row of that name
        in a packaged table: of the same array, else for the same register."""
        table = self.new.table
        alike = [
            known
            for known in packaged(lambda revision: "@" not in revision.name)
            if known.register is table.register
        ]
        alike.sort(key=lambda known: known.firmware.array != table.name)
        found: dict[str, Power] = {}
        for name, row in (*self.new.rows, *self.old.rows):
            rows = (row, *(known.state(row.name) for known in alike))
            power = next((each.power for each in rows if each and each.power), None)
            if power is not None and power.unit == RELATIVE:
                found.setdefault(name, power)
        return found
