"""A review as a reply by mail: lines of the message and of the diff quoted, each with what is to be
said of it below; own lines of 72 columns."""

from collections.abc import Iterable, Iterator, Sequence

from ... import __version__
from ...base.dataclass import dataclass
from ...base.model.findings import Finding, Location
from ...base.reading.patch import FileChange, read_diff
from ...base.report.diff import file_diff
from ...base.report.escapes.mail import body, quoted
from ...base.report.findings_text import shown
from ...base.wording import plural
from . import choices
from . import said_words as words
from .claims.claim import ClaimVerdict, MessageClaim
from .result import Letter, Review, Reviewed, TableChange

_BEFORE = 6
"""Lines quoted before one that is answered; more are left out, which is said."""
_LINES = 4
"""Lines that a sentence of a message may take."""
_CUT = "> [...]"

Paragraph = list[str]


@dataclass(frozen=True, slots=True)
class QuotedHunk:
    """head   its line with @@, without what a mail's wrapping may have made of it
    lines  as the diff has them, each with its number after the change; None of one that goes
    """

    file: str
    head: str
    lines: tuple[tuple[str, int | None], ...]

    def line_of(self, where: Location, text: str) -> int | None:
        """The index of the line that a place names; None for one elsewhere.

        text: what stands there where the place was found. A later patch may have moved it, and
        without a tree it may be of a row that the diff does not show: then it is not quoted.
        """
        wanted = text.strip()
        for index, (line, number) in enumerate(self.lines):
            if where.file == self.file and number is not None and number == where.line:
                is_there = wanted and line[1:].strip().startswith(wanted)
                return index if is_there else None
        return None

    def last_of(self, table: TableChange) -> int | None:
        """The index of the last line that changes within a table; None where none does."""
        rows = _rows(table)
        at = 0
        found = None
        for index, (line, number) in enumerate(self.lines):
            at = number or at
            if line[:1] != " " and self.file == table.source.file and at in rows:
                found = index
        return found


def hunks(change: Reviewed, review: Review) -> list[QuotedHunk]:
    """What the change's diffs show, in order: as mailed, or else between the two ends."""
    mailed = [
        one
        for letter in review.letters
        if change.commit is None or letter.commit == change.commit.hash
        for one in letter.files
    ]
    return [quoted for one in mailed or _compared(change.tables) for quoted in _hunks(one)]


def _compared(tables: Iterable[TableChange]) -> list[FileChange]:
    texts: dict[str, tuple[str, str]] = {}
    for table in tables:
        a, b = table.before, table.after
        if a is not None and b is not None and a.file == b.file:
            texts[b.file] = a.texts.get(a.file, ""), b.texts.get(b.file, "")
    diff = "".join(file_diff(name, *ends) for name, ends in texts.items() if all(ends))
    return list(read_diff(diff, "the change")[0]) if diff else []


def _hunks(change: FileChange) -> Iterable[QuotedHunk]:
    for hunk in change.hunks:
        lines = []
        number = hunk.new
        for line in hunk.lines:
            lines.append((line.mark + line.text, None if line.mark == "-" else number))
            number += line.mark != "-"
        head = f"@@ -{hunk.old},{len(hunk.before)} +{hunk.new},{len(hunk.after)} @@ {hunk.section}"
        yield QuotedHunk(change.path, head.rstrip(), tuple(lines))


def _rows(table: TableChange) -> Sequence[int]:
    """The numbers of the lines that a table's rows take after the change."""
    known = table.source.table
    if known is None:
        return ()
    places = [*known.where.values(), *(p for state in known.states for p in state.where.values())]
    lines = [place.line for place in places if place.line is not None]
    # the brace that ends the last row
    return range(min(lines), max(lines) + 3) if lines else ()


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
    left = shown(change.new, notes=notes)
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
    if change.choices:
        yield _listed(f"{words.CHOICES}:", map(choices.in_words, change.choices))
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
        lines = [line for line, _ in hunk.lines[start : at + 1]]
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
    told = words.effects(table, review)
    said = [*told.rows, *told.machines, *told.linux, *told.selection]
    gone = shown(table.outcome.fixed, notes=False)
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
    for head, some in words.grounds_of_all(review):
        yield _listed(f"{head}:", some)


def _listed(head: str, items: Iterable[str]) -> Paragraph:
    return [*_own(head), *words.limited(items, lambda item: _own(item, "  "))]


def _own(text: str, indent: str = "") -> Paragraph:
    """Lines of the reply itself; none begins as what git takes for another patch."""
    return [body(line) for line in words.wrapped(text, indent)]
