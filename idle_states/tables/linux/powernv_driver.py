"""Linux 4.0 to 4.18: the cpuidle driver and the platform code each parse the tree.

Up to 4.12 the driver fills numbered slots and then copies the used ones, but a stop state looks up
its PSSCR by its number after copying: after an empty slot, states enter with the PSSCR of another
state.
"""

from collections.abc import Sequence

from ...base.dataclass import dataclass, replace
from ...base.model import power_mgt as dt
from ...base.model.power_mgt import PowerMgt
from ...base.model.table import STOP_CLASSES, Cpu, Flag
from . import of
from .convert import STATE_MAX, rounding, shown_name, to_us
from .driver_features import DriverFeatures
from .driver_table import DriverState
from .journal import DRIVER, Fatal, Journal, ParseFailure, TreeRow
from .powernv_platform import lose_beyond_nine, passes_filters
from .stop_choice import (
    HV_DEFAULT_MASK,
    HV_DEFAULT_VAL,
    Choices,
    choose_by_level,
    choose_stop_states,
    offline_before_stop,
    stop_api_failed,
    validate_psscr,
)

UNCHECKED_SLOTS = 8
"""MAX_POWERNV_IDLE_STATES up to 4.7, snooze included; nothing checks it."""
NAP_DEFAULT_US = 100
SLEEP_DEFAULT_US = 300_000
_NOT_FOUND = "opal: PowerMgmt Node not found"
_NO_STATES = "cpuidle-powernv: no idle states found in the DT"


@dataclass(slots=True)
class Slot:
    """An entry of powernv_states[]; state is None in a hole."""

    row: TreeRow
    state: DriverState | None
    residency_us: int


def register(
    node: PowerMgt | None,
    cpu: Cpu,
    features: DriverFeatures,
    stop_api: bool,
    choices: Choices,
    journal: Journal,
) -> tuple[list[DriverState], int | None]:
    """States after snooze, and snooze's time-out by the slot rule. Raises ParseFailure, Fatal."""
    _platform(node, cpu, features, stop_api, choices, journal)
    rows, has_residency = _parse(node, features, journal)
    slots = _fill_slots(rows, features, choices.supported, has_residency, journal)
    timeout = None
    if features.snooze_timeout == "slot" and slots:
        timeout = slots[0].residency_us
    return _compact(slots, features, journal), timeout


def _platform(
    node: PowerMgt | None,
    cpu: Cpu,
    features: DriverFeatures,
    stop_api: bool,
    choices: Choices,
    journal: Journal,
) -> None:
    """The platform code's own parse; its messages come first."""
    if not features.stop:
        choices.offline = "nap"
    if node is None:
        journal.say("warning", _NOT_FOUND)
        return
    count = of.count(node, dt.FLAGS, journal)
    if count < 0:
        journal.say("warning", _NO_STATES)
        return
    rows = [
        TreeRow(index, f"state {index}", flags) for index, flags in enumerate(node.cells(dt.FLAGS))
    ]
    if features.stop and cpu.isa300:
        if not _platform_columns(node, features, rows, journal):
            return
        if features.choices == "level":
            choose_by_level(rows, choices)
        else:
            choose_stop_states(rows, cpu, features, choices, journal)
    for row in rows:
        choices.supported |= row.flags
    if choices.supported & Flag.LOSE_FULL_CONTEXT and not stop_api and features.stop_api_failure:
        stop_api_failed(rows, cpu, choices, journal)
    if choices.offline != "stop":
        choices.offline = offline_before_stop(
            choices.supported,
            winkle_needs_full=features.supported_filter,
            otherwise=choices.offline,
        )


def _platform_columns(
    node: PowerMgt, features: DriverFeatures, rows: Sequence[TreeRow], journal: Journal
) -> bool:
    """PSSCR, mask and residency for the choices; False if one is missing, which ends the parse."""
    wanted = [dt.PSSCR]
    if features.psscr_mask:
        wanted += [dt.PSSCR_MASK, dt.RESIDENCIES]
    columns = {}
    for name in wanted:
        cells = of.array(node, name, len(rows))
        if cells is None:
            journal.say("warning", f"cpuidle-powernv: missing {_misspelt(name, features)} in DT")
            return False
        columns[name] = cells
    zeros = (0,) * len(rows)
    for row, psscr, mask, residency in zip(
        rows,
        columns[dt.PSSCR],
        columns.get(dt.PSSCR_MASK, zeros),
        columns.get(dt.RESIDENCIES, zeros),
        strict=True,
    ):
        row.psscr, row.mask, row.residency_ns = psscr, mask, residency
    return True


def _misspelt(name: str, features: DriverFeatures) -> str:
    """Up to 4.10 the message about psscr says "states"."""
    if name == dt.PSSCR and not features.psscr_mask:
        return "ibm,cpu-idle-states-psscr"
    return name


def _parse(
    node: PowerMgt | None, features: DriverFeatures, journal: Journal
) -> tuple[list[TreeRow], bool]:
    """The driver's parse: the rows it works on, and whether the tree has residencies."""
    if node is None:
        journal.say("warning", _NOT_FOUND)
        raise ParseFailure("no-node", "there is no /ibm,opal/power-mgt")
    count = of.count(node, dt.FLAGS, journal)
    if count < 0:
        journal.say("warning", _NO_STATES)
        raise ParseFailure("bad-flags", f"{dt.FLAGS} is absent or ragged")
    if features.sizes_checked:
        _check_size(node, dt.LATENCIES, count, journal)
        _check_size(node, dt.NAMES, count, journal)
    used = count
    if features.clips and count > STATE_MAX - 1:
        journal.say("warning", "cpuidle-powernv: discovered idle states more than allowed")
        used = STATE_MAX - 1
    flags = node.cells(dt.FLAGS)
    latencies = of.array(node, dt.LATENCIES, used)
    if latencies is None:
        journal.say("warning", f"cpuidle-powernv: missing {dt.LATENCIES} in DT")
        raise ParseFailure("short-array", of.shortage(node, dt.LATENCIES, used))
    names = _names(node, used, features, journal)
    rows = [TreeRow(i, names[i], flags[i], latencies[i]) for i in range(used)]
    if features.stop and flags and flags[0] & STOP_CLASSES:
        _read_psscr(node, rows, features, journal)
    residencies = _residencies(node, used, features, journal)
    for row, residency in zip(rows, residencies or (), strict=False):
        row.residency_ns = residency
    if used < count:
        every = node.names()
        beyond = [
            TreeRow(
                i, every[i].decode("utf-8", "surrogateescape") if i < len(every) else "?", flags[i]
            )
            for i in range(count)
        ]
        lose_beyond_nine(beyond, journal)
    return rows, residencies is not None


def _check_size(node: PowerMgt, name: str, expected: int, journal: Journal) -> None:
    """4.12 to 4.18. For the later arrays, the size is compared with the count after clipping, so a
    tree with ten states leaves POWER9 with none."""
    if name == dt.NAMES:
        found = len(of.strings(node, None) or ())
    else:
        found = of.count(node, name, journal)
    if found == expected:
        return
    journal.say("warning", f"cpuidle-powernv: array sizes don't match for {dt.FLAGS} and {name}")
    what = f"has {found} entries" if found >= 0 else "is absent or ragged"
    raise ParseFailure("size-mismatch", f"{name} {what}, {dt.FLAGS} counts {expected}")


def _names(node: PowerMgt, used: int, features: DriverFeatures, journal: Journal) -> list[str]:
    if not features.names:
        every = [name.decode("utf-8", "surrogateescape") for name in node.names()]
        return [every[i] if i < len(every) else f"state {i}" for i in range(used)]
    names = of.state_names(node, used, journal)
    if len(names) < used:
        raise Fatal(
            f"{dt.NAMES} has {len(names)} names for {used} states; "
            "the kernel reads the next one through an uninitialised pointer"
        )
    return list(names)


def _read_psscr(
    node: PowerMgt, rows: Sequence[TreeRow], features: DriverFeatures, journal: Journal
) -> None:
    for name in [dt.PSSCR, dt.PSSCR_MASK] if features.psscr_mask else [dt.PSSCR]:
        if features.sizes_checked:
            _check_size(node, name, len(rows), journal)
        cells = of.array(node, name, len(rows))
        if cells is None:
            text = f"cpuidle-powernv: missing {_misspelt(name, features)} in DT"
            if name == dt.PSSCR_MASK:
                text = f"cpuidle-powernv:Missing {name} in DT"
            journal.say("warning", text)
            raise ParseFailure("short-array", of.shortage(node, name, len(rows)))
        for row, cell in zip(rows, cells, strict=True):
            if name == dt.PSSCR:
                row.psscr = cell
            else:
                row.mask = cell


def _residencies(
    node: PowerMgt, used: int, features: DriverFeatures, journal: Journal
) -> tuple[int, ...] | None:
    """Optional here; None if absent or short."""
    if features.sizes_checked:
        if of.count(node, dt.RESIDENCIES, journal) < 0:
            return None
        _check_size(node, dt.RESIDENCIES, used, journal)
    return of.array(node, dt.RESIDENCIES, used)


def _fill_slots(
    rows: Sequence[TreeRow],
    features: DriverFeatures,
    supported: int,
    has_residency: bool,
    journal: Journal,
) -> list[Slot]:
    has_stop = bool(rows and rows[0].flags & STOP_CLASSES)
    if not features.clips and len(rows) >= UNCHECKED_SLOTS:
        raise Fatal(
            f"{len(rows)} states and snooze overrun the driver's array of {UNCHECKED_SLOTS} entries"
        )
    slots: list[Slot] = []
    for row in rows:
        if features.threshold and not _passes(row, supported, has_stop, features, journal):
            continue
        slot = _slot(row, has_stop, has_residency, features)
        if slot.state is None:
            _lose_without_class(row, has_stop, features, journal)
            if not features.holes:
                continue
        slots.append(slot)
    return slots


def _passes(
    row: TreeRow, supported: int, has_stop: bool, features: DriverFeatures, journal: Journal
) -> bool:
    """Flags (4.13), threshold (4.8) and PSSCR validity (4.11), in that order."""
    everything = supported if features.supported_filter else row.flags
    if not passes_filters(row, everything, False, journal):
        return False
    if has_stop and features.psscr_mask and not validate_psscr(row, journal):
        journal.lose(row, "invalid", row.invalid)
        return False
    return True


def _slot(row: TreeRow, has_stop: bool, has_residency: bool, features: DriverFeatures) -> Slot:
    latency_us = to_us(row.latency_ns, features)
    tree_us = to_us(row.residency_ns or 0, features) if has_residency else 0
    state: DriverState | None = None
    residency_us = tree_us

    def entry(name: str, enter: str, default_us: int | None, timer_stop: bool) -> DriverState:
        nonlocal residency_us
        residency_us = tree_us
        if default_us is not None and (features.residency == "inverted") == has_residency:
            residency_us = default_us
        stop = enter == "stop"
        psscr, mask = row.psscr, row.mask
        if stop and not features.psscr_mask:
            psscr, mask = HV_DEFAULT_VAL | psscr, HV_DEFAULT_MASK
        return DriverState(
            0,
            name,
            latency_us,
            residency_us,
            enter,
            row.index,
            timer_stop=timer_stop,
            psscr=psscr if stop else None,
            mask=mask if stop else None,
        )

    name = shown_name(row.name, features)
    timebase_stops = bool(row.flags & Flag.TIMEBASE_STOP)
    sleep = bool(row.flags & (Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1))
    fast = bool(row.flags & Flag.STOP_INST_FAST)
    deep = bool(row.flags & Flag.STOP_INST_DEEP)
    if features.supported_filter:
        fast = deep = has_stop
    if row.flags & Flag.NAP_ENABLED:
        state = entry("Nap", "nap", NAP_DEFAULT_US, False)
    elif features.stop and fast and not timebase_stops:
        state = entry(name, "stop", None, False)
    if state is None or features.overwrites:
        if sleep:
            state = entry("FastSleep", "fastsleep", SLEEP_DEFAULT_US, True)
        elif features.stop and deep and timebase_stops:
            state = entry(name, "stop", None, True)
    if state is None and features.residency == "inverted":
        residency_us = 0
    return Slot(row, state, residency_us)


def _lose_without_class(
    row: TreeRow, has_stop: bool, features: DriverFeatures, journal: Journal
) -> None:
    if row.flags & STOP_CLASSES and features.stop:
        if features.supported_filter and not has_stop:
            reason = "the first state of the table is no stop state, so the driver takes none"
            journal.lose(row, "first-not-stop", reason, f"{DRIVER}, has_stop_states")
            return
        reason = (
            "this driver takes fast states that keep the timebase and deep ones that stop it, "
            "no others; the hole it leaves shifts the PSSCR of the states behind it"
        )
        journal.lose(row, "hole", reason)
        return
    journal.lose(row, "no-class", "its flags name no class of state the driver knows")


def _compact(
    slots: Sequence[Slot], features: DriverFeatures, journal: Journal
) -> list[DriverState]:
    """powernv_cpuidle_driver_init(): used slots in order; with holes, PSSCR by the new number."""
    states: list[DriverState] = []
    for slot in slots:
        if slot.state is None:
            continue
        number = len(states) + 1
        state = replace(slot.state, index=number)
        journal.compare(slot.row, state, rounding(features))
        if state.enter == "stop" and features.holes:
            state = _with_psscr_of(slots[number - 1], state, slot.row, features, journal)
        states.append(state)
    return states


def _with_psscr_of(
    used: Slot, state: DriverState, row: TreeRow, features: DriverFeatures, journal: Journal
) -> DriverState:
    """Returns the state with the PSSCR that the kernel finds at its new number."""
    if used.row is row:
        return state
    owner = used.state
    psscr, mask = (owner.psscr or 0, owner.mask or 0) if owner else (0, 0)
    if owner is None and not features.psscr_mask:
        psscr, mask = HV_DEFAULT_VAL, HV_DEFAULT_MASK
    journal.change(
        row,
        "psscr",
        f"{state.psscr or 0:#x}",
        f"{psscr:#x}",
        f"a hole before it shifts the table: it enters with the PSSCR of {used.row.name}"
        if owner
        else "a hole before it shifts the table: it enters with an empty PSSCR entry",
    )
    return replace(state, psscr=psscr, mask=mask)
