"""Percentages in prose ("a 50% improvement"), held against the figures that a message quotes.

It is sure what such a percentage speaks of where the figures follow the sentence at once, and of a
subject. Elsewhere it may agree with figures of the message, but is not contradicted by them.
"""

import re
from collections.abc import Iterator, Sequence

from ....base.dataclass import dataclass
from ....base.patterns import pattern
from ....base.wording import joined
from .claim import Placed, placed
from .figures import QuotedComparison, QuotedFigures
from .prose import Sentence

_VALUE = r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
_PERCENT = (
    r"(?P<bound>(?:\b(?:more\s+than|less\s+than|at\s+least|at\s+most|up\s+to|over|under|above|below)"
    r"|[<>]=?)\s*)?"
    r"(?P<about>(?:\b(?:roughly|about|around|approximately|approx\.?|nearly|almost|some|circa)\b|~)"
    r"\s*)?"
    rf"(?<![\w.])(?P<low>{_VALUE})(?:\s?%?\s?(?:-|to)\s?(?P<high>{_VALUE}))?\s?%"
)
_MORE = r"increas\w*|more|higher"
_LESS = r"less|fewer|lower|drop\w*|decreas\w*|reduc\w*|sav\w+|cuts?"
_BETTER = r"improv\w*|gain\w*|faster|better|speed-?ups?|boost\w*"
_WORSE = r"slower|regress\w*|degrad\w*|worse|overhead|penalty|loss"
_CHANGE = rf"(?P<change>{_MORE}|{_LESS}|{_BETTER}|{_WORSE})"
_BEFORE = pattern(rf"{_PERCENT}\s+(?:[\w-]{{1,30}}\s+){{0,2}}?{_CHANGE}\b", re.IGNORECASE)
_AFTER = pattern(
    rf"\b{_CHANGE}\s+(?:[\w./'-]{{1,30}}\s+){{0,6}}?(?:by|of|is|was)\s+{_PERCENT}", re.IGNORECASE
)
_SAVED = pattern(
    rf"\b(?P<change>sav(?:es?|ed|ing)|cuts?)\s+(?:[\w./'-]{{1,30}}\s+){{0,3}}?{_PERCENT}",
    re.IGNORECASE,
)
_BARE = pattern(rf"{_PERCENT}(?P<change>)", re.IGNORECASE)
_CAPTION = 40
"""Characters of a line between a sentence and its figures at most."""
_BAR = pattern(r"[-=_*~+|\s]*")


@dataclass(frozen=True, slots=True)
class SaidPercent:
    """low, high  what is said, equal for a single number
    slack      by how much it may be rounded
    bound      "above" or "below" what is said, or ""
    change     the word for what happens: "improvement", "less"
    """

    low: float
    high: float
    slack: float
    bound: str
    change: str

    def agrees_with(self, one: QuotedComparison) -> bool:
        """Less is less than the greater set, more is more than the smaller one. Of what is better
        or worse it depends on whether times or rates were measured."""
        greater, smaller = one.of_second, one.of_first
        if one.rises is None:
            return self.agrees(one.of_first)
        if not one.rises:
            greater, smaller = smaller, greater
        if re.fullmatch(_MORE, self.change):
            return self.agrees(smaller)
        if re.fullmatch(_LESS, self.change):
            return self.agrees(greater)
        is_rate = one.rises and re.fullmatch(_BETTER, self.change)
        return self.agrees(smaller if is_rate else (*smaller, *greater))

    def agrees(self, ranges: Sequence[tuple[float, float]]) -> bool:
        low, high = self.low - self.slack, self.high + self.slack
        return any(
            (self.bound == "below" or most >= low) and (self.bound == "above" or least <= high)
            for least, most in ranges
        )


def percentages(
    found: Sequence[Sentence], quoted: QuotedFigures, lines: Sequence[str]
) -> Iterator[Placed]:
    """Claims of IS513. lines: of the message."""
    for sentence in found:
        ends = [0]
        for match, percent in percents_in(sentence.text):
            text = " ".join(match[0].split())
            verdict = _judged(percent, sentence, quoted, lines)
            ends += match.span()
            yield placed(sentence, match.span(), *verdict, "IS513", text)
        if len(quoted.comparisons) != 1 or len(ends) > 1:
            continue
        # beside the only comparison, what a percentage speaks of is likely, and no more
        (only,) = quoted.comparisons
        for match, percent in percents_in(sentence.text, (_BARE,)):
            agrees = True if percent.agrees_with(only) else None
            against = f"the only comparison of the message says {only.shown}"
            yield placed(sentence, match.span(), agrees, against, "IS513", match[0].strip())


def percents_in(
    sentence: str, forms: Sequence[re.Pattern[str]] = (_BEFORE, _AFTER, _SAVED)
) -> Iterator[tuple[re.Match[str], SaidPercent]]:
    """The changes in percent that a sentence speaks of."""
    end = 0
    matches = [match for form in forms for match in form.finditer(sentence)]
    for match in sorted(matches, key=lambda match: (match.start("low"), match.start())):
        if match.start("low") < end:
            continue
        end = match.end("low")
        low = float(match["low"])
        high = float(match["high"] or low)
        if low > high:
            continue
        slack = max(_rounding(match["low"]), _rounding(match["high"] or match["low"]))
        if match["about"]:
            slack = max(slack, 0.1 * high)
        bound = _bound(match["bound"] or "")
        yield match, SaidPercent(low, high, slack, bound, match["change"].lower())


def _rounding(text: str) -> float:
    """By how much a figure may be rounded: 50 may be 45 to 55, 35 is 32.5 to 37.5, 31 is 30.5 to
    31.5, as people speak."""
    _, point, decimals = text.partition(".")
    if point:
        return 0.5 * 10.0 ** -len(decimals)
    value = int(text)
    return 0.5 if value % 5 or not value else 2.5 if value % 10 else 5.0


def _bound(text: str) -> str:
    words = text.lower().split()
    if not words:
        return ""
    is_above = words[0] in ("more", "over", "above", ">", ">=") or "least" in words
    return "above" if is_above else "below"


def _judged(
    percent: SaidPercent,
    sentence: Sentence,
    quoted: QuotedFigures,
    lines: Sequence[str],
) -> tuple[bool | None, str]:
    comparisons = quoted.comparisons
    agreeing = [one for one in comparisons if percent.agrees_with(one)]
    own = _following(sentence, comparisons, lines)
    if sentence.kind == "subject":
        own = [one for one in comparisons if one.is_test]
    for one in agreeing:
        if one in own or not own:
            return True, f"the figures say {one.shown}"
    if agreeing:
        return True, f"other figures of the message say {agreeing[0].shown}"
    if not own:
        why = "no figures follow it" if quoted.lines else "the message quotes no figures"
        return None, why
    against = f"the figures that follow say {joined([one.shown for one in own])}"
    others = [one.shown for one in comparisons if one not in own]
    if others:
        against += f", others {joined(others)}"
    alike = [
        f"the {name}: {value:+.4g} % (message line {one.last})"
        for one in own
        for name, value in one.unlike
        if percent.agrees([(abs(value), abs(value))])
    ]
    if alike:
        against += f"; this share only for {joined(alike)}"
    return False, against


def _following(
    sentence: Sentence, comparisons: Sequence[QuotedComparison], lines: Sequence[str]
) -> list[QuotedComparison]:
    """The comparisons whose figures begin right after the sentence: after bars, empty lines and
    captions only. Those right below the first belong to it."""
    own: list[QuotedComparison] = []
    end = sentence.end
    for one in comparisons:
        if one.first > end and all(_is_between(line) for line in lines[end : one.first - 1]):
            own.append(one)
            end = one.last
        elif own and one.first <= end:
            # a further row of the same block
            own.append(one)
            end = max(end, one.last)
    return own


def _is_between(line: str) -> bool:
    text = line.strip()
    return _BAR.fullmatch(text) is not None or (len(text) <= _CAPTION and text.endswith(":"))
