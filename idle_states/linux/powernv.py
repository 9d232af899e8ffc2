"""What cpuidle-powernv registers from /ibm,opal/power-mgt, by release.

Models drivers/cpuidle/cpuidle-powernv.c and the parsing half of
arch/powerpc/platforms/powernv/idle.c. The kernel parses all or nothing: one absent or short
array loses every state.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..devicetree import power_mgt as dt
from ..devicetree.power_mgt import PowerMgt
from ..stages import Changed, Lost, Message
from ..table import PSSCR_FIELD_BITS, RL_MASK, STOP_CLASSES, U32_MAX, Cpu, Flag, Psscr
from .driver_table import DriverState, DriverTable, StopChoice
from .releases import Release

STATE_MAX = 10
"""CPUIDLE_STATE_MAX, snooze included."""
NAME_LENGTH = 15
"""PNV_IDLE_NAME_LEN and CPUIDLE_NAME_LEN without the NUL."""
THRESHOLD_NS = 200_000
"""POWERNV_THRESHOLD_LATENCY_NS."""
NO_LOSS_LEVEL = 16
"""MAX_STOP_STATE + 1: no level loses anything."""

OLD_FORMAT_MASK = 0xF
HV_DEFAULT_VAL = PSSCR_FIELD_BITS & ~RL_MASK
HV_DEFAULT_MASK = PSSCR_FIELD_BITS

DRIVER = "cpuidle-powernv.c powernv_add_idle_states()"
PLATFORM = "platforms/powernv/idle.c"
_TB_OR_FULL = int(Flag.TIMEBASE_STOP | Flag.LOSE_FULL_CONTEXT)


@dataclass(slots=True)
class Row:
    """One state while the kernel works on it; psscr and mask may be rewritten."""

    index: int
    name: str
    flags: int
    latency_ns: int
    residency_ns: int
    psscr: int = 0
    mask: int = 0
    valid: bool = False


@dataclass(slots=True)
class Journal:
    """What is said and lost on the way."""

    messages: list[Message] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)

    def say(self, level: str, text: str) -> None:
        self.messages.append(Message(level, text))

    def lose(self, row: Row, cause: str, reason: str, ground: str) -> None:
        self.lost.append(Lost(row.index, row.name, cause, reason, ground))


class ParseFailure(Exception):
    """The kernel gives up on the whole node. cause identifies why, for `Lost`."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(reason)
        self.cause = cause
        self.reason = reason


class Oops(Exception):
    """The kernel dereferences NULL while parsing."""


def register(node: PowerMgt | None, cpu: Cpu, release: Release) -> DriverTable:
    journal = Journal()
    try:
        rows = parse(node, cpu, journal)
    except ParseFailure as failure:
        _lose_all(node, failure, journal)
        journal.say("warning", "cpuidle-powernv : Only Snooze is available")
        return _table(release, [], journal)
    except Oops as oops:
        _lose_all(node, ParseFailure("oops", str(oops)), journal)
        return DriverTable(
            release.name, (), tuple(journal.lost), (), tuple(journal.messages), fatal=str(oops)
        )
    choices = Choices()
    if cpu.isa300:
        choices = _choose_stop_states(rows, cpu, release, journal)
    else:
        choices.offline = _power7_offline(rows)
    states = _add_states(rows, release, journal)
    return _table(release, states, journal, choices)


def parse(node: PowerMgt | None, cpu: Cpu, journal: Journal) -> list[Row]:
    """pnv_parse_cpuidle_dt(), in its order of reading."""
    if node is None:
        journal.say("warning", "opal: PowerMgt Node not found")
        raise ParseFailure("no-node", "there is no /ibm,opal/power-mgt")
    flags_data = node.properties.get(dt.FLAGS)
    if flags_data is None or len(flags_data) % 4:
        journal.say("error", "Could not allocate memory for dt parsing")
        what = "absent" if flags_data is None else f"{len(flags_data)} bytes long"
        raise ParseFailure("bad-flags", f"{dt.FLAGS} is {what}, so the count is an error code")
    count = len(flags_data) // 4
    wanted = [(dt.LATENCIES, 4), (dt.RESIDENCIES, 4)]
    if cpu.isa300:
        wanted += [(dt.PSSCR, 8), (dt.PSSCR_MASK, 8)]
    for name, size in wanted:
        data = node.properties.get(name)
        if data is None or len(data) < count * size:
            journal.say("warning", f"cpuidle-powernv: missing {name} in DT")
            what = (
                "is absent"
                if data is None
                else f"has {len(data)} bytes, {count * size} are needed for {count} states"
            )
            raise ParseFailure("short-array", f"{name} {what}")
    names = _read_names(node, count, journal)
    column = {name: node.cells(name) for name in dt.CELL_BYTES}
    return [
        Row(
            index,
            names[index][:NAME_LENGTH],
            column[dt.FLAGS][index],
            column[dt.LATENCIES][index],
            column[dt.RESIDENCIES][index],
            column[dt.PSSCR][index] if cpu.isa300 else 0,
            column[dt.PSSCR_MASK][index] if cpu.isa300 else 0,
        )
        for index in range(count)
    ]


def _read_names(node: PowerMgt, count: int, journal: Journal) -> list[str]:
    """of_property_read_string_array(): fewer strings than asked for is not an error to it."""
    data = node.properties.get(dt.NAMES)
    strings: list[bytes] = []
    failed = not data
    while data and len(strings) < count:
        head, nul, data = data.partition(b"\0")
        if not nul:
            failed = True
            break
        strings.append(head)
    if failed or not strings:
        journal.say("warning", f"cpuidle-powernv: missing {dt.NAMES} in DT")
        raise ParseFailure("bad-names", f"{dt.NAMES} is absent, empty or unterminated")
    if len(strings) < count:
        raise Oops(
            f"{dt.NAMES} has {len(strings)} of {count} names; the kernel copies from a NULL pointer"
        )
    return [string.decode("utf-8", "surrogateescape") for string in strings]


@dataclass(slots=True)
class Choices:
    """What pnv_arch300_idle_init() or the POWER7/8 code settles on."""

    default: StopChoice | None = None
    deepest: StopChoice | None = None
    offline: str = "busy wait"
    spr_loss_level: int | None = None
    tb_loss_level: int | None = None


def _choose_stop_states(
    rows: Sequence[Row], cpu: Cpu, release: Release, journal: Journal
) -> Choices:
    """pnv_arch300_idle_init(): validity, and the default, deepest and first-loss levels."""
    accepted = {0x004E: True, 0x0080: release.features.power10, 0x0082: release.features.power11}
    if not accepted.get(cpu.pvr, False):
        return Choices()
    choices = Choices(spr_loss_level=NO_LOSS_LEVEL, tb_loss_level=NO_LOSS_LEVEL)
    assert choices.spr_loss_level is not None
    assert choices.tb_loss_level is not None
    deepest_ns = 0
    for row in rows:
        if cpu.pvr != 0x004E and row.flags & _TB_OR_FULL:
            continue
        level = row.psscr & RL_MASK
        if row.flags & Flag.TIMEBASE_STOP:
            choices.tb_loss_level = min(choices.tb_loss_level, level)
        if row.flags & _TB_OR_FULL:
            choices.spr_loss_level = min(choices.spr_loss_level, level)
        if not _validate_psscr(row, journal):
            continue
        row.valid = True
        if row.residency_ns > deepest_ns:
            deepest_ns = row.residency_ns
            choices.deepest = StopChoice(row.psscr, row.mask, row.index)
        if choices.default is None and row.flags & Flag.STOP_INST_FAST:
            choices.default = StopChoice(row.psscr, row.mask, row.index)

    if choices.default is None:
        journal.say(
            "warning",
            "cpuidle-powernv: No suitable default stop state found. Disabling platform idle.",
        )
    else:
        journal.say(
            "info",
            f"cpuidle-powernv: Default stop: psscr = 0x{choices.default.psscr:016x},"
            f"mask=0x{choices.default.mask:016x}",
        )
    if choices.deepest is None:
        journal.say(
            "warning",
            "cpuidle-powernv: No suitable stop state for CPU-Hotplug. Offlined CPUs will busy wait",
        )
    else:
        choices.offline = "stop"
        journal.say(
            "info",
            f"cpuidle-powernv: Deepest stop: psscr = 0x{choices.deepest.psscr:016x},"
            f"mask=0x{choices.deepest.mask:016x}",
        )
    journal.say(
        "info",
        f"cpuidle-powernv: First stop level that may lose SPRs = {choices.spr_loss_level:#x}",
    )
    journal.say(
        "info",
        f"cpuidle-powernv: First stop level that may lose timebase = {choices.tb_loss_level:#x}",
    )
    return choices


def _validate_psscr(row: Row, journal: Journal) -> bool:
    """validate_psscr_val_mask(); rewrites old-format values in place."""
    if row.mask == OLD_FORMAT_MASK:
        before = row.psscr
        row.psscr |= HV_DEFAULT_VAL
        row.mask = HV_DEFAULT_MASK
        journal.changed.append(
            Changed(
                row.index,
                row.name,
                "psscr",
                f"{before:#x}",
                f"{row.psscr:#x}",
                "a mask of 0xf marks old firmware; the kernel fills the other fields",
                f"{PLATFORM} validate_psscr_val_mask()",
            )
        )
        return True
    fields = Psscr.from_int(row.psscr)
    if fields.esl != fields.ec:
        problem = "ESL,EC bits unequal"
    elif row.flags & Flag.LOSE_FULL_CONTEXT and not fields.esl:
        problem = "ESL cleared for deep stop-state"
    else:
        return True
    journal.say("error", f"Invalid psscr 0x{row.psscr:016x} : {problem}")
    return False


def _power7_offline(rows: Sequence[Row]) -> str:
    """What an offlined CPU of POWER7 or POWER8 does: pnv_init_idle_states()."""
    supported = 0
    for row in rows:
        supported |= row.flags
    if supported & Flag.WINKLE_ENABLED and supported & Flag.LOSE_FULL_CONTEXT:
        return "winkle"
    if supported & (Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1):
        return "sleep"
    return "nap"


def _add_states(rows: Sequence[Row], release: Release, journal: Journal) -> list[DriverState]:
    """powernv_add_idle_states(), from 4.14 on."""
    if not rows:
        journal.say("warning", "cpuidle-powernv : Only Snooze is available")
        return []
    if len(rows) > STATE_MAX - 1:
        journal.say("warning", "cpuidle-powernv: discovered idle states more than allowed")
        for row in rows[STATE_MAX - 1 :]:
            journal.lose(
                row,
                "beyond-nine",
                f"it is state {row.index + 1} of {len(rows)}; cpuidle has room for snooze and nine",
                f"{DRIVER}, CPUIDLE_STATE_MAX",
            )
    has_stop_states = bool(rows[0].flags & STOP_CLASSES)
    states: list[DriverState] = []
    for row in rows[: STATE_MAX - 1]:
        if row.latency_ns > THRESHOLD_NS:
            journal.lose(
                row,
                "over-threshold",
                f"its exit latency of {row.latency_ns} ns is above the limit of {THRESHOLD_NS} ns; "
                "it serves offline CPUs only",
                f"{DRIVER}, POWERNV_THRESHOLD_LATENCY_NS",
            )
            continue
        if has_stop_states and not row.valid:
            journal.lose(row, "invalid", "the platform code did not mark it valid", DRIVER)
            continue
        state = _classify(row, len(states) + 1, has_stop_states, release, journal)
        if state is None:
            journal.lose(
                row,
                "no-class",
                "its flags name no kind of state the driver knows"
                if has_stop_states or not row.flags & STOP_CLASSES
                else "the first state is no stop state, so the driver takes no stop states at all",
                f"{DRIVER}, has_stop_states",
            )
            continue
        states.append(state)
    return states


def _classify(
    row: Row, index: int, has_stop_states: bool, release: Release, journal: Journal
) -> DriverState | None:
    latency_us = to_us(row.latency_ns, release)
    residency_us = to_us(row.residency_ns, release)
    timebase_stops = bool(row.flags & Flag.TIMEBASE_STOP)
    common = (latency_us, residency_us)
    if row.flags & Flag.NAP_ENABLED:
        return DriverState(index, "Nap", *common, "nap", row.index)
    if has_stop_states and not timebase_stops:
        return DriverState(
            index, row.name, *common, "stop", row.index, psscr=row.psscr, mask=row.mask
        )
    if row.flags & (Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1):
        return DriverState(index, "FastSleep", *common, "fastsleep", row.index, timer_stop=True)
    if has_stop_states:
        return DriverState(
            index,
            row.name,
            *common,
            "stop",
            row.index,
            timer_stop=True,
            psscr=row.psscr,
            mask=row.mask,
        )
    return None


def to_us(nanoseconds: int, release: Release) -> int:
    """The driver's conversion: truncation to 4.13, DIV_ROUND_UP in u32 from 4.14 (8d4e10e9ed94)."""
    if not release.features.round_up:
        return nanoseconds // 1000
    return ((nanoseconds + 999) & U32_MAX) // 1000


def _lose_all(node: PowerMgt | None, failure: ParseFailure, journal: Journal) -> None:
    if node is None:
        return
    count = node.count(dt.FLAGS) or 0
    names = node.names()
    for index in range(count):
        name = names[index].decode("utf-8", "replace") if index < len(names) else f"state {index}"
        journal.lost.append(
            Lost(
                index,
                name,
                failure.cause,
                f"the kernel parses all or nothing: {failure.reason}",
                f"{PLATFORM} pnv_parse_cpuidle_dt()",
            )
        )


def _table(
    release: Release,
    states: list[DriverState],
    journal: Journal,
    choices: Choices | None = None,
) -> DriverTable:
    choices = choices or Choices()
    snooze = DriverState(0, "snooze", 0, 0, "snooze", polling=release.features.snooze_polling)
    timeout = states[0].target_residency_us if states else None
    return DriverTable(
        release.name,
        (snooze, *states),
        tuple(sorted(journal.lost, key=lambda lost: lost.index)),
        tuple(journal.changed),
        tuple(journal.messages),
        choices.default,
        choices.deepest,
        choices.offline,
        choices.spr_loss_level,
        choices.tb_loss_level,
        timeout,
    )
