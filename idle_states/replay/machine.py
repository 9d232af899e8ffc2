"""Which states each CPU of a machine has: one table for all, or several."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..linux.driver_table import DriverTable
from ..linux.governors.interface import State
from ..reading.sysfs import Dump, SysfsState

_POLL = "POLL"
SNOOZE = "snooze"


@dataclass(frozen=True, slots=True)
class CpuTable:
    """States of one CPU as its governor sees them; disabled: numbers of those switched off."""

    names: tuple[str, ...]
    states: tuple[State, ...]
    disabled: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TracedMachine:
    """name: for reports. everywhere: the table of CPUs that own has none for, None if there is
    none."""

    name: str
    everywhere: CpuTable | None
    own: Mapping[int, CpuTable]

    def table(self, cpu: int) -> CpuTable | None:
        return self.own.get(cpu, self.everywhere)

    def like(self, other: "TracedMachine") -> bool:
        """Whether both have the same tables, whatever they are called."""
        return (self.everywhere, self.own) == (other.everywhere, other.own)


def from_driver(table: DriverTable, disabled: Iterable[int] = ()) -> CpuTable:
    """What a kernel registered."""
    return CpuTable(
        tuple(state.name for state in table.states),
        tuple(
            State(state.exit_latency_us * 1000, state.target_residency_us * 1000, state.polling)
            for state in table.states
        ),
        frozenset(disabled),
    )


def from_times(
    times: Sequence[tuple[int, int]], polling: bool, disabled: Iterable[int] = ()
) -> CpuTable:
    """Exit latency and target residency in ns of what follows snooze, which is state 0."""
    states = [State(0, 0, polling), *(State(*time) for time in times)]
    names = [SNOOZE, *(f"state{number}" for number in range(1, len(states)))]
    return CpuTable(tuple(names), tuple(states), frozenset(disabled))


def from_sysfs(
    dump: Dump, snooze_polling: bool, disabled: Iterable[int] = ()
) -> dict[int, CpuTable]:
    """CPU -> its table. snooze_polling: the kernel flags snooze CPUIDLE_FLAG_POLLING, which
    sysfs does not show."""
    switched_off = frozenset(disabled)
    known: dict[tuple[SysfsState, ...], CpuTable] = {}
    found = {}
    for cpu, states in dump.cpus.items():
        table = _from_states(states, snooze_polling, switched_off)
        found[cpu] = known.setdefault(states, table)
    return found


def _from_states(
    states: Sequence[SysfsState], snooze_polling: bool, disabled: frozenset[int]
) -> CpuTable:
    return CpuTable(
        tuple(state.name for state in states),
        tuple(
            State(
                state.latency_us * 1000,
                state.residency_us * 1000,
                state.name == _POLL or (state.name == SNOOZE and snooze_polling),
            )
            for state in states
        ),
        disabled | {number for number, state in enumerate(states) if state.disabled},
    )
