"""Runs the rules over a subject and applies suppressions."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.findings import Finding, Location, Severity, sort_findings
from ...base.model.table import IdleTable
from ...base.reading.unexpected import internal_error, raise_expected
from ...base.wording import joined
from ..pipeline import Subject
from ..sources import Source
from .catalogue import code2requires, known_codes, rules_on
from .rule import Rule
from .selection import ALL, RuleSelection

if TYPE_CHECKING:
    from ..spec.suppress import Suppression


def rules_for(subject: Subject, selection: RuleSelection) -> tuple[Rule, ...]:
    """Returns the rules that run on a table, in the order of their codes."""
    rules = (loaded.rule for loaded in rules_on(subject.form))
    return tuple(rule for rule in rules if selection.takes(rule.code))


def run(
    subject: Subject,
    suppressions: "Sequence[Suppression]" = (),
    selection: RuleSelection = ALL,
) -> list[Finding]:
    """All findings on one table, suppressed ones marked, in stable order.

    Includes IS901 and IS902 about the suppressions themselves.
    """
    found: list[Finding] = []
    for rule in rules_for(subject, selection):
        try:
            found += rule.findings(subject)
        except Exception as error:
            failure = _failure(error, subject.table)
            found += [failure] if failure not in found else []
    reported = suppress(once(found), suppressions)
    return sort_findings([*reported, *_about(suppressions, selection)])


def _failure(error: Exception, table: IdleTable) -> Finding:
    """Returns the finding for a rule's exception. Raises one that was expected."""
    raise_expected(error)
    where = table.where.get("table") or Location(file=table.read_from.file or None)
    return internal_error(error, where, table.name)


def reading(source: Source, selection: RuleSelection = ALL) -> list[Finding]:
    """Returns the findings of reading a source, suppressed ones marked. Why no table could be read
    is no rule to select: it counts whatever is selected."""
    found = source.findings
    if source.table is not None:
        found = tuple(f for f in found if selection.takes(f.rule))
    else:
        found = tuple(f for f in found if selection.takes(f.rule) or is_reading(f.rule))
    return suppress(found, source.suppressions)


def is_reading(code: str) -> bool:
    """Tells whether a rule is about what cannot be read, not about what a table says."""
    return code.startswith("IS9")


def once(findings: Iterable[Finding]) -> list[Finding]:
    """The findings of one table without those that only say what follows from another.

    A finding is dropped where a rule that its own requires has fired at the same place, itself
    reported or dropped. The reported one then names it.
    """
    findings = list(findings)
    if not findings:
        return []
    requires = code2requires(finding.rule for finding in findings)
    code2rank = {code: rank for rank, code in enumerate(requires)}
    place2fired: dict[Location, list[tuple[Finding, Finding]]] = {}
    first2followers: dict[Finding, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: code2rank[finding.rule]):
        fired = place2fired.setdefault(finding.location, [])
        required = requires[finding.rule]
        first = next(
            (by for other, by in fired if other.rule in required and _covers(by, finding)), finding
        )
        followers = first2followers.setdefault(first, [])
        if first is not finding:
            followers.append(finding)
        fired.append((finding, first))
    return [_standing_for(first, followers) for first, followers in first2followers.items()]


def _covers(first: Finding, finding: Finding) -> bool:
    """True if nothing is lost when the first alone is reported: neither severity nor a kernel."""
    kernels = not first.kernels or set(finding.kernels) <= set(first.kernels)
    return first.severity >= finding.severity and kernels


def _standing_for(first: Finding, followers: Sequence[Finding]) -> Finding:
    if not followers:
        return first
    named = {f.rule: f.tag for f in sorted(followers, key=lambda f: f.rule)}
    remark = f"the same fault also gives {joined(list(named.values()))}"
    related = (*first.related, (first.location, remark))
    return replace(first, stands_for=tuple(named), related=related)


def suppress(findings: Iterable[Finding], suppressions: "Sequence[Suppression]") -> list[Finding]:
    """Marks findings that a suppression with a reason covers."""
    result = []
    for finding in findings:
        for suppression in suppressions:
            if suppression.reason and suppression.covers(finding.rule, finding.location):
                finding = replace(finding, suppressed=suppression.reason, kept_in="source")
                break
        result.append(finding)
    return result


def unused(
    suppressions: "Iterable[Suppression]",
    findings: Iterable[Finding],
    table: str,
    silent: Collection[str] = (),
) -> Iterator[Finding]:
    """IS902 for each suppression of a file that nothing in the file needed. silent: rules that had
    no say."""
    findings = list(findings)
    for suppression in suppressions:
        for code in suppression.rules:
            if code in silent:
                continue
            if suppression.reason and not any(
                code in finding.rules and suppression.covers(code, finding.location)
                for finding in findings
            ):
                yield Finding(
                    "IS902",
                    "unused-suppression",
                    Severity.WARNING,
                    f"{code} is suppressed here, but no finding needs it",
                    suppression.where,
                    table=table,
                )


def _about(suppressions: "Iterable[Suppression]", selection: RuleSelection) -> Iterator[Finding]:
    for suppression in suppressions:
        if not suppression.reason and selection.takes("IS901"):
            yield _complaint(
                "IS901",
                "suppression-without-reason",
                "expected a reason after ignore[...], found none; the suppression has no effect",
                suppression.where,
            )
        for code in suppression.rules:
            if code not in known_codes() and selection.takes("IS903"):
                yield _complaint(
                    "IS903", "unknown-rule", f"expected a rule, found {code!r}", suppression.where
                )


def _complaint(code: str, name: str, message: str, where: Location) -> Finding:
    return Finding(code, name, Severity.WARNING, message, where)
