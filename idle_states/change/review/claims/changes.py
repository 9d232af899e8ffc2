"""The times that a message sets, held against what its change does to rows.

Only explicit statements count: to raise, set or change a latency or residency to a value, from one
value to another, or by a factor.
"""

import re
from collections.abc import Iterator, Sequence

from ....base.dataclass import dataclass
from ....base.model.table import IdleState
from ..rows import TIMES, ChangedRow, shown_time, steps, time_of
from .claim import Placed, placed
from .prose import FIELD, NUMBER, TIME, Sentence, field_of, nanoseconds

_CHANGING = (
    r"\b(?:set|chang|bump|rais|increas|reduc|lower|decreas|shorten|doubl|halv|mak)"
    r"(?:s|e|es|ed|d|ing|ting)?\b"
)

_FROM_TO = re.compile(
    rf"\bfrom\s+(?P<old>{TIME}|{NUMBER})\s+to\s+(?P<new>{TIME})"
    rf"|(?P<before>{TIME})\s*[-=]+>\s*(?P<after>{TIME})",
    re.IGNORECASE,
)
_GAP = r"(?:(?!latenc|residenc)[^.;:]){0,60}?"
_TO = re.compile(rf"{FIELD}{_GAP}\bto\s+(?:be\s+)?(?P<new>{TIME})", re.IGNORECASE)
_FACTOR = re.compile(
    rf"{FIELD}{_GAP}\bby\s+(?:a\s+factor\s+of\s+)?"
    r"(?P<factor>[0-9]{1,6})\s?(?:x|times)?(?![\w%.])",
    re.IGNORECASE,
)
_HAPPENED = re.compile(rf"\b(?:was|were|been)\s+{_CHANGING}", re.IGNORECASE)
"""What an earlier change did."""
_ABOUT = re.compile(rf"{FIELD}|\bstop[0-9]+|\b(?:nap|sleep|winkle)\b", re.IGNORECASE)


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


Step = tuple[int | None, int | None]


def changes(
    found: Sequence[Sentence], rows: Sequence[ChangedRow], added: Sequence[IdleState]
) -> Iterator[Placed]:
    """Claims of IS511; of a change that leaves all times alone, none.

    rows   those that the change changes, adds or removes
    added  rows of whole tables that it adds
    """
    if not any(steps(row, field) for row in rows for field in TIMES):
        return
    for sentence in found:
        for said, start, end in times_set(sentence.text):
            yield placed(sentence, (start, end), *_judged(said, rows, added), "IS511")


def _judged(
    said: ClaimedNumber, rows: Sequence[ChangedRow], added: Sequence[IdleState]
) -> tuple[bool | None, str]:
    fields = [said.field] if said.field else list(TIMES)
    made = [step for row in rows for field in fields for step in steps(row, field)]
    what = said.field or "latency or residency"
    if not made:
        return None, f"no {what} changes"
    new = {after for _, after in made}
    new |= {time_of(state, field) for state in added for field in fields}
    found = ", ".join(dict.fromkeys(f"{shown_time(a)} -> {shown_time(b)}" for a, b in made))
    if _holds(said, made, new):
        return True, f"{what} {found}"
    if _HAPPENED.search(said.text) and any(said.new_ns == before for before, _ in made):
        return True, f"{what} {found}, of which it says what was before"
    return False, f"changes {what} otherwise: {found}"


def _holds(said: ClaimedNumber, made: Sequence[Step], new: set[int | None]) -> bool:
    if said.factor:
        return any(
            before is not None
            and after is not None
            and (after == before * said.factor or before == after * said.factor)
            for before, after in made
        )
    if said.old_ns is not None:
        return (said.old_ns, said.new_ns) in made
    return said.new_ns in new


def times_set(sentence: str) -> Iterator[tuple[ClaimedNumber, int, int]]:
    """The times that a sentence sets, and where it says so."""
    if not _ABOUT.search(sentence):
        return
    spans = []
    for match in _FROM_TO.finditer(sentence):
        new = nanoseconds(match["new"] or match["after"])
        old = nanoseconds(match["old"] or match["before"], match["new"] or match["after"])
        spans.append(match.span())
        if new is not None and old is not None:
            field = _field_before(sentence, match.start())
            yield ClaimedNumber(field, old, new, 0, match[0]), *match.span()
    if not re.search(_CHANGING, sentence, re.IGNORECASE):
        return
    for match in _TO.finditer(sentence):
        new = nanoseconds(match["new"])
        if new is not None and not any(a <= match.start("new") < b for a, b in spans):
            said = ClaimedNumber(field_of(match["field"]), None, new, 0, match[0])
            yield said, *match.span()
    for match in _FACTOR.finditer(sentence):
        said = ClaimedNumber(field_of(match["field"]), None, 0, int(match["factor"]), match[0])
        yield said, *match.span()


def _field_before(sentence: str, end: int) -> str:
    """The field (latency, residency) named last shortly before `end`; "" if none is."""
    found = list(re.finditer(FIELD, sentence[max(0, end - 200) : end], re.IGNORECASE))
    return field_of(found[-1]["field"]) if found else ""
