"""Baselines: the findings a project starts from, so that only new ones count.

A JSON file to be committed. A finding is known by its rule and logical path, so that lines may
move; of several alike at one place, as many are known as were there.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .. import __version__
from ..findings import Finding, Location, Severity, Unreadable, identities
from ..reading import limits, opening

FILE = "idle-states-baseline.json"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """file it was read from, and identity -> message as it was then."""

    file: str
    known: dict[str, str]

    def apply(self, findings: Sequence[Finding]) -> list[Finding]:
        """Known findings marked as suppressed."""
        reason = f"known since {self.file} was written"
        return [
            replace(finding, suppressed=reason, kept_in="baseline")
            if finding.counts and name in self.known
            else finding
            for finding, name in zip(findings, identities(findings), strict=True)
        ]

    def pruned(self, findings: Sequence[Finding]) -> "Baseline":
        """Without what is no longer found."""
        found = set(identities(findings))
        kept = {name: message for name, message in self.known.items() if name in found}
        return Baseline(self.file, kept)

    def text(self) -> str:
        """The file's content, byte-stable."""
        document = {
            "schema_version": _VERSION,
            "tool": {"name": "idle-states", "version": __version__},
            "findings": [
                {"finding": name, "message": message}
                for name, message in sorted(self.known.items())
            ],
        }
        return json.dumps(document, indent=2) + "\n"


def of(findings: Sequence[Finding], file: str) -> Baseline:
    """All findings that count, notes included. A baseline of none is empty, and as good."""
    names = zip(identities(findings), findings, strict=True)
    return Baseline(file, {name: finding.message for name, finding in names if finding.counts})


def read(path: Path) -> Baseline:
    """Raises Unreadable; OSError where the file cannot be read."""
    shown = path.as_posix()
    try:
        document = json.loads(opening.read(path, limits.CONFIGURATION_BYTES))
        version = document["schema_version"]
        known = {str(item["finding"]): str(item["message"]) for item in document["findings"]}
    except (ValueError, RecursionError, LookupError, TypeError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise _bad(shown, f"expected a baseline, found what is none ({problem:.100})") from None
    if version != _VERSION:
        raise _bad(shown, f"expected schema_version {_VERSION}, found {version!r:.40}")
    return Baseline(shown, known)


def _bad(file: str, message: str) -> Unreadable:
    where = Location(file=file)
    return Unreadable([Finding("IS905", "bad-configuration", Severity.ERROR, message, where)])
