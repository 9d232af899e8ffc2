"""How cpuidle-powernv, its platform code and cpuidle-pseries changed over the releases."""

from dataclasses import dataclass

from ..history import Change


@dataclass(frozen=True, slots=True)
class Features:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 3.14.

    parse             who reads the tree: "static" nobody, "flags" the driver (flags only),
                      "latencies" the driver (flags and latencies), "driver" driver and platform
                      code each for itself, "platform" the platform code once for both
    er1               SLEEP_ENABLED_ER1 is recognised as fast sleep
    overwrites        a second class of the same state overwrites the first one's entry
    residency         "tenfold" latency, "default" 100 us and 300 ms where the tree has none,
                      "inverted" these defaults where the tree has some, "tree" as given
    clips             more than nine states are clipped; before, an array is overrun
    names             names are read: "" not at all, "strncpy" (no NUL at 16), "cut" to 15
    threshold         states with an exit latency above 200 us are left out
    stop              stop states are known
    psscr_mask        psscr-mask is read, PSSCR values are validated
    sizes_checked     arrays must all have the length of flags
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
    snooze_timeout    "none", "slot" the first entry's residency, "enabled" the next enabled one's
    snooze_polling    snooze carries CPUIDLE_FLAG_POLLING
    shared_snooze     pseries: shared processors have snooze before Shared Cede
    cede_fixup        pseries: CEDE from extended-cede records: "" never, "lower" or "power10"
    """

    parse: str = "static"
    er1: bool = False
    overwrites: bool = False
    residency: str = "tenfold"
    clips: bool = False
    names: str = ""
    threshold: bool = False
    stop: bool = False
    psscr_mask: bool = False
    sizes_checked: bool = False
    holes: bool = False
    supported_filter: bool = False
    choices: str = ""
    loss_levels: str = ""
    round_up: bool = False
    stop_api_failure: bool = False
    keeps_winkle: bool = False
    residency_message: bool = False
    pvrs: tuple[int, ...] | None = None
    snooze_timeout: str = "none"
    snooze_polling: bool = False
    shared_snooze: bool = False
    cede_fixup: str = ""


POWER9, POWER10, POWER11 = 0x004E, 0x0080, 0x0082

CHANGES = (
    Change("3.15", "parse", "flags", "0888839c5b62"),
    Change("3.18", "parse", "latencies", ""),
    Change("3.19", "er1", True, ""),
    Change("4.0", "parse", "driver", "92c83ff5b42b"),
    Change("4.0", "residency", "default", "92c83ff5b42b"),
    Change("4.0", "holes", True, "92c83ff5b42b"),
    Change("4.1", "overwrites", True, ""),
    Change("4.2", "snooze_timeout", "slot", "78eaa10f027c"),
    Change("4.8", "stop", True, "3005c597ba46"),
    Change("4.8", "clips", True, "3005c597ba46"),
    Change("4.8", "names", "strncpy", "3005c597ba46"),
    Change("4.8", "threshold", True, "bcef83a00dc4"),
    Change("4.8", "choices", "level", "bcef83a00dc4"),
    Change("4.11", "names", "cut", "9e9fc6f00a54"),
    Change("4.11", "residency", "inverted", "9e9fc6f00a54"),
    Change("4.11", "psscr_mask", True, "09206b600c76"),
    Change("4.11", "choices", "builtin", "09206b600c76"),
    Change("4.12", "sizes_checked", True, "ecad4502a2c6"),
    Change("4.12", "choices", "found", "f3b3f28493d9"),
    Change("4.12", "loss_levels", "deep", "f3b3f28493d9"),
    Change("4.13", "holes", False, ""),
    Change("4.13", "overwrites", False, ""),
    Change("4.13", "supported_filter", True, "785a12afdb4a"),
    Change("4.13", "stop_api_failure", True, "785a12afdb4a"),
    Change("4.14", "round_up", True, "8d4e10e9ed94"),
    Change("4.18", "snooze_timeout", "enabled", "0a4ec6aa035a"),
    Change("4.19", "parse", "platform", "9c7b185ab2fe"),
    Change("4.19", "sizes_checked", False, "9c7b185ab2fe"),
    Change("4.19", "residency", "tree", "9c7b185ab2fe"),
    Change("4.19", "shared_snooze", True, ""),
    Change("5.2", "loss_levels", "decimal", "10d91611f426"),
    Change("5.2", "keeps_winkle", True, "10d91611f426"),
    Change("5.3", "loss_levels", "hex", ""),
    Change("5.8", "residency_message", True, "2f62870ca5bc"),
    Change("5.9", "cede_fixup", "lower", "d947fb4c965c"),
    Change("5.10", "pvrs", (POWER9, POWER10), "8747bf36f312 reverted, POWER10 driver"),
    Change("5.15", "cede_fixup", "power10", "7cbd631d4dec"),
    Change("6.2", "snooze_polling", True, "5ddcc03a07ae"),
    Change("6.19", "pvrs", (POWER9, POWER10, POWER11), "fbe409d138b1"),
)
