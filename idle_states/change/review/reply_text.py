"""A review as a reply by mail, to one mail of what is reviewed: lines of its text and of its diff
quoted, each with what is to be said of it below; own lines of 72 columns.

Said are errors, and warnings that are sure: what else there is, the other forms have.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from email.utils import parseaddr

from ... import __version__
from ...base.dataclass import dataclass, field
from ...base.model.findings import Confidence, Finding, Location, Severity
from ...base.reading.mail.mail import Mail
from ...base.reading.mail.series import is_reply
from ...base.report.escapes.mail import address, body, header, quoted
from ...base.report.escapes.text import printable
from ...base.report.findings_text import shown
from ...base.report.tables import wrapped as paragraph
from ...base.wording import joined, number_ranges, plural
from ...tables.rules.catalogue import rule_named
from ..patches.mail import mime
from . import governors_text
from . import words as words
from .claims.claim import ClaimVerdict, MessageClaim
from .quoted_hunks import QuotedHunk, hunks, line_in
from .result import Letter, Review, Reviewed

_BEFORE = 6
"""Lines quoted before one that is answered; more are left out, which is said."""
_LINES = 4
"""Lines that a sentence of a message may take."""
_SAME = 3
"""Findings of one rule that are explained; the places of others are listed."""
_OWN = "IS9"
"""Rules about what this program could not do: nothing that the sender has to mend."""
_NEAR = 3
"""Lines between two that are answered together, below the second."""
_AROUND = ".,:;()'\""
_CUT = "> [...]"

Paragraph = list[str]
_Placed = tuple[Finding, bool]
"""A finding, and whether its place is said: it is not that of the line quoted."""


@dataclass(frozen=True, slots=True)
class _Answers:
    """A remark, below what it is about.

    by_letter  number of the letter, None for what no mail has, and the paragraphs
    besides    findings that no line quoted is about
    explained  rule -> what was said first of those that it finds
    """

    by_letter: dict[int | None, list[Paragraph]] = field(default_factory=dict)
    besides: list[Finding] = field(default_factory=list)
    explained: dict[str, str] = field(default_factory=dict)


def render(review: Review, *, notes: bool) -> str:
    """Returns a mail as a program that sends mails takes it, without a sender; "" where nothing is
    to be said. Of commits it is a text without headers. notes: all findings are said."""
    changes = [(change, _worth_a_mail(change, notes)) for change in review.changes]
    findings = [finding for _, some in changes for finding in some]
    if not findings:
        return ""
    found = _Answers()
    counts: Counter[str] = Counter()
    more: dict[str, list[Finding]] = {}
    for change, some in changes:
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
        head = "Besides:" if found.by_letter else "No single line of the diff causes these:"
        paragraphs.append(
            _listed(head, [_comment(one, review, found, True) for one in found.besides])
        )
    for tag, others in more.items():
        paragraphs.append(_own(f"{tag} also at {_places(others)}"))
    if review.earlier is not None and review.earlier.gone:
        gone = [words.sentence(finding, review, place=False) for finding in review.earlier.gone]
        paragraphs.append(_listed(f"Fixed since v{review.earlier.number}:", gone))
    paragraphs.append(_own(_grounds(review)))
    text = "\n\n".join("\n".join(lines) for lines in paragraphs)
    text = f"{text}\n\n-- \nidle-states {__version__}\n"
    return _headers(to.mail, text) + text if to and to.mail else text


def silence(review: Review) -> str:
    """Returns why there is no reply."""
    unread = f"; {words.unread_lines(review)}" if review.unread_lines else ""
    if review.is_answered:
        return f"nothing to reply: idle-states has answered already{unread}"
    governors = [one for change in review.changes for one in change.governors if one.unsaid]
    unread += "".join(f"; {governors_text.headline(one)}" for one in governors)
    return f"nothing to reply: no new error, and no new warning of high confidence{unread}"


def _worth_a_mail(change: Reviewed, notes: bool) -> list[Finding]:
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
    of_governors = [(claim, one) for one in change.governors for claim in one.claims]
    for claim, governor in [*((claim, None) for claim in change.claims), *of_governors]:
        about = _about(claim, left)
        number = _letter(claim, review)
        if about is not None and number is not None:
            left.remove(about)
            quotation = [quoted(line) for line in _sentence(claim, review.letters[number])]
            against = claim.against if governor is None else governors_text.summary(governor)
            comment = _own(f"{against} [{words.tag(about)}]")
            found.by_letter.setdefault(number, []).extend([quotation, comment])
    quotable = hunks(change, review)
    answers: dict[int, dict[int, list[_Placed]]] = {}
    for finding in list(left):
        # what is wrong elsewhere stands below the line that makes it so
        for where in (finding.location, *(place for place, _ in finding.related)):
            at = line_in(quotable, where, _text_at(where, review, change))
            if at is not None:
                left.remove(finding)
                placed = finding, where is not finding.location
                answers.setdefault(at[0], {}).setdefault(at[1], []).append(placed)
                break
    for at_hunk in sorted(answers):
        hunk = quotable[at_hunk]
        number = None if hunk.letter is None else review.letters.index(hunk.letter)
        below = _answered(hunk, answers[at_hunk], review, found)
        found.by_letter.setdefault(number, []).extend(below)
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
        when = f"On {letter.mail.sent}, " if letter.date else ""
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
    headers = {
        "To": [address(*sender)],
        "Cc": [address(name, where) for where, name in others.items()],
        "Subject": [header(mail.subject if is_reply(mail.subject) else f"Re: {mail.subject}")],
        "In-Reply-To": [mail.message_id],
        "References": [*mail.references, mail.message_id],
    }
    lines = [_folded(key, some) for key, some in headers.items() if some]
    return "".join([*lines, *mime(text), "\n"])


def _folded(key: str, values: Sequence[str]) -> str:
    """A header, folded between its values."""
    lines = [f"{key}:"]
    for number, value in enumerate(values, 1):
        value += "," if key == "Cc" and number < len(values) else ""
        if number > 1 and len(lines[-1]) + len(value) > words.WIDTH:
            lines.append("")
        lines[-1] += f" {value}"
    return "\n".join(lines) + "\n"


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


def _comment(finding: Finding, review: Review, found: _Answers, place: bool = False) -> str:
    """A finding in a sentence, and the first of its rule with what follows from it."""
    tag = words.tag(finding)
    text = words.sentence(finding, review, place=place).removeprefix(f"{tag}: ")
    for letter in review.letters:
        if letter.mail is not None and letter.mail.message_id:
            is_only = len(review.letters) == 1
            named = "this patch" if is_only else repr(letter.subject)
            text = text.replace(f"the mail {letter.mail.message_id}", named)
    earlier = review.earlier
    kept = f", as in v{earlier.number}" if earlier and finding in earlier.kept else ""
    first = found.explained.setdefault(finding.rule, text)
    if first is not text:
        return f"{_likewise(first, text) or text} [{tag}{kept}]."
    rule = rule_named(finding.rule)
    why = f" {rule.consequence}" if rule else ""
    return f"{text} [{tag}{kept}].{why}"


def _likewise(first: str, text: str) -> str:
    """The same sentence of another state or CPU in short; "" for one that differs in more."""
    old, new = first.split(), text.split()
    pairs = {(a.strip(_AROUND), b.strip(_AROUND)) for a, b in zip(old, new, strict=False) if a != b}
    if len(old) != len(new) or len(pairs) != 1:
        return ""
    return f"The same of {next(iter(pairs))[1]}"


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
    """Returns how the patches were read, and how well the kernels are known."""
    patches = []
    if review.is_mailed:
        # where the trees lie here is nothing to people elsewhere
        _, applied, how = review.remarks[0].partition("applied to ")
        patches.append(f"{applied}{how}" if applied else "from the lines that the diff shows")
        if len(review.letters) > 1:
            patches += [one for one in review.remarks if one.startswith("missing:")]
        if review.unread_lines:
            patches.append(words.unread_lines(review))
    if review.release:
        patches.append(f"its tree is one of Linux {review.release}")
    unsure = words.sources_of_kernels(review)
    but = f" except for: {'; '.join(unsure)}" if unsure else ""
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
    hunk: QuotedHunk, answers: Mapping[int, list[_Placed]], review: Review, found: _Answers
) -> Iterator[Paragraph]:
    """A hunk, with what is said of its lines below them."""
    start = 0
    waiting: list[_Placed] = []
    for at in sorted(answers):
        waiting += answers[at]
        if any(at < other <= at + _NEAR for other in answers):
            continue
        lines = [line for line, _ in hunk.lines[start : at + 1]]
        cut = [_CUT] if len(lines) > _BEFORE else []
        head = [quoted(f"+++ b/{hunk.file}"), quoted(hunk.head)] if not start else []
        yield [*head, *cut, *map(quoted, lines[-_BEFORE:])]
        yield from (_own(_comment(one, review, found, place)) for one, place in waiting)
        start, waiting = at + 1, []


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
