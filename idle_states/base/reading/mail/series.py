"""The patches among mails, in the order in which they apply, by version.

Form of subjects: git-format-patch(1), [PREFIX PATCH vN M/N] TEXT.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from ...dataclass import dataclass, replace
from ...model.findings import unreadable
from ..git_am import in_body
from ..patch import FileChange, read_diff
from .answers import MailedAnswer, answers
from .mail import Mail, addressed_in_prose
from .quoting import unquoted
from .subjects import is_reply, parsed

_DIFF = re.compile(r"^(?:diff --git |Index: |--- \S+[^\n]*\n\+\+\+ \S)", re.MULTILINE)
_BASE = re.compile(r"^base-commit: ([0-9a-f]{40}(?:[0-9a-f]{24})?)$", re.MULTILINE)


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
    def base(self) -> str:
        said = [p.base for p in (*self.patches, *([self.cover] if self.cover else ())) if p.base]
        return said[0] if said else ""


def series_of(mails: Sequence[Mail], shown: str) -> list[Series]:
    """The versions of the series that mails hold, the oldest first.

    A patch that is there as it was sent counts before one that a reply quotes.
    Raises Unreadable (IS930) where there is no patch, where a diff cannot be read, or where mails
    hold patches of several threads.
    """
    found: dict[tuple[int, int], MailedPatch] = {}
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
    for mail, text in quoted:
        patch = _patch(mail, text)
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
    if not made:
        raise unreadable(shown, "expected a patch (lines diff --git, or --- and +++), found none")
    return list(_answered(made, mails))


def _answered(made: Sequence[Series], mails: Sequence[Mail]) -> Iterator[Series]:
    """The versions, each with the answers to it."""
    version_of = {
        patch.mail.message_id: series.version
        for series in made
        for patch in (*series.patches, *([series.cover] if series.cover else ()))
    }
    by_version: dict[int, list[MailedAnswer]] = {}
    # of an answer with a patch that is taken, the text is that patch's message
    taken = {id(p.mail) for one in made for p in one.patches if not unquoted(p.mail.text)[1]}
    for answer in answers([mail for mail in mails if id(mail) not in taken]):
        known = [version_of[name] for name in answer.mail.references if name in version_of]
        version = max(known, default=made[-1].version)
        version_of.setdefault(answer.mail.message_id, version)
        by_version.setdefault(version, []).append(answer)
    for series in made:
        yield replace(series, answers=tuple(by_version.get(series.version, ())))


def _put(found: dict[tuple[int, int], MailedPatch], patch: MailedPatch) -> None:
    key = patch.version, patch.number
    other = found.setdefault(key, patch)
    if other.subject != patch.subject and other.files and patch.files:
        raise unreadable(
            patch.mail.place,
            f"expected the mails of one thread, found patch {patch.number} of version "
            f"{patch.version} also in {other.mail.place}, with another subject",
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
    said = re.split(r"^---[ \t]*$", body[: start.start()], maxsplit=1, flags=re.MULTILINE)[0]
    message = addressed_in_prose(f"{bare}\n\n{said.strip()}".strip()) + "\n"
    return MailedPatch(
        mail, bare, version, number, total, message, files, _base(body), (*mail.remarks, *remarks)
    )


def _line(text: str, body: str, start: re.Match[str]) -> int:
    return text.count("\n") - body.count("\n") + body[: start.start()].count("\n") + 1


def _base(body: str) -> str:
    match = _BASE.search(body)
    return match[1] if match else ""
