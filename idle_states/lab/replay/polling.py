"""The time that state 0 polls before the idle loop asks the governor again."""

from ...base.dataclass import dataclass, replace
from ...tables.linux import idle_loop
from ...tables.linux.governors.interface import tick_ns
from ...tables.linux.held import SNOOZE
from ...tables.linux.releases import Release
from .machine import CpuTable

_LEAST_NS = 1_000
"""Minimum polling time: with a limit of 0, one turn of the idle loop still passes."""


@dataclass(frozen=True, slots=True)
class Polling:
    """The polling limit of state 0.

    limit_ns     None: state 0 polls until the CPU is woken, or does not poll
    reports      whether the governor learns that the limit ended polling (dev->poll_time_limit)
    by_governor  whether the governor may set the limit (dev->poll_limit_ns): poll_idle() uses that
                 value, snooze does not
    """

    limit_ns: int | None
    reports: bool
    by_governor: bool = False

    def of(self, governor_ns: int | None) -> "Polling":
        """Returns the limit in force, given the governor's own limit in ns (None or 0: none)."""
        if not governor_ns or not self.by_governor:
            return self
        return replace(self, limit_ns=governor_ns)


def polls_only(table: CpuTable) -> bool:
    """Returns whether a table's one state polls: no interrupt ends that, only a task does."""
    return len(table.states) == 1 and (table.names[0] == SNOOZE or table.states[0].polling)


def polling(table: CpuTable, release: Release, hz: int) -> Polling:
    """Returns the limit of a table's state 0: snooze on powernv and pseries, or poll_idle()."""
    features = idle_loop.features(release)
    tick, states = tick_ns(hz), table.states
    reports, is_snooze = True, table.names[0] == SNOOZE
    if is_snooze:
        reports = features.snooze_polling
        if any(name.lower().endswith("cede") for name in table.names):
            # pseries sets its time-out once, when the driver starts
            limit_ns = states[1].residency_ns if len(states) > 1 else None
        else:
            limit_ns = idle_loop.snooze_timeout_ns(features, states, hz, table.disabled)
    elif states[0].polling:
        limit_ns = idle_loop.poll_limit_ns(features, states, tick, table.disabled)
    else:
        limit_ns = None
    limit_ns = None if limit_ns is None else max(limit_ns, _LEAST_NS)
    return Polling(limit_ns, reports, states[0].polling and not is_snooze)
