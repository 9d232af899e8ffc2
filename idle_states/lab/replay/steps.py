"""A governor asked tentatively: what it would decide, from what it knew at the last step kept."""

from array import array
from copy import deepcopy
from typing import Self

from ...base.dataclass import replace
from ...tables.linux.governors import Governor, core
from ...tables.linux.governors.core.packing import NONE, ROW, Buffer, compiled, unpack
from ...tables.linux.governors.interface import NO_STATE


class CoreSteps:
    """By the compiled core, which copies a governor's memory at no cost worth mentioning.

    given, memory  as of Stream
    """

    def __init__(self, governor: Governor) -> None:
        stream = core.Stream.of(governor)
        self.given = stream.given
        self.memory = stream.memory

    def tried(self, row: Buffer, to_tick_ns: int, timers: "array[int]") -> bytearray:
        """Returns what is decided for a packed row, two bytes for each of some times in ns to the
        next timer: the state, NONE for no state, and whether the tick is to be stopped.

        to_tick_ns: time to the tick, unless the row has it stopped.
        """
        decisions = bytearray(2 * len(timers))
        compiled.try_timers(*self.given, self.memory, row, to_tick_ns, timers, decisions)
        return decisions

    def keep(self, row: Buffer) -> bytearray:
        """Returns the decision for a packed row, which says which state was entered then and what
        became of it: that is what really happened."""
        decision = bytearray(2)
        compiled.replay(*self.given, self.memory, row, decision, True)
        return decision

    def copy(self, other: Self) -> None:
        """Takes over what another one knows."""
        self.memory[:] = other.memory


class ReferenceSteps:
    """The counterpart of CoreSteps by the reference."""

    def __init__(self, governor: Governor) -> None:
        self._governor = governor

    def tried(self, row: Buffer, to_tick_ns: int, timers: "array[int]") -> bytearray:
        _, _, *values = ROW.unpack(row)
        stopped = values[7]
        decisions = bytearray()
        for timer_ns in timers:
            delta_ns = timer_ns if stopped else min(timer_ns, to_tick_ns)
            governor = deepcopy(self._governor)
            decisions += _decided(governor, ROW.pack(timer_ns, delta_ns, *values))
        return decisions

    def keep(self, row: Buffer) -> bytearray:
        return _decided(self._governor, row)

    def copy(self, other: Self) -> None:
        self._governor = deepcopy(other._governor)


Steps = CoreSteps | ReferenceSteps


def _decided(governor: Governor, row: Buffer) -> bytearray:
    ((situation, outcome),) = unpack(row)
    decision = governor.select(situation)
    entered = decision.state if outcome.state > len(governor.states) else outcome.state
    limit = outcome.poll_time_limit
    if entered != outcome.state:
        # as limit_holds() of the core has it: the limit was seen in the state recorded
        limit = limit and ROW.unpack(row)[15] == entered
    governor.reflect(replace(outcome, state=entered, poll_time_limit=limit))
    return bytearray((NONE if decision.state == NO_STATE else decision.state, decision.stop_tick))


def steps_of(governor: Governor, *, by_core: bool = True) -> Steps:
    """governor: from boot on. by_core: where it can."""
    return (CoreSteps if by_core and core.can_replay(governor) else ReferenceSteps)(governor)
