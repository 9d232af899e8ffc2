"""Lines that are no wider than the terminal they go to.

Folded is what a terminal would break anyway: at gaps between columns where there is one, so that
columns that find no room stand below, else between words. No word is broken and nothing left out.
What goes into a pipe or a file stays as it is.
"""

from ..patterns import pattern
from .style import STYLED

_WORDS = pattern(r"( +)([^ ]+)")
_HANG = 4


def fitted(text: str, width: int) -> str:
    """Text of whole lines, folded to a terminal's number of columns. What follows of a line stands
    a little farther in than its beginning."""
    return "\n".join(_folded(line, width) for line in text.split("\n"))


def _folded(line: str, width: int) -> str:
    if len(line) <= width or _seen(line) <= width:
        return line
    begun = len(line) - len(line.lstrip(" "))
    hang = " " * min(begun + _HANG, width // 2)
    # (blanks before, word) of the lines so far
    lines: list[list[tuple[str, str]]] = [[]]
    room = width
    used = 0
    for blanks, word in _WORDS.findall(" " + line[begun:]):
        needed = len(blanks) + _seen(word)
        if used and used + needed > room:
            behind = [] if len(blanks) > 1 else _behind_gap(lines[-1], room)
            lines.append(behind)
            room = width - len(hang)
            used = sum(len(before) + _seen(each) for before, each in behind)
        if not lines[-1]:
            used = begun if len(lines) == 1 else 0
            blanks, needed = "", _seen(word)
        lines[-1].append((blanks, word))
        used += needed
    first, *others = ("".join(f"{b}{w}" for b, w in each) for each in lines)
    return "\n".join([line[:begun] + first, *(hang + other for other in others)])


def _behind_gap(words: list[tuple[str, str]], room: int) -> list[tuple[str, str]]:
    """Takes from a full line the words behind its last gap between columns, if that lies in its
    second half."""
    at = 0
    found = None
    for number, (blanks, word) in enumerate(words):
        at += len(blanks)
        if len(blanks) > 1 and 2 * at > room:
            found = number
        at += _seen(word)
    if found is None:
        return []
    behind = words[found:]
    del words[found:]
    return [("", behind[0][1]), *behind[1:]]


def _seen(text: str) -> int:
    """Columns that a terminal shows."""
    return len(STYLED.sub("", text))
