"""Linux 4.19 and later: the platform code parses the node once, all or nothing (9c7b185ab2fe)."""

from collections.abc import Sequence

from ...base.model import power_mgt as dt
from ...base.model.table import STOP_CLASSES, Flag
from . import of
from .convert import STATE_MAX, THRESHOLD_NS, shown_name, to_us
from .driver_table import DriverState
from .journal import DRIVER, Fatal, Journal, ParseFailure, TreeRow
from .stop_choice import Boot, choose_stop_states, offline_before_stop, stop_api_failed

_SLEEP = int(Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1)


def register(boot: Boot) -> list[DriverState]:
    """States after snooze. Raises ParseFailure, Fatal."""
    try:
        rows = parse(boot)
    except ParseFailure:
        boot.say("warning", "cpuidle-powernv : Only Snooze is available")
        raise
    if boot.cpu.isa300:
        choose_stop_states(rows, boot)
    else:
        for row in rows:
            row.invalid = "this processor has no stop instruction, so no PSSCR is validated"
    for row in rows:
        boot.supported |= row.flags
    before_stop_api = boot.supported
    if boot.supported & Flag.LOSE_FULL_CONTEXT and not boot.stop_api:
        stop_api_failed(rows, boot)
    if not boot.cpu.isa300 or (boot.deepest is None and not boot.features.keeps_winkle):
        boot.offline = offline_before_stop(
            before_stop_api if boot.features.keeps_winkle else boot.supported,
            winkle_needs_full=True,
            otherwise="busy wait",
        )
    return add_states(rows, boot)


def parse(boot: Boot) -> list[TreeRow]:
    """pnv_parse_cpuidle_dt(), in its order of reading."""
    node = boot.found()
    count = of.count(node, dt.FLAGS, boot)
    if count < 0:
        # kcalloc() of a negative count is what fails, hence the message
        boot.say("error", "Could not allocate memory for dt parsing")
        data = node.properties.get(dt.FLAGS)
        what = "is absent" if data is None else f"is {len(data)} bytes long, no multiple of 4"
        raise ParseFailure("bad-flags", f"{dt.FLAGS} {what}")
    columns = {dt.FLAGS: node.cells(dt.FLAGS)}
    wanted = [dt.LATENCIES, dt.RESIDENCIES]
    if boot.cpu.isa300:
        wanted += [dt.PSSCR, dt.PSSCR_MASK]
    for name in wanted:
        cells = of.array(node, name, count)
        if cells is None:
            named = name
            if name == dt.RESIDENCIES and not boot.features.residency_message:
                named = dt.LATENCIES
            boot.say("warning", f"cpuidle-powernv: missing {named} in DT")
            raise ParseFailure("short-array", of.shortage(node, name, count))
        columns[name] = cells
    names = of.state_names(node, count, boot)
    if len(names) < count:
        raise Fatal(
            f"{dt.NAMES} has {len(names)} names for {count} states; "
            "the kernel copies the next one from a NULL pointer and crashes at boot"
        )
    zeros = (0,) * count
    return [
        TreeRow(index, name, *values)
        for index, (name, *values) in enumerate(
            zip(
                names,
                columns[dt.FLAGS],
                columns[dt.LATENCIES],
                columns[dt.RESIDENCIES],
                columns.get(dt.PSSCR, zeros),
                columns.get(dt.PSSCR_MASK, zeros),
                strict=True,
            )
        )
    ]


def add_states(rows: Sequence[TreeRow], boot: Boot) -> list[DriverState]:
    """powernv_add_idle_states(): what the driver takes of the parsed rows, in order."""
    if not rows:
        boot.say("warning", "cpuidle-powernv : Only Snooze is available")
        return []
    if len(rows) > STATE_MAX - 1:
        boot.say("warning", "cpuidle-powernv: discovered idle states more than allowed")
        lose_beyond_nine(rows, boot)
    has_stop = bool(rows[0].flags & STOP_CLASSES)
    states: list[DriverState] = []
    for row in rows[: STATE_MAX - 1]:
        if passes_filters(row, boot.supported, has_stop, boot):
            state = classify(row, len(states) + 1, has_stop, boot)
            if state is not None:
                boot.compare(row, state, boot.features)
                states.append(state)
    return states


def lose_beyond_nine(rows: Sequence[TreeRow], journal: Journal) -> None:
    for row in rows[STATE_MAX - 1 :]:
        journal.lose(
            row,
            "beyond-nine",
            f"it is state {row.index + 1} of {len(rows)}, and cpuidle has room for snooze "
            "and nine more",
            f"{DRIVER}, CPUIDLE_STATE_MAX",
        )


def passes_filters(row: TreeRow, supported: int, has_stop: bool, journal: Journal) -> bool:
    """The driver's silent filters, in their order."""
    if row.flags & supported != row.flags:
        missing = row.flags & ~supported
        reason = f"flags {missing:#x} are not supported by the platform code"
        if missing == Flag.LOSE_FULL_CONTEXT:
            reason = "the stop API failed, so states that lose full context are not used"
        journal.lose(row, "unsupported-flags", reason, f"{DRIVER}, supported_flags")
    elif row.latency_ns > THRESHOLD_NS:
        journal.lose(
            row,
            "over-threshold",
            f"its exit latency of {row.latency_ns} ns is above the driver's limit of "
            f"{THRESHOLD_NS} ns; it can serve offlined CPUs only",
            f"{DRIVER}, POWERNV_THRESHOLD_LATENCY_NS",
        )
    elif has_stop and row.invalid:
        journal.lose(row, "invalid", row.invalid, "pnv_arch300_idle_init()")
    else:
        return True
    return False


def classify(row: TreeRow, index: int, has_stop: bool, boot: Boot) -> DriverState | None:
    """The entry for a row by the class its flags name (4.13 and later); None if none does."""
    features = boot.features
    name = shown_name(row.name, features)
    times = (to_us(row.latency_ns, features), to_us(row.residency_ns or 0, features))
    timer_stop = bool(row.flags & Flag.TIMEBASE_STOP)
    sleep = bool(row.flags & _SLEEP)
    if row.flags & Flag.NAP_ENABLED:
        return DriverState(index, "Nap", *times, "nap", row.index)
    if has_stop and not (timer_stop and sleep):
        return DriverState(
            index,
            name,
            *times,
            "stop",
            row.index,
            timer_stop=timer_stop,
            psscr=row.psscr,
            mask=row.mask,
        )
    if sleep:
        return DriverState(index, "FastSleep", *times, "fastsleep", row.index, timer_stop=True)
    if row.flags & STOP_CLASSES:
        reason = "the first state of the table is not a stop state, so the driver accepts none"
        boot.lose(row, "first-not-stop", reason, f"{DRIVER}, has_stop_states")
    elif row.flags & Flag.WINKLE_ENABLED:
        reason = "the driver has no entry for winkle; it serves offlined CPUs"
        boot.lose(row, "no-class", reason)
    else:
        boot.lose(row, "no-class", "its flags name no class of state the driver knows")
    return None
