"""Mail: headers of one line each, whatever the names and subjects hold; bodies without controls."""

import re
from email.header import Header
from email.utils import quote

from ...patterns import pattern
from ...reading.git_am import misread, without_scissors
from .text import printable, printable_source

_BEGINS_ANOTHER = pattern(">*From ")
"""The line with which another mail begins in a mailbox."""
_SPECIAL = pattern(r'[()<>@,;:\\".\[\]]')


def header(text: str) -> str:
    """A header's text, encoded where it is not ASCII."""
    text = printable(text)
    return text if text.isascii() else Header(text, "utf-8", maxlinelen=990).encode()


def address(name: str, email: str) -> str:
    """Name <email>, the name quoted where it has special characters; the email alone without a
    name."""
    name = printable(name)
    if not name.isascii():
        name = header(name)
    elif _SPECIAL.search(name):
        name = f'"{quote(name)}"'
    email = re.sub("[<> ]", "", printable(email))
    return f"{name} <{email}>" if name else email


def body(text: str) -> str:
    """Lines of a message; its tabs stay. Those that git takes for something else are indented, and
    scissors are taken apart."""
    lines = [without_scissors(printable_source(line)) for line in text.split("\n")]
    misreadable = misread(lines)
    return "\n".join(
        f" {line}" if at in misreadable or _BEGINS_ANOTHER.match(line) else line
        for at, line in enumerate(lines)
    )


def quoted(line: str) -> str:
    """One line of another's mail, as a reply quotes it; its tabs stay."""
    return f"> {printable_source(line)}".rstrip(" ")
