"""The lines of a hunk, with those joined again that a mailer broke.

A mailer that wraps breaks a line at a space. What follows begins with anything, a mark of a diff
included. A hunk says how many lines it has before and after, so most readings are impossible; one
is taken only if it is the only one that is left.
"""

from collections.abc import Sequence

from ...dataclass import dataclass

Line = tuple[str, str]
"""(mark, text)"""

_MARKS = " +-\\"
_NARROWEST = 60
_MOST_READINGS = 4096
"""Partial readings that are followed; a hunk with more is not repaired."""


@dataclass(frozen=True, slots=True)
class HunkRead:
    """lines     (mark, text) for each
    end       index of the first line after it
    rejoined  how many lines were joined to the one before
    """

    lines: tuple[Line, ...]
    end: int
    rejoined: int


def hunk_lines(lines: Sequence[str], start: int, old: int, new: int) -> HunkRead | str:
    """Reads a hunk that begins at lines[start] and has `old` lines before and `new` after. Returns
    what was found instead, where it cannot be read or repaired."""
    plain = _as_it_is(lines, start, old, new)
    if plain is not None:
        return plain
    return _repaired(lines, start, old, new)


def _as_it_is(lines: Sequence[str], start: int, old: int, new: int) -> HunkRead | None:
    found: list[Line] = []
    at = start
    while (old or new) and at < len(lines):
        # an empty line is context whose only space was cut off
        mark, text = (lines[at][:1] or " "), lines[at][1:]
        if mark == "\r":
            mark, text = " ", "\r"
        if mark not in _MARKS or (mark == "\\" and not found):
            return None
        if mark != "\\":
            old -= mark != "+"
            new -= mark != "-"
        if old < 0 or new < 0:
            return None
        found.append((mark, text))
        at += 1
    if old or new:
        return None
    if at < len(lines) and lines[at].startswith("\\ "):
        found.append(("\\", lines[at][1:]))
        at += 1
    elif _goes_on(lines, at):
        return None
    return HunkRead(tuple(found), at, 0)


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """Tells whether a line after the last can only belong to the hunk: so a line was counted that a
    mailer made."""
    if at >= len(lines):
        return False
    line = lines[at]
    mark = line[:1]
    return mark in ("+", "-") and line.rstrip() not in ("--", "---") and not line.startswith("--- ")


@dataclass(frozen=True, slots=True)
class _Partial:
    lines: tuple[Line, ...]
    old: int
    new: int
    rejoined: int


def _repaired(lines: Sequence[str], start: int, old: int, new: int) -> HunkRead | str:
    """The only reading with some lines joined."""
    if old + new > _MOST_READINGS:
        return "found others, in a hunk too long to be repaired"
    partial = [_Partial((), old, new, 0)]
    done: list[HunkRead] = []
    at = start
    while partial and at < len(lines):
        following: list[_Partial] = []
        for one in partial:
            is_whole = not (one.old or one.new)
            if is_whole and not _goes_on(lines, at) and not _only_joins(lines, at):
                done.append(HunkRead(one.lines, at, one.rejoined))
                continue
            following += _ways(one, lines[at], lines[at - 1])
        if len(following) > _MOST_READINGS:
            return "found too many ways to join what seems broken by a mailer"
        partial = following
        at += 1
    done += [HunkRead(one.lines, at, one.rejoined) for one in partial if not (one.old or one.new)]
    readings = {tuple(one.lines): one for one in done}
    if len(readings) == 1:
        return next(iter(readings.values()))
    if readings:
        return f"found {len(readings)} ways to join what seems broken by a mailer"
    return "found others"


def _only_joins(lines: Sequence[str], at: int) -> bool:
    """Tells whether a line can be nothing but the rest of the one before."""
    line = lines[at]
    ends = ("diff --git ", "@@ ", "Index: ", "index ", "-- ", "--")
    if not line.strip() or line.startswith(ends) or line[:1] in _MARKS:
        return False
    return _breaks(lines[at - 1], line)


def _ways(one: _Partial, line: str, previous: str) -> list[_Partial]:
    found = []
    mark, text = (line[:1] or " "), line[1:]
    if mark == "\\" and one.lines:
        return [_Partial((*one.lines, (mark, text)), one.old, one.new, one.rejoined)]
    if mark in " +-":
        old, new = one.old - (mark != "+"), one.new - (mark != "-")
        if old >= 0 and new >= 0:
            found.append(_Partial((*one.lines, (mark, text)), old, new, one.rejoined))
    if one.lines and _breaks(previous, line):
        last, before = one.lines[-1]
        glue = "" if before.endswith(" ") else " "
        joined = (*one.lines[:-1], (last, f"{before}{glue}{line}"))
        found.append(_Partial(joined, one.old, one.new, one.rejoined + 1))
    return found


def _breaks(previous: str, line: str) -> bool:
    """Tells whether a mailer would break there: the next word did not fit the line."""
    word = line.split(maxsplit=1)[0] if line.strip() else ""
    width = len(previous.expandtabs(8).rstrip()) + 1 + len(word)
    return bool(word) and not line.startswith((" ", "\t")) and width > _NARROWEST
