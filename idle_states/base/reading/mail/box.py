"""The mails of what a user names: a file of one mail or many, a maildir, a directory of patches,
or standard input.

Forms: mbox (each mail after a line "From ", lines of its text that begin so quoted by ">"), maildir
(files below cur/ and new/), git-format-patch(1) files.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from ...model.findings import next_step, unreadable
from ...patterns import pattern
from ...wording import few
from .. import limits, opening
from ..budget import within_budget
from .mail import SERIES, Mail, has_headers, parse

_BEGINS = pattern(rb"^From \S.*[0-9]{4}[ \t]*\r?\n(?=[!-9;-~]+:)", re.MULTILINE)
_QUOTED = pattern(rb"^>(>*From )", re.MULTILINE)
_BLOCK = 1 << 20
_LONGEST = 4096
"""Bytes of a line "From ", at most."""
_BELOW = ("", "cur", "new")
_PATCHES = (".patch", ".diff", ".eml", ".mbox", ".txt")


class RawMail(NamedTuple):
    """A mail as it stands in an archive.

    place  what messages call it
    file   that it is in, "" where there is none; line: the one that it begins with
    """

    data: bytes
    place: str
    file: str = ""
    line: int = 1


@next_step(SERIES)
def read_mails(name: str) -> tuple[list[Mail], dict[str, bytes]]:
    """The mails, in the order of the box or of the files' names, and the files' bytes by name.

    name: a file, a directory, or "-" for standard input
    Raises OSError; Unreadable (IS930) for more than limits allow, or nothing at all.
    """
    files = dict(_files(name))
    for file, data in files.items():
        opening.expect_utf8(data, file)
    mails: list[Mail] = []
    with within_budget(name, sum(map(len, files.values()))):
        for raw in chain.from_iterable(_raw_mails(file, [data]) for file, data in files.items()):
            if len(mails) == limits.MAIL_BOX:
                raise unreadable(name, f"expected at most {limits.MAIL_BOX} mails")
            mails.append(parsed_mail(raw))
    if not any(mail.text.strip() for mail in mails):
        aside = few(list(dict.fromkeys(remark for mail in mails for remark in mail.remarks)), 2)
        found = f"nothing to read: {aside}" if aside else "nothing"
        raise unreadable(name, f"expected a mail or a patch, found {found}")
    return mails, files


def raw_mails(name: str) -> Iterator[RawMail]:
    """Yields the mails of the same as they stand, those of a file as it is read, however large it
    is. Raises OSError; Unreadable (IS930)."""
    if opening.is_file(name):
        with opening.open_file(name) as file:
            yield from _raw_mails(name, iter(partial(file.read, _BLOCK), b""))
    else:
        for shown, data in _files(name):
            yield from _raw_mails(shown, [data])


def parsed_mail(raw: RawMail) -> Mail:
    """Returns a mail taken apart. Raises Unreadable (IS930)."""
    return parse(raw.data, raw.place, raw.file, raw.line)


def _files(name: str) -> Iterator[tuple[str, bytes]]:
    if name == opening.STANDARD_INPUT or not opening.is_directory(name):
        yield name, opening.read_operand(name, limits.MAIL_BOX_BYTES)
        return
    left = limits.MAIL_BOX_BYTES
    with opening.Tree(name) as tree:
        for below in _BELOW:
            if below and not tree.is_directory(below):
                continue
            for entry in sorted(tree.entries(below), key=lambda entry: entry.name):
                path = f"{below}/{entry.name}" if below else entry.name
                wanted = below or entry.name.lower().endswith(_PATCHES)
                if wanted and not entry.name.startswith(".") and tree.is_file(path):
                    data = tree.read(path, max(0, left))
                    left -= len(data)
                    yield tree.shown(path), data


def _raw_mails(name: str, blocks: Iterable[bytes]) -> Iterator[RawMail]:
    found = _cut(blocks)
    first, second = next(found), next(found, None)
    if second is None:
        yield RawMail(first[0], name, name, first[1])
        return
    for number, (data, line) in enumerate(chain((first, second), found), 1):
        yield RawMail(data, f"{name}, mail {number}", name, line)


def _cut(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """The mails of a file and the lines that they begin with. One that is larger than mails may be
    loses what is too much, but for a byte that shows it."""
    rest = iter(blocks)
    held = next(rest, b"")
    begins = _BEGINS.search(held)
    if begins is None or held[: begins.start()].strip() or not has_headers(held):
        yield held + b"".join(islice(rest, 1 + limits.MAIL_BYTES // _BLOCK)), 1
        return
    at = begins.start()
    line = 1 + held.count(b"\n", 0, at)
    looked, lost = at + 1, 0
    while held:
        following = _next(held, looked)
        if following is None and (block := next(rest, b"")):
            held = held[at:]
            over = held[limits.MAIL_BYTES + 1 : -_LONGEST]
            if over:
                lost += over.count(b"\n")
                held = held[: limits.MAIL_BYTES + 1] + held[-_LONGEST:]
            at, looked = 0, max(1, len(held) - _LONGEST)
            held += block
            continue
        # the mail begins below its line "From "
        mail = held[at:following].partition(b"\n")[2]
        yield _QUOTED.sub(rb"\1", mail) if b">From " in mail else mail, line + 1
        if following is None:
            return
        line += held.count(b"\n", at, following) + lost
        at, looked, lost = following, following + 1, 0


def _next(held: bytes, looked: int) -> int | None:
    """Returns where the next mail begins; None: not in what is held."""
    at = held.find(b"\nFrom ", looked - 1)
    while at >= 0 and not _BEGINS.match(held, at + 1):
        at = held.find(b"\nFrom ", at + 1)
    return at + 1 if at >= 0 else None
