"""Takes a patch out of the reply that quotes it."""

import re

_MARKS = re.compile(r"(?:> ?)*")
_DIFF = re.compile(
    r"^(?P<marks>(?:> ?)*)(?:diff --git |--- \S+.*\n(?P=marks)\+\+\+ \S)", re.MULTILINE
)
NO_BREAK = "\u00a0"


def unquoted(text: str) -> tuple[str, int]:
    """The text at the level of quoting at which its first diff stands, without the marks, and that
    level. What others wrote between the quoted lines is left out. Level 0: the text as it is."""
    spaced = text.replace(NO_BREAK, " ")
    levels = {match["marks"].count(">") for match in _DIFF.finditer(spaced)}
    level = min(levels, default=0)
    if not level:
        return text, 0
    lines = []
    for line in text.split("\n"):
        marks = _MARKS.match(line.replace(NO_BREAK, " "))
        assert marks is not None
        if marks[0].count(">") >= level:
            lines.append(_without(line, level))
    return "\n".join(lines), level


def _without(line: str, level: int) -> str:
    """A line without the first marks, and one space after each."""
    at = 0
    for _ in range(level):
        at = line.index(">", at) + 1
        if line[at : at + 1] in (" ", NO_BREAK):
            at += 1
    return line[at:]
