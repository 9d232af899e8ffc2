"""Which rows of a table compete: those of which one kernel code chooses one.

cpuidle chooses among the states of a CPU's list, genpd among those of a power domain: never
between the two. A disabled node is no state, and a node listed twice is the same state.
"""

from collections.abc import Iterator
from itertools import pairwise

from ..pipeline import Subject
from .is2_times import Time, column
from .rows import StateRow, every_row


def competing(subject: Subject) -> list[list[StateRow]]:
    """The rows in groups that compete, each in the order of the table."""
    listed = subject.table.origin
    if listed.form != "nodes":
        return [[*every_row(subject)]]
    from ..devicetree.idle_nodes import row_nodes

    nodes = row_nodes(listed)
    groups, start = [], 0
    for size in (len(listed.nodes()), *map(len, listed.above)):
        rows = {nodes[row].path: row for row in reversed(range(start, start + size))}
        available = sorted(row for row in rows.values() if nodes[row].available)
        groups.append([every_row(subject)[row] for row in available])
        start += size
    return groups


def columns(subject: Subject, field: str) -> Iterator[list[Time]]:
    """The values of "latency" or "residency" of rows that compete, a group at a time."""
    index2time = {time.row.number: time for time in column(subject, field)}
    for group in competing(subject):
        yield [index2time[row.number] for row in group if row.number in index2time]


def neighbours(subject: Subject, field: str) -> Iterator[tuple[Time, Time]]:
    """Each such value with the next one of its group."""
    for group in columns(subject, field):
        yield from pairwise(group)
