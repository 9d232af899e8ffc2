"""Processes that share work, and end when the program ends, however it ends.

The program itself hands out tasks and takes in results, without a thread, so that it knows the one
task that each process has: where that ends, the task alone has Died.
"""

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from .pool import Died, Job, Pool
from .signals import deferred


class _Worker:
    """A process, and the task that it has."""

    def __init__(self) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.task: Job | None = None

    def give(self, task: Job, work: bytes) -> bool:
        """Returns whether the process takes the task: not if it has ended."""
        try:
            self.connection.send_bytes(work)
        except OSError:
            return False
        self.task = task
        return True

    def received(self) -> tuple[Any, BaseException | None]:
        """The result and the error of its task, one of which is None."""
        try:
            value, error = pickle.loads(self.connection.recv_bytes())
            return value, error
        except (EOFError, OSError):
            self.process.join()
            return None, Died(_how(self.process.exitcode))

    def end(self) -> None:
        with suppress(OSError):
            self.connection.send_bytes(b"")
        self.process.join()
        self.connection.close()


class _Processes(Pool):
    def __init__(self, count: int) -> None:
        self._count = count
        self._workers: list[_Worker] = []
        self._waiting: deque[tuple[Job, bytes]] = deque()

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Job:
        task = Job(self)
        self._waiting.append((task, pickle.dumps((function, arguments))))
        self._hand_out()
        return task

    def proceed(self) -> None:
        self._hand_out()
        connection2worker = {each.connection: each for each in self._workers if each.task}
        for ready in wait(list(connection2worker)):
            assert isinstance(ready, Connection)
            worker = connection2worker[ready]
            value, error = worker.received()
            assert worker.task
            worker.task.settle(value, error)
            worker.task = None
            if isinstance(error, Died):
                self._workers.remove(worker)
                worker.connection.close()
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting:
            worker = next((each for each in self._workers if each.task is None), None)
            if worker is None:
                if len(self._workers) == self._count:
                    return
                with deferred():
                    worker = _Worker()
                    self._workers.append(worker)
            if worker.give(*self._waiting[0]):
                self._waiting.popleft()
            else:
                self._workers.remove(worker)
                worker.connection.close()

    def end(self) -> None:
        for worker in self._workers:
            worker.end()

    def kill(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()


@contextmanager
def processes(count: int) -> Iterator[Pool]:
    """A context manager: a pool of `count` worker processes. If an exception leaves the context,
    the workers are killed at once."""
    pool = _Processes(count)
    # where Python does not fork, each begins as `python -c`, which would import what lies in the
    # current directory before Python's own modules
    with variable("PYTHONSAFEPATH", "1"):
        try:
            yield pool
        except BaseException:
            pool.kill()
            raise
        pool.end()


def _how(status: int | None) -> str:
    """Returns the way a process ended, in words."""
    if status is None or status >= 0:
        return f"its process ended with exit status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = str(-status)
    perhaps = ", by hand or because memory ran out" if -status == signal.SIGKILL else ""
    return f"its process was ended by signal {-status} ({name}){perhaps}"


@contextmanager
def variable(name: str, value: str) -> Iterator[None]:
    """A context manager: a variable of the environment, which is as before afterwards."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _work(connection: Connection) -> None:
    """Does one task after the other, until told to end or left alone."""
    _begin()
    while True:
        try:
            given = connection.recv_bytes()
        except (EOFError, OSError):
            return
        if not given:
            return
        connection.send_bytes(_done(given))


def _done(given: bytes) -> bytes:
    """Does the task. Returns its result and its error, packed."""
    try:
        function, arguments = pickle.loads(given)
        return pickle.dumps((function(*arguments), None))
    except Exception as error:
        error.add_note(traceback.format_exc())
        try:
            packed = pickle.dumps((None, error))
            pickle.loads(packed)
        except Exception:
            # of a class whose objects cannot be sent
            packed = pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))
        return packed


def _begin() -> None:
    """Begins a worker: ignores SIGINT, which Ctrl-C sends to workers too, because the parent ends
    them. A signal that the parent ignores, as under nohup, stays ignored."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
