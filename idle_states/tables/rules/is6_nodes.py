"""The parts that the IS6xx rules share: the nodes behind a table of an Arm or RISC-V tree."""

from collections.abc import Iterator

from ...base.dataclass import dataclass
from ...base.model.beyond_opal import IdleList, ListedNode
from ...base.model.findings import Location
from ..devicetree.idle_nodes import ENTRY, RESIDENCY, row_nodes
from ..pipeline import Subject


@dataclass(frozen=True, slots=True)
class StateNode:
    """The node of a row, in the list that the table is."""

    subject: Subject
    listed: IdleList
    row: int
    node: ListedNode

    def at_row(self, field: str = "state") -> Location:
        """Returns the place of a field of the table's row."""
        return self.subject.at(self.row, field)


def listed_by(subject: Subject) -> IdleList:
    listed = subject.table.origin
    assert listed.form == "nodes"
    return listed


def cpus_text(listed: IdleList) -> str:
    """Returns such as "cpu@1 and 2 more" for the CPUs that have a list."""
    first = listed.cpus[0].rpartition("/")[2]
    return f"{first} and {len(listed.cpus) - 1} more" if len(listed.cpus) > 1 else first


def own_nodes(subject: Subject) -> Iterator[StateNode]:
    """Yields the nodes of the CPUs' own states, those of the power domains above left out."""
    yield from list(all_nodes(subject))[: len(listed_by(subject).nodes())]


def domain_nodes(subject: Subject) -> Iterator[StateNode]:
    """Yields the nodes of the states of power domains."""
    yield from list(all_nodes(subject))[len(listed_by(subject).nodes()) :]


def all_nodes(subject: Subject) -> Iterator[StateNode]:
    """Yields the node of every row."""
    listed = listed_by(subject)
    for row, node in enumerate(row_nodes(listed)):
        yield StateNode(subject, listed, row, node)


def speaks_for_tree(subject: Subject) -> bool:
    """Tells whether the table is the first of its tree's that has states: what is said of the tree
    as a whole is said there, once."""
    listed = listed_by(subject)
    first = next((one for one in listed.siblings if one.nodes() or one.domains), listed)
    return first.cpus == listed.cpus


def entry_above_residency(node: ListedNode) -> bool:
    """Tells whether entering a state takes longer than its min-residency-us, which includes it."""
    entry, residency = node.u32(ENTRY), node.u32(RESIDENCY)
    return entry is not None and residency is not None and entry > residency
