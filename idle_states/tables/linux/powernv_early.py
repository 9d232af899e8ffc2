"""Linux 3.14 to 3.19: nap and fast sleep only, times mostly built in."""

from ...base.model import power_mgt as dt
from ...base.model.power_mgt import PowerMgt
from ...base.model.table import Flag
from . import of
from .driver_table import DriverState
from .journal import Fatal, ParseFailure, TreeRow
from .stop_choice import Boot, offline_before_stop

SLOTS = 8
"""MAX_POWERNV_IDLE_STATES, snooze included; nothing checks it."""
DRIVER = "drivers/cpuidle/cpuidle-powernv.c"
_MISSING = "DT-PowerMgmt: missing "


def register(boot: Boot) -> list[DriverState]:
    """States after snooze. Raises ParseFailure, Fatal."""
    if boot.features.parse == "static":
        for row in _rows(boot.node) if boot.node else ():
            boot.lose(row, "static", "this kernel does not read the tree; nap is built in", DRIVER)
        boot.offline = "nap"
        return [DriverState(1, "Nap", 10, 100, "nap")]
    node = boot.found()
    if dt.FLAGS not in node.properties:
        boot.say("warning", _MISSING + dt.FLAGS)
        raise ParseFailure("bad-flags", f"{dt.FLAGS} is absent")
    if boot.features.parse == "latencies":
        if dt.LATENCIES not in node.properties:
            boot.say("warning", _MISSING + dt.LATENCIES)
            raise ParseFailure("short-array", f"{dt.LATENCIES} is absent")
        if len(node.cells(dt.LATENCIES)) < len(node.cells(dt.FLAGS)):
            raise Fatal(f"{dt.LATENCIES} is shorter than {dt.FLAGS}; the kernel reads past its end")
    states: list[DriverState] = []
    for row in _rows(node):
        _add(row, states, boot)
        boot.supported |= row.flags
    if len(states) >= SLOTS:
        raise Fatal(f"{len(states)} states overrun the driver's array of {SLOTS} entries")
    boot.offline = offline_before_stop(boot.supported, winkle_needs_full=False, otherwise="nap")
    return states


def _rows(node: PowerMgt) -> list[TreeRow]:
    """The states with all that the tree says of them, whether the kernel reads it or not."""
    latencies, residencies = node.cells(dt.LATENCIES), node.cells(dt.RESIDENCIES)
    return [
        TreeRow(
            index,
            of.name_at(node, index, f"state {index}"),
            flags,
            latencies[index] if index < len(latencies) else 0,
            residencies[index] if index < len(residencies) else None,
        )
        for index, flags in enumerate(node.cells(dt.FLAGS))
    ]


def _add(row: TreeRow, states: list[DriverState], boot: Boot) -> None:
    """Nap and sleep are tested independently: a state with both gets two entries."""
    features = boot.features
    sleep = Flag.SLEEP_ENABLED | (Flag.SLEEP_ENABLED_ER1 if features.er1 else 0)
    before = len(states)
    for wanted, name, enter, builtin in (
        (int(Flag.NAP_ENABLED), "Nap", "nap", (10, 100)),
        (int(sleep), "FastSleep", "fastsleep", (300, 1_000_000)),
    ):
        if not row.flags & wanted:
            continue
        times = builtin
        if features.parse == "latencies":
            times = (row.latency_ns // 1000, row.latency_ns // 100)
        state = DriverState(
            len(states) + 1, name, *times, enter, row.index, timer_stop=enter == "fastsleep"
        )
        states.append(state)
        boot.compare(row, state, features)
    if len(states) == before:
        reason = "this kernel knows nap and fast sleep only"
        if row.flags & Flag.SLEEP_ENABLED_ER1:
            reason = "this kernel does not know fast sleep with the workaround (ER1)"
        boot.lose(row, "no-class", reason, DRIVER)
