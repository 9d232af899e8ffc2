"""Looks for histories after which a governor selects a state.

The search is directed: idle periods about the state's residency, ended by the timer or by an
interrupt, with the tick running or stopped, equal ones first, then two kinds in turn, random ones
at last. The core plays many at once where it can. What is found is replayed by the reference, and
shortened as long as it still leads to the state. Not finding one proves nothing.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from ...base.dataclass import replace
from ..linux.governors import Governor
from ..linux.governors.interface import CPU_CAPACITY, tick_ns
from ..linux.request_parts import FAR_NS
from .history import IdleStep, Memory, Played, Scene
from .playing import History, player_of
from .wandering import US, random_histories

_EQUAL = (12, 48)
"""Equal idle periods tried: menu's history has eight, and the first decisions do not know them;
ladder takes four for each state, and what snooze's time-out or the tick ends counts too."""
_TRAIN = (8, 16)
_WAITING = (1, 2, 3, 5, 9, 20, 60, 200)
"""Numbers of tasks waiting for I/O that are tried where the governor asks."""

_AT_RANDOM = (100_000, 3_000)
"""Random histories tried, about a dozen idle periods each: with the core, and without."""
_AT_ONCE = (8, 1024)
"""Histories that the core plays at once: at first, and at most."""

_USUAL: tuple[tuple[str, Any], ...] = (
    ("late_ns", 0),
    ("iowaiters", 0),
    ("cpu_util", 0),
    ("tick_ns", None),
    ("tick_stopped", False),
    ("interrupt_ns", None),
)
"""Circumstances that a witness is shown without where it still leads to its state."""

MakeGovernor = Callable[[], Governor]


class Search:
    """Finds witnesses for one governor over one table.

    make   makes the governor in its state at boot
    scene  what is the same in all steps
    """

    def __init__(self, make: MakeGovernor, scene: Scene) -> None:
        self.make = make
        self.scene = scene
        self.governor = make()
        self.found: dict[int, History] = {}
        self._player = player_of(self.governor, scene)
        self._tick = tick_ns(self.governor.hz)
        unlike = (3 * US, 20 * US, 150 * US, 1000 * US, 2 * self._tick)
        self._mixed = tuple(IdleStep(FAR_NS, each) for each in unlike) * 3

    def quickly(self) -> frozenset[int]:
        """Tries equal idle periods for each state; returns the states found."""
        for state in range(len(self.governor.states)):
            self._try({state}, self._equal(state))
        return frozenset(self.found)

    def thoroughly(self, state: int) -> bool:
        """Tries all that there is for one state; returns whether it was found."""
        self._try({state}, self._about(state))
        return state in self.found

    def at_random(self, states: Collection[int]) -> None:
        """Tries random histories for states, the same ones each time."""
        most = _AT_RANDOM[self._player is None]
        self._try(states, islice(random_histories(self.governor), most))

    def anyhow(self, state: int) -> bool:
        """Tries all that there is for one state, idle periods with tasks that wait for I/O and of a
        utilised CPU first; returns whether it was found."""
        self._try({state}, chain(self._waiting(state), self._utilised(state), self._equal(state)))
        return self.thoroughly(state)

    def _try(self, states: Collection[int], histories: Iterator[History]) -> None:
        """Plays histories until all of the states are found."""
        at_once, most = _AT_ONCE if self._player else (1, 1)
        while wanted := {*states} - {*self.found}:
            some = [*islice(histories, at_once)]
            if not some:
                return
            for history in self._player.leading(some, wanted) if self._player else some:
                self._run(history)
            at_once = min(2 * at_once, most)

    def replayed(self, history: Sequence[IdleStep]) -> tuple[Played, ...]:
        return tuple(self.scene.play_all(self.make(), history))

    def _run(self, history: Sequence[IdleStep]) -> None:
        """Notes what is selected on the way. A step with a stopped tick is taken with it running
        where it could not be stopped."""
        governor, memory = self.make(), Memory()
        steps: list[IdleStep] = []
        for step in history:
            if step.tick_stopped and not memory.stopped:
                step = replace(step, tick_stopped=False)
            steps.append(step)
            played, memory = self.scene.play(governor, step, memory)
            state = played.decision.state
            if 0 <= state < len(governor.states) and state not in self.found:
                self.found[state] = tuple(steps)

    def _equal(self, state: int) -> Iterator[History]:
        for step in self._steps(state):
            yield (step,) * _EQUAL[0]

    def _about(self, state: int) -> Iterator[History]:
        """Histories that may lead to a state, likelier ones first."""
        steps = list(self._steps(state))
        yield from self._unlike(steps[:12])
        yield from self._in_turn(steps[:12])
        for step in steps:
            yield (replace(step, late_ns=20 * US),) * _EQUAL[1]
        yield from self._waiting(state)
        yield from self._utilised(state)

    def _utilised(self, state: int) -> Iterator[History]:
        if getattr(self.governor.features, "utilisation", ""):
            for step in self._steps(state):
                yield (replace(step, cpu_util=CPU_CAPACITY),) * _EQUAL[0]

    def _waiting(self, state: int) -> Iterator[History]:
        """Timers so far away that the prediction, divided for tasks that wait for I/O, lies between
        the exit latencies of this state and of the next slower one."""
        states = self.governor.states
        this = states[state]
        slower = [each.exit_ns for each in states if each.exit_ns > this.exit_ns]
        if not slower or not getattr(self.governor.features, "heeds_waiters", False):
            return
        for waiting in _WAITING:
            between = (1 + 10 * waiting) * (this.exit_ns + min(slower)) // 2
            if between > this.residency_ns:
                step = IdleStep(between, iowaiters=waiting)
                yield (step,) * _EQUAL[0]
                yield (*self._mixed, step)

    def _unlike(self, steps: Sequence[IdleStep]) -> Iterator[History]:
        """Idle periods so unlike each other that nothing is typical of them, then one kind."""
        mixed = self._mixed
        for step in (*steps, IdleStep(FAR_NS)):
            yield (*mixed, step, step)
            yield (*mixed, step, *mixed[:5], replace(step, tick_stopped=True))

    def _in_turn(self, steps: Sequence[IdleStep]) -> Iterator[History]:
        """One kind of idle period, then another: what was learnt of the first is used in the
        second."""
        short = IdleStep(FAR_NS, 1 * US)
        for trained in (IdleStep(FAR_NS, 4 * self._tick), short):
            for step in steps:
                for times in _TRAIN:
                    yield (trained,) * times + (step,) * 4
        # Long ones keep the tick stopped; short ones then are what menu has to tell from them.
        long = IdleStep(FAR_NS, 4 * self._tick)
        for step in steps:
            stopped = replace(step, tick_stopped=True)
            for times in _TRAIN:
                yield (step,) * times + (long, stopped)
                yield (long,) * times + (stopped,) * 12

    def _steps(self, state: int) -> Iterator[IdleStep]:
        lengths = list(dict.fromkeys(self._lengths(state)))
        for length in lengths:
            yield IdleStep(length)
        for length in lengths:
            yield IdleStep(FAR_NS, length)
        for length in lengths:
            yield IdleStep(FAR_NS, length, tick_stopped=True)
            yield IdleStep(length, tick_stopped=True)
        for length in lengths:
            yield IdleStep(2 * length, length)
            for left in (length, length // 2):
                if left < self._tick:
                    yield IdleStep(FAR_NS, None, left)

    def _lengths(self, state: int) -> Iterator[int]:
        """Lengths in the middle of what suits the state, and at its edges."""
        states = self.governor.states
        this = states[state]
        deeper = [s.residency_ns for s in states if s.residency_ns > this.residency_ns]
        end = min(deeper, default=4 * this.residency_ns + 2 * self._tick)
        low, high = this.residency_ns, end - 1
        middle = (low + high) // (2 * US) * US
        exits = {this.exit_ns, this.exit_ns // 2, max(s.exit_ns for s in states)}
        yield from chain(
            (middle, low, high),
            (low + each for each in sorted(exits)),
            (middle + each for each in sorted(exits)),
            (2 * each + US for each in sorted(exits)),
            (0, US, 12 * US, 16 * US, self._tick - US, self._tick + US, 3 * self._tick),
        )

    def witness(self, state: int) -> tuple[Played, ...]:
        """The history found for a state, without the steps and circumstances that it does not
        need."""
        history = self._shortened(list(self.found[state]), state)
        for name, usual in _USUAL:
            plainer = [replace(step, **{name: usual}) for step in history]
            if plainer != history and self._leads(plainer, state):
                history = self._shortened(plainer, state)
        return self.replayed(history)

    def _shortened(self, history: list[IdleStep], state: int) -> list[IdleStep]:
        size = len(history) - 1
        while size >= 1:
            at = 0
            while at + size < len(history):
                shorter = history[:at] + history[at + size :]
                if self._leads(shorter, state):
                    history = shorter
                else:
                    at += size
            size //= 2
        return history

    def _leads(self, history: Sequence[IdleStep], state: int) -> bool:
        try:
            return self.replayed(history)[-1].decision.state == state
        except ValueError:
            return False
