"""Rows that inputs are made of: repeated, nested or packed into one another.

A recipe is rows with counts, the outer one first: `pairs*25 first*1`. A row makes of its count and
of what follows it its own bytes and those; in texts § is the number of the repetition, ¶ the next.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Row = Callable[[int, bytes], bytes]
Recipe = tuple[tuple[str, int], ...]
"""Row and count, the outer one first."""


def numbered(text: str, count: int) -> list[bytes]:
    parts = re.split("([§¶])", text)
    return [
        "".join({"§": str(at), "¶": str(at + 1)}.get(part, part) for part in parts).encode()
        for at in range(count)
    ]


def each(text: str) -> Row:
    return listed(text, "")


def listed(text: str, before: str, after: str = "") -> Row:
    return lambda count, inner: b"".join(
        (before.encode(), *numbered(text, count), after.encode(), inner)
    )


def run(text: bytes, before: bytes = b"", after: bytes = b"") -> Row:
    return lambda count, inner: before + text * count + after + inner


def nest(before: str, after: str = "") -> Row:
    return lambda count, inner: b"".join(
        (*numbered(before, count), inner, *reversed(numbered(after, count)))
    )


_MOST_BYTES = 1 << 29


@dataclass(frozen=True)
class Grammar:
    """rows: by name; words: the command, where the file's name is its last word; terms: rows that
    are a part of something, which hold makes of them; frame: makes a whole file of what rows made;
    direct: reads the file instead of a command."""

    file: str
    words: tuple[str, ...]
    rows: Mapping[str, Row]
    frame: Callable[[bytes], bytes] = lambda inner: inner
    direct: Callable[[Path], object] | None = None
    terms: Mapping[str, Row] = field(default_factory=dict)
    hold: Callable[[bytes], bytes] = lambda inner: inner

    @property
    def names(self) -> list[str]:
        return [*self.rows, *self.terms]

    def make(self, recipe: Recipe) -> bytes:
        """The whole file; nothing where some row could repeat what follows it without measure."""
        made = term = b""
        for name, count in reversed(recipe):
            if count * max(len(made), len(term)) > _MOST_BYTES:
                return b""
            if name in self.terms:
                term = self.terms[name](count, term)
            else:
                made = self.rows[name](count, (term and self.hold(term)) + made)
                term = b""
        return self.frame((term and self.hold(term)) + made)


def around(before: str, after: str = "") -> Callable[[bytes], bytes]:
    return lambda inner: before.encode() + inner + after.encode()


def call(before: bytes, after: bytes = b")", least: bytes = b"1") -> Row:
    return lambda count, inner: before * count + (inner or least) + after * count
