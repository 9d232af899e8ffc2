"""The request for a review."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..check.acceptance import NO_CONFIG, USUAL, Acceptance
from ..check.criteria import Criteria
from ..dataclass import dataclass, replace
from ..findings import Finding, UsageError
from ..linux.governors.given import check_hz
from ..reading.git import Repository
from ..reading.mail import read_mails, series_of
from ..wording import plural
from .base import Applied, on_its_base
from .context import without_tree
from .letters import Letter
from .result import Review
from .review import Yardstick, ends, review

RUNS_MAX = 1000


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What to review. Raises UsageError for values that make no sense.

    tree        a git repository; None: none, only what a mailed diff shows is known
    range       commits, as `review.ends` takes them
    mail        a file or directory of mails or patches, or "-", instead of commits; None: none
    base        the revision that mailed patches were made on; "": the one that is found
    specs       whether the tables are specs instead of C
    per_commit  whether each commit is reviewed by itself
    governor    governor whose selections are compared
    hz          the kernel's tick rate, for the governor
    acceptance  accepted findings; if it names no setup.cfg, each commit's own is used
    runs        seeds of the workloads that are simulated with the table before and after; 0: none
    """

    tree: Path | None
    range: str | None
    criteria: Criteria
    specs: bool = False
    per_commit: bool = False
    governor: str = "menu"
    hz: int = 250
    acceptance: Acceptance = USUAL
    mail: str | None = None
    base: str = ""
    runs: int = 1

    def __post_init__(self) -> None:
        check_hz(self.hz)
        if not 0 <= self.runs <= RUNS_MAX:
            raise UsageError(f"expected --runs from 0 to {RUNS_MAX}, found {self.runs}")
        if self.mail is not None and self.range is not None:
            raise UsageError("expected commits or a mail, found both")
        if self.base and (self.mail is None or self.tree is None):
            raise UsageError("expected a mail or a patch, and --tree, with --base")
        if self.tree is None and (self.mail is None or self.specs):
            raise UsageError("expected a repository (--tree), or a mail or a patch of skiboot")

    def accept(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings with accepted ones marked as suppressed. Findings about the suppressions
        themselves are left out: they are not about the change."""
        acceptance = self.acceptance
        if acceptance.config is None:
            # the current folder's setup.cfg may be part of the change
            acceptance = replace(acceptance, config=NO_CONFIG)
        about = {(finding.rule, finding.location, finding.message) for finding in findings}
        return [
            finding
            for finding in acceptance.applied(findings, [])
            if (finding.rule, finding.location, finding.message) in about
        ]


def reviewed(request: ReviewRequest, say: Callable[[str], None] = lambda message: None) -> Review:
    """Reviews as requested. say: called with notes for the user. Raises BadRange, Unreadable,
    OSError."""
    if request.tree is None:
        assert request.mail is not None
        versions = series_of(read_mails(request.mail)[0], request.mail)
        return _mailed(request, [without_tree(series, request.mail) for series in versions[-2:]])
    repository = Repository(request.tree)
    try:
        for note in repository.notes:
            say(f"{repository.shown}: {note}")
        if request.mail is None:
            base, head = ends(repository, request.range)
            found = _review(request, Applied(1, base, head, repository), request.runs)
            return replace(found, about=_about(request, repository.prefix))
        versions = series_of(read_mails(request.mail)[0], request.mail)
        made = [on_its_base(repository, series, request.base) for series in versions[-2:]]
        return _mailed(request, made)
    finally:
        repository.close()


def _review(request: ReviewRequest, made: Applied, runs: int | None) -> Review:
    """runs: as of Yardstick."""
    circumstances = Yardstick(
        request.criteria,
        request.governor,
        request.hz,
        request.accept,
        of_commits=request.acceptance.config is None,
        runs=runs,
        partial=made.partial,
        hidden=made.hidden,
    )
    several = made.held.count(made.base, made.head) > 1
    return review(
        made.held,
        made.base,
        made.head,
        circumstances,
        specs=request.specs,
        # without a tree, each of several patches has its own ends
        per_commit=request.per_commit or (request.tree is None and several),
        cover=made.cover,
        answers=made.answers,
    )


def _mailed(request: ReviewRequest, versions: Sequence[Applied]) -> Review:
    """The review of the newest version, with what it brings that the one before it did not."""
    *older, newest = versions
    found = _review(request, newest, request.runs)
    remarks = [*newest.remarks, *found.remarks]
    for series in older:
        earlier = _review(request, series, None)
        remarks += _between(earlier, found, series.version, newest.version)
        if series.answers:
            count = plural(len(series.answers), "answer")
            remarks.append(f"{count} to v{series.version} left aside")
    return replace(
        found,
        remarks=tuple(remarks),
        letters=newest.letters,
        is_mailed=True,
        unread_lines=newest.unread,
        about=_about(request, newest.held.prefix, newest.letters),
    )


def _about(
    request: ReviewRequest, directory: str, letters: Sequence[Letter] = ()
) -> tuple[str, ...]:
    """For `Review.about`. letters: of what is mailed."""
    by = request.criteria
    how = (request.governor, str(request.hz), *(kernel.name for kernel in by.kernels))
    return (
        "specs" if request.specs else "skiboot",
        directory,
        "each" if request.per_commit else "all",
        *how,
        *(letter.subject for letter in letters[:1]),
    )


def _between(older: Review, newer: Review, before: int, after: int) -> Iterator[str]:
    """What a version changes in tables otherwise than the one before."""
    old, new = _effects(older), _effects(newer)
    versions = f"v{after} against v{before}"
    if old == new:
        yield f"{versions}: the same in all tables"
    for key, text in new.items():
        if old.get(key) != text:
            yield f"{versions}: {': '.join(key)} {text}, was {old.get(key, 'not changed')}"
    for key, text in old.items():
        if key not in new:
            yield f"{versions}: {': '.join(key)} not changed, was {text}"


def _effects(found: Review) -> dict[tuple[str, str], str]:
    """(table, what) -> how it changes."""
    return {
        (table.source.name, difference.path): f"{difference.a} -> {difference.b}"
        for change in found.changes
        for table in change.tables
        for difference in table.differences
    }
