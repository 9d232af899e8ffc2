"""Candidates of `tune` evaluated, here or on a cluster, and what came of them kept meanwhile."""

import argparse
import hashlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..replay.machine import CpuTable
    from ..tune.evaluate import Candidate, Outcomes, Work
    from ..tune.results import Results
    from ..tune.search import Run
    from ..tune.source import Source


def known(source: "Source", table: "CpuTable") -> "Run":
    from ..tune.evaluate import known as evaluated

    found: dict[Candidate, Outcomes] = {}

    def evaluate(candidates: "Sequence[Candidate]") -> "Mapping[Candidate, Outcomes]":
        for candidate in candidates:
            if candidate not in found:
                found[candidate] = evaluated(source.gaps, table, candidate)
        return found

    return evaluate


@contextmanager
def keeping(arguments: argparse.Namespace, work: "Work", source: "Source") -> "Iterator[Results]":
    """Where results are kept: as told, or in the user's cache until all is written."""
    from ..signals import Ended
    from ..tune.results import Results
    from .options import say

    digest = _digest(work, source)
    path = Path(arguments.resume) if arguments.resume else _cached(digest)
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
    if path is not None and not arguments.resume:
        path.unlink(missing_ok=True)


def _cached(digest: str) -> Path | None:
    """None where there is no place to write to."""
    from .options import say

    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    directory = Path(home) / "idle-states"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"results are not kept, {directory}: {error.strerror}"
        say(f"{message}; name a file with --resume")
        return None
    return directory / f"tune-{digest[:16]}.jsonl"


def _digest(work: "Work", source: "Source") -> str:
    """Of all that an evaluation depends on; not of power and objective, which come after it."""
    from .. import __version__
    from ..tune.evaluate import Task

    # a task's gaps are told by their file
    given = replace(work, cpus=()) if isinstance(work, Task) else work
    return hashlib.sha256(repr((__version__, source.files, given)).encode()).hexdigest()


@contextmanager
def quiet(name: str) -> "Iterator[None]":
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
def running(arguments: argparse.Namespace, work: "Work", results: "Results") -> "Iterator[Run]":
    """Evaluates with the governor, here or on a cluster, with a bar."""
    from ..tune.spread import Cluster, on_processors
    from .progress import Bar

    with Bar("tables evaluated") as bar:

        def over(spread: "Callable[[Sequence[Candidate]], None]") -> "Run":
            def evaluate(candidates: "Sequence[Candidate]") -> "Mapping[Candidate, Outcomes]":
                new = [each for each in candidates if each not in results.found]
                bar.expect(len(new))
                spread(new)
                return results.found

            return evaluate

        if not arguments.scheduler:
            yield over(lambda new: on_processors(work, new, results, bar.advance, arguments.jobs))
            return
        from ..cluster import client

        with suppress(ImportError):
            # which sets its logging up
            import_module("distributed")
        with quiet("distributed"), client(arguments.scheduler) as connected:
            cluster = Cluster(connected, work)
            yield over(lambda new: cluster.evaluate(new, results, bar.advance))
