"""A review as Markdown, for a pull request: 40 lines that are seen at once, the rest folded.

The first line is an HTML comment that nobody sees. It is the same when the same is reviewed again
with other commits, so a bot finds its own comment by it and replaces that.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from ...base.model.findings import Finding, Severity
from ...base.report.escapes.markdown import inline
from ...base.report.findings_text import shown
from . import words as words
from .match import renamed_states
from .result import Review, TableChange
from .rows import FIELDS, shown_values

ROWS, EFFECTS, SIBLINGS = 8, 7, 5
"""Most of each that are seen at once."""
_LENGTH = 400


def anchor(review: Review) -> str:
    """The comment that marks what is reviewed."""
    digest = hashlib.sha256("\0".join(review.about).encode("utf-8", "surrogateescape"))
    return f"<!-- idle-states-review:{digest.hexdigest()[:16]} -->"


def render(review: Review, *, notes: bool) -> str:
    """notes: show notes as well, among what is folded."""
    lines = [anchor(review), f"### {inline(words.verdict(review))}"]
    found = words.worst(review)
    if found is not None:
        lines += ["", f"**Worst:** {_short(words.sentence(found, review))}"]
    tables = [table for change in review.changes for table in change.tables]
    lines += _table(tables, whole=False)
    lines += _section("On machines", _effects(tables, review), EFFECTS)
    for head, some in words.beside(review.changes):
        lines += _section(head, some, 2 * EFFECTS if head == words.GOVERNORS else EFFECTS)
    forgotten = [words.sentence(finding, review) for finding in words.siblings(review)]
    lines += _section("Forgotten siblings", forgotten, SIBLINGS)
    folded = list(_folded(tables, review, notes))
    lines += ["", "<details><summary>Details</summary>", *folded, "", "</details>"]
    return "\n".join(lines) + "\n"


def _folded(tables: Sequence[TableChange], review: Review, notes: bool) -> Iterator[str]:
    yield from ["", inline(words.looked_at(review))]
    new = shown(review.new, notes=notes)
    yield from _section("New", _sentences(new, review), 5 * words.SHOWN)
    fixed = (f for f in review.fixed if notes or f.severity is not Severity.NOTE)
    yield from _section("Fixed", _sentences(fixed, review), 5 * words.SHOWN)
    effects = _effects(tables, review)
    if len(effects) > EFFECTS:
        yield from _section("On machines, the rest", effects[EFFECTS:], 5 * words.SHOWN)
    yield from _table(tables, whole=True)
    for change in review.changes:
        numbers = [f"message, {words.claimed(claim)}" for claim in change.claims]
        yield from _section("Numbers in the message", numbers, 5 * words.SHOWN)
    for head, some in words.grounds_of_all(review):
        yield from _section(head, some, words.SHOWN)


def _sentences(findings: Iterable[Finding], review: Review) -> list[str]:
    return [words.sentence(finding, review) for finding in findings]


def _effects(tables: Sequence[TableChange], review: Review) -> list[str]:
    """Returns the effects on kernels and machines: for each table in turn, kernels first."""
    found = []
    for table in tables:
        name = f"{table.source.name}: " if len(tables) > 1 else ""
        _, *kinds = words.effects(table, review)
        found += [f"{name}{text}" for texts in kinds for text in texts]
    return found


def _section(head: str, items: Sequence[str], most: int) -> list[str]:
    if not items:
        return []
    lines = ["", f"**{head}**", ""]
    lines += [f"- {_short(item)}" for item in items[:most]]
    if len(items) > most:
        lines.append(f"- and {len(items) - most} more")
    return lines


def _short(text: str) -> str:
    return inline(text if len(text) <= _LENGTH else f"{text[: _LENGTH - 4]} ...")


def _table(tables: Sequence[TableChange], *, whole: bool) -> list[str]:
    """Old and new rows in one table. whole: all rows of the changed tables, not those alone that
    change."""
    found = [(t, row) for t in tables if t.is_changed for row in _rows(t) if whole or _differs(row)]
    if not found or (whole and all(_differs(row) for _, row in found)):
        return []
    shown = [
        at
        for at, name in enumerate(FIELDS)
        if whole or any(_differs(r[1 + at : 2 + at]) for _, r in found)
    ]
    head = ["Table", "State", *(FIELDS[at].capitalize() for at in shown)]
    lines = ["", _line(head), _line(["---"] * len(head))]
    most = 5 * words.SHOWN if whole else ROWS
    for table, row in found[:most]:
        name, *cells = row
        fields = [_cell(cells[at]) for at in shown]
        lines.append(_line([inline(table.source.name), _cell(name), *fields]))
    if len(found) > most:
        lines += ["", f"and {len(found) - most} rows more"]
    return lines


_Cell = tuple[str, str]
"""Before and after."""


def _rows(table: TableChange) -> Iterator[list[_Cell]]:
    """Name and fields of each row, before and after; "" where there is no such row."""
    a = table.before.table if table.before else None
    b = table.after.table if table.after else None
    names = renamed_states(a, b) if a is not None and b is not None else {}
    old = {names.get(state.name, state.name): state for state in (a.states if a else ())}
    new = {state.name: state for state in (b.states if b else ())}
    for name in dict.fromkeys([*new, *old]):
        sides = [
            ("",) * (1 + len(FIELDS)) if state is None else shown_values(state)
            for state in (old.get(name), new.get(name))
        ]
        yield list(zip(*sides, strict=True))


def _differs(row: Sequence[_Cell]) -> bool:
    return any(a != b for a, b in row)


def _cell(cell: _Cell) -> str:
    a, b = cell
    if a == b:
        return inline(a)
    return f"{inline(a) or 'none'} → **{inline(b) or 'removed'}**"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
