"""Reviews patches without a tree: the tables as far as the diff's own lines show them.

Rows and members that a diff does not show are taken from the packaged table of the same array, if
there is one that agrees with all that it shows before the change. Otherwise they stay unknown, the
same before and after. Either is said.
"""

import re
from collections.abc import Mapping, Sequence

from ..dataclass import dataclass, field
from ..findings import Unreadable
from ..reading.git import HeldCommits
from ..reading.mail import Series
from ..reading.patch import FileChange, HunkLine
from ..skiboot import c_table
from ..spec.library import packaged
from ..table import IdleState, IdleTable
from ..wording import plural
from .base import Applied, cover_of, letters_of, missing
from .fragments import FragmentText, Hidden, ShownArray, ShownRow
from .letters import named

_ARRAY = re.compile(r"\bstruct\s+cpu_idle_states\s+(\w+)\s*\[", re.ASCII)
_MEMBER = re.compile(r"\s*\.(\w+)\s*=\s*(.*)", re.ASCII | re.DOTALL)
_NAME = re.compile(r'\s*"((?:[^"\\]|\\.)*)"')
_END = re.compile(r"\s*\}\s*,?\s*")
_BEGIN = re.compile(r"\s*(?:\}\s*,\s*)?\{\s*")
_LAST = re.compile(r"\s*,?\s*\}\s*,?$")
_COMMENT = re.compile(r"/\*.*?\*/|/\*.*$|^(?:(?!/\*).)*?\*/|//.*$")
_WITHIN = re.compile(r"[ \t{](?!\s*\*(?:\s|$))")
"""How a line of an array begins, one within a comment not."""
_ARRAY_END = re.compile(r"\s*\}\s*;")
_FIELDS = {
    "latency_ns": "latency_ns",
    "residency_ns": "residency_ns",
    "flags": "flags",
    "pm_ctrl_reg_val": "control",
    "psscr": "control",
    "pmicr": "control",
    "pm_ctrl_reg_mask": "mask",
    "psscr_mask": "mask",
    "pmicr_mask": "mask",
}
"""Member -> field of IdleState."""
_MEMBERS = frozenset({"name", *_FIELDS})


@dataclass(slots=True)
class _Side:
    """arrays      array -> its rows that hunks show, in order
    hunks       array -> the last line of the last of these hunks
    opened      array -> the line on which it begins, if a hunk shows that
    of_tables   the lines that seem to be a table's
    understood  the lines that were understood
    """

    arrays: dict[str, list[ShownRow]] = field(default_factory=dict)
    hunks: dict[str, int] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)
    of_tables: set[int] = field(default_factory=set)
    understood: set[int] = field(default_factory=set)


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
            if change.path.endswith(".c") and change.hunks:
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
    remarks += missing(series)
    said_once = tuple(dict.fromkeys(remarks))
    cover = cover_of(series)
    letters = letters_of(series, hashes)
    return Applied(
        series.version,
        base,
        head,
        held,
        said_once,
        frozenset(partial),
        cover,
        letters,
        series.answers,
        hidden,
        unread,
    )


def _contents(texts: Mapping[str, FragmentText]) -> dict[str, bytes | None]:
    return {file: text.text.encode("utf-8", "surrogateescape") for file, text in texts.items()}


def _fragments(
    change: FileChange, partial: set[str]
) -> tuple[FragmentText, FragmentText, int, list[str]]:
    """The file before and after, with the tables alone, the number of changed lines of tables that
    were not understood, and what is to be said of them; adds to partial those whose other rows are
    not known."""
    before, after = _Side(), _Side()
    for hunk in change.hunks:
        opened = _ARRAY.search(hunk.section)
        array = opened[1] if opened else ""
        _read(before, hunk.before, hunk.old, array)
        _read(after, hunk.after, hunk.new, array)
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
    aside = _left_aside(change, before, after)
    if aside:
        remarks.append(
            f"{change.path}: {plural(aside, 'changed line')} left aside, because the diff does not "
            "show the whole value, or the name of the row"
        )
    return texts[0], texts[1], aside, remarks


def _changed(change: FileChange) -> int:
    """Number of lines that go or come."""
    return sum(line.mark in ("-", "+") for hunk in change.hunks for line in hunk.lines)


def _left_aside(change: FileChange, before: _Side, after: _Side) -> int:
    """Number of lines of tables that go or come, and were not understood."""
    count = 0
    for hunk in change.hunks:
        for side, lines, first, mark in (
            (before, hunk.before, hunk.old, "-"),
            (after, hunk.after, hunk.new, "+"),
        ):
            count += sum(
                line.mark == mark and number in side.of_tables - side.understood
                for number, line in enumerate(lines, first)
            )
    return count


def _shows_members(lines: Sequence[HunkLine]) -> bool:
    found = (_MEMBER.fullmatch(line.text) for line in lines)
    return any(match and match[1] in _MEMBERS for match in found)


def _read(side: _Side, lines: Sequence[HunkLine], first: int, array: str) -> None:
    """Reads one side of a hunk. array: the one that the hunk begins in, "" if not known."""
    row: ShownRow | None = None
    open_member: tuple[str, int, str] | None = None
    # of a hunk that does not say which array it is in, its members tell that it is in one
    nameless = not array and _shows_members(lines)

    def close_row() -> None:
        nonlocal row, open_member
        if row is not None and "name" in row.members:
            match = _NAME.match(row.members["name"][1])
            row.name = match[1] if match else ""
        if row is not None and row.name and array:
            side.arrays.setdefault(array, []).append(row)
            side.hunks[array] = first + len(lines) - 1
            for start, value in row.members.values():
                side.understood.update(range(start, start + value.count("\n") + 1))
        row, open_member = None, None

    for number, line in enumerate(lines, first):
        text = _COMMENT.sub(" ", line.text).rstrip()
        opened = _ARRAY.search(text)
        if (array or nameless) and _WITHIN.match(line.text):
            side.of_tables.add(number)
        if not text.strip(" \t{},;") or opened:
            side.understood.add(number)
        if opened:
            close_row()
            array, nameless = opened[1], False
            side.opened.setdefault(array, number)
        elif _ARRAY_END.match(text):
            close_row()
            array, nameless = "", False
        elif _END.fullmatch(text):
            if open_member and row is not None:
                row.members[open_member[0]] = open_member[1:]
            close_row()
        elif _BEGIN.fullmatch(text):
            close_row()
            row = ShownRow()
        else:
            if text.lstrip().startswith("{"):
                close_row()
                text = text.lstrip()[1:]
            value = _LAST.sub("", text)
            if match := _MEMBER.fullmatch(value):
                row = row or ShownRow()
                open_member = match[1], number, match[2]
            elif open_member:
                open_member = open_member[0], open_member[1], f"{open_member[2]}\n{value}"
            if open_member and row is not None:
                is_last = value != text
                if is_last or _is_whole(open_member[2]):
                    row.members[open_member[0]] = open_member[1], open_member[2].rstrip(" ,")
                    open_member = None
                if is_last:
                    close_row()
    close_row()


def _is_whole(value: str) -> bool:
    """Whether a member's value ends here. One that a hunk cuts off is not known."""
    return value.rstrip().endswith(",") and value.count("(") == value.count(")")


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
        getattr(state, _FIELDS[member]) == getattr(shown, _FIELDS[member])
        for member in row.members
        if member in _FIELDS
    )
