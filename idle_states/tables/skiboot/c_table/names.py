"""Text on its way into C: string literals, comments and identifiers."""

import re
import textwrap

from ....base.patterns import pattern
from ....base.reading.c.lexer import encoded

COMMENT_WIDTH = 72

_IDENTIFIER = pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while".split()
)


def is_identifier(word: str) -> bool:
    return bool(_IDENTIFIER.fullmatch(word)) and word not in _KEYWORDS


def identifier_from(words: str) -> str:
    """Letters, digits and underscores of some text: "power9@1953b41e1" -> "power9_1953b41e1"."""
    made = re.sub(r"[^A-Za-z0-9_]+", "_", words).strip("_")
    return f"_{made}" if made[:1].isdigit() else made


def string_literal(text: str) -> str:
    r"""A C string literal of the text's bytes in UTF-8.

    What is not printable ASCII becomes an octal escape of three digits, which no digit after it
    can prolong; of two question marks the second is escaped, so that they start no trigraph.
    """
    pieces: list[str] = []
    for byte in encoded(text):
        char = chr(byte)
        if char in '"\\' or (char == "?" and pieces[-1:] in (["?"], ["\\?"])):
            pieces.append("\\" + char)
        elif " " <= char <= "~":
            pieces.append(char)
        else:
            pieces.append(f"\\{byte:03o}")
    return '"' + "".join(pieces) + '"'


def comment_text(text: str) -> str:
    """One line that can stand in a C comment: its marks are torn apart, odd characters dropped."""
    printable = "".join(char if char.isprintable() else " " for char in text)
    line = " ".join(printable.split())
    for mark, harmless in (("*/", "* /"), ("/*", "/ *"), ("??/", "?? /")):
        while mark in line:
            line = line.replace(mark, harmless)
    return line


def comment_lines(text: str) -> list[str]:
    """`comment_text` folded; empty if nothing remains."""
    return textwrap.wrap(
        comment_text(text), COMMENT_WIDTH, break_on_hyphens=False, break_long_words=False
    )
