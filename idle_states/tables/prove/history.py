"""A history: the idle periods of one CPU since boot, as its surroundings choose them.

A step is what the governor does not decide: when the next timer is, when an interrupt wakes the
CPU, where in its period the tick is. What follows from the decision, `Scene.after` works out. A
step may say whatever can happen on some machine:

- the next timer is at least 0 and at most ten seconds away, the tick at most one period;
- an interrupt wakes the CPU at any time, or never; the timer does at the latest, or the tick where
  it runs;
- the tick is stopped at select only where the governor let it stop before, the timer was beyond it,
  and nothing was run since;
- polling may end later than it should, for the CPU serves interrupts meanwhile;
- as many tasks as one likes wait for I/O, and the CPU is utilised as one likes;
- what is selected is entered: no entry is refused, and the states that the driver enables stay so.

Waking takes as long as `Scene.wake_ns` says, 0 unless asked for: a machine that wakes at once.
"""

from collections.abc import Sequence

from ...base.dataclass import dataclass
from ..linux.governors import Decision, Governor, Outcome, Situation
from ..linux.governors.interface import tick_ns
from ..linux.idle_loop import IdleLoopFeatures, poll_limit_ns, snooze_timeout_ns
from ..linux.qos import NO_LIMIT_US

__all__ = ["IdleStep", "Memory", "Played", "Scene"]


@dataclass(frozen=True, slots=True)
class IdleStep:
    """The circumstances of one idle period. Times in ns from select on.

    timer_ns       until the next timer
    interrupt_ns   until an interrupt wakes the CPU; None: none does
    tick_ns        until the next tick, where it runs; None: a whole period
    tick_stopped   the tick was stopped before, and still is
    iowaiters      tasks of the CPU that wait for I/O
    cpu_util       utilisation of the CPU, of 1024
    late_ns        how much later than due polling ends: the CPU serves interrupts meanwhile
    """

    timer_ns: int
    interrupt_ns: int | None = None
    tick_ns: int | None = None
    tick_stopped: bool = False
    iowaiters: int = 0
    late_ns: int = 0
    cpu_util: int = 0


@dataclass(frozen=True, slots=True)
class Played:
    """A step, the governor's decision, and what became of it."""

    step: IdleStep
    situation: Situation
    decision: Decision
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory that the surroundings carry from one step to the next.

    clock_ns   local_clock()
    stopped    the tick is stopped, and stays so unless something is run
    """

    clock_ns: int = 0
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """The circumstances that all steps share.

    loop      the kernel's idle loop
    snoozes   state 0 is powernv's snooze, which has a time-out of its own
    limit_us  latency limit
    disabled  numbers of the states that the driver registers switched off
    wake_ns   what waking adds to what is measured of a state that does not poll
    """

    loop: IdleLoopFeatures
    snoozes: bool = False
    limit_us: int = NO_LIMIT_US
    disabled: frozenset[int] = frozenset()
    wake_ns: int = 0

    def situation(self, governor: Governor, step: IdleStep, memory: Memory) -> Situation:
        """Returns the governor's input at a step, given what it and the idle loop remember."""
        delta = (
            step.timer_ns if step.tick_stopped else min(step.timer_ns, self._tick(governor, step))
        )
        return Situation(
            self.limit_us,
            step.timer_ns,
            delta,
            step.tick_stopped,
            step.iowaiters,
            clock_ns=memory.clock_ns,
            disabled=self.disabled,
            cpu_util=step.cpu_util,
        )

    def after(
        self, governor: Governor, step: IdleStep, decision: Decision, memory: Memory
    ) -> tuple[Outcome, Memory]:
        """Returns a decision's outcome. With the timer within the tick, the tick is not stopped."""
        tick = tick_ns(governor.hz)
        far = step.timer_ns > tick
        stopped = step.tick_stopped or (far and self._stops(decision))
        event, by_tick = step.timer_ns, False
        if not stopped and self._tick(governor, step) < event:
            event, by_tick = self._tick(governor, step), True
        lasted = event
        if step.interrupt_ns is not None and step.interrupt_ns < event:
            lasted, by_tick = step.interrupt_ns, False
        state, limited = decision.state, False
        if 0 <= state < len(governor.states) and self._polls(governor, state):
            lasted, limited, by_tick = self._polled(governor, lasted, by_tick)
            lasted += step.late_ns
        else:
            lasted += self.wake_ns
        clock = memory.clock_ns + lasted
        outcome = Outcome(state, lasted, got_tick=by_tick, poll_time_limit=limited, clock_ns=clock)
        return outcome, Memory(clock, stopped)

    def play(self, governor: Governor, step: IdleStep, memory: Memory) -> tuple[Played, Memory]:
        """One step. Changes the governor. Raises ValueError for a step that cannot happen."""
        if step.tick_stopped and not memory.stopped:
            raise ValueError("expected a tick that was stopped before, found one that runs")
        situation = self.situation(governor, step, memory)
        decision = governor.select(situation)
        outcome, following = self.after(governor, step, decision, memory)
        governor.reflect(outcome)
        return Played(step, situation, decision, outcome), following

    def play_all(self, governor: Governor, steps: Sequence[IdleStep]) -> list[Played]:
        """All steps, from boot on. Raises ValueError for one that cannot happen."""
        memory, played = Memory(), []
        for step in steps:
            one, memory = self.play(governor, step, memory)
            played.append(one)
        return played

    def _tick(self, governor: Governor, step: IdleStep) -> int:
        whole = tick_ns(governor.hz)
        return whole if step.tick_ns is None else min(step.tick_ns, whole)

    def _stops(self, decision: Decision) -> bool:
        return decision.stop_tick or not self.loop.governor_decides_tick

    def _polls(self, governor: Governor, state: int) -> bool:
        return governor.states[state].polling or (state == 0 and self.snoozes)

    def polls_for(self, governor: Governor) -> tuple[int | None, bool]:
        """Returns how long polling lasts at most, in ns, None for until woken; and whether the
        governor is told that its limit ended it."""
        tick = tick_ns(governor.hz)
        if self.snoozes:
            timeout = snooze_timeout_ns(self.loop, governor.states, governor.hz, self.disabled)
            return timeout, self.loop.snooze_polling
        own = governor.poll_limit_ns
        return own or poll_limit_ns(self.loop, governor.states, tick, self.disabled), True

    def _polled(self, governor: Governor, woken_ns: int, by_tick: bool) -> tuple[int, bool, bool]:
        """Returns how long polling lasts, whether its limit is told, and whether the tick ends
        it."""
        limit, is_reported = self.polls_for(governor)
        if limit is None or woken_ns <= limit:
            return woken_ns, False, by_tick
        return limit, is_reported, False
