"""The patches among mails, in the order in which they apply, by version.

Form of subjects: git-format-patch(1), [PREFIX PATCH vN M/N] TEXT.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from ...dataclass import dataclass, replace
from ...model.findings import Unreadable, next_step, unreadable
from ...patterns import pattern
from ..git_am import in_body
from ..patch.unified import FileChange, read_diff
from .mail import SERIES, Mail, addressed_in_prose

_ENDS = pattern(r"-- |-{2,}\s*(?:Original Message|Forwarded message)\s*-{2,}|_{20,}|diff --git ")
"""Lines after which nothing is the writer's own."""
_WROTE = pattern(r"On .{1,200}\bwrote:")


@dataclass(frozen=True, slots=True)
class MailedAnswer:
    """text: the mail's, with empty lines for all that is not its writer's own."""

    mail: Mail
    text: str

    @property
    def place(self) -> str:
        return self.mail.place

    def line_in_file(self, line: int) -> int | None:
        """The line of the file that a line of the text is; None where the text was encoded."""
        return self.mail.first + line - 1 if self.mail.first else None


def answers(mails: Sequence[Mail]) -> Iterator[MailedAnswer]:
    """The answers among mails that say something, in order; those with patches of their own are
    none."""
    for mail in mails:
        if is_reply(mail.subject) or unquoted(mail.text)[1]:
            text = _own(mail)
            if text.strip():
                yield MailedAnswer(mail, text)


def _own(mail: Mail) -> str:
    lines = []
    for line in mail.text.split("\n"):
        bare = line.strip()
        if _ENDS.match(line):
            break
        is_own = not bare.startswith((">", "|")) and not _WROTE.fullmatch(bare)
        # of an archive's page, the subject is in the text
        lines.append(line if is_own and bare != mail.subject else "")
    return "\n".join(lines)


_MARKS = pattern(r"(?:> ?)*")
_QUOTED_DIFF = pattern(
    r"^(?P<marks>(?:> ?)*)(?:diff --git |--- \S+.*\n(?P=marks)\+\+\+ \S)", re.MULTILINE
)
NO_BREAK = "\u00a0"


def unquoted(text: str) -> tuple[str, int]:
    """The text at the level of quoting at which its first diff stands, without the marks, and that
    level. What others wrote between the quoted lines is left out. Level 0: the text as it is."""
    spaced = text.replace(NO_BREAK, " ")
    levels = {match["marks"].count(">") for match in _QUOTED_DIFF.finditer(spaced)}
    level = min(levels, default=0)
    if not level:
        return text, 0
    lines = []
    for line in text.split("\n"):
        marks = _MARKS.match(line.replace(NO_BREAK, " "))
        assert marks is not None
        if marks[0].count(">") >= level:
            lines.append(_without(line, level))
    return "\n".join(lines), level


def _without(line: str, level: int) -> str:
    """A line without the first marks, and one space after each."""
    at = 0
    for _ in range(level):
        at = line.index(">", at) + 1
        if line[at : at + 1] in (" ", NO_BREAK):
            at += 1
    return line[at:]


_TAGS = pattern(r"\[([^\[\]]{0,80})\]")
_VERSION = pattern(r"\bv([0-9]{1,3})\b", re.IGNORECASE)
_NUMBER = pattern(r"\b([0-9]{1,4})/([0-9]{1,4})\b")
_REPLY = pattern(r"^(?:(?:re|aw|fwd?|antw)\s*:\s*)+", re.IGNORECASE)


def is_reply(subject: str) -> bool:
    return _REPLY.match(subject) is not None


def parsed(subject: str) -> tuple[str, int, int, int]:
    """Text without tags, version, number, total."""
    bare = _REPLY.sub("", subject)
    version, number, total = 1, 0, 0
    while match := _TAGS.match(bare):
        bare = _REPLY.sub("", bare[match.end() :].lstrip())
        if tag := _VERSION.search(match[1]):
            version = int(tag[1])
        if tag := _NUMBER.search(match[1]):
            number, total = int(tag[1]), int(tag[2])
    return bare.strip(), version, number, total


_DIFF = pattern(r"^(?:diff --git |Index: |--- \S+[^\n]*\n\+\+\+ \S)", re.MULTILINE)
_BASE = pattern(r"^base-commit: ([0-9a-f]{40}(?:[0-9a-f]{24})?)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MailedPatch:
    """One patch of a series.

    mail     that it came with
    subject  without tags: the commit's first line
    version  1, 2, ...: of [PATCH v2]
    number   its place in the series, from 1; 0 for a cover letter
    total    of how many
    message  the commit's whole message, the subject first; of a cover letter, its text
    files    what it changes; empty for a cover letter
    base     the commit that it says it was made on, or ""
    remarks  what was repaired or left aside to read it
    is_quoted  whether it is read from a reply, whose author is another
    """

    mail: Mail
    subject: str
    version: int
    number: int
    total: int
    message: str
    files: tuple[FileChange, ...]
    base: str
    remarks: tuple[str, ...] = ()
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """Patches that apply one after another.

    cover    the cover letter, or None
    missing  numbers of patches that the series should have, and that are not there
    answers  to its mails; such as say not to which version belong to the newest
    """

    version: int
    patches: tuple[MailedPatch, ...]
    cover: MailedPatch | None = None
    missing: tuple[int, ...] = ()
    answers: tuple[MailedAnswer, ...] = ()

    @property
    def files(self) -> Iterator[FileChange]:
        """The changes to files, in the order of its patches."""
        return (change for patch in self.patches for change in patch.files)

    def changed_lines(self, paths: Container[str]) -> int:
        """Returns the number of lines that go or come in some files."""
        return sum(change.changed_lines for change in self.files if change.path in paths)

    @property
    def base(self) -> str:
        bases = [p.base for p in (*self.patches, *([self.cover] if self.cover else ())) if p.base]
        return bases[0] if bases else ""


@next_step(SERIES)
def series_of(mails: Sequence[Mail], shown: str) -> list[Series]:
    """The versions of the series that mails hold, the oldest first.

    A patch that is there as it was sent counts before one that a reply quotes. A diff that a reply
    quotes in part is no patch, as long as the mails hold another.
    Raises Unreadable (IS930) where there is no patch, where a diff cannot be read, or where mails
    hold patches of several threads.
    """
    found: dict[tuple[int, int], MailedPatch] = {}
    mails = list(_distinguished(mails))
    quoted = []
    unnumbered: list[MailedPatch] = []
    for mail in mails:
        text, level = unquoted(mail.text)
        if level or (is_reply(mail.subject) and _DIFF.search(text)):
            # what was sent as a patch counts before what a reply shows
            quoted.append((mail, text))
            continue
        patch = _patch(mail, text)
        if patch is None:
            continue
        if patch.total:
            _put(found, patch)
        elif patch.files:
            unnumbered.append(patch)
    known = {patch.subject for patch in (*found.values(), *unnumbered)}
    cut_short: Unreadable | None = None
    for mail, text in quoted:
        if parsed(mail.subject)[0] in known:
            # what is quoted of a patch that is there is an answer's
            continue
        try:
            patch = _patch(mail, text)
        except Unreadable as problem:
            cut_short = cut_short or problem
            continue
        if patch is None or patch.subject in known:
            continue
        remarks = ("the patch is read from a reply", *patch.remarks)
        patch = replace(patch, remarks=remarks, is_quoted=True)
        known.add(patch.subject)
        if patch.total:
            _put(found, patch)
        else:
            unnumbered.append(patch)
    versions: dict[int, list[MailedPatch]] = {}
    for patch in found.values():
        versions.setdefault(patch.version, []).append(patch)
    for patch in unnumbered:
        versions.setdefault(patch.version, []).append(patch)
    made = [_series(version, versions[version]) for version in sorted(versions)]
    made = [series for series in made if series.patches]
    if not made and cut_short is not None:
        raise cut_short
    if not made:
        raise unreadable(shown, "expected a patch (lines diff --git, or --- and +++), found none")
    return list(_answered(made, mails))


def _distinguished(mails: Sequence[Mail]) -> Iterator[Mail]:
    """The mails; with a remark where another text claims the id of one before it."""
    first: dict[str, Mail] = {}
    for mail in mails:
        other = first.setdefault(mail.message_id, mail)
        if mail.message_id and other.text != mail.text:
            remark = f"{other.place} and {mail.place} claim the id {mail.message_id}"
            yield replace(mail, remarks=(*mail.remarks, remark))
        else:
            yield mail


def _answered(made: Sequence[Series], mails: Sequence[Mail]) -> Iterator[Series]:
    """The versions, each with the answers to it."""
    version_of = {
        patch.mail.message_id: series.version
        for series in made
        for patch in (*series.patches, *([series.cover] if series.cover else ()))
    }
    by_version: dict[int, list[MailedAnswer]] = {}
    # of an answer with a patch that is taken, the text is that patch's message
    patches = {id(p.mail) for one in made for p in one.patches if not unquoted(p.mail.text)[1]}
    for answer in answers([mail for mail in mails if id(mail) not in patches]):
        known = [version_of[name] for name in answer.mail.references if name in version_of]
        version = max(known, default=made[-1].version)
        version_of.setdefault(answer.mail.message_id, version)
        by_version.setdefault(version, []).append(answer)
    for series in made:
        yield replace(series, answers=tuple(by_version.get(series.version, ())))


def _put(found: dict[tuple[int, int], MailedPatch], patch: MailedPatch) -> None:
    key = patch.version, patch.number
    other = found.setdefault(key, patch)
    # a list's server may add to a subject
    is_same = other.subject.startswith(patch.subject) or patch.subject.startswith(other.subject)
    if not is_same and other.files and patch.files:
        raise unreadable(
            patch.mail.place,
            f"expected the mails of one thread, found patch {patch.number} of version "
            f"{patch.version} also in {other.mail.place}, with another subject ({other.subject!r} "
            f"and {patch.subject!r}); put the mails of each series into a file of their own",
        )


def _series(version: int, patches: Iterable[MailedPatch]) -> Series:
    ordered = sorted(patches, key=lambda patch: patch.number)
    cover = next((patch for patch in ordered if not patch.files), None)
    changing = tuple(patch for patch in ordered if patch.files)
    total = max((patch.total for patch in ordered), default=0)
    there = {patch.number for patch in changing}
    missing = tuple(n for n in range(1, total + 1) if n not in there)
    return Series(version, changing, cover, missing)


def _patch(mail: Mail, text: str) -> MailedPatch | None:
    """The patch of a mail, or the cover letter; None for other mails."""
    head, body = in_body(text)
    subject = head.get("subject") or mail.subject
    bare, version, number, total = parsed(subject)
    start = _DIFF.search(body)
    if start is None:
        if not total or number or is_reply(mail.subject):
            return None
        message = f"{bare}\n\n{body.strip()}\n"
        return MailedPatch(mail, bare, version, 0, total, message, (), _base(body))
    files, remarks = read_diff(body[start.start() :], mail.place, first=_line(text, body, start))
    prose = re.split(r"^---[ \t]*$", body[: start.start()], maxsplit=1, flags=re.MULTILINE)[0]
    message = addressed_in_prose(f"{bare}\n\n{prose.strip()}".strip()) + "\n"
    return MailedPatch(
        mail, bare, version, number, total, message, files, _base(body), (*mail.remarks, *remarks)
    )


def _line(text: str, body: str, start: re.Match[str]) -> int:
    return text.count("\n") - body.count("\n") + body[: start.start()].count("\n") + 1


def _base(body: str) -> str:
    match = _BASE.search(body)
    return match[1] if match else ""
