"""Failures of the tool itself, as findings on the input that it failed on (IS990)."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC

from ..model.findings import (
    INTERNAL_ERROR,
    Finding,
    Location,
    Rejected,
    Severity,
    Unreadable,
    UsageError,
    unreadable,
)
from ..signals import Ended
from .budget import within_budget

TRACEBACK = "IDLE_STATES_TRACEBACK"
"""A variable of the environment: where it is set, the first unexpected exception ends the run and
its traceback is printed."""
_QUOTED = 200
"""Characters of an exception's message that a finding quotes."""


@contextmanager
def on_input(name: str, size: int = 0) -> Iterator[None]:
    """A context manager: an unexpected exception raised within it becomes Unreadable (IS990) that
    names the input, and so does (IS930) more time or memory than its size allows.

    size  bytes of it that were read before
    """
    try:
        with within_budget(name, size):
            yield
    except Exception as error:
        raise_expected(error)
        raise Unreadable([internal_error(error, Location(file=name))]) from error


@contextmanager
def one_of_several(name: str) -> Iterator[None]:
    """A context manager around the reading of one input of several: like `on_input`, and a file
    that the system cannot read becomes Unreadable (IS930), so that the others can go on."""
    try:
        with on_input(name):
            yield
    except OSError as error:
        if isinstance(error, BrokenPipeError) or (
            error.filename is None and error.errno in (ENOSPC, EDQUOT)
        ):
            # no fault of the input's
            raise
        message = f"cannot be read: {error.strerror or error}"
        raise unreadable(str(error.filename or name), message) from error


def raise_expected(error: Exception) -> None:
    """Raises the exception again if it says what is wrong with an input, a request or a file, if a
    signal is behind it, or if the user asks for tracebacks."""
    if isinstance(error.__cause__, (KeyboardInterrupt, Ended)):
        # before 3.12 Python makes a RuntimeError of a signal within a __set_name__
        raise error.__cause__ from None
    if isinstance(error, (Rejected, UsageError, OSError)) or os.environ.get(TRACEBACK):
        raise error


def internal_error(error: Exception, where: Location, table: str = "") -> Finding:
    """Returns the finding for an unexpected exception on an input."""
    place, frame = "its start", error.__traceback__
    while frame is not None:
        place = f"{os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}"
        frame = frame.tb_next
    # a MemoryError says nothing more
    described = f"{type(error).__name__}: {error}".rstrip(": ")[:_QUOTED]
    message = (
        f"the tool failed at {place}: {described}; report it with the input and with what "
        f"{TRACEBACK}=1 prints"
    )
    return Finding(INTERNAL_ERROR, "internal-error", Severity.ERROR, message, where, table=table)


def failed(findings: Iterable[Finding]) -> bool:
    """Returns whether the tool failed on an input of the findings: exit status 3."""
    return any(finding.rule == INTERNAL_ERROR for finding in findings)
