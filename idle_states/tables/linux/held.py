"""The states that a running kernel holds, from its sysfs; the driver is not modelled."""

from ...base.model.table import IdleTable
from .driver_table import DriverState, DriverTable
from .releases import Release

POLL, SNOOZE = "POLL", "snooze"
OWN = (POLL, SNOOZE, "WFI")
"""Names of state 0 that the kernel's driver adds itself."""


def register(table: IdleTable, release: Release) -> DriverTable:
    """Returns the states as held. sysfs does not show snooze's flag POLLING, which is taken from
    the release; the exported tree and the offline method are unknown."""
    held = table.origin
    assert held.form == "sysfs"
    snooze_polls = release.features.snooze_polling
    return DriverTable(
        kernel=release.name,
        states=tuple(
            DriverState(
                number,
                state.name,
                state.exit_latency_us,
                state.target_residency_us,
                "",
                number - held.first_row if number >= held.first_row else None,
                polling=number == 0
                and (state.name == POLL or (state.name == SNOOZE and snooze_polls)),
            )
            for number, state in enumerate(held.states)
        ),
        offline="",
    )
