"""Processor time and memory of each input, in proportion to its size.

Readers have limits of their own, and refuse at a place and with a reason what is too much. This
ends the rest: nobody can reckon beforehand what every combination costs. A timer measures time, and
its signal raises an exception. The operating system limits memory above what is in use, and Python
raises MemoryError there. C code that never returns to Python is ended with its process.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from .. import signals
from ..model.findings import Unreadable, unreadable
from . import limits

_STATISTICS = "/proc/self/statm"
_DATA = 5
"""The field of _STATISTICS that counts pages of data, which RLIMIT_DATA bounds."""
_AGAIN_S = 1.0
"""Time after which the signal comes again, where the exception of the first was lost."""
_STUCK = 4
"""The process ends after so many times what an input may take."""


class _OutOfTime(BaseException):
    """Raised by the timer; no `except Exception` on the way may take it for a fault."""


class _State:
    """current: the budget of the input that is read; None between inputs."""

    current: "_Budget | None" = None


class _Budget:
    """The limits of one input. size: bytes read of it so far."""

    def __init__(self, size: int) -> None:
        self.size = self.counted = size
        self.begun = time.process_time()
        self.in_use = _data_in_use()

    @property
    def time_s(self) -> float:
        return limits.in_proportion(limits.INPUT_S, limits.INPUT_S_PER_MIB / limits.MIB, self.size)

    @property
    def memory_bytes(self) -> int:
        most, more = limits.INPUT_MEMORY_BYTES, limits.INPUT_MEMORY_PER_BYTE
        return int(limits.in_proportion(most, more, self.size))

    def limit_time(self, after_s: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, after_s, _AGAIN_S)
        signal.setitimer(signal.ITIMER_VIRTUAL, _STUCK * self.time_s)

    def limit_memory(self) -> None:
        self.counted = self.size
        if self.in_use is not None:
            _limit_data(self.in_use + self.memory_bytes)


@contextmanager
def within_budget(file: str, size: int = 0) -> Iterator[None]:
    """A context manager around the reading of one input.

    file  what errors name
    size  bytes of it that were read before; those that are read within count by themselves

    Raises Unreadable (IS930) where the input takes more processor time or memory than its size
    allows. Does nothing within another, whose input is the same, nor outside the main thread, where
    Python has no timers.
    """
    if _State.current is not None:
        yield
        return
    try:
        handler = signal.signal(signal.SIGPROF, _expired)
    except ValueError:
        yield
        return
    before = _data_limit()
    budget = _State.current = _Budget(size)
    spent: Unreadable | None = None
    try:
        budget.limit_time(budget.time_s)
        budget.limit_memory()
        try:
            yield
        finally:
            _State.current = None
    except (_OutOfTime, MemoryError) as error:
        _clear(error)
        spent = _beyond(file, budget, isinstance(error, MemoryError))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGPROF, handler)
        _limit_data(before)
    if spent is not None:
        raise spent


def grow(size: int) -> None:
    """Adds what further bytes of the input allow, if one is being read."""
    budget = _State.current
    if budget is not None:
        budget.size += size
        if budget.size - budget.counted >= limits.MIB:
            budget.limit_memory()


def _expired(number: int, frame: FrameType | None) -> None:
    budget = _State.current
    if budget is None:
        return
    left = budget.begun + budget.time_s - time.process_time()
    if left > 0:
        budget.limit_time(left)
    elif not signals.are_deferred():
        raise _OutOfTime


def _beyond(file: str, budget: _Budget, memory: bool) -> Unreadable:
    if memory:
        cost = f"{budget.memory_bytes >> 20} MiB of memory"
    else:
        cost = f"{budget.time_s:.3g} s of processor time"
    message = (
        f"reading it takes more than {cost}, the limit for an input of {budget.size} bytes; give "
        "the part of it that matters, or report it if it is an ordinary input"
    )
    return unreadable(file, message)


def _clear(error: BaseException) -> None:
    """Lets go of what the functions held that the exception ended."""
    frame = error.__traceback__
    while frame is not None:
        with suppress(RuntimeError):
            frame.tb_frame.clear()
        frame = frame.tb_next


def _data_in_use() -> int | None:
    """Returns the bytes that count for RLIMIT_DATA; None where the system does not say."""
    try:
        number = os.open(_STATISTICS, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return int(os.read(number, 200).split()[_DATA]) * os.sysconf("SC_PAGESIZE")
    finally:
        os.close(number)


def _data_limit() -> int:
    import resource

    return resource.getrlimit(resource.RLIMIT_DATA)[0]


def _limit_data(most: int) -> None:
    """Sets the limit that holds until the next; never above the one that no process may raise."""
    import resource

    _, highest = resource.getrlimit(resource.RLIMIT_DATA)
    if highest != resource.RLIM_INFINITY and (most == resource.RLIM_INFINITY or most > highest):
        most = highest
    resource.setrlimit(resource.RLIMIT_DATA, (most, highest))
