"""Suppressions written beside the value they are about.

    latency: 2050us   # idle-states: ignore[IS206] hides the state from cpuidle on purpose

On a line with a value the comment covers that line; alone on its line it covers the block that
begins on the next one (a whole state, a whole list).
"""

from bisect import bisect_right

from ...base.dataclass import dataclass
from ...base.model.findings import Location
from ...base.patterns import pattern

_COMMENT = pattern(r"(?:^|\s)#\s*idle-states:\s*ignore\[([^\]]*)\](.*)")


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
    blocks: list[tuple[int, int]] | None = None
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
            blocks = _blocks(lines) if blocks is None else blocks
            following = bisect_right(blocks, (number, len(lines)))
            first, last = blocks[following] if following < len(blocks) else (number, number)
        found.append(Suppression(rules, match[2].strip(), where, first, last))
    return tuple(found)


def _blocks(lines: list[str]) -> list[tuple[int, int]]:
    """First and last line (1-based) of the block that each line with a value begins, in order: up
    to the next line with a value that is indented no further. In one pass."""
    first2last: dict[int, int] = {}
    open_blocks: list[tuple[int, int]] = []
    latest = 0
    for number, line in enumerate(lines, start=1):
        value = line.lstrip()
        if not value or value[0] == "#":
            continue
        indent = len(line) - len(value)
        while open_blocks and open_blocks[-1][0] >= indent:
            first2last[open_blocks.pop()[1]] = latest
        open_blocks.append((indent, number))
        latest = number
    first2last |= {first: latest for _, first in open_blocks}
    return sorted(first2last.items())
