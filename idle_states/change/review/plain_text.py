"""A review as plain text, fit for a reply by mail: 72 columns, the verdict in the first line."""

from collections.abc import Iterable, Iterator, Sequence

from ...base.model.findings import Finding
from ...base.report.findings_text import shown as shown_findings
from ...base.report.findings_text import summary
from ...base.report.style import Style
from ...base.wording import plural
from ...tables.check.config import Accepted
from . import words as words
from .claims.claim import ClaimVerdict, MessageClaim
from .result import Review, Reviewed, TableChange


def render(review: Review, *, notes: bool, suppressed: bool) -> str:
    """Returns a review as text of 72 columns.

    notes       show notes as well
    suppressed  show suppressed findings with their reasons
    """
    found = words.worst(review)
    opening = [words.verdict(review)]
    if found is not None and len(review.new) > 1:
        opening.append(f"Worst: {words.sentence(found, review)}")
    lines = _paragraphs([*opening, words.looked_at(review), *review.remarks, *words.since(review)])
    for change in review.changes:
        if change.commit is not None:
            lines += ["", *words.wrapped(words.commit_line(change.commit))]
        lines += _change(change, review, notes, suppressed)
    if grounds := words.grounds(review):
        lines += ["", words.SIMULATED, *_limited(grounds)]
    for known in (review.assumptions, words.sources_of_kernels(review)):
        if known:
            lines += ["", *_paragraphs(known)]
    lines += ["", *words.wrapped(summary(review.new, "New findings", Style(False), notes=notes))]
    return "\n".join(lines) + "\n"


def _change(change: Reviewed, review: Review, notes: bool, suppressed: bool) -> Iterator[str]:
    for table in change.tables:
        yield ""
        yield from _table(table, review, notes, suppressed)
    for head, some in words.beside([change]):
        yield from ("", head)
        yield from _limited(some)
    if change.unread:
        yield ""
        unread = ", ".join(change.unread)
        yield from words.wrapped(f"Not compared, not readable at one end: {unread}")
    elif files := (*change.files.new, *change.files.fixed):
        yield ""
        yield "Files" if any(one.rule == "IS931" for one in files) else "Configuration"
    yield from _findings("new", change.files.new, review, notes)
    yield from _findings("fixed", change.files.fixed, review, notes)
    if change.suppressions:
        yield ""
        yield "Suppressions that the change adds"
        yield from _limited(_added(one) for one in change.suppressions)
    if change.message:
        yield ""
        yield "The message and the change"
        yield from _findings("", change.message, review, notes)
    if change.claims:
        yield ""
        yield from _claims(change.claims, notes)


def _claims(claims: Sequence[MessageClaim], everything: bool) -> Iterator[str]:
    """Yields the counts of numbers in messages by verdict; everything: also each of them."""
    counts = [
        f"{sum(claim.verdict is verdict for claim in claims)} {verb}"
        for verdict, verb in (
            (ClaimVerdict.HOLDS, "agree"),
            (ClaimVerdict.CONTRADICTED, "contradicted"),
            (ClaimVerdict.NOT_CHECKED, "not checked"),
        )
    ]
    more = "" if everything else " (--notes lists them)"
    yield from words.wrapped(f"Numbers in the message: {', '.join(counts)}{more}")
    if everything:
        for claim in claims:
            yield from words.wrapped(words.claimed(claim), "  ")


def _added(one: Accepted) -> str:
    until = f" until {one.until}" if one.until else ""
    of = f" {one.path}" if one.path else ""
    rules = ",".join(one.rules)
    return f"{one.where.file}:{one.where.line}: {rules}{of}{until}: {one.reason or 'no reason'}"


def _table(table: TableChange, review: Review, notes: bool, suppressed: bool) -> Iterator[str]:
    yield from words.wrapped(words.title(table))
    effects = words.effects(table, review)
    for part in (effects.rows, effects.linux, effects.selection, effects.machines):
        yield from _limited(part)
    yield from _findings("new", table.outcome.new, review, notes)
    yield from _findings("fixed", table.outcome.fixed, review, notes)
    if suppressed:
        for finding in table.outcome.silenced:
            text = f"suppressed now: {words.tag(finding)}: {finding.suppressed}"
            yield from words.wrapped(text, "  ")


def _findings(
    label: str, findings: Iterable[Finding], review: Review, notes: bool
) -> Iterator[str]:
    shown = shown_findings(findings, notes=notes)
    hidden = sum(f.counts for f in findings) - len(shown)
    head = f"{label} " if label else ""
    yield from _limited(
        f"{head}{words.sentence(finding, review, place=label != 'fixed')}" for finding in shown
    )
    if hidden:
        yield f"  {label} {plural(hidden, 'note')}, --notes shows them"


def _limited(entries: Iterable[str]) -> Iterator[str]:
    yield from words.limited(entries, lambda entry: words.wrapped(entry, "  "))


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in words.wrapped(text)]
