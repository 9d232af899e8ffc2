"""The things that are costly to make, made once a run, whichever of its processes wants them first;
what is named by all that it is made of, once for all runs."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support import ROOT


@contextmanager
def kept(name: str) -> Iterator[Path]:
    """A context manager: a directory below build that all runs of the tests share, for one process
    at a time. A file there must be named by a digest of all it is made of."""
    with _locked(ROOT / "build/tests" / name) as directory:
        yield directory


@contextmanager
def building(factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A context manager: a directory that all processes of this run share, for one process at a
    time."""
    top = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        top = top.parent
    with _locked(top / "shared" / name) as directory:
        yield directory


@contextmanager
def _locked(directory: Path) -> Iterator[Path]:
    directory.mkdir(parents=True, exist_ok=True)
    with directory.with_name(f".{directory.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield directory


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Returns a shared directory that was filled by `make`, called in the first process that asks
    for it."""
    with building(factory, name) as directory:
        if not (done := directory.with_name(f".{name}.made")).exists():
            make(directory)
            done.touch()
    return directory
