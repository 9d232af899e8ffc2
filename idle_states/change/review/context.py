"""Reviews patches without a tree: the tables as far as the diff's own lines show them.

Rows and members that a diff does not show are taken from the packaged table of the same array, if
there is one that agrees with all that it shows before the change. Otherwise they stay unknown, the
same before and after. Either is said, and changed lines that no row explains are counted.
"""

import re
from collections.abc import Container, Mapping, Sequence

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import Unreadable
from ...base.model.table import IdleState, IdleTable
from ...base.patterns import pattern
from ...base.reading.git.held import HeldCommits
from ...base.reading.mail.series import MailedPatch, Series
from ...base.reading.patch.unified import FileChange
from ...base.wording import plural
from ...tables.linux.built_in.headers import SIGN as SIGN_OF_LINUX
from ...tables.linux.governors.source.named import DIRECTORY
from ...tables.skiboot import c_table
from ...tables.spec.library import packaged
from . import driver_lines, dts_fragments, dts_lines
from .base import LINUX, Applied, applied, name_of
from .fragments import FragmentText, Hidden, HiddenPlace, ShownTables
from .hunk_rows import HunkSide, ShownRow


def without_tree(series: Series, shown: str, only: Container[str] | None = None) -> Applied:
    """The tables before and after a series, each patch with what it shows. only: the files that are
    read, where a tree serves for the others."""
    made = _Shown(HeldCommits(None, shown))
    patches = [(patch, made.sides_of(patch, only)) for patch in series.patches]
    hashes = [made.added(patch, *sides) for patch, sides in patches]
    how = "reviewed without a tree, from the lines of the diff"
    remarks = [
        how if only is None else ("the parts that fit nowhere are read from the diff"),
        *made.remarks,
    ]
    base, head = made.base, made.head
    if not head:
        head = base = made.held.add("", "nothing", {}, is_patch=False)
        remarks.append("the diff shows no named row of an idle-state table")
    found = applied(series, made.held, base, head, hashes, remarks)
    return replace(found, partial=frozenset(made.partial), hidden=made.hidden, unread=made.unread)


@dataclass(slots=True)
class _Side:
    """The files on one side of a patch, as far as shown: texts, and what of these is made up."""

    files: dict[str, bytes | None] = field(default_factory=dict)
    hidden: dict[str, Sequence[HiddenPlace]] = field(default_factory=dict)

    def add(self, path: str, fragment: FragmentText) -> None:
        self.files[path] = fragment.text.encode("utf-8", "surrogateescape")
        self.hidden[path] = fragment.hidden


class _Shown:
    """The commits that are made of a series' patches; the other attributes as of Applied."""

    def __init__(self, held: HeldCommits) -> None:
        self.held = held
        self.remarks: list[str] = []
        self.partial: set[str] = set()
        self.hidden: dict[str, Hidden] = {}
        self.unread = 0
        self.base = self.head = ""
        self._sources: dict[str, bytes | None] = {}
        self._first: dict[str, bytes | None] = {}

    def sides_of(self, patch: MailedPatch, only: Container[str] | None) -> tuple[_Side, _Side]:
        """The files before and after a patch, as far as it shows them. only: as of without_tree."""
        sides = _Side(), _Side()
        # git shows a file that it calls rewritten whole; copies of it may stand before it
        rewritten = {each.before: dts_lines.shown_before(each) for each in patch.files
                     if each.before and each.is_rewrite}  # fmt: skip
        for change in patch.files:
            if only is not None and change.path not in only:
                continue
            if change.path.endswith((".c", ".h")) and change.becomes:
                self._leave(change, f"becomes a {change.becomes}, which is not read")
            elif self._whole(change, rewritten, *sides):
                continue
            elif dts_lines.is_source(change.path):
                self._add(change, dts_fragments.fragments(change), sides)
            elif change.path.startswith(f"{DIRECTORY}/") and change.path.endswith((".c", ".h")):
                self._leave(
                    change,
                    "is a governor's source, which is compared only as a whole: --tree DIR --run, "
                    "with a repository of Linux that the diff applies to",
                )
            elif _is_spec(change):
                self._leave(
                    change,
                    "is a spec, which is compared only as a whole: --specs --tree DIR, with a "
                    "repository that the diff applies to",
                )
            elif change.path.startswith(LINUX) and change.path.endswith(".c"):
                self._add(change, driver_lines.shown(change), sides)
            elif change.path.endswith((".c", ".h")) and change.hunks:
                self._add(change, _fragments(change), sides)
        self.remarks += patch.remarks
        return sides

    def _leave(self, change: FileChange, reason: str) -> None:
        """Counts a file's changed lines as not read."""
        self.unread += max(1, change.changed_lines)
        self.remarks.append(f"{change.path} {reason}")

    def _add(self, change: FileChange, found: ShownTables, sides: tuple[_Side, _Side]) -> None:
        """Adds what hunks show."""
        self.partial.update(found.partial)
        self.unread += found.unread
        self.remarks += found.remarks
        for side, text in zip(sides, (found.before, found.after), strict=True):
            if text.text:
                side.add((side is sides[0] and change.before) or change.path, text)

    def _whole(
        self, change: FileChange, rewritten: Mapping[str, bytes], before: _Side, after: _Side
    ) -> bool:
        """Adds a source that is shown whole and can be read; tells whether it is one."""
        is_driver = change.path.startswith(LINUX) and change.path.endswith(".c")
        if not is_driver and not dts_lines.is_source(change.path):
            return False
        whole = dts_lines.whole(change, {**rewritten, **self._sources})
        texts = [*whole[0].values(), *whole[1].values()] if whole else []
        if whole is None or (is_driver and not all(map(driver_lines.is_read, texts))):
            return False
        before.files |= whole[0]
        after.files |= whole[1]
        self._first |= {path: whole[0][path] for path in whole[0].keys() - self._sources.keys()}
        self._sources |= whole[1]
        return True

    def added(self, patch: MailedPatch, before: _Side, after: _Side) -> str:
        """Adds the commit of a patch. Returns its hash; "" where nothing is shown."""
        if not after.files and not before.files:
            return ""
        for path in (*before.files, *after.files):
            before.files |= dts_lines.signs(path)
        if any(path.startswith(LINUX) for path in (*before.files, *after.files)):
            before.files[SIGN_OF_LINUX] = driver_lines.HEADER.encode()
        context = self.held.add(
            self.head,
            "what the diff shows",
            before.files if self.base else self._first | before.files,
            is_patch=False,
        )
        self.base = self.base or context
        self.head = self.held.add(
            context, patch.message, after.files, date=patch.mail.date, mailed=name_of(patch)
        )
        for commit, side in ((context, before), (self.head, after)):
            self.hidden[commit] = side.hidden
        return self.head


def _is_spec(change: FileChange) -> bool:
    lines = (line.text for hunk in change.hunks for line in hunk.lines if line.mark != " ")
    return change.path.endswith((".yaml", ".yml")) and any(map(_OF_SPEC.search, lines))


def _fragments(change: FileChange) -> ShownTables:
    """Returns what the hunks of skiboot's C show."""
    partial: list[str] = []
    before, after = sides(change)
    remarks: list[str] = []
    texts = [FragmentText(), FragmentText()]
    for array in dict.fromkeys([*before.arrays, *after.arrays]):
        old, new = before.arrays.get(array, []), after.arrays.get(array, [])
        whole = _agreeing(array, old, new)
        if whole is None and old:
            partial.append(array)
        for number, side in enumerate((before, after)):
            if array in side.arrays or (whole is not None and old and new):
                texts[number].add(
                    array,
                    side.arrays.get(array, []),
                    [row.name for row in old],
                    whole,
                    hunk=side.hunks.get(array) or before.hunks.get(array, 1),
                    opened=side.opened.get(array, 0),
                )
        rows_shown = plural(len({row.name for row in (*old, *new)}), "row")
        rest = (
            f"the rest comes from the packaged {whole.name}, which agrees with them"
            if whole
            else "its other rows, and values that the diff does not show, are not known"
        )
        remarks.append(f"of {array} the diff shows {rows_shown}: {rest}")
    # what goes or comes of tables, and was not understood
    aside = sum(len(side.of_tables - side.understood) for side in (before, after))
    if aside:
        remarks.append(
            f"{change.path}: {plural(aside, 'changed line')} ignored, because the diff does "
            "not show the whole value or the row's name, or because they are not values: "
            "conditionals, removed values, code that chooses or changes tables"
        )
    return ShownTables(texts[0], texts[1], remarks, aside, partial)


def _agreeing(array: str, rows: Sequence[ShownRow], after: Sequence[ShownRow]) -> IdleTable | None:
    """The packaged table of an array that has all values shown before the change, and no row that
    the change adds; a current one before older ones."""
    try:
        text = FragmentText()
        text.add(array, rows)
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


_ARRAY = pattern(r"\bstruct\s+cpu_idle_states\s+(?P<table>\w+)\s*\[", re.ASCII)
_BOUNDARY = pattern(
    r"\bstruct\s+cpu_idle_states\s+(?P<table>\w+)\s*\[[^]]{0,200}\][^{;]{0,200}\{"
    r"|^[ \t]*\}[ \t]*;",
    re.ASCII | re.MULTILINE,
)
"""The line where an array begins or ends."""
_WITHIN = pattern(r"[ \t{](?!\s*\*(?:\s|$))")
"""The beginning of a line of an array, one within a comment not."""
_CONTINUED = pattern(r"\s*\*(?:\s|$)")
"""A line within a comment."""
_SIZED = pattern(r"\bstruct\s+cpu_idle_states\s+\w+\s*\[\s*[^\s\]]", re.ASCII)
_CONDITIONAL = pattern(r"\s*\#\s*(?:if|ifdef|ifndef|elif|else|endif)\b")
_OF_EXPORT = pattern(
    r"\bnr_states\s*=|\bstates\s*=|\bstates\s*(?:\[[^\]]*\]\s*\.|->)\s*\w+\s*[-+*|&^]?=(?!=)"
    r"|\b\w*cpu_idle_states\b|\#\s*(?:define|undef)\s+OPAL_PM_"
)
"""Code that chooses a table, cuts it short or writes into it; macros that tables are made of."""
_OF_SPEC = pattern(r"(?:^|[\s{,])(?:latency|residency|extends):(?:\s|$)")
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
    of_tables   the lines that seem to be a table's, and go or come
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
        _read(before, HunkSide(hunk.before, hunk.old, hunk.section))
        _read(after, HunkSide(hunk.after, hunk.new, hunk.section))
    _forget_removed(before, after)
    return before, after


def _forget_removed(before: ShownSide, after: ShownSide) -> None:
    """Marks values that a row loses without replacement as not understood: a value that only
    the packaged table still has would be taken for the row's."""
    for array, rows in before.arrays.items():
        kept = {row.name: row for row in after.arrays.get(array, [])}
        for row in rows:
            for member, (start, value) in row.members.items():
                now = kept.get(row.name)
                if now is not None and not _gives(now, member):
                    before.understood.difference_update(range(start, start + value.count("\n") + 1))


def _gives(row: ShownRow, member: str) -> bool:
    """Tells whether a row gives what a member holds, by any name of it."""
    return any(FIELDS.get(m, m) == FIELDS.get(member, member) for m in row.members)


def _read(side: ShownSide, hunk: HunkSide) -> None:
    """Reads one side of a hunk."""
    if not hunk.lines:
        return
    line_at = hunk.line_at
    within: set[int] = set()
    parts = [(part, list(hunk.rows(part))) for part in hunk.parts(_BOUNDARY, _ARRAY)]
    # of a hunk that does not say which array it is in, its members tell that it is in one
    nameless = any(not _MEMBERS.isdisjoint(row.members) for _, rows in parts for row in rows)
    for part, rows in parts:
        if part.opened is not None:
            side.opened.setdefault(part.table, line_at(part.opened))
        if part.table or (nameless and not part.start):
            within.update(range(line_at(part.start), line_at(part.end) + 1))
        for row in rows if part.table else ():
            if row.name:
                side.arrays.setdefault(part.table, []).append(row)
                side.hunks[part.table] = hunk.first + len(hunk.lines) - 1
                for start, value in row.members.values():
                    side.understood.update(range(start, start + value.count("\n") + 1))
    _tell_apart(side, hunk, within)


def _tell_apart(side: ShownSide, hunk: HunkSide, within: set[int]) -> None:
    """Adds the lines that seem to be a table's, and those that say nothing but its outline. within:
    the lines of arrays."""
    shown = hunk.shown.split("\n")
    shows_array = bool(within) or any(_ARRAY.search(text) for text in shown)
    for number, (line, text) in enumerate(zip(hunk.lines, shown, strict=True), hunk.first):
        opened = _ARRAY.search(text)
        if line.mark != " " and (
            (number in within and _WITHIN.match(line.text))
            or opened
            or (shows_array and _CONDITIONAL.match(text))
            or (not _CONTINUED.match(text) and _OF_EXPORT.search(text))
        ):
            side.of_tables.add(number)
        if not text.strip(" \t{},;") or (opened and not _SIZED.search(text)):
            side.understood.add(number)
