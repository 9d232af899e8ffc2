"""Evaluation of candidates, here or on a cluster, with the results kept on disk meanwhile."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol, Self

from ... import __version__
from ...base.dataclass import replace
from ...base.model.findings import Unreadable
from ...base.reading.cache import fault_of, own_cache, set_aside
from ...base.signals import Ended
from ..replay.machine import CpuTable
from .evaluate import Candidate, EvaluationTask, Outcomes, Work, offline
from .results import Results
from .sampling import IdleSample
from .search import Run
from .source import GapSource
from .spread import on_cluster, on_processors


class EvaluationBar(Protocol):
    """A progress bar, shown while its context lasts; its total may grow."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None: ...

    def expect(self, count: int) -> None:
        """Adds `count` to the total."""

    def advance(self, count: int = 1) -> None:
        """Adds `count` to what is done."""


StartBar = Callable[[str], EvaluationBar]
"""Makes a progress bar from the name of the unit counted."""


class NoBar(EvaluationBar):
    """A progress bar that shows nothing."""

    def __init__(self, what: str) -> None:
        pass


def run_offline(source: GapSource, table: CpuTable) -> Run:
    """Evaluates candidates, each once, with the length of every gap known when the gap begins."""
    found: dict[Candidate, Outcomes] = {}

    def evaluate(candidates: Sequence[Candidate]) -> Mapping[Candidate, Outcomes]:
        for candidate in candidates:
            if candidate not in found:
                found[candidate] = offline(source.gaps, table, candidate)
        return found

    return evaluate


@contextmanager
def keeping(
    resume: Path | None,
    work: Work,
    sample: IdleSample | None,
    source: GapSource,
    say: Callable[[str], None],
) -> Iterator[Results]:
    """Opens the results in the `resume` file, or in the user's cache until the output is written.
    work: over all idle periods; sample: what is searched over, None: all. say: called with messages
    for the user."""
    digest = _digest(work, sample, source)
    own = resume is None
    path = resume or _cached(digest, say)
    try:
        with Results(digest, path, own=own) as results:
            if results.kept:
                say(f"continuing from {results.kept} results in {path}")
            yield results
    except (KeyboardInterrupt, Ended, OSError) as error:
        if path is not None and not isinstance(error, BrokenPipeError):
            # not what was evaluated: its last part may not have reached the file
            kept = 0
            with suppress(Unreadable, OSError):
                kept = Results(digest, path).kept
            if kept:
                say(f"{kept} results are kept in {path}; the same command line continues")
        raise
    if path is not None and resume is None:
        path.unlink(missing_ok=True)


def _cached(digest: str, say: Callable[[str], None]) -> Path | None:
    """Returns the results file in the user's cache; None if there can be none. One that cannot be
    used is set aside."""
    try:
        path = own_cache() / f"tune-{digest[:16]}.jsonl"
        if fault := fault_of(path) or _damage(path, digest):
            other = set_aside(path)
            say(
                f"the cache of results {path} cannot be used, because it {fault}: it was "
                f"renamed to {other.name}, and candidates are evaluated again"
            )
    except OSError as error:
        why = error.strerror and f"{error.filename}: {error.strerror}"
        say(f"results are not kept, {why or error}; name a file with --resume")
        return None
    return path


def _damage(path: Path, digest: str) -> str:
    """Returns what is wrong with kept results, "" for nothing."""
    try:
        Results(digest, path)
    except Unreadable as error:
        (finding,) = error.findings
        line = f" in line {finding.location.line}" if finding.location.line else ""
        return f"is damaged{line} ({finding.message})"
    return ""


def _digest(work: Work, sample: IdleSample | None, source: GapSource) -> str:
    """Returns a digest of all inputs of an evaluation. Power and objective are not among them: they
    only judge its results."""
    # the gaps themselves are identified by the SHA-256 of their files
    given = replace(work, cpus=()) if isinstance(work, EvaluationTask) else work
    searched = sample and sample.idles
    return hashlib.sha256(repr((__version__, source.files, given, searched)).encode()).hexdigest()


@contextmanager
def running(
    results: Results, jobs: int | None, scheduler: str | None, start: StartBar
) -> Iterator[Callable[[Work], Run]]:
    """Yields a function that makes of a work the function that evaluates candidates by it, with the
    governor, here or on a cluster."""
    with start("tables evaluated") as bar:

        def over(work: Work, spread: Callable[[Sequence[Candidate]], None]) -> Run:
            found = results.sampled if work.sampled else results.found

            def evaluate(candidates: Sequence[Candidate]) -> Mapping[Candidate, Outcomes]:
                new = [each for each in candidates if each not in found]
                bar.expect(len(new))
                spread(new)
                return found

            return evaluate

        if not scheduler:
            yield lambda work: over(
                work, lambda new: on_processors(work, new, results, bar.advance, jobs)
            )
            return
        from ...base.cluster import connected

        with connected(scheduler) as workers:

            def over_cluster(work: Work) -> Run:
                given = workers.sent(work)
                return over(
                    work, lambda new: on_cluster(workers, given, work, new, results, bar.advance)
                )

            yield over_cluster
