"""Suppressions as part of what is reviewed: those of the commits, and those that a change adds.

A change cannot accept findings about itself: a finding that it both causes and suppresses is
reported as new, with a note of the suppression. What was accepted before stays accepted.
"""

from collections import Counter
from collections.abc import Callable

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Finding, Unreadable
from ...base.reading.git.commits import CommitReader
from ...base.reading.git.private import DamagedObject
from ...tables.check.accepted import today
from ...tables.check.config import Accepted, Configuration
from ...tables.check.config_change import configuration_at
from ...tables.spec.suppress import Suppression
from .tree import End

Known = Callable[[Finding], bool]
"""Tells whether a finding that is suppressed after a change was accepted before it."""


@dataclass(frozen=True, slots=True)
class Configured:
    """setup.cfg at a commit, None if there is none. findings: why it cannot be read, if so."""

    file: Configuration | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def entries(self) -> tuple[Accepted, ...]:
        """Its suppressions."""
        return self.file.accepted if self.file else ()


def configured(repository: CommitReader, commit: str) -> Configured:
    """Reads the suppressions at a commit. What else its configuration says has no effect on a
    review. Raises Damaged (IS930)."""
    try:
        found = configuration_at(repository, commit)
    except DamagedObject:
        raise
    except Unreadable as problem:
        return Configured(findings=tuple(problem.findings))
    return Configured(found)


def added(
    before: End, after: End, configured_before: Configured, configured_after: Configured
) -> tuple[Accepted, ...]:
    """The suppressions that the change adds: setup.cfg's first, then comments in order, which have
    no path and hold always."""
    known = {_key(entry) for entry in configured_before.entries}
    found = [entry for entry in configured_after.entries if _key(entry) not in known]
    new = _new_comments(before, after)
    return (*found, *(Accepted(c.rules, "", c.reason, None, c.where) for c in new))


def known(before: End, after: End, configured_before: Configured, of_commits: bool) -> Known:
    """Returns a function that says whether a suppressed finding was accepted before the change.

    of_commits: setup.cfg is read from the commits, not from a file that the user named
    """
    comments = _new_comments(before, after)
    held = [entry for entry in configured_before.entries if entry.holds(today())]

    def is_known(finding: Finding) -> bool:
        rule, where = finding.rule, finding.location
        if finding.kept_in == "config" and of_commits:
            return any(entry.covers(rule, where) for entry in held)
        if finding.kept_in == "source":
            return not any(comment.covers(rule, where) for comment in comments)
        return True

    return is_known


def revealed(finding: Finding) -> Finding:
    """The finding, not suppressed, with a note of the suppression."""
    message = f"{finding.message} (suppressed by this change: {finding.suppressed})"
    return replace(finding, message=message, suppressed=None, kept_in="")


def _key(entry: Accepted) -> tuple[tuple[str, ...], str, str, str]:
    return entry.rules, entry.path, entry.reason, str(entry.until)


def _new_comments(before: End, after: End) -> list[Suppression]:
    """Comments in specs of the tree of which there are more than before, by rules and reason."""
    old = Counter((c.rules, c.reason) for c in _comments(before))
    now = _comments(after)
    new = Counter((c.rules, c.reason) for c in now)
    return [c for c in now if new[c.rules, c.reason] > old[c.rules, c.reason]]


def _comments(end: End) -> list[Suppression]:
    files = {source.file for source in end.sources}
    found = (c for source in end.sources for c in source.suppressions if c.where.file in files)
    return list(dict.fromkeys(found))
