"""The threads of an archive of mails that bear on something: of an mbox of any size, or of mails in
git.

Forms: mbox; public-inbox-v2-format(5), one mail a commit, in its file m.

An archive is gone through as a stream, more than once: first for the mails that bear on it, most
of them told by their bytes alone, then for what belongs to these. Held are those threads only,
packed.
"""

import binascii
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ...model.findings import Unreadable, unreadable
from ...patterns import pattern
from .. import limits, opening
from ..budget import within_budget
from ..git.repository import Repository
from .box import RawMail, parsed_mail, raw_mails
from .mail import Mail
from .series import is_reply, parsed

MAIL = "m"
"""The file that has a commit's mail."""
_BASE64 = (b"base64", b"Base64", b"BASE64")
_QUOTED_PRINTABLE = (b"quoted-printable", b"Quoted-Printable", b"QUOTED-PRINTABLE")
_END_OF_HEAD = pattern(rb"\n\r?\n")
_ID = pattern(rb"<[^<>\s]{1,998}>")
_FIELD = pattern(
    rb"^(Message-ID|References|In-Reply-To|Subject|From):[ \t]*([^\n]*(?:\n[ \t][^\n]*)*)",
    re.IGNORECASE | re.MULTILINE,
)


class _Head(NamedTuple):
    """own: the mail's id. ids: that and those of the mails that it answers. patch: (subject without
    tags, sender) of a patch, by which versions of a series are known; None of an answer."""

    own: bytes
    ids: frozenset[bytes]
    patch: tuple[str, bytes] | None
    version: int


def inbox(name: str) -> tuple[Path, str, str] | None:
    """Returns the directory and the revisions of DIR@REVISION or DIR@OLD..NEW, OLD being "" for all
    that there is; None for another name."""
    directory, at, revisions = name.rpartition("@")
    if not at or revisions[:1] in ("", "{") or not opening.is_directory(directory):
        return None
    old, dots, new = revisions.partition("..")
    return (Path(directory), old, new or "HEAD") if dots else (Path(directory), "", revisions)


def is_archive(name: str) -> bool:
    """Tells whether a name is one of mails in git, or of a file larger than what is read whole."""
    return inbox(name) is not None or opening.size_of(name) > limits.MAIL_BOX_BYTES


class Archive:
    """The archive that a user names: mails in git, a file, a directory, or "-" for standard input.

    passed  how many mails were looked at for what they bear on
    again   how many of the threads were left aside, as they have the id of one before
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.passed = self.again = 0
        self._inbox = inbox(name)

    def threads(self, bears: Callable[[bytes], bool]) -> list[list[RawMail]]:
        """Returns the threads with a mail that bears on what is looked for, with the versions of a
        series together, in the order of their first mails.

        bears: told by a mail's bytes, decoded where its text is encoded
        Raises OSError; Unreadable (IS930) where there are more of these than are held.
        """
        ids: set[bytes] = set()
        patches = set()
        for mail in self._mails(is_new=True):
            self.passed += 1
            if bears(_plain(mail)):
                head = _head(mail)
                ids |= head.ids
                patches.add(head.patch)
        patches.discard(None)
        if patches and self._inbox is not None and self._inbox[1]:
            # versions that were sent before what is new
            for head in (_head(mail) for mail in self._mails(is_new=False)):
                ids |= head.ids if head.patch in patches else frozenset()
        return _together(self._held(ids)) if ids else []

    def _held(self, ids: set[bytes]) -> list[tuple[RawMail, _Head]]:
        """The mails with one of the ids, or that answer one."""
        held = []
        seen = set[bytes]()
        left = limits.MAIL_HELD_BYTES
        for mail in self._mails(is_new=False):
            if ids.isdisjoint([*_ID.findall(_top(mail.data)), _place(mail)]):
                continue
            head = _head(mail)
            if head.own in seen:
                self.again += 1
            elif not ids.isdisjoint(head.ids):
                seen.add(head.own)
                packed = mail._replace(data=zlib.compress(mail.data, 1))
                held.append((packed, head))
                left -= len(packed.data)
            if left < 0:
                message = f"expected at most {limits.MAIL_HELD_BYTES} bytes of mails to review"
                raise unreadable(self.name, f"{message}; name less of the archive")
        return held

    def _mails(self, *, is_new: bool) -> Iterator[RawMail]:
        """is_new: without what is older than the range."""
        if self._inbox is None:
            yield from raw_mails(self.name)
            return
        directory, old, new = self._inbox
        repository = Repository(directory)
        try:
            base = repository.resolve(old) if old and is_new else ""
            head = repository.resolve(new)
            for name, data in repository.versions(base, head, MAIL, limits.MAIL_BYTES):
                yield RawMail(data, f"{directory}@{name[:12]}")
        finally:
            repository.close()


def mails_of(thread: Iterable[RawMail]) -> tuple[list[Mail], int]:
    """Returns a thread's mails, which `threads` has packed, and how many could not be read."""
    found = []
    unread = 0
    for raw in thread:
        try:
            data = zlib.decompress(raw.data)
            with within_budget(raw.place, len(data)):
                found.append(parsed_mail(raw._replace(data=data)))
        except Unreadable:
            unread += 1
    return found, unread


def _plain(mail: RawMail) -> bytes:
    """The bytes in which words can be looked for; none of a mail that cannot be read."""
    if any(word in mail.data for word in _BASE64):
        try:
            with within_budget(mail.place, len(mail.data)):
                return parsed_mail(mail).text.encode("utf-8", "surrogateescape")
        except Unreadable:
            return b""
    if any(word in mail.data for word in _QUOTED_PRINTABLE):
        return binascii.a2b_qp(mail.data)
    return mail.data


def _top(data: bytes) -> bytes:
    end = _END_OF_HEAD.search(data, 0, limits.MAIL_HEAD_BYTES)
    return data[: end.start() if end else limits.MAIL_HEAD_BYTES]


def _place(mail: RawMail) -> bytes:
    """Returns an id for a mail that has none."""
    return mail.place.encode("utf-8", "surrogateescape")


def _head(mail: RawMail) -> _Head:
    fields = {match[1].lower(): match[2] for match in _FIELD.finditer(_top(mail.data))}
    own = next(iter(_ID.findall(fields.get(b"message-id", b""))), _place(mail))
    others = fields.get(b"references", b"") + fields.get(b"in-reply-to", b"")
    subject = " ".join(fields.get(b"subject", b"").decode("utf-8", "replace").split())
    bare, version, _, _ = parsed(subject)
    known = None if is_reply(subject) or not bare else (bare, fields.get(b"from", b""))
    return _Head(own, frozenset([own, *_ID.findall(others)]), known, version)


class Groups:
    """Names that belong together, by what was joined."""

    def __init__(self) -> None:
        self._above: dict[object, object] = {}

    def first(self, name: object) -> object:
        """Returns the name that stands for a name's group."""
        while name in self._above:
            above = self._above[name]
            self._above[name] = self._above.get(above, above)
            name = above
        return name

    def join(self, a: object, b: object) -> None:
        """Makes one group of two names' groups."""
        if (one := self.first(a)) != (other := self.first(b)):
            self._above[other] = one


def _together(held: list[tuple[RawMail, _Head]]) -> list[list[RawMail]]:
    """The mails by thread. Threads of different versions of a patch are one."""
    groups = Groups()
    versions: dict[object, dict[int, int]] = {}
    for number, (_, head) in enumerate(held):
        for name in head.ids:
            groups.join(number, name)
        if head.patch is not None:
            known = versions.setdefault(head.patch, {})
            known.setdefault(head.version, number)
            if len(known) > 1:
                for other in (*known.values(), number):
                    groups.join(next(iter(known.values())), other)
    found: dict[object, list[RawMail]] = {}
    for number, (mail, _) in enumerate(held):
        found.setdefault(groups.first(number), []).append(mail)
    return list(found.values())
