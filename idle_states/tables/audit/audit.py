"""audit: reports everything known about one input from the field.

The machine, what its firmware exports and what it withholds, the nearest packaged table, what
kernels register, the verdicts of fwts and op-test, and what the rules find.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import (
    Finding,
    Location,
    Rejected,
    UsageError,
    moved,
    sort_findings,
    unreadable,
)
from ...base.model.power_mgt import PowerMgt
from ...base.model.table import IdleTable
from ...base.reading.opening import Found
from ...base.reading.unexpected import one_of_several
from ..check.acceptance import Marking
from ..check.cannot_tell import expanded, over_ends
from ..check.criteria import Criteria
from ..devicetree.machine import MachineFacts, machine_of
from ..devicetree.tables import cpu_of
from ..devicetree.tree import Node
from ..identify import claim, drift
from ..linux.brackets import as_end
from ..linux.driver_table import DriverTable
from ..linux.grounds import driver_of, ground
from ..linux.intel_idle.origin import origin
from ..linux.platforms import firmware_of
from ..linux.releases import Release, running
from ..linux.request_parts import hz_of
from ..pipeline import Subject
from ..rules.catalogue import rule_of
from ..rules.engine import reading, run
from ..rules.rule import Verdict
from ..sources import Source, read_file
from ..sources.format_tar import CPUIDLE
from ..sources.source import File, with_processor_of
from . import fwts, op_test
from .audited import UNREADABLE, Audited, Registered, Selected
from .fwts import ToolVerdict
from .redact import redacted
from .running import Running, collected, compare_running
from .trees import TreeDifference, differences

Text = Literal["", "line", "document"]
"""JSON of an input: none, a line of JSON Lines, or its part of a document."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of a run, the same for every input.

    redact     whether to remove serial numbers and MAC addresses
    governor   governor whose selections are reported; "": none
    hz         the kernel's tick rate, for the governor
    against    device tree to compare each input's tree with
    accepted   marks the findings that the project has accepted
    everything  whether reports are made of whole audits; else of what `brief` leaves of each
    sources    whether reports show tables or quote texts that were read
    text       the JSON that reports have of each input
    """

    criteria: Criteria
    redact: bool = False
    governor: str = ""
    hz: int = 250
    against: Node | None = field(default=None, compare=False, repr=False)
    accepted: Marking | None = None
    everything: bool = True
    sources: bool = True
    text: Text = ""


def audit_path(
    where: Path | Found,
    setting: Setting,
    opened: File | None = None,
    sources: Callable[[File], list[Source]] = read_file,
) -> list[Audited]:
    """Audits each table of a file or directory. An input that cannot be read is one entry with
    findings that say why. opened: the file, if it was read; sources: reads its tables.

    One bad input among thousands does not end the run: an internal error is a finding (IS990).
    """
    shown = where.as_posix()
    digest = ""
    quoted: Source | None = None
    try:
        with one_of_several(shown):
            file = opened or File.open(where)
            digest = file.sha256 if file.data else ""
            specs = firmware_of(setting.criteria.platform).specs
            read = (with_processor_of(source, specs) for source in sources(file))
            results = [audit(source, setting) for source in read]
            results = _beside(results, file, setting)
            if setting.redact:
                return [redacted(audited, setting.against) for audited in results]
            return results
    except Rejected as error:
        findings = error.findings
        # no texts of what is to be redacted
        quoted = None if setting.redact else Source("", shown, digest, None, texts=error.texts)
    except UsageError as error:
        findings = unreadable(shown, str(error)).findings
    return unread(where, setting, findings, digest=digest, source=quoted)


def unread(
    where: Path | Found,
    setting: Setting,
    findings: Sequence[Finding],
    kind: str = UNREADABLE,
    *,
    digest: str = "",
    source: Source | None = None,
) -> list[Audited]:
    """The audit of an input of which nothing is known but findings that say why."""
    found = Audited(where.as_posix(), digest, "", kind, findings=tuple(findings), source=source)
    return [redacted(found, setting.against) if setting.redact else found]


def audit(source: Source, setting: Setting) -> Audited:
    """Audits one table. What depends on the table alone is computed once for equal tables."""
    machine = machine_of(source.tree) if source.tree is not None else None
    cpu = None
    own = reading(source, setting.criteria.rules)
    verdicts: tuple[ToolVerdict, ...] = ()
    if source.tree is not None and machine is not None and _is_opal(source, machine):
        cpu = cpu_of(source.tree)
        verdicts = (
            *fwts.verdicts(source.tree),
            *op_test.verdicts(source.tree, machine.pvr),
        )
    if source.table is None:
        return Audited(
            source.file,
            source.sha256,
            "",
            "tree" if source.tree is not None else "log" if source.facts else "none",
            machine,
            cpu=cpu.generation if cpu else "",
            verdicts=verdicts,
            facts=source.facts,
            against=_against(source, setting),
            findings=tuple(own),
            source=source,
        )
    known = _KNOWN.of(source, setting)
    return replace(
        known,
        file=source.file,
        sha256=source.sha256,
        machine=machine,
        verdicts=verdicts,
        findings=tuple(sort_findings([*own, *moved(known.findings, known.file, source.file)])),
        against=_against(source, setting),
        alike=source.alike,
        source=source,
    )


def _against(source: Source, setting: Setting) -> tuple[TreeDifference, ...] | None:
    if source.tree is None or setting.against is None:
        return None
    return tuple(differences(source.tree, setting.against))


def _beside(results: list[Audited], file: File, setting: Setting) -> list[Audited]:
    """The audits of a file's tables; of a collection with firmware's tables the first with what the
    running machine shows: why its states are not used, and how it differs from the model of its own
    kernel."""
    sources = [each.source for each in results if each.source and each.source.table is not None]
    forms = [source.table.origin.form for source in sources if source.table]
    # a dump of sysfs has these findings of its own
    if "sysfs" in forms or (found := collected(file)) is None:
        return results
    from ..rules.is427_to_430_use import RULES

    first, *others = results
    tables = [s.table for s in sources if s.table and s.table.origin.form in ("dt", "nodes")]
    release, rules = running(found.uname), setting.criteria.rules
    selected = [rule for rule in RULES if rules.takes(rule.code)]
    subjects = [subject_of(source, setting, ()) for source in found.states]
    more = [each for subject in subjects for rule in selected for each in rule.findings(subject)]
    if release is not None and tables:
        known = str(ground(release, driver_of(tables[0])))
        # what the machine shows tells which end of a kernel that is not known it is most like
        ends = [as_end(release, number) for number in range(len(release.ends))] or [release]
        drivers = ([subject_of(s, setting, (end,)).linux(end) for s in sources] for end in ends)
        opal = tables[0].origin.form == "dt"
        differences = min((compare_running(each, found, opal=opal) for each in drivers), key=len)
        name = " ".join(found.uname.split()[:3]) or "unknown"
        first = replace(first, running=Running(name, release.name, known, differences))
        if rules.takes("IS507"):
            where = Location(CPUIDLE, first.file)
            rule = rule_of("IS507").rule
            more += (rule.finding(Verdict(where, text), "") for text in differences)
    return [replace(first, findings=tuple(sort_findings([*first.findings, *more]))), *others]


def _is_opal(source: Source, machine: MachineFacts) -> bool:
    """Tells whether fwts and op-test would be run on the machine: not on Arm or RISC-V."""
    tree = source.tree
    known = source.node is not None or machine.pvr is not None
    return known or (tree is not None and tree.child("ibm,opal") is not None)


def subject_of(source: Source, setting: Setting, kernels: Sequence[Release]) -> Subject:
    criteria = setting.criteria
    thresholds = dict(criteria.rules.thresholds)
    return Subject.of(source, kernels, criteria.platform, thresholds=thresholds)


def _of_table(source: Source, setting: Setting) -> Audited:
    assert source.table is not None
    table, criteria = source.table, setting.criteria
    subject = subject_of(source, setting, expanded(criteria.judging(table)))

    def found(kernels: tuple[Release, ...]) -> list[Finding]:
        # the same subject has made all stages, unless a kernel is not known
        same = kernels == subject.kernels
        judged = subject if same else subject_of(source, setting, kernels)
        return list(run(judged, source.suppressions, criteria.rules))

    return Audited(
        source.file,
        source.sha256,
        table.name,
        table.read_from.kind,
        cpu=table.cpu.generation if table.cpu else "",
        states=tuple(state.name for state in table.states),
        findings=tuple(over_ends(criteria.judging(table), found, criteria.rules)),
        **compared(subject),
        **of_values(subject, setting),
    )


def compared(subject: Subject) -> dict[str, Any]:
    """Returns the fields of an audit about the packaged table that a table is nearest to."""
    claimed, listed = claim(subject), subject.table.origin
    held = origin(listed) if listed.form == "sysfs" else None
    return {
        "missing": tuple(_missing(subject)),
        "nearest": claimed.table.name if claimed else held.name if held else None,
        "differences": held.differences if held else tuple(_differences(subject)),
    }


def of_values(subject: Subject, setting: Setting) -> dict[str, Any]:
    """Returns the fields of an audit that change with each value."""
    return {
        "fingerprint": fingerprint(subject.table, subject.node),
        "registered": tuple(_registered(subject)),
        "selected": tuple(_selected(subject, setting)),
    }


def fingerprint(table: IdleTable, node: PowerMgt | None) -> str:
    """Returns what is equal for tables that are equal in every value."""
    levels = node.stop_levels if node else None
    values = repr((levels, [state.values() for state in table.states]))
    return hashlib.sha256(values.encode()).hexdigest()[:12]


def _missing(subject: Subject) -> Iterator[tuple[str, str]]:
    """(state, reason) of states that are not exported: for a firmware table those that firmware
    withholds, for a device tree those that the nearest table has and the tree lacks."""
    if subject.export is not None:
        yield from ((lost.state, lost.reason) for lost in subject.export.lost)
        return
    claimed = claim(subject)
    if claimed is None:
        return
    reasons = {lost.state: lost.reason for lost in claimed.lost}
    for state in claimed.table.states:
        if subject.table.state(state.name) is None:
            unless = (
                "; NVRAM's opal-stop-state-disable-mask can withhold it" if subject.is_stop else ""
            )
            absent = f"firmware should export it, and does not{unless}"
            yield state.name, reasons.get(state.name, absent)


def _differences(subject: Subject) -> Iterator[str]:
    for difference in drift(subject):
        index = difference.index
        name = difference.wanted.name if index is None and difference.wanted else ""
        yield f"{subject.table.states[index].name if index is not None else name} {difference.text}"


def _registered(subject: Subject) -> Iterator[Registered]:
    """Yields the kernels' registered states, in the order asked for; equal results share one."""
    names: dict[object, list[str]] = {}
    drivers: dict[object, DriverTable] = {}
    for release in subject.kernels:
        alike = subject.alike(release)
        names.setdefault(alike, []).append(release.name)
        if alike not in drivers:
            drivers[alike] = subject.driver(release)
    groups: list[tuple[Registered, list[str]]] = []
    for alike, driver in drivers.items():
        result = Registered(
            (),
            driver.states,
            tuple((lost.state, lost.reason) for lost in driver.lost),
            tuple(message.text for message in driver.messages),
            driver.default_stop,
            driver.deepest_stop,
            driver.offline,
        )
        same = next((group for found, group in groups if found == result), None)
        if same is None:
            groups.append((result, names[alike]))
        else:
            same += names[alike]
    for result, kernels in groups:
        yield replace(result, kernels=tuple(kernels))


def _selected(subject: Subject, setting: Setting) -> Iterator[Selected]:
    if not setting.governor:
        return
    from ..linux.governors.settling import Circumstances
    from ..linux.governors.steady import selection_map
    from ..selection.selection import name_of, settling_of

    groups: dict[tuple[tuple[int, int | None, tuple[str, ...]], ...], list[str]] = {}
    for release in subject.kernels:
        driver = subject.linux(release)
        if len(driver.states) < 2:
            continue
        names = [state.name for state in driver.states]
        settling = settling_of(setting.governor, release, driver, hz_of(setting.hz, (release,)))
        ranges = tuple(
            (found.first_ns, found.last_ns, tuple(name_of(names, state) for state in found.states))
            for found in selection_map(settling, Circumstances(limit_us=driver.limit_us))
        )
        groups.setdefault(ranges, []).append(release.name)
    for ranges, kernels in groups.items():
        yield Selected(tuple(kernels), ranges)


class _Known:
    """A cache of the most recent audits of a run, by table: most machines of a fleet have equal
    tables."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._setting: Setting | None = None
        self._results: OrderedDict[object, Audited] = OrderedDict()

    def of(self, source: Source, setting: Setting) -> Audited:
        if setting is not self._setting:
            if setting != self._setting:
                self._results.clear()
            self._setting = setting
        cpu = source.table.cpu if source.table else None
        name = source.table.name if source.table else ""
        key: object
        if source.alike:
            key = (name, source.alike)
        elif source.node is None or source.texts:
            return _of_table(source, setting)
        else:
            # a number, which differs where firmware made other nodes before
            items = source.node.properties.items()
            properties = tuple("phandle" if item[0] == "phandle" else item for item in items)
            assert source.table is not None
            key = (name, properties, cpu, source.table.origin)
        found = self._results.get(key)
        if found is None:
            found = self._results[key] = _of_table(source, setting)
            if len(self._results) > self._size:
                self._results.popitem(last=False)
        else:
            self._results.move_to_end(key)
        return found


_KNOWN = _Known(256)
