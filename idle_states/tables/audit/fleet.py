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

from ...base.dataclass import replace
from ...base.model.findings import INTERNAL_ERROR, Finding, Location, Severity, unreadable
from ...base.pool import Died, Gone, Job, Pool
from ...base.reading.opening import Found
from ..devicetree.source_trees import keep_on, keeping
from .alike import Auditor
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
    few, waiting, setting = _begun(paths, setting)
    workers = len(os.sched_getaffinity(0)) if workers is None else workers
    if len(few) < FEW or workers < 2:
        with keeping(), _new_auditor(setting) as auditor:
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
    few, waiting, setting = _begun(paths, setting)
    yield from _spread(
        cluster, chain(few, waiting), setting, CLUSTER_CHUNK, _UNDER_WAY * 16, _audit_chunk
    )


def _begun(
    paths: Iterable[Path | Found], setting: Setting
) -> tuple[list[Path | Found], Iterator[Path | Found], Setting]:
    """The first paths, the others, and the setting: of few inputs each may get a page, for which
    everything is wanted."""
    waiting = iter(paths)
    few = list(islice(waiting, FEW))
    everything = setting.everything or len(few) < FEW
    return few, waiting, replace(setting, everything=everything)


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
            results: Iterable[Sequence[Audited]] = task.result()
        except (Died, Gone):
            alone: Iterable[Job] = (pool.submit(each, _sent([path], setting)) for path in chunk)
            tasks = list(alone) if pool.apart else alone
            results = (_result(path, one, setting) for path, one in zip(chunk, tasks, strict=True))
        yield from results


def _result(path: Path | Found, task: Job, setting: Setting) -> Sequence[Audited]:
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
    found: Sequence[Audited] = result
    return found


_Results = list[Sequence[Audited]]


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
        return [auditor.audit(path) for path in paths]


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
    return _new_auditor(setting)


def _new_auditor(setting: Setting) -> Auditor:
    if setting.everything or not setting.text:
        return Auditor(setting)
    from .said_json import writer

    return Auditor(setting, writer(setting.text))
