"""Reviews patches without a tree: the tables as far as the diff's own lines show them.

Rows and members that a diff does not show are taken from the packaged table of the same array, if
there is one that agrees with all that it shows before the change. Otherwise they stay unknown, the
same before and after. Either is said.
"""

from collections.abc import Mapping, Sequence

from ...base.dataclass import replace
from ...base.model.findings import Unreadable
from ...base.model.table import IdleState, IdleTable
from ...base.reading.git import HeldCommits
from ...base.reading.mail import Series
from ...base.reading.patch import FileChange
from ...base.wording import plural
from ...tables.skiboot import c_table
from ...tables.spec.library import packaged
from .base import Applied, applied
from .fragments import FragmentText, Hidden, ShownArray, ShownRow
from .hunks import FIELDS, left_aside, sides
from .letters import named


def without_tree(series: Series, shown: str) -> Applied:
    """The tables before and after a series, each patch with what it shows."""
    held = HeldCommits(None, shown)
    remarks = ["reviewed without a tree, from the lines that the diff shows"]
    partial: set[str] = set()
    hidden: dict[str, Hidden] = {}
    base = head = ""
    hashes = []
    unread = 0
    for patch in series.patches:
        ends: tuple[dict[str, FragmentText], ...] = ({}, {})
        for change in patch.files:
            if change.path.endswith((".c", ".h")) and change.becomes:
                unread += max(1, _changed(change))
                remarks.append(f"{change.path} becomes a {change.becomes}, which is not read")
            elif change.path.endswith((".c", ".h")) and change.hunks:
                old, new, aside, said = _fragments(change, partial)
                remarks += said
                unread += aside
                if old.text or new.text:
                    ends[0][change.before or change.path] = old
                    ends[1][change.path] = new
        if ends[0]:
            before, after = map(_contents, ends)
            context = held.add(head, "what the diff shows", before, is_patch=False)
            base = base or context
            head = held.add(
                context, patch.message, after, date=patch.mail.date, mailed=named(patch)
            )
            for commit, texts in zip((context, head), ends, strict=True):
                hidden[commit] = {file: text.hidden for file, text in texts.items()}
        hashes.append(head if ends[0] else "")
        remarks += patch.remarks
    if not head:
        head = base = held.add("", "nothing", {}, is_patch=False)
        remarks.append("the diff shows no named row of an idle-state table")
        changes = [change for patch in series.patches for change in patch.files]
        trees = [change for change in changes if change.path.endswith((".dts", ".dtsi"))]
        drivers = [each for each in changes if each.path.endswith(".c") and "idle" in each.path]
        for what, those in (("device-tree source", trees), ("a driver of Linux", drivers)):
            if those:
                remarks.append(f"{what} is not looked at without its repository (--tree)")
                unread += sum(map(_changed, those))
    made = applied(series, held, base, head, hashes, remarks)
    return replace(made, partial=frozenset(partial), hidden=hidden, unread=unread)


def _contents(texts: Mapping[str, FragmentText]) -> dict[str, bytes | None]:
    return {file: text.text.encode("utf-8", "surrogateescape") for file, text in texts.items()}


def _fragments(
    change: FileChange, partial: set[str]
) -> tuple[FragmentText, FragmentText, int, list[str]]:
    """The file before and after, with the tables alone, the number of changed lines of tables that
    were not understood, and what is to be said of them; adds to partial those whose other rows are
    not known."""
    before, after = sides(change)
    remarks: list[str] = []
    texts = [FragmentText(), FragmentText()]
    for array in dict.fromkeys([*before.arrays, *after.arrays]):
        old, new = before.arrays.get(array, []), after.arrays.get(array, [])
        whole = _agreeing(array, old, new)
        if whole is None and old:
            partial.add(array)
        for number, side in enumerate((before, after)):
            if array in side.arrays or (whole is not None and old and new):
                rows = side.arrays.get(array, [])
                end = side.hunks.get(array) or before.hunks.get(array, 1)
                one = ShownArray(array, rows, end, side.opened.get(array, 0))
                texts[number].add(one, [row.name for row in old], whole)
        rows_shown = plural(len({row.name for row in (*old, *new)}), "row")
        rest = (
            f"the rest is taken from the packaged {whole.name}, which agrees with them"
            if whole
            else "its other rows, and values that the diff does not show, are not known"
        )
        remarks.append(f"of {array} the diff shows {rows_shown}: {rest}")
    aside = left_aside(change, before, after)
    if aside:
        remarks.append(
            f"{change.path}: {plural(aside, 'changed line')} left aside, because the diff does not "
            "show the whole value, or the name of the row, or because they are no values: "
            "conditionals, what a row loses, code that chooses or changes tables"
        )
    return texts[0], texts[1], aside, remarks


def _changed(change: FileChange) -> int:
    """Number of lines that go or come."""
    return sum(line.mark in ("-", "+") for hunk in change.hunks for line in hunk.lines)


def _agreeing(array: str, rows: Sequence[ShownRow], after: Sequence[ShownRow]) -> IdleTable | None:
    """The packaged table of an array that has all values shown before the change, and no row that
    the change adds; a current one before older ones."""
    try:
        text = FragmentText()
        text.add(ShownArray(array, rows), (), None)
        (shown,) = c_table.read(text.text, "")
    except (Unreadable, ValueError):
        return None
    if not rows or len(shown.states) != len(rows):
        return None
    added = {row.name for row in after} - {row.name for row in rows}
    found = sorted(packaged(), key=lambda table: "@" in table.name)
    for table in found:
        if (
            table.firmware.array == array
            and not any(table.state(name) for name in added)
            and all(_has(table, row, state) for row, state in zip(rows, shown.states, strict=True))
        ):
            return table
    return None


def _has(table: IdleTable, row: ShownRow, shown: IdleState) -> bool:
    state = table.state(row.name)
    return state is not None and all(
        getattr(state, FIELDS[member]) == getattr(shown, FIELDS[member])
        for member in row.members
        if member in FIELDS
    )
