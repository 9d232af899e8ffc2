"""The request for a check, and its result."""

from dataclasses import dataclass

from ..findings import Finding, sort_findings
from ..sources import Source, read_sources
from ..spec.packaged import current
from .acceptance import USUAL, Acceptance
from .check import check
from .criteria import Criteria

NATIVE, DTSCHEMA = "native", "dtschema"


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to check, and how.

    tables  TABLE arguments; empty: all current revisions
    engine  NATIVE: this tool's rules; DTSCHEMA: the dt-schema binding; anything else: both
    """

    tables: tuple[str, ...]
    criteria: Criteria
    engine: str = NATIVE
    acceptance: Acceptance = USUAL


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check.

    sources   all tables
    findings  findings, with accepted ones marked as suppressed
    texts     file -> text, for quoting lines
    """

    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    texts: dict[str, str]

    @property
    def inputs(self) -> list[tuple[str, str]]:
        """Files that were read, with their SHA-256."""
        return [(source.file, source.sha256) for source in self.sources]


def checked(request: CheckRequest) -> Checked:
    """Checks as requested. Raises Unreadable, OSError and what reading tables raises."""
    tables = request.tables or current()
    sources = [source for text in tables for source in read_sources(text)]
    criteria = request.criteria
    findings: list[Finding] = []
    if request.engine != DTSCHEMA:
        findings += check(sources, criteria.kernels, criteria.platform, criteria.rules)
    if request.engine != NATIVE:
        from .dtschema_engine import check as check_with_dtschema

        findings += check_with_dtschema(sources, criteria.platform, criteria.rules)
        findings = sort_findings(dict.fromkeys(findings))
    texts = {file: text for source in sources for file, text in source.texts.items()}
    named = [(source.name, source.file) for source in sources]
    found = request.acceptance.applied(findings, named, texts)
    return Checked(tuple(sources), tuple(found), texts)
