"""Calls made by threads, whose results are asked for later.

As concurrent.futures has them, whose import takes longer than many a command's work.
"""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
_Outcome = SimpleQueue[tuple[Any, BaseException | None]]
_Call = tuple[Callable[..., Any], tuple[Any, ...], _Outcome]


class Threads:
    """So many threads, which begin calls in the order in which these are given. At the end of a
    `with` they finish what was given, and else end with the process."""

    def __init__(self, count: int) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Threads":
        return self

    def __exit__(self, *reason: object) -> None:
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()

    def call(self, function: Callable[..., T], *given: object) -> Callable[[], T]:
        """Has `function` called. Returns what waits for its result, to be asked once: it returns
        that, or raises what the function raised."""
        outcome: _Outcome = SimpleQueue()
        self._calls.put((function, given, outcome))

        def result() -> T:
            value, error = outcome.get()
            if error is not None:
                raise error
            found: T = value
            return found

        return result

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            function, given, outcome = call
            try:
                outcome.put((function(*given), None))
            except BaseException as error:
                outcome.put((None, error))
            # a block is not kept until the next one
            del call, function, given, outcome
