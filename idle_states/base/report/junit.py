"""Findings as JUnit XML, for CI systems that show test reports.

A test suite per input; a test case per finding, and one that passes for an input without any.
Errors and warnings fail, and notes where the exit status counts them (--fail-on note); other notes
and suppressed findings are skipped tests with their reason.
Form: the Jenkins JUnit plugin's junit-10.xsd, which GitLab reads as well.
"""

from collections.abc import Iterable, Iterator

from ..model.findings import Finding, Severity
from .escapes.text import printable
from .escapes.xml import attribute, content
from .findings_text import FoundPart

_Suites = dict[str, list[Finding]]


def render(command: str, parts: Iterable[FoundPart], least: Severity) -> Iterator[str]:
    """Yields the lines. least: as severe as this fails.

    Goes through the parts twice: the totals come first.
    """
    elsewhere = _Suites()
    cases = failures = 0
    for part in parts:
        cases += sum(max(1, len(found)) for found in _suites(part, elsewhere).values())
        failures += sum(_fails(finding, least) for finding in part.findings)
    cases += sum(map(len, elsewhere.values()))
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="idle-states {command}" tests="{cases}" failures="{failures}">\n'
    for part in parts:
        digests = dict(part.inputs)
        for file, found in _suites(part, {}).items():
            yield "\n".join([*_suite(file, digests[file], found, least), ""])
    for file, found in elsewhere.items():
        yield "\n".join([*_suite(file, "", found, least), ""])
    yield "</testsuites>\n"


def _suites(part: FoundPart, elsewhere: _Suites) -> _Suites:
    """Returns the findings of each input; those of other files are added to theirs."""
    suites: _Suites = {file: [] for file, _ in part.inputs}
    for finding in part.findings:
        file = finding.location.file or finding.table
        (suites if file in suites else elsewhere).setdefault(file, []).append(finding)
    return suites


def _suite(file: str, digest: str, findings: list[Finding], least: Severity) -> Iterator[str]:
    failures = sum(_fails(finding, least) for finding in findings)
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
        yield from _case(file, finding, least)
    yield "  </testsuite>"


def _case(file: str, finding: Finding, least: Severity) -> Iterator[str]:
    where = finding.location
    name = f"{finding.tag} {where.path}".rstrip()
    yield f"    <testcase classname={attribute(file)} name={attribute(name)}>"
    kernels = f"\non Linux {', '.join(finding.kernels)}" if finding.kernels else ""
    if _fails(finding, least):
        text = printable(f"{where}: {finding.message}") + kernels
        yield (
            f"      <failure type={attribute(str(finding.severity))} "
            f"message={attribute(finding.message)}>{content(text)}</failure>"
        )
    else:
        reason = finding.message if finding.suppressed is None else finding.suppressed
        yield f"      <skipped message={attribute(reason)}/>"
    yield "    </testcase>"


def _fails(finding: Finding, least: Severity) -> bool:
    return finding.counts and finding.severity >= least
