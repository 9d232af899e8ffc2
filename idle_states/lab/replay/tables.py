"""Idle states as a kernel holds them: from a table by name or file, or given by their times."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...tables.linux.releases import Release
from ...tables.linux.request_parts import GivenStates
from .machine import CpuTable, TracedMachine, from_driver, from_times

if TYPE_CHECKING:
    from ...base.model.table import IdleTable
    from ...tables.linux.genpd.tables import CpuDomain
    from ...tables.linux.platforms import AnyPlatform
    from ...tables.sources import Source
    from .power import Rows


@dataclass(frozen=True, slots=True)
class HeldTables:
    """A table, and the states that a kernel makes of it.

    states  as a governor sees them
    table   the rows as firmware has them; None for given states, and for a dump
    domains, domain_notes  as for TracedMachine
    rows    (kernel's state name, row) of the rows that became states
    files   (name, SHA-256) of every file read
    """

    name: str
    states: CpuTable
    table: "IdleTable | None" = None
    rows: "Rows" = ()
    files: tuple[tuple[str, str], ...] = ()
    domains: tuple["CpuDomain", ...] = ()
    domain_notes: tuple[str, ...] = ()

    @property
    def machine(self) -> TracedMachine:
        """A machine with the table on every CPU."""
        return TracedMachine(self.name, self.states, {}, self.domains, self.domain_notes)


def of_table(text: str, platform: "AnyPlatform", release: Release) -> HeldTables:
    """Reads a TABLE. Raises UsageError if the kernel registers none of its states, and the errors
    of reading it."""
    from ...tables.sources import read_table

    return _held(read_table(text), text, platform, release, ())


def of_tree(
    text: str, platform: "AnyPlatform", release: Release, disabled: Iterable[int] = ()
) -> "tuple[TracedMachine, tuple[tuple[str, str], ...], Rows]":
    """Returns the machine of a TABLE, the files read, and its rows; of a tree without a name, whose
    CPUs have lists of their own, each CPU with its table. Raises as of_table()."""
    from ...tables.sources import one_table, read_sources

    sources = read_sources(text)
    if len(sources) == 1 and sources[0].table:
        held = _held(sources[0], text, platform, release, disabled)
        return held.machine, held.files, held.rows
    if not all(each.table and each.table.origin.form == "nodes" for each in sources):
        one_table(sources, text)
    found = [_held(each, text, platform, release, disabled) for each in sources]
    own = {
        number: held.states
        for held in found
        if held.table is not None and held.table.origin.form == "nodes"
        for number in held.table.origin.numbers
    }
    notes = tuple(dict.fromkeys(note for held in found for note in held.domain_notes))
    machine = TracedMachine(text, None, own, found[0].domains, notes)
    return machine, found[0].files, [row for held in found for row in held.rows]


def _held(
    source: "Source", text: str, platform: "AnyPlatform", release: Release, disabled: Iterable[int]
) -> HeldTables:
    from ...tables.linux.dt_idle import tree_domains
    from ...tables.pipeline import psci_firmware, registered_of

    arrival = registered_of(source, text, platform, release)
    table = source.table
    rows = tuple(
        (state.name, table.states[row])
        for row, state in sorted(arrival.registered.items())
        if table is not None and row < len(table.states)
    )
    states = from_driver(arrival.driver, disabled)
    files = ((source.file, source.sha256),)
    domains: tuple[CpuDomain, ...] = ()
    if table is not None and table.origin.form == "nodes" and arrival.driver.domains:
        domains = tree_domains(table.origin, release, psci_firmware(platform))
    notes = arrival.driver.domain_notes
    return HeldTables(source.name, states, table, rows, files, domains, notes)


def of_given(given: GivenStates, disabled: Iterable[int] = ()) -> HeldTables:
    """Returns states given by their times."""
    return HeldTables(given.text, from_times(given.times, given.polling, disabled))
