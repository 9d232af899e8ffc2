"""The bare-metal driver: cpuidle-powernv.c and the device-tree parser of powernv/idle.c."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .harness import DriverState, Harness, Message, Report, unhex
from .source import functions, keep_functions, read

__all__ = ["DriverCase", "DriverResult", "ParsedState", "PowernvOracle", "StopState"]

_DRIVER = "drivers/cpuidle/cpuidle-powernv.c"
_PLATFORM = "arch/powerpc/platforms/powernv/idle.c"
_HOTPLUG = "arch/powerpc/platforms/powernv/smp.c"
_PLATFORM_FUNCTIONS = frozenset(
    {
        "arch300_idle",
        "pnv_alloc_idle_core_states",
        "pnv_arch300_idle_init",
        "pnv_power9_idle_init",
        "power9_idle",
        "pnv_disable_deep_states",
        "pnv_get_supported_cpuidle_states",
        "pnv_init_idle_states",
        "pnv_parse_cpuidle_dt",
        "pnv_probe_idle_states",
        "pnv_save_sprs_for_deep_states",
        "pnv_save_sprs_for_winkle",
        "power7_idle",
        "validate_psscr_val_mask",
    }
)
_OFFLINE_TYPES = ("none", "nap", "sleep", "winkle", "stop")
_MACRO2TEXT = {
    "HAS_PARSED": "pnv_parse_cpuidle_dt(",
    "HAS_FOUND": "static bool default_stop_found",
    "HAS_LEVEL": "pnv_deepest_stop_state",
    "HAS_TIMEBASE": "pnv_first_tb_loss_level",
    "HAS_OFFLINE_TYPE": "power7_offline_type",
    "HAS_CPU_OFFLINE": "pnv_cpu_offline(",
    "HAS_STOP": "stop_loop",
    "HAS_MASK": "psscr_mask",
    "HAS_TIMEOUT": "get_snooze_timeout(",
}
"""Macros of the harness, each defined where the platform code or the driver has the word."""


@dataclass(frozen=True)
class DriverCase:
    """The properties that the kernel finds at boot.

    properties: name -> bytes of the node /ibm,opal/power-mgt, None for a property without a value;
        None in place of the mapping: no such node.
    pvr: version half of the processor version register.
    arch_300: the CPU implements Power ISA 3.0 (POWER9 and later).
    stop_api: OPAL accepts the registers it is to restore after a state that loses them.
    hz: the tick's frequency, CONFIG_HZ.
    powersave_off: the kernel was booted with powersave=off.
    dd1: a POWER9 of its first revision.
    """

    properties: Mapping[str, bytes | None] | None
    pvr: int = 0x4E
    arch_300: bool = True
    stop_api: bool = True
    hz: int = 250
    timebase_hz: int = 512_000_000
    powersave_off: bool = False
    dd1: bool = False

    def line(self) -> str:
        """The case as the harness reads it."""
        words = [
            f"node={self.properties is not None:d}",
            f"pvr={self.pvr}",
            f"arch_300={self.arch_300:d}",
            f"stop_api={self.stop_api:d}",
            f"hz={self.hz}",
            f"timebase_hz={self.timebase_hz}",
            f"powersave_off={self.powersave_off:d}",
            f"dd1={self.dd1:d}",
        ]
        for name, value in (self.properties or {}).items():
            words.append(f"prop:{name.encode().hex()}={'-' if value is None else value.hex()}")
        return " ".join(words)


@dataclass(frozen=True)
class ParsedState:
    """An entry of pnv_idle_states: the device tree's, after the defaults for old firmware."""

    name: str
    latency_ns: int
    residency_ns: int
    flags: int
    psscr: int
    psscr_mask: int
    valid: bool


@dataclass(frozen=True)
class StopState:
    """A PSSCR value and mask chosen for a purpose."""

    psscr: int
    psscr_mask: int


@dataclass(frozen=True)
class DriverResult:
    """The outcome of a case in the kernel; after an oops only the first three attributes count.

    outcome: `ok`, `oops` (a bad memory access), `timeout` or `flood`.
    warn_ons: how many WARN_ON fired.
    platform_status, driver_status: 0 or -errno of the two initcalls.
    parsed: every state of the device tree, registered or not; none if parsing failed.
    states: the registered driver's, snooze first; none if no driver was registered.
    default_stop: PSSCR for idling without cpuidle, ISA 3.0; None if there is none.
    deepest_stop: PSSCR for offline CPUs, ISA 3.0; None if they are left to spin.
    first_tb_loss_level, deep_spr_loss_level: levels from which timebase and registers may be lost;
        None where the kernel has none.
    supported_flags: flags of all states, less those that the stop API cannot serve.
    power_save: the idle function used without cpuidle.
    offline_type: `none`, `nap`, `sleep` or `winkle`, for offline CPUs before ISA 3.0.
    fastsleep_workaround: before ISA 3.0, POWER8's fast-sleep erratum is handled at each sleep.
    fastsleep_control: sysfs offers to handle it once instead.
    snooze_timeout_enabled: snooze ends at its timeout.
    snooze_timeout_us: that timeout with all states enabled; None without a driver.
    snooze_timeouts_us: item i is that timeout with state i disabled.
    """

    outcome: str
    messages: tuple[Message, ...]
    warn_ons: int
    platform_status: int
    driver_status: int
    parsed: tuple[ParsedState, ...]
    states: tuple[DriverState, ...]
    default_stop: StopState | None
    deepest_stop: StopState | None
    first_tb_loss_level: int | None
    deep_spr_loss_level: int | None
    supported_flags: int
    power_save: str | None
    offline_type: str
    fastsleep_workaround: bool
    fastsleep_control: bool
    snooze_timeout_enabled: bool
    snooze_timeout_us: int | None
    snooze_timeouts_us: tuple[int, ...]


class PowernvOracle:
    """The powernv idle driver of a kernel tree, compiled into `workdir`."""

    def __init__(self, tree: Path, workdir: Path) -> None:
        platform, driver = read(tree, _PLATFORM), read(tree, _DRIVER)
        there = {name for name, _, _ in functions(platform)}
        kept = _PLATFORM_FUNCTIONS & there
        hotplug = ""
        if "power7_offline_type" not in platform:
            kept |= there & {"pnv_cpu_offline"}
            if not kept & {"pnv_cpu_offline"}:
                hotplug = _only(read(tree, _HOTPLUG), "pnv_smp_cpu_kill_self")
        named = _named(platform + driver, there)
        sources = {
            "PLATFORM_SOURCE": named + _level(platform) + keep_functions(platform, kept) + hotplug,
            "DRIVER_SOURCE": named + driver,
        }
        units = ("powernv_platform.c", "powernv_driver.c")
        self._harness = Harness(tree, workdir, units, sources)

    def run(self, cases: Iterable[DriverCase]) -> list[DriverResult]:
        """The results of cases, in order."""
        listed = list(cases)
        reports = self._harness.run([case.line() for case in listed])
        return [
            _result(report, case.timebase_hz // 1_000_000)
            for case, report in zip(listed, reports, strict=True)
        ]

    def run_one(self, case: DriverCase) -> DriverResult:
        """The result of one case."""
        return self.run([case])[0]


def _named(text: str, there: set[str]) -> str:
    """Macros for what platform code and driver have; what is assembler's there is no function."""
    macros = [f"#define {macro} 1\n" for macro, phrase in _MACRO2TEXT.items() if phrase in text]
    if "power7_idle" not in there:
        macros.append("#define power7_idle oracle_power7_idle\n")
    return "#define CONFIG_HOTPLUG_CPU 1\n" + "".join(macros)


def _only(text: str, name: str) -> str:
    """One function of a source."""
    return next(text[start:end] for found, start, end in functions(text) if found == name)


def _level(platform: str) -> str:
    """Names the level at which registers are lost as the shim does, before 5.10."""
    known = "deep_spr_loss_state" in platform
    return "" if known else "#define deep_spr_loss_state pnv_first_spr_loss_level\n"


def _result(report: Report, ticks_per_us: int) -> DriverResult:
    platform_status, driver_status = report.numbers("status") or (0, 0)
    spr_level, tb_level, *_ = (*report.numbers("loss_levels"), None, None)
    workaround, control = report.numbers("fastsleep") or (0, 0)
    snooze = report.numbers("snooze")
    power_save = "".join(report.lines("power_save")).strip("-")
    return DriverResult(
        outcome=report.outcome,
        messages=report.messages(),
        warn_ons=len(report.lines("warn_on")),
        platform_status=platform_status,
        driver_status=driver_status,
        parsed=tuple(_parsed(line.split()) for line in report.lines("parsed")),
        states=report.states(),
        default_stop=_stop(report.numbers("default_stop")),
        deepest_stop=_stop(report.numbers("deepest_stop")),
        first_tb_loss_level=tb_level,
        deep_spr_loss_level=spr_level,
        supported_flags=sum(report.numbers("supported")),
        power_save=power_save or None,
        offline_type=_OFFLINE_TYPES[sum(report.numbers("offline_type"))],
        fastsleep_workaround=bool(workaround),
        fastsleep_control=bool(control),
        snooze_timeout_enabled=bool(snooze and snooze[0]),
        snooze_timeout_us=snooze[1] // ticks_per_us if snooze else None,
        snooze_timeouts_us=tuple(
            ticks // ticks_per_us for ticks in report.numbers("snooze_without")
        ),
    )


def _parsed(words: list[str]) -> ParsedState:
    name, latency, residency, flags, psscr, mask, valid = words
    return ParsedState(
        name=unhex(name),
        latency_ns=int(latency),
        residency_ns=int(residency),
        flags=int(flags),
        psscr=int(psscr),
        psscr_mask=int(mask),
        valid=valid == "1",
    )


def _stop(numbers: list[int]) -> StopState | None:
    return StopState(*numbers) if numbers else None
