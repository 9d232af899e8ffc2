"""What the rules on tables of intel_idle share."""

from collections.abc import Iterator

from ...base.model.beyond_opal import BuiltIn, BuiltInState
from ...base.model.table import IdleTable
from ..linux.built_in_driver import UNUSABLE
from ..linux.held import POLL

_DRIVER = "intel_idle"


def mwait_rows(built_in: BuiltIn) -> Iterator[tuple[int, BuiltInState]]:
    """(row of the table, state) of an array of intel_idle; none for other drivers."""
    for number, state in enumerate(built_in.states):
        if state.mwait_hint is not None and number >= built_in.first_row:
            yield number - built_in.first_row, state


def usable_rows(built_in: BuiltIn) -> Iterator[tuple[int, BuiltInState]]:
    """Those that the driver registers as they stand."""
    for row, state in mwait_rows(built_in):
        if UNUSABLE not in state.flag_names:
            yield row, state


def is_intel_idle(table: IdleTable) -> bool:
    """Whether a table is an array of intel_idle, or of a machine whose states are intel_idle's: by
    its driver's name, or where the dump does not tell it, by what it says of its states."""
    if table.origin.form == "driver":
        return table.origin.is_intel_idle
    held = table.origin
    if held.form != "sysfs" or held.driver not in ("", _DRIVER):
        return False
    if held.driver:
        return True
    described = [state.description.startswith("MWAIT ") for state in held.states[1:]]
    return held.states[0].name == POLL and bool(described) and all(described)
