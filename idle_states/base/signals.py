"""Turns signals that end the program into exceptions, so that every `finally` cleans up first.

SIGINT raises KeyboardInterrupt; SIGTERM and SIGHUP raise Ended. (Python ignores SIGPIPE: a write to
a closed pipe raises BrokenPipeError.)
"""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE_S = 1.0
"""Signals within this time after the first are ignored, so that its cleaning up is not
interrupted."""
_AGAIN_S = 0.001
_Hook = Callable[["sys.UnraisableHookArgs"], object]


class Ended(SystemExit):
    """Raised by SIGTERM and SIGHUP. number: of the signal; the exit status is 128 + number."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number

    @property
    def name(self) -> str:
        return signal.Signals(self.number).name


class _State:
    """deferring   number of `deferred` blocks being run
    waiting    a signal still to be raised, 0 for none
    raised_at  when a signal was last raised, by time.monotonic()
    """

    deferring = 0
    waiting = 0
    raised_at = -_PATIENCE_S


@contextmanager
def handled() -> Iterator[None]:
    """A context manager: within it SIGINT, SIGTERM and SIGHUP raise; the handlers of before are
    restored at its end.

    A signal that is ignored, as with nohup, stays ignored. Python sets handlers in the main thread
    only: in other threads this does nothing.
    """
    try:
        kept = {int(signal.SIGALRM): signal.signal(signal.SIGALRM, _comes_again)}
    except ValueError:
        yield
        return
    _State.waiting, _State.raised_at = 0, -_PATIENCE_S
    for ending in _ENDING:
        if signal.getsignal(ending) is not signal.SIG_IGN:
            kept[ending] = signal.signal(ending, _came)
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
    """A context manager that signals do not interrupt: a signal within it raises at its end."""
    _State.deferring += 1
    try:
        yield
    finally:
        _State.deferring -= 1
    if not _State.deferring and _State.waiting:
        number, _State.waiting = _State.waiting, 0
        _end(number)


def are_deferred() -> bool:
    """Returns whether a `deferred` block is being run, which nothing may interrupt."""
    return _State.deferring > 0


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


def _lost(otherwise: _Hook) -> _Hook:
    """Returns a hook for sys.unraisablehook. Python discards an exception raised within one of its
    own callbacks, such as __del__: if it was a signal's, a timer raises it again shortly after.
    Others are passed to `otherwise`."""

    def hook(lost: "sys.UnraisableHookArgs") -> None:
        if isinstance(lost.exc_value, (KeyboardInterrupt, Ended)):
            _State.waiting = getattr(lost.exc_value, "number", signal.SIGINT)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
        else:
            otherwise(lost)

    return hook
