"""The states that a message names, by themselves or in groups."""

import re
from collections.abc import Iterable
from functools import lru_cache

from ....base.dataclass import dataclass
from ....base.patterns import pattern
from .prose import MAX_CHARACTERS

_LIST = pattern(
    r"\bstop\s?[\[{(]?(?P<levels>[0-9]{1,2}(?:(?:\s*(?:[-/,]|\band\b|\bto\b)(?:\s*stop)?)+\s*"
    r"[0-9]{1,2}(?![\w.]))*)[\]})]?(?P<lite>[ _-]?lite)?(?!\w)",
    re.IGNORECASE,
)
_EVERY = pattern(
    r"\b(?:all|each|every|other|remaining|rest)\b[\w\s/,'-]{0,40}?"
    r"\b(?:states?|rows?|entries|entry|levels?|tables?|values?)\b|\bnon-lite\b",
    re.IGNORECASE,
)
_LITE = pattern(r"\blite\b[^.]{0,20}\b(?:states?|variants?|stops?)\b|\*_lite", re.IGNORECASE)
_BITS = pattern(r"\b(?:OPAL_PM|OPAL_USE|IDLE)_\w+|\b(?:PSSCR|PMICR)\b")
_TABLE = pattern(r"\b(?:tables?|support|c-?states?)\b", re.IGNORECASE)
_BESIDE_NAME = pattern(r"^ATOM_|_[A-Z]+$|_[0-9]$")
_NAME = pattern(r"[A-Za-z][A-Za-z0-9_]*")
_STOP = pattern(r"stop([0-9]+)(lite)?")


def names_state(message: str, state: str) -> bool:
    """Tells whether the message names a state, by itself or in a range: stop4-5, stop[0,1]_lite."""
    names = _names(message)
    bare = bare_name(state)
    level = _STOP.fullmatch(bare)
    if level is not None:
        return (int(level[1]), bool(level[2])) in names.levels
    return bare in names.words or (len(bare) > 5 and bare in names.joined)


def covers_state(message: str, state: str) -> bool:
    """Tells whether the message speaks of a group that the state may belong to: all, lite,
    "sleep"."""
    names = _names(message)
    bare = bare_name(state)
    return (
        names.of_all
        or (bare.endswith("lite") and names.of_lite)
        or ("sleep" in bare and "sleep" in names.joined)
    )


def names_table(message: str, table: str, processors: Iterable[str]) -> bool:
    """Tells whether the message names an array of intel_idle, one of its processors, or a table.

    table: "spr_cstates"; processors: as the kernel spells them, "SAPPHIRERAPIDS_X"
    """
    named = _names(message)
    names = [bare_name(_BESIDE_NAME.sub("", name)) for name in processors]
    return (
        _TABLE.search(message[:MAX_CHARACTERS]) is not None
        or table.partition("_")[0] in named.words
        or any(name in named.joined for name in names)
    )


def names_bits(message: str) -> bool:
    """Tells whether the message names flags or register fields, which many rows may share."""
    return _BITS.search(message) is not None


def bare_name(name: str) -> str:
    """A name as people write it: stop0_lite, STOP0lite -> stop0lite."""
    return name.lower().strip("_").replace("_", "")


@dataclass(frozen=True, slots=True)
class _Names:
    """The states that a message names.

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
def _names(message: str) -> _Names:
    text = " ".join(message[:MAX_CHARACTERS].split())
    return _Names(
        frozenset(_levels(text)),
        frozenset(bare_name(word) for word in _NAME.findall(text)),
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
