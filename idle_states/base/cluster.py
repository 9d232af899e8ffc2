"""A Dask cluster, for fleets and sweeps too large for one machine. An optional extra: [dask]."""

import logging
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .extras import package
from .model.findings import unreadable
from .pool import Died, Gone, Job, Pool

_SECONDS = 10
"""In which a scheduler has to answer."""
_FETCH_SECONDS = 10
_POLL_SECONDS = 0.05
_LOOK_SECONDS = 10.0
"""Seconds between two questions for the workers while nothing is done: the scheduler asks all."""
NO_WORKER_SECONDS = 60.0
"""The time that a cluster may be without any worker."""


class DaskCluster(Pool):
    """The workers of a cluster. Died: the cluster gave a task up, because its workers end
    (KilledWorker); Gone: the scheduler or the connection to it ended, or no worker is left."""

    apart = False

    def __init__(self, client: Any) -> None:
        self._client = client
        self.address = str(client.scheduler.address)
        self._running: dict[Any, Job] = {}
        self._gone = ""
        self._at_work = time.monotonic()
        self._next_look = 0.0

    def sent(self, value: Any) -> Any:
        """Returns what stands for a value among the arguments of tasks: it is sent to each worker
        once."""
        try:
            # a unique name: under a name derived from its content, Dask may release it early
            return self._client.scatter(value, broadcast=True, hash=False)
        except (Exception, CancelledError) as error:
            self._end(_described(error))
            return None

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Job:
        task = Job(self)
        if not self._gone:
            try:
                self._running[self._client.submit(function, *arguments, pure=False)] = task
            except (Exception, CancelledError) as error:
                self._end(_described(error))
        if self._gone:
            task.settle(error=Gone(self._gone))
        return task

    def proceed(self) -> None:
        done = [future for future in self._running if future.done()]
        for future in done:
            self._take_in(future)
        now = time.monotonic()
        if done:
            self._at_work = now
            return
        if self._client.status != "running":
            self._end(f"the connection to it is {self._client.status}")
        elif now >= self._next_look:
            self._next_look = now + min(_LOOK_SECONDS, NO_WORKER_SECONDS)
            # a cluster that closes at this moment may raise whatever it likes: its status tells
            with suppress(Exception, CancelledError):
                if self._client.scheduler_info()["workers"]:
                    self._at_work = now
        if not self._gone and now - self._at_work > NO_WORKER_SECONDS:
            self._end(f"it has had no worker for {NO_WORKER_SECONDS:.0f} s")
        time.sleep(_POLL_SECONDS)

    def _take_in(self, future: Any) -> None:
        if self._gone:
            return
        try:
            value, error = future.result(timeout=_FETCH_SECONDS), None
        except (Exception, CancelledError) as raised:
            value, error = None, raised
            if self._client.status == "running" and future.status in ("lost", "pending"):
                # the worker that had the result has ended: it is worked out again
                return
            if future.status != "error":
                self._end(f"its work is {future.status}")
                return
            if _of_cluster(raised):
                error = Died(_described(raised))
        self._running.pop(future).settle(value, error)

    def _end(self, why: str) -> None:
        """Gives up: all that is not done is Gone."""
        self._gone = f"the cluster at {self.address} went away ({why})"
        for task in self._running.values():
            task.settle(error=Gone(self._gone))
        self._running.clear()

    def close(self) -> None:
        """Cancels what is not done."""
        if self._running and self._client.status == "running":
            self._client.cancel(list(self._running))


@contextmanager
def connected(address: str) -> Iterator[DaskCluster]:
    """A context manager: the Dask cluster of the scheduler at `address`, e.g. tcp://host:8786.

    Raises Unreadable (IS930) if the extra is not installed or no scheduler answers.
    """
    make = package("dask", "distributed", address).Client
    # importing it has configured its logging
    with quiet("distributed"):
        try:
            client = make(address, timeout=_SECONDS)
        except (OSError, TimeoutError, ValueError) as error:
            message = f"expected a Dask scheduler to answer, found: {error or type(error).__name__}"
            raise unreadable(address, message) from None
        found = DaskCluster(client)
        try:
            yield found
        finally:
            for close in (found.close, client.close):
                with suppress(Exception, CancelledError):
                    close()


@contextmanager
def quiet(name: str) -> Iterator[None]:
    """Silences a library's logger: the command reports the failure itself."""
    handlers = logging.getLogger(name).handlers
    levels = [handler.level for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for handler, level in zip(handlers, levels, strict=True):
            handler.setLevel(level)


def _of_cluster(error: BaseException) -> bool:
    """Returns whether the error means that the cluster failed, not the work."""
    return type(error).__module__.startswith(("distributed", "asyncio", "concurrent"))


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")[:200]
