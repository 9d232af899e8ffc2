"""The programs of this process: each source and tick rate compiled, checked and started once."""

import os
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


# a program answers the process that started it: another, forked one starts its own
os.register_at_fork(after_in_child=running.cache_clear)


@cache
def source_of(name: str) -> SourceFile:
    """Returns the source that --governor names, read once. Raises UsageError, Unreadable,
    OSError."""
    return find(name)
