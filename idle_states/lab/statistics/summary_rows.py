"""Rows of N, Min, Max, Median, Avg, Stddev, as ministat prints them and mails quote them."""

import re
from collections.abc import Sequence

from ...base.dataclass import dataclass, replace
from ...base.model.findings import unreadable
from .files import ResultsFile
from .numbers import half_unit, is_number, shown
from .summary import SMALLEST, Dataset, Summary, inconsistency

SYMBOLS = frozenset("x+*%#@O")
FIGURES = ("N", "Min", "Max", "Median", "Avg", "Stddev")

_HEAD = re.compile(r"\s*" + r"\s+".join(FIGURES) + r"\s*")
_NAME = re.compile(r"\s*([x+*%#@O]) (\S.*)")
_LIKE_A_NUMBER = re.compile(
    r"[-+]?(?:\.?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?|nan|inf),?", re.IGNORECASE
)
_BEFORE = re.compile(r"\b(?:without|w/o|before|baseline|unpatched|vanilla)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:with|after|patched)\b", re.IGNORECASE)
_SENSE = re.compile(r"\bis better\b", re.IGNORECASE)
_BAR = re.compile(r"^\s*[-+]?[0-9][^a-zA-Z]*$")
_CAPTION = 40
"""Characters of a caption at most: a longer line is prose."""


def is_head(line: str) -> bool:
    return "Min" in line and _HEAD.fullmatch(line) is not None


def rows(file: ResultsFile) -> list[Dataset]:
    """Returns all rows below heads. A row is named by its label in the legend that ministat prints
    above the head, or else by its position."""
    found: list[Dataset] = []
    blocks = row_blocks(file.lines)
    legend: dict[str, str] = {}
    names: dict[str, str] = {}
    head: int | None = None
    for number, line in enumerate(file.lines, 1):
        words = line.split()
        if is_head(line):
            head = number
            legend, names = names, {}
        elif (parts := _parts(words, head is not None)) is not None:
            symbol, label, figures = parts
            if head is None:
                wanted = f"expected {' '.join(FIGURES)} above a row"
                raise unreadable(file.name, f"{wanted}, found {shown(line.strip())}", number)
            block = blocks.get(head or 0)
            named = label or legend.get(symbol) or (block.name if block else "")
            row = _row(file, number, figures)
            group = block.group if block else 0
            found.append(
                Dataset(named or f"{file.name}:{number}", None, row, file.name, number, group)
            )
        elif match := _NAME.fullmatch(line.rstrip()):
            names[match[1]] = match[2]
    if not found:
        wanted = f"expected rows below {' '.join(FIGURES)}"
        raise unreadable(file.name, f"{wanted}, found none", head)
    return found


def _count(lines: Sequence[str], head: int) -> int:
    """Rows from a head to the next one."""
    count = 0
    for line in lines[head:]:
        if is_head(line):
            break
        parts = _parts(line.split(), True)
        count += parts is not None and len(parts[2]) == len(FIGURES)
    return count


def _parts(words: list[str], below: bool) -> tuple[str, str, list[str]] | None:
    """Returns symbol, label and figures of a line that looks like a row, even if there are not six
    figures, so that no damaged row is silently skipped. below: whether a head came before."""
    symbol = words[0] if words and words[0] in SYMBOLS else ""
    rest = words[1:] if symbol else words
    like = [_LIKE_A_NUMBER.fullmatch(word) is not None for word in rest]
    last_word = max((at for at, number in enumerate(like) if not number), default=-1)
    figures = rest[last_word + 1 :]
    if below and len(figures) == len(FIGURES):
        return symbol, " ".join(rest[: last_word + 1]).rstrip(":"), figures
    count = sum(like)
    if symbol:
        suspect = count >= 2 and 2 * count > len(rest)
    elif len(rest) == 1:
        # the git version at the end of a mail is no row
        suspect = is_number(rest[0])
    else:
        suspect = 0 < count == len(rest) or (below and count >= 4 and 2 * count > len(rest))
    return (symbol, "", rest[like.index(True) :]) if suspect else None


def _row(file: ResultsFile, number: int, words: list[str]) -> Summary:
    if len(words) == 1:
        message = f"expected a row, found {shown(words[0])} alone: one cut in two, or a sample"
        raise unreadable(file.name, message, number)
    try:
        return summary_row(words)
    except ValueError as error:
        raise unreadable(file.name, str(error), number) from None


def summary_row(words: list[str]) -> Summary:
    """Parses N, Min, Max, Median, Avg, Stddev. Raises ValueError with what was expected."""
    if len(words) != len(FIGURES):
        raise ValueError(f"expected {','.join(FIGURES)}, found {len(words)} values")
    if not re.fullmatch(r"[0-9]{1,18}", words[0]):
        raise ValueError(f"expected N to be a whole number, found {shown(words[0])}")
    for name, word in zip(FIGURES, words, strict=True):
        if not is_number(word):
            raise ValueError(f"expected {name} to be a number, found {shown(word)}")
        if 0 < float(word) < SMALLEST:
            raise ValueError(f"expected {name} to be 0 or at least {SMALLEST:g}, found {word:.40}")
    low, high, median, average, stddev = (float(word) for word in words[1:])
    row = Summary(int(words[0]), low, high, median, average, stddev, stddev * stddev)
    wrong = inconsistency(row)
    if wrong is not None:
        raise ValueError(wrong)
    return replace(row, halves=(half_unit(words[4]), half_unit(words[5]), half_unit(words[2])))


@dataclass(frozen=True, slots=True)
class RowBlock:
    """group: number shared by heads whose rows are compared. name: of its row, "" if not known."""

    group: int
    name: str


def row_blocks(lines: Sequence[str]) -> dict[int, RowBlock]:
    """Returns the line of each head, from 1 -> its block: which rows belong together.

    Rows below one head do. Mails also print each row below a head of its own, with a line such as
    "Without patch" or "With patch" above it: such two are compared.
    """
    heads = [number for number, line in enumerate(lines, 1) if is_head(line)]
    found: dict[int, RowBlock] = {}
    waiting: tuple[int, str] | None = None
    group = 0
    for head in heads:
        caption, title = _above(lines, head)
        if _count(lines, head) > 1:
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
    """Tells whether a line may stand above a head to say what its row is."""
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
