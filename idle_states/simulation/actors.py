"""Who takes part in a simulation: tasks and CPUs, and what is known of them at a time."""

from collections import deque
from dataclasses import dataclass, field

from ..linux.governors import Governor
from ..replay.counters import Tally
from .programs import Task as Program

BETWEEN, RUNNING, IDLE, EXITING = range(4)
"""Phases of a CPU. BETWEEN: in the kernel, on its way to a task or to the governor."""
BUSY, HOLDS, FREE = range(3)
"""What a thread takes of its core."""
CPU_STREAMS = 1 << 32
"""The streams of random numbers of CPUs begin there, those of tasks at 0."""
WORK = 1000
"""Units of work that a thread alone on its core does in a ns."""


@dataclass(slots=True, eq=False)
class RunningTask:
    """A task's place in its program, and on the machine.

    cpu, recent  it ran on last, and was remembered as recently used
    tokens       wake-ups that came while it did not wait
    debt_ns      kernel's work to do before its program goes on
    wakes        of which is that of the wake-up it is at
    work         what is left of a run that was interrupted; spins_until_ns: of a spin, 0: of none
    woken_ns     when, if it was since it ran last
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
    due_ns: int = 0


@dataclass(slots=True, eq=False)
class SimulatedCpu:
    """since_ns: its idle period, or the run of its task at `rate`, began. until_ns: the run ends.
    pending: tasks whose timers came while it could not see to them."""

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
    stopped: bool = False
    got_tick: bool = False
    draws: int = 0
