"""Times that a message states of rows as they are: in prose, as a ratio, or as a table of its own.

A time that it sets is a matter of `changes`.
"""

import re
from collections.abc import Iterator, Sequence

from ....base.model.table import IdleState, IdleTable
from ..rows import ChangedRow, shown_time, time_of
from .claim import MessageClaim, Placed, judged, placed
from .prose import FIELD, MAX_CHARACTERS, TIME, Sentence, field_of, nanoseconds
from .states import bare_name, names_state

_NOW = re.compile(r"\b(?:currently|today|at\s+present|presently|so\s+far)\b", re.IGNORECASE)
_TABLE = re.compile(
    r"\b(?:skiboot|opal|firmware|device[ -]tree|table|expos\w*|advertis\w*|defin\w*)\b",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"\b(?:measur\w*|observ\w*|linux|kernels?|hardware)\b", re.IGNORECASE)
_STATED = re.compile(
    rf"{FIELD}(?:(?!latenc|residenc)[^.;:]){{0,60}}?\b(?:as|to\s+be|is|are|of|at)\s+(?P<time>{TIME})",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"\bresidenc(?:y|ies)\b[^.;:]{0,60}?\b(?:is|are|as|chosen|be|set)\b[^.;:]{0,30}?"
    r"(?<![\w.])(?P<factor>[0-9]{1,6})\s?(?:x|times)\s+(?:of\s+)?(?:the\s+|its\s+|their\s+)?"
    r"(?:[\w-]{1,20}[\s-]){0,2}?(?:latency|latencies)\b",
    re.IGNORECASE,
)
_PAIR = re.compile(
    rf"\blatency\s?[=:]\s?(?P<latency>{TIME})[,;]?\s+(?:target[ -])?residency\s?[=:]\s?"
    rf"(?P<residency>{TIME})",
    re.IGNORECASE,
)
_ROW = re.compile(
    rf"\s*[|*-]?\s*(?P<name>[A-Za-z][\w-]{{0,40}}(?:[ _]lite)?)\s*[:|]?\s+(?P<first>{TIME})"
    rf"\s*[,/|]?\s+(?P<second>{TIME})\s*\|?\s*",
    re.IGNORECASE,
)


def stated(found: Sequence[Sentence], rows: Sequence[ChangedRow]) -> Iterator[Placed]:
    """What a row is said to have before the change ("currently ... as 200ns")."""
    for sentence in found:
        text = sentence.text
        if not _NOW.search(text) or not _TABLE.search(text) or _MEASURED.search(text):
            continue
        old = [row for row in rows if row.before is not None]
        own = [row for row in old if names_state(text, row.name)]
        if not own and len({row.name for row in old}) == 1:
            own = old
        for match in _STATED.finditer(text):
            ns = nanoseconds(match["time"])
            if ns is None or len({row.name for row in own}) != 1:
                continue
            field = field_of(match["field"])
            times = [time_of(row.before, field) for row in own]
            has = ", ".join(dict.fromkeys(map(shown_time, times)))
            against = f"{own[0].name} has a {field} of {has} before the change"
            # a message may say "currently" of what it makes
            holds = ns in times or any(ns == time_of(row.after, field) for row in own)
            yield placed(sentence, match.span(), holds, against, "IS515")


def ratios(found: Sequence[Sentence], rows: Sequence[ChangedRow]) -> Iterator[Placed]:
    """ "The residency is 10 times the latency", of the rows after the change."""
    pairs = [
        (row.after.latency_ns, row.after.residency_ns)
        for row in rows
        if row.after is not None and row.after.residency_ns is not None
    ]
    if not pairs:
        return
    for sentence in found:
        for match in _RATIO.finditer(sentence.text):
            factor = int(match["factor"])
            made = [f"{shown_time(b)} to {shown_time(a)}" for a, b in dict.fromkeys(pairs)]
            against = f"residency and latency after the change: {', '.join(made[:8])}"
            holds = any(residency == factor * latency for latency, residency in pairs)
            yield placed(sentence, match.span(), holds, against, "IS515")


def pairs(found: Sequence[Sentence], rows: Sequence[ChangedRow]) -> Iterator[Placed]:
    """ "latency=200ns, residency=2us", above figures: values of a row before or after the change.
    Other values may have been tried, and are not judged."""
    for sentence in found:
        for match in _PAIR.finditer(sentence.text):
            said = nanoseconds(match["latency"]), nanoseconds(match["residency"])
            for row in rows:
                for state, when in ((row.before, "before"), (row.after, "after")):
                    if state is not None and said == (state.latency_ns, state.residency_ns):
                        against = f"{row.name} has these {when} the change"
                        yield placed(sentence, match.span(), True, against, "IS515")


def tabulated(
    message: str, rows: Sequence[ChangedRow], added: Sequence[IdleTable]
) -> Iterator[MessageClaim]:
    """Rows of a table in the message: a state, its latency and its residency, in the order that
    the line above them says."""
    after = [row.after for row in rows if row.after is not None]
    after += [state for table in added for state in table.states]
    by_name: dict[str, list[IdleState]] = {}
    for state in after:
        by_name.setdefault(bare_name(state.name), []).append(state)
    order: tuple[str, str] | None = None
    for number, line in enumerate(message[:MAX_CHARACTERS].splitlines(), 1):
        match = _ROW.fullmatch(line[:200])
        if match is None:
            order = _order(line[:200])
            continue
        first, second = nanoseconds(match["first"]), nanoseconds(match["second"])
        states = by_name.get(bare_name(match["name"].replace(" ", "").replace("-", "")), [])
        text = " ".join(line.split())
        if order is None or first is None or second is None or not states:
            why = "no line above says what they are" if order is None else "no row has this name"
            yield judged(text, number, None, why, "IS515")
            continue
        said = dict(zip(order, (first, second), strict=True))
        shown = (f"{shown_time(s.latency_ns)}/{shown_time(s.residency_ns)}" for s in states)
        has = ", ".join(dict.fromkeys(shown))
        against = f"{states[0].name} has {has} after the change (latency/residency)"
        times = [(state.latency_ns, state.residency_ns) for state in states]
        holds = (said["latency"], said["residency"]) in times
        yield judged(text, number, holds, against, "IS515")


def _order(line: str) -> tuple[str, str] | None:
    """The order of two columns, by their heads."""
    fields = [field_of(match["field"]) for match in re.finditer(FIELD, line, re.IGNORECASE)]
    return (fields[0], fields[1]) if sorted(fields) == ["latency", "residency"] else None
