"""The forms in which findings are reported to machines; text is each command's own."""

from collections.abc import Mapping, Sequence

from ...base.model.findings import Finding, Location
from ...base.report import github, junit
from ..documents import json_output
from ..linux.releases import Release
from . import sarif
from .check_document import Check

FORMATS = ("text", "json", "sarif", "github", "junit")


def render(
    form: str,
    command: str,
    findings: Sequence[Finding],
    inputs: Sequence[tuple[str, str]],
    texts: Mapping[str, str],
    homes: Mapping[str, Location] | None = None,
    kernels: Sequence[Release] = (),
) -> str:
    """form: one of FORMATS but text. inputs: (file, SHA-256); texts: file -> text; homes: see
    github; kernels: that tables were followed into."""
    if form == "sarif":
        return sarif.render(command, findings, inputs, texts)
    if form == "github":
        return github.render(findings, homes)
    if form == "junit":
        return junit.render(command, findings, inputs)
    return json_output.envelope(command, Check, findings, inputs, kernels)
