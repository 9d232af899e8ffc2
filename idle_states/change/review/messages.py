"""The messages of what is reviewed, each held against the rows that it speaks of."""

from collections.abc import Sequence

from ...base.model.table import IdleTable
from ...base.reading.git import Commit
from ...base.reading.mail import MailedAnswer
from .differing import differing
from .match import as_renamed
from .message import MessageCheck, check_answer, check_message
from .rows import ChangedRow, changed_rows
from .tree import End, TreeReader


class MessageReader:
    """tree: where the commits are read."""

    def __init__(self, tree: TreeReader) -> None:
        self.tree = tree

    def of_commit(self, commit: Commit) -> MessageCheck:
        """A commit's message against what it changes."""
        return check_message(commit, *self._changed(commit))

    def of_series(
        self, commits: Sequence[Commit], cover: Commit | None, answers: Sequence[MailedAnswer]
    ) -> list[MessageCheck]:
        """A cover letter, and answers, against what all commits of a series change."""
        if cover is None and not answers:
            return []
        each = [self._changed(commit) for commit in commits]
        rows = [row for rows, _ in each for row in rows]
        added = [table for _, tables in each for table in tables]
        checks = [check_message(cover, rows, added)] if cover else []
        return [*checks, *(check_answer(answer, rows, added) for answer in answers)]

    def _changed(self, commit: Commit) -> tuple[list[ChangedRow], list[IdleTable]]:
        """The rows that a commit changes, and the tables that it adds."""
        rows: list[ChangedRow] = []
        added = []
        before, after = self.tree.at(commit.parent), self.tree.at(commit.hash)
        for a, b in differing(before, after, merged(self.tree, commit)):
            if b is None or b.table is None:
                continue
            if a is None or a.table is None:
                added.append(b.table)
            else:
                rows += changed_rows(as_renamed(a, b)[0], b)
        return rows, added


def merged(tree: TreeReader, commit: Commit) -> list[End]:
    """The ends that a merge has beside its first parent."""
    return [tree.at(parent) for parent in commit.merged]
