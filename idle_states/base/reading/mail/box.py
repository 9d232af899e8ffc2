"""The mails of what a user names: a file of one mail or many, a maildir, a directory of patches,
or standard input.

Forms: mbox (each mail after a line "From ", lines of its text that begin so quoted by ">"), maildir
(files below cur/ and new/), git-format-patch(1) files.
"""

import re
from collections.abc import Iterator

from ...model.findings import unreadable
from .. import limits, opening
from ..budget import within_budget
from .mail import Mail, has_headers, parse

_BEGINS = re.compile(rb"^From \S.*[0-9]{4}[ \t]*\r?\n(?=[!-9;-~]+:)", re.MULTILINE)
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_BELOW = ("", "cur", "new")
_PATCHES = (".patch", ".diff", ".eml", ".mbox", ".txt")


def read_mails(name: str) -> tuple[list[Mail], dict[str, bytes]]:
    """The mails, in the order of the box or of the files' names, and the files' bytes by name.

    name: a file, a directory, or "-" for standard input
    Raises OSError; Unreadable (IS930) for more than limits allow, or nothing at all.
    """
    files = dict(_files(name))
    for file, data in files.items():
        opening.expect_utf8(data, file)
    with within_budget(name, sum(map(len, files.values()))):
        mails = [mail for file, data in files.items() for mail in _mails(file, data)]
    if len(mails) > limits.MAIL_BOX:
        raise unreadable(name, f"expected at most {limits.MAIL_BOX} mails")
    if not any(mail.text.strip() for mail in mails):
        raise unreadable(name, "expected a mail or a patch, found nothing")
    return mails, files


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


def _mails(name: str, data: bytes) -> Iterator[Mail]:
    starts = [match.start() for match in _BEGINS.finditer(data)]
    if not starts or data[: starts[0]].strip() or not has_headers(data):
        yield parse(data, name, name)
        return
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(data)], strict=True), 1):
        if number > limits.MAIL_BOX:
            raise unreadable(name, f"expected at most {limits.MAIL_BOX} mails")
        mail = data[start:end].partition(b"\n")[2]
        place = name if len(starts) == 1 else f"{name}, mail {number}"
        # the mail begins below its line "From "
        at = data.count(b"\n", 0, start) + 2
        yield parse(_QUOTED.sub(rb"\1", mail), place, name, at)
