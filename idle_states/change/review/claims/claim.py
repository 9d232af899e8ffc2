"""A number that a message gives, and whether it agrees with what else is known."""

import enum

from ....base.dataclass import dataclass
from .prose import Sentence


class ClaimVerdict(enum.StrEnum):
    HOLDS = "holds"
    CONTRADICTED = "contradicted"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class MessageClaim:
    """text     the message's own words, on one line
    line     of the message, from 1
    against  what it was compared with, and the outcome; of a claim that was not checked, why
    rule     the rule that a contradiction belongs to; "" otherwise
    commit   beginning of the hash of the commit whose message it is; "" for a cover letter
    answer   the mail, where it is one that answers the patches: its file, and its number there
    """

    text: str
    line: int
    verdict: ClaimVerdict
    against: str
    rule: str = ""
    commit: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """Characters start to end of a sentence, by its number."""

    sentence: int
    start: int
    end: int


Placed = tuple[MessageClaim, Spot]
"""A claim made in prose, and where, so that its numbers are not looked at twice."""


def judged(text: str, line: int, holds: bool | None, against: str, rule: str) -> MessageClaim:
    """Returns a claim. holds: None: not checked; rule: that a contradiction belongs to."""
    if holds is None:
        return MessageClaim(text, line, ClaimVerdict.NOT_CHECKED, against)
    if holds:
        return MessageClaim(text, line, ClaimVerdict.HOLDS, against)
    return MessageClaim(text, line, ClaimVerdict.CONTRADICTED, against, rule)


def placed(
    sentence: Sentence,
    span: tuple[int, int],
    holds: bool | None,
    against: str,
    rule: str,
    text: str = "",
) -> Placed:
    """Returns a claim that a sentence makes. text: "": the words of the span."""
    words = text or sentence.text[slice(*span)]
    return judged(words, sentence.line, holds, against, rule), Spot(sentence.number, *span)
