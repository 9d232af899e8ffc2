"""The machine that a table is exported on: presets, and key=value pairs for other machines."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from ...base.dataclass import dataclass, field, fields, replace
from ...base.model.findings import Rejected, Severity, UsageError
from ...base.model.processors import UNKNOWN_CHIP
from ...base.model.table import U32_MAX, Cpu, IdleTable, Register
from ...base.wording import suggestion


@dataclass(frozen=True, slots=True)
class Platform:
    """The properties of a machine that decide which states skiboot writes into the device tree.

    enabled_stop_levels  the value of ibm,enabled-stop-levels: the highest of 32 bits is stop0, the
                         next one stop1; None: there is no such property
    wakeup_engine        a chip has a HOMER (POWER9 and later) or an SLW image (POWER8)
    fused_core           cores are fused: this_cpu()->is_fused_core
    quirk                the simulator: "mambo" or "awan"; "" is hardware
    nvram_disable_mask   text of the NVRAM key opal-stop-state-disable-mask; None: there is no such
                         key
    fast_sleep           hostboot lists "fast-sleep" in ibm,enabled-idle-states
    chip                 type of the first chip, as skiboot names it, without PROC_CHIP_; None: the
                         first one that the table is for
    ec                   that chip's EC level, 0x20 for DD2.0; None: later than any that skiboot
                         makes exceptions for
    skiboot              release that exports, such as "5.9"; None: the newest that is modelled
    stop_api             firmware restores the SPRs that Linux asks for when a deep state is left
    psci_mode            of an Arm machine: "osi", firmware offers OS-initiated mode; "pc", it has
                         platform-coordinated mode alone, in which Linux keeps power domains on
    specs                tables of specs that may say its processor, beside the packaged ones
    """

    name: str = "all-levels"
    enabled_stop_levels: int | None = U32_MAX
    wakeup_engine: bool = True
    fused_core: bool = False
    quirk: str = ""
    nvram_disable_mask: str | None = None
    fast_sleep: bool = True
    chip: str | None = None
    ec: int | None = None
    skiboot: str | None = None
    stop_api: bool = True
    psci_mode: str = "osi"
    specs: tuple[IdleTable, ...] = field(default=(), repr=False)

    def expect_chip(self, cpu: Cpu | None) -> Self:
        """Returns the platform. Raises BadPlatform for a chip that neither a packaged spec, nor one
        of `specs`, nor the CPU of a table that is followed on it has."""
        if self.chip in (None, UNKNOWN_CHIP):
            return self
        from ..spec import registry  # --help names no chip

        known = [chip.name for chip in registry.chips()]
        for each in (cpu, *(spec.cpu for spec in self.specs)):
            known += each.processor.chips if each else ()
        if self.chip not in known:
            raise BadPlatform(
                f"expected one of {', '.join(dict.fromkeys((*known, UNKNOWN_CHIP)))} for chip, "
                f"found {self.chip!r}; of a chip in your own spec, name that: spec=FILE,chip=NAME"
            )
        return self


ALL_LEVELS = Platform()

PRESET2TITLE: Mapping[Platform, str] = {
    ALL_LEVELS: "firmware exports all that a table has",
    Platform("op920", enabled_stop_levels=0xEC00_0000): "POWER9 with stop levels 0, 1, 2, 4 and 5 "
    "(skiboot hdata/test/op920.wsp.dts)",
    Platform("rainier", enabled_stop_levels=0xB010_0000): "POWER10 with stop levels 0, 2, 3 and 11 "
    "(skiboot hdata/test/p10-rainier.dts)",
    # slw_init() returns before it looks for a wakeup engine
    Platform("mambo", wakeup_engine=False, quirk="mambo"): "the simulator Mambo, without a wakeup "
    "engine",
    Platform("qemu-powernv8", wakeup_engine=False, fast_sleep=False): "QEMU's powernv8: no SLW "
    "image, no idle states listed",
    # HOMER is there, but empty: no register can be restored by it
    Platform("qemu-powernv9", enabled_stop_levels=0xC000_0000, stop_api=False): "QEMU's powernv9 "
    "with stop levels 0 and 1, no register restored",
    Platform("qemu-powernv10", enabled_stop_levels=0xC000_0000, stop_api=False): "QEMU's powernv10 "
    "with stop levels 0 and 1, no register restored",
    Platform("no-homer", wakeup_engine=False): "hardware without a wakeup engine (HOMER, SLW)",
    # skiboot external/awan
    Platform("awan", enabled_stop_levels=0, wakeup_engine=False, quirk="awan"): "the simulator "
    "Awan, without power management",
}
"""Preset -> what it is."""
PRESETS: Mapping[str, Platform] = {platform.name: platform for platform in PRESET2TITLE}

_FIELD2KEY = {"specs": "spec"}
KEYS = tuple(
    _FIELD2KEY.get(each.name, each.name.replace("_", "-"))
    for each in fields(Platform)
    if each.name != "name"
)


class BadPlatform(UsageError):
    """A text that describes no platform. The message says what was expected and what was found."""


def parse_platform(text: str) -> Platform:
    """Returns the platform that a text describes.

    text: a preset ("op920"), pairs of KEYS and values ("fused-core=yes,ec=0x20"), or a preset and
    pairs that change it ("op920,fused-core=yes"). Without a preset the pairs change all-levels.
    Raises BadPlatform.
    """
    platform = ALL_LEVELS
    for number, part in enumerate(text.split(",")):
        key, equals, value = part.strip().partition("=")
        if not equals:
            if number or key not in PRESETS:
                raise BadPlatform(
                    f"expected a platform ({', '.join(PRESETS)}) or key=value, found {part!r}"
                    f"{suggestion(key, PRESETS)}"
                )
            platform = PRESETS[key]
            continue
        if key not in KEYS:
            raise BadPlatform(
                f"expected one of {', '.join(KEYS)}, found {key!r}{suggestion(key, KEYS)}"
            )
        if key == "spec":
            platform = replace(platform, specs=(*platform.specs, _spec(value)))
            continue
        changes: dict[str, Any] = {key.replace("-", "_"): _value(key, value)}
        platform = replace(platform, **changes)
    return platform if text in PRESETS else replace(platform, name=text)


def _spec(file: str) -> IdleTable:
    """The table of a spec in a file."""
    from ..spec.library import load

    try:
        loaded = load(Path(file))
    except Rejected as error:
        problem = str(error)
    except OSError as error:
        problem = str(error.strerror)
    else:
        if loaded.table is not None and loaded.table.register is not Register.NONE:
            return loaded.table
        errors = (each.message for each in loaded.findings if each.severity is Severity.ERROR)
        problem = next(errors, "one of another kind of table")
    raise BadPlatform(f"expected a spec of an OPAL table for spec, found {file!r}: {problem}")


def _value(key: str, text: str) -> object:
    if key in ("wakeup-engine", "fused-core", "fast-sleep", "stop-api"):
        if text not in ("yes", "no", "true", "false"):
            raise BadPlatform(f"expected yes or no for {key}, found {text!r}")
        return text in ("yes", "true")
    if key == "enabled-stop-levels" and text == "none":
        return None
    if key in ("enabled-stop-levels", "ec"):
        try:
            value = int(text, 0)
        except ValueError:
            raise BadPlatform(f"expected a number for {key}, found {text!r}") from None
        if not 0 <= value <= U32_MAX:
            raise BadPlatform(f"expected 0 to {U32_MAX:#x} for {key}, found {text}")
        return value
    if key == "quirk" and text not in ("", "none", "mambo", "awan"):
        raise BadPlatform(f"expected mambo, awan or none for quirk, found {text!r}")
    if key == "psci-mode" and text not in ("osi", "pc"):
        raise BadPlatform(f"expected osi or pc for psci-mode, found {text!r}")
    return "" if key == "quirk" and text == "none" else text
