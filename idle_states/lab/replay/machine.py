"""The idle states of each CPU of a machine: one table for all CPUs, or several."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, replace
from ...base.model.beyond_opal import Dump
from ...tables.linux.driver_table import DriverTable
from ...tables.linux.governors import State, states_of
from ...tables.linux.held import POLL, SNOOZE
from ...tables.linux.qos import NO_LIMIT_US

if TYPE_CHECKING:
    from ...tables.linux.genpd.tables import CpuDomain


@dataclass(frozen=True, slots=True)
class CpuTable:
    """The states of one CPU as its governor sees them.

    disabled  numbers of disabled states
    limit_us  the latency limit (PM QoS) under which the governor selects
    """

    names: tuple[str, ...]
    states: tuple[State, ...]
    disabled: frozenset[int] = frozenset()
    limit_us: int = NO_LIMIT_US


@dataclass(frozen=True)
class TracedMachine:
    """A machine. name: for reports; own: CPU -> its own table; everywhere: the table of all other
    CPUs, None if they have none; domains: the power domains that its CPUs sit in; domain_notes:
    what these rest on that neither tree nor release tells."""

    name: str
    everywhere: CpuTable | None
    own: Mapping[int, CpuTable]
    domains: tuple["CpuDomain", ...] = ()
    domain_notes: tuple[str, ...] = ()

    def table(self, cpu: int) -> CpuTable | None:
        return self.own.get(cpu, self.everywhere)

    @cached_property
    def tables(self) -> tuple[CpuTable, ...]:
        """Each different table once."""
        distinct = dict.fromkeys((self.everywhere, *self.own.values()))
        return tuple(table for table in distinct if table is not None)

    @cached_property
    def states(self) -> frozenset[tuple[State, ...]]:
        """The states of each different table."""
        return frozenset(table.states for table in self.tables)

    def like(self, other: "TracedMachine") -> bool:
        """Tells whether both machines have the same tables; names and domains are ignored."""
        return (self.everywhere, self.own) == (other.everywhere, other.own)


def under_limits(machine: TracedMachine, limits_us: Sequence[int]) -> list[TracedMachine]:
    """A machine under each of some latency limits, which its name then tells."""
    everywhere = machine.everywhere
    return [
        replace(
            machine,
            name=named_limit(machine.name, limit_us),
            everywhere=everywhere and replace(everywhere, limit_us=limit_us),
            own={cpu: replace(table, limit_us=limit_us) for cpu, table in machine.own.items()},
        )
        for limit_us in limits_us
    ]


def named_limit(name: str, limit_us: int) -> str:
    """A name with the latency limit that its states are under."""
    return f"{name}, {'no limit' if limit_us >= NO_LIMIT_US else f'limit {limit_us} us'}"


def from_driver(table: DriverTable, disabled: Iterable[int] = ()) -> CpuTable:
    """Returns the table that a kernel's driver registered. disabled: besides those that it
    registers switched off."""
    return CpuTable(
        tuple(state.name for state in table.states), states_of(table), table.off.union(disabled)
    )


def from_times(
    times: Sequence[tuple[int, int]], polling: bool, disabled: Iterable[int] = ()
) -> CpuTable:
    """times: (exit latency, target residency) in ns of the states after snooze, state 0."""
    states = [State(0, 0, polling), *(State(*time) for time in times)]
    names = [SNOOZE, *(f"state{number}" for number in range(1, len(states)))]
    return CpuTable(tuple(names), tuple(states), frozenset(disabled))


def from_sysfs(
    dump: Dump, snooze_polling: bool, disabled: Iterable[int] = ()
) -> dict[int, CpuTable]:
    """Returns CPU -> its table. snooze_polling: whether the kernel flags snooze as
    CPUIDLE_FLAG_POLLING, which sysfs does not show."""
    off = frozenset(disabled)
    polling = {POLL, SNOOZE} if snooze_polling else {POLL}
    known = {
        states: CpuTable(
            tuple(state.name for state in states),
            tuple(
                State(state.latency_us * 1000, state.residency_us * 1000, state.name in polling)
                for state in states
            ),
            off | {number for number, state in enumerate(states) if state.disabled},
        )
        for states in dict.fromkeys(dump.cpus.values())
    }
    return {cpu: known[states] for cpu, states in dump.cpus.items()}
