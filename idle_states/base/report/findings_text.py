"""Findings for people: place, message, the source line with a caret, what it relates to."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..model.findings import Finding, Location, Severity
from ..wording import joined, plural
from .escapes.text import printable, printable_source
from .style import Style
from .tables import width


def render(
    findings: Sequence[Finding],
    texts: Mapping[str, str],
    style: Style,
    *,
    notes: bool,
    suppressed: bool = False,
) -> str:
    """One block per finding. Notes and suppressed findings only if asked for."""
    chosen = shown(findings, notes=notes, suppressed=suppressed)
    # a step stands once, below the last of the findings that it is for
    following = [*(finding.next_step for finding in chosen[1:]), ""][: len(chosen)]
    return "\n".join(
        _block(finding, texts, style, finding.next_step * (finding.next_step != other))
        for finding, other in zip(chosen, following, strict=True)
    )


class FoundPart(NamedTuple):
    """A part of a report of findings, as machines are given it: of one input, or of all.

    inputs  (file, SHA-256, "" if not known); no other part has them
    texts   file -> text, for snippets
    """

    findings: Sequence[Finding]
    inputs: Sequence[tuple[str, str]]
    texts: Mapping[str, str]


def shown(findings: Iterable[Finding], *, notes: bool, suppressed: bool = False) -> list[Finding]:
    """The findings that people are shown."""
    return [
        finding
        for finding in findings
        if (suppressed or finding.suppressed is None)
        and (notes or finding.severity is not Severity.NOTE)
    ]


def summary(findings: Sequence[Finding], what: str, style: Style, *, notes: bool) -> str:
    """Returns a line: the findings of each severity, the most severe, and how many are hidden."""
    counted = [finding for finding in findings if finding.counts]
    parts = []
    for severity in reversed(Severity):
        count = sum(finding.severity is severity for finding in counted)
        text = plural(count, str(severity))
        parts.append(style(str(severity), text) if count else text)
    line = f"{what}: {joined(parts)}"
    if counted:
        line += f"; the most severe: {max(counted, key=lambda found: found.severity).tag}"
    hidden = []
    quiet = sum(finding.severity is Severity.NOTE for finding in counted)
    if quiet and not notes:
        hidden.append("--notes shows the notes")
    suppressed = len(findings) - len(counted)
    if suppressed:
        hidden.append(f"{suppressed} suppressed with a reason")
    return line + (f" ({'; '.join(hidden)})" if hidden else "")


def _block(finding: Finding, texts: Mapping[str, str], style: Style, step: str) -> str:
    where = finding.location
    head = f"{style('strong', printable(str(where)))}: "
    if where.line is None and where.file and where.path:
        head = f"{style('strong', printable(where.file))}: {printable(where.path)}: "
    severity = style(str(finding.severity), str(finding.severity))
    tag = style("faint", f"[{finding.tag}]")
    # without a line the path stands before
    subject = f"{finding.subject}: " if where.line is not None and finding.subject else ""
    lines = [f"{head}{severity}: {printable(subject + finding.message)} {tag}"]
    lines += _frame(finding.location, texts, style)
    if finding.kernels:
        lines.append(f"      = on Linux {', '.join(finding.kernels)}")
    for where, remark in finding.related:
        place = str(where) if where.file else where.path
        lines.append(f"      = {printable(f'{place}: {remark}')}")
    if finding.suppressed is not None:
        lines.append(f"      = suppressed: {printable(finding.suppressed)}")
    if step:
        lines.append(f"      = next: {step}")
    return "\n".join(lines) + "\n"


def statistics(findings: Iterable[Finding]) -> str:
    """A line for each rule and severity: how many findings count, the most first."""
    counts = Counter((f.rule, f.name, f.severity) for f in findings if f.counts)
    ranked = sorted(counts.items(), key=lambda item: (-item[0][2], -item[1], item[0][0]))
    return "".join(
        f"{count:6}  {rule} {name:<36} {severity}\n" for (rule, name, severity), count in ranked
    )


@lru_cache(maxsize=4)
def lines_of(text: str) -> Sequence[str]:
    """Returns the lines of a source, kept because many findings may concern it."""
    return text.splitlines()


def _window(source: str, at: int) -> tuple[str, int]:
    """Returns the part of a source line that fits the terminal, and the column's place in it. ...
    stands for text left out."""
    room = width() - _NUMBER
    if not sys.stdout.isatty() or len(source) <= room:
        return source, at
    start = max(0, min(at - room // 3, len(source) - room))
    end = start + room
    head, tail = "..." * (start > 0), "..." * (end < len(source))
    return head + source[start + len(head) : end - len(tail)] + tail, at - start


_NUMBER, _LONGEST = 8, 400
"""Columns before a source line, and the most that one may have to be shown."""


def source_line(where: Location, texts: Mapping[str, str]) -> str | None:
    """Returns the line of a source that a place is in; None where it is not known or too long."""
    if where.file is None or where.line is None or where.column is None:
        return None
    lines = lines_of(texts.get(where.file, ""))
    source = lines[where.line - 1] if where.line <= len(lines) else None
    return None if len(source or "") > _LONGEST or where.column > _LONGEST else source


def _frame(where: Location, texts: Mapping[str, str], style: Style) -> list[str]:
    """The source line and a caret under the value, where there is one."""
    source = source_line(where, texts)
    if source is None or where.line is None or where.column is None:
        return []
    source, at = _window(source, where.column - 1)
    before = source[:at]
    padding = "".join(char if char == "\t" else " " for char in before)
    length = max(1, min(where.length, len(source) - len(before)))
    number = f"{where.line:5}"
    return [
        f"{style('faint', number + ' |')} {printable_source(source)}",
        f"{style('faint', '      |')} {padding}{style('note', '^' * length)}",
    ]
