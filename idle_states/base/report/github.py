"""Findings as GitHub's workflow commands, which become annotations of a pull request.

Source: GitHub Actions documentation, "Workflow commands", message format.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..model.findings import Finding, Location, Severity
from ..reading import opening
from ..resources import is_packaged
from .escapes import github as escapes

_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(findings: Sequence[Finding], homes: Mapping[str, Location] | None = None) -> str:
    """One line for each finding that is not suppressed.

    homes  table -> a place in its own file: annotated instead of a file that does not exist, such
           as a packaged spec that the table extends; None: files are named as they are
    """
    return "".join(f"{_command(finding, homes)}\n" for finding in findings if finding.counts)


def _command(finding: Finding, homes: Mapping[str, Location] | None) -> str:
    where, place = finding.location, ""
    if homes is not None and where.file and not _is_annotated(where.file):
        place = f" at {where}"
        home = homes.get(finding.table)
        where = home if home and home.file and _is_annotated(home.file) else Location()
    properties = {
        "file": _from_workspace(where.file) if homes is not None else where.file,
        "line": where.line,
        "col": where.column,
        "endColumn": None if where.column is None else where.column + max(1, where.length),
        "title": finding.tag,
    }
    given = ",".join(
        f"{key}={escapes.value(str(value))}"
        for key, value in properties.items()
        if value is not None
    )
    subject = f"{finding.subject}: " if finding.subject else ""
    kernels = f" (on Linux {', '.join(finding.kernels)})" if finding.kernels else ""
    message = escapes.message(f"{subject}{finding.message}{kernels}{place}")
    return f"::{_KINDS[finding.severity]} {given}::{message}"


def _is_annotated(file: str) -> bool:
    """Tells whether a file can have annotations: packaged specs are beside the checkout."""
    return opening.kind_of(file) is not None and not is_packaged(file)


def _from_workspace(file: str | None) -> str | None:
    """A path as the runner takes it: from the top of the checkout, wherever the command runs."""
    top = os.environ.get("GITHUB_WORKSPACE")
    if not file or not top:
        return file
    path = Path(os.path.abspath(file))
    return path.relative_to(top).as_posix() if path.is_relative_to(top) else file
