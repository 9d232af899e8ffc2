"""The request for a review."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import Finding, UsageError
from ...base.options import STANDARD_INPUT, Annotated, Argument, Option, Options
from ...tables.check.acceptance import NO_CONFIG, Acceptance
from ...tables.check.criteria import Criteria
from ...tables.linux.request_parts import HZ, check_hz

if TYPE_CHECKING:
    from pathlib import Path

RUNS_MAX = 1000


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """The options of a review. Raises UsageError for values that make no sense.

    trees       git repositories, of which a mailed series takes the one that it was made on; none:
                the one that the current folder lies in. Without tables there, only what a mailed
                diff shows is known
    range       commits, as `review.ends` takes them; a file, a directory or "-" is a mail
    mail        a file or directory of mails or patches, or "-", instead of commits; None: none
    base        the revision that mailed patches were made on; "": the one that is found
    specs       whether the tables are specs instead of C
    per_commit  whether each commit is reviewed by itself
    governor    governor whose selections are compared
    hz          the kernel's tick rate, for the governor
    acceptance  accepted findings; if it names no setup.cfg, each commit's own is used
    runs        seeds of the workloads that are simulated with the table before and after; 0: none
    run         whether governors of Linux that change are compiled, run confined and compared
    """

    range: Annotated[
        str | None,
        Argument(
            "BASE..HEAD|MAIL",
            "commits; or a file or directory of mails or patches, DIR@OLD..NEW of mails in git, or "
            "- for standard input (default: the last commit)",
        ),
    ]
    criteria: Annotated[Criteria, Options(after="--run")]
    trees: Annotated[
        "tuple[Path, ...]",
        Option(
            "--tree",
            "the git repository (default: the current folder's); of several, a mail uses the one "
            "that it was made on",
            metavar="DIR",
        ),
    ] = ()
    specs: Annotated[bool, Option("--specs", "the tables are specs, not C", after="--base")] = False
    per_commit: Annotated[
        bool, Option("--per-commit", "review each commit separately", after="--specs")
    ] = False
    governor: Annotated[
        str,
        Option(
            "--governor",
            "governor whose selection is compared (default: menu)",
            choices=("menu", "teo", "ladder"),
            after="--per-commit",
        ),
    ] = "menu"
    hz: Annotated[int, HZ] = 250
    acceptance: Annotated[Acceptance, Options(revision=None, after="--ignore")] = field(
        default_factory=Acceptance
    )
    mail: str | None = None
    base: Annotated[
        str,
        Option(
            "--base",
            "commit that mailed patches were made on (default: searched for)",
            metavar="REVISION",
            after="--tree",
        ),
    ] = ""
    runs: Annotated[
        int,
        Option(
            "--runs",
            "number of seeds of the workloads simulated before and after the change (default: 1; "
            "0: no simulation)",
            metavar="N",
            after="--hz",
        ),
    ] = 1
    run: Annotated[
        bool,
        Option(
            "--run",
            "compile changed governors of Linux before and after, run both confined, and compare "
            "their selections",
            after="--runs",
        ),
    ] = False

    def __post_init__(self) -> None:
        if self.mail is None and self.range is not None and _is_mail(self.range):
            object.__setattr__(self, "mail", self.range)
            object.__setattr__(self, "range", None)
        check_hz(self.hz)
        if not 0 <= self.runs <= RUNS_MAX:
            raise UsageError(f"expected --runs from 0 to {RUNS_MAX}, found {self.runs}")
        if self.mail is not None and self.range is not None:
            raise UsageError("expected commits or a mail, found both")
        if len(self.trees) > 1 and self.mail is None:
            raise UsageError("expected one --tree for commits, found several, which are for mails")
        if self.base and self.mail is None:
            raise UsageError("expected a mail or a patch with --base")

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


def _is_mail(subject: str) -> bool:
    from ...base.reading.opening import kind_of

    if "@" in subject:
        from ...base.reading.mail.archive import inbox

        if inbox(subject) is not None:
            return True
    # ".." is no directory here, but a range without ends
    return subject == STANDARD_INPUT or (subject.strip(".") != "" and kind_of(subject) is not None)
