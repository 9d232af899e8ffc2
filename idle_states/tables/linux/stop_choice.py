"""The platform code's stop states for idle and offline CPUs, and its first levels of SPR and
timebase loss.

Models pnv_arch300_idle_init() and pnv_power9_idle_init() of
arch/powerpc/platforms/powernv/idle.c, the stop API's failure, and POWER7/8's offline choice.
"""

from collections.abc import Sequence

from ...base.model.power_mgt import PowerMgt
from ...base.model.table import PSSCR_FIELD_BITS, RL_MASK, Cpu, Flag, Psscr
from .driver_features import DriverFeatures
from .driver_table import StopChoice
from .journal import PLATFORM, Journal, ParseFailure, TreeRow
from .spec_pvrs import first_driver

OLD_FORMAT_MASK = 0xF
HV_DEFAULT_VAL = PSSCR_FIELD_BITS & ~RL_MASK
"""PSSCR_HV_DEFAULT_VAL, 0x3f03f0."""
HV_DEFAULT_MASK = PSSCR_FIELD_BITS
"""PSSCR_HV_DEFAULT_MASK, 0x3f03ff."""
_TB_OR_FULL = int(Flag.TIMEBASE_STOP | Flag.LOSE_FULL_CONTEXT)
_PREFIX = "cpuidle-powernv: "


class Boot(Journal):
    """A kernel that starts on a machine with OPAL: what it finds, and what it makes of it.

    stop_api   opal_slw_set_reg() succeeds
    dd1        it is a POWER9 of revision 1
    default .. tb_loss_level  the platform code's decisions, as in DriverTable
    supported  the OR of flags that the driver filters by
    """

    def __init__(
        self,
        node: PowerMgt | None,
        cpu: Cpu,
        features: DriverFeatures,
        stop_api: bool,
        dd1: bool = False,
    ) -> None:
        super().__init__()
        self.node, self.cpu, self.features, self.stop_api = node, cpu, features, stop_api
        self.dd1 = dd1
        self.default: StopChoice | None = None
        self.deepest: StopChoice | None = None
        self.offline = "busy wait"
        self.spr_loss_level: int | None = None
        self.tb_loss_level: int | None = None
        self.supported = 0

    def found(self) -> PowerMgt:
        """Returns the node. Raises ParseFailure, which is logged, if there is none."""
        if self.node is None:
            self.say("warning", "opal: PowerMgmt Node not found")
            raise ParseFailure("no-node", "there is no /ibm,opal/power-mgt")
        return self.node


def choose_stop_states(rows: Sequence[TreeRow], boot: Boot) -> None:
    """Validates the rows and makes the choices; `invalid` of a rejected row gets the reason."""
    features, cpu = boot.features, boot.cpu
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
        if not validate_psscr(row, boot):
            continue
        if (row.residency_ns or 0) > deepest_ns:
            deepest_ns = row.residency_ns or 0
            boot.deepest = StopChoice(row.psscr, row.mask, row.index)
        if boot.default is None and row.flags & Flag.STOP_INST_FAST:
            boot.default = StopChoice(row.psscr, row.mask, row.index)
    boot.spr_loss_level = spr_loss
    if none_loses == 16:
        boot.tb_loss_level = tb_loss
    if features.choices == "builtin":
        _fill_in(boot)
    else:
        _announce(boot)
    if boot.deepest is not None:
        boot.offline = "stop"
    if features.loss_levels == "deep":
        level_text = f"Requested Level (RL) value of first deep stop = {spr_loss:#x}"
        boot.say("info", _PREFIX + level_text)
    elif features.loss_levels:
        # up to 5.2 the number after 0x is decimal
        hexadecimal = features.loss_levels == "hex"
        for what, loss in (("SPRs", spr_loss), ("timebase", tb_loss)):
            number = f"{loss:#x}" if hexadecimal else f"0x{loss}"
            boot.say("info", f"{_PREFIX}First stop level that may lose {what} = {number}")


def restores(cpu: Cpu) -> bool:
    """True if Linux has a driver for states of this processor that lose full context."""
    return cpu.processor.linux_restores


def no_driver(cpu: Cpu) -> str:
    """Returns why a kernel that does not know a processor's PVR uses none of its stop states."""
    version = cpu.processor.version(cpu.pvr)
    known = version is None or version.linux is not None
    others = "" if known else ", and no modelled kernel that checks the PVR has one"
    return f"this kernel has no stop driver for {cpu.version}{others}{first_driver(cpu)}"


def choose_by_level(rows: Sequence[TreeRow], boot: Boot) -> None:
    """4.8 to 4.10: the highest level for offlined CPUs, no messages."""
    if rows:
        deepest = max(rows, key=lambda row: row.psscr & RL_MASK)
        level = deepest.psscr & RL_MASK
        boot.deepest = StopChoice(HV_DEFAULT_VAL | level, HV_DEFAULT_MASK, deepest.index)
    losing = [row.psscr & RL_MASK for row in rows if row.flags & Flag.LOSE_FULL_CONTEXT]
    boot.spr_loss_level = min([15, *losing])


def stop_unchosen(boot: Boot) -> None:
    """4.8 to 4.11: whether CPUs stop does not depend on a state to stop in. Idle ones do if a flag
    says so, offline ones by their processor; before 4.11 at level 0, then with PSSCR as it is."""
    unset = StopChoice(0, 0, None)
    if boot.features.choices == "level":
        unset = StopChoice(HV_DEFAULT_VAL, HV_DEFAULT_MASK, None)
    stops = boot.supported & Flag.STOP_INST_FAST and not boot.supported & Flag.NAP_ENABLED
    boot.default = boot.default or unset if stops else None
    if boot.cpu.isa300:
        boot.deepest = boot.deepest or unset
        boot.offline = "stop"


def validate_psscr(row: TreeRow, journal: Journal) -> bool:
    """validate_psscr_val_mask(); rewrites old-format values in place."""
    if row.mask == OLD_FORMAT_MASK:
        before = row.psscr, row.mask
        row.psscr |= HV_DEFAULT_VAL
        row.mask = HV_DEFAULT_MASK
        reason = "a mask of 0xf marks old firmware, so the kernel fills in the other fields"
        ground = f"{PLATFORM} validate_psscr_val_mask()"
        for field_name, old, new in zip(
            ("psscr", "mask"), before, (row.psscr, row.mask), strict=True
        ):
            if old != new:
                journal.change(
                    row, field_name, f"{old:#x}", f"{new:#x}", reason, ground, cause="old-format"
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


def _fill_in(boot: Boot) -> None:
    """4.11: where nothing suits, a built-in value is used."""
    builtin = StopChoice(HV_DEFAULT_VAL, HV_DEFAULT_MASK, None)
    text = f"Setting default stop psscr val=0x{HV_DEFAULT_VAL:016x},mask=0x{HV_DEFAULT_MASK:016x}"
    if boot.default is None:
        boot.default = builtin
        boot.say("warning", text)
    if boot.deepest is None:
        boot.deepest = builtin
        boot.say("warning", text)


def _announce(boot: Boot) -> None:
    none_to_idle = "default stop state found. Disabling platform idle."
    none_to_unplug = "stop state for CPU-Hotplug. Offlined CPUs will busy wait"
    for what, choice, missing in (
        ("Default", boot.default, none_to_idle),
        ("Deepest", boot.deepest, none_to_unplug),
    ):
        if choice is None:
            boot.say("warning", f"{_PREFIX}No suitable {missing}")
        else:
            values = f"psscr = 0x{choice.psscr:016x},mask=0x{choice.mask:016x}"
            boot.say("info", f"{_PREFIX}{what} stop: {values}")


def stop_api_failed(rows: Sequence[TreeRow], boot: Boot) -> None:
    """pnv_disable_deep_states(): the firmware refused to restore SPRs (785a12afdb4a)."""
    boot.supported &= ~int(Flag.LOSE_FULL_CONTEXT)
    boot.say("warning", f"{_PREFIX}Disabling idle states that lose full context")
    boot.say("warning", f"{_PREFIX}Idle power-savings, CPU-Hotplug affected")
    deepest = boot.deepest
    if not boot.cpu.isa300 or deepest is None or deepest.source is None:
        return
    if not rows[deepest.source].flags & Flag.LOSE_FULL_CONTEXT:
        return
    boot.deepest = boot.default
    if boot.default is None:
        boot.offline = "busy wait"
        boot.say("warning", f"{_PREFIX}Offlined CPUs will busy wait")
    else:
        psscr = f"0x{boot.default.psscr:016x}"
        boot.say("warning", f"{_PREFIX}Offlined CPUs will stop with psscr = {psscr}")


def offline_before_stop(supported: int, *, winkle_needs_full: bool, otherwise: str) -> str:
    """POWER7 and POWER8: the deepest of winkle, sleep and nap that the flags allow."""
    full = supported & Flag.LOSE_FULL_CONTEXT or not winkle_needs_full
    if supported & Flag.WINKLE_ENABLED and full:
        return "winkle"
    if supported & (Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1):
        return "sleep"
    return "nap" if supported & Flag.NAP_ENABLED else otherwise
