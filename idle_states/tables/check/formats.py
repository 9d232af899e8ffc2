"""The forms in which findings are reported to machines; text is each command's own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...base.model.findings import Location, Severity
from ...base.report import github, junit
from ...base.report.findings_text import FoundPart
from ...base.spill import Stored
from ..documents import json_output
from ..linux.releases import Release
from . import sarif
from .check_document import Check

FORMATS = ("text", "json", "sarif", "github", "junit")


def render(
    form: str,
    command: str,
    found: FoundPart,
    homes: Mapping[str, Location] | None = None,
    kernels: Sequence[Release] = (),
    fail_on: Severity = Severity.WARNING,
) -> str:
    """form: one of FORMATS but text; homes: see github; kernels: that tables were followed into;
    fail_on: see junit."""
    if form == "json":
        return json_output.envelope(command, Check, found.findings, found.inputs, kernels)
    return "".join(parts(form, command, [found], homes, fail_on))


def parts(
    form: str,
    command: str,
    found: Iterable[FoundPart],
    homes: Mapping[str, Location] | None,
    fail_on: Severity,
) -> Iterator[str]:
    """Yields the same but JSON, part by part; what cannot be written so is kept on disk."""
    if form == "github":
        return (github.render(part.findings, homes) for part in found)
    kept = found if isinstance(found, list) else Stored(found)
    if form == "sarif":
        return sarif.render(command, kept)
    return junit.render(command, kept, min(fail_on, Severity.WARNING))
