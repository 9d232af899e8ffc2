"""A message as sentences: what is prose in it, what is a quotation or a table, and its numbers."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from ....base.dataclass import dataclass
from ....base.model.units import UNITS_NS
from ....base.patterns import pattern

MAX_CHARACTERS = 100_000
"""Only this much of a message is read; it is far longer than any real message."""

_UNITS = {
    word: unit
    for unit, words in (
        ("ns", "ns nsec nsecs nanosecond nanoseconds"),
        ("us", "us \N{MICRO SIGN}s \N{GREEK SMALL LETTER MU}s usec usecs microsecond microseconds"),
        ("ms", "ms msec msecs millisecond milliseconds"),
        ("s", "s sec secs second seconds"),
    )
    for word in words.split()
}
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
NUMBER = r"(?<![\w.])[0-9]{1,12}(?:\.[0-9]{1,9})?"
TIME = rf"{NUMBER}\s?(?:{_UNIT})\b"
FIELD = r"\b(?P<field>latenc(?:y|ies)|residenc(?:y|ies))\b"
"""Named group: field."""
_MENTION = pattern(rf"{TIME}|{NUMBER}\s?%", re.IGNORECASE)

_QUOTED = pattern(r"[>|+]|x\s|\s+[*0-9\[]|={3,}|-{3,}")
_TRAILER = pattern(r"(?:[A-Z][a-z]+(?:-[A-Za-z]+)+|Link|Fixes|Closes|Cc):\s")
_ASIDE = pattern(r"[>|]")
_END = pattern(r"(?<=[.;!?])\s+")

Kind = Literal["subject", "prose", "other"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """number     its place among the message's sentences
    text       on one line
    line, end  first and last line of the message that it stands on, from 1
    kind       "other": a line of a list or a table, which is not taken for prose
    """

    number: int
    text: str
    line: int
    end: int
    kind: Kind


def sentences(
    message: str, aside: frozenset[int] = frozenset(), *, has_subject: bool = True
) -> list[Sentence]:
    """The sentences of a message; quotations and trailers are left out.

    aside        lines that are known to be something else
    has_subject  whether its first line is the subject
    """
    found: list[Sentence] = []
    paragraph: list[tuple[int, str]] = []

    def end(kind: Kind = "prose") -> None:
        for text, line, last in _split(paragraph):
            found.append(Sentence(len(found), text, line, last, kind))
        paragraph.clear()

    is_first = has_subject
    for number, line in enumerate(message[:MAX_CHARACTERS].splitlines(), 1):
        text = " ".join(line.split())
        apart = bool(_QUOTED.match(line))
        if not text or apart or number in aside or _TRAILER.match(line):
            end()
        if text and number not in aside and not _TRAILER.match(line) and not _ASIDE.match(line):
            paragraph.append((number, text))
            if apart:
                end("other")
            elif is_first:
                end("subject")
        is_first = is_first and not text
    end()
    return found


def _split(paragraph: list[tuple[int, str]]) -> Iterator[tuple[str, int, int]]:
    """Text, first and last line of each sentence."""
    starts: list[int] = []
    at = 0
    for _, text in paragraph:
        starts.append(at)
        at += len(text) + 1
    whole = " ".join(text for _, text in paragraph)

    begin = 0
    index = 0
    for end in [*(match.span() for match in _END.finditer(whole)), (len(whole), len(whole))]:
        while index + 1 < len(starts) and starts[index + 1] <= begin:
            index += 1
        first = index
        while index + 1 < len(starts) and starts[index + 1] < end[0]:
            index += 1
        if end[0] > begin:
            yield whole[begin : end[0]], paragraph[first][0], paragraph[index][0]
        begin = end[1]


def mentions(sentence: Sentence) -> list[tuple[int, int]]:
    """Returns the spans of the times and percentages in a sentence."""
    return [match.span() for match in _MENTION.finditer(sentence.text)]


def field_of(word: str) -> str:
    """Returns the field that a match of FIELD means: "latency" or "residency"."""
    return "latency" if word.lower().startswith("latenc") else "residency"


def nanoseconds(text: str, other: str = "") -> int | None:
    """A time in ns; a number without a unit has that of `other`. None if the result is not a whole
    number of ns."""
    match = re.fullmatch(r"([0-9.]+)\s?([^0-9]*)", text)
    unit = re.sub(r"[0-9.\s]", "", text) or re.sub(r"[0-9.\s]", "", other)
    if match is None:
        return None
    value = Fraction(match[1]) * UNITS_NS[_UNITS[unit.lower()]]
    return int(value) if value.denominator == 1 else None
