"""The parts of a message that `git am` does not take for text, and characters unfit for a mail.

Source: git's mailinfo.c (patchbreak, check_inbody_header, is_scissors_line) and trailer.c.
"""

import re
from collections.abc import Sequence

from ..patterns import pattern

_ENDS = pattern(r"---|diff -|Index: ")
_HEADER = pattern(
    r"(?:(?:From|Date|Subject|Content-[A-Z-]+)[ \t]*:|\[PATCH\]|>From )", re.IGNORECASE
)
_IN_BODY = pattern(r"(?:(?:From|Subject|Date):[^\n]*\n)+\n?")
_SIGNS = pattern(r"(?:Signed-off-by[ \t]*:|\(cherry picked from commit )", re.IGNORECASE)
_BLADES = pattern(r"(?<=>)(?=[8%])|(?<=[8%])(?=<)")
_PERFORATION = pattern(r">[8%]|[8%]<|[-\s]")
UNFIT = pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029<>]")
"""Characters that neither a name nor an address of a mail may hold."""


def misread(lines: Sequence[str]) -> set[int]:
    """Returns the numbers of the lines that are no text to git: that end the message, sign it off
    in somebody's name, or begin it like a header."""
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    return {
        at
        for at, line in enumerate(lines)
        if _ENDS.match(line) or _SIGNS.match(line) or (at == first and _HEADER.match(line))
    }


def in_body(text: str) -> tuple[dict[str, str], str]:
    """Returns the headers that stand at the beginning of a message, for the commit instead of the
    mail's, and the rest."""
    stripped = text.lstrip("\n")
    match = _IN_BODY.match(stripped)
    if match is None:
        return {}, stripped
    lines = (line.partition(":") for line in match[0].strip().split("\n"))
    return {key.lower(): value.strip() for key, _, value in lines}, stripped[match.end() :]


def is_scissors(line: str) -> bool:
    """Returns whether `--scissors` may drop all that stands before a line, indented or not; also
    for some lines that git leaves alone."""
    cut = sum(map(len, _PERFORATION.findall(line)))
    return bool(_BLADES.search(line)) and 3 * cut > len(line.strip())


def without_scissors(line: str) -> str:
    """Returns the line with a blank between the blades, if it is one of scissors."""
    return _BLADES.sub(" ", line) if is_scissors(line) else line
