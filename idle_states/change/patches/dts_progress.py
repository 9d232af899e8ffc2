"""Boards of a tree of device-tree sources, and their tables, as patches make them in memory."""

from collections.abc import Iterator, Mapping, Sequence

from ...base.model.findings import Faulty, Location, Unreadable
from ...base.model.table import IdleTable
from ...base.wording import joined, plural
from ...tables.devicetree import idle_nodes
from ...tables.devicetree.board_builds import BuiltBoard
from .faults import cannot_patch
from .plan import BoardTables, ChangedBoards
from .source_tree import SourcesTree

_MOST_BOARDS = 8


class Progress:
    """The state of a tree after the patches so far.

    texts         path -> text of files that they change
    first, built  boards as they are in the tree, and as the patches so far make them
    """

    def __init__(self, tree: SourcesTree) -> None:
        self.tree = tree
        self.texts: dict[str, str] = {}
        self.first: dict[str, BuiltBoard] = {}
        self.built: dict[str, BuiltBoard] = {}
        self._failed: set[str] = set()

    def text(self, path: str) -> str:
        return self.texts.get(path, self.tree.text(path))

    def boards(self, paths: Sequence[str]) -> dict[str, BuiltBoard]:
        """The boards that include one of the files, as they are now. One that does not build is
        left out, with a note. Raises Faulty (IS934) if there is none."""
        names = sorted({board for path in paths for board in self.tree.including(path)})
        building = self.tree.building(self.texts)
        found, failed = dict[str, BuiltBoard](), []
        for name in names:
            if name in self._failed:
                continue
            try:
                found[name] = self.built.get(name) or building.board(name)
            except (Unreadable, OSError):
                failed.append(name)
        if failed:
            self._failed.update(failed)
            self.tree.notes.append(f"not compared, because it does not build: {some(failed)}")
        if not found:
            message = f"expected a board that includes {joined(list(paths))} and builds, found none"
            where = Location(file=self.tree.root.as_posix())
            raise Faulty([cannot_patch(message, where)])
        self.built |= found
        self.first = found | self.first
        return found


def some(names: Sequence[str]) -> str:
    """Boards by name, the first ones of many."""
    shorts = [name.rpartition("/")[2].removesuffix(".dts") for name in names]
    if len(shorts) <= _MOST_BOARDS:
        return joined(shorts)
    return f"{', '.join(shorts[:_MOST_BOARDS])} and {plural(len(shorts) - _MOST_BOARDS, 'other')}"


def changed_between(
    before: Mapping[str, BuiltBoard], after: Mapping[str, BuiltBoard]
) -> Iterator[ChangedBoards]:
    """The boards whose tables differ, those with the same ones together."""
    groups: dict[object, list[str]] = {}
    for name, board in after.items():
        old, new = _values(tables_of(before[name])), _values(tables_of(board))
        if old != new:
            groups.setdefault((old, new), []).append(name)
    for names in groups.values():
        yield ChangedBoards(tuple(names), before[names[0]], after[names[0]])


def tables_between(
    before: Mapping[str, BuiltBoard], after: Mapping[str, BuiltBoard]
) -> Iterator[BoardTables]:
    """The tables that boards lose and get."""
    for group in changed_between(before, after):
        yield BoardTables(group.boards, tables_of(group.before), tables_of(group.after))


def tables_of(board: BuiltBoard) -> tuple[IdleTable, ...]:
    lists = idle_nodes.lists_of(board.root, board.shown)
    return tuple(idle_nodes.table_of(listed, "dts", board.shown, "") for listed in lists)


def _values(tables: Sequence[IdleTable]) -> str:
    found = []
    for table in tables:
        assert table.origin.form == "nodes"
        rows = [
            (node.path, sorted((n, v) for n, v in node.properties.items() if "phandle" not in n))
            for node in idle_nodes.row_nodes(table.origin)
        ]
        found.append((table.origin.cpus, table.origin.enable_method, rows))
    return repr(found)
