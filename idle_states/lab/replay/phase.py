"""Where a trace's clock has the tick: idle periods that a tick ended show it.

A kept tick wakes its CPU at whole multiples of the tick's period, all at the same phase on the
trace's clock. Periods ended by anything else end at any phase.
"""

import math
from collections.abc import Sequence

_SAMPLE = 100_000
_WIDE, _NARROW = 50, 400
"""A window is this part of the tick's period: wide to see the ticks, narrow to see their start."""


def tick_phase(ends_ns: Sequence[int], tick_ns: int) -> int | None:
    """The phase of the tick, 0 to tick_ns - 1, as the earliest end of a period that it woke.

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
    """How many phases the fullest window has, and where it begins. phases: ascending; they go
    round after `around`."""
    best, start, last = 0, 0, 0
    twice = [*phases, *(phase + around for phase in phases)]
    for first in range(len(phases)):
        while last < len(twice) and twice[last] <= twice[first] + width:
            last += 1
        if last - first > best:
            best, start = last - first, phases[first]
    return best, start
