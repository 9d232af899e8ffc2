"""How long state 0 polls before the idle loop asks the governor again."""

from dataclasses import dataclass, replace

from ..linux import idle_loop
from ..linux.governors.interface import tick_ns
from ..linux.releases import Release
from .machine import SNOOZE, CpuTable

_LEAST_NS = 1_000
"""A limit of 0 still costs a turn of the idle loop."""


@dataclass(frozen=True, slots=True)
class Polling:
    """limit_ns: None, state 0 polls until the CPU is woken, or does not poll. told: the governor
    hears that the limit ended it (dev->poll_time_limit). by_governor: it may set the limit itself
    (dev->poll_limit_ns), which poll_idle() looks at and snooze does not."""

    limit_ns: int | None
    told: bool
    by_governor: bool = False

    def of(self, governor_ns: int | None) -> "Polling":
        """With a limit that the governor has, None or 0: it has none."""
        if not governor_ns or not self.by_governor:
            return self
        return replace(self, limit_ns=governor_ns)


def polling(table: CpuTable, release: Release, hz: int) -> Polling:
    """Of a table's state 0: snooze on powernv and pseries, or poll_idle()."""
    features = idle_loop.features(release)
    tick, states = tick_ns(hz), table.states
    told, is_snooze = True, table.names[0] == SNOOZE
    if is_snooze:
        told = features.snooze_polling
        if any(name.lower().endswith("cede") for name in table.names):
            # pseries fixes its time-out when the driver starts
            limit_ns = states[1].residency_ns if len(states) > 1 else None
        else:
            limit_ns = idle_loop.snooze_timeout_ns(features, states, tick, table.disabled)
    elif states[0].polling:
        limit_ns = idle_loop.poll_limit_ns(features, states, tick, table.disabled)
    else:
        limit_ns = None
    limit_ns = None if limit_ns is None else max(limit_ns, _LEAST_NS)
    return Polling(limit_ns, told, states[0].polling and not is_snooze)
