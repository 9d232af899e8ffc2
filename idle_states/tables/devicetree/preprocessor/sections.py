"""A file as the preprocessor takes it: stretches of text, and directives between them.

What does not depend on macros is done here, once for a file however many sources include it:
continued lines joined, comments taken out, definitions parsed, names found.
"""

import re

from ....base.dataclass import dataclass
from ....base.digests import sha256
from ....base.patterns import pattern
from ....base.reading.c.lexer import DIGITS, QUOTED_CHARACTER, QUOTED_STRING, WORD, UnsupportedC
from ....base.reading.c.macros import Macro

_QUOTED = f"{QUOTED_STRING}|{QUOTED_CHARACTER}"
_CONTINUED = pattern(r"^(?:[^\n]*\\[ \t\f\v]*\n)+[^\n]*", re.MULTILINE)
_SPLICE = pattern(r"\\[ \t\f\v]*\n")
_COMMENT = pattern(rf"{_QUOTED}|(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<open>/\*)", re.DOTALL)
_WORDS = "define|undef|ifdef|ifndef|if|elif|else|endif|include|error|warning|pragma|line"
_OTHERS = "include_next|import|ident|sccs|assert|unassert"
_DIRECTIVE = pattern(
    rf"^[ \t\r\f\v]*#[ \t\r\f\v]*(?:({_WORDS}|{_OTHERS})\b([^\n]*)|$)", re.MULTILINE | re.ASCII
)
ANY = pattern(rb"^[ \t]*#[ \t]*(?:define|undef|ifdef|ifndef|if|include)\b(?![,-])", re.MULTILINE)
"""The words of a source that the preprocessor is for."""
_NAMES = pattern(rf"{_QUOTED}|{DIGITS}|({WORD})", re.ASCII)

# a line's end within a comment or a continued line, which does not end a directive
_SOFT = "\r"
_BLANKED = pattern(r"[^\n\r]")
_ENDS = {ord("\n"): _SOFT}


@dataclass(slots=True)
class Text:
    """A stretch of text without directives.

    line      number of its first line in the file
    names     name -> where it stands in the text, outside of quotes and numbers
    met       it has been expanded before
    expanded  how it was expanded last, where that is kept
    """

    text: str
    line: int
    names: dict[str, list[int]]
    met: bool = False
    expanded: "ExpandedText | None" = None


@dataclass(frozen=True, slots=True)
class ExpandedText:
    """A stretch with its macros expanded, which is the same wherever they are the same.

    used    the names in it that were macros
    macros  those, and what their bodies name, however deep: name -> the macro, None if it was none
    made    the text
    edits   see MadeText
    cost    what the macros took of the budget
    """

    used: set[str]
    macros: dict[str, Macro | None]
    made: str
    edits: list[tuple[int, int, int, int]]
    cost: int


@dataclass(slots=True)
class Directive:
    """word: "include", say; rest: what follows it, without comments; line: its number."""

    word: str
    rest: str
    line: int


@dataclass(slots=True)
class DefineRun:
    """#define after #define, with nothing between them."""

    macros: dict[str, Macro]


@dataclass(slots=True)
class Sections:
    """A file. shown: its text as it stands, for reports; sha256: of its bytes."""

    parts: list[Text | Directive | DefineRun]
    shown: str
    sha256: str


class Misread(Exception):
    """The fault that makes a file unreadable as it stands. line: where."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def sections(data: bytes) -> Sections:
    """A file in parts. Raises Misread."""
    shown = data.decode("utf-8", "surrogateescape")
    text = _plain(shown)
    made = Sections([], shown, sha256(data))
    line, counted, done = 1, 0, 0

    def add(stretch: str, first: int) -> None:
        if stretch and not stretch.isspace():
            made.parts.append(_text(stretch, first))

    for match in _DIRECTIVE.finditer(text):
        start = match.start()
        add(text[done:start], line)
        word = match[1]
        # the directive's own line, past those of a comment before it
        own = match.start(1) if word else start
        line += text.count("\n", counted, own) + text.count(_SOFT, counted, own)
        counted = own
        if word == "define":
            _define(made, match[2], line)
        elif word:
            made.parts.append(Directive(word, match[2].replace(_SOFT, " ").strip(), line))
        done = match.end()
        line += text.count("\n", counted, done) + text.count(_SOFT, counted, done)
        counted = done
    add(text[done:], line)
    return made


def _define(made: Sections, definition: str, line: int) -> None:
    try:
        macro = Macro.parsed(definition)
    except UnsupportedC as problem:
        # only where it is not skipped is it an error
        made.parts.append(Directive("define", str(problem), line))
        return
    last = made.parts[-1] if made.parts else None
    if isinstance(last, DefineRun):
        last.macros[macro.name] = macro
    else:
        made.parts.append(DefineRun({macro.name: macro}))


def _text(stretch: str, line: int) -> Text:
    names: dict[str, list[int]] = {}
    for match in _NAMES.finditer(stretch):
        if match.lastindex:
            names.setdefault(match[1], []).append(match.start())
    return Text(stretch.replace(_SOFT, "\n"), line, names)


def _plain(shown: str) -> str:
    """Without comments, continued lines joined; as many ends of lines as before."""
    text = shown.replace("\r\n", "\n").replace("\r", " ")
    if "\\" in text:
        text = _CONTINUED.sub(_joined, text)
    return _COMMENT.sub(lambda match: _without(match, text), text)


def _joined(match: "re.Match[str]") -> str:
    return _SPLICE.sub("", match[0]) + _SOFT * match[0].count("\n")


def _without(match: "re.Match[str]", text: str) -> str:
    if match["open"]:
        line = text.count("\n", 0, match.start()) + text.count(_SOFT, 0, match.start()) + 1
        raise Misread("expected the end of what begins with /*, found none", line)
    comment = match["comment"]
    if comment is None:
        return match[0]
    # as long as it was, so that what follows keeps its column
    return (
        " " * len(comment) if "\n" not in comment else _BLANKED.sub(" ", comment).translate(_ENDS)
    )
