"""A table's whole way on one machine: what firmware exports, what each kernel registers."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..linux.driver_table import DriverState, DriverTable
from ..linux.releases import Release
from ..rules.subject import Subject
from ..skiboot.export import Export
from ..skiboot.platform import Platform
from ..sources import Source
from ..stages import Changed, Lost
from ..table import IdleTable


@dataclass(frozen=True, slots=True)
class Arrival:
    """What one kernel made of the exported tree, with rows counted as in the table.

    registered  row -> the state registered for it
    lost        (row, what befell it); likewise changed
    """

    release: Release
    driver: DriverTable
    registered: dict[int, DriverState]
    lost: tuple[tuple[int, Lost], ...]
    changed: tuple[tuple[int, Changed], ...]


@dataclass(frozen=True, slots=True)
class Journey:
    """export is None where firmware has no say: a tree already exported, or pseries."""

    source: Source
    table: IdleTable
    platform: Platform
    export: Export | None
    arrivals: tuple[Arrival, ...]


def journey(source: Source, platform: Platform, kernels: Sequence[Release]) -> Journey:
    """Follows a readable source. The source must have a table."""
    table = source.table
    assert table is not None
    subject = Subject(table, kernels, platform, source.node)
    return Journey(
        source,
        table,
        platform,
        subject.export,
        tuple(_arrival(subject, release) for release in subject.kernels),
    )


def _arrival(subject: Subject, release: Release) -> Arrival:
    driver = subject.linux(release)
    rows = subject.exported_indices

    def row(source: int) -> int:
        return rows[source] if source < len(rows) else source

    return Arrival(
        release,
        driver,
        {row(state.source): state for state in driver.states if state.source is not None},
        tuple((row(lost.index), lost) for lost in driver.lost),
        tuple((row(changed.index), changed) for changed in driver.changed),
    )
