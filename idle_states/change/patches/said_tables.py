"""What a patch of device-tree source does to the tables of boards, for its message."""

from collections.abc import Iterator, Sequence

from ...base.model.table import IdleTable
from ...base.report.tables import wrapped
from ...base.wording import plural
from ...tables.devicetree.idle_nodes import row_nodes
from .plan import BoardTables

_WIDTH = 72
"""Of a message, as git's editors have it."""
_PARAMETERS = ("arm,psci-suspend-param", "riscv,sbi-suspend-param")


def described(tables: Sequence[BoardTables]) -> str:
    """Lines with the boards that a patch changes, and their tables before and after; "" for none.
    CPUs whose table stays are left out."""
    paragraphs = []
    for group in tables:
        names = sorted(board.rpartition("/")[2].removesuffix(".dts") for board in group.boards)
        head = f"{plural(len(names), 'board')}: {', '.join(names)}"
        before, after = (
            {text: None for table in side for text in [table_text(table)]}
            for side in (group.before, group.after)
        )
        lines = wrapped(head, "", "  ", room=_WIDTH)
        for title, own, other in (("Before", before, after), ("After", after, before)):
            lines += ["", f"{title}:"]
            lines += [line for text in own if text not in other for line in text.splitlines()]
        paragraphs.append("\n".join(lines))
    return "".join(f"{paragraph}\n" for paragraph in paragraphs)


def table_text(table: IdleTable) -> str:
    """A table in lines of fixed columns."""
    listed = table.origin
    assert listed.form == "nodes"
    names = [path.rpartition("/")[2] for path in listed.cpus]
    method = f"enable-method {listed.enable_method}" if listed.enable_method else "no enable-method"
    head = "\n".join(wrapped(f"  {', '.join(names)}; {method}", "", "    ", room=_WIDTH))
    return "\n".join([f"  {head.strip()}", *_rows(table)])


def _rows(table: IdleTable) -> Iterator[str]:
    assert table.origin.form == "nodes"
    nodes = row_nodes(table.origin)
    wide = max((len(node.name) for node in nodes), default=0)
    for state, node in zip(table.states, nodes, strict=True):
        residency = "-" if state.residency_ns is None else f"{state.residency_ns // 1000}"
        name = next((name for name in _PARAMETERS if name in node.properties), "")
        parameter = node.u32(name)
        more = "" if parameter is None else f"  {parameter:#010x}"
        more += "" if node.available else "  disabled"
        more += "" if state.cpuidle else "  of the power domain"
        yield (
            f"    {node.name:<{wide}}  exit {state.latency_ns // 1000:>6} us"
            f"  residency {residency:>6} us{more}"
        )
