"""Counters of power domains."""

from collections.abc import Sequence

from ...linux.genpd.running import DomainFigures
from ..domain_counters import HEAD, named, rows
from .page import PageTable, Section


def section(some: Sequence[tuple[str, Sequence[DomainFigures]]], whole_us: int | None) -> Section:
    """some: (name of a table, its domains); whole_us: the time that shares are of; None if it is
    not known."""
    found = tuple(
        (named(domain), *row, label)
        for label, domains in some
        for domain in domains
        for row in rows(domain, whole_us)
    )
    head = ("power domain", *(word.lower() for word in HEAD), "table")
    caption = "Power domains, once all their CPUs are in their last state"
    numbers = frozenset(range(2, len(head) - 1))
    table = PageTable(caption, head, found, numbers, unbroken=True)
    return Section("What power domains did", (table,))
