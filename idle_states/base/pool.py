"""Pools that share work: processes of this machine (workers.py), or a cluster (cluster.py).

A task whose process ends before it is done is known: it has Died, and the others go on.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any


class Died(Exception):
    """Raised for a task whose process ended before it was done. The message says how."""


class Gone(Exception):
    """Raised for a task that nobody is left to do. The message says why."""


class Job:
    """Work that was given to a pool."""

    def __init__(self, pool: "Pool") -> None:
        self._pool = pool
        self._value: Any = None
        self._error: BaseException | None = None
        self.done = False

    def result(self) -> Any:
        """Waits for the result. Raises what the work raised, Died, or Gone."""
        while not self.done:
            self._pool.proceed()
        if self._error is not None:
            raise self._error
        return self._value

    def settle(self, value: Any = None, error: BaseException | None = None) -> None:
        """Sets the result, or the error in its place."""
        self._value, self._error, self.done = value, error, True


class Pool(ABC):
    """Shares work. apart: whether a process has one task at a time, so that a task that Died is the
    one that its process ended on."""

    apart = True

    @abstractmethod
    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Job:
        """Gives work to the pool."""

    @abstractmethod
    def proceed(self) -> None:
        """Waits until something happens: takes in results, hands out what waits."""

    def finished(self, tasks: Iterable[Job]) -> list[Job]:
        """Waits until one of the tasks is done. Returns those that are."""
        known = list(tasks)
        while not (done := [task for task in known if task.done]):
            self.proceed()
        return done
