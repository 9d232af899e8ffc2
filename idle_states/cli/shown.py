"""Options that say which findings are shown and which count, and what follows from them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass, replace
from ..base.model.findings import Finding, Severity, worst
from ..base.options import Annotated, Option
from ..base.reading.unexpected import failed
from .status import UNREADABLE
from .values import say

if TYPE_CHECKING:
    from typing import TypeVar

    from ..base.report.style import Style
    from ..tables.audit.request import AuditRequest
    from ..tables.check.acceptance import Acceptance
    from ..tables.check.criteria import Criteria
    from ..tables.check.request import CheckRequest

    _Request = TypeVar("_Request", CheckRequest, AuditRequest)


def severity_option(words: str) -> Option:
    """Returns the option of the severity from which on a command fails, or does what words say."""
    return Option("--fail-on", f"{words} (default: error)", configured=True)


@dataclass(frozen=True, slots=True)
class Shown:
    """The options that choose which findings are shown to people, and which count.

    fail_on     as bad as this makes the exit status 1
    notes       are shown too; suppressed: likewise, with their reasons
    statistics  counts by rule, notes included, instead of findings
    """

    fail_on: Annotated[
        Severity, severity_option("exit 1 for findings of this severity or worse")
    ] = Severity.ERROR
    notes: Annotated[bool, Option("--notes", "show notes too")] = False
    suppressed: Annotated[
        bool, Option("--suppressed", "show suppressed findings with their reasons")
    ] = False
    statistics: Annotated[
        bool,
        Option(
            "--statistics", "print counts by rule instead of findings (text only)", after="--diff"
        ),
    ] = False

    def __post_init__(self) -> None:
        if self.fail_on is Severity.NOTE:
            object.__setattr__(self, "notes", True)

    def text(
        self,
        findings: Sequence[Finding],
        texts: Mapping[str, str],
        what: str,
        style: "Style",
        remarks: Sequence[str] = (),
    ) -> str:
        """Returns findings for people, then remarks and, as the last line, what was looked at."""
        from ..base.report.findings_text import render, statistics, summary

        if self.statistics:
            body = statistics(findings)
        else:
            body = render(findings, texts, style, notes=self.notes, suppressed=self.suppressed)
        line = summary(findings, what, style, notes=self.notes)
        return "\n".join([*([body] if body else []), *remarks, line]) + "\n"

    def annotated(self, form: str, findings: Sequence[Finding]) -> Sequence[Finding]:
        """The findings that a form has: GitHub's annotations are those of the text."""
        from ..base.report.findings_text import shown

        return shown(findings, notes=self.notes) if form == "github" else findings

    def status(self, found: Severity | None) -> int:
        """Returns the exit status for the worst counted severity: 1 if it is as bad as fail_on."""
        return int(found is not None and found >= self.fail_on)

    def hidden(self, findings: Iterable[Finding]) -> int:
        """Returns how many findings would count for the exit status but for the configuration's
        suppressions."""
        return sum(f.kept_in == "config" and f.severity >= self.fail_on for f in findings)

    def failing(self, findings: Iterable[Finding]) -> int:
        """Returns how many findings count for the exit status."""
        return sum(f.counts and f.severity >= self.fail_on for f in findings)

    def status_of(self, findings: Sequence[Finding]) -> int:
        """Returns the exit status for findings: 3 if the tool failed on one of the inputs."""
        return UNREADABLE if failed(findings) else self.status(worst(findings))


USUAL = Shown()


def note_rules(criteria: "Criteria") -> None:
    """Says where --ignore leaves no rule."""
    if criteria.rules.is_empty:
        ignored = ",".join(criteria.rules.ignore)
        say(f"--ignore {ignored} leaves no rule: only what cannot be read is reported")


def unconfigured(request: "_Request") -> "_Request | None":
    """Returns the request with the rules of the command line alone and no configuration; None where
    the configuration chooses no rules."""
    from ..tables.check.acceptance import NO_CONFIG

    chosen = request.criteria.rules.configured
    if not chosen:
        return None
    rules = replace(request.criteria.rules, **dict.fromkeys(chosen, ()), configured=())
    acceptance = replace(request.acceptance, config=NO_CONFIG, revision=None)
    return replace(request, criteria=replace(request.criteria, rules=rules), acceptance=acceptance)


def turned(hidden: int, accepted: "Acceptance") -> str:
    """Returns a closing line about findings that the configuration hides, where the exit status
    would be 1 with them."""
    configuration = accepted.configuration() if hidden else None
    if configuration is None:
        return ""
    of = f" of {accepted.revision}" if accepted.revision else ""
    many = "1 finding is" if hidden == 1 else f"{hidden} findings are"
    return (
        f"{many} hidden by {configuration.file}{of}; the exit status would be 1 with --config none"
    )
