"""The verdicts on what `review` finds in mails: a person read the thread and says whether a finding
is right, and which faults reviewers named that it does not find.

Form: verdicts.tsv, a line of column names, then message_id, rule, where, verdict, named_by, reason.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.archives.ways import NOT_MADE, Found, Outcome, Thread

COLUMNS = ("message_id", "rule", "where", "verdict", "named_by", "reason")
KINDS = ("true", "intended", "false", "missed")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A line of verdicts.tsv.

    rule      "" where no finding says it
    where     the state or file: a part of the finding's path, message or file
    verdict   intended: right, and the patch means it; missed: a fault that is not found
    named_by  id of the mail whose writer named the fault; "" for none
    """

    message_id: str
    rule: str
    where: str
    verdict: str
    named_by: str
    reason: str

    def covers(self, name: str, one: Found) -> bool:
        """Tells whether the verdict is on a finding in a mail."""
        texts = (one.path, one.message, one.file)
        return (
            self.message_id == name
            and self.rule == one.rule
            and any(self.where in text for text in texts)
        )


def verdicts(text: str) -> tuple[Verdict, ...]:
    """Reads verdicts.tsv. Raises ValueError for a line that is none."""
    head, *lines = text.splitlines()
    if tuple(head.split("\t")) != COLUMNS:
        raise ValueError(f"expected the columns {', '.join(COLUMNS)}, found {head!r}")
    made = []
    for number, line in enumerate(lines, 2):
        words = [word.strip() for word in line.split("\t")]
        if len(words) != len(COLUMNS):
            raise ValueError(f"line {number}: expected {len(COLUMNS)} columns, found {len(words)}")
        words[0], words[4] = words[0].strip("<>"), words[4].strip("<>")
        one = Verdict(*words)
        if (
            one.verdict not in KINDS
            or not one.reason
            or (one.verdict == "missed") == bool(one.rule)
        ):
            raise ValueError(
                f"line {number}: expected true, intended or false of a rule, or missed of none, "
                f"and a reason; found {line!r}"
            )
        made.append(one)
    return tuple(made)


def findings(threads: Sequence[Thread]) -> Iterator[tuple[str, Found]]:
    """Yields what any way finds, each finding of a mail once, with the mail's id. What only a whole
    thread shows is its first listed mail's."""
    for thread in threads:
        seen: set[tuple[str, Found]] = set()
        for name in thread.mailed:
            for outcome in (thread.mailed[name], thread.alone[name]):
                seen |= {(name, one) for one in outcome.found}
        by_mails = {one for _, one in seen}
        first = next(iter(thread.mailed))
        seen |= {(first, one) for one in thread.whole.found if one not in by_mails}
        yield from sorted(seen, key=lambda pair: (pair[0], pair[1].rule, pair[1].path))


def outcomes_of(threads: Sequence[Thread], name: str) -> Iterator[Outcome]:
    """Yields what came of a mail, alone, with the trees and with its thread."""
    for thread in threads:
        if name in thread.ids:
            yield thread.whole
            yield from (way[name] for way in (thread.mailed, thread.alone) if name in way)


def is_run(verdict: Verdict, threads: Sequence[Thread]) -> bool:
    """Tells whether a verdict's mail was reviewed with the trees."""
    return any(
        thread.mailed[verdict.message_id].status != NOT_MADE
        for thread in threads
        if verdict.message_id in thread.mailed
    )


def is_found(verdict: Verdict, threads: Sequence[Thread]) -> bool:
    """Tells whether there is a finding that a verdict is on."""
    return any(
        verdict.covers(verdict.message_id, one)
        for outcome in outcomes_of(threads, verdict.message_id)
        for one in outcome.found
    )


def needs_tree(verdict: Verdict, threads: Sequence[Thread]) -> bool:
    """Tells whether a verdict's finding is not there because its mail applies to none of the trees,
    so that it was read from its own lines."""
    return (
        bool(verdict.rule)
        and not is_found(verdict, threads)
        and any(
            remark.startswith("fits no commit of")
            for thread in threads
            if verdict.message_id in thread.mailed
            for remark in thread.mailed[verdict.message_id].remarks
        )
    )
