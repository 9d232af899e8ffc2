"""The summary of the audits of many inputs: equal tables, findings and verdicts, counted."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ...base.dataclass import dataclass, field
from ...base.model.findings import INTERNAL_ERROR, Finding, Severity
from ...base.wording import joined, plural
from .alike import Alike
from .audited import NOT_LOOKED_AT, Audited
from .groups import TableGroups
from .since import EarlierAudit, RuleFound, findings_of, worst_first

MOST_NAMED = 10_000
"""Up to this many inputs that cannot be read, or have one finding, are named: what is kept must not
grow with a fleet."""
_FEW_NAMED = 100
"""The same of errors that were not asked for."""


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
    groups: TableGroups = field(default_factory=TableGroups)
    found: Counter[RuleFound] = field(default_factory=Counter)
    having: Counter[str] = field(default_factory=Counter)
    select: bool = False
    named: dict[RuleFound, list[str]] = field(default_factory=dict)
    since: EarlierAudit | None = None
    placed: Counter[tuple[str, str, int, str, str]] = field(default_factory=Counter)
    verdicts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        """Returns the number of inputs with findings of each severity, and the most severe."""
        counts = [f"{self.having[str(each)]} with {each}s" for each in reversed(Severity)]
        line = f"{plural(self.inputs, 'input')}: {joined(counts)}"
        if not self.found:
            return line
        (rule, name, _), _ = self.found_worst_first()[0]
        return f"{line}; the most severe: {rule} {name}"

    def found_worst_first(self) -> list[tuple[RuleFound, int]]:
        """`found` by severity, and of one severity the most frequent first."""

        return sorted(self.found.items(), key=lambda item: worst_first(item[0], item[1]))

    def add(self, results: Sequence[Audited]) -> None:
        """Adds the audits of one input's tables."""
        self.inputs += 1
        if isinstance(results, Alike):
            common = results.common.audited
            self._add(common, results.file)
            self._count(findings_of(common), results.file)
            return
        for audited in results:
            self._add(audited, audited.file)
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

    def _add(self, audited: Audited, file: str) -> None:
        if audited.unreadable:
            self.not_looked_at += audited.kind == NOT_LOOKED_AT
            if self.unreadable_count < MOST_NAMED:
                self.unreadable.setdefault(audited.findings[0].message, []).append(file)
            self.unreadable_count += 1
            return
        for verdict in audited.verdicts:
            test = verdict.tool, verdict.test
            if test not in self.verdicts:
                self.verdicts[test] = Counter()
            outcome = "passed" if verdict.passed else "skipped" if verdict.skipped else "failed"
            self.verdicts[test][outcome] += 1
        if audited.table:
            self.tables += 1
            self.groups.add(audited, file)
        else:
            self.without_table += 1

    @property
    def worst(self) -> Severity | None:
        """Highest severity of all inputs' findings, None if there are none."""
        return max((Severity[severity.upper()] for _, _, severity in self.found), default=None)

    @property
    def failed(self) -> bool:
        """Returns whether the tool failed on one of the inputs."""
        return any(rule == INTERNAL_ERROR for rule, _, _ in self.found)


def _rules(results: Iterable[Audited]) -> set[RuleFound]:
    return {rule for audited in results for rule in findings_of(audited)}


def _placed(finding: Finding) -> tuple[str, str, int, str, str]:
    where = finding.location
    severity = str(finding.severity)
    return severity, where.file or "", where.line or 0, finding.rule, finding.message
