"""The request for a review."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..check.acceptance import NO_CONFIG, USUAL, Acceptance
from ..check.criteria import Criteria
from ..findings import Finding, UsageError
from ..linux.governors.given import check_hz
from ..reading.git import CommitReader, Repository
from ..reading.mail import read_mails, series_of
from .base import on_its_base
from .review import Review, Yardstick, ends, review


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What to review. Raises UsageError for values that make no sense.

    tree        a git repository
    range       commits, as `review.ends` takes them
    mail        a file or directory of mails or patches, or "-", instead of commits; None: none
    base        the revision that mailed patches were made on; "": the one that is found
    specs       whether the tables are specs instead of C
    per_commit  whether each commit is reviewed by itself
    governor    governor whose selections are compared
    hz          the kernel's tick rate, for the governor
    acceptance  accepted findings; if it names no setup.cfg, each commit's own is used
    """

    tree: Path
    range: str | None
    criteria: Criteria
    specs: bool = False
    per_commit: bool = False
    governor: str = "menu"
    hz: int = 250
    acceptance: Acceptance = USUAL
    mail: str | None = None
    base: str = ""

    def __post_init__(self) -> None:
        check_hz(self.hz)
        if self.mail is not None and self.range is not None:
            raise UsageError("expected commits or a mail, found both")
        if self.base and self.mail is None:
            raise UsageError("expected a mail or a patch with --base, found none")

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
    circumstances = Yardstick(
        request.criteria,
        request.governor,
        request.hz,
        request.accept,
        of_commits=request.acceptance.config is None,
    )
    repository = Repository(request.tree)
    for note in repository.notes:
        say(f"{repository.shown}: {note}")
    try:
        history: CommitReader = repository
        remarks: tuple[str, ...] = ()
        if request.mail is None:
            base, head = ends(repository, request.range)
        else:
            versions = series_of(read_mails(request.mail)[0], request.mail)
            made = on_its_base(repository, versions[-1], request.base)
            history, base, head, remarks = made.held, made.base, made.head, made.remarks
        found = review(
            history,
            base,
            head,
            circumstances,
            specs=request.specs,
            per_commit=request.per_commit,
        )
        return replace(found, remarks=remarks)
    finally:
        repository.close()
