"""Suppressions written beside the value they are about.

    latency: 2050us   # idle-states: ignore[IS206] hides the state from cpuidle on purpose

On a line with a value the comment covers that line; alone on its line it covers the block that
begins on the next one (a whole state, a whole list).
"""

import re
from dataclasses import dataclass

from ..findings import Location

_COMMENT = re.compile(r"(?:^|\s)#\s*idle-states:\s*ignore\[([^\]]*)\](.*)")


@dataclass(frozen=True, slots=True)
class Suppression:
    """A suppression in a spec.

    rules                  codes of the rules
    reason                 the reason given, "" if missing
    where                  place of the comment
    first_line, last_line  lines that it covers
    """

    rules: tuple[str, ...]
    reason: str
    where: Location
    first_line: int
    last_line: int

    def covers(self, rule: str, where: Location) -> bool:
        return (
            rule in self.rules
            and where.file == self.where.file
            and where.line is not None
            and self.first_line <= where.line <= self.last_line
        )


def suppressions(text: str, file: str) -> tuple[Suppression, ...]:
    """All suppressions of a spec, in order. A missing reason is the empty string (see IS901)."""
    lines = text.splitlines()
    found = []
    for number, line in enumerate(lines, start=1):
        if "idle-states:" not in line:
            continue
        match = _COMMENT.search(line)
        if not match:
            continue
        rules = tuple(code.strip() for code in match[1].split(",") if code.strip())
        column = line.index("#", match.start()) + 1
        where = Location(file=file, line=number, column=column, length=len(line) - column + 1)
        if line[: column - 1].strip():
            first = last = number
        else:
            first, last = _block_after(lines, number)
        found.append(Suppression(rules, match[2].strip(), where, first, last))
    return tuple(found)


def _block_after(lines: list[str], comment: int) -> tuple[int, int]:
    """First and last line of the block that starts after a comment on a line of its own."""
    index = comment
    while index < len(lines) and (not lines[index].strip() or lines[index].lstrip()[0] == "#"):
        index += 1
    if index == len(lines):
        return comment, comment
    indent = _indent(lines[index])
    last = index
    for later in range(index + 1, len(lines)):
        stripped = lines[later].strip()
        if not stripped or stripped[0] == "#":
            continue
        if _indent(lines[later]) <= indent:
            break
        last = later
    return index + 1, last + 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
