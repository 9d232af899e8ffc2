"""A number that a message gives, and whether it agrees with what else is known."""

import enum

from ....base.dataclass import dataclass


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
