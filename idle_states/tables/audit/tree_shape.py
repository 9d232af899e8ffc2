"""Audits trees that differ in their states' times alone: what does not depend on these is computed
once, and what depends on answers about them once for equal answers."""

from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial
from typing import Any

from ...base.dataclass import replace
from ...base.model.findings import Location
from ...base.model.power_mgt import LATENCIES, NODE, RESIDENCIES, PowerMgt, decode
from ...base.model.table import IdleTable, ReadFrom
from ..devicetree.fdt import JudgedPart
from ..devicetree.tree import Node
from ..pipeline import Subject
from ..rules.engine import rules_for
from ..rules.kept import Answered, KeptFindings
from ..rules.watched import Answers, filled, times_of, watched, with_times
from ..sources import Source
from ..sources.source import File
from . import fwts, op_test
from .audit import Setting, compared, fingerprint, of_values, subject_of
from .audited import Audited
from .brief import at, brief, of_findings, of_verdicts
from .fwts import ToolVerdict

WATCHED = 4
"""From this tree of a shape on, answers are kept: noting them takes as long as some audits."""
_Others = tuple[dict[str, Any], Callable[[Sequence[int]], tuple[str, ...]]]


class TreeShape:
    """All trees that differ from one in times alone.

    first    the audit of the one; its source must have a table, a node and a tree
    setting  of all audits; each of its kernels must be known
    whole    whether more is wanted than `brief` leaves, which no place is part of
    """

    def __init__(self, first: Audited, setting: Setting, *, whole: bool) -> None:
        source = first.source
        assert source is not None
        assert source.table is not None
        assert source.node is not None
        assert source.tree is not None
        self._first, self._setting, self._source = first, setting, source
        self._whole, self._like = whole, first if whole else brief(first)
        self._table, self._node, self._tree = source.table, source.node, source.tree
        self._pvr = None if first.machine is None else first.machine.pvr
        self._seen = 0
        self._last: tuple[Answers, tuple[IdleTable, PowerMgt]] | None = None

    def audit(self, file: File, part: JudgedPart, serial: str) -> list[Audited]:
        """The audit of another of the trees; empty as long as there were few. part: what is judged
        of it. Brief, it has the first's file, digest and serial number."""
        self._seen += 1
        if self._seen < WATCHED:
            return []
        times = times_of(part.latencies, part.residencies)
        node = self._node_of(part, self._first.file)
        table = with_times(self._table, node)
        subject = cache(partial(self._subject.retimed, table, node))
        found = self._kept.of(times, subject, texts=self._whole)
        (others,) = self._kept_others.of(times)
        fields, differences = others or self._others(subject())
        fields = fields | {"findings": found, "differences": differences(times)}
        if not self._whole:
            return [replace(self._like, **fields, fingerprint=fingerprint(table, node))]
        values = of_values(subject(), self._setting)
        node = self._node_of(part, file.shown)
        read_from = ReadFrom("dtb", file.shown, file.sha256, node.where)
        table = replace(decode(node, self._table.cpu, read_from), origin=self._table.origin)
        source = Source(table.name, file.shown, file.sha256, table, node=node)
        own = file.shown, file.sha256, serial
        return [at(replace(self._like, **fields, **values, source=source), own)]

    def _others(self, subject: Subject) -> _Others:
        """Returns fields of an audit, and what makes the differences of times."""
        assert subject.node is not None
        fields = compared(subject) | {"verdicts": self._verdicts(subject.node)}
        return fields, filled(fields.pop("differences"))

    def _node_of(self, part: JudgedPart, file: str) -> PowerMgt:
        times = {LATENCIES: part.latencies, RESIDENCIES: part.residencies}
        known = {name: value for name, value in times.items() if value is not None}
        place = Location(self._node.where.path, file)
        return PowerMgt({**self._node.properties, **known}, place)

    @cached_property
    def _subject(self) -> Subject:
        return subject_of(self._source, self._setting, self._setting.criteria.kernels)

    def _watched(self, answers: Answers) -> Subject:
        if self._last is None or self._last[0] is not answers:
            self._last = answers, watched(self._table, self._node, answers)
        return self._subject.retimed(*self._last[1])

    @cached_property
    def _kept(self) -> KeptFindings:
        rules = rules_for(self._subject, self._setting.criteria.rules)
        columns = (self._node.properties.get(name) for name in (LATENCIES, RESIDENCIES))
        return KeptFindings(self._watched, rules, times_of(*columns), of_findings)

    @cached_property
    def _kept_others(self) -> Answered[_Others]:
        return Answered(lambda answers, _: self._others(self._watched(answers)))

    def _verdicts(self, node: PowerMgt) -> tuple[ToolVerdict, ...]:
        if not self._first.verdicts:
            return ()
        tree = self._with(node)
        found = (*fwts.verdicts(tree), *op_test.verdicts(tree, self._pvr))
        return found if self._whole else of_verdicts(found)

    def _with(self, node: PowerMgt) -> Node:
        """The tree with another node of idle states."""

        def put(parent: Node, below: Sequence[str]) -> Node:
            if not below:
                return Node(parent.name, node.properties, parent.children)
            children = (put(c, below[1:]) if c.name == below[0] else c for c in parent.children)
            return Node(parent.name, parent.properties, tuple(children))

        return put(self._tree, NODE.split("/")[1:])
