"""select: which state each governor takes, as ranges, for a table under one kernel."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..linux.driver_table import DriverTable
from ..linux.governors import Governor, State
from ..linux.governors.steady import (
    NO_LIMIT_US,
    Circumstances,
    Range,
    lock_in,
    reachable,
    selection_map,
)
from ..linux.releases import Release


@dataclass(frozen=True, slots=True)
class Mapped:
    """One map: what was held fixed, and the ranges."""

    circumstances: Circumstances
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """names of the states by number; maps; states no map selects; lock-in ranges by state."""

    governor: str
    release: Release
    hz: int
    names: tuple[str, ...]
    states: tuple[State, ...]
    maps: tuple[Mapped, ...]
    unreachable: tuple[int, ...]
    level_with_snooze: tuple[int, ...]
    locked: dict[int, tuple[int, int]]
    wake_ns: int


def select(
    governor: str,
    release: Release,
    table: DriverTable | Sequence[State],
    hz: int,
    limits_us: Sequence[int] = (NO_LIMIT_US,),
    wake_ns: int = 0,
) -> Selection:
    """Maps for the tick running and stopped, timers and interrupts, and each latency limit.

    Raises UnknownGovernor.
    """

    def make() -> Governor:
        return Governor.for_kernel(governor, release, table, hz)

    probe = make()
    maps = []
    for limit in limits_us:
        for timer_driven in (False, True):
            for tick_stopped in (False, True):
                fixed = Circumstances(tick_stopped, timer_driven, limit)
                maps.append(Mapped(fixed, selection_map(make, fixed)))
    taken = reachable([mapped.ranges for mapped in maps])
    first = maps[0]
    return Selection(
        governor=governor,
        release=release,
        hz=hz,
        names=_names(table, probe.states),
        states=probe.states,
        maps=tuple(maps),
        unreachable=tuple(i for i in range(len(probe.states)) if i not in taken),
        level_with_snooze=tuple(
            i
            for i, state in enumerate(probe.states)
            if i and state.exit_ns == probe.states[0].exit_ns
        ),
        locked=lock_in(make, first.circumstances, first.ranges, wake_ns) if wake_ns else {},
        wake_ns=wake_ns,
    )


def _names(table: DriverTable | Sequence[State], states: Sequence[State]) -> tuple[str, ...]:
    if isinstance(table, DriverTable):
        return tuple(state.name for state in table.states)
    return tuple("snooze" if i == 0 else f"state{i}" for i in range(len(states)))
