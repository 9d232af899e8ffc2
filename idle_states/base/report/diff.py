"""Unified diffs as git writes them: whole lines, three of context, real blob names.

Texts are str with surrogates for bytes that are no UTF-8; see `encoded` for what goes into a file.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence

from ..dataclass import dataclass

CONTEXT = 3
MAX_COST = 1_000
"""Lines added and removed in one stretch, up to which the fewest are looked for."""
_HEADING = re.compile(r"[A-Za-z_$]")
_HEADING_BYTES = 80
_UNUSUAL = re.compile(r"[^ !#-\[\]-~]")
_ESCAPES = {byte: chr(byte) for byte in range(0x20, 0x7F)} | {
    ord(char): f"\\{letter}" for char, letter in zip('\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True)
}


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines old[a:b] become new[c:d]."""

    a: int
    b: int
    c: int
    d: int


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def blob(text: str) -> str:
    """Returns the hash that git gives a file with this text."""
    data = encoded(text)
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def quoted(name: str) -> str:
    """Returns a file's name as git's diffs write it: in quotes with C's escapes where characters
    need them."""
    if not _UNUSUAL.search(name):
        return name
    escaped = (_ESCAPES.get(byte) or f"\\{byte:03o}" for byte in encoded(name))
    return f'"{"".join(escaped)}"'


def lines_of(text: str) -> list[str]:
    """Splits a text into lines that keep their newline; no other character ends a line."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def file_diff(name: str, before: str, after: str, mode: str = "100644") -> str:
    """Returns the unified diff of one file; "" for equal texts. mode: the file's mode in octal."""
    if before == after:
        return ""
    old, new = lines_of(before), lines_of(after)
    a, b = quoted(f"a/{name}"), quoted(f"b/{name}")
    head = [
        f"diff --git {a} {b}\n",
        f"index {blob(before)}..{blob(after)} {mode}\n",
        f"--- {a}\n",
        f"+++ {b}\n",
    ]
    return "".join([*head, *_hunks(old, new, blocks(old, new))])


def counts(before: str, after: str) -> tuple[int, int]:
    """Returns the numbers of lines added and removed."""
    found = blocks(lines_of(before), lines_of(after))
    return sum(block.d - block.c for block in found), sum(block.b - block.a for block in found)


def blocks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    """Returns the changed blocks, with as few lines as possible; where rows come or go,
    whole rows."""
    if len(old) == len(new):
        unlike = [index for index in range(len(old)) if old[index] != new[index]]
        in_place = _runs(unlike)
        if _cost(in_place) <= _cost(found := _compared(old, new)):
            return in_place
        return found
    return _compared(old, new)


def _cost(found: Sequence[Hunk]) -> int:
    return sum(block.b - block.a + block.d - block.c for block in found)


def _runs(indices: Sequence[int]) -> list[Hunk]:
    found: list[Hunk] = []
    for index in indices:
        if found and found[-1].b == index:
            found[-1] = Hunk(found[-1].a, index + 1, found[-1].c, index + 1)
        else:
            found.append(Hunk(index, index + 1, index, index + 1))
    return found


def _compared(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    pairs = _matched(old[start : len(old) - end], new[start : len(new) - end])
    found: list[Hunk] = []
    a = c = start
    for i, j in [*((i + start, j + start) for i, j in pairs), (len(old) - end, len(new) - end)]:
        if i > a or j > c:
            found.append(_slid(old, new, Hunk(a, i, c, j), found))
        a, c = i + 1, j + 1
    return found


def _matched(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of equal lines, as many as there can be in order: Myers' greedy algorithm.

    None where that would cost more than MAX_COST: then all is replaced.
    """
    ends: dict[int, int] = {1: 0}
    trail: list[dict[int, int]] = []
    for cost in range(min(len(old) + len(new), MAX_COST) + 1):
        trail.append(dict(ends))
        for diagonal in range(-cost, cost + 1, 2):
            down = diagonal == -cost or (
                diagonal != cost and ends[diagonal - 1] < ends[diagonal + 1]
            )
            x = ends[diagonal + 1] if down else ends[diagonal - 1] + 1
            while x < len(old) and x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            ends[diagonal] = x
            if x >= len(old) and x - diagonal >= len(new):
                return _backtracked(trail, len(old), len(new))
    return []


def _backtracked(trail: Sequence[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for cost in range(len(trail) - 1, -1, -1):
        ends, diagonal = trail[cost], x - y
        down = diagonal == -cost or (diagonal != cost and ends[diagonal - 1] < ends[diagonal + 1])
        former = diagonal + 1 if down else diagonal - 1
        start = ends[former] if cost else 0
        entered = start if down or not cost else start + 1
        while x > entered and y > 0:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = start, start - former
    return pairs[::-1]


def _slid(old: Sequence[str], new: Sequence[str], block: Hunk, found: Sequence[Hunk]) -> Hunk:
    """Moves a block that only adds or only removes lines up to the beginning of a row, where
    possible."""
    lines, start, end = (new, block.c, block.d) if block.a == block.b else (old, block.a, block.b)
    if block.a < block.b and block.c < block.d:
        return block
    floor = found[-1].b if found else 0
    best, up = 0, 0
    while block.a - up > floor and lines[start - up - 1] == lines[end - up - 1]:
        up += 1
        if lines[start - up].strip().startswith("{") and not best:
            best = up
    if lines[start].strip().startswith("{"):
        best = 0
    return Hunk(block.a - best, block.b - best, block.c - best, block.d - best)


def _hunks(old: Sequence[str], new: Sequence[str], found: Sequence[Hunk]) -> Iterator[str]:
    group: list[Hunk] = []
    for block in found:
        if group and block.a - group[-1].b > 2 * CONTEXT:
            yield from _hunk(old, new, group)
            group = []
        group.append(block)
    if group:
        yield from _hunk(old, new, group)


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[Hunk]) -> Iterator[str]:
    first, last = group[0], group[-1]
    lead, tail = min(CONTEXT, first.a), min(CONTEXT, len(old) - last.b)
    a, b, c, d = first.a - lead, last.b + tail, first.c - lead, last.d + tail
    heading = next((line for line in reversed(old[:a]) if _HEADING.match(line)), "")
    heading = encoded(heading.rstrip())[:_HEADING_BYTES].decode("utf-8", "surrogateescape").rstrip()
    ranges = f"@@ -{_range(a, b)} +{_range(c, d)} @@"
    yield f"{ranges} {heading}\n" if heading else f"{ranges}\n"
    position = a
    for block in group:
        yield from (_line(" ", line) for line in old[position : block.a])
        yield from (_line("-", line) for line in old[block.a : block.b])
        yield from (_line("+", line) for line in new[block.c : block.d])
        position = block.b
    yield from (_line(" ", line) for line in old[position:b])


def _range(start: int, end: int) -> str:
    count = end - start
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


def _line(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
