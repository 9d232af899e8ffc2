"""The page of check: whether this may be merged, what is wrong and where, and the states drawn."""

from collections.abc import Iterator, Sequence

from ...base.model.findings import Finding, Severity
from ...base.model.table import IdleTable
from ...base.report.findings_text import summary
from ...base.report.sheet import (
    NO_NUMBERS,
    FindingsPart,
    Line,
    Lines,
    Marked,
    Rows,
    Section,
    Sheet,
    SourcePlace,
    indented,
)
from ...base.report.style import Style
from ...base.wording import few, plural
from ..show.drawn import faults_of
from ..show.stages import stages
from .answer import Checked

_NAMED, _DRAWN = 3, 24
"""Tables and findings that the title and the headline name; tables that are drawn."""


def sheet(found: Checked, failing: int, fail_on: Severity) -> Sheet:
    """Returns the page. failing: findings at or above the severity fail_on."""
    tables = [source.table for source in found.sources if source.table is not None]
    names = [table.name for table in tables] or [source.file for source in found.sources]
    title = f"Check of {few(names, _NAMED)}" if names else "Check"
    return Sheet(title, (*_headline(found, failing, fail_on),), (*_sections(found, tables),))


def _headline(found: Checked, failing: int, fail_on: Severity) -> Iterator[Line]:
    if failing:
        said = f": {plural(failing, 'finding')} at or above {fail_on}"
        yield Marked("error", "No, this may not be merged"), said
    elif not found.complete:
        yield Marked("warning", "Cannot tell"), ": not every input could be read"
    else:
        yield f"Yes, this may be merged: no finding at or above {fail_on}"
    yield summary(found.findings, found.size, Style(False), notes=True)
    worst = sorted((each for each in found.findings if each.counts), key=lambda f: -f.severity)
    for each in worst[:_NAMED]:
        if each.severity > Severity.NOTE:
            said = f" {each.rule} {each.name}: {each.subject}: {each.message}"
            yield Marked(str(each.severity), str(each.severity)), said


def _sections(found: Checked, tables: Sequence[IdleTable]) -> Iterator[Section]:
    yield Section("Errors and warnings", (FindingsPart(found.findings, found.texts, notes=False),))
    faulty = [table for table in tables if any(faults_of(s, found.findings) for s in table.states)]
    others = [table for table in tables if table not in faulty]
    for table in faulty[:_DRAWN]:
        yield Section(f"States of {table.name}", (stages(table, findings=found.findings),))
    notes = [each for each in found.findings if each.severity is Severity.NOTE]
    yield Section("Notes", (FindingsPart(notes, found.texts, notes=True),), folded=True)
    kept = tuple(_suppressed(each) for each in found.findings if each.suppressed is not None)
    head = ("Rule", "Message", "Place", "Reason")
    yield Section("Suppressed", (Rows(head, kept, numbers=NO_NUMBERS),), folded=True)
    drawn = [stages(table) for table in others[: max(0, _DRAWN - len(faulty))] if table.states]
    yield Section("States without errors and warnings", (Lines(()), *drawn), folded=True)
    kernels = ", ".join(kernel.name for kernel in found.kernels)
    said = [found.what, f"Linux {kernels}" if kernels else "", *found.left_out, *found.remarks]
    yield Section("What was checked", indented("", said).parts, folded=True)


def _suppressed(each: Finding) -> tuple[Line, ...]:
    return (
        f"{each.rule} {each.name}",
        each.message,
        SourcePlace(each.location),
        each.suppressed or "",
    )
