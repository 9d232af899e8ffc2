"""The changes of cpuidle-powernv, its platform code and cpuidle-pseries over the releases."""

from collections.abc import Iterator
from typing import Literal

from ...base.dataclass import dataclass
from ...base.model.history import U32, History, Since, Sources, rows_of, types_of
from ...base.model.processors import Known
from ...base.model.traces import Traces

SnoozeTimeout = Literal["none", "slot", "user", "enabled"]


@dataclass(frozen=True, slots=True)
class DriverFeatures:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 3.14.

    parse             who reads the tree: "static" nobody, "flags" the driver (flags only),
                      "latencies" the driver (flags and latencies), "driver" driver and platform
                      code each for itself, "platform" the platform code once for both
    er1               SLEEP_ENABLED_ER1 is recognised as fast sleep
    overwrites        a second class of the same state overwrites the first one's entry
    residency         "tenfold" latency, "default" 100 us and 300 ms where the tree has none,
                      "inverted" these defaults where the tree has some, "tree" as given
    of_prefix         the message about a ragged property begins with "OF: "
    clips             more than nine states are clipped; before, an array is overrun
    names             names are read: "" not at all, "strncpy" (no NUL at 16), "cut" to 15
    threshold         states with an exit latency above 200 us are left out
    stop              stop states are known
    psscr_mask        psscr-mask is read, PSSCR values are validated
    sizes_checked     arrays must all have the length of flags
    knows_dd1         what a POWER9 of revision 1 needs is done, and reported
    holes             a state of no known class leaves a hole, and PSSCR values behind it shift
    supported_filter  states need all their flags in what the platform code collected
    choices           default and deepest stop: "level" 0 and the highest, "builtin" values where
                      none is found, "found" or none
    loss_levels       message and start value: "" none, "deep" one level, "decimal" or "hex" two
    round_up          ns -> us rounds up; else it truncates
    stop_api_failure  states that lose full context are dropped if the stop API fails
    keeps_winkle      POWER8's offline state is chosen before the stop API is tried
    residency_message the message about missing residencies names them (else latencies)
    pvrs              PVR versions accepted for stop states; None: any ISA 3.0 processor
    snooze_timeout    "none", "slot" the first entry's residency, "enabled" the next enabled one's,
                      else a tick, "user" the same, else 10 ms (a tick of USER_HZ)
    snooze_polling    snooze carries CPUIDLE_FLAG_POLLING
    shared_snooze     pseries: shared processors have snooze before Shared Cede
    cede_fixup        pseries: CEDE from extended-cede records: "" never, "lower" the lowest less
                      one if it is below 10 us, "lowest" the lowest as it is
    cede_power10      pseries: these records count on POWER10 and later only
    """

    parse: Literal["static", "flags", "latencies", "driver", "platform"] = "static"
    er1: bool = False
    overwrites: bool = False
    residency: Literal["tenfold", "default", "inverted", "tree"] = "tenfold"
    of_prefix: bool = False
    clips: bool = False
    names: Literal["", "strncpy", "cut"] = ""
    threshold: bool = False
    stop: bool = False
    psscr_mask: bool = False
    sizes_checked: bool = False
    knows_dd1: bool = False
    holes: bool = False
    supported_filter: bool = False
    choices: Literal["", "level", "builtin", "found"] = ""
    loss_levels: Literal["", "deep", "decimal", "hex"] = ""
    round_up: bool = False
    stop_api_failure: bool = False
    keeps_winkle: bool = False
    residency_message: bool = False
    pvrs: tuple[U32, ...] | None = None
    snooze_timeout: SnoozeTimeout = "none"
    snooze_polling: bool = False
    shared_snooze: bool = False
    cede_fixup: Literal["", "lower", "lowest"] = ""
    cede_power10: bool = False


since = rows_of(DriverFeatures)

_LOOKS_AT_PVR = Known("5.10", "8747bf36f312 reverted, POWER10 driver")


def _pvr_rows() -> Iterator[Since]:
    """Yields the PVR versions that the stop driver accepts, by release, from the registry."""
    from ..spec import registry  # --help asks for no release

    pvr2known = {
        version.pvr: version.linux if version.linux.release else _LOOKS_AT_PVR
        for version in registry.versions()
        if version.linux is not None
    }
    pvrs: tuple[int, ...] = ()
    yield since("rhel-4.18.0-305", "", pvrs=(0x4E, 0x80))
    for known in sorted(set(pvr2known.values()), key=_order):
        pvrs += tuple(pvr for pvr in pvr2known if pvr2known[pvr] == known)
        yield since(known.release, known.commit, pvrs=pvrs)


def _order(known: Known) -> list[int]:
    return [int(part) for part in known.release.split(".")]


CHANGES = (
    since("3.15", "0888839c5b62", parse="flags"),
    since("3.18", "", parse="latencies"),
    since("3.19", "", er1=True),
    since("4.0", "92c83ff5b42b", parse="driver", residency="default", holes=True),
    since("4.1", "", overwrites=True),
    since("4.2", "78eaa10f027c", snooze_timeout="slot"),
    since("4.8", "", of_prefix=True),
    since("4.8", "3005c597ba46", stop=True, clips=True, names="strncpy"),
    since("4.8", "bcef83a00dc4", threshold=True, choices="level"),
    since("4.11", "9e9fc6f00a54", names="cut", residency="inverted"),
    since("4.11", "09206b600c76", psscr_mask=True, choices="builtin"),
    since("4.12", "ecad4502a2c6", sizes_checked=True),
    since("4.12", "", knows_dd1=True),
    since("4.12", "f3b3f28493d9", choices="found", loss_levels="deep"),
    since("4.13 suse-4.12.14", "", holes=False, overwrites=False),
    since("4.13 suse-4.12.14", "785a12afdb4a", supported_filter=True, stop_api_failure=True),
    since("4.15 4.14.7 suse-4.12.14", "8d4e10e9ed94", round_up=True),
    since("4.16", "", shared_snooze=True),
    since("4.18 4.17.4", "0a4ec6aa035a", snooze_timeout="enabled"),
    since("4.14.53 4.9.111 4.4.139 suse-4.12.14", "0a4ec6aa035a", snooze_timeout="user"),
    since("4.19 rhel-4.18.0-80", "2bf1071a8d50", knows_dd1=False),
    since(
        "4.19 rhel-4.18.0-193",
        "9c7b185ab2fe",
        parse="platform",
        sizes_checked=False,
        residency="tree",
    ),
    since("5.2 rhel-4.18.0-240", "10d91611f426", loss_levels="decimal", keeps_winkle=True),
    since("5.3 rhel-4.18.0-240", "", loss_levels="hex"),
    since("5.8", "2f62870ca5bc", residency_message=True),
    since("5.9 rhel-4.18.0-305", "d947fb4c965c", cede_fixup="lower"),
    since(
        "5.15 5.14.6 5.10.67 rhel-4.18.0-305.25.1 rhel-5.14.0-70.13.1",
        "50741b70b0cb",
        cede_power10=True,
    ),
    since("5.15 rhel-4.18.0-305.25.1 rhel-5.14.0-70.13.1", "71737a6c2a8f", cede_fixup="lowest"),
    since(
        "6.2 debian-6.1.176 rhel-4.18.0-553 rhel-5.14.0-362.8.1",
        "5ddcc03a07ae",
        snooze_polling=True,
    ),
)

HISTORY = History(DriverFeatures(), lambda: (*CHANGES, *_pvr_rows()))
_ADD, _INIT, _PARSE = (
    "drv: powernv_add_idle_states()",
    "plat: pnv_init_idle_states()",
    "plat: pnv_parse_cpuidle_dt()",
)
TRACES = Traces(
    {
        "drv": "drivers/cpuidle/cpuidle-powernv.c",
        "plat": "arch/powerpc/platforms/powernv/idle.c",
        "part": "drivers/cpuidle/cpuidle-pseries.c",
        "of": "drivers/of/base.c",
        "tick": "include/linux/jiffies.h",
    },
    {
        "parse": {
            "platform": _PARSE,
            "driver": ("plat?", f'{_ADD} "..-latencies-ns.."'),
            "latencies": f'{_ADD} "..-latencies-ns.."',
            "flags": f'{_ADD} "..-state-flags.."',
            "static": "drv: snooze_loop()",
        },
        "er1": f"{_ADD} OPAL_PM_SLEEP_ENABLED_ER1",
        "overwrites": f"{_ADD} # ifdef CONFIG_TICK_ONESHOT if",
        "residency": {
            "tree": f"{_PARSE} residency_ns",
            "inverted": f"{_ADD} if ( ! rc ) target_residency = 100",
            "default": f"{_ADD} . target_residency = 100",
            "tenfold": f"{_ADD} * 10",
        },
        "of_prefix": 'of: "OF: "',
        "clips": f"{_ADD} CPUIDLE_STATE_MAX - 1",
        "names": {"cut": ["drv: strlcpy", "drv: strscpy"], "strncpy": "drv: strncpy", "": _ADD},
        "threshold": f"{_ADD} POWERNV_THRESHOLD_LATENCY_NS",
        "stop": "drv: stop_loop",
        "psscr_mask": "drv: psscr_mask",
        "knows_dd1": 'plat: "..sibling PACA.."',
        "sizes_checked": f"{_ADD} validate_dt_prop_sizes",
        "holes": f"{_ADD} !else continue ;",
        "supported_filter": f"{_ADD} supported_flags",
        "choices": {
            "builtin": "plat: pnv_default_stop_val = PSSCR_HV_DEFAULT_VAL",
            "found": "plat: default_stop_found",
            "level": "plat: pnv_deepest_stop_state",
            "": _INIT,
        },
        "loss_levels": {
            "hex": 'plat: "..timebase = 0x%llx.."',
            "decimal": "plat: pnv_first_tb_loss_level",
            "deep": "plat: , pnv_first_deep_stop_state ) ;",
            "": _INIT,
        },
        "round_up": f"{_ADD} DIV_ROUND_UP",
        "stop_api_failure": "plat: supported_cpuidle_states &= ~ OPAL_PM_LOSE_FULL_CONTEXT",
        "keeps_winkle": "plat: power7_offline_type",
        "residency_message": (
            "plat: pnv_parse_cpuidle_dt",
            f'{_PARSE} "..missing ibm,cpu-idle-state-residency-ns.."',
        ),
        "pvrs": {
            (0x4E, 0x80, 0x82): "plat: pnv_arch300_idle_init() pvr_version_is ( PVR_POWER11 )",
            (0x4E, 0x80): "plat: pnv_arch300_idle_init() pvr_version_is ( PVR_POWER10 )",
            None: _INIT,
        },
        "snooze_timeout": {
            "user": ("drv: get_snooze_timeout()", "tick: define TICK_USEC ( ( @ + USER_HZ"),
            "enabled": "drv: get_snooze_timeout()",
            "slot": "drv: snooze_timeout",
            "none": "drv: snooze_loop()",
        },
        "snooze_polling": ("drv: CPUIDLE_FLAG_POLLING", "part: CPUIDLE_FLAG_POLLING"),
        "shared_snooze": 'part: shared_states [ @@ ] = { { . name = "snooze"',
        "cede_fixup": {
            "lower": "part: fixup_cede0_latency() - 1",
            "lowest": "part: fixup_cede0_latency()",
            "": "part: pseries_idle_probe()",
        },
        "cede_power10": "part: pseries_idle_probe() PVR_POWER10",
    },
)
PSERIES = frozenset({"shared_snooze", "cede_fixup", "cede_power10", "snooze_polling"})
"""Features that cpuidle-pseries has."""
POWERNV = frozenset(types_of(DriverFeatures)) - PSERIES | {"snooze_polling"}
"""Features that cpuidle-powernv or its platform code has."""
POWERNV_SOURCES = Sources(
    compiled="4.4 4.4.155 4.6.2 4.8.15 4.9 4.10.17 4.11 4.12 4.12.4 4.13.9 4.14.177 4.15 4.16.13 "
    "4.18.20 4.19.31..4.19.222 4.20 5.0.1 5.0.4..5.0.21 5.1.15 5.2..5.2.2 5.3..5.4.301 "
    "5.5-rc5 5.7.14 5.8.1 5.9..6.4.6 6.6.. rhel-4.18.. rhel-5.14.. rhel-6.12.. "
    "ubuntu-5.4.0-58.. ubuntu-5.15.0-47.. ubuntu-6.8.. ubuntu-6.11.. suse-4.12.14",
    read="3.14 3.15 3.17 3.18 3.19 4.0 4.1 4.4..",
)
PSERIES_SOURCES = Sources(
    compiled="4.4..4.14.325 4.15 4.16..6.4.6 6.6.. rhel-4.18.. rhel-5.14.. rhel-6.12.. "
    "ubuntu-5.4.0-58.. ubuntu-5.15.0-47.. ubuntu-6.8.. ubuntu-6.11.. suse-4.12.14"
)
