"""What a running kernel holds, as its sysfs says: the driver's stage is over."""

from ..table import IdleTable
from .driver_table import DriverState, DriverTable
from .releases import Release

POLL, SNOOZE = "POLL", "snooze"
OWN = (POLL, SNOOZE, "WFI")
"""States 0 that the kernel's driver has of its own."""


def register(table: IdleTable, release: Release) -> DriverTable:
    """The states as held. What sysfs does not show, the flag POLLING of snooze, is the release's;
    what firmware gave the kernel, and how it offlines CPUs, is not known."""
    held = table.held
    assert held is not None
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
