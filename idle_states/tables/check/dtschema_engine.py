"""check --engine dtschema: the dt-schema binding as a second opinion, by way of dt-validate.

Of a device tree, its own node is validated; of specs and C, the node that firmware exports on
the platform; pseries tables have none. Child nodes (OCCs, power caps) carry no idle states and
are left out. A complaint of dt-validate is reported as the rule that means the same, with that
rule's severity and at the place where the value was written; the place in the binding is added.
"""

from collections.abc import Iterator, Sequence

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Finding, Location, sort_findings
from ...base.model.power_mgt import (
    FLAGS,
    LATENCIES,
    NAMES,
    PMICR,
    PMICR_MASK,
    PSSCR,
    PSSCR_MASK,
    RESIDENCIES,
    PowerMgt,
)
from ..pipeline import Subject
from ..rules.catalogue import rule_named
from ..rules.engine import reading, suppress
from ..rules.selection import ALL, RuleSelection
from ..skiboot.platform import ALL_LEVELS, Platform
from ..sources import Source
from .dtschema_program import BINDING, Record, Validator
from .dtschema_verdicts import SchemaVerdict, place, verdicts

FIELD_OF_PROPERTY = {
    NAMES: "name",
    LATENCIES: "latency",
    RESIDENCIES: "residency",
    FLAGS: "flags",
    PSSCR: "control",
    PSSCR_MASK: "mask",
    PMICR: "control",
    PMICR_MASK: "mask",
}


def check(
    sources: Sequence[Source], platform: Platform = ALL_LEVELS, selection: RuleSelection = ALL
) -> list[Finding]:
    """Findings of reading and of the binding on all sources, in stable order.

    Raises Unreadable (IS930) if dt-validate is missing or does not work.
    """
    validator = Validator.installed()
    found: list[Finding] = []
    answered: list[Finding] = []
    trees = []
    for source in sources:
        found += reading(source, selection)
        tree = ValidatedTree.of(source, platform)
        if tree is None:
            continue
        undecodable = list(tree.undecodable())
        answered += suppress(undecodable, source.suppressions)
        if not undecodable:
            trees.append(tree)
    answers = validator.records([tree.properties for tree in trees]) if trees else []
    for tree, records in zip(trees, answers, strict=True):
        answered += suppress(tree.findings(records), tree.source.suppressions)
    found += (finding for finding in answered if selection.takes(finding.rule))
    return sort_findings(dict.fromkeys(found))


def confirmed(native: Sequence[Finding], second: Sequence[Finding]) -> list[Finding]:
    """The findings of both engines, a fault that both found once: the native one, with the place in
    the binding added.

    native  findings of this tool's rules
    second  findings of `check`
    """
    own: dict[tuple[str, str, Location], int] = {}
    for index, finding in enumerate(native):
        for rule in finding.rules:
            own.setdefault((rule, finding.table, finding.location), index)
    merged, others = list(native), []
    for finding in second:
        twin = own.get((finding.rule, finding.table, finding.location))
        if twin is None:
            others.append(finding)
            continue
        known = merged[twin].related
        added = [
            each
            for each in finding.related
            if each not in known and each[0].path.startswith("dt-schema")
        ]
        merged[twin] = replace(merged[twin], related=(*known, *added))
    return [*merged, *others]


@dataclass(frozen=True, slots=True)
class ValidatedTree:
    """A node for dt-validate, and the source it comes from."""

    source: Source
    subject: Subject
    node: PowerMgt

    @classmethod
    def of(cls, source: Source, platform: Platform) -> "ValidatedTree | None":
        """The node to validate. None if reading failed, for pseries, and if firmware would never
        finish its loop and so exports no node."""
        if source.table is None:
            return None
        subject = Subject.of(source, (), platform)
        node = source.node or (subject.export.node if subject.export else None)
        return cls(source, subject, node) if node is not None else None

    @property
    def properties(self) -> dict[str, bytes]:
        """The node's properties without `name`, which Linux adds in /proc/device-tree."""
        return {key: data for key, data in self.node.properties.items() if key != "name"}

    def undecodable(self) -> Iterator[Finding]:
        """IS112 for each name that would end dt-validate with a traceback."""
        for index, name in enumerate(self.node.names()):
            bad = next((byte for byte in name if byte >= 0x80), None)
            if bad is not None:
                shown = ascii(name.decode("utf-8", "surrogateescape"))
                message = (
                    f"expected printable ASCII in a name, found byte {bad:#04x} in {shown}; "
                    "dt-validate cannot read such a tree"
                )
                yield self._finding(SchemaVerdict("IS112", NAMES, index, message))

    def findings(self, records: Sequence[Record]) -> list[Finding]:
        """Findings for what dt-validate said about the node, each fault once, even if it violates
        several parts of the binding."""
        unique: dict[tuple[str, Location, str], Finding] = {}
        for record in records:
            for verdict in verdicts(record, self.subject, self.node):
                finding = self._finding(verdict, place(record))
                unique.setdefault((finding.rule, finding.location, finding.message), finding)
        return list(unique.values())

    def _finding(self, verdict: SchemaVerdict, path: str = "") -> Finding:
        """The finding of a verdict. path: place in the binding, "" if it has none."""
        in_node = self.node.where
        if verdict.name:
            in_node = self.node.at(verdict.name, verdict.index)
        where = in_node
        related = []
        if self.source.node is None:
            where = self._written(verdict.name, verdict.index)
            related.append((in_node, f"as exported on {self.subject.platform.name}"))
        if path:
            related.append((Location(path=f"dt-schema {BINDING}"), path))
        known = rule_named(verdict.rule)
        assert known is not None, verdict.rule
        return Finding(
            verdict.rule,
            known.rule.name,
            known.rule.severity,
            verdict.message,
            where,
            confidence=known.rule.confidence,
            related=tuple(related),
            table=self.source.name,
        )

    def _written(self, name: str, index: int | None) -> Location:
        """Place in the table of the value from which an entry of the exported node was made."""
        rows = self.subject.exported_indices
        if index is None or name not in FIELD_OF_PROPERTY or index >= len(rows):
            return self.subject.at(None)
        return self.subject.at(rows[index], FIELD_OF_PROPERTY[name])
