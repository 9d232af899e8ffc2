"""Idle periods that a governor can learn, on which two governors are compared: trials.py has those
with all circumstances at random."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from ..qos import NO_LIMIT_US
from ..request_parts import FAR_NS
from .core.packing import AS_SELECTED, ROW
from .interface import CPU_CAPACITY, State, tick_ns

CIRCUMSTANCES = {
    "nothing special": "",
    "a latency limit": "limited",
    "a task waits for I/O": "waited for",
    "a busy CPU": "busy",
    "the tick stopped": "stopped",
    "a latency limit with the tick stopped": "limited, stopped",
    "each third entry refused": "refused",
}
"""All idle periods of rhythm_rows() in words -> their circumstance. The limit rules out the deepest
state; what is longer than the tick has the tick stopped in any case."""
_EACH = 40
"""Idle periods of one rhythm: menu looks at the last eight, and averages forget an eighth each."""
_EXPONENTIAL = (32, 98, 170, 247, 330, 421, 521, 633, 758, 901, 1068, 1269, 1520, 1856, 2367, 3466)
"""Sixteen equally probable lengths in thousandths of their mean."""
_RHYTHMS: tuple[Callable[[int, int], int], ...] = (
    lambda number, drawn: 850 + drawn % 300,
    lambda number, drawn: 300 + drawn % 1400,
    lambda number, drawn: (500, 2000)[number % 2],
    lambda number, drawn: 150 if number % 10 < 6 else 4000,
    lambda number, drawn: _EXPONENTIAL[drawn % 16],
)
"""From a period's number and a number drawn to its length, in thousandths of a target residency:
nearly equal, spread, two in turn, six short and four long ones, random wake-ups."""


def rhythm_rows(
    states: Sequence[State], hz: int, circumstance: str, off: int = 0
) -> Iterator[bytes]:
    """Yields packed idle periods about each target residency of a table, in every rhythm: with the
    next timer far away, ended by the timer, and ended by either. The state that is selected is
    entered; the tick is stopped in periods longer than it.

    circumstance  a value of CIRCUMSTANCES
    off           mask of disabled states
    """
    number, clock, tick = 1, 0, tick_ns(hz)
    exits = sorted({state.exit_ns for state in states})
    limit_us = exits[-2] // 1000 if "limited" in circumstance and len(exits) > 1 else NO_LIMIT_US
    for residency in sorted({state.residency_ns for state in states if state.residency_ns}):
        for timer, rhythm in product(range(3), _RHYTHMS):
            for period in range(_EACH):
                number = (number * 6364136223846793005 + 1442695040888963407) % (1 << 64)
                drawn = number >> 33
                idle_ns = residency * rhythm(period, drawn) // 1000
                early = timer == 0 or (timer == 2 and drawn >> 16 & 1)
                later_ns = FAR_NS if timer == 0 else idle_ns * (2 + (drawn >> 20) % 8)
                sleep_ns = later_ns if early else idle_ns
                stopped = "stopped" in circumstance or idle_ns >= tick
                to_tick_ns = idle_ns + drawn % (tick - idle_ns) if idle_ns < tick else tick
                yield ROW.pack(
                    sleep_ns,
                    sleep_ns if stopped else min(sleep_ns, to_tick_ns),
                    clock,
                    clock + idle_ns,
                    idle_ns,
                    0,
                    limit_us,
                    "waited for" in circumstance,
                    off,
                    stopped,
                    "refused" in circumstance and period % 3 == 0,
                    False,
                    False,
                    AS_SELECTED,
                    0,
                    CPU_CAPACITY // 2 if "busy" in circumstance else 0,
                    CPU_CAPACITY,
                )
                clock += idle_ns + 1000
