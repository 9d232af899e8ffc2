"""Idle states as a kernel holds them: from a table by name or file, or given by their times."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..linux.governors.given import GivenStates
from ..linux.releases import Release
from ..pipeline import registered, switched_off
from ..skiboot.platform import Platform
from ..table import IdleTable
from .machine import CpuTable, from_driver, from_times
from .power import Rows


@dataclass(frozen=True, slots=True)
class HeldTables:
    """A table, and the states that a kernel makes of it.

    states  as a governor sees them
    table   the rows as firmware has them; None for given states, and for a dump
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
    return HeldTables(source.name, states, table, rows, files, switched_off(source, text))


def of_given(given: GivenStates, disabled: Iterable[int] = ()) -> HeldTables:
    """Returns states given by their times."""
    return HeldTables(given.text, from_times(given.times, given.polling, disabled))
