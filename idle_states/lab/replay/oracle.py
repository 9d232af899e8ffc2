"""An oracle: a selection that knows in advance how long each idle period lasts.

It takes the deepest enabled state whose exit latency the latency limit allows and whose target
residency the idle period reaches. Where power figures of all states are known, it takes the state
that costs least instead, by the middles of the figures. It selects once for each idle period: no
tick and no time limit of polling ends it early. Power domains are not in it.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache, partial
from math import ceil
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...tables.linux.governors.core.packing import ROW, mask
from ...tables.linux.qos import NO_LIMIT_US
from ...tables.linux.releases import Release
from ..traces.chunks import CpuChunk
from ..traces.periods import Period
from ..traces.recording import RecordedDecision
from .counters import Tally, counts_in_ns
from .machine import CpuTable, TracedMachine
from .results import BY_ENERGY, BY_RESIDENCY, Account

if TYPE_CHECKING:
    from ...tables.power.energy import PowerModel


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The selections of an oracle. lengths_ns: the idle length from which each of `states` is
    selected, ascending, the first 0."""

    lengths_ns: tuple[int, ...]
    states: tuple[int, ...]

    def state(self, length_ns: int) -> int:
        return self.states[bisect_right(self.lengths_ns, length_ns) - 1]


def by_residency(table: CpuTable, allowed: Sequence[int]) -> Foreseen:
    """Returns the choice of the deepest state whose target residency is reached. allowed: numbers
    of states, ascending; the first is selected where no residency is reached."""
    found: list[tuple[int, int]] = []
    for number in allowed:
        least = table.states[number].residency_ns if found else 0
        while found and found[-1][0] >= least:
            found.pop()
        found.append((least, number))
    return _choice(found)


def by_energy(
    table: CpuTable, allowed: Sequence[int], power: "PowerModel", exits_ns: Sequence[int] = ()
) -> Foreseen:
    """Returns the choice of the state with the least energy. power: has each allowed state;
    exits_ns: by how much each state makes the idle period longer."""
    middles = power.middles()
    awake = middles.awake.low
    # energy of an idle period: start + draw * length
    lines = {}
    for number in allowed:
        known = middles.states[table.names[number]]
        longer = known.power.low * (exits_ns[number] if exits_ns else 0)
        lines[number] = (awake - known.power.low) * known.tau_ns + longer, known.power.low
    last = min(allowed, key=lambda number: (*lines[number], number))
    found = [(0, last)]
    while better := {
        number: ceil((start - lines[last][0]) / (lines[last][1] - draw))
        for number, (start, draw) in lines.items()
        if draw < lines[last][1]
    }:
        last = min(better, key=lambda number: (better[number], lines[number][1], number))
        if better[last] == found[-1][0]:
            found.pop()
        found.append((better[last], last))
    return _choice(found)


def _choice(found: Sequence[tuple[int, int]]) -> Foreseen:
    return Foreseen(tuple(least for least, _ in found), tuple(number for _, number in found))


def foreseen(
    table: CpuTable,
    power: "PowerModel | None",
    limit_us: int = NO_LIMIT_US,
    disabled: int = 0,
    exits_ns: Sequence[int] = (),
) -> Foreseen:
    """Returns the choice among a table's enabled states: by energy with power, else by residency.

    power     has each enabled state
    disabled  as a mask: states that are switched off where the table has none so
    exits_ns  as of by_energy()
    """
    # a table's own switched-off states replace those of a recording
    off = mask(table.disabled) or disabled
    enabled = [at for at in range(len(table.states)) if not off >> at & 1] or [0]
    limit_ns = 1000 * min(limit_us, table.limit_us)
    allowed = [at for at in enabled if table.states[at].exit_ns <= limit_ns] or enabled[:1]
    if power is None:
        return by_residency(table, allowed)
    return by_energy(table, allowed, power, exits_ns)


def prices(table: CpuTable, power: "PowerModel | None") -> bool:
    """Tells whether an oracle can select by energy: each enabled state has a figure."""
    enabled = (name for at, name in enumerate(table.names) if at not in table.disabled)
    return power is not None and all(name in power.states for name in enabled)


class _Oracle:
    """A machine's CPUs."""

    def __init__(self, machine: TracedMachine, in_ns: bool, power: "PowerModel | None") -> None:
        self._machine, self._in_ns = machine, in_ns
        priced = all(prices(table, power) for table in machine.tables)
        self._power = power if priced else None
        self._cpus: dict[int, tuple[Tally, Callable[[int, int], Foreseen]] | None] = {}

    def add(self, cpu: int, length_ns: int, limit_us: int, disabled: int) -> None:
        """Counts an idle period. limit_us, disabled: what holds besides the table's own; disabled:
        as a mask."""
        here = self._cpus[cpu] if cpu in self._cpus else self._appear(cpu)
        if here is not None:
            tally, choice = here
            tally.add(choice(limit_us, disabled).state(length_ns), length_ns)

    def account(self) -> Account:
        known = sorted((cpu, here[0].figures()) for cpu, here in self._cpus.items() if here)
        by = BY_RESIDENCY if self._power is None else BY_ENERGY
        return Account(self._machine.name, by, dict(known))

    def _appear(self, cpu: int) -> tuple[Tally, Callable[[int, int], Foreseen]] | None:
        table = self._machine.table(cpu)
        if table is None:
            self._cpus[cpu] = None
            return None
        choice = cache(partial(foreseen, table, self._power))
        self._cpus[cpu] = Tally(table, self._in_ns), choice
        return self._cpus[cpu]


class Oracles:
    """An oracle for each machine that was asked for, and one for the traced machine."""

    def __init__(
        self,
        traced: TracedMachine,
        machines: Sequence[TracedMachine],
        release: Release,
        power: "PowerModel | None",
    ) -> None:
        in_ns = counts_in_ns(release)
        self._machines = [_Oracle(machine, in_ns, power) for machine in machines]
        likes = (at for at, machine in enumerate(machines) if machine.like(traced))
        at = next(likes, None)
        self._traced = _Oracle(traced, in_ns, power) if at is None else self._machines[at]
        self._every = tuple(dict.fromkeys((*self._machines, self._traced)))

    def add(self, periods: Sequence[Period]) -> None:
        """Takes traced idle periods."""
        for cpu, _, start_ns, end_ns, _ in periods:
            for oracle in self._every:
                oracle.add(cpu, end_ns - start_ns, NO_LIMIT_US, 0)

    def add_row(self, row: RecordedDecision) -> None:
        """Takes a recorded decision; one that the driver refused is no idle period."""
        if not row.outcome.rejected:
            given = row.situation
            for oracle in self._every:
                off = mask(given.disabled)
                oracle.add(row.cpu, row.outcome.residency_ns, given.latency_req_us, off)

    def add_packed(self, part: CpuChunk) -> None:
        """Takes decisions of a recording that are packed for the core."""
        for _, _, _, _, length_ns, _, limit_us, _, off, _, rejected, *_ in ROW.iter_unpack(
            part.rows
        ):
            if not rejected:
                for oracle in self._every:
                    oracle.add(part.cpu, length_ns, limit_us, off)

    def finish(self) -> tuple[Account, ...]:
        """Returns the accounts of the machines that were asked for, then the traced machine's."""
        return tuple(each.account() for each in (*self._machines, self._traced))
