"""Signals that end the program: what is under way cleans up after itself, and then it ends.

SIGINT raises KeyboardInterrupt, SIGTERM and SIGHUP raise Ended, so that every `finally` runs. (A
reader that went away is an error of the write, BrokenPipeError: Python ignores SIGPIPE.)
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE_S = 1.0
"""A second signal within this time does not disturb what the first one made to clean up."""
_AGAIN_S = 0.001


class Ended(SystemExit):
    """By a signal. number: which; the exit status is the shell's for it."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number

    @property
    def name(self) -> str:
        return signal.Signals(self.number).name


class _State:
    """deferring: steps under way that no signal interrupts. waiting: one that came, 0 for none."""

    deferring = 0
    waiting = 0
    raised_at = -_PATIENCE_S


@contextmanager
def handled() -> Iterator[None]:
    """Within, signals raise; afterwards they do what they did before.

    One that is ignored, as with nohup, stays so. Handlers are the main thread's: elsewhere nothing
    changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _State.waiting, _State.raised_at = 0, -_PATIENCE_S
    kept: dict[int, Any] = {
        number: signal.signal(number, _came)
        for number in _ENDING
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    kept[signal.SIGALRM] = signal.signal(signal.SIGALRM, _comes_again)
    hook = sys.unraisablehook
    sys.unraisablehook = _lost(hook)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in kept.items():
            signal.signal(number, handler)


@contextmanager
def deferred() -> Iterator[None]:
    """A step that is done whole: a signal that comes within it raises at its end."""
    _State.deferring += 1
    try:
        yield
    finally:
        _State.deferring -= 1
    if not _State.deferring and _State.waiting:
        number, _State.waiting = _State.waiting, 0
        _end(number)


def _came(number: int, frame: FrameType | None) -> None:
    if time.monotonic() - _State.raised_at < _PATIENCE_S:
        return
    if _State.deferring:
        _State.waiting = number
        return
    _end(number)


def _end(number: int) -> None:
    _State.raised_at = time.monotonic()
    raise KeyboardInterrupt if number == signal.SIGINT else Ended(number)


def _comes_again(number: int, frame: FrameType | None) -> None:
    waiting, _State.waiting = _State.waiting, 0
    if waiting:
        _end(waiting)


def _lost(otherwise: Callable[[Any], object]) -> Callable[[Any], object]:
    """What becomes of exceptions that nobody can catch: a signal that came within a callback of
    the interpreter's is lost there, so it comes again."""

    def hook(lost: Any) -> None:
        if isinstance(lost.exc_value, (KeyboardInterrupt, Ended)):
            _State.waiting = getattr(lost.exc_value, "number", signal.SIGINT)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
        else:
            otherwise(lost)

    return hook
