"""The actors of a simulation, tasks and CPUs, with their state at the simulated time."""

from collections import deque

from ...base.dataclass import dataclass, field
from ...tables.linux.governors import Governor
from ..replay.counters import Tally
from .programs import Duration, Op, Which, draw, length, uniform
from .programs import Task as Program
from .utilisation import Average

BETWEEN, RUNNING, IDLE, EXITING = range(4)
"""Phases of a CPU. BETWEEN: in the kernel, on the path to a task or to the governor."""
BUSY, HOLDS, FREE = range(3)
"""A thread's use of its core: it computes, idles but keeps its share, or gave its share up."""
CPU_STREAMS = 1 << 32
"""Number of the random stream of CPU 0; the streams of tasks are numbered from 0."""
WORK = 1000
"""Units of work that a thread does per ns while its siblings slow nothing down."""


@dataclass(slots=True, eq=False)
class RunningTask:
    """A task: its position in its program, and its CPU.

    number          index in Workload.tasks
    key             key of the task's random stream
    at              index of the next op of the program
    draws           random numbers drawn so far
    turn            wake-ups so far of ops with Which.NEXT
    cpu             CPU that the task runs on, or ran on last
    recent          the recently used CPU (task_struct.recent_used_cpu)
    waits           whether the task is blocked in `wait`
    tokens          wake-ups that arrived while the task was not waiting
    debt_ns         kernel time to spend before the program continues
    wakes           whether debt_ns already includes the cost of the `wake` op at `at`
    work            units of work left of an interrupted `run`
    spins_until_ns  end of an interrupted `spin`; 0: none
    woken_ns        time of the last wake-up; None once the task runs
    woken_by        that wake-up's (waker's number, its CPU); None: a timer's
    woken_from      idle state of the task's CPU that the wake-up ended; None: it was not idle
    due_ns          expiry of the task's timer
    average         its utilisation, where governors ask for that
    """

    number: int
    program: Program
    key: int
    at: int = 0
    draws: int = 0
    turn: int = 0
    cpu: int = 0
    recent: int = 0
    waits: bool = False
    tokens: int = 0
    debt_ns: int = 0
    wakes: bool = False
    work: int = 0
    spins_until_ns: int = 0
    woken_ns: int | None = None
    woken_by: tuple[int, int] | None = None
    woken_from: int | None = None
    due_ns: int = 0
    average: Average = field(default_factory=Average)

    def drawn(self, duration: Duration) -> int:
        """A length in ns: that of the duration, or a random one."""
        if not duration.spread:
            return duration.low
        self.draws += 1
        return length(duration, draw(self.key, self.draws - 1))

    def chosen(self, op: Op) -> int:
        """The number of the one task that an op wakes. Not for Which.ALL."""
        if op.which is Which.SAME:
            return op.first + self.program.number % op.count
        if op.which is Which.NEXT:
            self.turn += 1
            return op.first + (self.turn - 1) % op.count
        self.draws += 1
        return op.first + uniform(draw(self.key, self.draws - 1), 0, op.count - 1)


@dataclass(slots=True, eq=False)
class SimulatedCpu:
    """A CPU: its phase, its run queue and its timers.

    key           key of the CPU's random stream
    governor      None if the kernel asks no governor
    takes         BUSY, HOLDS or FREE
    queue         runnable tasks, without the running one
    pending       tasks whose timers expired and are not handled yet
    timers        (expiry in ns, sequence number, task number), ascending
    since_ns      start of the idle period, or time from which the task runs at `rate`
    until_ns      time at which the task's run, or its time slice, ends
    slice_end_ns  end of the running task's time slice
    work          units of work left of the present run
    rate          units of work per ns
    spins         whether the present run is a `spin`, which siblings do not slow down
    state         number of the idle state entered last
    left          number of the idle state that it left last, as the hardware had it
    stopped       whether the tick is stopped
    got_tick      whether the tick ended the idle period, if no task ran since
    draws         random numbers drawn so far
    average       its utilisation, where governors ask for that
    stretch_ns    when it began to idle, until there is work for it; None: there is
    left_ns       end of its last idle period
    """

    number: int
    key: int
    governor: Governor | None
    tally: Tally
    phase: int = BETWEEN
    takes: int = BUSY
    queue: deque[RunningTask] = field(default_factory=deque)
    pending: list[RunningTask] = field(default_factory=list)
    timers: list[tuple[int, int, int]] = field(default_factory=list)
    task: RunningTask | None = None
    since_ns: int = 0
    until_ns: int = 0
    slice_end_ns: int = 0
    work: int = 0
    rate: int = WORK
    spins: bool = False
    state: int = 0
    left: int = 0
    stopped: bool = False
    got_tick: bool = False
    draws: int = 0
    average: Average = field(default_factory=Average)
    stretch_ns: int | None = None
    left_ns: int = 0
