"""Preprocessing tokens of device-tree source, and how they are written side by side.

What is a token, and where a blank keeps two apart, is as in GNU cpp for assembler
(-x assembler-with-cpp), which kernels use: a quote without its partner takes the rest of the line,
and what is no token of C stands for itself.

Source: GCC 12 libcpp/lex.cc lex_raw_string(), cpp_avoid_paste(); gcc/c-family/c-ppoutput.cc
scan_translation_unit().
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

NAME, NUMBER, QUOTED, SIGN, PASTE = "name", "number", "quoted", "sign", "paste"


class DtsToken(NamedTuple):
    """A token.

    kind    NAME, NUMBER (also "1x", "0x1e-3"), QUOTED, SIGN, or PASTE: a ## that is an operator
    blank   whether a blank stood before it
    edge    whether a macro began or ended before it, so that a blank may have to be put there
    hidden  macros it came out of, which do not expand it again
    """

    kind: str
    text: str
    blank: bool = False
    edge: bool = False
    hidden: frozenset[str] = frozenset()


WORD = r"[A-Za-z_$][\w$]*"
QUOTE = r'"(?>(?:[^"\\\n]|\\.)*)"?|\'(?>(?:[^\'\\\n]|\\.)*)\'?'
DIGITS = r"\.?[0-9](?>(?:[eEpP][+-]|[\w.$])*)"
TOKEN = re.compile(
    rf"""(?P<blank>[ \t\r\n\f\v]+)
    | (?P<name>{WORD}) | (?P<number>{DIGITS}) | (?P<quoted>{QUOTE})
    | (?P<sign>\.\.\.|<<=|>>=|\#\#|<<|>>|->|\+\+|--|&&|\|\||[-<>=!+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_PASTES = {
    "=": "=", "!": "=", "*": "=", "^": "=", "<<": "=", ">>": "=", "+": "+=", "-": "->=", "/": "/*=",
    "%": "=", "&": "&=", "|": "|=", "<": "<=", ">": ">=", "->": "*", "#": "#",
}  # fmt: skip
"""What joins the token before it, if it follows at once."""


def tokens(text: str) -> list[DtsToken]:
    found, blank = [], False
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or SIGN
        if kind == "blank":
            blank = True
        else:
            found.append(DtsToken(kind, match[0], blank))
            blank = False
    return found


def pastes(left: DtsToken, right: DtsToken) -> bool:
    """Whether two tokens side by side would be read as others."""
    if left.kind == NAME:
        return right.kind == NAME or right.kind == QUOTED
    if left.kind == NUMBER:
        number_goes_on = right.kind in (NAME, NUMBER) or right.text[0] in ".+-"
        return number_goes_on or right.text[0] == "'"
    if left.text == ".":
        return right.kind == NUMBER or right.text[0] == "."
    return right.text[0] in _PASTES.get(left.text, "")


def written(found: Iterable[DtsToken]) -> str:
    """Tokens as text: blanks where they stood and where tokens must be kept apart."""
    parts: list[str] = []
    before: DtsToken | None = None
    for token in found:
        if before and (token.blank or (token.edge and pastes(before, token))):
            parts.append(" ")
        parts.append(token.text)
        before = token
    return "".join(parts)
