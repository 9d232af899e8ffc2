"""Markdown as GitHub and GitLab read it: no HTML, no link or image, no cell broken out of."""

import re

from .text import printable

_MARKUP = re.compile(r"[\\`\[\]|]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_HTML = re.compile("[&<>]")
_AUTOMATIC = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=[^\s])", re.IGNORECASE)
"""Within what becomes a link, or calls somebody, without any markup."""
_APART = "<!-- -->"
_BLOCK = re.compile(r"^(\s*)(#|[-+*](?=\s|$)|[-=]+\s*$|~~~|[0-9]+(?=[.)]\s))")


def inline(text: str) -> str:
    """Text within a line or a cell of a table, on one line."""
    marked = _MARKUP.sub(r"\\\g<0>", printable(text.replace("\n", " ")))
    return _AUTOMATIC.sub(_APART, _HTML.sub(lambda found: _ENTITIES[found[0]], marked))


def lines(text: str) -> str:
    """A paragraph or several; no line of it is a heading, a list or a fence."""
    return "\n".join(_BLOCK.sub(r"\1\\\2", inline(line)) for line in text.split("\n"))
