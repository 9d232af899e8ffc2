"""Evaluation of candidates on all processors of this machine, or on a Dask cluster.

Each result is stored as soon as it is there, so an interruption loses only unfinished candidates.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...base.model.findings import Unreadable, unreadable
from ...base.pool import Died, Gone, Job, Pool
from ...base.workers import processes
from ...tables.linux.governors import core
from .evaluate import Candidate, Outcomes, Work
from .results import Results

if TYPE_CHECKING:
    from ...base.cluster import DaskCluster

Advance = Callable[[int], None]
_UNDER_WAY = 256
"""Chunks that are given to a pool at once: each is kept with all that it needs."""
_MOST, _MOST_OF_THREAD = 8, 32
"""Candidates of a chunk: what a worker that ends loses at most; threads do not end."""


def on_processors(
    work: Work,
    candidates: Sequence[Candidate],
    results: Results,
    advance: Advance,
    jobs: int | None = None,
) -> None:
    """Evaluates candidates and adds them to the results. jobs: None: one for each processor.

    Uses threads if the compiled core does the work, otherwise processes. Raises Unreadable if a
    process dies twice on a candidate.
    """
    most = _MOST_OF_THREAD if work.fast else _MOST
    chunks = _chunks(work, candidates, jobs or core.processors(), most)
    workers = min(jobs or core.processors(), len(chunks))
    if workers < 2:
        for chunk in chunks:
            results.add(evaluate(work, chunk))
            advance(len(chunk))
        return
    if not work.fast:
        with processes(workers) as pool:
            _spread(pool, work, chunks, results, advance, "this machine")
        return
    with _threads(workers) as threads:
        futures = {threads.submit(evaluate, work, chunk): len(chunk) for chunk in chunks}
        for future in as_completed(futures):
            results.add(future.result())
            advance(futures[future])


def on_cluster(
    cluster: "DaskCluster",
    given: Any,
    work: Work,
    candidates: Sequence[Candidate],
    results: Results,
    advance: Advance,
) -> None:
    """Evaluates candidates on a Dask cluster. given: the work, as the cluster has sent it. Raises
    Unreadable if the scheduler or the workers die."""
    _spread(cluster, given, _chunks(work, candidates, 1), results, advance, cluster.address)


def _spread(
    pool: Pool,
    work: Any,
    chunks: Sequence[Sequence[Candidate]],
    results: Results,
    advance: Advance,
    where: str,
) -> None:
    """Evaluates chunks and adds what they give to the results as it comes. The candidates of a
    chunk whose process dies are each tried once more."""
    left = iter(chunks)
    waiting: dict[Job, Sequence[Candidate]] = {}
    again: set[Job] = set()
    while True:
        for chunk in islice(left, max(0, _UNDER_WAY - len(waiting))):
            waiting[pool.submit(evaluate, work, chunk)] = chunk
        if not waiting:
            return
        for task in pool.finished(waiting):
            chunk = waiting.pop(task)
            try:
                found = task.result()
            except Gone as error:
                raise _stopped(str(error), where, results) from None
            except Died as error:
                if task in again:
                    raise _stopped(f"a process died, twice: {error}", where, results) from None
                alone = {pool.submit(evaluate, work, [each]): [each] for each in chunk}
                again.update(alone)
                waiting.update(alone)
            else:
                results.add(found)
                advance(len(chunk))


@contextmanager
def _threads(count: int) -> Iterator[Executor]:
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def evaluate(work: Work, candidates: Sequence[Candidate]) -> list[Outcomes]:
    """Evaluates one chunk of candidates."""
    return work.evaluate(candidates)


def _chunks(
    work: Work, candidates: Sequence[Candidate], workers: int, most: int = _MOST
) -> list[Sequence[Candidate]]:
    """Chunks of at most `most`, so that workers are done at about the same time."""
    size = max(work.together, min(len(candidates) // (2 * workers), most))
    return [candidates[at : at + size] for at in range(0, len(candidates), size)]


def _stopped(why: str, where: str, results: Results) -> Unreadable:
    kept = f"{results.count} results are kept"
    if results.path is not None and results.count:
        kept += f" in {results.path}; the same command line continues from there"
    message = f"expected candidates to be evaluated, found: {why}; {kept}"
    return unreadable(where, message)
