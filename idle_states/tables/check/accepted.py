"""Marks the findings that a project's configuration accepts."""

import datetime
import os
from collections.abc import Iterable, Sequence

from ...base.dataclass import replace
from ...base.model.findings import Finding, Location, Severity, UsageError, sort_findings
from ..rules.catalogue import known_codes
from .config import Accepted


def today() -> datetime.date:
    """The day to compare expiry dates with: that of SOURCE_DATE_EPOCH, if set, so that runs can be
    reproduced; else today."""
    given = source_date()
    return given.date() if given else datetime.date.today()


def source_date() -> datetime.datetime | None:
    """SOURCE_DATE_EPOCH's time, None where it is no number. Raises UsageError for a year past
    9999."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not (epoch.isascii() and epoch.isdecimal()):
        return None
    try:
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    except (ValueError, OverflowError, OSError):
        message = f"expected seconds since 1970 in SOURCE_DATE_EPOCH, found {epoch:.40}"
        raise UsageError(message) from None


def accept(
    findings: Sequence[Finding],
    accepted: Sequence[Accepted],
    tables: Iterable[tuple[str, str]],
    day: datetime.date,
) -> list[Finding]:
    """The findings with accepted ones marked as suppressed, and findings about the suppressions.

    tables  (name, file) of each table that was checked; a suppression for another table is not
            reported as unused
    day     the day to compare expiry dates with
    """
    used = {
        (entry.where, code)
        for finding in findings
        for code in finding.rules
        for entry in accepted
        if entry.covers(code, finding.location)
    }
    checked = list(tables)
    result = mark(findings, accepted, day)
    for entry in accepted:
        result += _about(entry, used, checked, day)
    return sort_findings(result)


def mark(
    findings: Iterable[Finding], accepted: Sequence[Accepted], day: datetime.date
) -> list[Finding]:
    """The findings with accepted ones marked as suppressed."""

    def marked(finding: Finding) -> Finding:
        for entry in accepted:
            if entry.holds(day) and entry.covers(finding.rule, finding.location):
                return replace(finding, suppressed=entry.reason, kept_in="config")
        return finding

    return [marked(finding) if finding.counts else finding for finding in findings]


def _about(
    entry: Accepted,
    used: set[tuple[Location, str]],
    checked: list[tuple[str, str]],
    day: datetime.date,
) -> list[Finding]:
    found = []
    if not entry.reason:
        message = "expected a reason after the path, found none; the suppression has no effect"
        found.append(_warning("IS901", "suppression-without-reason", message, entry))
    if entry.until is not None and entry.until < day:
        message = f"the suppression expired on {entry.until} and has no effect any more"
        found.append(_warning("IS904", "expired-suppression", message, entry))
    for code in entry.rules:
        if code not in known_codes():
            found.append(_warning("IS903", "unknown-rule", f"expected a rule, found {code}", entry))
        elif entry.holds(day) and (entry.where, code) not in used and _concerns(entry, checked):
            message = f"{code} is suppressed for {entry.path}, but no finding needs it"
            found.append(_warning("IS902", "unused-suppression", message, entry))
    return found


def _concerns(entry: Accepted, checked: list[tuple[str, str]]) -> bool:
    """Tells whether the suppression's path is in a table or file that was checked."""
    start = entry.path.partition("*")[0]
    return any(
        start.startswith(name) and start[len(name) : len(name) + 1] in ("", ":", "[", "/")
        for pair in checked
        for name in pair
        if name
    )


def _warning(code: str, name: str, message: str, entry: Accepted) -> Finding:
    return Finding(code, name, Severity.WARNING, message, entry.where)
