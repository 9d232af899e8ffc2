"""Baselines: the findings a project starts from, so that only new ones count.

A JSON file to be committed. A finding is identified by its rule and logical path, so that lines may
move. If a rule has several findings at one path, as many are known as the baseline lists.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from ... import __version__
from ...base.dataclass import dataclass, replace
from ...base.model.findings import Finding, Location, Severity, Unreadable, identities, next_step
from ...base.reading import limits, opening
from ...base.reading.budget import within_budget

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known findings. file: where they are stored; known: identity -> message."""

    file: str
    known: dict[str, str]

    def apply(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings with known ones marked as suppressed."""
        reason = f"known since {self.file} was written"
        return [
            replace(finding, suppressed=reason, kept_in="baseline")
            if finding.counts and name in self.known
            else finding
            for finding, name in zip(findings, identities(findings), strict=True)
        ]

    def pruned(self, findings: Sequence[Finding]) -> "Baseline":
        """The baseline without entries that are not among `findings`."""
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
    """A baseline of all findings that are not suppressed, notes included; it may be empty."""
    names = zip(identities(findings), findings, strict=True)
    return Baseline(file, {name: finding.message for name, finding in names if finding.counts})


@next_step("write the baseline again: idle-states check --write-baseline FILE TABLE")
def read(path: Path) -> Baseline:
    """Reads a baseline, of "-" from standard input. Raises Unreadable if it is malformed, OSError
    if it cannot be opened."""
    name = path.as_posix()
    with within_budget(name):
        if name == opening.STANDARD_INPUT:
            return parse(opening.standard_input(limits.CONFIGURATION_BYTES), name)
        return parse(opening.read(path, limits.CONFIGURATION_BYTES), name)


def parse(data: bytes, shown: str) -> Baseline:
    """The baseline in the bytes of a file. shown: its name in messages. Raises Unreadable."""
    try:
        document = json.loads(data)
        version = document["schema_version"]
        known = {str(item["finding"]): str(item["message"]) for item in document["findings"]}
    except (ValueError, RecursionError) as error:
        raise _bad(shown, f"expected a baseline, found what is no JSON ({error!s:.100})") from None
    except (LookupError, TypeError):
        message = 'expected a baseline, with "schema_version" and "findings", found other JSON'
        raise _bad(shown, message) from None
    if version != _VERSION:
        raise _bad(shown, f"expected schema_version {_VERSION}, found {version!r:.40}")
    return Baseline(shown, known)


def _bad(file: str, message: str) -> Unreadable:
    where = Location(file=file)
    return Unreadable([Finding("IS905", "bad-configuration", Severity.ERROR, message, where)])
