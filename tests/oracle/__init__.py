"""Oracles: the real thing, fetched, extracted or compiled when a test runs.

Where it cannot be had, `Unavailable` says why, and tests skip with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from idle_states.boot.debian import Unavailable

__all__ = ["Unavailable", "skipping"]


@contextmanager
def skipping() -> Iterator[None]:
    """A context manager: where what is asked for inside cannot be had, the test skips."""
    try:
        yield
    except Unavailable as reason:
        pytest.skip(str(reason))
