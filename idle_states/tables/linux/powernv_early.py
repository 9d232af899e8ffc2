"""Linux 3.14 to 3.19: nap and fast sleep only, times mostly built in."""

from ...base.model import power_mgt as dt
from ...base.model.power_mgt import PowerMgt
from ...base.model.table import Flag
from .convert import rounding
from .driver_features import DriverFeatures
from .driver_table import DriverState
from .journal import Fatal, Journal, ParseFailure, TreeRow
from .stop_choice import Choices, offline_before_stop

SLOTS = 8
"""MAX_POWERNV_IDLE_STATES, snooze included; nothing checks it."""
DRIVER = "drivers/cpuidle/cpuidle-powernv.c"
_MISSING = "DT-PowerMgmt: missing "


def register(
    node: PowerMgt | None, features: DriverFeatures, choices: Choices, journal: Journal
) -> list[DriverState]:
    """States after snooze. Raises ParseFailure, Fatal."""
    if features.parse == "static":
        rows = _rows(node, ()) if node else []
        for row in rows:
            journal.lose(
                row, "static", "this kernel does not read the tree; nap is built in", DRIVER
            )
        choices.offline = "nap"
        return [DriverState(1, "Nap", 10, 100, "nap")]
    if node is None:
        journal.say("warning", "opal: PowerMgmt Node not found")
        raise ParseFailure("no-node", "there is no /ibm,opal/power-mgt")
    if dt.FLAGS not in node.properties:
        journal.say("warning", _MISSING + dt.FLAGS)
        raise ParseFailure("bad-flags", f"{dt.FLAGS} is absent")
    latencies: tuple[int, ...] = ()
    if features.parse == "latencies":
        if dt.LATENCIES not in node.properties:
            journal.say("warning", _MISSING + dt.LATENCIES)
            raise ParseFailure("short-array", f"{dt.LATENCIES} is absent")
        latencies = node.cells(dt.LATENCIES)
        if len(latencies) < len(node.cells(dt.FLAGS)):
            raise Fatal(f"{dt.LATENCIES} is shorter than {dt.FLAGS}; the kernel reads past its end")
    rows = _rows(node, latencies)
    states: list[DriverState] = []
    for row in rows:
        _add(row, features, states, journal)
    if len(states) >= SLOTS:
        raise Fatal(f"{len(states)} states overrun the driver's array of {SLOTS} entries")
    supported = 0
    for row in rows:
        supported |= row.flags
    choices.offline = offline_before_stop(supported, winkle_needs_full=False, otherwise="nap")
    return states


def _rows(node: PowerMgt, latencies: tuple[int, ...]) -> list[TreeRow]:
    names = [name.decode("utf-8", "surrogateescape") for name in node.names()]
    return [
        TreeRow(
            index,
            names[index] if index < len(names) else f"state {index}",
            flags,
            latencies[index] if latencies else 0,
        )
        for index, flags in enumerate(node.cells(dt.FLAGS))
    ]


def _add(
    row: TreeRow, features: DriverFeatures, states: list[DriverState], journal: Journal
) -> None:
    """Nap and sleep are tested independently: a state with both gets two entries."""
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
        if features.parse == "latencies":
            journal.compare(row, state, rounding(features))
    if len(states) == before:
        reason = "this kernel knows nap and fast sleep only"
        if row.flags & Flag.SLEEP_ENABLED_ER1:
            reason = "this kernel does not know fast sleep with the workaround (ER1)"
        journal.lose(row, "no-class", reason, DRIVER)
