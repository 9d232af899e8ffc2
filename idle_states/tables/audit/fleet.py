"""Audits inputs in several processes.

Results come in the order of the inputs. Memory does not grow with the number of inputs: results are
passed on at once, and the number of inputs under way is limited. An input whose process ends is
audited once more in a chunk of its own, and is a finding if that process ends, too.
"""

import gc
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from ...base.model.findings import INTERNAL_ERROR, Finding, Location, Severity, unreadable
from ...base.pool import Died, Gone, Job, Pool
from ...base.reading.opening import Found
from ..devicetree.source_trees import keep_on, keeping
from .alike import Alike, Auditor, Own
from .audit import Setting, unread
from .audited import NOT_LOOKED_AT, Audited

CHUNK, CLUSTER_CHUNK = 64, 512
"""Number of inputs given to a process at a time: of this machine, and of a cluster, where handing
out one chunk takes as long as auditing a hundred trees."""
FEW = 128
"""Up to this many inputs are audited in this process: starting others would take longer."""
_GC_THRESHOLD = 100_000
"""How many more objects than before a worker of many may have until it looks for cycles."""
_UNDER_WAY = 4
"""Number of chunks that may wait for each worker."""


def audit_all(
    paths: Iterable[Path | Found], setting: Setting, workers: int | None = None
) -> Iterator[Sequence[Audited]]:
    """Audits each path, in order. workers: number of processes; None: one for each CPU."""
    waiting = iter(paths)
    few = list(islice(waiting, FEW))
    workers = len(os.sched_getaffinity(0)) if workers is None else workers
    if len(few) < FEW or workers < 2:
        with keeping(), Auditor(setting) as auditor:
            for path in chain(few, waiting):
                yield auditor.audit(path)
        return
    from ...base.workers import processes

    # what this imports and reads, processes begin with that are forked
    with keeping(), _auditor(setting) as auditor:
        yield auditor.audit(few[0])
    with processes(workers) as pool:
        each = _audit_chunk_of_many
        paths = chain(few[1:], waiting)
        yield from _spread(pool, paths, setting, CHUNK, workers * _UNDER_WAY, each)


def audit_on(
    cluster: Pool, paths: Iterable[Path | Found], setting: Setting
) -> Iterator[Sequence[Audited]]:
    """Audits each path, in order, on a Dask cluster whose workers see the files under the same
    paths. If the cluster goes away, the inputs that are left are findings."""
    yield from _spread(cluster, paths, setting, CLUSTER_CHUNK, _UNDER_WAY * 16, _audit_chunk)


def _spread(
    pool: Pool,
    paths: Iterable[Path | Found],
    setting: Setting,
    size: int,
    limit: int,
    each: Callable[[bytes], "_Results"],
) -> Iterator[Sequence[Audited]]:
    """size: inputs of a chunk; limit: chunks that may be under way; each: audits a chunk."""
    waiting = iter(paths)
    running: deque[tuple[list[Path | Found], Job]] = deque()
    while True:
        while len(running) < limit and (chunk := list(islice(waiting, size))):
            running.append((chunk, pool.submit(each, _sent(chunk, setting))))
        if not running:
            return
        chunk, task = running.popleft()
        try:
            results = iter(task.result())
        except (Died, Gone):
            alone: Iterable[Job] = (pool.submit(each, _sent([path], setting)) for path in chunk)
            tasks = list(alone) if pool.apart else alone
            results = (_result(path, one, setting) for path, one in zip(chunk, tasks, strict=True))
        for path, found in zip(chunk, results, strict=True):
            if isinstance(found, tuple):
                common, sha256, serial = found
                yield Alike(common, path.as_posix(), sha256, serial)
            else:
                yield found


def _result(path: Path | Found, task: Job, setting: Setting) -> "_Result":
    """The audit of an input that is a chunk of its own."""
    where = Location(file=path.as_posix())
    try:
        (result,) = task.result()
    except Died as error:
        message = (
            f"the tool failed on it, twice: {error}; audit it by itself, with more memory or time, "
            "and report it with the input"
        )
        finding = Finding(INTERNAL_ERROR, "internal-error", Severity.ERROR, message, where)
        return unread(path, setting, [finding])
    except Gone as error:
        missed = unreadable(where, f"not looked at: {error}; audit it again")
        return unread(path, setting, missed.findings, NOT_LOOKED_AT)
    found: _Result = result
    return found


_Result = Sequence[Audited] | Own
_Results = list[_Result]
"""The results of a chunk as a process sends them: of an input that is alike others, what is its
own."""


def _sent(paths: list[Path | Found], setting: Setting) -> bytes:
    """What a process is given, for `_audited`, as bytes: Dask looks through all else. Of inputs
    below one directory their names."""
    top = paths[0].top if isinstance(paths[0], Found) else None
    inner = [path.inner for path in paths if isinstance(path, Found) and path.top is top]
    of_top = top is not None and len(inner) == len(paths)
    return pickle.dumps((setting, top, inner) if of_top else (setting, None, paths))


def _audited(sent: bytes) -> _Results:
    """Audits the chunk that `_sent` packed."""
    setting, top, given = pickle.loads(sent)
    paths = given if top is None else (Found(top, inner) for inner in given)
    with _auditor(setting) as auditor:
        results = (auditor.audit(path) for path in paths)
        return [found.own if isinstance(found, Alike) else found for found in results]


def _audit_chunk_of_many(sent: bytes) -> _Results:
    """Audits a chunk in a process that ends with the run: what inputs share is kept until then."""
    keep_on()
    # what boards share lives as long as the process: looking for cycles in it frees nothing
    gc.set_threshold(_GC_THRESHOLD, 50, 50)
    return _audited(sent)


def _audit_chunk(sent: bytes) -> _Results:
    """Audits a chunk in a process that outlives the run: what inputs share is kept for the
    chunk."""
    with keeping():
        return _audited(sent)


@lru_cache(1)
def _auditor(setting: Setting) -> Auditor:
    """Of the run that this process works for."""
    return Auditor(setting)
