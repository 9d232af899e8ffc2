"""A pool of worker processes, which end when the program ends, however it ends."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait


@contextmanager
def processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """A context manager: a pool of `count` worker processes. If an exception leaves the context,
    the workers are killed at once."""
    # where Python does not fork, each begins as `python -c`, which would import what lies in the
    # current directory before Python's own modules
    others = set(multiprocessing.active_children())
    with variable("PYTHONSAFEPATH", "1"), ProcessPoolExecutor(count, initializer=_begin) as pool:
        try:
            yield pool
        except BaseException:
            for process in set(multiprocessing.active_children()) - others:
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


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
