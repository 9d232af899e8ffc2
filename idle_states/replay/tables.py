"""Idle states as a kernel holds them: from a table by name or file, or given by their times."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..linux.dt_idle import tree_domains
from ..linux.genpd.tables import CpuDomain
from ..linux.governors.given import GivenStates
from ..linux.releases import Release
from ..pipeline import psci_firmware, registered, switched_off
from ..skiboot.platform import Platform
from ..table import IdleTable
from .machine import CpuTable, TracedMachine, from_driver, from_times
from .power import Rows


@dataclass(frozen=True, slots=True)
class HeldTables:
    """A table, and the states that a kernel makes of it.

    states  as a governor sees them
    table   the rows as firmware has them; None for given states, and for a dump
    domains, domain_notes  as for TracedMachine
    rows    (kernel's state name, row) of the rows that became states
    files   (name, SHA-256) of every file read
    note    message for the user; "" if there is none
    """

    name: str
    states: CpuTable
    table: IdleTable | None = None
    rows: Rows = ()
    files: tuple[tuple[str, str], ...] = ()
    note: str = ""
    domains: tuple[CpuDomain, ...] = ()
    domain_notes: tuple[str, ...] = ()

    @property
    def machine(self) -> TracedMachine:
        """A machine with the table on every CPU."""
        return TracedMachine(self.name, self.states, {}, self.domains, self.domain_notes)


def of_table(
    text: str, platform: Platform, release: Release, disabled: Iterable[int] = ()
) -> HeldTables:
    """Reads a TABLE. Raises UsageError if the kernel registers none of its states, and the errors
    of reading it."""
    source, arrival = registered(text, platform, release)
    table = source.table
    rows = tuple(
        (state.name, table.states[row])
        for row, state in sorted(arrival.registered.items())
        if table is not None and row < len(table.states)
    )
    states = from_driver(arrival.driver, disabled)
    files = ((source.file, source.sha256),)
    domains: tuple[CpuDomain, ...] = ()
    if table is not None and table.listed is not None and arrival.driver.domains:
        domains = tree_domains(table.listed, release, psci_firmware(platform))
    note, notes = switched_off(source, text), arrival.driver.domain_notes
    return HeldTables(source.name, states, table, rows, files, note, domains, notes)


def of_given(given: GivenStates, disabled: Iterable[int] = ()) -> HeldTables:
    """Returns states given by their times."""
    return HeldTables(given.text, from_times(given.times, given.polling, disabled))
