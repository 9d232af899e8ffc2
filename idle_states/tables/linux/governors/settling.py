"""Runs one governor through equal idle periods, from boot until its selections repeat.

This module uses the reference; selection/by_core.py does the same with the compiled core.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from io import BytesIO

from ....base.dataclass import dataclass, replace
from ..qos import NO_LIMIT_US
from ..request_parts import FAR_NS
from . import Governor
from .interface import NO_STATE, Decision, Outcome, Situation, tick_ns
from .watched import LengthsAlike, WatchedLength

SETTLING = 256
"""A governor forgets an eighth per idle period, so the first is forgotten after 80; going back and
forth between states can take longer to become regular."""
OBSERVED = 64
_NONE = 255
_LOOK = 8
"""Idle periods between checks whether the reference repeats."""
_CLOSELY = 64
"""From here on, each is checked: menu's and teo's averages will not change much more."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The circumstances that every idle period shares.

    tick_stopped   the tick is already stopped at select
    timer_driven   the idle ends by the next timer; else by an interrupt
    limit_us       latency limit
    wake_ns        what waking adds to the measured residency of states that do not poll
    next_timer_ns  not timer_driven: the time to the next timer at select
    """

    tick_stopped: bool = False
    timer_driven: bool = False
    limit_us: int = NO_LIMIT_US
    wake_ns: int = 0
    next_timer_ns: int = FAR_NS


MakeGovernor = Callable[[], Governor]
Length = tuple[int, int]
"""The length of an idle period, and the time to the next timer where that does not end it, in
ns."""
Steps = Callable[["array[int]", Circumstances, Sequence[Outcome]], Iterable[bytes]]
"""From lengths, the other circumstances, and idle periods before the first: for each length the
last OBSERVED of SETTLING + OBSERVED states that a governor selects which is at first as at boot.
255 stands for NO_STATE. Lengths: array("Q") of the two numbers of each in turn."""


class Settling:
    """A governor whose settled selection is wanted.

    make   makes the governor in its state at boot
    steps  gives the function that runs it; None: the reference
    disabled  numbers of the states that are switched off all the time
    """

    def __init__(
        self,
        make: MakeGovernor,
        steps: Callable[["Settling"], Steps] | None = None,
        disabled: frozenset[int] = frozenset(),
    ) -> None:
        self.make = make
        self.disabled = disabled
        self.governor = make()
        self.steps = (steps or by_reference)(self)

    @property
    def behaviour(self) -> object:
        """All that selections depend on, of one governor and HZ: its features and its states."""
        return self.governor.features, self.governor.states, self.disabled

    def at(
        self, idle_ns: int, circumstances: Circumstances, history: Sequence[Outcome] = ()
    ) -> tuple[int, ...]:
        """Returns the states selected once settled, most frequent first. history: idle periods
        before the first."""
        length = array("Q", (idle_ns, circumstances.next_timer_ns))
        return self.over(length, circumstances, history)[0]

    def over(
        self, lengths: "array[int]", circumstances: Circumstances, history: Sequence[Outcome] = ()
    ) -> list[tuple[int, ...]]:
        """Returns the result of at() for each length. A length's time to the next timer replaces
        that of the circumstances."""
        selected = [*self.steps(lengths, circumstances, history)]
        states = {last: _by_frequency(last) for last in set(selected)}
        return [states[last] for last in selected]


@lru_cache(1024)
def _by_frequency(selected: bytes) -> tuple[int, ...]:
    most = sorted(set(selected), key=lambda each: (-selected.count(each), each))
    return tuple(NO_STATE if each == _NONE else each for each in most)


@dataclass(frozen=True, slots=True)
class Idle:
    """One idle period, and how long it lasts depending on the decision.

    woken_ns, polled_ns  measured if it lasts its length, in a state that does not poll or does
    tick_ns              the tick ends it earlier unless it was stopped; 0: it cannot
    wake_ns              part of woken_ns
    """

    situation: Situation
    woken_ns: int
    polled_ns: int
    tick_ns: int
    wake_ns: int

    @classmethod
    def of(
        cls,
        governor: Governor,
        length: Length,
        circumstances: Circumstances,
        disabled: frozenset[int] = frozenset(),
    ) -> "Idle":
        idle_ns, timer_ns = length
        sleep_ns = idle_ns if circumstances.timer_driven else timer_ns
        tick = tick_ns(governor.hz)
        stopped = circumstances.tick_stopped
        situation = Situation(
            latency_req_us=circumstances.limit_us,
            sleep_length_ns=sleep_ns,
            delta_next_ns=sleep_ns if stopped else min(sleep_ns, tick),
            tick_stopped=stopped,
            disabled=disabled,
        )
        wake_ns = circumstances.wake_ns
        cut = tick if not stopped and idle_ns > tick else 0
        return cls(situation, idle_ns + wake_ns, idle_ns, cut, wake_ns)

    def outcome(self, state: int, polls: bool, stops_tick: bool) -> Outcome:
        """Returns the outcome: the idle period lasts its length, or until the tick if that runs."""
        got_tick = self.tick_ns > 0 and not stops_tick
        lasted = self.polled_ns if polls else self.woken_ns
        if got_tick:
            lasted = self.tick_ns + (0 if polls else self.wake_ns)
        return Outcome(state, residency_ns=lasted, got_tick=got_tick, clock_ns=lasted)


def by_reference(settling: Settling) -> Steps:
    """Steps by the governor itself. Lengths, or latency limits, that it cannot tell apart are run
    once."""
    runs: dict[object, _Runs] = {}

    def steps(
        lengths: "array[int]", circumstances: Circumstances, history: Sequence[Outcome]
    ) -> Iterable[bytes]:
        before, limit_us = tuple(history), circumstances.limit_us
        unlimited = replace(circumstances, limit_us=NO_LIMIT_US)
        for length in zip(lengths[::2], lengths[1::2], strict=True):
            if not settling.governor.only_compares:
                known = runs.setdefault((length, unlimited, before), _Runs())
                if (found := known.of(limit_us)) is None:
                    governor = settling.make()
                    found = _run(settling, governor, length, circumstances, history)
                    known.add(*governor.limits_alike(limit_us), found)
                yield found
                continue
            # The length that varies: the other one is the circumstances', or does not matter.
            timer = length[1] != circumstances.next_timer_ns
            known = runs.setdefault((timer, length[1 - timer], circumstances, before), _Runs())
            if (found := known.of(length[timer])) is None:
                alike = LengthsAlike(length[timer])
                watched = WatchedLength(alike)
                each = (length[0], watched) if timer else (watched, length[1])
                found = _run(settling, settling.make(), each, circumstances, history)
                known.add(alike.first, alike.last, found)
            yield found

    return steps


class _Runs:
    """States selected, by ranges of lengths, or of limits, that do not overlap."""

    __slots__ = ("_found", "_lasts")

    def __init__(self) -> None:
        self._lasts: list[int] = []
        self._found: list[tuple[int, bytes]] = []

    def of(self, value: int) -> bytes | None:
        at = bisect_left(self._lasts, value)
        if at == len(self._lasts) or value < self._found[at][0]:
            return None
        return self._found[at][1]

    def add(self, first: int, last: int, found: bytes) -> None:
        at = bisect_left(self._lasts, last)
        self._lasts.insert(at, last)
        self._found.insert(at, (first, found))


def _run(
    settling: Settling,
    governor: Governor,
    length: Length,
    circumstances: Circumstances,
    history: Sequence[Outcome],
) -> bytes:
    idle = Idle.of(governor, length, circumstances, settling.disabled)
    return bytes(_selected(governor, idle, history)[SETTLING:])


def _selected(governor: Governor, idle: Idle, history: Sequence[Outcome]) -> list[int]:
    for outcome in history:
        governor.select(idle.situation)
        governor.reflect(outcome)
    states: list[int] = []
    seen: dict[bytes, int] = {}
    outcomes: dict[Decision, Outcome] = {}
    count = SETTLING + OBSERVED
    while len(states) < count:
        decision = governor.select(idle.situation)
        if decision not in outcomes:
            polls = _polls(governor, decision.state)
            outcomes[decision] = idle.outcome(decision.state, polls, decision.stop_tick)
        governor.reflect(outcomes[decision])
        states.append(_NONE if decision.state == NO_STATE else decision.state)
        if governor.settled():
            return states + states[-1:] * (count - len(states))
        if len(states) % _LOOK == 0 or len(states) > _CLOSELY:
            # The same memory again: what follows is a repetition, and need not be run.
            before = seen.setdefault(_memory(governor), len(states))
            if before < len(states):
                repeated, rest = states[before:], count - len(states)
                return states + (repeated * (rest // len(repeated) + 1))[:rest]
    return states


def _memory(governor: Governor) -> bytes:
    """A governor's memory, for comparison. What never changes is named, not pickled."""
    import pickle  # the compiled core needs none of it

    from .menu_history import IntervalHistory

    constants = (governor.features, governor.release, *governor.states)
    buffer = BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {
        **{type(constant): _named for constant in constants},
        IntervalHistory: lambda history: (tuple, (history.oldest_first,)),
        WatchedLength: lambda length: (tuple, (length.form,)),
    }
    pickler.dump(governor)
    return buffer.getvalue()


def _named(constant: object) -> tuple[type[int], tuple[int]]:
    return int, (id(constant),)


def _polls(governor: Governor, state: int) -> bool:
    """False too for no state, and for the state behind the last one that ladder selects where only
    one polls."""
    return 0 <= state < len(governor.states) and governor.states[state].polling
