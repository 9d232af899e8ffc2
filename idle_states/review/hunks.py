"""Reads what a diff's hunks show of the rows of a C source, and counts the changed lines that no
row explains."""

import re
from collections.abc import Sequence

from ..dataclass import dataclass, field
from ..reading.patch import FileChange, HunkLine
from .fragments import ShownRow

_ARRAY = re.compile(r"\bstruct\s+cpu_idle_states\s+(\w+)\s*\[", re.ASCII)
_MEMBER = re.compile(r"\s*\.(\w+)\s*=\s*(.*)", re.ASCII | re.DOTALL)
_NAME = re.compile(r'\s*"((?:[^"\\]|\\.)*)"')
_END = re.compile(r"\s*\}\s*,?\s*")
_BEGIN = re.compile(r"\s*(?:\}\s*,\s*)?\{\s*")
_LAST = re.compile(r"(?<!\s)\s*+,?\s*+\}\s*+,?$")
_COMMENT = re.compile(r"/\*.*?\*/|/\*.*$|^(?:(?!/\*).)*?\*/|//.*$")
_WITHIN = re.compile(r"[ \t{](?!\s*\*(?:\s|$))")
"""How a line of an array begins, one within a comment not."""
_CONTINUED = re.compile(r"\s*\*(?:\s|$)")
"""A line within a comment."""
_ARRAY_END = re.compile(r"\s*\}\s*;")
_SIZED = re.compile(r"\bstruct\s+cpu_idle_states\s+\w+\s*\[\s*[^\s\]]", re.ASCII)
_CONDITIONAL = re.compile(r"\s*\#\s*(?:if|ifdef|ifndef|elif|else|endif)\b")
_OF_EXPORT = re.compile(
    r"\bnr_states\s*=|\bstates\s*=|\bstates\s*(?:\[[^\]]*\]\s*\.|->)\s*\w+\s*[-+*|&^]?=(?!=)"
    r"|\b\w*cpu_idle_states\b|\#\s*(?:define|undef)\s+OPAL_PM_"
)
"""Code that chooses a table, cuts it short or writes into it; macros that tables are made of."""
FIELDS = {
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
_MEMBERS = frozenset({"name", *FIELDS})


@dataclass(slots=True)
class ShownSide:
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


def sides(change: FileChange) -> tuple[ShownSide, ShownSide]:
    """A file's tables before and after, as its hunks show them."""
    before, after = ShownSide(), ShownSide()
    for hunk in change.hunks:
        opened = _ARRAY.search(hunk.section)
        array = opened[1] if opened else ""
        _read(before, hunk.before, hunk.old, array)
        _read(after, hunk.after, hunk.new, array)
    _forget_removed(before, after)
    return before, after


def left_aside(change: FileChange, before: ShownSide, after: ShownSide) -> int:
    """Number of lines of tables that go or come, and were not understood."""
    count = 0
    gone, come = before.of_tables - before.understood, after.of_tables - after.understood
    for hunk in change.hunks:
        for strange, lines, first, mark in (
            (gone, hunk.before, hunk.old, "-"),
            (come, hunk.after, hunk.new, "+"),
        ):
            count += sum(
                line.mark == mark and number in strange for number, line in enumerate(lines, first)
            )
    return count


def _forget_removed(before: ShownSide, after: ShownSide) -> None:
    """What is taken from a row, with nothing in its place, was not understood: a value that only
    the packaged table still has would be taken for the row's."""
    for array, rows in before.arrays.items():
        kept = {row.name: row for row in after.arrays.get(array, [])}
        for row in rows:
            for member, (start, value) in row.members.items():
                now = kept.get(row.name)
                if now is not None and not _gives(now, member):
                    before.understood.difference_update(range(start, start + value.count("\n") + 1))


def _gives(row: ShownRow, member: str) -> bool:
    """Whether a row gives what a member holds, by any name of it."""
    return any(FIELDS.get(m, m) == FIELDS.get(member, member) for m in row.members)


def _shows_members(lines: Sequence[HunkLine]) -> bool:
    found = (_MEMBER.fullmatch(line.text) for line in lines)
    return any(match and match[1] in _MEMBERS for match in found)


def _read(side: ShownSide, lines: Sequence[HunkLine], first: int, array: str) -> None:
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

    shows_array = bool(array or nameless) or any(_ARRAY.search(line.text) for line in lines)

    for number, line in enumerate(lines, first):
        text = _COMMENT.sub(" ", line.text).rstrip()
        opened = _ARRAY.search(text)
        within = (array or nameless) and _WITHIN.match(line.text)
        conditional = shows_array and _CONDITIONAL.match(text)
        of_export = not _CONTINUED.match(text) and _OF_EXPORT.search(text)
        if within or opened or conditional or of_export:
            side.of_tables.add(number)
        if not text.strip(" \t{},;") or (opened and not _SIZED.search(text)):
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
