"""Linux 4.0 to 4.18: the cpuidle driver and the platform code each parse the tree.

Up to 4.12 the driver fills numbered slots and then copies the used ones, but a stop state looks up
its PSSCR by its number after copying: after an empty slot, states enter with the PSSCR of another
state.
"""

from collections.abc import Sequence
from contextlib import suppress

from ...base.dataclass import dataclass, replace
from ...base.model import power_mgt as dt
from ...base.model.power_mgt import PowerMgt
from ...base.model.table import STOP_CLASSES, Flag
from . import of
from .convert import STATE_MAX, shown_name, to_us
from .driver_features import DriverFeatures
from .driver_table import DriverState
from .journal import DRIVER, Fatal, ParseFailure, TreeRow
from .powernv_platform import lose_beyond_nine, passes_filters
from .stop_choice import (
    HV_DEFAULT_MASK,
    HV_DEFAULT_VAL,
    Boot,
    choose_by_level,
    choose_stop_states,
    offline_before_stop,
    stop_api_failed,
    stop_unchosen,
    validate_psscr,
)

UNCHECKED_SLOTS = 8
"""MAX_POWERNV_IDLE_STATES up to 4.7, snooze included; nothing checks it."""
NAP_DEFAULT_US = 100
SLEEP_DEFAULT_US = 300_000
_DD1_TEXT = "Saving PACA pointers of all CPUs in their thread sibling PACA"
USER_TICK_US = 10_000
"""TICK_USEC while it was the tick of USER_HZ."""


@dataclass(slots=True)
class Slot:
    """An entry of powernv_states[]; state is None in a hole. psscr, mask: what stop_psscr_table has
    beside it. stops: it was given a stop state's name, if only until another class took its place.
    """

    row: TreeRow
    state: DriverState | None
    residency_us: int
    psscr: int
    mask: int
    stops: bool


def register(boot: Boot) -> tuple[list[DriverState], int | None]:
    """States after snooze, and snooze's time-out by the slot rule. Raises ParseFailure, Fatal."""
    with suppress(ParseFailure):
        _platform(boot)
    if boot.dd1 and boot.features.knows_dd1:
        boot.say("info", f"powernv: idle: {_DD1_TEXT}")
    if boot.features.choices in ("level", "builtin"):
        stop_unchosen(boot)
    # of the platform code's copies, without names; the driver's parse finds the same
    boot.changed.clear()
    rows, named, has_residency = _parse(boot)
    slots = _fill_slots(rows, named, has_residency, boot)
    timeout = None
    if boot.features.snooze_timeout == "slot" and slots:
        timeout = slots[0].residency_us
    elif boot.features.snooze_timeout == "user" and slots:
        timeout = USER_TICK_US
    states = _compact(slots, boot)
    if rows and not rows[0].flags & STOP_CLASSES:
        _note_unread_psscr(states, rows, boot)
    return states, timeout


def _platform(boot: Boot) -> None:
    """The platform code's own parse; its messages come first. Raises ParseFailure."""
    features = boot.features
    if features.choices != "found":
        boot.offline = "nap"
    node = boot.found()
    _count(node, boot)
    rows = [
        TreeRow(index, f"state {index}", flags) for index, flags in enumerate(node.cells(dt.FLAGS))
    ]
    if features.stop and boot.cpu.isa300:
        _platform_columns(node, rows, boot)
        if features.choices == "level":
            choose_by_level(rows, boot)
        else:
            choose_stop_states(rows, boot)
    for row in rows:
        boot.supported |= row.flags
    full = boot.supported & Flag.LOSE_FULL_CONTEXT
    if full and not boot.stop_api and features.stop_api_failure:
        stop_api_failed(rows, boot)
    if boot.offline != "stop":
        boot.offline = offline_before_stop(
            boot.supported, winkle_needs_full=features.supported_filter, otherwise=boot.offline
        )


def _count(node: PowerMgt, boot: Boot) -> int:
    """The number of flags. Raises ParseFailure, which is logged."""
    count = of.count(node, dt.FLAGS, boot)
    if count < 0:
        boot.say("warning", "cpuidle-powernv: no idle states found in the DT")
        raise ParseFailure("bad-flags", f"{dt.FLAGS} is absent or ragged")
    return count


def _platform_columns(node: PowerMgt, rows: Sequence[TreeRow], boot: Boot) -> None:
    """PSSCR, mask and residency for the choices. Raises ParseFailure, which is logged."""
    fields = [(dt.PSSCR, "psscr")]
    if boot.features.psscr_mask:
        fields += [(dt.PSSCR_MASK, "mask"), (dt.RESIDENCIES, "residency_ns")]
    for name, field in fields:
        missing = f"cpuidle-powernv: missing {_misspelt(name, boot.features)} in DT"
        for row, cell in zip(rows, _array(node, name, len(rows), missing, boot), strict=True):
            setattr(row, field, cell)


def _array(node: PowerMgt, name: str, count: int, missing: str, boot: Boot) -> tuple[int, ...]:
    """So many entries of a property. Raises ParseFailure, with `missing` in the log."""
    cells = of.array(node, name, count)
    if cells is None:
        boot.say("warning", missing)
        raise ParseFailure("short-array", of.shortage(node, name, count))
    return cells


def _misspelt(name: str, features: DriverFeatures) -> str:
    """Up to 4.10 the message about psscr says "states"."""
    if name == dt.PSSCR and not features.psscr_mask:
        return "ibm,cpu-idle-states-psscr"
    return name


def _parse(boot: Boot) -> tuple[list[TreeRow], int, bool]:
    """The driver's parse: the rows it works on, how many have names, whether there are
    residencies."""
    features, node = boot.features, boot.found()
    used = count = _count(node, boot)
    if features.sizes_checked:
        _check_size(node, dt.LATENCIES, count, boot)
        _check_size(node, dt.NAMES, count, boot)
    if features.clips and count > STATE_MAX - 1:
        boot.say("warning", "cpuidle-powernv: discovered idle states more than allowed")
        used = STATE_MAX - 1
    flags = node.cells(dt.FLAGS)
    missing = f"cpuidle-powernv: missing {dt.LATENCIES} in DT"
    latencies = _array(node, dt.LATENCIES, used, missing, boot)
    names = _names(node, used, boot)
    named = (*names, *("?" for _ in range(used - len(names))))
    rows = [TreeRow(i, named[i], flags[i], latencies[i]) for i in range(used)]
    if not features.psscr_mask:
        # not read: it says what is otherwise in the register
        for row, mask in zip(rows, node.cells(dt.PSSCR_MASK), strict=False):
            row.mask = mask
    if features.stop and flags and flags[0] & STOP_CLASSES:
        _read_psscr(node, rows, boot)
    residencies = _residencies(node, used, boot)
    for row, residency in zip(rows, residencies or (), strict=False):
        row.residency_ns = residency
    if used < count:
        beyond = [TreeRow(i, of.name_at(node, i), flags[i]) for i in range(count)]
        lose_beyond_nine(beyond, boot)
    return rows, len(names), residencies is not None


def _check_size(node: PowerMgt, name: str, expected: int, boot: Boot) -> None:
    """4.12 to 4.18. For the later arrays, the size is compared with the count after clipping, so a
    tree with ten states leaves POWER9 with none."""
    if name == dt.NAMES:
        found = len(of.strings(node, None) or ()) or -1
    else:
        found = of.count(node, name, boot)
    if found == expected:
        return
    boot.say("warning", f"cpuidle-powernv: array sizes don't match for {dt.FLAGS} and {name}")
    what = f"has {found} entries" if found >= 0 else "is absent, empty or ragged"
    raise ParseFailure("size-mismatch", f"{name} {what}, {dt.FLAGS} counts {expected}")


def _names(node: PowerMgt, used: int, boot: Boot) -> Sequence[str]:
    if not boot.features.names:
        return [of.name_at(node, i, f"state {i}") for i in range(used)]
    return of.state_names(node, used, boot)


def _read_psscr(node: PowerMgt, rows: Sequence[TreeRow], boot: Boot) -> None:
    fields = [(dt.PSSCR, "psscr", f"cpuidle-powernv: missing {_misspelt(dt.PSSCR, boot.features)}")]
    if boot.features.psscr_mask:
        fields.append((dt.PSSCR_MASK, "mask", f"cpuidle-powernv:Missing {dt.PSSCR_MASK}"))
    for name, field, missing in fields:
        if boot.features.sizes_checked:
            _check_size(node, name, len(rows), boot)
        cells = _array(node, name, len(rows), f"{missing} in DT", boot)
        for row, cell in zip(rows, cells, strict=True):
            setattr(row, field, cell)


def _residencies(node: PowerMgt, used: int, boot: Boot) -> tuple[int, ...] | None:
    """Optional here; None if absent or short."""
    if boot.features.sizes_checked:
        if of.count(node, dt.RESIDENCIES, boot) < 0:
            return None
        _check_size(node, dt.RESIDENCIES, used, boot)
    return of.array(node, dt.RESIDENCIES, used)


def _fill_slots(rows: Sequence[TreeRow], named: int, has_residency: bool, boot: Boot) -> list[Slot]:
    features = boot.features
    has_stop = bool(rows and rows[0].flags & STOP_CLASSES)
    if not features.clips and len(rows) >= UNCHECKED_SLOTS:
        raise Fatal(
            f"{len(rows)} states and snooze overrun the driver's array of {UNCHECKED_SLOTS} entries"
        )
    slots: list[Slot] = []
    for row in rows:
        if features.threshold and not _passes(row, has_stop, boot):
            continue
        slot = _slot(row, has_stop, has_residency, features)
        if row.index >= named and slot.stops:
            raise Fatal(
                f"{dt.NAMES} has {named} names for {len(rows)} states; the kernel reads that of "
                f"state {row.index} through an uninitialised pointer"
            )
        if slot.state is None:
            _lose_without_class(row, has_stop, boot)
            if not features.holes:
                continue
        slots.append(slot)
    return slots


def _passes(row: TreeRow, has_stop: bool, boot: Boot) -> bool:
    """Flags (4.13), threshold (4.8) and PSSCR validity (4.11), in that order."""
    everything = boot.supported if boot.features.supported_filter else row.flags
    if not passes_filters(row, everything, False, boot):
        return False
    if has_stop and boot.features.psscr_mask and not validate_psscr(row, boot):
        boot.lose(row, "invalid", row.invalid)
        return False
    return True


def _slot(row: TreeRow, has_stop: bool, has_residency: bool, features: DriverFeatures) -> Slot:
    latency_us = to_us(row.latency_ns, features)
    residency_us = to_us(row.residency_ns or 0, features) if has_residency else 0
    state: DriverState | None = None
    psscr, mask = (0, 0) if features.psscr_mask else (HV_DEFAULT_VAL, HV_DEFAULT_MASK)
    stops = False

    def entry(name: str, enter: str, default_us: int | None, timer_stop: bool) -> DriverState:
        nonlocal residency_us, psscr, mask, stops
        if default_us is not None and (features.residency == "inverted") == has_residency:
            residency_us = default_us
        stop = enter == "stop"
        stops |= stop
        if features.psscr_mask:
            psscr, mask = (row.psscr, row.mask) if stop else (0, 0)
        elif stop:
            psscr = HV_DEFAULT_VAL | row.psscr
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
    return Slot(row, state, residency_us, psscr, mask, stops)


def _lose_without_class(row: TreeRow, has_stop: bool, boot: Boot) -> None:
    if row.flags & STOP_CLASSES and boot.features.stop:
        if boot.features.supported_filter and not has_stop:
            reason = "the first state of the table is not a stop state, so the driver accepts none"
            boot.lose(row, "first-not-stop", reason, f"{DRIVER}, has_stop_states")
            return
        reason = (
            "this driver accepts only fast states that keep the timebase and deep ones that stop "
            "it; the hole shifts the PSSCR of later states"
        )
        boot.lose(row, "hole", reason)
        return
    boot.lose(row, "no-class", "its flags name no class of state the driver knows")


def _compact(slots: Sequence[Slot], boot: Boot) -> list[DriverState]:
    """powernv_cpuidle_driver_init(): used slots in order; with holes, PSSCR by the new number."""
    states: list[DriverState] = []
    for slot in slots:
        if slot.state is None:
            continue
        number = len(states) + 1
        state = replace(slot.state, index=number)
        boot.compare(slot.row, state, boot.features)
        if state.enter == "stop" and boot.features.holes:
            state = _with_psscr_of(slots[number - 1], state, slot.row, boot)
        states.append(state)
    return states


def _note_unread_psscr(states: Sequence[DriverState], rows: Sequence[TreeRow], boot: Boot) -> None:
    """Says of stop states behind a first row of another class what they are entered with."""
    reason = (
        "the first state of the table is not a stop state, so the driver reads no PSSCR values: "
        "it enters with what is in memory (0 assumed)"
    )
    for state in states:
        row = next((row for row in rows if row.index == state.source), None)
        if row is None or state.psscr is None:
            continue
        for name, value in (("psscr", state.psscr), ("mask", state.mask or 0)):
            boot.change(row, name, "not read", f"{value:#x}", reason, cause="uninitialised")


def _with_psscr_of(used: Slot, state: DriverState, row: TreeRow, boot: Boot) -> DriverState:
    """Returns the state with the PSSCR that the kernel finds at its new number."""
    if used.row is row:
        return state
    whose = f"the PSSCR of {used.row.name}" if used.state else "an empty PSSCR entry"
    reason = f"a hole before it shifts the table: it enters with {whose}"
    for field_name, before, after in (
        ("psscr", state.psscr or 0, used.psscr),
        ("mask", state.mask or 0, used.mask),
    ):
        if before != after:
            boot.change(
                row, field_name, f"{before:#x}", f"{after:#x}", reason, cause="of-another-state"
            )
    return replace(state, psscr=used.psscr, mask=used.mask)
