"""What the IS6xx rules share: the nodes behind a table of an Arm or RISC-V tree."""

from collections.abc import Iterator

from ..beyond_opal import IdleList, ListedNode
from ..devicetree.idle_nodes import row_nodes
from ..pipeline import Subject


def listed_by(subject: Subject) -> IdleList:
    listed = subject.table.listed
    assert listed is not None
    return listed


def own_nodes(subject: Subject) -> Iterator[tuple[int, ListedNode]]:
    """(row, node) of the CPUs' own states, those of the power domains above left out."""
    yield from enumerate(listed_by(subject).nodes())


def domain_nodes(subject: Subject) -> Iterator[tuple[int, ListedNode]]:
    """(row, node) of the states of power domains."""
    listed = listed_by(subject)
    first = len(listed.nodes())
    yield from list(enumerate(row_nodes(listed)))[first:]
