"""What a governor selects in the long run, when every idle period is like the one before.

The governor runs, from boot, through equal idle periods of a whole number of microseconds until
it has settled; what it then selects is a function of that length. Boundaries are exact: the
function can only change at a threshold (a residency, an exit latency, the tick) or within the
exit latencies above one, because governors deduct them; there every microsecond is tried, and in
between both ends are, with a bisection where they differ.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from . import Governor
from .interface import Outcome, Situation, State, tick_ns

FAR_NS = 10 * 1_000_000_000
"""A next timer so far away that it does not matter."""
NO_LIMIT_US = 2_000_000_000
"""The default of PM QoS: no latency limit."""

_SETTLING = 96
"""menu's correction factor loses an eighth per idle: after 96 it has lost all it will."""
_OBSERVED = 32


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What every idle period shares.

    tick_stopped  the tick is already stopped at select
    timer_driven  the idle ends by the next timer; else by an interrupt, the timer far away
    limit_us      latency limit
    wake_ns       what waking adds to the measured residency
    """

    tick_stopped: bool = False
    timer_driven: bool = False
    limit_us: int = NO_LIMIT_US
    wake_ns: int = 0


@dataclass(frozen=True, slots=True)
class Range:
    """Idle lengths first_us..last_us (None: without end) and the states selected for them.

    states  numbers, most frequent first; more than one where the governor goes back and forth
    """

    first_us: int
    last_us: int | None
    states: tuple[int, ...]


MakeGovernor = Callable[[], Governor]


def settled(
    make: MakeGovernor,
    idle_us: int,
    circumstances: Circumstances,
    history: Sequence[Outcome] = (),
) -> tuple[int, ...]:
    """States selected once settled, most frequent first. history: idles before the first."""
    governor = make()
    for outcome in history:
        governor.select(_situation(governor, idle_us, circumstances))
        governor.reflect(outcome)
    counts: dict[int, int] = {}
    for number in range(_SETTLING + _OBSERVED):
        situation = _situation(governor, idle_us, circumstances)
        decision = governor.select(situation)
        governor.reflect(
            _outcome(governor, decision.state, decision.stop_tick, idle_us, circumstances)
        )
        if number >= _SETTLING:
            counts[decision.state] = counts.get(decision.state, 0) + 1
    return tuple(sorted(counts, key=lambda state: (-counts[state], state)))


def _situation(governor: Governor, idle_us: int, circumstances: Circumstances) -> Situation:
    sleep_ns = idle_us * 1000 if circumstances.timer_driven else FAR_NS
    delta_ns = sleep_ns if circumstances.tick_stopped else min(sleep_ns, tick_ns(governor.hz))
    return Situation(
        latency_req_us=circumstances.limit_us,
        sleep_length_ns=sleep_ns,
        delta_next_ns=delta_ns,
        tick_stopped=circumstances.tick_stopped,
    )


def _outcome(
    governor: Governor, state: int, stop_tick: bool, idle_us: int, circumstances: Circumstances
) -> Outcome:
    """The idle lasts its length, or until the tick that was left running."""
    slept_ns = idle_us * 1000
    tick = tick_ns(governor.hz)
    got_tick = not stop_tick and not circumstances.tick_stopped and slept_ns > tick
    if got_tick:
        slept_ns = tick
    wake_ns = 0 if governor.states[state].polling else circumstances.wake_ns
    return Outcome(state, residency_ns=slept_ns + wake_ns, got_tick=got_tick)


def selection_map(make: MakeGovernor, circumstances: Circumstances) -> tuple[Range, ...]:
    """The function from idle length to settled selection, as ranges from 0 us on."""
    probe = make()
    memo: dict[int, tuple[int, ...]] = {}

    def at(idle_us: int) -> tuple[int, ...]:
        if idle_us not in memo:
            memo[idle_us] = settled(make, idle_us, circumstances)
        return memo[idle_us]

    points = sorted(_critical(probe.states, probe.hz, circumstances))
    ranges: list[Range] = []
    for first, last in _stretches(points, at):
        states = at(first)
        if ranges and set(ranges[-1].states) == set(states):
            ranges[-1] = Range(ranges[-1].first_us, last, ranges[-1].states)
        else:
            ranges.append(Range(first, last, states))
    end = ranges.pop()
    return (*ranges, Range(end.first_us, None, end.states))


def _critical(states: Sequence[State], hz: int, circumstances: Circumstances) -> set[int]:
    """Lengths at which every microsecond is tried."""
    points = {0, 1}
    thresholds = {state.residency_ns // 1000 for state in states}
    thresholds |= {tick_ns(hz) // 1000, 15}
    exits = [state.exit_ns // 1000 for state in states]
    for threshold in thresholds:
        near = [
            e for e, s in zip(exits, states, strict=True) if s.residency_ns // 1000 <= threshold
        ]
        above = max(near, default=0) + circumstances.wake_ns // 1000 + 2
        points |= set(
            range(max(0, threshold - 2 - circumstances.wake_ns // 1000), threshold + above)
        )
    for state, exit_us in zip(states, exits, strict=True):
        if state.residency_ns < 2 * state.exit_ns:
            points |= set(range(2 * exit_us + 2))
    points.add(2 * max(points) + 10)
    return points


def _stretches(
    points: Sequence[int], at: Callable[[int], tuple[int, ...]]
) -> Iterator[tuple[int, int]]:
    """Ranges within which the selection is the same, covering all from the first point on."""
    first = points[0]
    for left, right in pairwise(points):
        while at(left) != at(right) and right - left > 1:
            low, high = left, right
            while high - low > 1:
                middle = (low + high) // 2
                if at(middle) == at(left):
                    low = middle
                else:
                    high = middle
            yield first, low
            first = left = high
        if at(left) != at(right):
            yield first, left
            first = right
    yield first, points[-1]


def reachable(maps: Sequence[tuple[Range, ...]]) -> frozenset[int]:
    """States that some range of some map selects."""
    return frozenset(state for ranges in maps for r in ranges for state in r.states)


def lock_in(
    make: MakeGovernor, circumstances: Circumstances, ranges: Sequence[Range], wake_ns: int
) -> dict[int, tuple[int, int]]:
    """State -> idle lengths (first, last us) that keep it selected though they would not select it.

    After eight idle periods in a state, its wake-up time counts into what the governor measures:
    T + wake >= residency > T.
    """
    locked: dict[int, tuple[int, int]] = {}
    states = make().states
    sticky = Circumstances(
        circumstances.tick_stopped, circumstances.timer_driven, circumstances.limit_us, wake_ns
    )
    for number, state in enumerate(states):
        if number == 0:
            continue
        before = [Outcome(number, residency_ns=state.residency_ns + wake_ns)] * 8
        lengths = []
        residency_us = state.residency_ns // 1000
        for idle_us in range(max(0, residency_us - wake_ns // 1000 - 2), residency_us):
            fresh = next(r.states for r in ranges if r.last_us is None or r.last_us >= idle_us)
            if number in fresh:
                continue
            if settled(make, idle_us, sticky, before) == (number,):
                lengths.append(idle_us)
        if lengths:
            locked[number] = (lengths[0], lengths[-1])
    return locked
