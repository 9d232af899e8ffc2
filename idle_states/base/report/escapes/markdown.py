"""Markdown as GitHub and GitLab read it: no HTML, no link or image, no cell broken out of; no
reference to an issue, a commit or a person either, which both make of text without any markup.

Sources: GitHub's "Autolinked references and URLs", GitLab's "GitLab-specific references".
"""

import re

from ...patterns import pattern
from .text import printable

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_APART = "<!-- -->"
"""Ends a text for what looks for references in it, and is not seen."""
_MEANT = pattern(
    r"""
      (?P<reference> \[ (?=[a-z_]+:) | ~ (?=[\w"]) | \$ | & (?=[0-9]) )
    | (?P<markup> [&<>\\`\[\]|*~] | (?<![A-Za-z0-9])_ | _(?![A-Za-z0-9]) )
    | (?P<commit> (?<![A-Za-z0-9])[0-9a-f]{7,}(?![A-Za-z0-9]) )
    | (?P<sign>   : (?=//) | www (?=\.) | @ (?=\S) | [#!] (?=[0-9]) | % (?=[\w"])
                | \bG[HL]- (?=[0-9]) | : (?=(?:100|1234|[+-]1|[a-z]\w*):) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SHORT = pattern(r".{6}(?=.)")
"""A commit's hash has 7 digits at least."""
_BLOCK = pattern(r"#|[-+](?=\s|$)|[-=]+\s*$|/|(?<=[0-9])[.)](?=\s|$)")
_NUMBER = pattern(r"[0-9]*")


def inline(text: str) -> str:
    """Text within a line or a cell of a table, on one line."""
    return _MEANT.sub(_escaped, printable(text.replace("\n", " ")))


def _escaped(found: re.Match[str]) -> str:
    if found.lastgroup == "commit":
        return _SHORT.sub(rf"\g<0>{_APART}", found[0])
    if found.lastgroup == "sign":
        return f"{found[0]}{_APART}"
    shown = _ENTITIES.get(found[0], f"\\{found[0]}")
    return f"{shown}{_APART}" if found.lastgroup == "reference" else shown


def lines(text: str) -> str:
    """A paragraph or several; no line of it is a heading, a list, a fence, or an action."""
    return "\n".join(_no_block(inline(line.strip(" "))) for line in text.split("\n"))


def _no_block(line: str) -> str:
    """The line with a backslash before what makes it more than a line of a paragraph."""
    number = _NUMBER.match(line)
    at = number.end() if number else 0
    return f"{line[:at]}\\{line[at:]}" if _BLOCK.match(line, at) else line
