"""Candidates of `tune` evaluated, here or on a cluster, and what came of them kept meanwhile."""

import hashlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from .. import __version__
from ..cluster import client
from ..replay.machine import CpuTable
from ..signals import Ended
from .evaluate import Candidate, EvaluationTask, Outcomes, Work
from .evaluate import known as evaluated
from .results import Results
from .search import Run
from .source import GapSource
from .spread import Cluster, on_processors


class EvaluationBar(Protocol):
    """Shows how much of a known number is done, which may grow, while a context lasts."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...

    def expect(self, count: int) -> None:
        """So many more are to be done."""

    def advance(self, count: int = 1) -> None:
        """So many more are done."""


StartBar = Callable[[str], EvaluationBar]
"""Of what is counted."""


class NoBar:
    """Shows nothing."""

    def __init__(self, what: str) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def expect(self, count: int) -> None:
        pass

    def advance(self, count: int = 1) -> None:
        pass


def known(source: GapSource, table: CpuTable) -> Run:
    found: dict[Candidate, Outcomes] = {}

    def evaluate(candidates: Sequence[Candidate]) -> Mapping[Candidate, Outcomes]:
        for candidate in candidates:
            if candidate not in found:
                found[candidate] = evaluated(source.gaps, table, candidate)
        return found

    return evaluate


@contextmanager
def keeping(
    resume: Path | None, work: Work, source: GapSource, say: Callable[[str], None]
) -> Iterator[Results]:
    """Where results are kept: as told, or in the user's cache until all is written."""
    digest = _digest(work, source)
    path = resume or _cached(digest, say)
    with Results(digest, path) as results:
        if results.kept:
            say(f"going on from {results.kept} results in {path}")
        try:
            yield results
        except (KeyboardInterrupt, Ended, OSError) as error:
            told = not isinstance(error, BrokenPipeError)
            if told and path is not None and results.found:
                message = f"{len(results.found)} results are kept in {path}"
                say(f"{message}; the same command line goes on")
            raise
    if path is not None and resume is None:
        path.unlink(missing_ok=True)


def _cached(digest: str, say: Callable[[str], None]) -> Path | None:
    """None where there is no place to write to."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    directory = Path(home) / "idle-states"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"results are not kept, {directory}: {error.strerror}"
        say(f"{message}; name a file with --resume")
        return None
    return directory / f"tune-{digest[:16]}.jsonl"


def _digest(work: Work, source: GapSource) -> str:
    """Of all that an evaluation depends on; not of power and objective, which come after it."""
    # a task's gaps are told by their file
    given = replace(work, cpus=()) if isinstance(work, EvaluationTask) else work
    return hashlib.sha256(repr((__version__, source.files, given)).encode()).hexdigest()


@contextmanager
def quiet(name: str) -> Iterator[None]:
    """Without what a library logs of a failure that the command tells of itself."""
    handlers = logging.getLogger(name).handlers
    levels = [handler.level for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for handler, level in zip(handlers, levels, strict=True):
            handler.setLevel(level)


@contextmanager
def running(
    work: Work, results: Results, jobs: int | None, scheduler: str | None, start: StartBar
) -> Iterator[Run]:
    """Evaluates with the governor, here or on a cluster."""
    with start("tables evaluated") as bar:

        def over(spread: Callable[[Sequence[Candidate]], None]) -> Run:
            def evaluate(candidates: Sequence[Candidate]) -> Mapping[Candidate, Outcomes]:
                new = [each for each in candidates if each not in results.found]
                bar.expect(len(new))
                spread(new)
                return results.found

            return evaluate

        if not scheduler:
            yield over(lambda new: on_processors(work, new, results, bar.advance, jobs))
            return
        with suppress(ImportError):
            # which sets its logging up
            import_module("distributed")
        with quiet("distributed"), client(scheduler) as connected:
            cluster = Cluster(connected, work)
            yield over(lambda new: cluster.evaluate(new, results, bar.advance))
