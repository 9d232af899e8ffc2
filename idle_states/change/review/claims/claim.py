"""A number that a message gives, and whether it agrees with what else is known."""

import enum
from typing import Annotated

from ....base.dataclass import dataclass
from ....base.model.forms import Positive
from .prose import Sentence


class ClaimVerdict(enum.StrEnum):
    HOLDS = "holds"
    CONTRADICTED = "contradicted"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class MessageClaim:
    """A number of a message."""

    text: Annotated[str, "The message's own words, on one line."]
    line: Annotated[Positive, "The message's line, counted from 1."]
    verdict: ClaimVerdict
    against: Annotated[
        str, "The value compared with and the outcome, or the reason why it was not checked."
    ]
    rule: Annotated[str, "The code of a contradiction's finding; else empty."] = ""
    commit: Annotated[
        str, "Beginning of its commit's hash; empty: the cover letter or an answer."
    ] = ""
    answer: Annotated[
        str, "The file, and the number in it, of a mail that answers the patches; else empty."
    ] = ""


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
