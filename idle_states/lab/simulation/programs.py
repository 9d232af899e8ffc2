"""Task programs, made of run, spin, sleep, every, wake, wait and count.

    run D       computes for D, or longer while siblings use the core too
    spin D      computes until the next multiple of D, whatever the siblings do
    sleep D     sleeps until a timer on the same CPU expires after D
    every D     sleeps until a timer expires at the next multiple of D
    wake TASK   wakes a task; if that task is not waiting, its next `wait` returns at once
    wait        blocks until another task wakes this one
    count       counts one request, or whatever unit the workload reports

A program restarts at its end unless it runs once. Durations are fixed, uniform or exponential, in
whole ns, from a counter-based random generator: the n-th draw of a task depends on the seed, the
task and n alone.
"""

from enum import IntEnum

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError

U64 = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
LN2_Q32 = 2977044472
"""ln 2 * 2^32, rounded to nearest."""
DURATION_MAX = 1 << 40
TASKS_MAX = 1 << 16


class OpKind(IntEnum):
    RUN = 0
    SLEEP = 1
    EVERY = 2
    WAKE = 3
    WAIT = 4
    COUNT = 5
    SPIN = 6


MULTIPLES = (OpKind.EVERY, OpKind.SPIN)
"""Ops that end when the time is a multiple of their duration."""


class Spread(IntEnum):
    FIXED = 0
    UNIFORM = 1
    EXPONENTIAL = 2


class Which(IntEnum):
    """The task that a `wake` of a name with several tasks means: the one with the waker's number,
    each in turn, a random one, or all."""

    SAME = 0
    NEXT = 1
    RANDOM = 2
    ALL = 3


@dataclass(frozen=True, slots=True)
class Duration:
    """In ns. FIXED: low; UNIFORM: low to high, both included; EXPONENTIAL: low is the mean."""

    low: int
    high: int = 0
    spread: Spread = Spread.FIXED


NO_TIME = Duration(0)


@dataclass(frozen=True, slots=True)
class Op:
    """One step of a program. Of WAKE: `count` tasks from number `first` on, and sync: the waker is
    about to sleep."""

    kind: OpKind
    duration: Duration = NO_TIME
    first: int = 0
    count: int = 0
    which: Which = Which.SAME
    sync: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """A task as the workload defines it.

    number      index among the tasks of the same name
    cpu         CPU that the task is bound to; None: the scheduler places it
    with_waker  whether the task runs on its waker's CPU, like a per-CPU kernel worker
    once        whether the program ends instead of restarting
    again       index of the op at which the program restarts
    """

    name: str
    number: int
    ops: tuple[Op, ...]
    cpu: int | None = None
    with_waker: bool = False
    once: bool = False
    again: int = 0


@dataclass(frozen=True, slots=True)
class Workload:
    """A set of tasks. counts: the unit that `count` counts, for reports; "": nothing is counted."""

    name: str
    tasks: tuple[Task, ...]
    counts: str = ""
    note: str = ""


_VERBS = {
    OpKind.RUN: "runs",
    OpKind.SPIN: "spins",
    OpKind.SLEEP: "sleeps",
    OpKind.EVERY: "sleeps to a multiple of",
}


class BadWorkload(UsageError):
    """An invalid workload; the message says what was expected and what was found."""


def check(workload: Workload) -> None:
    """Raises BadWorkload for a program that does nothing, or that never lets time pass."""
    if not workload.tasks:
        raise BadWorkload(f"{workload.name}: expected a task, found none")
    if len(workload.tasks) > TASKS_MAX:
        raise BadWorkload(f"{workload.name}: expected at most {TASKS_MAX} tasks")
    for task in workload.tasks:
        if not task.ops:
            raise BadWorkload(f"{workload.name}: expected a program for {task.name}, found none")
        if all(op.kind is OpKind.COUNT for op in task.ops[task.again :]):
            raise BadWorkload(f"{workload.name}: expected {task.name} to do more than to count")
        for op in task.ops:
            least = 1 if op.duration.spread is Spread.EXPONENTIAL or op.kind in MULTIPLES else 0
            low, high = op.duration.low, op.duration.high
            if not least <= low <= DURATION_MAX or high > DURATION_MAX:
                raise BadWorkload(
                    f"{workload.name}: expected {least} to {DURATION_MAX} ns for a time that "
                    f"{task.name} {_VERBS[op.kind]}, found {low if low < least else max(low, high)}"
                )
            if op.duration.spread is Spread.UNIFORM and high < low:
                raise BadWorkload(
                    f"{workload.name}: expected ascending times for {task.name}, found {low} to "
                    f"{high} ns"
                )
    starts = any(
        task.ops[0].kind is not OpKind.WAIT and any(op.kind is not OpKind.WAIT for op in task.ops)
        for task in workload.tasks
    )
    if not starts:
        raise BadWorkload(f"{workload.name}: expected a task that does not begin with wait")


def mix(value: int) -> int:
    """SplitMix64's finaliser."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & U64
    value = (value ^ value >> 27) * 0x94D049BB133111EB & U64
    return value ^ value >> 31


def stream_key(seed: int, stream: int) -> int:
    return mix(mix(seed + GOLDEN & U64) ^ mix(stream * GOLDEN + 1 & U64))


def draw(key: int, counter: int) -> int:
    """Returns the 64 random bits number `counter` of a stream."""
    return mix(key + (counter + 1) * GOLDEN & U64)


def uniform(bits: int, low: int, high: int) -> int:
    return low + (bits * (high - low + 1) >> 64)


def _log2_table() -> tuple[int, ...]:
    """Returns floor(2^32 * log2(1 + i/256)), i from 0 to 256, by repeated squaring in integers."""
    found = []
    for i in range(256):
        value, bits = (256 + i) << 120, 0
        for _ in range(32):
            value = value * value >> 128
            bit = value >> 129
            bits = bits << 1 | bit
            value >>= bit
        found.append(bits)
    return (*found, 1 << 32)


LOG2_Q32 = _log2_table()


def exponential(bits: int, mean: int) -> int:
    """Returns -ln(bits / 2^64) * mean, interpolated linearly in a table of logarithms."""
    bits |= 1
    zeros = 64 - bits.bit_length()
    mantissa = bits << zeros & U64
    index, rest = mantissa >> 55 & 0xFF, mantissa >> 23 & 0xFFFFFFFF
    below, above = LOG2_Q32[index], LOG2_Q32[index + 1]
    log2 = below + ((above - below) * rest >> 32)
    return mean * (((zeros + 1) << 32) - log2) * LN2_Q32 >> 64


def length(duration: Duration, bits: int) -> int:
    """Returns the duration in ns that 64 random bits give."""
    if duration.spread is Spread.UNIFORM:
        return uniform(bits, duration.low, duration.high)
    if duration.spread is Spread.EXPONENTIAL:
        return exponential(bits, duration.low)
    return duration.low
