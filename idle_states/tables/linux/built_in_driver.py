"""The states of a table in a driver's source, as Linux registers them.

What the driver changes when it starts is not modelled: the source's statements that use the table
are shown instead (`BuiltIn.uses`). From Linux 5.5 on cpuidle keeps times that a row gives in ns
alone as they are (driver.c, __cpuidle_driver_init()). An array of intel_idle is registered as on a
machine that has every one of its MWAIT hints and whose firmware asks for nothing.
"""

from ...base.model.stages import Lost
from ...base.model.table import IdleTable
from .driver_table import DriverState, DriverTable
from .releases import Release, reached

POLLING, TIMER_STOP, UNUSABLE = (
    f"CPUIDLE_FLAG_{name}" for name in ("POLLING", "TIMER_STOP", "UNUSABLE")
)
POLL = "POLL"
"""The name that cpuidle_poll_state_init() gives state 0, which the source leaves empty."""
GROUND = "drivers/cpuidle/driver.c"


def register(table: IdleTable, release: Release) -> DriverTable:
    """Returns the states up to state_count, without those that are flagged unusable. intel_idle
    puts POLL before its rows, and numbers what is registered only."""
    found = table.origin
    assert found.form == "driver"
    states: list[DriverState] = []
    lost = []
    by_mwait = found.is_intel_idle
    keeps_ns = reached(release, "5.5")
    if by_mwait:
        states.append(DriverState(0, POLL, 0, 0, "", polling=True))
    for number, state in enumerate(found.states):
        row = number - found.first_row if number >= found.first_row else None
        cause = reason = ""
        if found.count is not None and number >= found.count:
            cause = "beyond-count"
            reason = f"the driver's state_count is {found.count}"
        elif UNUSABLE in state.flag_names:
            cause = "unusable"
            reason = f"{UNUSABLE} is set: the state is disabled until the driver enables it"
        if cause:
            if row is not None:
                lost.append(Lost(row, state.name, cause, reason, GROUND))
            continue
        polls = POLLING in state.flag_names or (number == 0 and not state.name)
        states.append(
            DriverState(
                len(states) if by_mwait else number,
                state.name or (POLL if number == 0 else ""),
                state.exit_latency_us,
                state.target_residency_us,
                "",
                row,
                polling=polls,
                timer_stop=TIMER_STOP in state.flag_names,
                beyond_us=state.beyond_us if keeps_ns else (0, 0),
            )
        )
    return DriverTable(kernel=release.name, states=tuple(states), lost=tuple(lost), offline="")
