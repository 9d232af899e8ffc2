"""The JSON envelope and the JSON form of findings (schemas/output.schema.json)."""

from collections.abc import Iterable, Sequence
from typing import Any

from .. import __version__
from ..findings import Finding, Location, Severity
from .escapes.json import encoded

SCHEMA_VERSION = 1


def envelope(command: str, body: dict[str, Any], inputs: Iterable[tuple[str, str]] = ()) -> str:
    """One document: tool, inputs with their SHA-256, and the command's own keys."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "idle-states", "version": __version__},
        "command": command,
        "inputs": [{"file": file, "sha256": digest} for file, digest in dict.fromkeys(inputs)],
        **body,
    }
    return encoded(document) + "\n"


def findings_body(findings: Sequence[Finding]) -> dict[str, Any]:
    counted = [finding for finding in findings if finding.counts]
    return {
        "findings": [finding_json(finding) for finding in findings],
        "summary": {
            str(severity): sum(finding.severity is severity for finding in counted)
            for severity in reversed(Severity)
        },
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "name": finding.name,
        "severity": str(finding.severity),
        "confidence": str(finding.confidence),
        "table": finding.table,
        "message": finding.message,
        "location": location_json(finding.location),
        "related": [
            {"location": location_json(where), "message": remark}
            for where, remark in finding.related
        ],
        "kernels": list(finding.kernels),
        "suppressed": None
        if finding.suppressed is None
        else {"reason": finding.suppressed, "in": finding.kept_in},
    }


def location_json(where: Location) -> dict[str, Any]:
    return {
        "file": where.file,
        "line": where.line,
        "column": where.column,
        "path": where.path,
    }
