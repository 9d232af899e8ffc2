"""Findings, wherever they occur."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from ...base.model import findings
from ...base.model.findings import Severity
from ...base.model.forms import Count, Form, Limits, Positive, derived

Code = Annotated[str, Limits(pattern="^IS[0-9]{3}$")]
RuleName = Annotated[str, Limits(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
SeverityName = Literal["error", "warning", "note"]
Confidence = Literal["high", "medium", "low"]
Text = Annotated[str, Limits(minLength=1)]


class Location(Form[findings.Location]):
    file: str | None
    line: Annotated[Positive | None, "Counted from 1; null where the source has no lines."]
    column: Annotated[Positive | None, "Counted from 1."]
    path: Annotated[
        str,
        "Logical path: power9:states[3].psscr.mtl, power9_cpu_idle_states[3].flags, "
        "/ibm,opal/power-mgt:ibm,cpu-idle-state-psscr[3].",
    ]


class Related(Form[tuple[findings.Location, str]]):
    location: Location
    message: str


class Suppressed(Form[findings.Finding]):
    reason: Text = derived("suppressed")
    in_: Annotated[
        Literal["source", "config", "baseline"],
        "The place of the suppression: beside the value, in setup.cfg, or in a baseline.",
    ] = derived("kept_in")


class Finding(Form[findings.Finding]):
    rule: Code
    name: RuleName
    severity: SeverityName
    confidence: Confidence
    table: Annotated[str, "Table it was found in; empty if it is about the file."]
    message: Text
    location: Location
    related: Annotated[list[Related], "Other places that belong to it."]
    kernels: Annotated[list[str], "Kernels it holds for; empty: whatever the kernel."]
    suppressed: Annotated[Suppressed | None, "Why the finding does not count; null if it does."] = (
        derived(lambda finding: None if finding.suppressed is None else finding)
    )


def count(found: Iterable[findings.Finding], severity: Severity) -> int:
    """Returns the number of findings that are of a severity and count."""
    return sum(finding.severity is severity for finding in found if finding.counts)


class Counts(Form[Sequence[findings.Finding]]):
    error: Count = derived(lambda found: count(found, Severity.ERROR))
    warning: Count = derived(lambda found: count(found, Severity.WARNING))
    note: Count = derived(lambda found: count(found, Severity.NOTE))


Summary = Annotated[
    Counts, "How many findings of each severity count, that is, are not suppressed."
]
