"""Preprocessing tokens of C with their places, how they are written side by side, and what string
and character literals stand for.

Device-tree source has the same tokens: kernels have it preprocessed as assembler (gcc's -x
assembler-with-cpp), where a quote without its partner takes the rest of the line and what is no
token of C stands for itself.

Source: GCC 12 libcpp/lex.cc lex_raw_string(), cpp_avoid_paste(); gcc/c-family/c-ppoutput.cc
scan_translation_unit().
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...model.table import U64_MAX
from ...patterns import pattern
from .. import limits

NAME, NUMBER, STRING, CHARACTER, SIGN, PASTE = (
    "name", "number", "string", "character", "sign", "paste",
)  # fmt: skip
LITERALS = (STRING, CHARACTER)


class Token(NamedTuple):
    """A preprocessing token.

    kind        NAME, NUMBER (also "1x", "0x1e-3"), STRING, CHARACTER, SIGN, or PASTE: a ## that is
                an operator
    start, end  offsets in the source; of a token that a macro expands to, those of the macro's use
    blank       whether a blank stood before it
    edge        whether a macro began or ended before it, so that a blank may have to be put there
    hidden      names of the macros whose expansion it is from; they are not expanded in it again
    """

    kind: str
    text: str
    start: int = 0
    end: int = 0
    blank: bool = False
    edge: bool = False
    hidden: frozenset[str] = frozenset()


class UnsupportedC(Exception):
    """C that cannot be evaluated. message: what was expected and found; start, end: offsets of
    the text that it is about."""

    def __init__(self, message: str, start: int = 0, end: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


# atomic groups, not possessive repetitions: those of CPython before 3.11.5 match too much. Each
# begins with its character, so that re skips to the next one
COMMENT = r"/(?>\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?|/(?:[^\\\n]+|\\(?:\r?\n)?)*)"
QUOTED_STRING = r'"(?>(?:[^"\\\n]+|\\(?:\r?\n|.))*)"?'
QUOTED_CHARACTER = r"'(?>(?:[^'\\\n]+|\\(?:\r?\n|.))*)'?"
SPLICE = r"\\\r?\n"
WORD = r"[A-Za-z_$][\w$]*"
DIGITS = r"\.?[0-9](?>[\w.$]*(?:(?<=[eEpP])[+-][\w.$]*)*)"

_TOKEN = pattern(
    rf"""((?>(?: \s+ | {SPLICE} | {COMMENT} )+))
    | ({WORD})
    | ({DIGITS})
    | ({QUOTED_STRING})
    | ({QUOTED_CHARACTER})
    | (\.\.\.|<<=|>>=|\#\#|<<|>>|->|\+\+|--|&&|\|\||[-<>=!+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_VISIBLE = pattern(r"[^\n]")
_BLANK = 1
_KINDS = ("", "", NAME, NUMBER, STRING, CHARACTER, SIGN)
_PASTES = {
    "=": "=", "!": "=", "*": "=", "^": "=", "<<": "=", ">>": "=", "+": "+=", "-": "->=", "/": "/*=",
    "%": "=", "&": "&=", "|": "|=", "<": "<=", ">": ">=", "->": "*", "#": "#",
}  # fmt: skip
"""Tokens that join the one before, if it follows at once."""


def blanks(text: str) -> str:
    """Returns blanks in place of a text, as long and on as many lines."""
    return _VISIBLE.sub(" ", text)


def scan(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Yields the tokens between two offsets, without comments and line continuations."""
    blank = False
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        group = match.lastindex or _BLANK
        if group == _BLANK:
            blank = True
        else:
            yield Token(_KINDS[group], match[0], match.start(), match.end(), blank)
            blank = False


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Returns what `scan` yields."""
    return list(scan(text, start, end))


def pastes(left: Token, right: Token) -> bool:
    """Returns whether two tokens side by side would be read as others."""
    if left.kind == NAME:
        return right.kind == NAME or right.kind in LITERALS
    if left.kind == NUMBER:
        number_goes_on = right.kind in (NAME, NUMBER) or right.text[0] in ".+-"
        return number_goes_on or right.text[0] == "'"
    if left.text == ".":
        return right.kind == NUMBER or right.text[0] == "."
    return right.text[0] in _PASTES.get(left.text, "")


def written(found: Iterable[Token]) -> str:
    """Returns tokens as text: blanks where they stood and where tokens must be kept apart."""
    parts: list[str] = []
    before: Token | None = None
    for token in found:
        if before and (token.blank or (token.edge and pastes(before, token))):
            parts.append(" ")
        parts.append(token.text)
        before = token
    return "".join(parts)


_SIMPLE_ESCAPES = {
    "n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27,
    "\\": 92, "'": 39, '"': 34, "?": 63,
}  # fmt: skip
_ESCAPE = pattern(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.)|$)", re.DOTALL
)


def literal_bytes(token: Token) -> bytes:
    """Returns the bytes that a string or character literal is compiled to, without a final NUL.

    Raises UnsupportedC if it is not closed, or has an escape that C does not define.
    """
    text = re.sub(SPLICE, "", token.text)
    if len(text) < 2 or text[-1] != text[0]:
        raise UnsupportedC(
            f"expected a closing {text[0]}, found the end of the line", token.start, token.end
        )
    body = text[1:-1]
    result = bytearray()
    position = 0
    for match in _ESCAPE.finditer(body):
        result += encoded(body[position : match.start()])
        result += _escaped(match, token)
        position = match.end()
    return bytes(result + encoded(body[position:]))


def string(literals: Sequence[Token], start: int, end: int) -> bytes:
    """Returns the bytes of a string up to its first NUL.

    literals    its tokens, with all macros expanded
    start, end  the string's place in the file, for errors where there are none
    Raises UnsupportedC if it is anything but literals.
    """
    other = next((token for token in literals if token.kind != STRING), None)
    if other is not None:
        start, end = other.start, other.end
    if other is not None or not literals:
        found = other.text[:40] if other else "nothing"
        raise UnsupportedC(f"expected a name in quotes, found {found}", start, end)
    return b"".join(literal_bytes(token) for token in literals).partition(b"\0")[0]


def encoded(text: str) -> bytes:
    """Returns the text as UTF-8. Surrogates that stand for bytes of a file become these bytes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _escaped(match: re.Match[str], token: Token) -> bytes:
    octal, hexadecimal, short, long, simple = match.groups()
    code = -1
    if octal:
        code = int(octal, 8)
    elif hexadecimal:
        code = int(hexadecimal[:20], 16)
    elif simple:
        code = _SIMPLE_ESCAPES.get(simple, -1)
    elif (short or long) and int(short or long, 16) < 0x110000:
        return chr(int(short or long, 16)).encode("utf-8", "surrogatepass")
    if not 0 <= code <= 0xFF:
        message = f"expected an escape sequence of C, found {match[0][:24]!a}"
        raise UnsupportedC(message, token.start, token.end)
    return bytes([code])


_NUMBER = pattern(
    r"(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|(0[0-7]*)|([1-9][0-9]*))"
    r"((?:[uU](?:ll|LL|[lL])?|(?:ll|LL|[lL])[uU]?)?)"
)
_MAX_DIGITS = limits.C_DIGITS


def integer_literal(token: Token) -> tuple[int, bool, str]:
    """Returns the value of a number, whether it is decimal, and its suffix in lower case.

    Raises UnsupportedC for floating-point and malformed numbers, and for values above 64 bits.
    """
    match = _NUMBER.fullmatch(token.text) if len(token.text) <= _MAX_DIGITS else None
    if match is None:
        message = f"expected an integer, found {token.text[:40]}"
        raise UnsupportedC(message, token.start, token.end)
    for group, base in ((1, 16), (2, 2), (3, 8), (4, 10)):
        if match[group]:
            value = int(match[group], base)
            break
    if value > U64_MAX:
        message = f"expected an integer of 64 bits, found {token.text}"
        raise UnsupportedC(message, token.start, token.end)
    return value, match[4] is not None, match[5].lower()
