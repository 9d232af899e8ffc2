"""What the IS6xx rules share: the nodes behind a table of an Arm or RISC-V tree."""

from collections.abc import Iterator

from ..beyond_opal import IdleList, ListedNode
from ..devicetree.idle_nodes import ENTRY, RESIDENCY, row_nodes
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


def all_nodes(subject: Subject) -> Iterator[tuple[int, ListedNode]]:
    """(row, node) of every row."""
    yield from enumerate(row_nodes(listed_by(subject)))


def speaks_for_tree(subject: Subject) -> bool:
    """Whether the table is the first of its tree's that has states: what is said of the tree as a
    whole is said there, once."""
    listed = listed_by(subject)
    first = next((one for one in listed.siblings if one.nodes() or one.domains), listed)
    return first.cpus == listed.cpus


def entry_above_residency(subject: Subject, row: int) -> bool:
    """Whether entering a row's state takes longer than its min-residency-us, which includes it."""
    node = row_nodes(listed_by(subject))[row]
    entry, residency = node.u32(ENTRY), node.u32(RESIDENCY)
    return entry is not None and residency is not None and entry > residency
