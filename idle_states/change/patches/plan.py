"""Applies a series to a tree in memory: the texts before and after each patch."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import Faulty, Finding, Location
from ...base.model.table import IdleState, IdleTable
from ...base.wording import suggestion
from ...tables.devicetree.board_builds import BuiltBoard
from ...tables.skiboot.patching import EditRefused, edit_table
from ...tables.skiboot.releases import version_key
from . import revision_text
from .description import FieldEdit, Patch, TableEdit
from .faults import cannot_patch, refusal
from .fields import Value, shown, value_in, with_value
from .library import table_of
from .revision import AddedRevision, added, foreign, is_own, is_unknown_to, owner_of
from .tree import PatchedTree
from .work_tree import WorkTree

ROW_FIELDS = ("latency", "residency", "flags", "control", "mask")
MADE, PRESENT, NOT_MEANT = "made", "already there", "not for this skiboot"


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One value that changes. before is "" for an added row, after is "" for a removed row."""

    file: str
    line: int
    column: int
    table: str
    state: str
    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class BoardTables:
    """The tables of CPUs that boards of a tree of sources lose and get, with all their CPUs' lists.
    boards: their paths in the tree."""

    boards: tuple[str, ...]
    before: tuple[IdleTable, ...]
    after: tuple[IdleTable, ...]


@dataclass(frozen=True, slots=True)
class ChangedBoards:
    """Boards with the same tables. boards: their paths; before, after: one of them, as built."""

    boards: tuple[str, ...]
    before: BuiltBoard
    after: BuiltBoard


@dataclass(frozen=True, slots=True)
class PatchStep:
    """The result of one patch.

    status         MADE, PRESENT or NOT_MEANT
    reason         for NOT_MEANT, why the patch is not meant for the tree
    before, after  path -> text of the files that the patch changes
    tables         of device-tree source: what it does to boards
    added          the revision that the tree did not have, or not for its machines
    """

    patch: Patch
    status: str
    reason: str = ""
    changes: tuple[ValueChange, ...] = ()
    before: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[BoardTables, ...] = ()
    added: AddedRevision | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """boards: of device-tree sources, those of the tree whose tables change, before the first and
    after the last patch."""

    tree: WorkTree
    steps: tuple[PatchStep, ...]
    boards: tuple[ChangedBoards, ...] = ()

    @property
    def made(self) -> list[PatchStep]:
        return [step for step in self.steps if step.status == MADE]

    @property
    def files(self) -> dict[str, str]:
        """Path -> text after the last patch, of all files that change."""
        return {name: text for step in self.steps for name, text in step.after.items()}


def plan(tree: PatchedTree, patches: Sequence[Patch]) -> Plan:
    """Applies all patches in order, in memory. Nothing is written.

    A patch whose edits are already in the tree is PRESENT. A patch that is not meant for the tree's
    release is NOT_MEANT; if the tree's release is unknown, every patch is tried.
    Raises Faulty (IS934) with every reason why the patches cannot be applied, Unreadable.
    """
    others = [patch for patch in patches if patch.dts]
    if others:
        message = "expected a description for skiboot's tables, found one for device-tree source"
        raise Faulty([cannot_patch(message, patch.where, patch.name) for patch in others])
    return Plan(tree, tuple(_Planning(tree, patches).steps()))


class _Planning:
    def __init__(self, tree: PatchedTree, patches: Sequence[Patch]) -> None:
        self.tree = tree
        self.patches = patches
        self.sources = dict(tree.sources)

    def steps(self) -> Iterator[PatchStep]:
        findings: list[Finding] = []
        texts: dict[str, str] = {}
        for index, patch in enumerate(self.patches):
            reason = self.not_meant(patch)
            if reason:
                yield PatchStep(patch, NOT_MEANT, reason)
                continue
            kept = dict(self.sources)
            try:
                yield self.step(index, patch)
            except Faulty as faulty:
                self.sources = kept
                if (patch.since or patch.until) and not self.tree.version:
                    reason = f"release unknown, and {faulty.findings[0].message}"
                    yield PatchStep(patch, NOT_MEANT, reason)
                    continue
                findings += faulty.findings
                texts |= {name: source.text for name, source in kept.items()}
        if findings:
            raise Faulty(findings, texts)

    def not_meant(self, patch: Patch) -> str:
        if (not patch.since and not patch.until) or not self.tree.version:
            return ""
        key = version_key(self.tree.version)
        if patch.since and key < version_key(patch.since):
            return f"it is {self.tree.version}, the patch is for {patch.since} and later"
        if patch.until and key > version_key(patch.until):
            return f"it is {self.tree.version}, the patch is for {patch.until} and earlier"
        return ""

    def step(self, index: int, patch: Patch) -> PatchStep:
        wanted: dict[tuple[str, str], list[IdleState]] = {}
        findings: list[Finding] = []
        for edit in patch.edits:
            try:
                if isinstance(edit, TableEdit) and edit.whole and edit.read is not None:
                    owner = self.expect_own(patch, edit, edit.read)
                    if owner is None:
                        return self.revision(patch, edit.read)
                place = self.place(patch, edit)
                rows = wanted.setdefault(place, list(self.table(place).states))
                if isinstance(edit, TableEdit):
                    rows[:] = table_of(edit).states
                else:
                    self.set_field(index, patch, edit, rows, self.table(place))
            except Faulty as faulty:
                findings += faulty.findings
        if findings:
            raise Faulty(findings)
        return self.made(patch, wanted)

    def expect_own(self, patch: Patch, edit: TableEdit, table: IdleTable) -> IdleTable | None:
        """The packaged revision whose table in the tree a spec changes; None for a revision that
        the tree does not have, or that is not packaged. Raises Faulty where the array is another's,
        unless the spec shares it and has its values."""
        arrays = (edit.table, *patch.aliases.get(edit.table, ()))
        owner = owner_of(arrays)
        found = self.named(*arrays)
        if owner is not None and not is_own(table, owner, arrays):
            shares = table.firmware.shares and (found is None or found.same_values(table))
            if not shares:
                raise foreign(table, owner, found.where.get("table") if found else None)
            # the array is there; skiboot may not know these chips yet
            return None if found and is_unknown_to(self.sources, table) else owner
        return owner if found is not None else None

    def revision(self, patch: Patch, table: IdleTable) -> PatchStep:
        """The step that makes the tree have a revision."""
        made = added(self.tree, self.sources, table)
        if not made.files:
            return PatchStep(patch, PRESENT)
        before = {
            name: self.sources[name].text if name in self.sources else self.tree.text(name)
            for name in made.files
        }
        states = table.states
        old = self.named(made.claim.array) or replace(table, name=made.claim.array, states=())
        changes = list(changes_between(old, states))
        if made.array is not None:
            changes = [
                replace(c, file=made.array.file or "", line=made.array.line or 0, column=1)
                for c in changes
            ]
        for name in made.files:
            if name in self.sources:
                self.sources[name] = self.sources[name].with_text(made.files[name])
        other = self.named(made.before or made.beside)
        differences = listed(changes_between(other, states)) if other and made.array else ""
        named = replace(
            patch,
            subject=revision_text.subject(made),
            body=revision_text.body(made, differences.splitlines()),
        )
        return PatchStep(named, MADE, "", tuple(changes), before, dict(made.files), added=made)

    def named(self, *arrays: str) -> IdleTable | None:
        """The tree's table of the first of these arrays that it has."""
        found = (s.tables.get(array) for array in arrays for s in self.sources.values())
        return next((text.table for text in found if text is not None), None)

    def made(self, patch: Patch, wanted: Mapping[tuple[str, str], list[IdleState]]) -> PatchStep:
        before = {name: source.text for name, source in self.sources.items()}
        changes: list[ValueChange] = []
        for place, rows in wanted.items():
            name, array = place
            source = self.sources[name]
            changes += changes_between(self.table(place), rows)
            try:
                text = edit_table(source, array, rows)
            except EditRefused as refused:
                raise Faulty([refusal(source, array, refused)], {name: source.text}) from None
            if text != source.text:
                self.sources[name] = source.with_text(text)
        after = {
            name: source.text
            for name, source in self.sources.items()
            if source.text != before[name]
        }
        return PatchStep(
            patch,
            MADE if after else PRESENT,
            "",
            tuple(changes),
            {name: before[name] for name in after},
            after,
        )

    def table(self, place: tuple[str, str]) -> IdleTable:
        name, array = place
        return self.sources[name].tables[array].table

    def place(self, patch: Patch, edit: FieldEdit | TableEdit) -> tuple[str, str]:
        """(file, array) of an edit, under the names or aliases that the tree has."""
        files = (edit.file, *patch.aliases.get(edit.file, ())) if edit.file else ()
        for array in (edit.table, *patch.aliases.get(edit.table, ())):
            for name, source in self.sources.items():
                if array in source.tables and (not files or name in files):
                    return name, array
        where = f" in {' or '.join(files)}" if files else ""
        names = self.tree.arrays
        raise _faulty(
            f"expected a table {edit.table}{where} in the tree ({', '.join(names)}), found "
            f"none{suggestion(edit.table, names)}",
            # a patch made for a TABLE has no description to point to
            edit.where if edit.where.file else Location(file=self.tree.root.as_posix()),
            edit.table,
        )

    def set_field(
        self, index: int, patch: Patch, edit: FieldEdit, rows: list[IdleState], table: IdleTable
    ) -> None:
        at = self.row(index, patch, edit, rows, table)
        found = value_in(rows[at], edit.field)
        if found == edit.after or found in self.later(index, patch, edit):
            return
        if found != edit.before:
            where = table.states[at].where.get(_place(edit.field), edit.where)
            raise _faulty(
                f"{patch.name}: expected {edit.field} {shown(edit.field, edit.before)} or, "
                f"patched, {shown(edit.field, edit.after)}, found {shown(edit.field, found)}",
                where,
                table.name,
            )
        rows[at] = with_value(rows[at], edit.field, edit.after)

    def row(
        self, index: int, patch: Patch, edit: FieldEdit, rows: Sequence[IdleState], table: IdleTable
    ) -> int:
        """The row of an edit: under its own name, or where that is gone, under the one that a later
        edit of the series gives it (the tree then has that edit)."""
        names = [row.name for row in rows]
        wanted = edit.state
        renamed = dict(self.renames(index, patch, edit, later=True))
        if edit.field == "name":
            renamed[edit.state] = str(edit.after)
        while wanted not in names and wanted in renamed:
            wanted = renamed.pop(wanted)
        count = names.count(wanted)
        if count != 1:
            raise _faulty(
                f"{patch.name}: expected one row {edit.state} ({', '.join(names)}), found "
                f"{count or 'none'}{self.renaming(index, patch, edit)}",
                table.where.get("table", edit.where),
                table.name,
            )
        return names.index(wanted)

    def renaming(self, index: int, patch: Patch, edit: FieldEdit) -> str:
        """Returns the series's name for the row before this edit, as the end of a message."""
        name, by = edit.state, ""
        for before, after in self.renames(index, patch, edit, later=False):
            if before == name:
                name = after
                by = f"; an earlier edit calls it {name}: say state: {name} here"
        return by

    def renames(
        self, index: int, patch: Patch, edit: FieldEdit, *, later: bool
    ) -> Iterator[tuple[str, str]]:
        """(before, after) of each edit before or after this one that renames a row of its table."""
        tables = _tables(patch, edit)
        passed = False
        for number, other in enumerate(self.patches):
            for one in other.edits:
                passed = passed or (number == index and one is edit)
                if (
                    isinstance(one, FieldEdit)
                    and one.field == "name"
                    and one is not edit
                    and passed == later
                    and tables & _tables(other, one)
                ):
                    yield str(one.before), str(one.after)

    def later(self, index: int, patch: Patch, edit: FieldEdit) -> set[Value]:
        """The values that later patches of the series set the field to, each starting from the
        value of the one before."""
        found: set[Value] = set()
        value = edit.after
        for other in self.patches[index + 1 :]:
            for again in other.edits:
                if not isinstance(again, FieldEdit) or again.before != value:
                    continue
                same_table = _tables(other, again) & _tables(patch, edit)
                if same_table and (again.state, again.field) == (edit.state, edit.field):
                    value = again.after
                    found.add(value)
        return found


def changes_between(table: IdleTable, rows: Sequence[IdleState]) -> Iterator[ValueChange]:
    """The values in which `rows` differ from the table's. Rows are matched by name and follow the
    order of `rows`; removed rows come last.

    A row whose position among the others changes has a change of `order`.
    """
    left = list(table.states)
    after_last = 0
    for state in rows:
        old = next((row for row in left if row.name == state.name), None)
        if old is None:
            yield _change(table, None, state.name, "row", "", "added")
            continue
        left.remove(old)
        position = next(i for i, row in enumerate(table.states) if row is old)
        if position < after_last:
            yield _change(table, old, state.name, "order", str(position), "later")
        after_last = max(after_last, position)
        for name in ROW_FIELDS:
            have, want = value_in(old, name), value_in(state, name)
            if have != want:
                yield _change(table, old, state.name, name, shown(name, have), shown(name, want))
    for row in left:
        yield _change(table, row, row.name, "row", "present", "")


def _change(
    table: IdleTable, row: IdleState | None, state: str, name: str, before: str, after: str
) -> ValueChange:
    where = row.where.get(name) or row.where.get("state") if row else table.where.get("table")
    where = where or Location()
    return ValueChange(
        where.file or "", where.line or 0, where.column or 0, table.name, state, name, before, after
    )


def listed(changes: Iterable[ValueChange]) -> str:
    """Returns one line for each changed value, for a patch without a message of its own."""
    lines = []
    for change in changes:
        if change.field == "row":
            lines.append(f"{change.state}: {'added' if change.after else 'removed'}")
        elif change.field == "order":
            lines.append(f"{change.state}: moved")
        else:
            lines.append(f"{change.state}: {change.field} {change.before} -> {change.after}")
    return "\n".join(lines)


def _tables(patch: Patch, edit: FieldEdit | TableEdit) -> set[str]:
    """The names an edit's table may have."""
    return {edit.table, *patch.aliases.get(edit.table, ())}


def _place(name: str) -> str:
    """The key in IdleState.where for an edit's field."""
    return "control" if name.startswith("psscr") else name.partition(".")[0]


def _faulty(message: str, where: Location, table: str) -> Faulty:
    return Faulty([cannot_patch(message, where, table)])
