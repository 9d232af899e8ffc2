"""Findings as JUnit XML, for CI systems that show test reports.

A test suite per input; a test case per finding, and one that passes for an input without any.
Errors and warnings fail, notes and suppressed findings are skipped tests with their reason.
Form: the Jenkins JUnit plugin's junit-10.xsd, which GitLab reads as well.
"""

from collections.abc import Iterable, Sequence

from ..model.findings import Finding, Severity
from .escapes.text import printable
from .escapes.xml import attribute, content


def render(command: str, findings: Sequence[Finding], inputs: Iterable[tuple[str, str]]) -> str:
    """inputs: (file, SHA-256 or "")."""
    digests = dict(inputs)
    suites: dict[str, list[Finding]] = {file: [] for file in digests}
    for finding in findings:
        suites.setdefault(finding.location.file or finding.table, []).append(finding)
    cases = sum(max(1, len(found)) for found in suites.values())
    failures = sum(_fails(finding) for finding in findings)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="idle-states {command}" tests="{cases}" failures="{failures}">',
    ]
    for file, found in suites.items():
        lines += _suite(file, digests.get(file, ""), found)
    return "\n".join([*lines, "</testsuites>", ""])


def _suite(file: str, digest: str, findings: list[Finding]) -> Iterable[str]:
    failures = sum(_fails(finding) for finding in findings)
    skipped = len(findings) - failures
    yield (
        f'  <testsuite name={attribute(file)} tests="{max(1, len(findings))}" '
        f'failures="{failures}" errors="0" skipped="{skipped}">'
    )
    if digest:
        yield f'    <properties><property name="sha256" value="{digest}"/></properties>'
    if not findings:
        yield f'    <testcase classname={attribute(file)} name="no findings"/>'
    for finding in findings:
        yield from _case(file, finding)
    yield "  </testsuite>"


def _case(file: str, finding: Finding) -> Iterable[str]:
    where = finding.location
    name = f"{finding.rule} {finding.name} {where.path}".rstrip()
    yield f"    <testcase classname={attribute(file)} name={attribute(name)}>"
    kernels = f"\non Linux {', '.join(finding.kernels)}" if finding.kernels else ""
    if _fails(finding):
        text = printable(f"{where}: {finding.message}") + kernels
        yield (
            f"      <failure type={attribute(str(finding.severity))} "
            f"message={attribute(finding.message)}>{content(text)}</failure>"
        )
    else:
        reason = finding.message if finding.suppressed is None else finding.suppressed
        yield f"      <skipped message={attribute(reason)}/>"
    yield "    </testcase>"


def _fails(finding: Finding) -> bool:
    return finding.counts and finding.severity is not Severity.NOTE
