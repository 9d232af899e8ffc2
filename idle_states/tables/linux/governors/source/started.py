"""The programs of this process: each source and tick rate compiled, checked and started once."""

from functools import cache

from .initialised import expect_initialised
from .named import SourceFile, find
from .running import Program


@cache
def running(name: str, hz: int) -> Program:
    """Returns the program of the source that --governor names. Raises UsageError, Unreadable,
    OSError."""
    source = source_of(name)
    expect_initialised(source)
    return Program(source, hz)


@cache
def source_of(name: str) -> SourceFile:
    """Returns the source that --governor names, read once. Raises UsageError, Unreadable,
    OSError."""
    return find(name)
