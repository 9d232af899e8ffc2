"""The check of a message's claims on how kernels round a time, by the kernels of its day.

Only the rounding of the tree's nanoseconds to microseconds is understood: which way it goes, and
what comes out.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from ....base.patterns import pattern
from ....base.wording import joined
from ....tables.linux.convert import to_us
from ....tables.linux.driver_features import HISTORY
from ....tables.linux.release_dates import current_at
from ....tables.linux.releases import MAINLINE, Release, release
from ..rows import TIMES, ChangedRow, shown_time, time_of
from .claim import Placed, placed
from .prose import FIELD, TIME, Sentence, field_of, nanoseconds
from .states import names_state

_KERNEL = pattern(r"\b(?:kernels?|linux|cpu-?idle)\b", re.IGNORECASE)
_MICROSECONDS = pattern(
    r"\b(?:micro-?seconds?|[0-9]*\s?(?:us|usecs?|\N{MICRO SIGN}s|\N{GREEK SMALL LETTER MU}s))\b",
    re.IGNORECASE,
)
_ROUNDS = pattern(
    r"\b(?:round(?:s|ed)\b(?:\s+[\w./'-]{1,30}){0,5}?\s+(?P<way>up|down)|truncate[sd])\b"
    r"(?:\s+(?:the\s+)?(?:exit\s+|target\s+)?(?:latency|residency|value|times?)"
    rf"\b)?(?:\s+to\s+(?:us|micro-?seconds|{TIME})\b)?",
    re.IGNORECASE,
)
_UNSURE = pattern(
    r"\b(?:not|never|should|would|could|will|might|may|if|instead|unless|future|newer|older|later"
    r"|patch|firmware|skiboot)\b|n't\b|\bv?[2-9]\.[0-9]",
    re.IGNORECASE,
)
_RESULT = pattern(
    rf"\b(?:list|show|report|see|register|treat|expose|print)(?:s|ed)?\b(?P<between>[^.;:]{{0,80}}?)"
    rf"\b(?:as|to\s+be|with)\s+(?P<time>{TIME})",
    re.IGNORECASE,
)


def kernels(
    found: Sequence[Sentence], rows: Sequence[ChangedRow], date: datetime | None
) -> Iterator[Placed]:
    """Claims of IS514. date: of the message; None: all kernels count."""
    for sentence in found:
        if not _KERNEL.search(sentence.text):
            continue
        is_sure = not _UNSURE.search(sentence.text)
        for match in _ROUNDS.finditer(sentence.text):
            if _MICROSECONDS.search(sentence.text) or re.search(FIELD, sentence.text, re.I):
                text = _text(sentence, match)
                holds, against = None, "it is unclear which kernel is meant"
                if is_sure:
                    holds, against = _way(match, rows, *_of_the_day(date))
                yield placed(sentence, match.span(), holds, against, "IS514", text)
        for match in _RESULT.finditer(sentence.text) if is_sure else ():
            made = _result(match, rows, *_of_the_day(date))
            if made is not None:
                yield placed(sentence, match.span(), *made, "IS514")


def _of_the_day(date: datetime | None) -> tuple[list[Release], str]:
    """The kernels that a message of a day speaks of, and in words."""
    if date is None:
        return [release(name) for name in MAINLINE], "all kernels (the message has no date)"
    names = current_at(date.date())
    shown = f"the kernels of {date:%Y-%m-%d} (Linux {joined(names)})"
    return [release(name) for name in names], shown


def _way(
    match: re.Match[str], rows: Sequence[ChangedRow], releases: Sequence[Release], shown: str
) -> tuple[bool, str]:
    """Returns the verdict on a claim that a kernel rounds up or truncates."""
    up = match["way"] is not None and match["way"].lower() == "up"
    agreeing = [one for one in releases if one.features.round_up is up]
    does = "rounds up" if up else "truncates"
    if agreeing:
        names = joined([one.name for one in agreeing])
        return True, f"Linux {names} {does}"
    other = "truncate" if up else "round up"
    turned = f"since {_since()} it rounds up" if up else f"until {_since()} it truncated"
    return False, f"{shown} {other}{_example(rows)}; {turned}"


def _example(rows: Sequence[ChangedRow]) -> str:
    """ ": 200ns is 0us, rounded up it would be 1us", of a time that is no whole number of us."""
    times = [
        time
        for row in rows
        for field in TIMES
        if row.before is not None and (time := time_of(row.before, field)) is not None
    ]
    broken = next((time for time in times if time % 1000), None)
    if broken is None:
        return ""
    return f": {shown_time(broken)} is {broken // 1000}us, rounded up {-(-broken // 1000)}us"


def _since() -> str:
    """Returns Linux's own releases that round up first, and the commit."""
    row = next(row for row in HISTORY.rows if row.values.get("round_up"))
    own = [name for name in row.releases if name[:1].isdigit()]
    return f"{' and '.join(own)} ({row.commit})"


def _result(
    match: re.Match[str], rows: Sequence[ChangedRow], releases: Sequence[Release], shown: str
) -> tuple[bool, str] | None:
    """Returns the verdict on a row's rounded time; None for a sentence about something else."""
    us = nanoseconds(match["time"])
    named = re.search(FIELD, match["between"], re.IGNORECASE)
    own = [row for row in rows if row.before is not None and names_state(match[0], row.name)]
    if us is None or us % 1000 or named is None or not own:
        return None
    field = field_of(named["field"])
    times = [time for row in own if (time := time_of(row.before, field)) is not None]
    made = {to_us(time, one.features) for time in times for one in releases}
    results = joined([f"{one}us" for one in sorted(made)], "or")
    if not made:
        return None
    of = joined(list(dict.fromkeys(map(shown_time, times))))
    return us // 1000 in made, f"{shown} make {results} of {of}"


def _text(sentence: Sentence, match: re.Match[str]) -> str:
    """The words from the kernel that is spoken of, if it is near, to the end of the match."""
    near = range(max(0, match.end() - 140), match.start())
    starts = [one.start() for one in _KERNEL.finditer(sentence.text) if one.start() in near]
    return sentence.text[min(starts, default=match.start()) : match.end()]
