"""The states that cpuidle-powernv registers from /ibm,opal/power-mgt, by release.

Three generations of the code, each in its own module:
  powernv_early     to 3.19: flags, later latencies, everything else built in
  powernv_driver    4.0 to 4.18: driver and platform code parse the tree separately
  powernv_platform  from 4.19: the platform code parses once, all or nothing
"""

from operator import attrgetter

from ...base.dataclass import replace
from ...base.model import power_mgt as dt
from ...base.model.power_mgt import PowerMgt
from ...base.model.table import Cpu
from . import of, powernv_driver, powernv_platform
from .driver_features import POWERNV
from .driver_table import DriverState, DriverTable
from .journal import Fatal, ParseFailure, TreeRow
from .releases import Release
from .spec_pvrs import features_for
from .stop_choice import Boot

_read = attrgetter(*sorted(POWERNV - {"pvrs", "snooze_polling"}))


def read_by(cpu: Cpu, release: Release) -> tuple[object, ...]:
    """Returns a key that is equal for releases that register any tree of a processor alike, but for
    whether snooze is a polling state."""
    features = features_for(cpu, release)
    return _read(features), features.pvrs and cpu.pvr in features.pvrs


def as_of(driver: DriverTable, release: Release) -> DriverTable:
    """Returns the result of a release, from that of one with an equal key."""
    polling = release.features.snooze_polling
    states = tuple(
        state if state.index or state.polling == polling else replace(state, polling=polling)
        for state in driver.states
    )
    return replace(driver, kernel=release.name, states=states)


def register(
    node: PowerMgt | None, cpu: Cpu, release: Release, *, stop_api: bool = True, dd1: bool = False
) -> DriverTable:
    """The driver's table. stop_api: opal_slw_set_reg() succeeds. dd1: a POWER9 of revision 1."""
    features = features_for(cpu, release)
    boot = Boot(node, cpu, features, stop_api, dd1)
    states: list[DriverState] = []
    timeout: int | None = None
    fatal = None
    try:
        if features.parse == "platform":
            states = powernv_platform.register(boot)
        elif features.parse == "driver":
            states, timeout = powernv_driver.register(boot)
        else:
            from . import powernv_early

            states = powernv_early.register(boot)
    except ParseFailure as failure:
        _lose_all(boot, failure)
    except Fatal as crash:
        fatal = str(crash)
        _lose_all(boot, ParseFailure("oops", fatal))
    snooze = DriverState(0, "snooze", 0, 0, "snooze", polling=features.snooze_polling)
    if features.snooze_timeout in ("user", "enabled") and states:
        timeout = states[0].target_residency_us
    return DriverTable(
        kernel=release.name,
        states=() if fatal else (snooze, *states),
        lost=tuple(sorted(boot.lost, key=lambda lost: lost.index)),
        changed=tuple(boot.changed),
        messages=tuple(boot.messages),
        default_stop=boot.default,
        deepest_stop=boot.deepest,
        offline=boot.offline,
        spr_loss_level=boot.spr_loss_level,
        tb_loss_level=boot.tb_loss_level,
        snooze_timeout_us=timeout,
        fatal=fatal,
    )


def _lose_all(boot: Boot, failure: ParseFailure) -> None:
    """Records every state of the tree as lost; their number is that of the longest array."""
    if (node := boot.node) is None:
        return
    counts = [node.count(name) or 0 for name in dt.CELL_BYTES]
    already = {lost.index for lost in boot.lost}
    reason = f"all states are lost together: {failure.reason}"
    for index in range(max(*counts, len(node.names()))):
        if index not in already:
            row = TreeRow(index, of.name_at(node, index), 0)
            boot.lose(row, failure.cause, reason)
