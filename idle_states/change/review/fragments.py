"""Writes the rows that a diff shows as C, each value on its line of the file, with what it does not
show beside them; and finds the places in such a text that the file has not."""

from collections.abc import Collection, Mapping, Sequence

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import Finding, Location
from ...base.model.table import IdleState, IdleTable, Register
from ...tables.skiboot.c_table.names import string_literal
from .hunk_rows import ShownRow


@dataclass(frozen=True, slots=True)
class HiddenPlace:
    """Columns start to end of a line that the file has not.

    hunk  the last line of the file that the diff shows near the table
    owner  what the place is of, in words
    """

    line: int
    start: int
    end: int
    hunk: int
    owner: str


Hidden = Mapping[str, Sequence[HiddenPlace]]
"""File -> its places that the diff does not show."""


class FragmentText:
    """The text of a file, as far as it is known."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.hidden: list[HiddenPlace] = []
        self._line = 1
        self._hunk = 1

    def add(
        self,
        array: str,
        rows: Sequence[ShownRow],
        old: Sequence[str] = (),
        whole: IdleTable | None = None,
        *,
        hunk: int = 1,
        opened: int = 0,
    ) -> None:
        """Adds one side of an array.

        rows    that the diff shows, in order
        old     names of the rows that it shows before the change
        whole   the table that has all other rows and values; None: they are not known
        hunk    the last line of the last hunk that shows one
        opened  the line on which the array begins; 0: the diff does not show it
        """
        self._hunk = hunk
        self._to(opened)
        head = f"static struct cpu_idle_states {array}[] = {{"
        self._put(head, "" if opened == self._line else "the table begins elsewhere")
        by_name = {row.name: row for row in rows}
        names = [row.name for row in rows]
        if whole is not None:
            gone = set(old) - by_name.keys()
            kept = [state.name for state in whole.states if state.name not in gone]
            names = _merged(kept, names)
        for name in names:
            self._row(by_name.get(name), whole.state(name) if whole is not None else None, whole)
        self._put("};")

    def _row(self, row: ShownRow | None, state: IdleState | None, table: IdleTable | None) -> None:
        members = sorted(row.members.items(), key=lambda item: item[1][0]) if row else []
        if members:
            # as a rule the brace is on the line before
            self._to(members[0][1][0] - 1)
        hidden = _hidden(state, table, row)
        source = f", which the packaged {table.name} has" if table is not None else ""
        what = "value" if row is not None else "row"
        owner = f"of a {what} that the diff does not show{source}"
        self._put("{", "" if row is not None else owner)
        for member, (line, value) in members:
            self._to(line)
            self._put(f"\t\t.{member} = {value},")
        if hidden:
            self._put("".join(f" .{name} = {value}," for name, value in hidden.items()), owner)
        self._put("},")

    def _to(self, line: int) -> None:
        self._put("\n" * (line - self._line))

    def _put(self, text: str, hidden: str = "") -> None:
        """hidden: what the text is of, where the diff does not show it."""
        if hidden:
            start = len(self.text) - (self.text.rfind("\n") + 1) + 1
            end = start + len(text)
            self.hidden.append(HiddenPlace(self._line, start, end, self._hunk, hidden))
        self.text += text
        self._line += text.count("\n")


@dataclass(frozen=True, slots=True)
class ShownTables:
    """The tables that the hunks of a file show.

    before, after  the file with these alone, each value on its line
    remarks  what the user must know of them
    unread   number of changed lines of tables that are not read
    partial  tables, and files, of which other rows are not known
    """

    before: FragmentText = field(default_factory=FragmentText)
    after: FragmentText = field(default_factory=FragmentText)
    remarks: Sequence[str] = ()
    unread: int = 0
    partial: Collection[str] = ()


def _merged(kept: list[str], shown: list[str]) -> list[str]:
    """The names in order, new ones after the one that the diff shows before them, or else before
    the next that it shows."""
    found = list(kept)
    for at, name in enumerate(shown):
        if name not in found:
            following = next((found.index(other) for other in shown[at:] if other in found), 0)
            before = shown[at - 1] if at else ""
            found.insert(found.index(before) + 1 if before in found else following, name)
    return found


def _hidden(
    state: IdleState | None, table: IdleTable | None, row: ShownRow | None
) -> dict[str, str]:
    """Members of a packaged row that the diff does not show, as C."""
    if state is None or table is None:
        return {}
    register = "psscr" if table.register is Register.PSSCR else "pmicr"
    known = {
        ("name",): string_literal(state.name),
        ("latency_ns",): str(state.latency_ns),
        ("residency_ns",): None if state.residency_ns is None else str(state.residency_ns),
        ("flags",): hex(state.flags),
        ("pm_ctrl_reg_val", register): hex(state.control),
        ("pm_ctrl_reg_mask", f"{register}_mask"): hex(state.mask),
    }
    shown = row.members if row is not None else {}
    return {
        members[0]: value
        for members, value in known.items()
        if value is not None and not any(member in shown for member in members)
    }


def at_shown_places(finding: Finding, hidden: Hidden) -> Finding:
    """The finding; where its place is one that the diff does not show, at the hunk, with words that
    say so. Such places that are related to it are left without a line."""
    related = tuple(
        (replace(where, line=None, column=None) if _at(where, hidden) else where, remark)
        for where, remark in finding.related
    )
    if related != finding.related:
        finding = replace(finding, related=related)
    found = _at(finding.location, hidden)
    if found is None:
        return finding
    where = Location(finding.location.path, finding.location.file, found.hunk, 1)
    return replace(finding, location=where, message=f"{finding.message} ({found.owner})")


def _at(where: Location, hidden: Hidden) -> HiddenPlace | None:
    if where.file is None or where.line is None:
        return None
    column = where.column or 1
    return next(
        (
            place
            for place in hidden.get(where.file, ())
            if place.line == where.line and place.start <= column < place.end
        ),
        None,
    )
