"""The selections of a governor in the long run, when every idle period is like the one before, as
exact ranges of its length, or of the time to the next timer.

Lengths are in ns, whatever the kernel computes in. The selection changes at a threshold (a
residency, the tick, 15 us ...), or above it by what the governor deducts (an exit latency, or half
of one) or loses by rounding. There lengths are tried densely, every half microsecond up
to latencies of 200 us (every whole one before 5.5, when kernels cut times to microseconds), between
these places every 3 %; and wherever two neighbours differ, the boundary is sought down to the
nanosecond. A test holds the result to every microsecond.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, compress, count, pairwise
from operator import is_not
from typing import Any

from ....base.dataclass import dataclass, replace
from ..request_parts import FAR_NS
from .interface import Outcome, State, tick_ns
from .settling import Circumstances, Settling

_US = 1000
_SHORT_NS = 15 * _US
_EDGES_NS = tuple(10**power * _US for power in range(1, 6))
"""The bounds of menu's bins, by the time to the next timer."""
_INTERESTING_NS = 50_000 * _US
"""Longer idle periods count as the timer's in menu."""
_UNITY = 8192
"""menu's RESOLUTION * DECAY."""
_CLOSE = 448
"""Lengths tried about one threshold; all there are, for exit latencies up to 200 us, the longest
that powernv registers."""


@dataclass(frozen=True, slots=True)
class Range:
    """Lengths first_ns..last_ns (None: without end) and the states selected for them.

    states  numbers or NO_STATE, most frequent first (at first_ns); more than one if the governor
            alternates between them permanently
    """

    first_ns: int
    last_ns: int | None
    states: tuple[int, ...]


Selected = Callable[["array[int]"], Sequence[tuple[int, ...]]]
_Boundary = tuple[int, int, tuple[int, ...]]


def selection_map(settling: Settling, circumstances: Circumstances) -> tuple[Range, ...]:
    """Returns the settled selection by length of the idle period, from 0 on. If an interrupt ends
    the idle period before a timer that is not far away, the map ends at that timer."""
    end = circumstances.next_timer_ns

    def over(idles_ns: "array[int]") -> list[tuple[int, ...]]:
        return settling.over(_paired(idles_ns, _alike(end, idles_ns)), circumstances)

    governor, by_timer = settling.governor, circumstances.timer_driven
    points = _lengths(
        governor.states,
        governor.hz,
        _unit(settling),
        None if by_timer else end,
        circumstances.wake_ns,
    )
    if by_timer or end >= FAR_NS:
        return _endless(_ranges(points, over))
    return _ranges(points[: bisect_left(points, end - 1)] + array("Q", (end - 1,)), over)


def timer_map(settling: Settling, idle_ns: int, circumstances: Circumstances) -> tuple[Range, ...]:
    """Returns the settled selection by time to the next timer, for idle periods of one length that
    an interrupt ends before the timer does."""

    ended = replace(circumstances, timer_driven=False)

    def over(timers_ns: "array[int]") -> list[tuple[int, ...]]:
        return settling.over(_paired(_alike(idle_ns, timers_ns), timers_ns), ended)

    points = _timers(settling, idle_ns, circumstances.wake_ns)
    above = {point for point in points if point > idle_ns} | {idle_ns + 1}
    return _endless(_ranges(array("Q", sorted(above)), over))


def reachable(maps: Iterable[tuple[Range, ...]]) -> frozenset[int]:
    """States that some range of some map selects."""
    return frozenset(state for ranges in maps for r in ranges for state in r.states)


def lock_in(
    settling: Settling, circumstances: Circumstances, wake_ns: int
) -> dict[int, tuple[Range, ...]]:
    """Returns state -> lengths that keep it selected although they would not select it at first.

    After eight idle periods in a state, the governor's measurements include that state's wake-up
    time: T + wake >= residency > T.
    """
    locked = {}
    sticky = replace(circumstances, wake_ns=wake_ns)
    states = settling.governor.states
    for number, state in enumerate(states):
        before = _spent_in(settling, number, wake_ns)

        def over(
            idles_ns: "array[int]", number: int = number, before: list[Outcome] = before
        ) -> list[tuple[int, ...]]:
            lengths = _paired(idles_ns, _alike(circumstances.next_timer_ns, idles_ns))
            fresh = settling.over(lengths, circumstances)
            kept = settling.over(lengths, sticky, before)
            return [
                (int(number not in first and then == (number,)),)
                for first, then in zip(fresh, kept, strict=True)
            ]

        if number == 0 or state.residency_ns == 0:
            continue
        points = _grid(state.residency_ns - wake_ns - 2 * _US, state.residency_ns, _unit(settling))
        ranges = _ranges(array("Q", sorted({*points, state.residency_ns - 1})), over)
        kept = tuple(replace(r, states=(number,)) for r in ranges if r.states == (1,))
        if kept:
            locked[number] = kept
    return locked


def keeps_itself(settling: Settling, number: int, wake_ns: int) -> bool:
    """Tells whether a state that was selected is selected again for idle periods however short,
    since what waking adds to the measured ones is enough."""
    sticky = Circumstances(wake_ns=wake_ns)
    return settling.at(1, sticky, _spent_in(settling, number, wake_ns)) == (number,)


def _spent_in(settling: Settling, number: int, wake_ns: int) -> list[Outcome]:
    """Eight idle periods in a state, as long as its residency before it is woken."""
    woken_ns = settling.governor.states[number].residency_ns + wake_ns
    return [Outcome(number, residency_ns=woken_ns, clock_ns=woken_ns)] * 8


def _paired(idles_ns: "array[int]", timers_ns: "array[int]") -> "array[int]":
    lengths = idles_ns + timers_ns
    lengths[::2], lengths[1::2] = idles_ns, timers_ns
    return lengths


def _alike(value_ns: int, others: "array[int]") -> "array[int]":
    return array("Q", (value_ns,)) * len(others)


def _ranges(points: "array[int]", over: Selected) -> tuple[Range, ...]:
    ranges: list[Range] = []
    for first, last, states in _stretches(points, over):
        if ranges and set(ranges[-1].states) == set(states):
            ranges[-1] = replace(ranges[-1], last_ns=last)
        else:
            ranges.append(Range(first, last, states))
    return tuple(ranges)


def _endless(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    return (*ranges[:-1], replace(ranges[-1], last_ns=None))


def _stretches(points: "array[int]", over: Selected) -> Iterator[_Boundary]:
    """(first, last, states) from the first point to the last. What is sought between two points is
    tried together with what is sought between others."""
    selected = over(points)
    differ = compress(count(), map(is_not, selected, selected[1:]))
    sought = [
        _boundaries(points[at], points[at + 1], selected[at], selected[at + 1]) for at in differ
    ]
    found: list[list[_Boundary]] = [[] for _ in sought]
    answers: dict[int, Any] = dict.fromkeys(range(len(sought)))
    while answers:
        open = {}
        for number, states in answers.items():
            try:
                open[number] = sought[number].send(states)
            except StopIteration as ended:
                found[number] = ended.value
        answers = dict(zip(open, over(array("Q", [*open.values()])), strict=True)) if open else {}
    first, states = points[0], selected[0]
    for last, begins, then in chain.from_iterable(found):
        yield first, last, states
        first, states = begins, then
    yield first, points[-1], states


def _boundaries(
    left: int, right: int, states: tuple[int, ...], beyond: tuple[int, ...]
) -> Generator[int, tuple[int, ...], list[_Boundary]]:
    """Yields lengths to try between two, is sent what they select, and returns the last length of
    each stretch, the first of the next one, and what that selects."""
    found: list[_Boundary] = []
    while set(beyond) != set(states):
        low, high = left, right
        while high - low > 1:
            middle = (low + high) // 2
            if set((yield middle)) == set(states):
                low = middle
            else:
                high = middle
        left, states = high, (yield high)
        found.append((low, high, states))
    return found


def _unit(settling: Settling) -> int:
    """teo halves exit latencies, so half microseconds; older kernels see whole ones only."""
    return _US // 2 if getattr(settling.governor.features, "nanoseconds", True) else _US


def _grid(first: int, last: int, unit: int) -> range:
    """Multiples of the unit from `first` on, 0 at least, to behind `last`."""
    first = max(0, first) // unit * unit
    step = max(1, -(-(last - first) // (_CLOSE * unit))) * unit
    return range(first, last + step, step)


def _spread(first: int, last: int, part: int = 32) -> Iterator[int]:
    """Lengths, each a part and 1 us more than the one before."""
    while first < last:
        yield first
        first += first // part + _US


@lru_cache(32)
def _lengths(
    states: Sequence[State], hz: int, unit: int, timer_ns: int | None, wake_ns: int
) -> "array[int]":
    """Lengths to try, ascending. timer_ns: None where the timer ends the idle period."""
    tick = tick_ns(hz)
    thresholds = {state.residency_ns for state in states}
    thresholds |= {0, tick, 2 * tick, _SHORT_NS, _INTERESTING_NS}
    if timer_ns is None:
        thresholds |= {*_EDGES_NS}
    else:
        thresholds |= {_corrected(state.residency_ns, timer_ns) for state in states} | {timer_ns}
    deducted = max(state.exit_ns for state in states)
    # Up to twice the exit latency, menu takes half of what was measured.
    points = {*_grid(0, 2 * deducted + 4 * _US, unit)}
    for threshold in thresholds:
        lost = threshold // 512 + 4 * _US
        before = threshold - wake_ns - 4 * _US
        points.update(_grid(before, threshold + deducted + lost, unit))
    return array("Q", sorted(points | {*_spread(0, 2 * max(points))}))


def _corrected(residency_ns: int, timer_ns: int) -> int:
    """The measured idle from which on menu's corrected time to the next timer reaches a residency.
    The factor is 8 * floor(1024 * measured / timer) + 7, in 1/8192, where it stays."""
    factor = -(-residency_ns * 8192 // max(timer_ns, 1))
    return max(0, -(-(factor - 7) // 8)) * timer_ns // 1024


def _timers(settling: Settling, idle_ns: int, wake_ns: int) -> set[int]:
    states, tick, unit = settling.governor.states, tick_ns(settling.governor.hz), _unit(settling)
    deducted = 2 * max(state.exit_ns for state in states)
    points: set[int] = set()
    for threshold in (
        idle_ns, tick, 2 * tick, _SHORT_NS, 20 * _US, _INTERESTING_NS, *_EDGES_NS,
        *(state.residency_ns for state in states),
    ):  # fmt: skip
        lost = threshold // 512 + 4 * _US
        points.update(_grid(threshold - deducted - lost, threshold + deducted + lost, unit))
    return points | _saw(settling, idle_ns, wake_ns) | {*_spread(idle_ns + 1, FAR_NS)}


def _saw(settling: Settling, idle_ns: int, wake_ns: int) -> set[int]:
    """A time to the next timer in each stretch over which menu's correction does the same.

    Its factor, in 1/8192, gains floor(1024 * measured / timer) each time and loses an eighth, so it
    changes where that quotient does, of what is measured after each state that can be selected.
    What it corrects the timer to, in whole us to the nearest, passes a residency R at timer =
    8192 * (R - 0.5 us) / factor, for any factor on the way: at most that of the timer at which the
    correction is exact to what is measured less R.
    """
    states = [s for s in settling.governor.states if s.residency_ns <= idle_ns]
    measured = set()
    for state in states:
        woken_ns = idle_ns + (0 if state.polling else wake_ns)
        measured.add(woken_ns - state.exit_ns if woken_ns > 2 * state.exit_ns else woken_ns // 2)
    edges: set[int] = set()
    for residency in {s.residency_ns for s in states if s.residency_ns}:
        room = max(min(measured, default=0) - residency, 1)
        most = min(_UNITY, 8 * residency // room + 8)
        passed = -(-residency // _US) * _US - _US // 2
        edges.update(-(-_UNITY * passed // factor) for factor in range(1, most + 1))
        edges.update(1024 * each // n for each in measured for n in range(1, most // 8 + 2))
    beyond = sorted(edge for edge in edges if edge > idle_ns)
    if _unit(settling) == _US:
        return {edge // _US * _US + more for edge in beyond for more in (0, _US)}
    return {(left + right) // 2 for left, right in pairwise(beyond)}
