"""The parts that the IS4xx rules share: from a kernel's view back to the rows of the table.

A kernel speaks of states by their position in the tree. A damaged tree may have more of them
than the table has rows, so every way back can fail.
"""

from collections.abc import Iterator

from ...base.model.findings import Location
from ...base.model.table import Flag, IdleState
from ..linux.driver_table import DriverState, DriverTable
from ..linux.releases import Release
from ..linux.spec_pvrs import features_for
from ..linux.stop_choice import HV_DEFAULT_MASK, HV_DEFAULT_VAL, OLD_FORMAT_MASK, restores
from ..pipeline import Subject
from .rows import StateRow, every_row
from .rule import KernelView

PARSE_CAUSES = frozenset({"no-node", "bad-flags", "short-array", "bad-names", "size-mismatch"})
"""Causes in DriverTable.lost that mean the kernel gave up on the whole node."""
_LOSSY = int(Flag.LOSE_FULL_CONTEXT | Flag.TIMEBASE_STOP)


def row_of(subject: Subject, source: int | None) -> int | None:
    """Row of the table behind a position in the tree; None if there is none."""
    if source is None or source >= len(subject.exported_indices):
        return None
    return subject.row(source)


def place(subject: Subject, source: int | None, field: str = "state") -> Location:
    """Place of a field of the row behind a position in the tree, else of the table."""
    row = row_of(subject, source)
    return subject.at(row, field) if row is not None else subject.at(None)


def registered(view: KernelView) -> Iterator[tuple[StateRow, DriverState]]:
    """(row, state) of the states that came from the table; none for pseries."""
    if view.subject.table.partition is None:
        for state in view.driver.states:
            row = row_of(view.subject, state.source)
            if row is not None:
                yield every_row(view.subject)[row], state


def exported_rows(subject: Subject) -> list[StateRow]:
    """Returns the rows that are in the tree, in its order."""
    return [every_row(subject)[index] for index in subject.exported_indices]


def gave_up(driver: DriverTable) -> bool:
    """The kernel lost everything to a node it cannot parse, or crashed over it."""
    return driver.fatal is not None or any(lost.cause in PARSE_CAUSES for lost in driver.lost)


def knows_processor(view: KernelView) -> bool:
    """False where this kernel has no stop states at all, or none for this PVR."""
    subject = view.subject
    features = features_for(subject.cpu, view.release)
    if not subject.is_stop:
        return True
    known = features.pvrs is None or subject.cpu.pvr in features.pvrs
    return features.stop and known


def written_psscr(state: IdleState, release: Release) -> int:
    """The PSSCR that this kernel should enter a row with: it completes values of 2016's format,
    and before it read masks (4.11) every value."""
    old = _completes(state, release)
    return state.control | HV_DEFAULT_VAL if old else state.control


def written_mask(state: IdleState, release: Release) -> int:
    """The mask that goes with it."""
    return HV_DEFAULT_MASK if _completes(state, release) else state.mask


def _completes(state: IdleState, release: Release) -> bool:
    return state.mask == OLD_FORMAT_MASK or not release.features.psscr_mask


def accepted(subject: Subject, state: IdleState, release: Release) -> bool:
    """True if the platform code takes the state as valid, for idle or for offlined CPUs."""
    features = release.features
    lossy = state.flags & _LOSSY
    if features.pvrs is not None and not restores(subject.cpu) and lossy:
        return False
    if not features.psscr_mask or state.mask == OLD_FORMAT_MASK:
        return True
    psscr = state.psscr
    return psscr.esl == psscr.ec and bool(psscr.esl or not state.has(Flag.LOSE_FULL_CONTEXT))
