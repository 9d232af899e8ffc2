"""Discrete-event simulation of tasks that run, block and wake each other on CPUs that idle.

Time is in whole ns, from 0. Events of the same time happen in the order in which they were
scheduled. The same setup and seed give the same result.

  a task blocks      If no other task is runnable, the CPU asks its governor idle_entry ns later,
                     with the CPU's next timer and the tick, and requests the selected state.
  idle               Polling ends at its time limit, after which the governor is asked again `turn`
                     ns later. Any other state is ended by the tick unless the tick is stopped. An
                     interrupt that wakes no task on this CPU does not end polling.
  waking up          A CPU hears of a wake-up by another CPU `ipi` ns later, or at once if it polls.
                     Then it needs the exit latency of the state that was really entered, and waits
                     for its core, pair or quad if another thread is already waking that up
                     (scopes.py). The measured idle period ends after all of this. A timer wakes its
                     task on the timer's CPU, at the cost of one wake-up: after the idle period,
                     within it if the CPU polls, or from the time of a task that computes.
  computing          Siblings that compute, or keep their share of the core, slow a thread down.
  sharing            Tasks queue for their CPU; with others queued, a task yields at the end of its
                     time slice.

The kernel's tick costs no time, and the governor sees no latency limit, I/O wait or load. Where it
asks for utilisation, CPUs and tasks have that (utilisation.py).
This is the reference; idle_states/core/simulate.c does the same, event by event.
"""

from bisect import insort
from collections import Counter
from heapq import heappop, heappush

from ..linux import idle_loop
from ..linux.governors import Governor, Outcome, Situation, asks_utilisation
from ..linux.governors.interface import KTIME_MAX, tick_ns
from ..linux.idle_call import is_asked, tick_stops, unasked_stop_tick
from ..linux.idle_loop import NO_LIMIT_US
from ..replay.counters import Tally, counts_in_ns
from ..replay.polling import polling
from .actors import (
    BETWEEN,
    BUSY,
    CPU_STREAMS,
    EXITING,
    FREE,
    HOLDS,
    IDLE,
    RUNNING,
    WORK,
    RunningTask,
    SimulatedCpu,
)
from .placement import Placement
from .programs import (
    GOLDEN,
    U64,
    Duration,
    Op,
    OpKind,
    Which,
    draw,
    length,
    mix,
    stream_key,
    uniform,
)
from .scopes import AWAKE, Scopes
from .setup import LEAST_RATE_PERMILLE, Setup, SimulationRun, bucket_of


class Simulation:
    """The simulation of one seed; call run() once."""

    def __init__(self, setup: Setup, seed: int, trace: int = 0) -> None:
        topology = setup.topology
        self._setup = setup
        self._seed = seed
        self._costs = setup.costs
        self._loop = idle_loop.features(setup.release)
        self._tick_ns = tick_ns(setup.hz)
        self._polling = polling(setup.table, setup.release, setup.hz)
        in_ns = counts_in_ns(setup.release)
        self._cpus = [
            SimulatedCpu(
                number,
                stream_key(seed, CPU_STREAMS + number),
                self._governor(),
                Tally(setup.table, in_ns),
            )
            for number in range(topology.cpus)
        ]
        self._tasks = [
            RunningTask(number, program, stream_key(seed, number))
            for number, program in enumerate(setup.workload.tasks)
        ]
        self._placement = Placement(topology, setup.policy)
        self._scopes = Scopes(topology, setup.effects)
        self._core = topology.small_core
        self._siblings = topology.members["small_core"]
        self._takes = [[len(cpus), 0, 0] for cpus in self._siblings]
        self._now = 0
        self._planned: list[tuple[int, int, int]] = []
        self._plan: dict[int, int] = {}
        self._sequence = 0
        self._utilises = asks_utilisation(setup.governor, setup.release)
        self._latencies: Counter[int] = Counter()
        self._reached = [0] * len(setup.effects)
        self._latency_max_ns = 0
        self._switches = self._counted = self._events = self._digest = 0
        self._trace: list[tuple[int, int, int]] = []
        self._trace_most = trace

    def run(self) -> SimulationRun:
        setup, cpus = self._setup, self._cpus
        for cpu in cpus:
            self._at(cpu.number, 0)
        for task in self._tasks:
            self._enqueue(task, self._first(task), 0)
        while self._planned:
            now, sequence, whom = heappop(self._planned)
            if self._plan.get(whom) != sequence:
                continue
            if now >= setup.duration_ns:
                break
            del self._plan[whom]
            self._now = now
            self._events += 1
            self._digest = mix(self._digest ^ now * GOLDEN & U64) + whom & U64
            if whom < len(cpus):
                self._cpu_event(cpus[whom])
            else:
                self._timer(self._tasks[whom - len(cpus)])
        self._scopes.close(setup.duration_ns)
        return SimulationRun(
            self._seed,
            setup.duration_ns,
            tuple(cpu.tally.figures() for cpu in cpus),
            tuple(self._reached),
            tuple(map(tuple, self._scopes.scope_ns)),
            dict(sorted(self._latencies.items())),
            self._latency_max_ns,
            self._switches,
            self._counted,
            self._events,
            self._digest,
            tuple(self._trace),
        )

    def _governor(self) -> Governor | None:
        setup = self._setup
        if not is_asked(self._loop, setup.governor, setup.table.states):
            return None
        return Governor.for_kernel(setup.governor, setup.release, setup.table.states, setup.hz)

    # The schedule: at most one event for each CPU and for each task with a timer

    def _at(self, whom: int, time: int) -> None:
        """Schedules the next event of a CPU or task; replaces the one scheduled before."""
        self._sequence += 1
        self._plan[whom] = self._sequence
        heappush(self._planned, (time, self._sequence, whom))

    def _never(self, whom: int) -> None:
        self._plan.pop(whom, None)

    # CPUs

    def _cpu_event(self, cpu: SimulatedCpu) -> None:
        if cpu.phase == RUNNING:
            self._ran(cpu)
        elif cpu.phase == IDLE:
            if self._polls(cpu):
                self._reached[0] += 1
                self._wakes(cpu)
                self._idled(cpu, time_limit=self._polling.told)
                self._between(cpu, self._costs.turn)
            else:
                ticks = not cpu.stopped and self._now % self._tick_ns == 0
                self._exit(cpu, 0, got_tick=ticks)
        elif cpu.phase == EXITING:
            self._idled(cpu, time_limit=False)
            if cpu.pending or cpu.queue:
                self._settle(cpu)
            else:
                self._between(cpu, self._costs.turn)
        else:
            self._settle(cpu)

    def _between(self, cpu: SimulatedCpu, time: int) -> None:
        cpu.phase = BETWEEN
        self._at(cpu.number, self._now + time)

    def _settle(self, cpu: SimulatedCpu) -> None:
        """Handles expired timers first, then runnable tasks; idles if there are neither."""
        cpu.phase = BETWEEN
        if cpu.pending:
            for task in cpu.pending:
                self._wake(task, cpu.number, task.due_ns, sync=False)
            time = self._costs.wake * len(cpu.pending)
            cpu.pending.clear()
            self._between(cpu, time)
        elif cpu.queue:
            self._switch(cpu)
        else:
            self._idle(cpu)

    # Idle periods

    def _polls(self, cpu: SimulatedCpu) -> bool:
        return cpu.state == 0 and self._setup.polls

    def _idle(self, cpu: SimulatedCpu) -> None:
        now = self._now
        background_ns = self._costs.background - now % self._costs.background
        sleep_ns = min(cpu.timers[0][0] - now, background_ns) if cpu.timers else background_ns
        to_tick_ns = self._tick_ns - now % self._tick_ns
        delta_ns = min(sleep_ns, KTIME_MAX if cpu.stopped else to_tick_ns)
        state, stop_tick = 0, unasked_stop_tick(self._loop, cpu.got_tick)
        if cpu.governor is not None:
            if self._utilises:
                cpu.average.update(now, running=False)
            decision = cpu.governor.select(
                Situation(
                    NO_LIMIT_US,
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
        self._scopes.ask(cpu.number, state, now)
        self._take(cpu, HOLDS if self._setup.effects[state].holds else FREE)
        if self._polls(cpu):
            own_ns = cpu.governor.poll_limit_ns if cpu.governor else None
            limit_ns = self._polling.of(own_ns).limit_ns
            if limit_ns is None:
                self._never(cpu.number)
            else:
                self._at(cpu.number, now + limit_ns + self._costs.snooze_overshoot)
        else:
            timer_ns = background_ns if cpu.stopped else min(background_ns, to_tick_ns)
            self._at(cpu.number, now + timer_ns)

    def _exit(self, cpu: SimulatedCpu, delay_ns: int, *, got_tick: bool = False) -> None:
        """Wakes an idle CPU, which learns of the wake-up delay_ns from now."""
        costs, state = self._costs, self._scopes.reached(cpu.number)
        self._reached[state] += 1
        self._wakes(cpu)
        done_ns = self._now + delay_ns + self._setup.effects[state].exit_ns
        if costs.jitter:
            done_ns += uniform(draw(cpu.key, cpu.draws), 0, costs.jitter)
            cpu.draws += 1
        cpu.phase, cpu.got_tick = EXITING, got_tick
        self._at(cpu.number, self._scopes.wake(cpu.number, state, done_ns))

    def _wakes(self, cpu: SimulatedCpu) -> None:
        self._scopes.ask(cpu.number, AWAKE, self._now)
        self._take(cpu, BUSY)

    def _idled(self, cpu: SimulatedCpu, *, time_limit: bool) -> None:
        """Ends the idle period: tells the governor its length and counts it."""
        residency_ns = self._now - cpu.since_ns
        if self._polls(cpu) and not cpu.stopped:
            # the tick does not end polling, but the governor is told that it came
            cpu.got_tick = self._now // self._tick_ns > cpu.since_ns // self._tick_ns
        if cpu.governor is not None:
            cpu.governor.reflect(
                Outcome(
                    cpu.state,
                    residency_ns,
                    got_tick=cpu.got_tick,
                    poll_time_limit=time_limit,
                    clock_ns=self._now,
                )
            )
        cpu.tally.add(cpu.state, residency_ns)

    # Shares of a core

    def _take(self, cpu: SimulatedCpu, takes: int) -> None:
        if takes == cpu.takes:
            return
        counts = self._takes[self._core[cpu.number]]
        counts[cpu.takes] -= 1
        counts[takes] += 1
        cpu.takes = takes
        for number in self._siblings[self._core[cpu.number]]:
            sibling = self._cpus[number]
            if sibling is cpu or sibling.phase != RUNNING or sibling.rate == self._rate(sibling):
                continue
            self._worked(sibling)
            self._run(sibling)

    def _rate(self, cpu: SimulatedCpu) -> int:
        if cpu.spins:
            return WORK
        busy, holds, _ = self._takes[self._core[cpu.number]]
        costs = self._costs
        lost = (busy - 1) * costs.smt_busy_permille + holds * costs.smt_hold_permille
        return max(WORK - lost, LEAST_RATE_PERMILLE)

    # Tasks on a CPU

    def _switch(self, cpu: SimulatedCpu) -> None:
        """Runs the first task of the queue."""
        task = cpu.queue.popleft()
        self._ran_until_now(cpu, task, running=False)
        cpu.task, cpu.phase, task.cpu = task, RUNNING, cpu.number
        cpu.stopped = cpu.got_tick = False
        cpu.slice_end_ns = self._now + self._costs.slice
        self._switches += 1
        if len(self._trace) < self._trace_most:
            self._trace.append((self._now, cpu.number, task.number))
        if task.woken_ns is not None:
            latency_ns = self._now + self._costs.switch - task.woken_ns
            self._latencies[bucket_of(latency_ns)] += 1
            self._latency_max_ns = max(self._latency_max_ns, latency_ns)
            task.woken_ns = None
        if task.spins_until_ns:
            left_ns = max(task.spins_until_ns - self._now, self._costs.switch)
            cpu.work, cpu.spins, task.spins_until_ns = left_ns * WORK, True, 0
            self._run(cpu)
        elif task.work:
            cpu.work, task.work = task.work + self._costs.switch * WORK, 0
            self._run(cpu)
        else:
            task.debt_ns = self._costs.switch
            self._advance(cpu, task)

    def _run(self, cpu: SimulatedCpu) -> None:
        """Schedules the end of the present run, at the rate that the siblings leave."""
        now = self._now
        cpu.since_ns, cpu.rate = now, self._rate(cpu)
        cpu.until_ns = now - -cpu.work // cpu.rate
        if cpu.queue:
            cpu.until_ns = min(cpu.until_ns, max(cpu.slice_end_ns, now))
        self._at(cpu.number, cpu.until_ns)

    def _worked(self, cpu: SimulatedCpu) -> None:
        cpu.work = max(cpu.work - (self._now - cpu.since_ns) * cpu.rate, 0)

    def _ran(self, cpu: SimulatedCpu) -> None:
        task = cpu.task
        assert task is not None
        self._worked(cpu)
        if not cpu.work:
            cpu.spins = False
            self._advance(cpu, task)
        elif cpu.queue:
            if cpu.spins:
                task.spins_until_ns = self._now + cpu.work // WORK
            else:
                task.work = cpu.work
            cpu.spins = False
            self._ran_until_now(cpu, task, running=True)
            cpu.queue.append(task)
            self._switch(cpu)
        else:
            self._run(cpu)

    def _leave(self, cpu: SimulatedCpu) -> None:
        """The running task blocks."""
        assert cpu.task is not None
        self._ran_until_now(cpu, cpu.task, running=True)
        cpu.task = None
        self._placement.tasks[cpu.number] -= 1
        if cpu.queue:
            self._switch(cpu)
        else:
            self._between(cpu, self._costs.idle_entry)

    def _advance(self, cpu: SimulatedCpu, task: RunningTask) -> None:
        """Executes the task's program up to the first op that takes time."""
        while True:
            ops = task.program.ops
            if task.at == len(ops):
                if task.program.once:
                    if self._paid(cpu, task):
                        self._leave(cpu)
                    return
                task.at = task.program.again
            op = ops[task.at]
            if op.kind is OpKind.RUN:
                task.at += 1
                cpu.work = (max(self._drawn(task, op.duration), 1) + task.debt_ns) * WORK
                task.debt_ns = 0
                self._run(cpu)
                return
            if op.kind is OpKind.WAKE and not task.wakes:
                task.wakes = True
                woken = op.count if op.which is Which.ALL else 1
                task.debt_ns += self._costs.wake * woken
            if not self._paid(cpu, task):
                return
            task.at += 1
            if op.kind is OpKind.SPIN:
                duration_ns = max(self._drawn(task, op.duration), 1)
                cpu.work, cpu.spins = (duration_ns - self._now % duration_ns) * WORK, True
                self._run(cpu)
                return
            if op.kind is OpKind.COUNT:
                self._counted += 1
            elif op.kind is OpKind.WAKE:
                self._wake_some(cpu, task, op)
            elif op.kind is OpKind.WAIT:
                if task.tokens:
                    task.tokens -= 1
                else:
                    task.waits = True
                    self._leave(cpu)
                    return
            else:
                self._sleep(cpu, task, op)
                return

    def _wake_some(self, cpu: SimulatedCpu, task: RunningTask, op: Op) -> None:
        task.wakes = False
        numbers = range(op.first, op.first + op.count)
        if op.which is not Which.ALL:
            numbers = range(chosen := self._chosen(task, op), chosen + 1)
        for number in numbers:
            other = self._tasks[number]
            if other.waits:
                other.waits = False
                self._wake(other, cpu.number, self._now, sync=op.sync)
            else:
                other.tokens += 1

    def _paid(self, cpu: SimulatedCpu, task: RunningTask) -> bool:
        """Returns True if no kernel time is due before the program continues; else spends it."""
        if not task.debt_ns:
            return True
        cpu.work, task.debt_ns = task.debt_ns * WORK, 0
        self._run(cpu)
        return False

    def _drawn(self, task: RunningTask, duration: Duration) -> int:
        if not duration.spread:
            return duration.low
        task.draws += 1
        return length(duration, draw(task.key, task.draws - 1))

    def _chosen(self, task: RunningTask, op: Op) -> int:
        if op.which is Which.SAME:
            return op.first + task.program.number % op.count
        if op.which is Which.NEXT:
            task.turn += 1
            return op.first + (task.turn - 1) % op.count
        task.draws += 1
        return op.first + uniform(draw(task.key, task.draws - 1), 0, op.count - 1)

    # Utilisation

    def _ran_until_now(self, cpu: SimulatedCpu, task: RunningTask, *, running: bool) -> None:
        if self._utilises:
            cpu.average.update(self._now, running=running)
            task.average.update(self._now, running=running)

    def _migrate(self, task: RunningTask, to: SimulatedCpu) -> None:
        """A task that does not run takes its utilisation along."""
        before, now = self._cpus[task.cpu], self._now
        task.average.update(now, running=False)
        for cpu in (before, to):
            cpu.average.update(now, running=cpu.phase == RUNNING)
        before.average.detach(task.average)
        to.average.attach(task.average)

    # Timers and wake-ups

    def _sleep(self, cpu: SimulatedCpu, task: RunningTask, op: Op) -> None:
        duration_ns = max(self._drawn(task, op.duration), 1)
        if op.kind is OpKind.EVERY:
            duration_ns -= self._now % duration_ns
        task.due_ns = self._now + duration_ns
        insort(cpu.timers, (task.due_ns, self._sequence + 1, task.number))
        self._at(len(self._cpus) + task.number, task.due_ns)
        self._leave(cpu)

    def _timer(self, task: RunningTask) -> None:
        """A task's timer expires, on the CPU on which the task went to sleep."""
        cpu = self._cpus[task.cpu]
        # timers are sorted by expiry, then by the order in which they were started
        cpu.timers.pop(0)
        if cpu.phase == RUNNING or (cpu.phase == IDLE and self._polls(cpu)):
            if cpu.phase == RUNNING and not cpu.spins:
                self._worked(cpu)
                cpu.work += self._costs.wake * WORK
                self._run(cpu)
            self._wake(task, cpu.number, self._now, sync=False)
            return
        cpu.pending.append(task)
        if cpu.phase == IDLE:
            self._exit(cpu, 0)

    def _wake(self, task: RunningTask, waker: int, since_ns: int, *, sync: bool) -> None:
        task.woken_ns = since_ns
        self._enqueue(task, self._placed(task, waker, sync=sync), waker)

    def _placed(self, task: RunningTask, waker: int, *, sync: bool) -> int:
        if task.program.cpu is not None:
            return task.program.cpu
        if task.program.with_waker:
            return waker
        previous = task.cpu
        target = self._placement.target(waker, previous, sync)
        near = self._placement.near(target, previous)
        if near is not None:
            return near
        recent, task.recent = task.recent, previous
        return self._placement.beyond(target, previous, recent)

    def _first(self, task: RunningTask) -> int:
        if task.program.cpu is not None:
            return task.program.cpu
        return self._placement.first()

    def _enqueue(self, task: RunningTask, number: int, waker: int) -> None:
        cpu = self._cpus[number]
        if self._utilises and task.cpu != number:
            self._migrate(task, cpu)
        task.cpu = number
        cpu.queue.append(task)
        self._placement.tasks[number] += 1
        if cpu.phase == IDLE:
            if number == waker:
                # a timer of this CPU expired while it polled: the wake-up is part of the period
                self._exit(cpu, self._costs.wake)
            else:
                self._exit(cpu, 0 if self._polls(cpu) else self._costs.ipi)
        elif cpu.phase == RUNNING:
            limit_ns = max(cpu.slice_end_ns, self._now)
            if cpu.until_ns > limit_ns:
                cpu.until_ns = limit_ns
                self._at(number, limit_ns)


def simulate(setup: Setup, seed: int, trace: int = 0) -> SimulationRun:
    """Runs one seed by the Python reference. trace: number of switches to keep in the result.

    Raises UnknownGovernor.
    """
    return Simulation(setup, seed, trace).run()
