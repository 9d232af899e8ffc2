"""Idle periods of a simulation's CPUs: what the governor is asked and told, and how they end."""

from collections.abc import Callable

from ...tables.linux import idle_loop
from ...tables.linux.genpd.features import HISTORY
from ...tables.linux.genpd.running import RunningDomains
from ...tables.linux.governors import Governor, Outcome, Situation, asks_utilisation
from ...tables.linux.governors.interface import KTIME_MAX, tick_ns
from ...tables.linux.idle_loop import is_asked, tick_stops, unasked_stop_tick
from ...tables.linux.releases import folded
from ..replay.counters import Tally, counts_in_ns
from ..replay.polling import polling
from .actors import BETWEEN, BUSY, EXITING, FREE, HOLDS, IDLE, SimulatedCpu
from .programs import draw, uniform
from .schedule import Schedule
from .scopes import AWAKE, Scopes
from .setup import Setup


class IdlePeriods:
    """The data that all CPUs share, and the idle periods of each.

    scopes         what the hardware really enters
    domains        the power domains that the CPUs sit in
    reached        state -> how often it was really entered
    tick_ns        the tick's period
    told_of_limit  whether the governor is told that polling ended by its time limit
    utilises       whether the governor asks for the CPU's utilisation
    hindsight      counters of stretches of idle time, by the state that setup.foreseen selects
    between_ns     time within stretches outside of idle periods
    """

    def __init__(
        self, setup: Setup, schedule: Schedule, take: Callable[[SimulatedCpu, int], None]
    ) -> None:
        """take: called with a CPU and BUSY, HOLDS or FREE when its use of its core changes."""
        self._setup = setup
        self._schedule = schedule
        self._take = take
        self._costs = setup.costs
        self._loop = idle_loop.features(setup.release)
        self._polling = polling(setup.table, setup.release, setup.hz)
        self.tick_ns = tick_ns(setup.hz)
        self.told_of_limit = self._polling.reports
        self.utilises = asks_utilisation(setup.governor, setup.release)
        self.scopes = Scopes(setup.topology, setup.effects)
        self.domains = RunningDomains(
            setup.domains,
            folded(HISTORY, setup.release),
            range(setup.topology.cpus),
            setup.table.limit_us,
        )
        self._last = len(setup.effects) - 1
        self.reached = [0] * len(setup.effects)
        self.hindsight = Tally(setup.table, counts_in_ns(setup.release))
        self.between_ns = 0

    def governor(self) -> Governor | None:
        """A CPU's governor; None where the kernel asks none. Raises UnknownGovernor."""
        setup = self._setup
        if not is_asked(self._loop, setup.governor, setup.table.states):
            return None
        return setup.model()

    def polls(self, cpu: SimulatedCpu) -> bool:
        return cpu.state == 0 and self._setup.polls

    def begin(self, cpu: SimulatedCpu) -> None:
        now = self._schedule.now_ns
        background_ns = self._costs.background - now % self._costs.background
        sleep_ns = min(cpu.timers[0][0] - now, background_ns) if cpu.timers else background_ns
        to_tick_ns = self.tick_ns - now % self.tick_ns
        delta_ns = min(sleep_ns, KTIME_MAX if cpu.stopped else to_tick_ns)
        state, stop_tick = 0, unasked_stop_tick(self._loop, cpu.got_tick)
        if cpu.governor is not None:
            if self.utilises:
                cpu.average.update(now, running=False)
            decision = cpu.governor.select(
                Situation(
                    cpu.tally.table.limit_us,
                    sleep_ns,
                    delta_ns,
                    cpu.stopped,
                    clock_ns=now,
                    disabled=cpu.tally.table.disabled,
                    cpu_util=cpu.average.capped,
                )
            )
            state, stop_tick = decision.state, decision.stop_tick
        cpu.stopped = tick_stops(self._loop, stop_tick, cpu.stopped)
        cpu.phase, cpu.state, cpu.since_ns, cpu.got_tick = IDLE, state, now, False
        self.stretch_goes_on(cpu)
        self.scopes.ask(cpu.number, state, now)
        if state == self._last:
            timer_ns = sleep_ns if cpu.stopped else min(sleep_ns, to_tick_ns)
            self.domains.idles(cpu.number, now, now + timer_ns)
        self._take(cpu, HOLDS if self._setup.effects[state].holds else FREE)
        if self.polls(cpu):
            own_ns = cpu.governor.poll_limit_ns if cpu.governor else None
            limit_ns = self._polling.of(own_ns).limit_ns
            if limit_ns is None:
                self._schedule.never(cpu.number)
            else:
                self._schedule.at(cpu.number, now + limit_ns + self._costs.snooze_overshoot)
        else:
            timer_ns = background_ns if cpu.stopped else min(background_ns, to_tick_ns)
            self._schedule.at(cpu.number, now + timer_ns)

    def leave(self, cpu: SimulatedCpu, delay_ns: int, *, got_tick: bool = False) -> None:
        """Wakes an idle CPU, which learns of the wake-up delay_ns from now."""
        costs, state = self._costs, self.scopes.reached(cpu.number)
        self.reached[state] += 1
        cpu.left = state
        self.wakes(cpu)
        done_ns = self._schedule.now_ns + delay_ns + self._setup.effects[state].exit_ns
        if cpu.state == self._last:
            done_ns += self.domains.wakes(cpu.number, self._schedule.now_ns)
        if costs.jitter:
            done_ns += uniform(draw(cpu.key, cpu.draws), 0, costs.jitter)
            cpu.draws += 1
        cpu.phase, cpu.got_tick = EXITING, got_tick
        self._schedule.at(cpu.number, self.scopes.wake(cpu.number, state, done_ns))

    def wakes(self, cpu: SimulatedCpu) -> None:
        self.scopes.ask(cpu.number, AWAKE, self._schedule.now_ns)
        self._take(cpu, BUSY)

    def end(self, cpu: SimulatedCpu, *, time_limit: bool) -> None:
        """Ends the idle period: tells the governor its length and counts it."""
        residency_ns = self._schedule.now_ns - cpu.since_ns
        if self.polls(cpu) and not cpu.stopped:
            # the tick does not end polling, but the governor is told that it came
            cpu.got_tick = self._schedule.now_ns // self.tick_ns > cpu.since_ns // self.tick_ns
        if cpu.governor is not None:
            cpu.governor.reflect(
                Outcome(
                    cpu.state,
                    residency_ns,
                    got_tick=cpu.got_tick,
                    poll_time_limit=time_limit,
                    clock_ns=self._schedule.now_ns,
                )
            )
        cpu.left_ns = self._schedule.now_ns
        cpu.tally.add(cpu.state, residency_ns)
        if cpu.state == self._last:
            self.domains.awake(cpu.number, self._schedule.now_ns)

    def stretch_goes_on(self, cpu: SimulatedCpu) -> None:
        """Begins a stretch of idle time, unless the CPU has one: it lasts until there is work for
        the CPU, through ticks and time limits of polling."""
        if cpu.stretch_ns is None:
            cpu.stretch_ns = self._schedule.now_ns
        else:
            self.between_ns += self._schedule.now_ns - cpu.left_ns

    def stretch_ends(self, cpu: SimulatedCpu) -> None:
        """There is work for a CPU: counts the state that its stretch of idle time was for."""
        if cpu.stretch_ns is None:
            return
        if cpu.phase == BETWEEN:
            self.between_ns += self._schedule.now_ns - cpu.left_ns
        self._foresee(self._schedule.now_ns - cpu.stretch_ns)
        cpu.stretch_ns = None

    def stretch_is_cut(self, cpu: SimulatedCpu) -> None:
        """The simulation ends: of a stretch that goes on, counts what lies in idle periods that
        are over."""
        if cpu.stretch_ns is None or cpu.left_ns <= cpu.stretch_ns:
            return
        if cpu.phase != BETWEEN:
            self.between_ns -= cpu.since_ns - cpu.left_ns
        self._foresee(cpu.left_ns - cpu.stretch_ns)

    def _foresee(self, length_ns: int) -> None:
        if self._setup.foreseen is not None:
            state = self._setup.foreseen.state(length_ns)
            self.hindsight.add(state, length_ns + self._setup.effects[state].exit_ns)
