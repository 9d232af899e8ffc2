"""The lines of a message that `git am` takes for something other than text.

Source: git's mailinfo.c (patchbreak, check_inbody_header, is_scissors_line) and trailer.c.
"""

import re

from ..patterns import pattern

_ENDS = pattern(r"---|diff -|Index: ")
_HEADER = pattern(
    r"(?:(?:From|Date|Subject|Content-[A-Z-]+)[ \t]*:|\[PATCH\]|>From )", re.IGNORECASE
)
_SIGNS = pattern(r"(?:Signed-off-by[ \t]*:|\(cherry picked from commit )", re.IGNORECASE)
_BLADES = pattern(r"(?<=>)(?=[8%])|(?<=[8%])(?=<)")
_PERFORATION = pattern(r">[8%]|[8%]<|[-\s]")


def is_structure(line: str) -> bool:
    """Returns whether a line ends the message, or signs it off in somebody's name."""
    return bool(_ENDS.match(line) or _SIGNS.match(line))


def is_header(line: str) -> bool:
    """Returns whether git takes a line for a header where nothing but such lines stands before."""
    return bool(_HEADER.match(line))


def is_scissors(line: str) -> bool:
    """Returns whether `--scissors` may drop all that stands before a line, indented or not; also
    for some lines that git leaves alone."""
    cut = sum(map(len, _PERFORATION.findall(line)))
    return bool(_BLADES.search(line)) and 3 * cut > len(line.strip())


def without_scissors(line: str) -> str:
    """Returns the line with a blank between the blades, if it is one of scissors."""
    return _BLADES.sub(" ", line) if is_scissors(line) else line
