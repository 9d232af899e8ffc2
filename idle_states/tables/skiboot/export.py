"""skiboot's export stage: which rows of a table reach /ibm,opal/power-mgt, and why others do not.

Models add_cpu_idle_state_properties() (hw/slw.c) with the callers that decide whether it runs:
slw_init(), and on POWER8 find_cpu_idle_state_properties_p8() (hw/slw-p8.c). The table given is
taken as the one firmware chose; `Export.chosen` says which it would have chosen by itself.
"""

import struct
from collections.abc import Iterable, Iterator
from typing import Literal

from ...base.dataclass import dataclass
from ...base.model.power_mgt import (
    NAMES,
    PMICR,
    PMICR_MASK,
    RESIDENCIES,
    STOP_LEVELS,
    PowerMgt,
    cells,
    encode,
    split_names,
    u32_array,
)
from ...base.model.processors import NAP_ONLY, UNKNOWN_CHIP, Chip, Processor
from ...base.model.stages import Changed, Level, Lost, Message
from ...base.model.table import NAME_BYTES, RL_MASK, U32_MAX, Flag, IdleState, IdleTable, Register
from ...base.wording import plural
from ..spec import registry
from ..spec.loaded import TakenFor
from .nvram import strtol_u32
from .platform import Platform
from .releases import ExportCode, ExportFeatures, knows_chip, skiboot_features

FUNCTION = "hw/slw.c add_cpu_idle_state_properties()"


@dataclass(frozen=True, slots=True)
class Export:
    """The result of the firmware stage.

    node      the power-mgt node; None if firmware does not create it
    indices   rows of the table that the node has, in order
    lost      the other rows, with the reason
    changed   values that the node has otherwise than the table
    messages  lines in the OPAL log
    outcome   "ok"; "abort": an assert stops the boot; "hang": the loop never ends
    chosen    revision whose table skiboot would use on this platform; None if it uses none
    """

    node: PowerMgt | None
    indices: tuple[int, ...]
    lost: tuple[Lost, ...] = ()
    changed: tuple[Changed, ...] = ()
    messages: tuple[Message, ...] = ()
    outcome: str = "ok"
    chosen: str | None = None


def export(table: IdleTable, platform: Platform, code: ExportCode | None = None) -> Export:
    """Exports a table on a platform. code: the tree's own, which runs unless the platform names a
    release. Raises UnknownSkiboot if the platform's release is unknown."""
    own = code if platform.skiboot is None else None
    return _Exporter(table, platform, own).run()


class _Exporter:
    def __init__(self, table: IdleTable, platform: Platform, code: ExportCode | None) -> None:
        self.table = table
        self.platform = platform
        self.features = code.features if code else skiboot_features(platform.skiboot)
        self.is_stop = table.register is Register.PSSCR
        chips = table.cpu.chips if table.cpu and table.cpu.chips else (UNKNOWN_CHIP,)
        self.chip = platform.chip or chips[0]
        self.processor = _processor(table, self.chip)
        self.known = self._is_known(code)
        self.messages: list[Message] = []
        self.lost: list[Lost] = []

    def run(self) -> Export:
        processor = self.processor if self._takes_own_table() else None
        chosen = chosen_revision(
            self.platform, self.chip, self.is_stop, self.features, processor, self.table
        )
        stopped = self._never_gets_there()
        if stopped is not None:
            cause, reason, ground = stopped
            for index, state in enumerate(self.table.states):
                self.lost.append(Lost(index, state.name, cause, reason, ground))
            return Export(
                PowerMgt(self._levels_property()),
                (),
                tuple(self.lost),
                messages=tuple(self.messages),
                chosen=chosen,
            )
        self._say("debug", "CPU idle state device tree init")
        can_sleep = self._can_sleep()
        self._check_levels()
        mask = self._supported_mask(can_sleep)
        if self.features.nvram_mask:
            nvram = strtol_u32(self.platform.nvram_disable_mask or "")
            self._say("debug", f"NVRAM stop disable mask: {nvram:x}")
        if len(self.table.states) > 0xFF:
            return Export(
                None,
                (),
                tuple(self.lost),
                messages=tuple(self.messages),
                outcome="hang",
                chosen=chosen,
            )
        kept = [
            (index, state)
            for index, state in enumerate(self.table.states)
            if self._keeps(index, state, mask)
        ]
        properties = self._levels_property() | self._properties([state for _, state in kept])
        total = len(properties[NAMES])
        return Export(
            PowerMgt(properties),
            tuple(index for index, _ in kept),
            tuple(self.lost),
            (*self._changed_names(kept), *self._changed_values(kept, properties)),
            tuple(self.messages),
            outcome="abort" if total > 0xFF else "ok",
            chosen=chosen,
        )

    def _is_known(self, code: ExportCode | None) -> bool:
        """Tells whether this skiboot has a table of its own for the chip."""
        if code is not None:
            return self.chip in code.chips
        chip = self.processor.chip(self.chip) if self.processor else None
        return chip is not None and knows_chip(self.platform.skiboot, chip)

    def _takes_own_table(self) -> bool:
        """Tells whether that table is of the kind that is asked for."""
        own = self.processor is not None and self.processor.isa300 == self.is_stop
        return own and self.known

    def _say(self, level: Level | Literal[""], text: str) -> None:
        if level:
            self.messages.append(Message(level, text))

    def _printed(self, state: IdleState) -> str:
        """A state's name as %s prints it."""
        return name_in_memory(state, self.features).decode("utf-8", "surrogateescape")

    def _lose(self, index: int, state: IdleState, cause: str, reason: str, what: str) -> bool:
        self.lost.append(Lost(index, state.name, cause, reason, f"{FUNCTION}, {what}"))
        return False

    def _never_gets_there(self) -> tuple[str, str, str] | None:
        """Returns cause, reason and ground for creating no property at all; None if some are."""
        features, quirk = self.features, self.platform.quirk
        generation = self.table.cpu.generation if self.table.cpu else ""
        if quirk == "awan" and features.awan_returns:
            return "awan", "AWAN has no power management", "hw/slw.c slw_init(), QUIRK_AWAN"
        if quirk == "mambo" and features.mambo == "no properties":
            reason = "this skiboot creates no idle properties under Mambo"
            return "mambo", reason, "hw/slw.c slw_init(), QUIRK_MAMBO_CALLOUTS"
        if generation == "power7" and not features.power7:
            return "power7", "slw_init() returns before the call on POWER7", "hw/slw.c slw_init()"
        if self.is_stop and not features.stop:
            return "no-stop", "this skiboot knows no POWER9 table", f"{FUNCTION}, 952daa69b"
        if self.is_stop and not self._takes_own_table():
            self._say("debug", "CPU idle state device tree init")
            reason = f"skiboot does not know chip {self.chip}"
            chip = self.processor.chip(self.chip) if self.processor else None
            if self.processor and self.processor.isa300 and chip and chip.skiboot is None:
                reason += " (no modelled release does)"
            elif chip and chip.skiboot and registry.of_chip(self.chip) is None:
                reason += f" (by its spec, {chip.skiboot.release} is the first that does)"
            if features.unknown_chip_returns:
                self._say("error", "determining chip type")
                reason += " and creates no properties"
            else:
                reason += " and exports its nap-only table"
            return "unknown-chip", reason, f"{FUNCTION}, chip->type"
        return None

    def _can_sleep(self) -> bool:
        """Tells whether POWER8 has fast sleep: hostboot must allow it; on DD1.x it is never
        available."""
        if self.is_stop or self.processor is None or not self.processor.fast_sleep:
            return True
        can_sleep = self.platform.fast_sleep
        warns = self.features.hostboot_warning == ("found" if can_sleep else "missing")
        self._say(
            "warning" if warns else "notice",
            "SLW: HB-provided idle states property found"
            if can_sleep
            else "SLW: Sleep not enabled by HB on this platform",
        )
        if self._is_p8_dd1():
            self._say("notice", "SLW: Sleep not enabled on P8 DD1.x")
            can_sleep = False
        return can_sleep

    def _is_p8_dd1(self) -> bool:
        ec = self.platform.ec
        chip = self.processor.chip(self.chip) if self.processor else None
        return ec is not None and chip is not None and ec < chip.sleeps_from_ec

    def _check_levels(self) -> None:
        if self.is_stop and self.features.stop_levels and not self._levels():
            self._say("error", "SLW: No stop levels available. Power saving is disabled!")

    def _levels(self) -> int:
        return self.platform.enabled_stop_levels or 0

    def _wakeup_engine(self) -> bool:
        if self.is_stop and not self.features.deep_by_homer:
            return False
        return self.platform.wakeup_engine and self.platform.quirk != "mambo"

    def _supported_mask(self, can_sleep: bool) -> int:
        if self.is_stop:
            return int(Flag.STOP_INST_FAST) | (
                int(Flag.STOP_INST_DEEP) if self._wakeup_engine() else 0
            )
        mask = int(Flag.NAP_ENABLED)
        if can_sleep:
            mask |= Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1
        if self._wakeup_engine():
            mask |= Flag.WINKLE_ENABLED
        return int(mask)

    def _keeps(self, index: int, state: IdleState, mask: int) -> bool:
        if not state.flags & mask:
            return self._lose(index, state, *self._why_unsupported(state), "supported_states_mask")
        if self.is_stop and self.features.stop_levels:
            bit = 1 << 31 - (state.control & RL_MASK)
            if not self._levels() & bit:
                return self._lose(
                    index,
                    state,
                    "level-not-enabled",
                    f"level {state.level} is not in ibm,enabled-stop-levels "
                    f"({self._levels():#010x})",
                    "stop_levels",
                )
            if not self._survives_masks(index, state, bit):
                return False
        self._say(self.features.enabling_level, f"SLW: Enabling: {self._printed(state)}")
        return True

    def _why_unsupported(self, state: IdleState) -> tuple[str, str]:
        if state.has(Flag.STOP_INST_DEEP) and self.is_stop:
            if not self.features.deep_by_homer:
                return "no-wakeup-engine", "this skiboot never exports deep states on POWER9"
            return "no-wakeup-engine", "a deep state needs a wakeup engine (HOMER), there is none"
        if state.has(Flag.WINKLE_ENABLED) and not self.is_stop:
            return "no-wakeup-engine", "winkle needs a wakeup engine (SLW image), there is none"
        if state.flags & (Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1) and not self.is_stop:
            if self._is_p8_dd1():
                return "no-fast-sleep", "sleep is not enabled on POWER8 DD1.x"
            return "no-fast-sleep", 'hostboot does not list "fast-sleep" in ibm,enabled-idle-states'
        return "no-class", f"flags {state.flags:#010x} name no class of state this machine supports"

    def _survives_masks(self, index: int, state: IdleState, bit: int) -> bool:
        """Tells whether neither OPAL's built-in mask nor NVRAM's disables a state. A mask in NVRAM
        replaces OPAL's: a level that only OPAL's mask disables is then enabled."""
        opal_levels = self.features.opal_levels
        if opal_levels is None:
            return True
        text = self.platform.nvram_disable_mask
        opal_disabled = ~opal_levels & U32_MAX
        nvram_disabled = strtol_u32(text or "")
        if not (opal_disabled | nvram_disabled) & bit:
            return True
        if text is not None and not nvram_disabled & bit:
            self._say(
                "notice",
                f"SLW: Enabling: {self._printed(state)} (disabled in OPAL, forced by NVRAM)",
            )
            return True
        self._say("notice", f"SLW: Disabling: {self._printed(state)} in OPAL")
        if nvram_disabled & bit:
            self._lose(
                index,
                state,
                "disabled-by-nvram",
                f"NVRAM key opal-stop-state-disable-mask ({text}) disables level {state.level}",
                "nvram_disabled_states_mask",
            )
        else:
            self._lose(
                index,
                state,
                "disabled-by-opal",
                f"OPAL's own mask allows levels {opal_levels:#010x}, not level {state.level}",
                "opal_disabled_states_mask",
            )
        return False

    def _levels_property(self) -> dict[str, bytes]:
        """The stop-levels property, which skiboot makes from hostboot's data before this stage
        (hdata/spira.c add_stop_levels())."""
        levels = self.platform.enabled_stop_levels
        if levels is None or not self.is_stop:
            return {}
        return {STOP_LEVELS: levels.to_bytes(4, "big")}

    def _changed_names(self, kept: list[tuple[int, IdleState]]) -> Iterator[Changed]:
        """Yields the names that run on into the fields behind them."""
        for index, state in kept:
            more = len(name_in_memory(state, self.features)) - NAME_BYTES
            if more <= 0:
                continue
            reason = (
                f"{NAME_BYTES} bytes leave no room for a NUL, so firmware reads "
                f"{plural(more, 'byte')} of the next values as part of it"
            )
            if self.features.bounded_names:
                reason += (
                    f", and {more + 1} unwritten bytes follow in the property; if they are 0, "
                    "later states get each other's names"
                )
            yield Changed(
                index,
                state.name,
                "name",
                state.name,
                self._printed(state),
                reason,
                FUNCTION,
                "run-on",
            )

    def _changed_values(
        self, kept: list[tuple[int, IdleState]], properties: dict[str, bytes]
    ) -> Iterator[Changed]:
        """Yields what else the properties have otherwise than the rows that they are made of."""
        names = split_names(properties[NAMES])
        masks = cells(properties.get(PMICR_MASK, b""), 8)
        for at, (index, state) in enumerate(kept):
            own = name_in_memory(state, self.features)[:NAME_BYTES]
            exported = names[at] if at < len(names) else b""
            if exported[:NAME_BYTES] != own:
                shown = exported.decode("utf-8", "surrogateescape")
                reason = (
                    "an earlier name runs on, and later names shift if the unwritten bytes are 0"
                )
                yield Changed(
                    index, state.name, "name", state.name, shown, reason, FUNCTION, "shifted-name"
                )
            if state.residency_ns is not None and RESIDENCIES not in properties:
                reason = "this skiboot exports no residencies (before 0d7b1161a)"
                before = f"{state.residency_ns} ns"
                yield Changed(
                    index, state.name, "residency", before, "none", reason, FUNCTION, "not-exported"
                )
            if masks and masks[at] != state.mask:
                reason = "this skiboot fills the mask from the value (ae8584729 to 952daa69b)"
                before, after = f"{state.mask:#x}", f"{masks[at]:#x}"
                yield Changed(
                    index, state.name, "mask", before, after, reason, FUNCTION, "mask-is-value"
                )

    def _properties(self, states: list[IdleState]) -> dict[str, bytes]:
        properties = encode(states, self.table.register)
        names = (name_in_memory(state, self.features) for state in states)
        properties[NAMES] = _names_property(names, self.features)
        if not self.features.residency:
            properties.pop(RESIDENCIES, None)
        if self.features.pmicr_mask_is_value and PMICR in properties:
            properties[PMICR_MASK] = properties[PMICR]
        return properties


def name_in_memory(state: IdleState, features: ExportFeatures) -> bytes:
    """Returns what firmware's C takes for a state's name: all up to the first NUL.

    A name of 16 bytes has no NUL and runs on into the fields behind it, big-endian: into the
    latency if that is 16,777,216 ns or more, and from there as far as no byte is 0.
    """
    name = state.name.encode("utf-8", "surrogateescape")
    if len(name) < NAME_BYTES:
        return name
    times = [state.latency_ns, state.residency_ns or 0][: 2 if features.residency else 1]
    register, flags = struct.pack(">QQ", state.control, state.mask), u32_array([state.flags])
    behind = register + flags if features.flags_last else flags
    return name[:NAME_BYTES] + (u32_array(times) + behind).partition(b"\0")[0]


def _names_property(names: Iterable[bytes], features: ExportFeatures) -> bytes:
    """Returns the names as copied, each at the length of the one in memory. What strncpy does not
    reach of a name that runs on is whatever the heap held, here 0."""
    kept = NAME_BYTES if features.bounded_names else None
    return b"".join(name[:kept].ljust(len(name) + 1, b"\0") for name in names)


def chosen_revision(
    platform: Platform,
    chip: str,
    is_stop: bool,
    features: ExportFeatures,
    processor: Processor | None,
    table: IdleTable | None = None,
) -> str | None:
    """The revision whose table skiboot takes for the first chip; None if it takes none.

    processor  the chip's; None where skiboot has no table of it
    table      the table that is exported, which may be of no packaged spec
    """
    if processor is None:
        return None if is_stop and features.unknown_chip_returns else NAP_ONLY
    tables = [each for each in registry.variants() if each.generation == processor.name]
    if table is not None and table.cpu is not None and table.firmware.skiboot is not None:
        own = [TakenFor.of(table)] if table.firmware.is_special else []
        tables += [each for each in own if each.table not in {other.table for other in tables}]
    for each in sorted(tables, key=_rank):
        if _fits(each, platform, chip) and _has(features, each, platform, chip):
            return each.table
    return processor.table


def _rank(table: TakenFor) -> int:
    """The order in which add_cpu_idle_state_properties() asks: the simulator, EC, fused cores."""
    firmware = table.firmware
    return 0 if firmware.quirk else 1 if firmware.ec is not None else 2


def _fits(table: TakenFor, platform: Platform, chip: str) -> bool:
    """Tells whether a table is taken for a machine."""
    firmware = table.firmware
    return (
        firmware.quirk in ("", platform.quirk)
        and (firmware.ec is None or _within(platform.ec, firmware.ec))
        and (platform.fused_core or not firmware.fused_core)
    )


def _within(ec: int | None, bounds: tuple[int, int]) -> bool:
    return ec is not None and bounds[0] <= ec <= bounds[1]


def _has(features: ExportFeatures, table: TakenFor, platform: Platform, chip: str) -> bool:
    """Tells whether a release has the case that takes a table. The cases of packaged tables come
    and go, as the features say."""
    if all(table is not each for each in registry.variants()):
        first = table.firmware.skiboot
        own = first is not None and knows_chip(platform.skiboot, Chip("", None, first))
        return own and chip in table.chips
    if table.firmware.quirk:
        return features.mambo == "own table"
    if table.firmware.ec is not None:
        return features.dd1 == "any" or (features.dd1 == "nimbus" and chip == "P9_NIMBUS")
    return features.fused_core


def _processor(table: IdleTable, chip: str) -> Processor | None:
    """The processor of a chip: the table's own, or that of a packaged spec."""
    if table.cpu is not None and table.cpu.processor.chip(chip):
        return table.cpu.processor
    return registry.of_chip(chip)
