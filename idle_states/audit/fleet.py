"""Audits inputs in several processes, and summarises the results.

Results come in the order of the inputs. Memory does not grow with the number of inputs: results are
passed on at once, and the number of inputs under way is limited.
"""

import gc
import os
import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from ..dataclass import dataclass, field
from ..devicetree.source_trees import keep_on, keeping
from ..findings import Finding, Severity
from ..reading.opening import Found
from .alike import Alike, Auditor, Common, Own
from .audit import Setting
from .audited import Audited

CHUNK, CLUSTER_CHUNK = 64, 512
"""Number of inputs given to a process at a time: of this machine, and of a cluster, where handing
out one chunk takes as long as auditing a hundred trees."""
FEW = 128
"""Up to this many inputs are audited in this process: starting others would take longer."""
_GC_THRESHOLD = 100_000
"""How many more objects than before a worker of many may have until it looks for cycles."""
_UNDER_WAY = 4
"""Number of chunks that may wait for each worker."""


class Executor(Protocol):
    """What a pool of processes and a Dask client have in common: submit() returns a future, which
    has result() and cancel()."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any: ...


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
    from ..workers import processes

    # what this imports and reads, processes begin with that are forked
    with keeping(), _auditor(setting) as auditor:
        yield auditor.audit(few[0])
    with processes(workers) as pool:
        each = _audit_chunk_of_many
        paths = chain(few[1:], waiting)
        yield from _spread(pool, paths, setting, CHUNK, workers * _UNDER_WAY, each)


def audit_on(
    client: Executor, paths: Iterable[Path | Found], setting: Setting
) -> Iterator[Sequence[Audited]]:
    """Audits each path, in order, on a Dask cluster whose workers see the files under the same
    paths."""
    yield from _spread(client, paths, setting, CLUSTER_CHUNK, _UNDER_WAY * 16, _audit_chunk)


def _spread(
    pool: Executor,
    paths: Iterable[Path | Found],
    setting: Setting,
    size: int,
    limit: int,
    each: Callable[[bytes], "_Results"],
) -> Iterator[Sequence[Audited]]:
    """size: inputs of a chunk; limit: chunks that may be under way; each: audits a chunk."""
    waiting = iter(paths)
    running: deque[tuple[list[Path | Found], Any]] = deque()
    try:
        while True:
            while len(running) < limit and (chunk := list(islice(waiting, size))):
                running.append((chunk, pool.submit(each, _sent(chunk, setting))))
            if not running:
                return
            chunk, future = running.popleft()
            for path, found in zip(chunk, future.result(), strict=True):
                if isinstance(found, tuple):
                    common, sha256, serial = found
                    yield Alike(common, path.as_posix(), sha256, serial)
                else:
                    yield found
    finally:
        for _, future in running:
            future.cancel()


_Results = list[Sequence[Audited] | Own]
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
    setting, top, given = pickle.loads(sent)
    paths = given if top is None else (Found(top, inner) for inner in given)
    with _auditor(setting) as auditor:
        results = (auditor.audit(path) for path in paths)
        return [found.own if isinstance(found, Alike) else found for found in results]


def _audit_chunk_of_many(sent: bytes) -> _Results:
    """The same in a process that ends with the run, and keeps what inputs share until then."""
    keep_on()
    # what boards share lives as long as the process: looking for cycles in it frees nothing
    gc.set_threshold(_GC_THRESHOLD, 50, 50)
    return _audited(sent)


def _audit_chunk(sent: bytes) -> _Results:
    with keeping():
        return _audited(sent)


@lru_cache(1)
def _auditor(setting: Setting) -> Auditor:
    """Of the run that this process works for."""
    return Auditor(setting)


@dataclass(slots=True)
class TableGroup:
    """Tables that are equal in every value.

    cpu       generation, or what the first CPU is compatible with
    examples  the first files, by name
    boards    of trees of sources, all that have the table
    """

    fingerprint: str
    cpu: str
    nearest: str | None
    states: tuple[str, ...]
    differences: tuple[str, ...]
    count: int = 0
    examples: list[str] = field(default_factory=list)
    boards: list[str] = field(default_factory=list)


RuleFound = tuple[str, str, str]
"""(rule, name, severity)"""
Outcomes = list[tuple[tuple[str, str], str]]
"""((tool, test), "passed", "skipped" or "failed")"""


@dataclass(slots=True)
class FleetSummary:
    """A summary of many audits, built up one input at a time.

    found     (rule, name, severity) -> number of inputs with such a finding
    placed    of trees of sources, (severity, file, line, rule, message) -> number of boards
    verdicts  (tool, test) -> numbers of inputs that pass, fail, or are not tested
    """

    inputs: int = 0
    tables: int = 0
    unreadable: list[str] = field(default_factory=list)
    unreadable_count: int = 0
    without_table: int = 0
    groups: dict[str, TableGroup] = field(default_factory=dict)
    found: Counter[RuleFound] = field(default_factory=Counter)
    placed: Counter[tuple[str, str, int, str, str]] = field(default_factory=Counter)
    verdicts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    _counted: WeakKeyDictionary[Common, tuple[set[RuleFound], Outcomes]] = field(
        default_factory=WeakKeyDictionary, repr=False, compare=False
    )

    def found_worst_first(self) -> list[tuple[RuleFound, int]]:
        """`found` by severity, and of one severity the most frequent first."""

        def order(item: tuple[RuleFound, int]) -> tuple[int, int, str]:
            (rule, _, severity), count = item
            return -Severity[severity.upper()], -count, rule

        return sorted(self.found.items(), key=order)

    def add(self, results: Sequence[Audited]) -> None:
        """Adds the audits of one input's tables."""
        self.inputs += 1
        if isinstance(results, Alike):
            common = results.common.audited
            counted = self._counted.get(results.common)
            if counted is None:
                counted = self._counted[results.common] = _rules([common]), _outcomes(common)
            rules, outcomes = counted
            self._add_verdicts(outcomes)
            self._add_table(common, results.file)
            self.found.update(rules)
            return
        for audited in results:
            self._add(audited)
        self.found.update(_rules(results))
        if any(audited.alike for audited in results):
            self.placed.update({_placed(f) for one in results for f in one.findings if f.counts})

    def _add(self, audited: Audited) -> None:
        if audited.unreadable:
            self.unreadable_count += 1
            if len(self.unreadable) < 10:
                self.unreadable.append(f"{audited.file}: {audited.findings[0].message}")
            return
        self._add_verdicts(_outcomes(audited))
        if audited.table:
            self._add_table(audited, audited.file)
        else:
            self.without_table += 1

    def _add_verdicts(self, outcomes: Outcomes) -> None:
        for test, outcome in outcomes:
            if test not in self.verdicts:
                self.verdicts[test] = Counter()
            self.verdicts[test][outcome] += 1

    def _add_table(self, audited: Audited, file: str) -> None:
        self.tables += 1
        group = self.groups.get(audited.fingerprint)
        if group is None:
            group = self.groups[audited.fingerprint] = TableGroup(
                audited.fingerprint,
                audited.cpu or (audited.machine.processor if audited.machine else ""),
                audited.nearest,
                audited.states,
                audited.differences,
            )
        group.count += 1
        if len(group.examples) < 3:
            group.examples.append(file)
        if audited.alike and file not in group.boards[-1:]:
            group.boards.append(file)

    @property
    def worst(self) -> Severity | None:
        """Highest severity of all inputs' findings, None if there are none."""
        return max((Severity[severity.upper()] for _, _, severity in self.found), default=None)

    def sorted_groups(self) -> list[TableGroup]:
        """The groups, sorted by processor, of each processor the largest first."""
        return sorted(
            self.groups.values(), key=lambda group: (group.cpu, -group.count, group.examples)
        )

    def outliers(self) -> list[TableGroup]:
        """Groups with at most 1/20 of their processor's tables, where another group has half."""
        total: Counter[str] = Counter()
        largest: Counter[str] = Counter()
        for group in self.groups.values():
            total[group.cpu] += group.count
            largest[group.cpu] = max(largest[group.cpu], group.count)
        return [
            group
            for group in self.sorted_groups()
            if group.count * 20 <= total[group.cpu] <= 2 * largest[group.cpu]
        ]


def _rules(results: Iterable[Audited]) -> set[RuleFound]:
    return {
        (finding.rule, finding.name, str(finding.severity))
        for audited in results
        for finding in audited.findings
        if finding.counts
    }


def _outcomes(audited: Audited) -> Outcomes:
    return [
        (
            (verdict.tool, verdict.test),
            "passed" if verdict.passed else "skipped" if verdict.skipped else "failed",
        )
        for verdict in audited.verdicts
    ]


def _placed(finding: Finding) -> tuple[str, str, int, str, str]:
    where = finding.location
    severity = str(finding.severity)
    return severity, where.file or "", where.line or 0, finding.rule, finding.message
