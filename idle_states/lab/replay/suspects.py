"""The search for another table, kernel, HZ or governor, where few of a recording's decisions agree.

First one thing is changed: the kernel, the table, HZ, the governor, or all that the recording's
head says. Then packaged tables and kernels are tried together, and at last with other governors.
All are held to the same few CPUs, from the recording's beginning, so that the work has a bound.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import ceil
from typing import Annotated

from ...base.dataclass import dataclass, replace
from ...base.model.forms import Count, Positive
from ...base.wording import plural
from ...tables.linux.governors import core, governor_names, known_in
from ...tables.linux.governors.identify import Identification, features_in, identify
from ...tables.linux.platforms import firmware_of
from ...tables.linux.releases import Release, UnknownRelease, distinct_releases
from ...tables.linux.request_parts import GovernorRequest, NamedGovernor
from ...tables.pipeline import Subject
from ...tables.skiboot.platform import PRESETS
from ...tables.sources import read_table
from ...tables.spec.library import packaged
from ..traces.head import RecordingHead
from .agreement import ENOUGH
from .basis import Basis, machine_of
from .machine import CpuTable, TracedMachine, from_driver
from .sample import Sample

LESS = 10
"""A candidate that fits leaves, of the decisions that do not agree as asked, fewer than one in so
many."""
HZS = (100, 250, 300, 1000)
OWN = "the recording's own"
HALTPOLL = "haltpoll"
SHOWN = 3
"""Kernels or tables named in a sentence."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """The table, kernel, HZ and governor that the sample agrees with."""

    changed: Annotated[
        tuple[str, ...],
        "Names of the settings that differ from the request: governor, kernel, hz, table.",
    ]
    kernels: Annotated[tuple[str, ...], "Releases that fit alike, the likeliest first."]
    tables: Annotated[
        tuple[str, ...],
        "Packaged tables that fit alike, a machine in brackets, or the recording's own; empty: the "
        "states are those asked for.",
    ]
    governor: Annotated[str, "The governor."]
    hz: Annotated[Positive, "The kernel's HZ."]
    agree: Annotated[Count, "Decisions of the sample that agree."]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """The reasons to suspect a wrong table or kernel."""

    agree: Annotated[
        Count | None, "Decisions of the sample that agree as asked; null: the table lacks a state."
    ]
    sample: Annotated[Count, "Decisions that were tried."]
    tried: Annotated[Count, "Combinations of table, kernel, HZ and governor that were tried."]
    fitting: Annotated[Fitting | None, "The combination that fits; null if none does."]
    nearest: Annotated[
        Identification | None,
        "The kernels nearest to the recording, with the table as given, and the features in which "
        "it differs; null where one fits or none comes near.",
    ] = None

    @property
    def words(self) -> Annotated[str, "The same as a sentence."]:
        fit = self.fitting
        if fit is None:
            return (
                "few decisions agree; another table, kernel, HZ or governor is suspected, but none "
                f"of {self.tried} combinations fits{self._near()}"
            )
        named = {
            "kernel": f"Linux {_some(fit.kernels)}",
            "table": f"{OWN} states" if OWN in fit.tables else f"table {_some(fit.tables)}",
            "hz": f"HZ {fit.hz}",
            "governor": f"governor {fit.governor}",
        }
        other = " and ".join(named[each] for each in fit.changed)
        so = "" if self.agree is None else f", {self.agree} as asked"
        return f"suspected: {other}, with which {fit.agree} of {self.sample} decisions agree{so}"

    def _near(self) -> str:
        if self.nearest is None:
            return ""
        best, total = self.nearest.nearest[0], self.nearest.decisions
        text = (
            f"; {best.governor} of Linux {_some(best.kernels)} comes nearest ({best.agree} of "
            f"{total} decisions)"
        )
        changed = [f"{each.feature} {each.value}" for each in self.nearest.differs]
        if not changed:
            return text
        return f"{text}, and with {', '.join(changed)} {self.nearest.differs[-1].agree} agree"


def _some(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return " or ".join([*names[:SHOWN], *([plural(more, "other")] if more > 0 else [])])


@dataclass(frozen=True, slots=True)
class _Candidate:
    """kernel: its name; table: a packaged one's, "" for the states asked for."""

    by: Basis
    kernel: str = ""
    table: str = ""


def suspicion(
    sample: Sample,
    by: Basis,
    of: GovernorRequest | NamedGovernor,
    head: RecordingHead | None = None,
) -> Suspicion | None:
    """Returns the suspicion against a basis; None if the sample agrees, or nothing of it is judged.

    of    what was named of the basis
    head  what the recording says
    """
    own, judged = sample.agreement(by), sample.judged(by.skip)
    if not judged or (own is not None and own >= ENOUGH * judged):
        return None
    least = ceil(ENOUGH * judged)
    if own is not None:
        least = max(least, judged - (judged - own - 1) // LESS)
    search, trials = _Search(by, of, head), _Trials(sample, least)
    found: list[tuple[int, _Candidate]] = []
    for stage in (search.single(), search.pairs(by.governor), *search.of_other_governors()):
        for candidate in stage:
            agree = trials.agreement(candidate.by)
            if agree is not None:
                found.append((agree, candidate))
        if found:
            break
    if found:
        return Suspicion(own, judged, trials.count, search.fitting(found))
    return Suspicion(own, judged, trials.count, None, _nearest(sample, by))


def _nearest(sample: Sample, by: Basis) -> Identification | None:
    """Returns which kernel's governor comes nearest with the table as asked; None where none comes
    near."""
    decided = sample.decided(by) if core.available() else []
    if not decided:
        return None
    found = identify("recording", decided, [name for name in governor_names() if name != HALTPOLL])
    return found if found.is_near else None


class _Trials:
    """Agreements of a sample with bases. Bases with the same features of a governor, HZ and states
    decide alike, and are tried once.

    least  fewer decisions that agree are not counted to the end
    """

    def __init__(self, sample: Sample, least: int) -> None:
        self._sample = sample
        self._least = least
        self._known: dict[object, int | None] = {}

    @property
    def count(self) -> int:
        return len(self._known)

    def agreement(self, by: Basis) -> int | None:
        """Decisions that agree; None if they are fewer than have to."""
        key = by.governor, features_in(by.governor, by.release), by.hz, by.machine.states
        if key not in self._known:
            self._known[key] = self._sample.agreement(by, self._least)
        return self._known[key]


class _Search:
    """The candidates that stand for what was asked, and what those that fit have in common."""

    def __init__(
        self, by: Basis, of: GovernorRequest | NamedGovernor, head: RecordingHead | None
    ) -> None:
        self._by = by
        self._of = of
        self._head = head
        self._releases = sorted(distinct_releases(), key=lambda each: each.version)
        self._alike2machine: dict[object, TracedMachine | None] = {}

    def single(self) -> Iterator[_Candidate]:
        """One thing changed, or all that the recording's head says."""
        by = self._by
        if self._head is not None:
            yield from self._of_head(self._head)
        yield from self._same_settings(by.governor)
        for machine in self._machines(by.release):
            yield _Candidate(replace(by, machine=machine), table=machine.name)
        for hz in HZS:
            yield _Candidate(replace(by, hz=hz))
        for governor in self._other_governors():
            if known_in(governor, by.release):
                yield _Candidate(replace(by, governor=governor))

    def pairs(self, governor: str) -> Iterator[_Candidate]:
        """Packaged tables under other kernels."""
        for kernel in self._kernels(governor):
            for machine in self._machines(kernel):
                by = replace(self._by, governor=governor, release=kernel, machine=machine)
                yield _Candidate(by, kernel.name, machine.name)

    def of_other_governors(self) -> Iterator[Iterator[_Candidate]]:
        """For each other governor, the states asked for under its kernels, then packaged tables."""
        for governor in self._other_governors():
            yield self._same_settings(governor)
        for governor in self._other_governors():
            yield self.pairs(governor)

    def _other_governors(self) -> Iterator[str]:
        # haltpoll depends on its module's parameters as well
        return (each for each in governor_names() if each not in (HALTPOLL, self._by.governor))

    def _same_settings(self, governor: str) -> Iterator[_Candidate]:
        for kernel in self._kernels(governor):
            machine = self._registered(kernel)
            if machine is not None:
                by = replace(self._by, governor=governor, release=kernel, machine=machine)
                yield _Candidate(by, kernel.name)

    def fitting(self, found: Sequence[tuple[int, _Candidate]]) -> Fitting:
        """Returns the candidates that agree most and, of these, change the fewest things."""
        best = max(agree for agree, _ in found)
        fit = [candidate for agree, candidate in found if agree == best]
        first = min(fit, key=lambda candidate: len(self._changed(candidate)))
        changed = self._changed(first)
        alike = [each for each in fit if self._changed(each) == changed]
        place = {each.name: number for number, each in enumerate(self._releases)}
        wanted = self._by.release
        near = sum(each.version <= wanted.version for each in self._releases)
        head = _kernel_of(self._head) if self._head else None
        own = head and head.name
        kernels = sorted(
            {each.kernel or each.by.release.name for each in alike},
            key=lambda name: (name != own, abs(place.get(name, 0) + 1 - near), name),
        )
        tables = dict.fromkeys(each.table for each in alike if each.table)
        by = first.by
        return Fitting(changed, tuple(kernels), tuple(tables), by.governor, by.hz, best)

    def _changed(self, candidate: _Candidate) -> tuple[str, ...]:
        by, wanted = candidate.by, self._by
        pairs = {
            "governor": (by.governor, wanted.governor),
            "kernel": (by.release.name, wanted.release.name),
            "hz": (by.hz, wanted.hz),
            "table": (candidate.table, ""),
        }
        return tuple(name for name, (a, b) in pairs.items() if a != b)

    def _of_head(self, head: RecordingHead) -> Iterator[_Candidate]:
        by = self._by
        kernel = _kernel_of(head) or by.release
        machine = by.machine
        table = ""
        if head.states and (self._of.table is not None or self._of.states is not None):
            machine, table = machine_of(head, OWN, kernel), OWN
        governor, hz = head.governor or by.governor, head.hz or by.hz
        if governor in governor_names() and known_in(governor, kernel):
            own = replace(by, governor=governor, release=kernel, hz=hz, machine=machine)
            yield _Candidate(own, kernel.name, table)

    def _kernels(self, governor: str) -> Iterator[Release]:
        return (each for each in self._releases if known_in(governor, each))

    def _registered(self, kernel: Release) -> TracedMachine | None:
        """The states asked for, as another kernel has them."""
        machine = self._by.machine
        if self._subject is not None:
            table = self._subject.linux(kernel)
            return self._machine(machine.name, from_driver(table)) if table.states else None
        if self._of.states is None and self._head is not None:
            return machine_of(self._head, machine.name, kernel, self._off)
        return machine

    def _machines(self, kernel: Release) -> Iterator[TracedMachine]:
        """Packaged tables as a kernel has them."""
        for name, subject in self._packaged:
            alike = name, subject.alike(kernel)
            if alike not in self._alike2machine:
                driver = subject.linux(kernel)
                made = self._machine(name, from_driver(driver)) if driver.states else None
                self._alike2machine[alike] = made
            machine = self._alike2machine[alike]
            if machine is not None:
                yield machine

    def _machine(self, name: str, table: CpuTable) -> TracedMachine:
        count = len(table.states)
        off = frozenset(number for number in self._off or () if number < count)
        return TracedMachine(name, replace(table, disabled=off), {})

    @cached_property
    def _off(self) -> frozenset[int] | None:
        return frozenset().union(*(table.disabled for table in self._by.machine.tables))

    @cached_property
    def _subject(self) -> Subject | None:
        """The TABLE asked for."""
        if self._of.table is None:
            return None
        source = read_table(self._of.table)
        return Subject.of(source, (), self._of.platform)

    @cached_property
    def _packaged(self) -> list[tuple[str, Subject]]:
        """Packaged tables, current ones first, on each machine that is known."""
        platforms = list(dict.fromkeys((firmware_of(self._of.platform), *PRESETS.values())))
        found: dict[object, tuple[str, Subject]] = {}
        for table in sorted(packaged(), key=lambda table: table.historical):
            for platform in platforms:
                subject = Subject(table, (), platform)
                name = table.name if platform is platforms[0] else f"{table.name} ({platform.name})"
                rows = tuple(
                    (row.latency_ns, row.residency_ns, row.flags)
                    for row in (table.states[index] for index in subject.exported_indices)
                )
                found.setdefault((rows, table.register, platform.stop_api), (name, subject))
        return list(found.values())


def _kernel_of(head: RecordingHead) -> Release | None:
    """The kernel that a head says, if it is modelled."""
    try:
        return head.kernel()
    except UnknownRelease:
        return None
