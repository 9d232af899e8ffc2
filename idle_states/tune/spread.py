"""Evaluation of candidates on all processors of this machine, or on a Dask cluster.

Each result is stored as soon as it is there, so an interruption loses only unfinished candidates.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from .. import core
from ..findings import Unreadable, unreadable
from ..workers import processes
from .evaluate import Candidate, Outcomes, Work
from .results import Results

Advance = Callable[[int], None]
_MOST = 8
"""Candidates of a chunk: what is lost at most of each worker where it ends."""
_POLL_SECONDS = 0.02
_SECONDS = 60


def on_processors(
    work: Work,
    candidates: Sequence[Candidate],
    results: Results,
    advance: Advance,
    jobs: int | None = None,
) -> None:
    """Evaluates candidates and adds them to the results. jobs: None: one for each processor.

    Uses threads if the compiled core does the work, otherwise processes. Raises Unreadable if a
    process dies.
    """
    chunks = _chunks(work, candidates, jobs or core.processors())
    workers = min(jobs or core.processors(), len(chunks))
    if workers < 2:
        for chunk in chunks:
            results.add(evaluate(work, chunk))
            advance(len(chunk))
        return
    try:
        with _threads(workers) if work.fast else processes(workers) as pool:
            futures = {pool.submit(evaluate, work, chunk): len(chunk) for chunk in chunks}
            for future in as_completed(futures):
                results.add(future.result())
                advance(futures[future])
    except BrokenProcessPool:
        raise _stopped("a process died", "this machine", results) from None


@contextmanager
def _threads(count: int) -> Iterator[Executor]:
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class Cluster:
    """Evaluates candidates on a Dask cluster; the shared input is sent once.

    Raises Unreadable if the scheduler or the workers die.
    """

    def __init__(self, client: Any, work: Work) -> None:
        self._client, self._work = client, work
        self._address = str(client.scheduler.address)
        self._given: Any = None

    def evaluate(self, candidates: Sequence[Candidate], results: Results, advance: Advance) -> None:
        client, chunks = self._client, _chunks(self._work, candidates, 1)
        if not chunks:
            return
        waiting: dict[Any, int] = {}
        try:
            if self._given is None:
                # a unique name: under a name derived from its content, Dask may release it early
                self._given = client.scatter(self._work, broadcast=True, hash=False)
            for chunk in chunks:
                future = client.submit(evaluate, self._given, chunk, pure=False)
                waiting[future] = len(chunk)
            while waiting:
                self._gather(waiting, results, advance)
        except (OSError, TimeoutError) as error:
            why = str(error) or type(error).__name__
            raise _stopped(why, self._address, results) from None
        finally:
            if waiting and client.status == "running":
                client.cancel(list(waiting))

    def _gather(self, waiting: dict[Any, int], results: Results, advance: Advance) -> None:
        """Adds the results that are finished."""
        done = [future for future in waiting if future.done()]
        for future in done:
            if future.status == "error":
                error = future.exception()
                if not _died(error):
                    raise error
                raise _stopped(f"{type(error).__name__}: {error}"[:200], self._address, results)
            if future.status != "finished":
                raise _stopped(f"work that is {future.status}", self._address, results)
            results.add(future.result(timeout=_SECONDS))
            advance(waiting.pop(future))
        if not done:
            if self._client.status != "running":
                why = f"a connection that is {self._client.status}"
                raise _stopped(why, self._address, results)
            time.sleep(_POLL_SECONDS)


def evaluate(work: Work, candidates: Sequence[Candidate]) -> list[Outcomes]:
    """Evaluates one chunk of candidates."""
    return work.evaluate(candidates)


def _chunks(work: Work, candidates: Sequence[Candidate], workers: int) -> list[Sequence[Candidate]]:
    """Chunks of at most _MOST, so that workers are done at about the same time."""
    size = max(work.together, min(len(candidates) // (2 * workers), _MOST))
    return [candidates[at : at + size] for at in range(0, len(candidates), size)]


def _died(error: BaseException | None) -> bool:
    """Whether the error means that the cluster failed, not the evaluation."""
    return type(error).__module__.startswith(("distributed", "asyncio", "concurrent"))


def _stopped(why: str, where: str, results: Results) -> Unreadable:
    kept = f"{results.count} results are kept"
    if results.path is not None and results.count:
        kept += f" in {results.path}; the same command line goes on from there"
    message = f"expected candidates to be evaluated, found: {why}; {kept}"
    return unreadable(where, message)
