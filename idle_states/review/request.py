"""A review as it is asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..check.acceptance import NO_CONFIG, USUAL, Acceptance
from ..findings import Finding, UsageError
from ..linux.releases import Release
from ..reading.git import Repository
from ..rules.engine import ALL, RuleSelection
from ..skiboot.platform import ALL_LEVELS, Platform
from .review import Review, Yardstick, ends, review


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What to review. Raises UsageError for what cannot be meant.

    tree        a git repository; range: as ends() takes it
    specs       its tables are specs, not C; per_commit: each commit by itself
    governor    whose selection is compared, at hz
    acceptance  without a configuration, each commit's own counts
    """

    tree: Path
    range: str | None
    releases: tuple[Release, ...]
    specs: bool = False
    per_commit: bool = False
    platform: Platform = ALL_LEVELS
    governor: str = "menu"
    hz: int = 250
    rules: RuleSelection = ALL
    acceptance: Acceptance = USUAL

    def __post_init__(self) -> None:
        if not 1 <= self.hz <= 10_000:
            raise UsageError(f"expected HZ from 1 to 10000, found {self.hz}")

    def accept(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings with those accepted marked; what is wrong with a suppression is no matter
        of the change."""
        acceptance = self.acceptance
        if acceptance.config is None:
            # the one of the current folder may be the change's own
            acceptance = replace(acceptance, config=NO_CONFIG)
        about = {(finding.rule, finding.location, finding.message) for finding in findings}
        return [
            finding
            for finding in acceptance.applied(findings, [])
            if (finding.rule, finding.location, finding.message) in about
        ]


def reviewed(request: ReviewRequest, say: Callable[[str], None] = lambda message: None) -> Review:
    """say: is called with what the user should know. Raises BadRange, Unreadable, OSError."""
    circumstances = Yardstick(
        request.releases,
        request.platform,
        request.governor,
        request.hz,
        request.rules,
        request.accept,
        of_commits=request.acceptance.config is None,
    )
    repository = Repository(request.tree)
    for note in repository.notes:
        say(f"{repository.shown}: {note}")
    try:
        base, head = ends(repository, request.range)
        return review(
            repository,
            base,
            head,
            circumstances,
            specs=request.specs,
            per_commit=request.per_commit,
        )
    finally:
        repository.close()
