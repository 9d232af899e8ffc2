"""Oracles: the real thing, fetched, extracted or compiled when a test runs.

Where it cannot be had, `Unavailable` says why, and tests skip with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from idle_states.base.report.escapes.text import printable
from idle_states.change.boot.debian import Unavailable

__all__ = ["OracleError", "Unavailable", "skipping"]


class OracleError(Exception):
    """The oracle could not be built or could not run a case: no statement about what it is of."""


@contextmanager
def skipping() -> Iterator[None]:
    """A context manager: where what is asked for inside cannot be had, the test skips."""
    try:
        yield
    except Unavailable as reason:
        pytest.skip(printable(str(reason)))
