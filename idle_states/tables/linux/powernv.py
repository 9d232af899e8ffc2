"""What cpuidle-powernv registers from /ibm,opal/power-mgt, by release.

Three generations of the code, each in its own module:
  powernv_early     to 3.19: flags, later latencies, everything else built in
  powernv_driver    4.0 to 4.18: driver and platform code parse the tree separately
  powernv_platform  from 4.19: the platform code parses once, all or nothing
"""

from ...base.model import power_mgt as dt
from ...base.model.power_mgt import PowerMgt
from ...base.model.stages import Lost
from ...base.model.table import Cpu
from . import powernv_driver, powernv_platform
from .driver_table import DriverState, DriverTable
from .journal import DRIVER, Fatal, Journal, ParseFailure
from .releases import Release
from .stop_choice import Choices


def register(
    node: PowerMgt | None, cpu: Cpu, release: Release, *, stop_api: bool = True
) -> DriverTable:
    """The driver's table. stop_api: opal_slw_set_reg() succeeds."""
    journal = Journal()
    features = release.features
    states: list[DriverState] = []
    timeout: int | None = None
    choices = Choices()
    fatal = None
    try:
        if features.parse == "platform":
            states = powernv_platform.register(node, cpu, features, stop_api, choices, journal)
        elif features.parse == "driver":
            states, timeout = powernv_driver.register(
                node, cpu, features, stop_api, choices, journal
            )
        else:
            from . import powernv_early

            states = powernv_early.register(node, features, choices, journal)
    except ParseFailure as failure:
        _lose_all(node, failure, journal)
    except Fatal as crash:
        fatal = str(crash)
        _lose_all(node, ParseFailure("oops", fatal), journal)
    snooze = DriverState(0, "snooze", 0, 0, "snooze", polling=features.snooze_polling)
    if features.snooze_timeout == "enabled" and states:
        timeout = states[0].target_residency_us
    return DriverTable(
        kernel=release.name,
        states=() if fatal else (snooze, *states),
        lost=tuple(sorted(journal.lost, key=lambda lost: lost.index)),
        changed=tuple(journal.changed),
        messages=tuple(journal.messages),
        default_stop=choices.default,
        deepest_stop=choices.deepest,
        offline=choices.offline,
        spr_loss_level=choices.spr_loss_level,
        tb_loss_level=choices.tb_loss_level,
        snooze_timeout_us=timeout,
        fatal=fatal,
    )


def _lose_all(node: PowerMgt | None, failure: ParseFailure, journal: Journal) -> None:
    """Records every state of the tree as lost; their number is that of the longest array."""
    if node is None:
        return
    names = node.names()
    counts = [node.count(name) or 0 for name in dt.CELL_BYTES]
    already = {lost.index for lost in journal.lost}
    for index in range(max([*counts, len(names)])):
        if index in already:
            continue
        name = names[index].decode("utf-8", "surrogateescape") if index < len(names) else "?"
        reason = f"all states are lost together: {failure.reason}"
        journal.lost.append(Lost(index, name, failure.cause, reason, DRIVER))
