"""Findings as GitHub's workflow commands, which become annotations of a pull request.

Source: GitHub Actions documentation, "Workflow commands", message format.
"""

from collections.abc import Sequence

from ..findings import Finding, Severity
from .escapes import github as escapes

_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(findings: Sequence[Finding]) -> str:
    """One line for each finding that is not suppressed."""
    return "".join(f"{_command(finding)}\n" for finding in findings if finding.counts)


def _command(finding: Finding) -> str:
    where = finding.location
    properties = {
        "file": where.file,
        "line": where.line,
        "col": where.column,
        "endColumn": None if where.column is None else where.column + max(1, where.length),
        "title": f"{finding.rule} {finding.name}",
    }
    given = ",".join(
        f"{key}={escapes.value(str(value))}"
        for key, value in properties.items()
        if value is not None
    )
    table = f"{finding.table}: " if finding.table else ""
    place = f" at {where.path}" if where.line is None and where.path else ""
    kernels = f" (on Linux {', '.join(finding.kernels)})" if finding.kernels else ""
    message = escapes.message(f"{table}{finding.message}{place}{kernels}")
    return f"::{_KINDS[finding.severity]} {given}::{message}"
