"""A review as a reply by mail: lines of the message and of the diff quoted, each with what is to be
said of it below; own lines of 72 columns."""

from collections.abc import Iterable, Iterator, Sequence

from ... import __version__
from ...base.model.findings import Finding, Severity
from ...base.report.escapes.mail import body, quoted
from ...base.report.escapes.text import printable
from ...base.wording import plural
from . import said_words as words
from .claims.claim import ClaimVerdict, MessageClaim
from .letters import Letter
from .quotes import QuotedHunk, hunks
from .result import Review, Reviewed, TableChange
from .said_machines import entries

_BEFORE = 6
"""Lines quoted before one that is answered; more are left out, which is said."""
_LINES = 4
"""Lines that a sentence of a message may take."""
_CUT = "> [...]"

Paragraph = list[str]


def render(review: Review, *, notes: bool) -> str:
    """Returns a reply without headers. notes: show notes as well."""
    paragraphs = list(_opening(review))
    for change in review.changes:
        paragraphs += _change(change, review, notes)
    paragraphs += _rest(review)
    text = "\n\n".join("\n".join(lines) for lines in paragraphs if lines)
    return f"{text}\n\n-- \nidle-states {__version__}\n"


def _opening(review: Review) -> Iterator[Paragraph]:
    first = review.letters[0] if review.letters else None
    if first is not None and review.is_mailed:
        when = f"On {first.date:%a, %d %b %Y %H:%M:%S %z}, " if first.date else ""
        wrote = _own(f"{when}{first.author} wrote:") if first.author else []
        yield [*wrote, quoted(first.subject)]
    found = words.worst(review)
    yield [
        *_own(words.verdict(review)),
        *(_own(f"Worst: {words.tag(found)}, see below.") if found else ()),
    ]


def _change(change: Reviewed, review: Review, notes: bool) -> Iterator[Paragraph]:
    if change.commit is not None and (review.commits > 1 or not review.is_mailed):
        yield _own(f"{words.commit_line(change.commit)}:")
    left = [f for f in change.new if f.counts and (notes or f.severity is not Severity.NOTE)]
    for claim in change.claims:
        about = _about(claim, left)
        letter = _letter(claim, review)
        if about is not None and letter is not None:
            left.remove(about)
            yield [quoted(line) for line in _sentence(claim, letter)]
            yield _own(f"{words.tag(about)}: {claim.against}")
    tables = list(change.tables)
    for hunk in hunks(change, review):
        yield from _answered(hunk, tables, left, review, change)
    for table in tables:
        yield _effects(table, review)
    if change.processors:
        yield _listed("Processors of intel_idle's list:", words.processors(change))
    if left:
        yield _listed("Besides:", [words.said(finding, review) for finding in left])


def _about(claim: MessageClaim, findings: Sequence[Finding]) -> Finding | None:
    """The finding that a claim led to, among those to be shown."""
    if claim.verdict is not ClaimVerdict.CONTRADICTED:
        return None
    return next((f for f in findings if f.rule == claim.rule and claim.against in f.message), None)


def _letter(claim: MessageClaim, review: Review) -> Letter | None:
    """The message that a claim stands in, if it is one that is answered: a cover letter's claims
    name no commit."""
    if claim.answer:
        return None
    return next(
        (
            letter
            for letter in review.letters
            if (letter.commit.startswith(claim.commit) if claim.commit else not letter.commit)
        ),
        None,
    )


def _sentence(claim: MessageClaim, letter: Letter) -> list[str]:
    """The lines of a message that a claim takes, from its first."""
    lines = letter.message.splitlines()[claim.line - 1 :][:_LINES]
    for count in range(1, len(lines)):
        if claim.text in " ".join(" ".join(lines[:count]).split()):
            return lines[:count]
    return lines[:1] if claim.text not in " ".join(" ".join(lines).split()) else lines


def _answered(
    hunk: QuotedHunk,
    tables: list[TableChange],
    findings: list[Finding],
    review: Review,
    change: Reviewed,
) -> Iterator[Paragraph]:
    """A hunk, with what is to be said of its lines below them; takes that out of the lists."""
    answers: dict[int, list[Paragraph]] = {}
    for table in list(tables):
        at = hunk.last_of(table)
        if at is not None:
            tables.remove(table)
            answers.setdefault(at, []).append(_effects(table, review))
    for finding in list(findings):
        at = hunk.line_of(finding.location, _text_at(finding, review, change))
        if at is not None:
            findings.remove(finding)
            answers.setdefault(at, []).append(_own(words.said(finding, review, place=False)))
    start = 0
    for at in sorted(answers):
        lines = [line.text for line in hunk.lines[start : at + 1]]
        cut = [_CUT] if len(lines) > _BEFORE else []
        head = [quoted(f"+++ b/{hunk.file}"), quoted(hunk.head)] if not start else []
        yield [*head, *cut, *map(quoted, lines[-_BEFORE:])]
        yield from answers[at]
        start = at + 1


def _text_at(finding: Finding, review: Review, change: Reviewed) -> str:
    """The line that a finding names, as it is after the change."""
    where = finding.location
    texts = [review.texts, *(table.source.texts for table in change.tables)]
    lines = next((t[where.file] for t in texts if where.file in t), "").splitlines()
    return lines[where.line - 1] if where.line is not None and where.line <= len(lines) else ""


def _effects(table: TableChange, review: Review) -> Paragraph:
    """What the change of a table does, in firmware, kernels, selections and on machines."""
    machines = table.machines
    said = [
        *words.rows(table.differences),
        *(entries(machines, review.governor) if machines is not None else ()),
        *words.per_kernel(table.linux, "Linux", review),
        *words.per_kernel(table.selection, f"{review.governor} on Linux", review),
    ]
    gone = [f for f in table.outcome.fixed if f.counts and f.severity is not Severity.NOTE]
    said += [f"fixes {words.said(finding, review, place=False)}" for finding in gone]
    return _listed(f"{words.title(table)}:", said) if said else []


def _rest(review: Review) -> Iterator[Paragraph]:
    claims = [claim for change in review.changes for claim in change.claims]
    if claims:
        of = "the message and its answers" if any(c.answer for c in claims) else "the message"
        holds = sum(claim.verdict is ClaimVerdict.HOLDS for claim in claims)
        open_ = sum(claim.verdict is ClaimVerdict.NOT_CHECKED for claim in claims)
        yield _own(
            f"{plural(len(claims), 'number')} of {of} looked at: {holds} agree, {open_} could "
            "not be checked."
        )
    yield _own(f"Reviewed: {words.looked_at(review)}.")
    if review.remarks:
        yield _listed("How it was read:", review.remarks)
    if grounds := words.grounds(review):
        yield _listed("The simulated figures rest on:", grounds)
    if rest := [*review.assumptions, *words.sources_of_kernels(review)]:
        yield _listed("Selections rest on:", rest)


def _listed(head: str, items: Iterable[str]) -> Paragraph:
    everything = list(items)
    lines = _own(head)
    for item in everything[: words.SHOWN]:
        lines += _own(item, "  ")
    if len(everything) > words.SHOWN:
        lines.append(f"  and {len(everything) - words.SHOWN} more, see --format json")
    return lines


def _own(text: str, indent: str = "") -> Paragraph:
    """Lines of the reply itself; none begins as what git takes for another patch."""
    return [body(line) for line in words.wrapped(printable(text), indent)]
