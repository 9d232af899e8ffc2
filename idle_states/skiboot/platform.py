"""The machine as skiboot's export stage sees it: presets, and key=value for the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ..processors import CHIPS, UNKNOWN_CHIP
from ..table import U32_MAX
from ..wording import suggestion


@dataclass(frozen=True, slots=True)
class Platform:
    """What decides which states reach the device tree.

    enabled_stop_levels  ibm,enabled-stop-levels, bit n from the left is stop n; None: absent
    wakeup_engine        a chip has a HOMER (POWER9 on) or an SLW image (POWER8)
    fused_core           this_cpu()->is_fused_core
    quirk                "", "mambo" or "awan"
    nvram_disable_mask   the string in NVRAM key opal-stop-state-disable-mask; None: unset
    fast_sleep           hostboot lists "fast-sleep" in ibm,enabled-idle-states
    chip                 type of the first chip; None: the table's own first chip
    ec                   its EC level; None: new enough for everything
    skiboot              release whose code runs, e.g. "5.9"; None: the newest known
    stop_api             firmware accepts the SPRs Linux wants restored after deep states
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


ALL_LEVELS = Platform()

PRESETS: Mapping[str, Platform] = {
    platform.name: platform
    for platform in (
        ALL_LEVELS,
        # skiboot hdata/test/op920.wsp.dts: stop0, 1, 2, 4, 5
        Platform("op920", enabled_stop_levels=0xEC00_0000),
        # skiboot hdata/test/p10-rainier.dts: stop0, 2, 3, 11
        Platform("rainier", enabled_stop_levels=0xB010_0000),
        # slw_init() returns before it looks for a wakeup engine
        Platform("mambo", wakeup_engine=False, quirk="mambo"),
        # QEMU's machines; powernv8 has no SLW image and lists no idle states; on the others, HOMER
        # is there, but empty: no register can be restored by it
        Platform("qemu-powernv8", wakeup_engine=False, fast_sleep=False),
        Platform("qemu-powernv9", enabled_stop_levels=0xC000_0000, stop_api=False),
        Platform("qemu-powernv10", enabled_stop_levels=0xC000_0000, stop_api=False),
        Platform("no-homer", wakeup_engine=False),
        # skiboot external/awan: no power management at all
        Platform("awan", enabled_stop_levels=0, wakeup_engine=False, quirk="awan"),
    )
}

KEYS = tuple(field.name.replace("_", "-") for field in fields(Platform) if field.name != "name")


class BadPlatform(ValueError):
    """A --platform nobody can make sense of; the message says what was expected."""


def parse_platform(text: str) -> Platform:
    """A preset, key=value pairs, or a preset refined by pairs: "op920,fused-core=yes".

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
        changes: dict[str, Any] = {key.replace("-", "_"): _value(key, value)}
        platform = replace(platform, **changes)
    return platform if text in PRESETS else replace(platform, name=text)


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
    if key == "chip" and text not in (*CHIPS, UNKNOWN_CHIP):
        known = ", ".join((*CHIPS, UNKNOWN_CHIP))
        raise BadPlatform(f"expected one of {known} for chip, found {text!r}")
    return "" if key == "quirk" and text == "none" else text
