"""Which of a file's summary rows belong together, and what stands above them.

Rows below one head belong together. Mails also print each row below a head of its own, with a line
such as "Without patch" or "With patch" above it: such two are compared.
"""

import re
from collections.abc import Callable, Sequence

from ...base.dataclass import dataclass

_BEFORE = re.compile(r"\b(?:without|w/o|before|baseline|unpatched|vanilla)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:with|after|patched)\b", re.IGNORECASE)
_SENSE = re.compile(r"\bis better\b", re.IGNORECASE)
_BAR = re.compile(r"^\s*[-+]?[0-9][^a-zA-Z]*$")
_CAPTION = 40
"""Characters of a caption at most: a longer line is prose."""


@dataclass(frozen=True, slots=True)
class RowBlock:
    """group: number shared by heads whose rows are compared. name: of its row, "" if not known."""

    group: int
    name: str


def row_blocks(
    lines: Sequence[str], is_head: Callable[[str], bool], count: Callable[[int], int]
) -> dict[int, RowBlock]:
    """Line of each head, from 1 -> its block, for a file with several heads.

    count: the number of rows below the head at a line
    """
    heads = [number for number, line in enumerate(lines, 1) if is_head(line)]
    found: dict[int, RowBlock] = {}
    waiting: tuple[int, str] | None = None
    group = 0
    for head in heads:
        caption, title = _above(lines, head)
        if count(head) > 1:
            group += 1
            found[head] = RowBlock(group, "")
            waiting = None
        elif _BEFORE.search(caption):
            group += 1
            name = f"{title}: {caption}" if title else caption
            waiting = group, title
            found[head] = RowBlock(group, name)
        elif waiting and _AFTER.search(caption):
            title = title or waiting[1]
            found[head] = RowBlock(waiting[0], f"{title}: {caption}" if title else caption)
            waiting = None
        else:
            found[head] = RowBlock(0, "")
            waiting = None
    return found


def is_caption(line: str) -> bool:
    """Whether a line may stand above a head to say what its row is."""
    text = line.strip()
    return 0 < len(text) <= _CAPTION and not _BAR.match(text) and not text[0].isdigit()


def _above(lines: Sequence[str], head: int) -> tuple[str, str]:
    """Caption and title: the line above a head, and the next one above that says what is measured;
    "" where they are not there."""
    texts = []
    for line in reversed(lines[max(0, head - 6) : head - 1]):
        text = line.strip()
        if not text or _BAR.match(text):
            break
        if not _SENSE.search(text):
            texts.append(text)
    caption = texts[0] if texts and len(texts[0]) <= _CAPTION else ""
    title = texts[1].rstrip(":") if caption and len(texts) > 1 else ""
    return caption, title if len(title) <= _CAPTION else ""
