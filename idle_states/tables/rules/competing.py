"""The rows of a table that compete: the same kernel code chooses one of them.

cpuidle chooses among the states of a CPU's list, genpd among those of a power domain: never
between the two. A disabled node is no state, and a node listed twice is the same state. Of a
driver's rows, those that its code may switch off when it starts need not be there together.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from ...base.patterns import pattern
from ..pipeline import Subject
from .is2_times import Time, column
from .rows import StateRow, every_row

if TYPE_CHECKING:
    from ...base.model.beyond_opal import BuiltIn

_DISABLES = pattern(r"\bstates\[(\w+)\]\.disabled\s*=(?!=|\s*(?:false|0)\b)")


def competing(subject: Subject) -> list[list[StateRow]]:
    """The rows in groups that compete, each in the order of the table."""
    listed = subject.table.origin
    if listed.form == "driver":
        off = _switched_off(listed)
        return [[row for row in every_row(subject) if row.number + listed.first_row not in off]]
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


def _switched_off(built_in: "BuiltIn") -> set[int]:
    """Returns the states that the driver's code may disable: all, if it names one by a variable."""
    found: set[int] = set()
    for use in built_in.uses:
        for match in _DISABLES.finditer(use.text):
            found.update([int(match[1])] if match[1].isdecimal() else range(len(built_in.states)))
    return found


def columns(subject: Subject, field: str) -> Iterator[list[Time]]:
    """The values of "latency" or "residency" of rows that compete, a group at a time."""
    index2time = {time.row.number: time for time in column(subject, field)}
    for group in competing(subject):
        yield [index2time[row.number] for row in group if row.number in index2time]


def neighbours(subject: Subject, field: str) -> Iterator[tuple[Time, Time]]:
    """Each such value with the next one of its group."""
    for group in columns(subject, field):
        yield from pairwise(group)
