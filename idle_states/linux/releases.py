"""Linux releases: names, and what each does, subsystem by subsystem.

A mainline release is the fold of all changes up to it; a distribution's kernel is a mainline
release with the backports that its era tells apart. Adding a release is a row in MAINLINE or
PRESETS; adding a behaviour is a field and a row in the subsystem's features module
(`driver_features`, `governors/*_features`).
"""

from dataclasses import dataclass, field
from functools import cache

from ..history import FeaturesT, History
from .driver_features import HISTORY, DriverFeatures

READ = (
    "3.14 3.15 3.17 3.18 3.19 4.0 4.1 4.4 4.8 4.10 4.11 4.12 4.13 4.14 4.15 4.19 5.2 5.4 5.10 "
    "5.11 5.14 5.15 6.1 6.5 6.8 6.12 6.14 6.17 6.18 6.19 7.0 7.1 7.2"
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
    preset    the distribution kernel's row, by which subsystems list their backports
    """

    name: str
    version: tuple[int, ...]
    features: DriverFeatures
    basis: str = "read"
    note: str = ""
    preset: "Preset | None" = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Preset:
    """A distribution kernel: a mainline base, plus what each subsystem's features list for it."""

    name: str
    base: str


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
    Preset("debian-5.10.223", "5.10"),
    Preset("debian-5.10.251", "5.10"),
    Preset("debian-6.1.0", "6.1"),
    Preset("debian-6.1.147", "6.1"),
    Preset("debian-6.1.158", "6.1"),
    Preset("debian-6.1.176", "6.1"),
    Preset("debian-6.1.192", "6.1"),
    Preset("debian-6.12.8", "6.12"),
    Preset("debian-6.12.43", "6.12"),
    Preset("debian-6.12.57", "6.12"),
    Preset("debian-6.12.73", "6.12"),
    Preset("debian-6.12.107", "6.12"),
    Preset("debian-6.12.117", "6.12"),
    Preset("debian-6.17.8", "6.17"),
    Preset("debian-6.18.5", "6.18"),
    Preset("debian-6.18.15", "6.18"),
    Preset("debian-6.19.6", "6.19"),
    Preset("debian-7.2.13", "7.2"),
    Preset("ubuntu-4.15.0", "4.15"),
    Preset("ubuntu-4.18.0", "4.18"),
    Preset("ubuntu-5.0.0", "5.0"),
    Preset("ubuntu-5.4.0", "5.4"),
    Preset("ubuntu-5.15.0", "5.15"),
    Preset("ubuntu-6.8.0", "6.8"),
    Preset("ubuntu-6.14.0", "6.14"),
    Preset("ubuntu-6.17.0", "6.17"),
)


class UnknownRelease(ValueError):
    """A kernel name that is neither mainline nor a listed distribution series."""


@cache
def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@cache
def _listed_key(version: str) -> tuple[int, ...]:
    if version not in MAINLINE:
        raise UnknownRelease(f"expected a release up to {NEWEST} of MAINLINE, found {version!r}")
    return version_key(version)


def _folded(
    history: History[FeaturesT], version: tuple[int, ...], preset: Preset | None
) -> FeaturesT:
    kernels = [each.name for each in PRESETS]
    return history.fold(version, _listed_key, preset.name if preset else "", kernels)


def folded(history: History[FeaturesT], release: Release) -> FeaturesT:
    """A subsystem's features in a release, its distribution's backports included."""
    return _folded(history, release.version, release.preset)


@cache
def _shared(features: DriverFeatures) -> DriverFeatures:
    """Returns one shared object for equal features, so that releases compare by identity."""
    return features


@cache
def mainline_features(version: str) -> DriverFeatures:
    """The driver's features. The version need not be listed in MAINLINE."""
    return _shared(_folded(HISTORY, version_key(version), None))


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
    """Returns a release by name: "4.11", "debian-6.1.192". A distribution version that is not
    listed becomes the nearest older preset of its series, and the release's note says so.

    Raises UnknownRelease.
    """
    if name in MAINLINE:
        return Release(name, version_key(name), mainline_features(name), basis(name))
    distribution, dash, version = name.partition("-")
    if (
        dash
        and version.isascii()
        and version.replace(".", "").isdigit()
        and ".." not in version.strip(".")
    ):
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
    key = version_key(preset.base)
    features = _shared(_folded(HISTORY, key, preset))
    note = "" if preset.name == name else f"not listed; taken as {preset.name}"
    return Release(name, version_key(preset.base), features, basis(preset.base), note, preset)


def all_releases() -> tuple[Release, ...]:
    """Every mainline release and preset."""
    return tuple(release(name) for name in (*MAINLINE, *(preset.name for preset in PRESETS)))
