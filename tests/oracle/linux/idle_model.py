"""The idle loop itself: what do_idle() does from one look at need_resched() to the next, and what
cpuidle counts.

`do_idle` is kernel/sched/idle.c with drivers/cpuidle/cpuidle.c below it, by release. What they ask
for and what they cause is a `World`: the scheduler, the tick, the governor, the driver.

Tests hold it to the kernel's own loop, and replay's counters to `Counters`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from idle_states.tables.linux.governors.interface import State
from idle_states.tables.linux.idle_loop import (
    IdleLoopFeatures,
    asks_governor,
    poll_limit_ns,
    unasked_stop_tick,
)

EBUSY = -16
ENXIO = -6
_UNLIMITED = (1 << 64) - 1
_NSEC_PER_USEC = 1000
_NONE: frozenset[int] = frozenset()
_INT_MAX = (1 << 31) - 1
POLL_CHECK_RELAXES = 201
"""poll_idle() reads the clock once in this number of rounds."""


class World(Protocol):
    """The surroundings of the idle loop of one CPU."""

    def need_resched(self) -> bool:
        """Returns whether a task is to run; once True, until the loop has been left."""

    def polling_forced(self) -> bool:
        """Returns whether the CPU has to poll: by idle=poll, or as a broadcast tick is due."""

    def relax(self) -> None:
        """A round of that polling."""

    def available(self) -> bool:
        """Returns whether cpuidle is on and has a driver for this CPU."""

    def suspends(self) -> bool:
        """Returns whether the system enters suspend-to-idle."""

    def forced_ns(self) -> int:
        """Returns the latency limit of idle injection, in ns; 0: none is going on."""

    def wakeup_limit_us(self) -> int:
        """Returns cpu_wakeup_latency, in us."""

    def disabled(self) -> frozenset[int]:
        """Returns the states that are switched off now."""

    def select(self) -> tuple[int, bool]:
        """The governor's select(): the state, and whether the tick is to be stopped."""

    def reflect(self, state: int) -> None:
        """The governor's reflect()."""

    def tick_stopped(self) -> bool:
        """Returns whether the tick is off."""

    def stop_tick(self) -> None:
        """tick_nohz_idle_stop_tick(): the next timer alone will end the idle period."""

    def retain_tick(self) -> None:
        """tick_nohz_idle_retain_tick(): leaves the tick as it is."""

    def restart_tick(self) -> None:
        """tick_nohz_idle_restart_tick()."""

    def got_tick(self) -> bool:
        """Returns whether the tick came since this was last asked, by whomever."""

    def broadcast(self) -> bool:
        """Returns whether a timer of another CPU stands in for one that stops with its CPU."""

    def enter(self, state: int) -> tuple[int, int]:
        """The driver's enter(): the state it was or an error below 0, and the ns it took."""

    def suspend(self, state: int) -> None:
        """The driver's enter_s2idle(), which ends with the wake-up of the system."""

    def default_idle(self) -> None:
        """arch_cpu_idle(): idle without cpuidle."""

    def exits(self) -> None:
        """arch_cpu_idle_exit(): an idle period is over."""


@dataclass(slots=True)
class PollLimit:
    """A CPU's poll limit; in releases that keep it, it is computed at its first use only.

    A limit of 0, from a first state without residency, is computed again each time.
    """

    features: IdleLoopFeatures
    states: Sequence[State]
    tick: int
    kept_ns: int | None = None

    def ns(self, disabled: frozenset[int] = _NONE) -> int | None:
        if self.kept_ns:
            return self.kept_ns
        limit = poll_limit_ns(self.features, self.states, self.tick, disabled)
        if self.features.poll_limit_kept:
            self.kept_ns = limit
        return limit


def measured_ns(features: IdleLoopFeatures, elapsed_ns: int) -> int:
    """Returns dev->last_residency of an idle period of elapsed_ns, exit latency included."""
    if features.nanoseconds:
        return elapsed_ns
    return min(elapsed_ns // _NSEC_PER_USEC, _INT_MAX) * _NSEC_PER_USEC


def judge(
    features: IdleLoopFeatures,
    states: Sequence[State],
    state: int,
    residency_ns: int,
    disabled: frozenset[int] = _NONE,
) -> str:
    """Returns the sysfs counter of an idle period in `state`: "above", "below" or "".

    above: too deep; it was shorter than the target residency, and a shallower state is enabled.
    below: too shallow; without the exit latency, it reached the target residency of the next
    enabled deeper state. So above uses the residency with the exit latency, below without it.
    """

    def time(ns: int) -> int:
        return ns if features.nanoseconds else ns // _NSEC_PER_USEC

    if not features.judged:
        return ""
    residency = time(measured_ns(features, residency_ns))
    if residency < time(states[state].residency_ns):
        return "above" if any(i not in disabled for i in range(state)) else ""
    left = residency - time(states[state].exit_ns)
    deeper = (states[i] for i in range(state + 1, len(states)) if i not in disabled)
    following = next(deeper, None)
    if following is None or left <= 0 or left < time(following.residency_ns):
        return ""
    return "below"


@dataclass(slots=True)
class Counters:
    """One CPU's counters, by state. times_ns: the kernel's sums; sysfs shows time_us()."""

    features: IdleLoopFeatures
    states: Sequence[State]
    usage: list[int] = field(default_factory=list)
    times_ns: list[int] = field(default_factory=list)
    above: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for counter in (self.usage, self.times_ns, self.above, self.below, self.rejected):
            counter.extend([0] * (len(self.states) - len(counter)))

    def entered(self, state: int, residency_ns: int, disabled: frozenset[int] = _NONE) -> str:
        """Counts an idle period in the state that was entered; returns the result of judge()."""
        self.usage[state] += 1
        self.times_ns[state] += measured_ns(self.features, residency_ns)
        verdict = judge(self.features, self.states, state, residency_ns, disabled)
        if verdict:
            counter = self.above if verdict == "above" else self.below
            counter[state] += 1
        return verdict

    def refused(self, state: int) -> None:
        """Counts an entry into the selected state that the driver refused."""
        if self.features.rejected:
            self.rejected[state] += 1

    def time_us(self, state: int) -> int:
        """Returns the state's `time` file: floored here, before 5.5 also at each idle period."""
        return self.times_ns[state] // _NSEC_PER_USEC


@dataclass(slots=True)
class IdlingCpu:
    """A CPU's table and counters.

    timer_stop     states in which the CPU's own timer stops
    s2idle         states with an enter_s2idle()
    residency_ns   of the last idle period, as governors learn it
    """

    features: IdleLoopFeatures
    states: Sequence[State]
    counters: Counters
    timer_stop: frozenset[int] = _NONE
    s2idle: frozenset[int] = _NONE
    residency_ns: int = 0


def do_idle(cpu: IdlingCpu, world: World) -> None:
    """Idles until a task is to run."""
    got_tick = False
    while not world.need_resched():
        if world.polling_forced():
            if cpu.features.governor_decides_tick:
                world.restart_tick()
            while not world.need_resched() and world.polling_forced():
                world.relax()
        else:
            idle_call(cpu, world, got_tick)
        if cpu.features.single_state == "got_tick":
            got_tick = world.got_tick()
        world.exits()


def idle_call(cpu: IdlingCpu, world: World, got_tick: bool) -> None:
    """cpuidle_idle_call(): one idle period. got_tick: the tick ended the one before."""
    features = cpu.features
    if world.need_resched():
        return
    if not world.available():
        if features.single_state == "got_tick":
            _stop_or_retain(cpu, world, got_tick)
        elif features.governor_decides_tick:
            world.stop_tick()
        _default_idle(world)
    elif world.suspends() or (features.forced_idle and world.forced_ns()):
        _without_governor(cpu, world)
    elif asks_governor(features, len(cpu.states)):
        state, stop_tick = world.select()
        _stop_or_retain(cpu, world, stop_tick)
        entered = _call(cpu, world, state)
        if entered >= 0:
            world.reflect(entered)
    else:
        if features.single_state == "kept":
            world.retain_tick()
        else:
            _stop_or_retain(cpu, world, unasked_stop_tick(features, got_tick))
        entered = _call(cpu, world, 0)
        if features.single_state == "told" and entered >= 0:
            world.reflect(entered)


def deepest_state(
    cpu: IdlingCpu,
    limit_ns: int,
    disabled: frozenset[int],
    among: frozenset[int] | None = None,
    besides: frozenset[int] = _NONE,
) -> int:
    """find_deepest_state(): the enabled state of the longest exit latency up to limit_ns, of equal
    ones the first. Returns 0 if there is none, before 4.5 ENXIO.

    among: the states to look at; besides: states to leave out.
    """
    first = 1 if cpu.features.state_0_always else 0
    unit = 1 if cpu.features.nanoseconds else _NSEC_PER_USEC
    found, longest = 0 if first else ENXIO, 0
    for index in range(first, len(cpu.states)):
        latency = cpu.states[index].exit_ns // unit
        if (
            index not in disabled
            and longest < latency <= limit_ns // unit
            and index not in besides
            and (among is None or index in among)
        ):
            found, longest = index, latency
    return found


def _stop_or_retain(cpu: IdlingCpu, world: World, stop_tick: bool) -> None:
    if not cpu.features.governor_decides_tick:
        return
    if stop_tick or (cpu.features.stopped_stays and world.tick_stopped()):
        world.stop_tick()
    else:
        world.retain_tick()


def _without_governor(cpu: IdlingCpu, world: World) -> None:
    """Suspend-to-idle and idle injection: the deepest state that is allowed."""
    features, disabled = cpu.features, world.disabled()
    limit_ns = _UNLIMITED
    if world.suspends():
        if features.wakeup_latency:
            limit_ns = world.wakeup_limit_us() * _NSEC_PER_USEC
        if not (features.s2idle_rechecks and world.need_resched()):
            state = deepest_state(cpu, limit_ns, disabled, among=cpu.s2idle)
            if state > 0 or (state == 0 and not features.state_0_always):
                world.suspend(state)
                return
    elif features.forced_idle == "limited":
        limit_ns = world.forced_ns()
    if features.governor_decides_tick:
        world.stop_tick()
    _call(cpu, world, deepest_state(cpu, limit_ns, disabled))


def _call(cpu: IdlingCpu, world: World, state: int) -> int:
    """call_cpuidle(): returns the state that was really entered, or an error below 0."""
    if state < 0 and not cpu.features.state_0_always:
        _default_idle(world)
        return state
    if world.need_resched():
        cpu.residency_ns = 0
        return EBUSY
    return _enter(cpu, world, state)


def _enter(cpu: IdlingCpu, world: World, state: int) -> int:
    """cpuidle_enter_state()."""
    disabled = world.disabled()
    if state in cpu.timer_stop and not world.broadcast():
        limit_ns = cpu.states[state].exit_ns
        state = deepest_state(cpu, limit_ns, disabled, besides=cpu.timer_stop)
        if state < 0:
            _default_idle(world)
            return EBUSY
    entered, elapsed_ns = world.enter(state)
    if entered < 0:
        cpu.residency_ns = 0
        cpu.counters.refused(state)
        return entered
    cpu.residency_ns = measured_ns(cpu.features, elapsed_ns)
    cpu.counters.entered(entered, elapsed_ns, disabled)
    return entered


def _default_idle(world: World) -> None:
    if not world.need_resched():
        world.default_idle()


@dataclass(frozen=True, slots=True)
class Polled:
    """The end of polling.

    ns          time polled
    timed_out   the limit ended it: nothing woke the CPU, and a state is selected again
    time_limit  dev->poll_time_limit, by which the governor learns of it
    """

    ns: int
    timed_out: bool
    time_limit: bool


def poll(wakeup_ns: int, limit_ns: int | None, check_ns: int = 0) -> Polled:
    """poll_idle(): notices a wake-up after wakeup_ns at once, but the limit only when it reads the
    clock. check_ns: time between two clock reads; 0: none."""
    if limit_ns is None:
        return Polled(wakeup_ns, False, False)
    end = limit_ns if check_ns <= 0 else (limit_ns // check_ns + 1) * check_ns
    timed_out = wakeup_ns > end
    return Polled(end if timed_out else wakeup_ns, timed_out, timed_out)


def snooze(features: IdleLoopFeatures, wakeup_ns: int, timeout_ns: int | None) -> Polled:
    """powernv's snooze: a wakeup or the time-out ends it."""
    if timeout_ns is None or wakeup_ns <= timeout_ns:
        return Polled(wakeup_ns, False, False)
    return Polled(timeout_ns, True, features.snooze_polling)
