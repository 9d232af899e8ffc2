"""Traced periods of a CPU, and what their places on the clock say of them."""

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ...base.dataclass import dataclass
from ...tables.linux.governors.interface import KTIME_MAX, tick_ns
from .machine import CpuTable
from .polling import polling
from .replay import Settings

SLACK_NS = 20_000
"""A wake-up may be this late, besides the state's exit latency."""
SHORT_AWAKE_NS = 10_000
"""A CPU awake for less has probably not run a task: a stopped tick stays stopped."""
OWN_TIMERS = 4
"""Timers that a period has of its own come before those that all have."""
AT_END = 2
"""Place of the timer that is due when the period ends."""
_POWERS = tuple(1 << bit for bit in range(10, 36))
_SAMPLE = 100_000
_WIDE, _NARROW = 50, 400
"""A window is this part of the tick's period: wide to see the ticks, narrow to see their start."""


@dataclass(slots=True)
class PlacedPeriod:
    """One period, and what its place on the clock says of it.

    timers      times from its start to the next timer that are tried, in ns: OWN_TIMERS of its own,
                then those that all periods have, ascending
    possible    where those begin that are not too near
    to_tick_ns  from its start to the next tick
    crosses     it lasts across a tick
    at_tick     it ends with one
    short       the CPU was hardly awake before
    polled_out  it ends with the polling limit
    """

    index: int
    state: int
    start_ns: int
    length_ns: int
    timers: "array[int]"
    possible: int
    to_tick_ns: int
    crosses: bool
    at_tick: bool
    short: bool
    polled_out: bool


class Places:
    """Places periods of one CPU on the clock.

    others    tables that are replayed besides the traced one
    powers    powers of two are tried as timers, too
    phase_ns  of the tick; None: not known
    timers    those that all periods have, ascending
    poll_ns   the time after which polling in state 0 ends; None: it does not, or is not told so
    """

    def __init__(
        self,
        table: CpuTable,
        settings: Settings,
        others: Sequence[CpuTable],
        phase_ns: int | None,
        *,
        powers: bool,
    ) -> None:
        self._table = table
        self.tick_ns = tick_ns(settings.hz)
        self.phase_ns = phase_ns
        self._late_ns = [SLACK_NS + state.exit_ns for state in table.states]
        limit = polling(table, settings.release, settings.hz)
        self.poll_ns = limit.limit_ns if limit.reports else None
        begins = {state.residency_ns for each in (table, *others) for state in each.states}
        near = {begin - less for begin in begins for less in (0, 1) if begin > less}
        timers = {*near, self.tick_ns, 2 * self.tick_ns, KTIME_MAX, *(_POWERS if powers else ())}
        self.timers = array("Q", sorted(each for each in timers if each <= KTIME_MAX))

    def of(self, periods: "array[int]") -> Iterator[PlacedPeriod]:
        """periods: start and end in ns, and state, in turn; no state is beyond the table."""
        tick, phase = self.tick_ns, self.phase_ns
        starts, ends, states = periods[::3], periods[1::3], periods[2::3]
        at_ticks = [
            phase is not None and (end - phase) % tick < self._late_ns[state]
            for end, state in zip(ends, states, strict=True)
        ]
        later = list(ends)
        for index in range(len(later) - 2, -1, -1):
            if at_ticks[index]:
                later[index] = max(later[index + 1], ends[index])
        awake_ns = -SHORT_AWAKE_NS
        for index, (start, end, state) in enumerate(zip(starts, ends, states, strict=True)):
            length = end - start
            to_tick = tick - (start - (phase or 0)) % tick
            least = max(0, length - self._late_ns[state])
            on_time = max(0, length - self._table.states[state].exit_ns)
            own = (later[index] - start, KTIME_MAX, length, least)
            if not at_ticks[index]:
                own = on_time, KTIME_MAX, length, least
            polls = state == 0 and self.poll_ns is not None
            yield PlacedPeriod(
                index,
                state,
                start,
                length,
                array("Q", own) + self.timers,
                OWN_TIMERS + bisect_left(self.timers, least),
                to_tick,
                phase is not None and least > to_tick,
                at_ticks[index],
                start - awake_ns < SHORT_AWAKE_NS,
                polls and length >= (self.poll_ns or 0),
            )
            awake_ns = end


def tick_phase(ends_ns: Sequence[int], tick_ns: int) -> int | None:
    """The phase of the tick, 0 to tick_ns - 1, as the earliest end of a period that it woke.

    A kept tick wakes its CPU at whole multiples of its period, all at the same phase on the trace's
    clock. Periods ended by anything else end at any phase.
    ends_ns: when idle periods ended. None if no phase has clearly more ends than chance gives it.
    """
    step = max(1, len(ends_ns) // _SAMPLE)
    phases = sorted(end % tick_ns for end in ends_ns[::step])
    count, start = _densest(phases, tick_ns, tick_ns // _NARROW)
    if _clear(count, len(phases) / _NARROW):
        return start
    count, start = _densest(phases, tick_ns, tick_ns // _WIDE)
    return start if _clear(count, len(phases) / _WIDE) else None


def _clear(count: int, by_chance: float) -> bool:
    return count >= max(3 * by_chance, by_chance + 5 * math.sqrt(by_chance) + 5)


def _densest(phases: Sequence[int], around: int, width: int) -> tuple[int, int]:
    """Returns the number of phases in the fullest window, and its start. phases: ascending; they go
    round after `around`."""
    best, start, last = 0, 0, 0
    twice = [*phases, *(phase + around for phase in phases)]
    for first in range(len(phases)):
        while last < len(twice) and twice[last] <= twice[first] + width:
            last += 1
        if last - first > best:
            best, start = last - first, phases[first]
    return best, start
