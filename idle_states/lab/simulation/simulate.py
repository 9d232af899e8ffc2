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
                     (scopes.py). From its last state, it first waits for its power domains to come
                     up (linux/genpd/running.py). The measured idle period ends after all of this. A
                     timer wakes its task on the timer's CPU, at the cost of one wake-up: after the
                     idle period, within it if the CPU polls, or from the time of a task that
                     computes.
  computing          Siblings that compute, or keep their share of the core, slow a thread down.
  sharing            Tasks queue for their CPU; with others queued, a task yields at the end of its
                     time slice.

The kernel's tick costs no time, and the governor sees no latency limit but the table's, no I/O wait
and no load. Where it asks for utilisation, CPUs and tasks have that (utilisation.py).
This is the reference; simulate.c of the core does the same, event by event.
"""

from bisect import insort
from collections import Counter

from ...base.reading import limits
from ..replay.counters import Tally, counts_in_ns
from ..statistics.buckets import bucket_of
from .actors import BETWEEN, CPU_STREAMS, EXITING, IDLE, RUNNING, WORK, RunningTask, SimulatedCpu
from .idle_periods import IdlePeriods
from .placement import Placement
from .programs import GOLDEN, U64, Op, OpKind, Which, mix, stream_key
from .schedule import Schedule
from .setup import HISTOGRAM_BITS, Setup, SimulationRun, too_many_events
from .shares import Shares
from .wake_ups import WakeUp


class Simulation:
    """The simulation of one seed; call run() or first_wake_ups() once."""

    def __init__(self, setup: Setup, seed: int, trace: int = 0) -> None:
        topology = setup.topology
        self._setup = setup
        self._seed = seed
        self._costs = setup.costs
        self._schedule = Schedule()
        self._shares = Shares(topology, setup.costs)
        self._idling = IdlePeriods(setup, self._schedule, self._take)
        in_ns = counts_in_ns(setup.release)
        self._cpus = [
            SimulatedCpu(
                number,
                stream_key(seed, CPU_STREAMS + number),
                self._idling.governor(),
                Tally(setup.table, in_ns),
            )
            for number in range(topology.cpus)
        ]
        self._tasks = [
            RunningTask(number, program, stream_key(seed, number))
            for number, program in enumerate(setup.workload.tasks)
        ]
        self._placement = Placement(topology, setup.policy)
        self._latencies: Counter[int] = Counter()
        self._latency_max_ns = 0
        self._switches = self._counted = self._events = self._digest = 0
        self._trace: list[tuple[int, int, int]] = []
        self._trace_most = trace
        self._wake_ups: list[WakeUp] = []
        self._wake_ups_most = 0

    def run(self) -> SimulationRun:
        """Raises Unreadable for more events than there may be."""
        setup = self._setup
        self._start()
        while self._step():
            pass
        self._idling.scopes.close(setup.duration_ns)
        for cpu in self._cpus:
            self._idling.stretch_is_cut(cpu)
        return SimulationRun(
            self._seed,
            setup.duration_ns,
            tuple(cpu.tally.figures() for cpu in self._cpus),
            tuple(self._idling.reached),
            tuple(map(tuple, self._idling.scopes.scope_ns)),
            dict(sorted(self._latencies.items())),
            self._latency_max_ns,
            self._switches,
            self._counted,
            self._events,
            self._digest,
            tuple(self._trace),
            self._idling.domains.figures(),
            self._idling.domains.waited,
            self._idling.domains.waited_ns,
            self._idling.hindsight.figures() if setup.foreseen else None,
            self._idling.between_ns if setup.foreseen else 0,
        )

    def first_wake_ups(self, most: int) -> tuple[WakeUp, ...]:
        """Runs no longer than until so many tasks that were woken have begun to run. Raises
        Unreadable for more events than there may be."""
        self._wake_ups_most = most
        self._start()
        while len(self._wake_ups) < most and self._step():
            pass
        return tuple(self._wake_ups)

    def _start(self) -> None:
        for cpu in self._cpus:
            self._schedule.at(cpu.number, 0)
        for task in self._tasks:
            self._enqueue(task, self._first(task), 0)

    def _step(self) -> bool:
        """Returns False at the end."""
        whom = self._schedule.take(self._setup.duration_ns)
        if whom is None:
            return False
        self._events += 1
        self._digest = mix(self._digest ^ self._schedule.now_ns * GOLDEN & U64) + whom & U64
        if whom < len(self._cpus):
            self._cpu_event(self._cpus[whom])
        else:
            self._timer(self._tasks[whom - len(self._cpus)])
        if self._events == limits.SIMULATION_EVENTS:
            raise too_many_events(self._setup, self._schedule.now_ns)
        return True

    # CPUs

    def _cpu_event(self, cpu: SimulatedCpu) -> None:
        if cpu.phase == RUNNING:
            self._ran(cpu)
        elif cpu.phase == IDLE:
            if self._idling.polls(cpu):
                self._idling.reached[0] += 1
                self._idling.wakes(cpu)
                self._idling.end(cpu, time_limit=self._idling.told_of_limit)
                self._between(cpu, self._costs.turn)
            else:
                ticks = not cpu.stopped and self._schedule.now_ns % self._idling.tick_ns == 0
                self._idling.leave(cpu, 0, got_tick=ticks)
        elif cpu.phase == EXITING:
            self._idling.end(cpu, time_limit=False)
            if cpu.pending or cpu.queue:
                self._settle(cpu)
            else:
                self._between(cpu, self._costs.turn)
        else:
            self._settle(cpu)

    def _between(self, cpu: SimulatedCpu, time: int) -> None:
        cpu.phase = BETWEEN
        self._schedule.at(cpu.number, self._schedule.now_ns + time)

    def _settle(self, cpu: SimulatedCpu) -> None:
        """Handles expired timers first, then runnable tasks; idles if there are neither."""
        cpu.phase = BETWEEN
        if cpu.pending:
            for task in cpu.pending:
                left = task.woken_from
                self._wake(task, cpu.number, task.due_ns, sync=False)
                if task.cpu == cpu.number:
                    task.woken_from = left
            time = self._costs.wake * len(cpu.pending)
            cpu.pending.clear()
            self._between(cpu, time)
        elif cpu.queue:
            self._switch(cpu)
        else:
            self._idling.begin(cpu)

    # Tasks on a CPU

    def _take(self, cpu: SimulatedCpu, takes: int) -> None:
        """A CPU's use of its core changes; its siblings that compute go on at another rate."""
        for number in self._shares.take(cpu, takes):
            sibling = self._cpus[number]
            rate = self._shares.rate
            if sibling is cpu or sibling.phase != RUNNING or sibling.rate == rate(sibling):
                continue
            self._worked(sibling)
            self._run(sibling)

    def _switch(self, cpu: SimulatedCpu) -> None:
        """Runs the first task of the queue."""
        task = cpu.queue.popleft()
        self._ran_until_now(cpu, task, running=False)
        cpu.task, cpu.phase, task.cpu = task, RUNNING, cpu.number
        cpu.stopped = cpu.got_tick = False
        cpu.slice_end_ns = self._schedule.now_ns + self._costs.slice
        self._switches += 1
        if len(self._trace) < self._trace_most:
            self._trace.append((self._schedule.now_ns, cpu.number, task.number))
        if task.woken_ns is not None:
            latency_ns = self._schedule.now_ns + self._costs.switch - task.woken_ns
            self._latencies[bucket_of(latency_ns, HISTOGRAM_BITS)] += 1
            self._latency_max_ns = max(self._latency_max_ns, latency_ns)
            if len(self._wake_ups) < self._wake_ups_most:
                waker, waker_cpu = task.woken_by or (None, None)
                self._wake_ups.append(
                    WakeUp(
                        task.woken_ns,
                        waker,
                        waker_cpu,
                        task.number,
                        cpu.number,
                        task.woken_from,
                        latency_ns,
                    )
                )
            task.woken_ns = None
        if task.spins_until_ns:
            left_ns = max(task.spins_until_ns - self._schedule.now_ns, self._costs.switch)
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
        now = self._schedule.now_ns
        cpu.since_ns, cpu.rate = now, self._shares.rate(cpu)
        cpu.until_ns = now - -cpu.work // cpu.rate
        if cpu.queue:
            cpu.until_ns = min(cpu.until_ns, max(cpu.slice_end_ns, now))
        self._schedule.at(cpu.number, cpu.until_ns)

    def _worked(self, cpu: SimulatedCpu) -> None:
        cpu.work = max(cpu.work - (self._schedule.now_ns - cpu.since_ns) * cpu.rate, 0)

    def _ran(self, cpu: SimulatedCpu) -> None:
        task = cpu.task
        assert task is not None
        self._worked(cpu)
        if not cpu.work:
            cpu.spins = False
            self._advance(cpu, task)
        elif cpu.queue:
            if cpu.spins:
                task.spins_until_ns = self._schedule.now_ns + cpu.work // WORK
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
                cpu.work = (max(task.drawn(op.duration), 1) + task.debt_ns) * WORK
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
                duration_ns = max(task.drawn(op.duration), 1)
                cpu.work = (duration_ns - self._schedule.now_ns % duration_ns) * WORK
                cpu.spins = True
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
            numbers = range(chosen := task.chosen(op), chosen + 1)
        for number in numbers:
            other = self._tasks[number]
            if other.waits:
                other.waits = False
                other.woken_by = task.number, cpu.number
                self._wake(other, cpu.number, self._schedule.now_ns, sync=op.sync)
            else:
                other.tokens += 1

    def _paid(self, cpu: SimulatedCpu, task: RunningTask) -> bool:
        """Returns True if no kernel time is due before the program continues; else spends it."""
        if not task.debt_ns:
            return True
        cpu.work, task.debt_ns = task.debt_ns * WORK, 0
        self._run(cpu)
        return False

    # Utilisation

    def _ran_until_now(self, cpu: SimulatedCpu, task: RunningTask, *, running: bool) -> None:
        if self._idling.utilises:
            cpu.average.update(self._schedule.now_ns, running=running)
            task.average.update(self._schedule.now_ns, running=running)

    def _migrate(self, task: RunningTask, to: SimulatedCpu) -> None:
        """A task that does not run takes its utilisation along."""
        before, now = self._cpus[task.cpu], self._schedule.now_ns
        task.average.update(now, running=False)
        for cpu in (before, to):
            cpu.average.update(now, running=cpu.phase == RUNNING)
        before.average.detach(task.average)
        to.average.attach(task.average)

    # Timers and wake-ups

    def _sleep(self, cpu: SimulatedCpu, task: RunningTask, op: Op) -> None:
        duration_ns = max(task.drawn(op.duration), 1)
        if op.kind is OpKind.EVERY:
            duration_ns -= self._schedule.now_ns % duration_ns
        task.due_ns = self._schedule.now_ns + duration_ns
        insort(cpu.timers, (task.due_ns, self._schedule.sequence + 1, task.number))
        self._schedule.at(len(self._cpus) + task.number, task.due_ns)
        self._leave(cpu)

    def _timer(self, task: RunningTask) -> None:
        """A task's timer expires, on the CPU on which the task went to sleep."""
        cpu = self._cpus[task.cpu]
        # timers are sorted by expiry, then by the order in which they were started
        cpu.timers.pop(0)
        self._idling.stretch_ends(cpu)
        task.woken_by = None
        if cpu.phase == RUNNING or (cpu.phase == IDLE and self._idling.polls(cpu)):
            if cpu.phase == RUNNING and not cpu.spins:
                self._worked(cpu)
                cpu.work += self._costs.wake * WORK
                self._run(cpu)
            self._wake(task, cpu.number, self._schedule.now_ns, sync=False)
            if cpu.phase == IDLE:
                # it polls on, and its task runs elsewhere
                self._idling.stretch_goes_on(cpu)
            return
        cpu.pending.append(task)
        if cpu.phase == IDLE:
            self._idling.leave(cpu, 0)
        task.woken_from = cpu.left if cpu.phase == EXITING else None

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
        self._idling.stretch_ends(cpu)
        if self._idling.utilises and task.cpu != number:
            self._migrate(task, cpu)
        task.cpu = number
        cpu.queue.append(task)
        self._placement.tasks[number] += 1
        if cpu.phase == IDLE:
            if number == waker:
                # a timer of this CPU expired while it polled: the wake-up is part of the period
                self._idling.leave(cpu, self._costs.wake)
            else:
                self._idling.leave(cpu, 0 if self._idling.polls(cpu) else self._costs.ipi)
        task.woken_from = cpu.left if cpu.phase == EXITING else None
        if cpu.phase == RUNNING:
            limit_ns = max(cpu.slice_end_ns, self._schedule.now_ns)
            if cpu.until_ns > limit_ns:
                cpu.until_ns = limit_ns
                self._schedule.at(number, limit_ns)


def simulate(setup: Setup, seed: int, trace: int = 0) -> SimulationRun:
    """Runs one seed by the Python reference. trace: number of switches to keep in the result.
    Raises UnknownGovernor; Unreadable for more events than there may be."""
    return Simulation(setup, seed, trace).run()
