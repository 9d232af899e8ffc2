"""Runs one governor through equal idle periods, from boot until its selections repeat.

This module uses the reference; selection/by_core.py does the same with the compiled core.
"""

import pickle
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO

from ...dataclass import dataclass
from . import Governor
from .interface import NO_STATE, Outcome, Situation, tick_ns

FAR_NS = 10 * 1_000_000_000
"""Time to a next timer that does not end the idle period. menu corrects it in steps of a 1024th, so
it can affect idle periods longer than about a thousandth of it."""
NO_LIMIT_US = 2_000_000_000
"""The default of PM QoS: no latency limit."""

SETTLING = 256
"""A governor forgets an eighth per idle period, so the first is forgotten after 80; going back and
forth between states can take longer to become regular."""
OBSERVED = 64
_NONE = 255
_LOOK = 8
"""Idle periods between checks whether the reference repeats: the size of menu's history."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What every idle period shares.

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
"""Of an idle period, and the time to the next timer where that does not end it, in ns."""
Steps = Callable[[Sequence[Length], Circumstances, Sequence[Outcome]], Iterable[Sequence[int]]]
"""From lengths, the other circumstances, and idle periods before the first: for each length the
last OBSERVED of SETTLING + OBSERVED states that a governor selects which is at first as at boot.
255 stands for NO_STATE."""


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

    def at(
        self, idle_ns: int, circumstances: Circumstances, history: Sequence[Outcome] = ()
    ) -> tuple[int, ...]:
        """Returns the states selected once settled, most frequent first. history: idle periods
        before the first."""
        return self.over([(idle_ns, circumstances.next_timer_ns)], circumstances, history)[0]

    def over(
        self,
        lengths: Sequence[Length],
        circumstances: Circumstances,
        history: Sequence[Outcome] = (),
    ) -> list[tuple[int, ...]]:
        """As at(), for each length. A length's time to the next timer replaces that of the
        circumstances."""
        taken: dict[bytes, tuple[int, ...]] = {}
        found = []
        for selected in self.steps(lengths, circumstances, history):
            last = bytes(selected)
            if last not in taken:
                most = sorted(set(last), key=lambda each: (-last.count(each), each))
                taken[last] = tuple(NO_STATE if each == _NONE else each for each in most)
            found.append(taken[last])
        return found


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
    """Steps by the governor itself."""

    def steps(
        lengths: Sequence[Length], circumstances: Circumstances, history: Sequence[Outcome]
    ) -> Iterable[Sequence[int]]:
        for length in lengths:
            idle = Idle.of(settling.governor, length, circumstances, settling.disabled)
            yield _run(settling.make, idle, history)[SETTLING:]

    return steps


def _run(make: MakeGovernor, idle: Idle, history: Sequence[Outcome]) -> list[int]:
    governor = make()
    for outcome in history:
        governor.select(idle.situation)
        governor.reflect(outcome)
    taken: list[int] = []
    seen: dict[bytes, int] = {}
    count = SETTLING + OBSERVED
    while len(taken) < count:
        if len(taken) % _LOOK == 0:
            # The same memory again: what follows is a repetition, and need not be run.
            before = seen.setdefault(_memory(governor), len(taken))
            if before < len(taken):
                repeated, rest = taken[before:], count - len(taken)
                return taken + (repeated * (rest // len(repeated) + 1))[:rest]
        decision = governor.select(idle.situation)
        polls = _polls(governor, decision.state)
        governor.reflect(idle.outcome(decision.state, polls, decision.stop_tick))
        taken.append(_NONE if decision.state == NO_STATE else decision.state)
    return taken


class _Memory(pickle.Pickler):
    """Pickles a governor's memory, for comparison: what never changes is named, not pickled."""

    def __init__(self, buffer: BytesIO, governor: Governor) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        constants = (governor.states, governor.release, governor.features)
        self._named = {id(each): number for number, each in enumerate(constants)}

    def persistent_id(self, value: object) -> int | None:
        return self._named.get(id(value))


def _memory(governor: Governor) -> bytes:
    buffer = BytesIO()
    _Memory(buffer, governor).dump(governor)
    return buffer.getvalue()


def _polls(governor: Governor, state: int) -> bool:
    """False too for no state, and for the state behind the last one that ladder selects where only
    one polls."""
    return 0 <= state < len(governor.states) and governor.states[state].polling
