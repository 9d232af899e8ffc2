"""The part of an audit that summaries, rows and comparisons ask for, and its text as JSON: what
processes send each other, and what is kept of tables that may come again."""

import os
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from ...base.dataclass import replace
from ...base.model.findings import Finding, Location, Severity, moved
from .audited import Audited
from .fwts import ToolVerdict


class Brief(tuple[Audited, ...]):
    """The audits of one input without what only its own page has. texts: the JSON of each."""

    texts: tuple[str, ...] = ()


def brief(audited: Audited) -> Audited:
    """Returns the audit without what a summary, a row and a comparison do not have. Of an input
    that cannot be read, and of a board, findings keep their messages and places."""
    findings, verdicts = audited.findings, of_verdicts(audited.verdicts)
    if not (audited.unreadable or audited.alike):
        findings = of_findings(findings)
    left: dict[str, Any] = dict.fromkeys(("registered", "selected", "facts"), ())
    left.update(running=None, against=None, source=None)
    return replace(audited, findings=findings, verdicts=verdicts, **left)


def of_findings(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding(f.rule, f.name, f.severity, f.suppressed, f.kept_in) for f in found)


def of_verdicts(found: Iterable[ToolVerdict]) -> tuple[ToolVerdict, ...]:
    return tuple(verdict(v.tool, v.test, bool(v.failures), v.skipped) for v in found)


# equal ones are one object, which is sent once for all inputs of a chunk


@lru_cache(1024)
def finding(
    rule: str, name: str, severity: Severity, suppressed: str | None, kept_in: str
) -> Finding:
    """Returns what `brief` leaves of a finding."""
    return Finding(rule, name, severity, "", Location(), suppressed=suppressed, kept_in=kept_in)


@lru_cache(1024)
def verdict(tool: str, test: str, failed: bool, skipped: str) -> ToolVerdict:
    """Returns what `brief` leaves of another tool's verdict."""
    return ToolVerdict(tool, test, (("", ""),) if failed else (), skipped)


Own = tuple[str, str, str]
"""The values in which inputs that are alike differ: file, sha256, serial."""


def at(common: Audited, own: Own) -> Audited:
    """Returns the audit of an input that is alike another in all else."""
    file, sha256, serial = own
    return replace(
        common,
        file=file,
        sha256=sha256,
        machine=common.machine and replace(common.machine, serial=serial),
        findings=tuple(moved(common.findings, common.file, file)),
    )


class Pattern:
    """The JSON of inputs that are alike, with places for what they differ in."""

    _marks: Own | None = None
    """The marks of this process, in the places of these values when a pattern is made. No input
    knows them, so none has them anywhere."""

    def __init__(self, common: Audited, write: Callable[[Audited], str]) -> None:
        marks = Pattern._marks
        if marks is None:
            mark = os.urandom(16).hex()
            marks = Pattern._marks = f"file{mark}", f"sha256{mark}", f"serial{mark}"
        parts = re.split(f'"({"|".join(marks)})"', write(at(common, marks)))
        self._order = [marks.index(mark) for mark in parts[1::2]]
        self._parts = parts

    def filled(self, own: Own) -> str:
        from ...base.report.escapes.json import encoded

        values = [
            f'"{text}"' if text.isascii() and text.isalnum() else encoded(text, indent=None)
            for text in own
        ]
        self._parts[1::2] = [values[which] for which in self._order]
        return "".join(self._parts)
