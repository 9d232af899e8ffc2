"""The uses of a driver's tables in its source: their choice, registration and run-time changes."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....base.patterns import pattern
from ....base.reading.c.preprocess import Preprocessed

MOST = 20
"""Uses of one table that are said."""
_SIGN = pattern(r"[{};]")
_FUNCTION = pattern(r"\b(\w++)\s*+\(")
_CONTROL = pattern(r"\b(?:if|else|switch|for|while|do)\b")
_MOST_CHARACTERS = 200


class Mention(NamedTuple):
    """start, end: of the statement, or of the row of a table. The rest as in TableUse."""

    start: int
    end: int
    function: str
    conditions: tuple[str, ...]
    text: str


def uses(clean: Preprocessed, name: str, own: tuple[int, int]) -> Iterator[Mention]:
    """Yields the statements of a file that name a table, at most MOST. own: the offsets of its
    declaration."""
    mentions = [
        match.start()
        for match in re.finditer(rf"\b{name}\b", clean.bare)
        if not own[0] <= match.start() < own[1]
    ]
    blocks: list[tuple[int, str]] = []
    after = 0
    last = -1
    count = 0
    signs = _SIGN.finditer(clean.bare)
    for mention in mentions:
        if mention < last:
            continue
        for sign in signs:
            if sign[0] == "{":
                blocks.append((sign.start(), _line(clean, after, sign.start())))
            elif sign[0] == "}" and blocks:
                blocks.pop()
            if sign.start() > mention:
                start, last = _trimmed(clean, after, sign.start())
                after = sign.end()
                break
            after = sign.end()
        else:
            return
        inside = blocks[:-1] if sign[0] == "{" else list(blocks)
        if not inside and sign[0] == ";":
            # a declaration of what is defined elsewhere in the file
            continue
        outer = inside[0][1] if inside else ""
        function = _FUNCTION.search(outer) if "=" not in outer else None
        conditions = tuple(text for _, text in inside[1:] if _CONTROL.search(text))
        yield Mention(
            start, last, function[1] if function else "", conditions, _line(clean, start, last)
        )
        count += 1
        if count == MOST:
            return


def _trimmed(clean: Preprocessed, start: int, end: int) -> tuple[int, int]:
    text = clean.code[start:end]
    return start + len(text) - len(text.lstrip()), start + len(text.rstrip())


def _line(clean: Preprocessed, start: int, end: int) -> str:
    return " ".join(clean.code[start:end].split()).strip(" ,")[:_MOST_CHARACTERS]
