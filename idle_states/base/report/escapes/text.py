r"""Text for people: on a terminal, in a file, in the log of a CI job.

What is not printable (Unicode's controls, marks of direction, separators of lines, unassigned) is
shown as an escape of Python's: \n \r \t, \x1b below U+0080, \u202e or \U000e0001 above it. \xff, at
or above \x80, is a byte of a name that is not UTF-8. A backslash is shown as it is, so that
escaping what is escaped changes nothing; where that matters, --format json has the exact name.
"""

from ...patterns import pattern
from ..style import STYLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_UNDECODED = range(0xDC80, 0xDD00)
"""The characters that Python's surrogateescape makes of bytes that are not UTF-8."""
_SUSPECT = pattern(r"[^\x20-\x7e]")
_WORKFLOW = pattern(r"(?m)^([^\S\n]*):(?=:)")
OLD_WORKFLOW = pattern(r"(?i)#(?=#(?:vso|teamcity)?\[)")
"""Commands of GitHub's runner as it was before, of Azure's and of TeamCity's."""


def printable(text: str) -> str:
    """Escapes text of unknown origin to one line without characters that control a terminal."""
    return text if text.isascii() and text.isprintable() else _SUSPECT.sub(_escape, text)


def printable_lines(text: str) -> str:
    """Like `printable`, but keeps line breaks."""
    return "\n".join(map(printable, text.split("\n")))


def printable_source(line: str) -> str:
    """Like `printable`, for a line of a source: keeps tabs."""
    return "\t".join(map(printable, line.split("\t")))


def guarded(text: str, *, coloured: bool) -> str:
    """A whole report, as it leaves the program: the last look, whatever its parts have let through.

    Also no line is one that GitHub's runner takes for a command: it looks for :: behind blanks at
    a line's beginning, and for ##[ anywhere; nor one for Azure's or TeamCity's. coloured: Style's
    sequences pass, and nothing else that begins with ESC.
    """
    parts = STYLED.split(text) if coloured else [text]
    parts[::2] = ["\n".join(map(printable_source, part.split("\n"))) for part in parts[::2]]
    text = "".join(parts)
    text = _WORKFLOW.sub(r"\1\\x3a", text) if "::" in text else text
    return OLD_WORKFLOW.sub(r"\\x23", text) if "##" in text else text


def _escape(found: "re.Match[str]") -> str:
    char = found[0]
    if char.isprintable():
        return char
    code = ord(char)
    if code in _UNDECODED:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return char.encode("unicode_escape").decode("ascii")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
