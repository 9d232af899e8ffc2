"""Audits trees that differ in their states' times alone: what does not depend on these is computed
once."""

from collections.abc import Callable
from functools import cached_property

from ...base.dataclass import replace
from ...base.model.findings import Location
from ...base.model.power_mgt import LATENCIES, NODE, RESIDENCIES, PowerMgt, decode
from ...base.model.table import IdleTable, ReadFrom
from ..devicetree.fdt import JudgedPart
from ..devicetree.tree import Node
from ..pipeline import Subject
from ..rules.engine import Begun, begun
from ..rules.untimed import TimeAsked, untimed
from ..sources import Source
from ..sources.source import File
from . import fwts, op_test
from .audit import Setting, of_subject, subject_of
from .audited import Audited
from .fwts import ToolVerdict


class TreeShape:
    """All trees that differ from one in times alone.

    first    the audit of the one; its source must have a table, a node and a tree
    setting  of all audits; each of its kernels must be known
    """

    def __init__(self, first: Audited, setting: Setting) -> None:
        source = first.source
        assert source is not None
        assert source.table is not None
        assert source.node is not None
        assert source.tree is not None
        self._first, self._setting, self._source = first, setting, source
        self._table, self._node, self._tree = source.table, source.node, source.tree
        self._pvr = None if first.machine is None else first.machine.pvr
        self._audited = 0

    def audit(self, file: File, part: JudgedPart, serial: str) -> Audited:
        """The audit of another of the trees. part: what is judged of it."""
        times = {LATENCIES: part.latencies, RESIDENCIES: part.residencies}
        said = {name: value for name, value in times.items() if value is not None}
        place = Location(self._node.where.path, file.shown)
        node = PowerMgt({**self._node.properties, **said}, place)
        read_from = ReadFrom("dtb", file.shown, file.sha256, place)
        table = replace(decode(node, self._table.cpu, read_from), origin=self._table.origin)
        source = Source(table.name, file.shown, file.sha256, table, node=node)
        # what is run to be kept is run for two more at least
        self._audited += 1
        begun = self._begun.moved(self._first.file, file.shown) if self._audited > 1 else None
        known = of_subject(self._subject.retimed(table, node), source, self._setting, begun)
        machine = self._first.machine
        return replace(
            known,
            machine=machine and replace(machine, serial=serial),
            verdicts=self._verdicts(node),
            source=source,
        )

    @cached_property
    def _subject(self) -> Subject:
        return subject_of(self._source, self._setting, self._setting.criteria.kernels)

    @cached_property
    def _begun(self) -> Begun:
        return begun(self._subject.retimed(*self._bare), self._setting.criteria.rules)

    def _verdicts(self, node: PowerMgt) -> tuple[ToolVerdict, ...]:
        if not self._first.verdicts:
            return ()
        of_op_test = op_test.verdicts(self._with(node), self._pvr)
        return (*(self._of_fwts or fwts.verdicts(self._with(node))), *of_op_test)

    @cached_property
    def _of_fwts(self) -> tuple[ToolVerdict, ...]:
        """Empty if fwts looks at times."""
        try:
            return fwts.verdicts(self._with(self._bare[1]))
        except TimeAsked:
            return ()

    @cached_property
    def _bare(self) -> tuple[IdleTable, PowerMgt]:
        return untimed(self._table, self._node)

    def _with(self, node: PowerMgt) -> Node:
        """The tree with another node of idle states."""
        opal, idle = NODE.split("/")[1:]

        def put(parent: Node, name: str, change: Callable[[Node], Node]) -> Node:
            children = (change(each) if each.name == name else each for each in parent.children)
            return Node(parent.name, parent.properties, tuple(children))

        def changed(old: Node) -> Node:
            return Node(old.name, node.properties, old.children)

        return put(self._tree, opal, lambda parent: put(parent, idle, changed))
