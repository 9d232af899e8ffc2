"""Finds the states a commit message names and the times it claims to set.

Written for prose. Only explicit statements count: to raise, set or change a latency or residency to
a value, from one value to another, or by a factor. Other numbers are not claims, nor are numbers in
quotations or tables of measurements.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ..units import UNITS_NS

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
_NUMBER = r"(?<![\w.])[0-9]{1,12}(?:\.[0-9]{1,9})?"
_TIME = rf"{_NUMBER}\s?(?:{_UNIT})\b"
_CHANGING = (
    r"\b(?:set|chang|bump|rais|increas|reduc|lower|decreas|shorten|doubl|halv|mak)"
    r"(?:s|e|es|ed|d|ing|ting)?\b"
)
_FIELD = r"\b(?P<field>latenc(?:y|ies)|residenc(?:y|ies))\b"

_FROM_TO = re.compile(
    rf"\bfrom\s+(?P<old>{_TIME}|{_NUMBER})\s+to\s+(?P<new>{_TIME})"
    rf"|(?P<before>{_TIME})\s*[-=]+>\s*(?P<after>{_TIME})",
    re.IGNORECASE,
)
_GAP = r"(?:(?!latenc|residenc)[^.;:]){0,60}?"
_TO = re.compile(rf"{_FIELD}{_GAP}\bto\s+(?:be\s+)?(?P<new>{_TIME})", re.IGNORECASE)
_FACTOR = re.compile(
    rf"{_FIELD}{_GAP}\bby\s+(?:a\s+factor\s+of\s+)?"
    r"(?P<factor>[0-9]{1,6})\s?(?:x|times)?(?![\w%.])",
    re.IGNORECASE,
)
_ABOUT = re.compile(rf"{_FIELD}|\bstop[0-9]+|\b(?:nap|sleep|winkle)\b", re.IGNORECASE)
_QUOTED = re.compile(r"^(?:[>|+x]|\s+[*0-9\[]|={3,}|-{3,}|[A-Z][a-z]+(?:-[A-Za-z]+)+:\s)")

_LIST = re.compile(
    r"\bstop\s?[\[{(]?(?P<levels>[0-9]{1,2}(?:(?:\s*(?:[-/,]|\band\b|\bto\b)(?:\s*stop)?)+\s*"
    r"[0-9]{1,2}(?![\w.]))*)[\]})]?(?P<lite>[ _-]?lite)?(?!\w)",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\b(?:all|each|every|other|remaining|rest)\b[\w\s/,'-]{0,40}?"
    r"\b(?:states?|rows?|entries|entry|levels?|tables?|values?)\b|\bnon-lite\b",
    re.IGNORECASE,
)
_LITE = re.compile(r"\blite\b[^.]{0,20}\b(?:states?|variants?|stops?)\b|\*_lite", re.IGNORECASE)
_BITS = re.compile(r"\b(?:OPAL_PM|OPAL_USE|IDLE)_\w+|\b(?:PSSCR|PMICR)\b")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_STOP = re.compile(r"stop([0-9]+)(lite)?")


MAX_CHARACTERS = 100_000
"""Only this much of a message is read; it is far longer than any real message."""


@dataclass(frozen=True, slots=True)
class ClaimedNumber:
    """A number that the message claims to set.

    field   "latency", "residency", or "" if the message does not say which
    old_ns  the old time, None if only the new one is given
    new_ns  the new time
    factor  factor by which times are claimed to change; 0 if values are given
    text    the words of the claim, for reports
    """

    field: str
    old_ns: int | None
    new_ns: int
    factor: int
    text: str


def claims(message: str) -> list[ClaimedNumber]:
    """The numbers that the message claims to set, in order, each once."""
    return list(dict.fromkeys(c for sentence in _sentences(message) for c in _claims(sentence)))


def names_state(message: str, state: str) -> bool:
    """Whether the message names a state, by itself or in a range: stop4-5, stop[0,1]_lite."""
    said = _said(message)
    bare = _bare(state)
    level = _STOP.fullmatch(bare)
    if level is not None:
        return (int(level[1]), bool(level[2])) in said.levels
    return bare in said.words or (len(bare) > 5 and bare in said.joined)


def covers_state(message: str, state: str) -> bool:
    """Whether the message speaks of a group that the state may belong to: all, lite, "sleep"."""
    said = _said(message)
    bare = _bare(state)
    return (
        said.of_all
        or (bare.endswith("lite") and said.of_lite)
        or ("sleep" in bare and "sleep" in said.joined)
    )


def names_bits(message: str) -> bool:
    """Whether the message names flags or register fields, which many rows may share."""
    return _BITS.search(message) is not None


def _bare(name: str) -> str:
    return name.lower().strip("_").replace("_", "")


@dataclass(frozen=True, slots=True)
class _Said:
    """What a message says of states.

    levels   (level, whether lite) of the stop states it names
    words    its words, without punctuation
    joined   the whole text without gaps
    of_all   whether it speaks of all states
    of_lite  whether it speaks of all lite states
    """

    levels: frozenset[tuple[int, bool]]
    words: frozenset[str]
    joined: str
    of_all: bool
    of_lite: bool


@lru_cache(maxsize=4)
def _said(message: str) -> _Said:
    text = " ".join(message[:MAX_CHARACTERS].split())
    return _Said(
        frozenset(_levels(text)),
        frozenset(_bare(word) for word in _NAME.findall(text)),
        re.sub(r"[\s_-]", "", text.lower()),
        _EVERY.search(text) is not None,
        _LITE.search(text) is not None,
    )


def _levels(text: str) -> set[tuple[int, bool]]:
    """(level, whether lite) of all stop states named: stop4-5, stop[0,1]_lite, stop0/1/2."""
    found: set[tuple[int, bool]] = set()
    for match in _LIST.finditer(text):
        words = re.findall(r"[0-9]+|-|\bto\b", match["levels"])
        numbers: list[int] = []
        through = False
        for word in words:
            if not word.isdigit():
                through = True
                continue
            first = numbers[-1] + 1 if through and numbers else int(word)
            numbers += range(first, int(word) + 1) if through else [int(word)]
            through = False
        found.update((number, bool(match["lite"])) for number in numbers)
    return found


def _sentences(message: str) -> list[str]:
    """The sentences of a message, each on one line. The subject is a sentence; trailers and
    quotations are left out."""
    paragraphs: list[list[str]] = [[]]
    for number, line in enumerate(message[:MAX_CHARACTERS].splitlines()):
        if not line.strip() or _QUOTED.match(line):
            paragraphs.append([])
        else:
            paragraphs[-1].append(line)
        if number == 0:
            paragraphs.append([])
    prose = [" ".join(" ".join(lines).split()) for lines in paragraphs if lines]
    return [sentence for text in prose for sentence in re.split(r"(?<=[.;!?])\s+", text)]


def _claims(sentence: str) -> Iterator[ClaimedNumber]:
    if not _ABOUT.search(sentence):
        return
    spans = []
    for match in _FROM_TO.finditer(sentence):
        new = _nanoseconds(match["new"] or match["after"])
        old = _nanoseconds(match["old"] or match["before"], match["new"] or match["after"])
        spans.append(match.span())
        if new is not None and old is not None:
            yield ClaimedNumber(_field_before(sentence, match.start()), old, new, 0, match[0])
    if not re.search(_CHANGING, sentence, re.IGNORECASE):
        return
    for match in _TO.finditer(sentence):
        new = _nanoseconds(match["new"])
        if new is not None and not any(a <= match.start("new") < b for a, b in spans):
            yield ClaimedNumber(_field(match["field"]), None, new, 0, match[0])
    for match in _FACTOR.finditer(sentence):
        yield ClaimedNumber(_field(match["field"]), None, 0, int(match["factor"]), match[0])


def _field(word: str) -> str:
    return "latency" if word.lower().startswith("latenc") else "residency"


def _field_before(sentence: str, end: int) -> str:
    """The field (latency, residency) named last shortly before `end`; "" if none is."""
    found = list(re.finditer(_FIELD, sentence[max(0, end - 200) : end], re.IGNORECASE))
    return _field(found[-1]["field"]) if found else ""


def _nanoseconds(text: str, other: str = "") -> int | None:
    """A time in ns; a number without a unit has that of `other`. None if the result is not a whole
    number of ns."""
    match = re.fullmatch(r"([0-9.]+)\s?([^0-9]*)", text)
    unit = re.sub(r"[0-9.\s]", "", text) or re.sub(r"[0-9.\s]", "", other)
    if match is None:
        return None
    value = Fraction(match[1]) * UNITS_NS[_UNITS[unit.lower()]]
    return int(value) if value.denominator == 1 else None
