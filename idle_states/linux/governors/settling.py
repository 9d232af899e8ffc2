"""One governor through equal idle periods, from boot until what it selects repeats.

The compiled core does the work where it can, the reference otherwise; they give the same answer.

What waking and the tick make of an idle period depends on the decision, so the core is first told
that the tick stops and waking counts, and told better where its decisions say otherwise, until they
agree. Each round settles one more decision at least.
"""

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ... import core
from . import Governor
from .interface import Outcome, Situation, tick_ns

FAR_NS = 10 * 1_000_000_000
"""A next timer that is not what ends an idle period. menu corrects the time to it in steps of a
1024th, so how far away it is can show in periods beyond a thousandth of it."""
NO_LIMIT_US = 2_000_000_000
"""The default of PM QoS: no latency limit."""

SETTLING = 256
"""A governor forgets an eighth per idle period, so the first is forgotten after 80; going back and
forth between states can take longer to become regular."""
OBSERVED = 64
_LOOK = 8
"""Idle periods between looks at whether the reference has come round: menu's ring has as many."""


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
T = TypeVar("T")


class Settling:
    """A governor, to be asked for what it settles on.

    make       a governor as at boot, always the same one
    reference  leave the core out
    """

    def __init__(self, make: MakeGovernor, *, reference: bool = False) -> None:
        self.make = make
        self.governor = make()
        self.reference = reference or not core.supports(self.governor.name, self.governor.features)

    def at(
        self, idle_ns: int, circumstances: Circumstances, history: Sequence[Outcome] = ()
    ) -> tuple[int, ...]:
        """States selected once settled, most frequent first. history: idles before the first."""
        governor = self.governor
        idle = Idle.of(governor, idle_ns, circumstances)
        if (
            self.reference
            or not 1 < len(governor.states) <= core.STATES_MAX
            or circumstances.limit_us >> 32
        ):
            taken = _by_reference(self.make(), idle, history)
        else:
            taken = _by_core(governor, idle, history)
        last = taken[SETTLING:]
        if len(set(last)) == 1:
            return (last[0],)
        return tuple(sorted(set(last), key=lambda state: (-last.count(state), state)))


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
    def of(cls, governor: Governor, idle_ns: int, circumstances: Circumstances) -> "Idle":
        sleep_ns = idle_ns if circumstances.timer_driven else circumstances.next_timer_ns
        tick = tick_ns(governor.hz)
        stopped = circumstances.tick_stopped
        situation = Situation(
            latency_req_us=circumstances.limit_us,
            sleep_length_ns=sleep_ns,
            delta_next_ns=sleep_ns if stopped else min(sleep_ns, tick),
            tick_stopped=stopped,
        )
        wake_ns = circumstances.wake_ns
        cut = tick if not stopped and idle_ns > tick else 0
        return cls(situation, idle_ns + wake_ns, idle_ns, cut, wake_ns)

    @property
    def depends(self) -> bool:
        """Whether how long it lasts depends on the decision."""
        return self.tick_ns > 0 or self.wake_ns > 0

    def outcome(self, state: int, polls: bool, stops_tick: bool) -> Outcome:
        """The idle lasts its length, or until the tick that was left running."""
        got_tick = self.tick_ns > 0 and not stops_tick
        lasted = self.polled_ns if polls else self.woken_ns
        if got_tick:
            lasted = self.tick_ns + (0 if polls else self.wake_ns)
        return Outcome(state, residency_ns=lasted, got_tick=got_tick, clock_ns=lasted)


def _by_reference(governor: Governor, idle: Idle, history: Sequence[Outcome]) -> Sequence[int]:
    for outcome in history:
        governor.select(idle.situation)
        governor.reflect(outcome)
    taken: list[int] = []
    seen: dict[bytes, int] = {}
    count = SETTLING + OBSERVED
    while len(taken) < count:
        if len(taken) % _LOOK == 0:
            # The same memory again: what follows is a repetition, and need not be run.
            before = seen.setdefault(pickle.dumps(governor), len(taken))
            if before < len(taken):
                return _continued(taken, taken[before:], count)
        decision = governor.select(idle.situation)
        polls = _polls(governor, decision.state)
        governor.reflect(idle.outcome(decision.state, polls, decision.stop_tick))
        taken.append(decision.state)
    return taken


def _polls(governor: Governor, state: int) -> bool:
    """False too for the state behind the last one that ladder selects where only one polls."""
    return state < len(governor.states) and governor.states[state].polling


def _by_core(governor: Governor, idle: Idle, history: Sequence[Outcome]) -> Sequence[int]:
    def row(polls: bool, stops: bool) -> bytes:
        expected = idle.outcome(0, polls, stops)
        return bytes(core.pack([(idle.situation, expected)], as_selected=True))

    before = core.pack([(idle.situation, outcome) for outcome in history])
    first = row(False, True)
    rows = [first] * (SETTLING + OBSERVED)
    while True:
        decisions = core.run(
            governor.name, governor.features, governor.states, governor.hz, before + b"".join(rows)
        )
        packed = bytes(decisions.packed[2 * len(history) :])
        if not idle.depends:
            return packed[::2]
        decided = list(zip(packed[::2], packed[1::2], strict=True))
        variants = {
            (state, stops): row(governor.states[state].polling, bool(stops))
            for state, stops in set(decided)
        }
        better = [variants[decision] for decision in decided]
        if better == rows:
            return packed[::2]
        right = next(i for i, pair in enumerate(zip(rows, better, strict=True)) if len({*pair}) > 1)
        known = better[: right + 1]
        period = _period(known)
        rows = _continued(known, known[-period:], len(rows)) if period else better


def _period(known: Sequence[bytes]) -> int:
    """What the end of a sequence repeats, as a length; 0 if nothing."""
    for period in range(1, min(16, len(known) // 2) + 1):
        if known[-period:] == known[-2 * period : -period]:
            return period
    return 0


def _continued(known: list[T], repeated: list[T], count: int) -> list[T]:
    rest = count - len(known)
    return known + (repeated * (rest // len(repeated) + 1))[:rest]
