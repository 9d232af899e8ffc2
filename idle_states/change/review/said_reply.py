"""A review as a reply by mail, to one mail of what is reviewed: lines of its text and of its diff
quoted, each with what is to be said of it below; own lines of 72 columns.

Said are errors, and warnings that are sure: what else there is, the other forms have.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from email.utils import parseaddr

from ... import __version__
from ...base.dataclass import dataclass, field
from ...base.model.findings import Confidence, Finding, Location, Severity
from ...base.reading.mail import Mail, is_reply
from ...base.reading.patch import FileChange, read_diff
from ...base.report.diff import file_diff
from ...base.report.escapes.mail import address, body, header, quoted
from ...base.report.escapes.text import printable
from ...base.report.findings_text import shown
from ...base.report.tables import wrapped as paragraph
from ...base.wording import joined, number_ranges, plural
from ..patches.mail import mime
from . import said_words as words
from .claims.claim import ClaimVerdict, MessageClaim
from .result import Letter, Review, Reviewed, TableChange

_BEFORE = 6
"""Lines quoted before one that is answered; more are left out, which is said."""
_LINES = 4
"""Lines that a sentence of a message may take."""
_SAME = 3
"""Findings of one rule that are explained; the places of others are listed."""
_CHANGED = re.compile(rf" {{1,{_BEFORE}}}[-+]+")
_LAYOUT = re.compile(r"[\s{}]+")
"""What a diff without its tree does not keep of a line."""
_OWN = "IS9"
"""Rules about what this program could not do: nothing that the sender has to mend."""
_CUT = "> [...]"

Paragraph = list[str]


@dataclass(frozen=True, slots=True)
class QuotedHunk:
    """head   its line with @@, without what a mail's wrapping may have made of it
    lines  as the diff has them, each with its number after the change; None of one that goes
    letter  that the diff is mailed with; None of one between two commits
    """

    file: str
    head: str
    lines: tuple[tuple[str, int | None], ...]
    letter: Letter | None = None

    def line_of(self, where: Location, text: str) -> int | None:
        """The index of the line that a place names; None for one elsewhere.

        text: what stands there where the place was found. A later patch may have moved it, and
        without a tree it may be of a row that the diff does not show: then it is not quoted.
        """
        for index, (line, number) in enumerate(self.lines):
            if where.file == self.file and number is not None and number == where.line:
                return self._changed_from(index) if _is_there(line[1:], text) else None
        return None

    def _changed_from(self, index: int) -> int:
        """A line, or the last of those that change right below one that does not: of a row, its
        first line is named."""
        marks = "".join(line[:1] for line, _ in self.lines[index:])
        found = _CHANGED.match(marks)
        return index + found.end() - 1 if found else index


def _is_there(line: str, text: str) -> bool:
    """Tells whether a line of a diff is one of a file, which may have more beside it."""
    shown, known = (_LAYOUT.sub("", one) or one.strip() for one in (line, text))
    return bool(shown and known) and (known.startswith(shown) or shown.startswith(known))


@dataclass(frozen=True, slots=True)
class _Answers:
    """What is said, below what it is about.

    by_letter  number of the letter, None for what no mail has, and the paragraphs
    besides    findings that no line quoted is about
    """

    by_letter: dict[int | None, list[Paragraph]] = field(default_factory=dict)
    besides: list[Finding] = field(default_factory=list)


def hunks(change: Reviewed, review: Review) -> list[QuotedHunk]:
    """What the change's diffs show, in order: as mailed, or else between the two ends."""
    mailed: list[tuple[FileChange, Letter | None]] = [
        (one, letter)
        for letter in review.letters
        if change.commit is None or letter.commit == change.commit.hash
        for one in letter.files
    ]
    found = mailed or [(one, None) for one in _compared(change.tables)]
    return [quoted for one, letter in found for quoted in _hunks(one, letter)]


def _compared(tables: Iterable[TableChange]) -> list[FileChange]:
    texts: dict[str, tuple[str, str]] = {}
    for table in tables:
        a, b = table.before, table.after
        if a is not None and b is not None and a.file == b.file:
            texts[b.file] = a.texts.get(a.file, ""), b.texts.get(b.file, "")
    diff = "".join(file_diff(name, *ends) for name, ends in texts.items() if all(ends))
    return list(read_diff(diff, "the change")[0]) if diff else []


def _hunks(change: FileChange, letter: Letter | None) -> Iterable[QuotedHunk]:
    for hunk in change.hunks:
        lines = []
        number = hunk.new
        for line in hunk.lines:
            lines.append((line.mark + line.text, None if line.mark == "-" else number))
            number += line.mark != "-"
        head = f"@@ -{hunk.old},{len(hunk.before)} +{hunk.new},{len(hunk.after)} @@ {hunk.section}"
        yield QuotedHunk(change.path, head.rstrip(), tuple(lines), letter)


def render(review: Review, *, notes: bool) -> str:
    """Returns a mail as a program that sends mails takes it, without a sender; "" where nothing is
    to be said. Of commits it is a text without headers. notes: all findings are said."""
    said = [(change, _said(change, notes)) for change in review.changes]
    findings = [finding for _, some in said for finding in some]
    if not findings:
        return ""
    found = _Answers()
    counts: Counter[str] = Counter()
    more: dict[str, list[Finding]] = {}
    for change, some in said:
        explained: list[Finding] = []
        for finding in some:
            counts[finding.rule] += 1
            few = counts[finding.rule] <= _SAME
            (explained if few else more.setdefault(words.tag(finding), [])).append(finding)
        _answer(change, explained, review, found)
    to = _answered_letter(review, found)
    paragraphs = [_conclusion(findings, review)]
    for number, answers in found.by_letter.items():
        letter = None if number is None else review.letters[number]
        paragraphs += _introduced(letter, to, answers)
    if found.besides:
        head = "Besides:" if found.by_letter else "No line of the diff is about these alone:"
        paragraphs.append(_listed(head, [_comment(one, review, True) for one in found.besides]))
    for tag, others in more.items():
        paragraphs.append(_own(f"{tag} also at {_places(others)}"))
    if review.earlier is not None and review.earlier.gone:
        gone = [words.said(finding, review, place=False) for finding in review.earlier.gone]
        paragraphs.append(_listed(f"Gone since v{review.earlier.number}:", gone))
    paragraphs.append(_own(_grounds(review)))
    text = "\n\n".join("\n".join(lines) for lines in paragraphs)
    text = f"{text}\n\n-- \nidle-states {__version__}\n"
    return _headers(to.mail, text) + text if to and to.mail else text


def silence(review: Review) -> str:
    """Returns why there is no reply."""
    unread = f"; {words.unread_lines(review)}" if review.unread_lines else ""
    if review.is_answered:
        return f"nothing to reply: an answer made by idle-states is there already{unread}"
    return f"nothing to reply: no new error, and no new warning of high confidence{unread}"


def _said(change: Reviewed, notes: bool) -> list[Finding]:
    """The findings that are worth a mail, each once; none about what somebody else answered."""
    about_others = {
        claim.against
        for claim in change.claims
        if claim.answer and claim.verdict is ClaimVerdict.CONTRADICTED
    }
    found = {
        (finding.rule, finding.message, finding.location): finding
        for finding in shown(change.new, notes=notes)
        if (notes or finding.severity is Severity.ERROR or finding.confidence is Confidence.HIGH)
        and not finding.rule.startswith(_OWN)
        and not any(finding.message.endswith(against) for against in about_others)
    }
    return list(found.values())


def _answer(change: Reviewed, findings: Sequence[Finding], review: Review, found: _Answers) -> None:
    left = list(findings)
    for claim in change.claims:
        about = _about(claim, left)
        number = _letter(claim, review)
        if about is not None and number is not None:
            left.remove(about)
            said = [quoted(line) for line in _sentence(claim, review.letters[number])]
            comment = _own(f"{claim.against} [{words.tag(about)}]")
            found.by_letter.setdefault(number, []).extend([said, comment])
    for hunk in hunks(change, review):
        answers = list(_answered(hunk, left, review, change))
        if answers:
            number = None if hunk.letter is None else review.letters.index(hunk.letter)
            found.by_letter.setdefault(number, []).extend(answers)
    found.besides.extend(left)


def _answered_letter(review: Review, found: _Answers) -> Letter | None:
    """The letter that is answered: the one that all is about, else the first, a cover letter."""
    if found.besides or len(found.by_letter) != 1:
        return review.letters[0] if review.letters else None
    (number,) = found.by_letter
    return None if number is None else review.letters[number]


def _introduced(
    letter: Letter | None, to: Letter | None, answers: list[Paragraph]
) -> Iterator[Paragraph]:
    """Whose lines are quoted is said right above them."""
    if letter is None or letter.mail is None:
        yield from answers
        return
    if letter is to:
        when = f"On {letter.date:%a, %d %b %Y %H:%M:%S %z}, " if letter.date else ""
        head = f"{when}{letter.mail.author} wrote:"
    else:
        head = f"In {letter.mail.subject}:"
    yield [*_own(head), *answers[0]]
    yield from answers[1:]


def _headers(mail: Mail, text: str) -> str:
    """The headers of an answer to a mail and to all who got it."""
    if not mail.message_id:
        return ""
    sender = parseaddr(mail.author)
    others = {where: name for name, where in mail.recipients if where != sender[1]}
    said = {
        "To": [address(*sender)],
        "Cc": [address(name, where) for where, name in others.items()],
        "Subject": [header(mail.subject if is_reply(mail.subject) else f"Re: {mail.subject}")],
        "In-Reply-To": [mail.message_id],
        "References": [*mail.references, mail.message_id],
    }
    lines = [
        f"{key}: {(',' if key == 'Cc' else '').join(f'{chr(10)} {one}' for one in some)[2:]}\n"
        for key, some in said.items()
        if some
    ]
    return "".join([*lines, *mime(text), "\n"])


def _conclusion(findings: Sequence[Finding], review: Review) -> Paragraph:
    counts = [
        plural(number, str(severity))
        for severity in reversed(Severity)
        if (number := sum(finding.severity is severity for finding in findings))
    ]
    text = f"{joined(counts)} about idle states, explained below."
    earlier = review.earlier
    if earlier is not None and (kept := sum(f in earlier.kept for f in findings)):
        those = "All of it was" if kept == len(findings) else f"{kept} of {len(findings)} were"
        text += f" {those} in v{earlier.number} already."
    return _own(text)


def _comment(finding: Finding, review: Review, place: bool = False) -> str:
    text = words.said(finding, review, place=place).removeprefix(f"{words.tag(finding)}: ")
    earlier = review.earlier
    kept = f", as in v{earlier.number}" if earlier and finding in earlier.kept else ""
    return f"{text} [{words.tag(finding)}{kept}]"


def _places(findings: Sequence[Finding]) -> str:
    lines: dict[str, list[int]] = {}
    for finding in findings:
        lines.setdefault(finding.location.file or finding.location.path, []).append(
            finding.location.line or 0
        )
    return ", ".join(
        f"{file}:{number_ranges(sorted(set(some)))}" if all(some) else file
        for file, some in lines.items()
    )


def _grounds(review: Review) -> str:
    """How the patches were read, and how well the kernels are known."""
    patches = [
        remark
        for number, remark in enumerate(review.remarks)
        if review.is_mailed and (not number or remark.startswith("not there:"))
    ]
    if review.unread_lines:
        patches.append(words.unread_lines(review))
    unsure = words.sources_of_kernels(review)
    but = f" but for what follows: {'; '.join(unsure)}" if unsure else ""
    kernels = f"Linux {joined(review.kernels)}, whose code was compiled and compared{but}"
    read = [f"How it was read: {'; '.join(patches)}"] if patches else []
    return ". ".join([*read, f"Judged by {kernels}"]) + "."


def _about(claim: MessageClaim, findings: Sequence[Finding]) -> Finding | None:
    """The finding that a claim led to, among those to be shown."""
    if claim.verdict is not ClaimVerdict.CONTRADICTED:
        return None
    return next((f for f in findings if f.rule == claim.rule and claim.against in f.message), None)


def _letter(claim: MessageClaim, review: Review) -> int | None:
    """The number of the letter that a claim stands in, if it is one that is answered: a cover
    letter's claims name no commit."""
    if claim.answer:
        return None
    return next(
        (
            number
            for number, letter in enumerate(review.letters)
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
    hunk: QuotedHunk, findings: list[Finding], review: Review, change: Reviewed
) -> Iterator[Paragraph]:
    """A hunk, with what is to be said of its lines below them; takes that out of the list."""
    answers: dict[int, list[Paragraph]] = {}
    for finding in list(findings):
        # what is wrong elsewhere stands below the line that makes it so
        for where in (finding.location, *(place for place, _ in finding.related)):
            at = hunk.line_of(where, _text_at(where, review, change))
            if at is not None:
                findings.remove(finding)
                is_elsewhere = where is not finding.location
                answers.setdefault(at, []).append(_own(_comment(finding, review, is_elsewhere)))
                break
    start = 0
    for at in sorted(answers):
        lines = [line for line, _ in hunk.lines[start : at + 1]]
        cut = [_CUT] if len(lines) > _BEFORE else []
        head = [quoted(f"+++ b/{hunk.file}"), quoted(hunk.head)] if not start else []
        yield [*head, *cut, *map(quoted, lines[-_BEFORE:])]
        yield from answers[at]
        start = at + 1


def _text_at(where: Location, review: Review, change: Reviewed) -> str:
    """The line that a place names, as it is after the change."""
    texts = [review.texts, *(table.source.texts for table in change.tables)]
    lines = next((t[where.file] for t in texts if where.file in t), "").splitlines()
    return lines[where.line - 1] if where.line is not None and where.line <= len(lines) else ""


def _listed(head: str, items: Iterable[str]) -> Paragraph:
    return [*_own(head), *words.limited(items, lambda item: _own(item, "  "))]


def _own(text: str, indent: str = "") -> Paragraph:
    """Lines of the reply itself; none begins as what git takes for another patch."""
    lines = paragraph(printable(text), indent, indent and f"{indent}  ", room=words.WIDTH)
    return [body(line) for line in lines]
