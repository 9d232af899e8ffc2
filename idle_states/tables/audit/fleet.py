"""Audits inputs in several processes.

Results come in the order of the inputs. Memory does not grow with the number of inputs: results are
passed on at once, and the number of inputs under way is limited. An input whose process ends is
audited once more in a chunk of its own, and is a finding if that process ends, too.
"""

import gc
import os
import pickle
import time
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
from .brief import Brief

CHUNK, CLUSTER_CHUNK = 64, 512
"""The most inputs given to a process at a time: of this machine, and of a cluster, where handing
out one chunk takes as long as auditing a hundred trees."""
_SECONDS = 0.5
"""The time that a chunk should take."""
FEW = 128
"""Up to this many inputs are audited in this process: starting others would take longer."""
_GC_THRESHOLD = 100_000
"""The number of objects more than before that a worker of many may have until it looks for
cycles."""
_Input = Path | Found | Brief
"""An input, or what is known of it from an earlier run."""
_UNDER_WAY = 4
"""Number of chunks that may wait for each worker."""


def audit_all(
    paths: Iterable[_Input], setting: Setting, workers: int | None = None
) -> Iterator[Sequence[Audited]]:
    """Audits each path, in order. workers: number of processes; None: one for each CPU."""
    paths, many, setting = _begun(paths, setting)
    workers = len(os.sched_getaffinity(0)) if workers is None else workers
    if not many or workers < 2:
        with keeping(), _new_auditor(setting) as auditor:
            for path in paths:
                yield path if isinstance(path, Brief) else auditor.audit(path)
        return
    from ...base.workers import processes

    packed = pickle.dumps(setting)
    # what this imports and reads, processes begin with that are forked
    with keeping(), _auditor(packed) as auditor:
        first = next(paths)
        yield first if isinstance(first, Brief) else auditor.audit(first)
    with processes(workers) as pool:
        each = _audit_chunk_of_many
        yield from _spread(pool, paths, setting, CHUNK, workers * _UNDER_WAY, each)


def audit_on(
    cluster: Pool, paths: Iterable[_Input], setting: Setting
) -> Iterator[Sequence[Audited]]:
    """Audits each path, in order, on a Dask cluster whose workers see the files under the same
    paths. If the cluster goes away, the inputs that are left are findings."""
    paths, _, setting = _begun(paths, setting)
    yield from _spread(cluster, paths, setting, CLUSTER_CHUNK, _UNDER_WAY * 16, _audit_chunk)


def _begun(paths: Iterable[_Input], setting: Setting) -> tuple[Iterator[_Input], bool, Setting]:
    """The paths, whether there are many, and the setting: of few each may get a page, for which
    everything is wanted."""
    waiting = iter(paths)
    few = list(islice(waiting, FEW))
    many = len(few) == FEW
    if not many:
        setting = replace(setting, everything=True, sources=True)
    return chain(few, waiting), many, setting


def _spread(
    pool: Pool,
    paths: Iterator[_Input],
    setting: Setting,
    most: int,
    limit: int,
    each: Callable[[bytes, bytes], "_Results"],
) -> Iterator[Sequence[Audited]]:
    """most: inputs of a chunk; limit: chunks that may be under way; each: audits a chunk."""
    packed, size = pickle.dumps(setting), min(most, CHUNK)
    running: deque[tuple[list[_Input], list[Path | Found], Job | None]] = deque()
    while True:
        while len(running) < limit and (chunk := list(islice(paths, size))):
            new = [path for path in chunk if not isinstance(path, Brief)]
            task = pool.submit(each, packed, _sent(new)) if new else None
            running.append((chunk, new, task))
        if not running:
            return
        chunk, new, task = running.popleft()
        results: Iterable[Sequence[Audited]] = ()
        try:
            if task:
                seconds, pickled = task.result()
                results = pickle.loads(pickled)
                size = max(1, min(most, 4 * len(new), int(len(new) * _SECONDS / seconds)))
        except (Died, Gone):
            alone: Iterable[Job] = (pool.submit(each, packed, _sent([path])) for path in new)
            tasks = list(alone) if pool.apart else alone
            results = (_result(path, one, setting) for path, one in zip(new, tasks, strict=True))
        found = iter(results)
        yield from (path if isinstance(path, Brief) else next(found) for path in chunk)


def _result(path: Path | Found, task: Job, setting: Setting) -> Sequence[Audited]:
    """The audit of an input that is a chunk of its own."""
    where = Location(file=path.as_posix())
    try:
        found: list[Sequence[Audited]] = pickle.loads(task.result()[1])
        return found[0]
    except Died as error:
        message = (
            f"the tool failed on it, twice: {error}; audit it alone, with more memory or time, "
            "and report it with the input"
        )
        finding = Finding(INTERNAL_ERROR, "internal-error", Severity.ERROR, message, where)
        return unread(path, setting, [finding])
    except Gone as error:
        missed = unreadable(where, f"not audited: {error}; audit it again")
        return unread(path, setting, missed.findings, NOT_LOOKED_AT)


_Results = tuple[float, bytes]
"""Seconds that a chunk took, and its audits, as bytes: Dask looks through all else."""


def _sent(paths: list[Path | Found]) -> bytes:
    """Returns the argument of `_audited` for a process, as bytes. Of inputs below one directory
    their names."""
    top = paths[0].top if isinstance(paths[0], Found) else None
    inner = [path.inner for path in paths if isinstance(path, Found) and path.top is top]
    of_top = top is not None and len(inner) == len(paths)
    return pickle.dumps((top, inner) if of_top else (None, paths))


def _audited(setting: bytes, sent: bytes) -> _Results:
    """Audits the chunk that `_sent` packed."""
    begun = time.perf_counter()
    top, given = pickle.loads(sent)
    paths = given if top is None else (Found(top, inner) for inner in given)
    with _auditor(setting) as auditor:
        found = pickle.dumps([auditor.audit(path) for path in paths])
    return time.perf_counter() - begun, found


def _audit_chunk_of_many(setting: bytes, sent: bytes) -> _Results:
    """Audits a chunk in a process that ends with the run: what inputs share is kept until then."""
    keep_on()
    # what boards share lives as long as the process: looking for cycles in it frees nothing
    gc.set_threshold(_GC_THRESHOLD, 50, 50)
    return _audited(setting, sent)


def _audit_chunk(setting: bytes, sent: bytes) -> _Results:
    """Audits a chunk in a process that outlives the run: what inputs share is kept for the
    chunk."""
    with keeping():
        return _audited(setting, sent)


@lru_cache(1)
def _auditor(setting: bytes) -> Auditor:
    """Returns the auditor of this process's run. setting: packed, so that it is unpacked once."""
    return _new_auditor(pickle.loads(setting))


def _new_auditor(setting: Setting) -> Auditor:
    if setting.everything or not setting.text:
        return Auditor(setting)
    from .json_report import writer

    return Auditor(setting, writer(setting.text, setting))
