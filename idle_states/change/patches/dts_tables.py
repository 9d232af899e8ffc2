"""The tables that patches of device-tree sources change, on which boards."""

from collections.abc import Iterator, Mapping, Sequence

from ...base.model.table import IdleTable
from ...tables.devicetree import idle_nodes
from ...tables.devicetree.board_builds import BuiltBoard
from .plan import BoardTables, ChangedBoards


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
