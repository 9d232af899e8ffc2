"""Messages that say that a change of a governor changes nothing in function."""

import re
from collections.abc import Iterator, Sequence

from ....base.dataclass import replace
from ....base.reading.git import Commit
from ....base.wording import plural
from .claim import MessageClaim, judged
from .prose import MAX_CHARACTERS, sentences

_NOTHING = re.compile(
    r"\bno\s+(?:(?:intentional|intended|expected)\s+)?functional\s+(?:changes?|impact|differences?)",
    re.IGNORECASE,
)


def function(commits: Sequence[Commit], differ: int | None, of: int) -> Iterator[MessageClaim]:
    """Yields what messages say of that.

    commits  those that change the governor
    differ   how many of its decisions are others; None: not compared
    of       how many were compared
    """
    for commit in commits:
        for sentence in sentences(commit.message[:MAX_CHARACTERS]):
            if _NOTHING.search(sentence.text) is None:
                continue
            holds: bool | None = None
            if differ is None:
                against = "compared with --run"
            elif differ == 0:
                holds, against = True, f"nothing differs in {of:,} decisions"
            else:
                against = f"{differ:,} of {of:,} decisions differ"
                if len(commits) == 1:
                    holds = False
                else:
                    against += f" after {plural(len(commits), 'commit')}; --per-commit tells each"
            claim = judged(sentence.text[:200], sentence.line, holds, against, "")
            yield replace(claim, commit=commit.short)
