"""The platform code's stop states for idle and offline CPUs, and its first levels of SPR and
timebase loss.

Models pnv_arch300_idle_init() and pnv_power9_idle_init() of
arch/powerpc/platforms/powernv/idle.c, the stop API's failure, and POWER7/8's offline choice.
"""

from collections.abc import Sequence

from ...base.dataclass import dataclass
from ...base.model.processors import VERSIONS, of_pvr
from ...base.model.table import PSSCR_FIELD_BITS, RL_MASK, Cpu, Flag, Psscr
from .driver_features import DriverFeatures
from .driver_table import StopChoice
from .journal import PLATFORM, Journal, TreeRow

OLD_FORMAT_MASK = 0xF
HV_DEFAULT_VAL = PSSCR_FIELD_BITS & ~RL_MASK
"""PSSCR_HV_DEFAULT_VAL, 0x3f03f0."""
HV_DEFAULT_MASK = PSSCR_FIELD_BITS
"""PSSCR_HV_DEFAULT_MASK, 0x3f03ff."""
_TB_OR_FULL = int(Flag.TIMEBASE_STOP | Flag.LOSE_FULL_CONTEXT)
_PREFIX = "cpuidle-powernv: "


@dataclass(slots=True)
class Choices:
    """The platform code's decisions; `supported` is the OR of flags the driver filters by."""

    default: StopChoice | None = None
    deepest: StopChoice | None = None
    offline: str = "busy wait"
    spr_loss_level: int | None = None
    tb_loss_level: int | None = None
    supported: int = 0


def choose_stop_states(
    rows: Sequence[TreeRow], cpu: Cpu, features: DriverFeatures, choices: Choices, journal: Journal
) -> None:
    """Validates the rows and makes the choices; `invalid` of a rejected row gets the reason."""
    if features.pvrs is not None and cpu.pvr not in features.pvrs:
        for row in rows:
            row.invalid = no_driver(cpu)
        return
    none_loses = 15 if features.loss_levels in ("", "deep") else 16
    spr_loss = tb_loss = none_loses
    spr_flags = _TB_OR_FULL if none_loses == 16 else int(Flag.LOSE_FULL_CONTEXT)
    deepest_ns = 0
    for row in rows:
        if features.pvrs is not None and not restores(cpu) and row.flags & _TB_OR_FULL:
            row.invalid = (
                "from POWER10 on, Linux has no driver for states that lose full context or stop "
                "the timebase"
            )
            continue
        level = row.psscr & RL_MASK
        if row.flags & Flag.TIMEBASE_STOP:
            tb_loss = min(tb_loss, level)
        if row.flags & spr_flags:
            spr_loss = min(spr_loss, level)
        if not validate_psscr(row, journal):
            continue
        if (row.residency_ns or 0) > deepest_ns:
            deepest_ns = row.residency_ns or 0
            choices.deepest = StopChoice(row.psscr, row.mask, row.index)
        if choices.default is None and row.flags & Flag.STOP_INST_FAST:
            choices.default = StopChoice(row.psscr, row.mask, row.index)
    choices.spr_loss_level = spr_loss
    if none_loses == 16:
        choices.tb_loss_level = tb_loss
    if features.choices == "builtin":
        _fill_in(choices, journal)
    else:
        _announce(choices, journal)
    if choices.deepest is not None:
        choices.offline = "stop"
    if features.loss_levels == "deep":
        level_text = f"Requested Level (RL) value of first deep stop = {spr_loss:#x}"
        journal.say("info", _PREFIX + level_text)
    elif features.loss_levels:
        # up to 5.2 the number after 0x is decimal
        hexadecimal = features.loss_levels == "hex"
        for what, loss in (("SPRs", spr_loss), ("timebase", tb_loss)):
            number = f"{loss:#x}" if hexadecimal else f"0x{loss}"
            journal.say("info", f"{_PREFIX}First stop level that may lose {what} = {number}")


def restores(cpu: Cpu) -> bool:
    """True if Linux has a driver for states of this processor that lose full context."""
    processor = of_pvr(cpu.pvr)
    return processor is not None and processor.linux_restores


def no_driver(cpu: Cpu) -> str:
    """Returns why a kernel that does not know a processor's PVR uses none of its stop states."""
    version = VERSIONS.get(cpu.pvr)
    known = version is None or version.linux is not None
    others = "" if known else ", nor has any modelled kernel that looks at it"
    return f"this kernel has no stop driver for PVR {cpu.pvr:#06x}{others}"


def choose_by_level(rows: Sequence[TreeRow], choices: Choices) -> None:
    """4.8 to 4.10: level 0 by default, the highest level for offlined CPUs, no messages."""
    if any(row.flags & Flag.STOP_INST_FAST for row in rows):
        choices.default = StopChoice(HV_DEFAULT_VAL, HV_DEFAULT_MASK, None)
    if rows:
        deepest = max(rows, key=lambda row: row.psscr & RL_MASK)
        choices.deepest = StopChoice(HV_DEFAULT_VAL | deepest.psscr, HV_DEFAULT_MASK, deepest.index)
        choices.offline = "stop"
    losing = [row.psscr & RL_MASK for row in rows if row.flags & Flag.LOSE_FULL_CONTEXT]
    choices.spr_loss_level = min([15, *losing])


def validate_psscr(row: TreeRow, journal: Journal) -> bool:
    """validate_psscr_val_mask(); rewrites old-format values in place."""
    if row.mask == OLD_FORMAT_MASK:
        before = row.psscr
        row.psscr |= HV_DEFAULT_VAL
        row.mask = HV_DEFAULT_MASK
        journal.change(
            row,
            "psscr",
            f"{before:#x}",
            f"{row.psscr:#x}",
            "a mask of 0xf marks old firmware, so the kernel fills in the other fields",
            f"{PLATFORM} validate_psscr_val_mask()",
        )
        return True
    fields = Psscr.from_int(row.psscr)
    if fields.esl != fields.ec:
        problem = "ESL,EC bits unequal"
    elif row.flags & Flag.LOSE_FULL_CONTEXT and not fields.esl:
        problem = "ESL cleared for deep stop-state"
    else:
        return True
    row.invalid = f"its PSSCR is invalid to the kernel: {problem}"
    journal.say("warning", f"Invalid psscr 0x{row.psscr:016x} : {problem}")
    return False


def _fill_in(choices: Choices, journal: Journal) -> None:
    """4.11: where nothing suits, a built-in value is used."""
    builtin = StopChoice(HV_DEFAULT_VAL, HV_DEFAULT_MASK, None)
    text = f"Setting default stop psscr val=0x{HV_DEFAULT_VAL:016x},mask=0x{HV_DEFAULT_MASK:016x}"
    if choices.default is None:
        choices.default = builtin
        journal.say("warning", text)
    if choices.deepest is None:
        choices.deepest = builtin
        journal.say("warning", text)


def _announce(choices: Choices, journal: Journal) -> None:
    default, deepest = choices.default, choices.deepest
    if default is None:
        journal.say(
            "warning",
            f"{_PREFIX}No suitable default stop state found. Disabling platform idle.",
        )
    else:
        journal.say(
            "info",
            f"{_PREFIX}Default stop: psscr = 0x{default.psscr:016x},mask=0x{default.mask:016x}",
        )
    if deepest is None:
        journal.say(
            "warning",
            f"{_PREFIX}No suitable stop state for CPU-Hotplug. Offlined CPUs will busy wait",
        )
    else:
        journal.say(
            "info",
            f"{_PREFIX}Deepest stop: psscr = 0x{deepest.psscr:016x},mask=0x{deepest.mask:016x}",
        )


def stop_api_failed(rows: Sequence[TreeRow], cpu: Cpu, choices: Choices, journal: Journal) -> None:
    """pnv_disable_deep_states(): the firmware refused to restore SPRs (785a12afdb4a)."""
    choices.supported &= ~int(Flag.LOSE_FULL_CONTEXT)
    journal.say("warning", f"{_PREFIX}Disabling idle states that lose full context")
    journal.say("warning", f"{_PREFIX}Idle power-savings, CPU-Hotplug affected")
    deepest = choices.deepest
    if not cpu.isa300 or deepest is None or deepest.source is None:
        return
    if not rows[deepest.source].flags & Flag.LOSE_FULL_CONTEXT:
        return
    if choices.default is None:
        choices.deepest = None
        choices.offline = "busy wait"
        journal.say("warning", f"{_PREFIX}Offlined CPUs will busy wait")
        return
    choices.deepest = choices.default
    journal.say(
        "warning",
        f"{_PREFIX}Offlined CPUs will stop with psscr = 0x{choices.deepest.psscr:016x}",
    )


def offline_before_stop(supported: int, *, winkle_needs_full: bool, otherwise: str) -> str:
    """POWER7 and POWER8: the deepest of winkle, sleep and nap that the flags allow."""
    full = supported & Flag.LOSE_FULL_CONTEXT or not winkle_needs_full
    if supported & Flag.WINKLE_ENABLED and full:
        return "winkle"
    if supported & (Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1):
        return "sleep"
    return "nap" if supported & Flag.NAP_ENABLED else otherwise
