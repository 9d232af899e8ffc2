"""Messages that say that nothing changes in function, held against the change (IS516)."""

import re
from collections.abc import Iterator, Sequence

from ....base.dataclass import replace
from ....base.patterns import pattern
from ....base.reading.git.commits import Commit
from ....base.wording import few, plural
from ..rows import TIMES, ChangedRow, change_in_words, steps
from .claim import MessageClaim, judged
from .prose import MAX_CHARACTERS, Sentence, sentences

_RULE = "IS516"
_NOTHING = pattern(
    r"(?i:\bno\s+(?:(?:intentional|intended|expected)\s+)?(?:functional|behaviou?ral)\s+"
    r"(?:changes?|impact|differences?)\b|\bclean-?ups?\s+only\b"
    r"|\b(?:only|just|pure(?:ly)?)\s+(?:a\s+)?clean-?ups?\b)"
    r"|\bNFCI\b|[(\[]NFC[)\]]|^NFC(?=\W*$)"
)
_IN_PART = pattern(
    r"\b(?:for|on|except|but|other|apart|besides|unless|until|yet|if|when|without|not)\b|n't\b",
    re.IGNORECASE,
)
"""Words that say that it holds of a part only."""
_ROWS = 3


def _nothing(message: str) -> Iterator[Sentence]:
    """Yields the sentences of a message that say so of all of the change."""
    for sentence in sentences(message[:MAX_CHARACTERS]):
        if _NOTHING.search(sentence.text) and not _IN_PART.search(sentence.text):
            yield sentence


def of_tables(commit: Commit, rows: Sequence[ChangedRow]) -> Iterator[MessageClaim]:
    """Yields what a message says of that, where it is wrong. rows: all that the commit changes; of
    a driver's, flags may be renumbered."""
    changes = [
        f"{row.name}: {change_in_words(row)}"
        for row in rows
        if row.before is None
        or row.after is None
        or any(steps(row, field) for field in TIMES)
        or (row.table.table is not None and row.table.table.origin.form != "driver")
    ]
    for sentence in _nothing(commit.message) if changes else ():
        against = f"states change: {few(changes, _ROWS)}"
        yield judged(sentence.text[:200], sentence.line, False, against, _RULE)


def function(commits: Sequence[Commit], differ: int | None, of: int) -> Iterator[MessageClaim]:
    """Yields what messages say of that.

    commits  those that change the governor
    differ   how many of its decisions are others; None: not compared
    of       how many were compared
    """
    several = f" after {plural(len(commits), 'commit')}; --per-commit tells each"
    holds, against = None, "compared with --run"
    if differ == 0:
        holds, against = True, f"nothing differs in {of:,} decisions"
    elif differ is not None:
        against = f"{differ:,} of {of:,} decisions differ"
        holds, against = (False, against) if len(commits) == 1 else (None, against + several)
    for commit in commits:
        for sentence in _nothing(commit.message):
            claim = judged(sentence.text[:200], sentence.line, holds, against, _RULE)
            yield replace(claim, commit=commit.short)
