"""Tables by name or file, and states that are given, as a kernel holds them."""

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
    """A table, and what a kernel holds of it.

    states  as a governor sees them
    table   the rows as firmware has them; None for states that are given, and for a dump
    rows    those that became states, by the names that the kernel gives them
    files   what was read, with its SHA-256
    note    what the user should know of it; "" if there is nothing
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
    """A TABLE. Raises UsageError if the kernel registers nothing of it, and what reading raises."""
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
    """States by their times."""
    return HeldTables(given.text, from_times(given.times, given.polling, disabled))
