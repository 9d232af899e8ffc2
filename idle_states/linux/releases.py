"""Linux releases as sets of feature flags.

A mainline release is the fold of all CHANGES up to it; a distribution's kernel is a mainline
release with the backports that its era tells apart. Adding a release is a row in MAINLINE or
PRESETS, adding a behaviour a field of Features and a row in CHANGES.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any


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


@dataclass(frozen=True, slots=True)
class Change:
    """From release `since` on, `field` has `value`."""

    since: str
    field: str
    value: Any
    commit: str


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

READ = (
    "3.14 3.15 3.17 3.18 3.19 4.0 4.1 4.4 4.8 4.10 4.11 4.12 4.13 4.14 4.15 4.19 5.2 5.10 "
    "5.11 5.14 5.15 6.1 6.8 6.12 7.1"
).split()
"""Releases whose cpuidle-powernv.c or platform code was read; others are known from patches."""


@dataclass(frozen=True, slots=True)
class Release:
    """A kernel that tables are followed into.

    name      as reports show it: "4.11", "debian-6.1.192"
    version   mainline version its features start from
    basis     "read"; "bracketed": read releases on both sides behave the same; "reconstructed":
              from patches and descriptions
    note      how the name was understood, e.g. a nearest older preset; "" if it is listed
    """

    name: str
    version: tuple[int, ...]
    features: Features
    basis: str = "read"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A distribution kernel: mainline base plus what was backported."""

    name: str
    base: str
    backports: Mapping[str, Any]


MAINLINE = (
    "3.14 3.15 3.16 3.17 3.18 3.19 4.0 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 4.10 4.11 4.12 "
    "4.13 4.14 4.15 4.16 4.17 4.18 4.19 4.20 5.0 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 5.10 "
    "5.11 5.12 5.13 5.14 5.15 5.16 5.17 5.18 5.19 6.0 6.1 6.2 6.3 6.4 6.5 6.6 6.7 6.8 6.9 "
    "6.10 6.11 6.12 6.13 6.14 6.15 6.16 6.17 6.18 6.19 7.0 7.1 7.2"
).split()

NEWEST = MAINLINE[-1]
DEFAULT = (
    "5.10",
    "5.15",
    "6.1",
    "6.6",
    "6.12",
    "6.18",
    NEWEST,
    "debian-6.1.192",
    "debian-6.12.117",
)

PRESETS = (
    Preset("debian-5.10.223", "5.10", {}),
    Preset("debian-6.1.0", "6.1", {}),
    Preset("debian-6.1.176", "6.1", {"snooze_polling": True}),
    Preset("debian-6.1.192", "6.1", {"snooze_polling": True}),
    Preset("debian-6.12.117", "6.12", {}),
    Preset("debian-7.2.13", "7.2", {}),
    Preset("ubuntu-4.15.0", "4.15", {}),
    Preset("ubuntu-4.18.0", "4.18", {}),
    Preset("ubuntu-5.0.0", "5.0", {}),
    Preset("ubuntu-5.4.0", "5.4", {}),
    Preset("ubuntu-5.15.0", "5.15", {}),
    Preset("ubuntu-6.8.0", "6.8", {}),
    Preset("ubuntu-6.14.0", "6.14", {}),
    Preset("ubuntu-6.17.0", "6.17", {}),
)


class UnknownRelease(ValueError):
    """A kernel name that is neither mainline nor a listed distribution series."""


def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@cache
def mainline_features(version: str) -> Features:
    """All changes up to a release, folded. The version need not be listed in MAINLINE."""
    features = Features()
    for change in sorted(CHANGES, key=lambda change: version_key(change.since)):
        if version_key(change.since) <= version_key(version):
            features = replace(features, **{change.field: change.value})
    return features


def basis(version: str) -> str:
    """How a mainline release's behaviour is known: see Release.basis."""
    if version in READ:
        return "read"
    key = version_key(version)
    below = [name for name in READ if version_key(name) < key]
    above = [name for name in READ if version_key(name) > key]
    same = mainline_features(version)
    if below and above and mainline_features(below[-1]) == same == mainline_features(above[0]):
        return "bracketed"
    return "reconstructed"


@cache
def release(name: str) -> Release:
    """A release by name: "4.11", "debian-6.1.192"; a distribution version nobody listed is taken
    as the nearest older preset of its series, and its note says so.

    Raises UnknownRelease.
    """
    if name in MAINLINE:
        return Release(name, version_key(name), mainline_features(name), basis(name))
    distribution, dash, version = name.partition("-")
    if dash and version.replace(".", "").isdigit() and ".." not in version.strip("."):
        return _distribution(name, distribution, version)
    raise UnknownRelease(
        f"expected a kernel such as 4.11, {NEWEST} or debian-6.1.192, found {name!r}"
    )


def _distribution(name: str, distribution: str, version: str) -> Release:
    wanted = version_key(version)
    series = [
        preset
        for preset in PRESETS
        if preset.name.startswith(f"{distribution}-{wanted[0]}.")
        and version_key(preset.name.partition("-")[2])[:2] == wanted[:2]
    ]
    older = [p for p in series if version_key(p.name.partition("-")[2]) <= wanted]
    if not older:
        known = ", ".join(preset.name for preset in PRESETS)
        raise UnknownRelease(f"expected a listed distribution series ({known}), found {name!r}")
    preset = max(older, key=lambda p: version_key(p.name.partition("-")[2]))
    features = replace(mainline_features(preset.base), **preset.backports)
    note = "" if preset.name == name else f"not listed; taken as {preset.name}"
    return Release(name, version_key(preset.base), features, basis(preset.base), note)


def all_releases() -> tuple[Release, ...]:
    """Every mainline release and preset."""
    return tuple(release(name) for name in (*MAINLINE, *(preset.name for preset in PRESETS)))
