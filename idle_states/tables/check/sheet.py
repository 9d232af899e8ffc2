"""The page of check: whether this may be merged, what is wrong and where, and the states drawn."""

from collections.abc import Iterator, Sequence

from ...base.dataclass import replace
from ...base.model.findings import Severity
from ...base.model.table import IdleTable
from ...base.report.findings_text import summary
from ...base.report.sheet import FindingsPart, Line, Lines, Marked, Section, Sheet
from ...base.report.style import Style
from ...base.wording import few, plural
from ..show.drawn import faults_of
from ..show.stages import stages
from .answer import Checked

_NAMED, _DRAWN = 3, 24
"""Tables that the title names, and that are drawn."""


def sheet(found: Checked, failing: int, fail_on: Severity) -> Sheet:
    """Returns the page. failing: findings at or above the severity fail_on."""
    tables = [source.table for source in found.sources if source.table is not None]
    title = f"Check of {few([table.name for table in tables] or ['no table'], _NAMED)}"
    answer: Line = f"Yes, this may be merged: no finding at or above {fail_on}"
    if failing:
        count = f": {plural(failing, 'finding')} at or above {fail_on}"
        answer = Marked("error", "No, this may not be merged"), count
    elif not found.complete:
        answer = Marked("warning", "Cannot tell"), ": not every input could be read"
    counts = summary(found.findings, found.size, Style(False), notes=True)
    return Sheet(title, (answer, counts), (*_sections(found, tables),))


def _sections(found: Checked, tables: Sequence[IdleTable]) -> Iterator[Section]:
    findings, texts = found.findings, found.texts
    yield Section("Errors and warnings", (FindingsPart(findings, texts, notes=False),))
    faulty, others = list[IdleTable](), list[IdleTable]()
    for each in tables:
        is_faulty = any(faults_of(state, findings) for state in each.states)
        (faulty if is_faulty else others).append(each)
    for table in faulty[:_DRAWN]:
        yield Section(f"States of {table.name}", (stages(table, findings=findings),))
    notes = [each for each in findings if each.severity is Severity.NOTE]
    yield Section("Notes", (FindingsPart(notes, texts, notes=True),), folded=True)
    kept = [
        replace(each, message=f"{each.message}; suppressed: {each.suppressed}", suppressed=None)
        for each in findings
        if each.suppressed is not None
    ]
    yield Section("Suppressed findings", (FindingsPart(kept, texts, notes=True),), folded=True)
    others = [each for each in others if each.states][: max(0, _DRAWN - len(faulty))]
    if others:
        yield Section("States without errors and warnings", (*map(stages, others),), folded=True)
    kernels = ", ".join(kernel.name for kernel in found.kernels)
    remarks = (found.what, f"Linux {kernels}", *found.left_out, *found.remarks)
    yield Section("What was checked", (Lines(remarks),), folded=True)
