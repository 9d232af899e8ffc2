"""What is costly to make is made once a run, whichever of its processes wants it first."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def building(factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A directory of that name that all processes of a run have in common, for one at a time."""
    top = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        top = top.parent
    directory = top / "shared" / name
    directory.mkdir(parents=True, exist_ok=True)
    with directory.with_name(f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield directory


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The directory, filled by the `make` of the process that comes first."""
    with building(factory, name) as directory:
        if not (done := directory.with_name(f".{name}.made")).exists():
            make(directory)
            done.touch()
    return directory
