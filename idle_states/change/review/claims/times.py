"""Times that a message states of rows as they are: in prose, as a ratio, or as a table of its own;
and those that it sets, held against what its change does to rows.

Of the latter only explicit statements count: to raise, set or change a latency or residency to a
value, from one value to another, or by a factor.
"""

import re
from collections.abc import Iterator, Sequence

from ....base.dataclass import dataclass
from ....base.model.table import IdleState, IdleTable
from ....base.patterns import pattern
from ..rows import TIMES, ChangedRow, shown_time, steps, time_of
from .claim import MessageClaim, Placed, judged, placed
from .prose import FIELD, MAX_CHARACTERS, NUMBER, TIME, Sentence, field_of, nanoseconds
from .states import bare_name, names_state

_NOW = pattern(r"\b(?:currently|today|at\s+present|presently|so\s+far)\b", re.IGNORECASE)
_TABLE = pattern(
    r"\b(?:skiboot|opal|firmware|device[ -]tree|table|expos\w*|advertis\w*|defin\w*)\b",
    re.IGNORECASE,
)
_MEASURED = pattern(r"\b(?:measur\w*|observ\w*|linux|kernels?|hardware)\b", re.IGNORECASE)
_STATED = pattern(
    rf"{FIELD}(?:(?!latenc|residenc)[^.;:]){{0,60}}?\b(?:as|to\s+be|is|are|of|at)\s+(?P<time>{TIME})",
    re.IGNORECASE,
)
_RATIO = pattern(
    r"\bresidenc(?:y|ies)\b[^.;:]{0,60}?\b(?:is|are|as|chosen|be|set)\b[^.;:]{0,30}?"
    r"(?<![\w.])(?P<factor>[0-9]{1,6})\s?(?:x|times)\s+(?:of\s+)?(?:the\s+|its\s+|their\s+)?"
    r"(?:[\w-]{1,20}[\s-]){0,2}?(?:latency|latencies)\b",
    re.IGNORECASE,
)
_PAIR = pattern(
    rf"\blatency\s?[=:]\s?(?P<latency>{TIME})[,;]?\s+(?:target[ -])?residency\s?[=:]\s?"
    rf"(?P<residency>{TIME})",
    re.IGNORECASE,
)
_ROW = pattern(
    rf"\s*[|*-]?\s*(?P<name>[A-Za-z][\w-]{{0,40}}(?:[ _]lite)?)\s*[:|]?\s+(?P<first>{TIME})"
    rf"\s*[,/|]?\s+(?P<second>{TIME})\s*\|?\s*",
    re.IGNORECASE,
)


def stated(found: Sequence[Sentence], rows: Sequence[ChangedRow]) -> Iterator[Placed]:
    """Yields the claims on a row's value before the change ("currently ... as 200ns")."""
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
            pair = nanoseconds(match["latency"]), nanoseconds(match["residency"])
            for row in rows:
                for state, when in ((row.before, "before"), (row.after, "after")):
                    if state is not None and pair == (state.latency_ns, state.residency_ns):
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
        pair = dict(zip(order, (first, second), strict=True))
        shown = (f"{shown_time(s.latency_ns)}/{shown_time(s.residency_ns)}" for s in states)
        has = ", ".join(dict.fromkeys(shown))
        against = f"{states[0].name} has {has} after the change (latency/residency)"
        times = [(state.latency_ns, state.residency_ns) for state in states]
        holds = (pair["latency"], pair["residency"]) in times
        yield judged(text, number, holds, against, "IS515")


def _order(line: str) -> tuple[str, str] | None:
    """The order of two columns, by their heads."""
    fields = [field_of(match["field"]) for match in re.finditer(FIELD, line, re.IGNORECASE)]
    return (fields[0], fields[1]) if sorted(fields) == ["latency", "residency"] else None


_CHANGING = (
    r"\b(?:set|chang|bump|rais|increas|reduc|lower|decreas|shorten|doubl|halv|mak)"
    r"(?:s|e|es|ed|d|ing|ting)?\b"
)

_FROM_TO = pattern(
    rf"\bfrom\s+(?P<old>{TIME}|{NUMBER})\s+to\s+(?P<new>{TIME})"
    rf"|(?P<before>{TIME})\s*[-=]+>\s*(?P<after>{TIME})",
    re.IGNORECASE,
)
_GAP = r"(?:(?!latenc|residenc)[^.;:]){0,60}?"
_TO = pattern(rf"{FIELD}{_GAP}\bto\s+(?:be\s+)?(?P<new>{TIME})", re.IGNORECASE)
_FACTOR = pattern(
    rf"{FIELD}{_GAP}\bby\s+(?:a\s+factor\s+of\s+)?"
    r"(?P<factor>[0-9]{1,6})\s?(?:x|times)?(?![\w%.])",
    re.IGNORECASE,
)
_HAPPENED = pattern(rf"\b(?:was|were|been)\s+{_CHANGING}", re.IGNORECASE)
"""The words for what an earlier change did."""
_ABOUT = pattern(rf"{FIELD}|\bstop[0-9]+|\b(?:nap|sleep|winkle)\b", re.IGNORECASE)


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
        for claimed, start, end in times_set(sentence.text):
            yield placed(sentence, (start, end), *_judged(claimed, rows, added), "IS511")


def _judged(
    claimed: ClaimedNumber, rows: Sequence[ChangedRow], added: Sequence[IdleState]
) -> tuple[bool | None, str]:
    fields = [claimed.field] if claimed.field else list(TIMES)
    made = [step for row in rows for field in fields for step in steps(row, field)]
    what = claimed.field or "latency or residency"
    if not made:
        return None, f"no {what} changes"
    new = {after for _, after in made}
    new |= {time_of(state, field) for state in added for field in fields}
    found = ", ".join(dict.fromkeys(f"{shown_time(a)} -> {shown_time(b)}" for a, b in made))
    if _holds(claimed, made, new):
        return True, f"{what} {found}"
    if _HAPPENED.search(claimed.text) and any(claimed.new_ns == before for before, _ in made):
        return True, f"{what} {found}; the message gives the value before"
    return False, f"changes {what} differently: {found}"


def _holds(claimed: ClaimedNumber, made: Sequence[Step], new: set[int | None]) -> bool:
    if claimed.factor:
        return any(
            before is not None
            and after is not None
            and (after == before * claimed.factor or before == after * claimed.factor)
            for before, after in made
        )
    if claimed.old_ns is not None:
        return (claimed.old_ns, claimed.new_ns) in made
    return claimed.new_ns in new


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
            claimed = ClaimedNumber(field_of(match["field"]), None, new, 0, match[0])
            yield claimed, *match.span()
    for match in _FACTOR.finditer(sentence):
        claimed = ClaimedNumber(field_of(match["field"]), None, 0, int(match["factor"]), match[0])
        yield claimed, *match.span()


def _field_before(sentence: str, end: int) -> str:
    """The field (latency, residency) named last shortly before `end`; "" if none is."""
    found = list(re.finditer(FIELD, sentence[max(0, end - 200) : end], re.IGNORECASE))
    return field_of(found[-1]["field"]) if found else ""
