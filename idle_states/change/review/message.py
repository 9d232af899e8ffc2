"""Checks a commit's message against its change: the states it names and the numbers it gives.

Conservative: a message that names no changed state, or all of them, is not reported, and a number
is checked only where it is sure what it speaks of.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Finding, Location
from ...base.model.table import IdleTable
from ...base.reading.git.commits import Commit
from ...base.reading.mail.series import MailedAnswer
from ...base.wording import joined
from ...tables.rules.catalogue import rule_named
from .claims.claim import ClaimVerdict, MessageClaim, Placed, Spot
from .claims.figures import figures
from .claims.function import of_tables
from .claims.kernels import kernels
from .claims.percentages import percentages
from .claims.prose import MAX_CHARACTERS, Sentence, mentions, sentences
from .claims.states import covers_state, names_bits, names_state, names_table
from .claims.times import changes, pairs, ratios, stated, tabulated
from .match import as_renamed, differing
from .rows import TIMES, ChangedRow, change_in_words, changed_rows, steps
from .tree import TreeReader

Judged = tuple[Finding, ChangedRow | None]
"""A finding, and the row it is about; None of figures, which are about no row."""


@dataclass(frozen=True, slots=True)
class MessageCheck:
    """The result of checking a message: its findings, and all numbers in it, in order."""

    judged: tuple[Judged, ...] = ()
    claims: tuple[MessageClaim, ...] = ()


def check_message(
    commit: Commit, rows: Sequence[ChangedRow], added: Sequence[IdleTable]
) -> MessageCheck:
    """The findings of IS510 to IS516.

    commit  a cover letter has no hash
    rows   all rows that the commit changes
    added  whole tables that the commit adds
    """
    found = claims_of(commit, rows, added)
    contradicted = [c for c in found if c.verdict is ClaimVerdict.CONTRADICTED]
    first = rows[0] if rows else None
    # a cover letter need not name what each patch does
    judged = [*_unmentioned(commit, rows), *_unmentioned_tables(commit, added)]
    judged = judged if commit.hash else []
    judged += [(_finding(commit, claim, first, added), first) for claim in contradicted]
    return MessageCheck(tuple(judged), found)


def check_answer(
    answer: MailedAnswer, rows: Sequence[ChangedRow], added: Sequence[IdleTable]
) -> MessageCheck:
    """The findings about what a mail says that answers the patches, each at its place in the mail.

    Values other than the patches' may be proposals, and are not judged.
    """
    found = tuple(
        replace(claim, answer=answer.place)
        for claim in _claims(answer.text, answer.mail.date, rows, added, is_answer=True)
    )
    judged = []
    for claim in found:
        if claim.verdict is ClaimVerdict.CONTRADICTED:
            line = answer.line_in_file(claim.line)
            where = Location(f"message:{claim.line}", answer.mail.file or None, line, line and 1)
            source = "an answer" if line else f"{answer.place}, line {claim.line} of its text,"
            judged.append((_contradiction(claim, source, where, ""), None))
    return MessageCheck(tuple(judged), found)


def claims_of(
    commit: Commit, rows: Sequence[ChangedRow], added: Sequence[IdleTable]
) -> tuple[MessageClaim, ...]:
    """The numbers in a commit's message, in order; and that it says that nothing changes, where
    that is wrong. A cover letter may say so of some patches."""
    found = [*_claims(commit.message, commit.date, rows, added)]
    found += of_tables(commit, rows) if commit.hash else ()
    return tuple(replace(claim, commit=commit.short) for claim in found)


def _claims(
    text: str,
    date: datetime | None,
    rows: Sequence[ChangedRow],
    added: Sequence[IdleTable],
    *,
    is_answer: bool = False,
) -> Iterator[MessageClaim]:
    message = text[:MAX_CHARACTERS].replace("\N{NO-BREAK SPACE}", " ")
    quoted = figures(message)
    in_table = list(tabulated(message, rows, added))
    aside = quoted.lines | {claim.line for claim in in_table}
    parts = sentences(message, aside, has_subject=not is_answer)
    states = [state for table in added for state in table.states]
    prose = [sentence for sentence in parts if sentence.kind != "other"]
    placed = [*changes(prose, rows, states), *ratios(prose, rows)]
    if is_answer:
        in_table = list(map(_proposed, in_table))
        placed = [(_proposed(claim), spot) for claim, spot in placed]
    placed += stated(prose, rows)
    placed += pairs(parts, rows)
    placed += kernels(prose, rows, date)
    placed += percentages(prose, quoted, message.splitlines())
    placed += _unchecked(parts, [spot for _, spot in placed])
    placed.sort(key=lambda one: (one[1].sentence, one[1].start))
    found = [*quoted.claims, *in_table, *(claim for claim, _ in placed)]
    yield from sorted(dict.fromkeys(found), key=lambda claim: claim.line)


def _proposed(claim: MessageClaim) -> MessageClaim:
    """Returns a claim from an answer; where it contradicts the patches, as not checked."""
    if claim.verdict is not ClaimVerdict.CONTRADICTED:
        return claim
    against = f"it may be a proposal; the patch: {claim.against}"
    return replace(claim, verdict=ClaimVerdict.NOT_CHECKED, against=against, rule="")


def _unchecked(parts: Sequence[Sentence], spots: Sequence[Spot]) -> Iterator[Placed]:
    """The sentences with times or percentages that no claim covers, each once."""
    for sentence in parts:
        own = [spot for spot in spots if spot.sentence == sentence.number]
        left = [
            (start, end)
            for start, end in mentions(sentence)
            if not any(spot.start <= start < spot.end for spot in own)
        ]
        if left:
            numbers = dict.fromkeys(sentence.text[start:end] for start, end in left)
            why = f"it is not clear what {', '.join(numbers)} refers to"
            claim = MessageClaim(sentence.text[:200], sentence.line, ClaimVerdict.NOT_CHECKED, why)
            yield claim, Spot(sentence.number, *left[0])


def _finding(
    commit: Commit, claim: MessageClaim, row: ChangedRow | None, added: Sequence[IdleTable]
) -> Finding:
    where = Location(f"message:{claim.line}")
    table = ""
    if row is not None:
        where, table = row.where, row.table.name
    elif added:
        where, table = added[0].where.get("table", where), added[0].name
    source = commit.named if commit.hash else "the cover letter"
    source += f", line {claim.line} of its message," if commit.mailed else ""
    return _contradiction(claim, source, where, table)


def of_governor(
    file: str, claims: Sequence[MessageClaim], commits: Sequence[Commit]
) -> Iterator[Finding]:
    """Yields the findings about what messages of commits say of a governor, whose file it is."""
    short2commit = {commit.short: commit for commit in commits}
    for claim in claims:
        if claim.verdict is ClaimVerdict.CONTRADICTED:
            found = _finding(short2commit[claim.commit], claim, None, ())
            yield replace(found, location=replace(found.location, file=file))


def _contradiction(claim: MessageClaim, source: str, where: Location, table: str) -> Finding:
    message = f"{source} says {claim.text!r}, but {claim.against}"
    return _found(claim.rule, message, where, table)


def _found(code: str, message: str, where: Location, table: str) -> Finding:
    loaded = rule_named(code)
    assert loaded is not None
    rule = loaded.rule
    return Finding(code, rule.name, rule.severity, message, where, rule.confidence, table=table)


def _unmentioned(commit: Commit, rows: Sequence[ChangedRow]) -> Iterator[Judged]:
    by_name: dict[str, list[ChangedRow]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    named = [name for name in by_name if names_state(commit.message, name)]
    bits = names_bits(commit.message)
    for name, changed in by_name.items():
        if not named or name in named or covers_state(commit.message, name):
            continue
        if bits and all(
            row.before and row.after and not any(steps(row, field) for field in TIMES)
            for row in changed
        ):
            # flags or registers are all that changed
            continue
        first = changed[0]
        what = "; ".join(dict.fromkeys(change_in_words(row) for row in changed))
        message = f"{commit.named} changes {name} too, which its message does not mention: {what}"
        finding = _found("IS510", message, first.where, first.table.name)
        related = tuple((row.where, "and here") for row in changed[1:])
        yield replace(finding, related=related), first


def _unmentioned_tables(commit: Commit, added: Sequence[IdleTable]) -> Iterator[Judged]:
    """The tables of intel_idle that a commit adds, and that its message is silent about."""
    for table in added:
        built_in = table.origin
        if built_in.form != "driver" or not built_in.is_intel_idle:
            continue
        if names_table(commit.message, table.name, [cpu.name for cpu in built_in.cpus]):
            continue
        states = joined([state.name for state in table.states])
        message = (
            f"{commit.named} adds the table {table.name} ({states}), which its message does not "
            "mention"
        )
        yield _found("IS510", message, table.where["table"], table.name), None


def of_commit(tree: TreeReader, commit: Commit) -> MessageCheck:
    """Checks a commit's message against what it changes."""
    return check_message(commit, *_changed(tree, commit))


def of_series(
    tree: TreeReader,
    commits: Sequence[Commit],
    cover: Commit | None,
    answers: Sequence[MailedAnswer],
) -> list[MessageCheck]:
    """Checks a cover letter, and answers, against what all commits of a series change."""
    if cover is None and not answers:
        return []
    each = [_changed(tree, commit) for commit in commits]
    rows = [row for rows, _ in each for row in rows]
    added = [table for _, tables in each for table in tables]
    checks = [check_message(cover, rows, added)] if cover else []
    return [*checks, *(check_answer(answer, rows, added) for answer in answers)]


def _changed(tree: TreeReader, commit: Commit) -> tuple[list[ChangedRow], list[IdleTable]]:
    """The rows that a commit changes, and the tables that it adds."""
    rows: list[ChangedRow] = []
    added = []
    others = [tree.at(parent) for parent in commit.merged]
    for a, b in differing(tree.at(commit.parent), tree.at(commit.hash), others):
        if b is None or b.table is None:
            continue
        if a is None or a.table is None:
            added.append(b.table)
        else:
            rows += changed_rows(as_renamed(a, b)[0], b)
    return rows, added
