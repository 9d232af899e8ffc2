"""The difference between two answers of a check: what is new, reads otherwise, or is gone."""

from collections import defaultdict
from collections.abc import Iterable

from ...base.dataclass import dataclass
from ...base.model.findings import Finding


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """new, changed: findings as they are now; fixed: as they were; still: how many are the same.

    A finding is known by its rule, table and logical path, so that it stays the same when lines
    move. It has changed if its message, severity or kernels have.
    """

    new: tuple[Finding, ...]
    changed: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    still: int

    @property
    def counts(self) -> str:
        others = f", {len(self.changed)} changed" if self.changed else ""
        return f"{len(self.new)} new{others}, {len(self.fixed)} fixed, {self.still} still"


def changed(before: Iterable[Finding], after: Iterable[Finding]) -> AnswerChange:
    """Compares two answers, each in its order."""
    known: dict[object, list[Finding]] = defaultdict(list)
    for finding in before:
        known[_identity(finding)].append(finding)
    still, others = 0, []
    for finding in after:
        alike = known[_identity(finding)]
        same = next((old for old in alike if _wording(old) == _wording(finding)), None)
        if same is None:
            others.append(finding)
        else:
            alike.remove(same)
            still += 1
    new, otherwise = [], []
    for finding in others:
        if alike := known[_identity(finding)]:
            alike.pop(0)
            otherwise.append(finding)
        else:
            new.append(finding)
    left = (finding for alike in known.values() for finding in alike)
    return AnswerChange(tuple(new), tuple(otherwise), tuple(left), still)


def _identity(finding: Finding) -> object:
    return finding.rule, finding.table, finding.location.path or finding.location


def _wording(finding: Finding) -> object:
    return finding.message, finding.severity, finding.kernels, finding.suppressed
