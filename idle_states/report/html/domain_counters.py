"""Counters of power domains."""

from collections.abc import Iterable, Sequence

from ...linux.genpd.running import DomainFigures
from ..domain_counters import HEAD, named, rows
from .page import PageTable, Section


def section(some: Sequence[tuple[str, Sequence[DomainFigures]]], whole_us: int | None) -> Section:
    """some: (name of a table, its domains); whole_us: the time that shares are of; None if it is
    not known."""
    return of_rows(
        (label, named(domain), rows(domain, whole_us))
        for label, domains in some
        for domain in domains
    )


def of_rows(some: Iterable[tuple[str, str, Sequence[tuple[str, ...]]]]) -> Section:
    """some: (name of a table, a domain, its rows)."""
    found = tuple((domain, *row, label) for label, domain, of in some for row in of)
    head = ("power domain", *(word.lower() for word in HEAD), "table")
    caption = "Power domains, once all their CPUs are in their last state"
    numbers = frozenset(range(2, len(head) - 1))
    table = PageTable(caption, head, found, numbers, unbroken=True)
    return Section("What power domains did", (table,))
