"""What the audits of many inputs come to: equal tables, findings and verdicts, counted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

from ...base.dataclass import dataclass, field
from ...base.model.findings import INTERNAL_ERROR, Finding, Severity
from .alike import Alike, Common
from .audited import NOT_LOOKED_AT, Audited
from .since import EarlierAudit, RuleFound, findings_of, worst_first

MOST_NAMED = 10_000
"""Up to this many inputs that cannot be read, or have one finding, are named: what is kept must not
grow with a fleet."""
_FEW_NAMED = 100
"""The same of errors that were not asked for."""


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


Outcomes = list[tuple[tuple[str, str], str]]
"""((tool, test), "passed", "skipped" or "failed")"""


@dataclass(slots=True)
class FleetSummary:
    """A summary of many audits, built up one input at a time.

    unreadable  why inputs cannot be read -> their names, of the first MOST_NAMED in all
    found     (rule, name, severity) -> number of inputs with such a finding
    having    severity -> number of inputs with a finding of it
    select    whether rules were asked for: inputs are then named
    named     as `found` -> names of these inputs, up to MOST_NAMED of what was asked for, else a
              few that have errors
    since     what differs from an earlier audit; None without one
    placed    of trees of sources, (severity, file, line, rule, message) -> number of boards
    not_looked_at  of the unreadable, those for which nobody was left
    verdicts  (tool, test) -> numbers of inputs that pass, fail, or are not tested
    """

    inputs: int = 0
    tables: int = 0
    unreadable: dict[str, list[str]] = field(default_factory=dict)
    unreadable_count: int = 0
    not_looked_at: int = 0
    without_table: int = 0
    groups: dict[str, TableGroup] = field(default_factory=dict)
    found: Counter[RuleFound] = field(default_factory=Counter)
    having: Counter[str] = field(default_factory=Counter)
    select: bool = False
    named: dict[RuleFound, list[str]] = field(default_factory=dict)
    since: EarlierAudit | None = None
    placed: Counter[tuple[str, str, int, str, str]] = field(default_factory=Counter)
    verdicts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    _counted: WeakKeyDictionary[Common, tuple[set[RuleFound], Outcomes]] = field(
        default_factory=WeakKeyDictionary, repr=False, compare=False
    )

    def found_worst_first(self) -> list[tuple[RuleFound, int]]:
        """`found` by severity, and of one severity the most frequent first."""

        return sorted(self.found.items(), key=lambda item: worst_first(item[0], item[1]))

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
            self._count(rules, results.file)
            return
        for audited in results:
            self._add(audited)
        self._count(_rules(results), results[0].file if results else "")
        if any(audited.alike for audited in results):
            self.placed.update({_placed(f) for one in results for f in one.findings if f.counts})

    def _count(self, rules: set[RuleFound], file: str) -> None:
        self.found.update(rules)
        self.having.update({severity for _, _, severity in rules})
        for rule in rules:
            error = rule[2] == str(Severity.ERROR)
            most = MOST_NAMED if self.select else _FEW_NAMED if error else 0
            if self.found[rule] <= most:
                self.named.setdefault(rule, []).append(file)

    def _add(self, audited: Audited) -> None:
        if audited.unreadable:
            self.not_looked_at += audited.kind == NOT_LOOKED_AT
            if self.unreadable_count < MOST_NAMED:
                self.unreadable.setdefault(audited.findings[0].message, []).append(audited.file)
            self.unreadable_count += 1
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

    @property
    def failed(self) -> bool:
        """Returns whether the tool failed on one of the inputs."""
        return any(rule == INTERNAL_ERROR for rule, _, _ in self.found)

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
    return {rule for audited in results for rule in findings_of(audited)}


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
