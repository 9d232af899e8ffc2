"""Linux releases: names, and what each does, subsystem by subsystem.

A release is the fold of all changes on its way: those of mainline up to the release its series
began with, those its stable series took, those its distribution has. Adding a release is a word in
SERIES; adding a behaviour is a field and a row in the subsystem's features module
(`driver_features`, `governors/*_features`). `grounds` says how well a release is known.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import UsageError
from ...base.model.history import FeaturesT, History, Key, Place, Since
from ...base.wording import joined, like, suggestion
from .builds import at_hand, name_of, point_of, tick_rate
from .driver_features import HISTORY, DriverFeatures
from .shipped import all_shipped, releases_of, shipped
from .source_tree.told import PREFIX, KernelSource
from .uname import Named, name2distribution, parsed

SERIES = (
    "3.14.79 3.15.10 3.16.85 3.17.8 3.18.140 3.19.8 4.0.9 4.1.52 4.2.8 4.3.6 4.4.302 4.5.7 4.6.7 "
    "4.7.10 4.8.17 4.9.337 4.10.17 4.11.12 4.12.14 4.13.16 4.14.336 4.15.18 4.16.18 4.17.19 "
    "4.18.20 4.19.325 4.20.17 5.0.21 5.1.21 5.2.21 5.3.18 5.4.302 5.5.19 5.6.19 5.7.19 5.8.18 "
    "5.9.16 5.10.265 5.11.22 5.12.19 5.13.19 5.14.21 5.15.215 5.16.20 5.17.15 5.18.19 5.19.17 "
    "6.0.19 6.1.192 6.2.16 6.3.13 6.4.16 6.5.13 6.6.150 6.7.12 6.8.12 6.9.12 6.10.14 6.11.11 "
    "6.12.117 6.13.12 6.14.11 6.15.11 6.16.12 6.17.13 6.18.44 6.19.10 7.0.14 7.1.13 7.2.13 7.3.4"
).split()
"""The last point release of each series that is known to exist."""

MAINLINE = [name.rpartition(".")[0] for name in SERIES]
SERIES2LAST = dict(zip(MAINLINE, SERIES, strict=True))

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
    "debian-5.10.223 debian-5.10.251 debian-6.1.0 debian-6.1.147 debian-6.1.158 debian-6.1.176 "
    "debian-6.1.192 debian-6.12.8 debian-6.12.43 debian-6.12.57 debian-6.12.73 debian-6.12.107 "
    "debian-6.12.117 debian-6.17.8 debian-6.18.5 debian-6.18.15 debian-6.19.6 debian-7.2.13 "
    "ubuntu-4.15.0 ubuntu-4.18.0 ubuntu-5.0.0 ubuntu-5.4.0 ubuntu-5.15.0 ubuntu-6.8.0 "
    "ubuntu-6.14.0 ubuntu-6.17.0 rhel-4.18.0-80 rhel-4.18.0-147.3.1 rhel-4.18.0-193 "
    "rhel-4.18.0-240 rhel-4.18.0-305.25.1 rhel-4.18.0-348 rhel-4.18.0-425.3.1 rhel-4.18.0-553 "
    "rhel-5.14.0-70.13.1 rhel-5.14.0-362.8.1 rhel-5.14.0-503.11.1 rhel-5.14.0-570.12.1 "
    "rhel-6.12.0-55.9.1"
).split()
"""Distributions' kernels among all_releases()."""

READ = ("suse-4.12.14", "suse-5.14.21", "suse-6.12.0")
"""Distributions' kernels whose governors were compiled in one state, but whose builds are not told
apart: each kernel of the name lies between this state and others."""

CANDIDATES_MAX = 10
"""Candidates are weekly, from a week or two after the release before on (Linux
Documentation/process/2.Process.rst), and no release came more than eleven weeks after that one
(release_dates)."""

AHEAD_MAX = 8
"""So many releases after the newest are taken to exist, some sixteen months of them."""

LONG_TERM = "4.4 4.9 4.14 4.19 5.4 5.10 5.15 6.1 6.6 6.12 6.18".split()
"""Series that kernel.org kept for years."""


class UnknownRelease(UsageError):
    """A name that is not a kernel's, or of one that is not modelled."""


@dataclass(frozen=True, slots=True)
class Release:
    """A kernel that tables are followed into.

    name      as reports show it: "4.11", "6.6.93", "6.19-rc3", "debian-6.1.192",
              "rhel-4.18.0-553.22.1"
    version   the place of its number among kernel.org's releases: (6, 6, 93); a candidate is below
              its release: (6, 19, -997). What a distribution's kernel has of later ones, only its
              way tells: see reached()
    way       the lines that its features are folded from
    typed     the name as it was given: "6.12.85-generic"
    taken_as  kernel.org's release that it is followed as: "6.1.192"; or a distribution's build
    guessed   whether it may behave otherwise: it is newer than what is known, or its distribution
              changes what it numbers so
    note      in words, how the name was understood: "taken as 6.1.192, ..."; "" if it is
              kernel.org's
    lacks     changes of its way that are left out, to find what each of them does
    machine   ppc64le, where the name that was given says so; else ""
    ends      of a kernel that is not known: the known ones that it lies between, the first first;
              its features and way are then those of one of them (`brackets`)
    source    what its source tree told, of a kernel that is named by its tree; else None
    """

    name: str
    version: Key
    features: DriverFeatures
    way: tuple[Place, ...]
    typed: str = field(default="", compare=False)
    taken_as: str = ""
    guessed: bool = False
    note: str = field(default="", compare=False)
    lacks: tuple[Since, ...] = ()
    ends: tuple["Release", ...] = ()
    machine: str = field(default="", compare=False)
    source: KernelSource | None = None

    @property
    def base(self) -> str:
        """Kernel.org's release whose number it has."""
        return version_name(self.version)

    def hz_on(self, machine: str) -> int | None:
        """CONFIG_HZ on a machine, such as ppc64le; None where its distribution's configuration is
        not known. Of a kernel with ends it is that of the distribution's among them, whichever end
        stands for it."""
        lines = (kernel.way[-1][0] for kernel in (self, *self.ends))
        return next(filter(None, (tick_rate(line, machine) for line in lines)), None)


@cache
def version_key(version: str) -> Key:
    """(6, 12) of 6.12, (6, 12, 85) of 6.12.85, (6, 19, -997) of 6.19-rc3."""
    number, _, candidate = version.partition("-rc")
    key = tuple(int(part) for part in number.split("."))
    return (*key, int(candidate) - 1000) if candidate else key


def version_name(key: Key) -> str:
    """The inverse of version_key(): 6.12 of (6, 12) or (6, 12, 0), 6.12.85, 6.19-rc3."""
    major, minor, point = (*key, 0)[:3]
    if point < 0:
        return f"{major}.{minor}-rc{point + 1000}"
    return f"{major}.{minor}.{point}" if point else f"{major}.{minor}"


@cache
def place(name: str) -> Place:
    """The line and key of a release that a row names: 6.12, 6.12.85, 6.19-rc3, debian-6.1.176 or
    rhel-4.18.0-553.22.1. Raises UnknownRelease."""
    distribution, _, number = name.partition("-") if name[:1].isalpha() else ("", "", name)
    build: Key = ()
    if distribution and "-rc" not in number:
        number, _, words = number.partition("-")
        build = tuple(int(word) if word.isdecimal() else -1 for word in words.split(".") if word)
    try:
        key = version_key(number)
    except ValueError:
        key = ()
    series = ".".join(map(str, key[:2]))
    known = not distribution or distribution in name2distribution
    if series not in SERIES2LAST or len(key) > 3 or not known or -1 in build:
        hint = suggestion(name, MAINLINE)
        raise UnknownRelease(f"expected a release up to {NEWEST} of SERIES, found {name!r}{hint}")
    if distribution:
        return f"{distribution}-{series}", ((*key, 0)[:3] + build)
    return series if key[2:] >= (0,) else "", key


def _key(named: Named) -> Key:
    if named.candidate is not None:
        return (*named.series, named.candidate - 1000)
    return (*named.series, named.point or 0)


def folded(history: History[FeaturesT], release: Release) -> FeaturesT:
    """A subsystem's features in a release."""
    features: FeaturesT = _folded(history, release)
    return features


@lru_cache(4096)
def _folded(history: History[Any], release: Release) -> Any:
    found = history.fold(release.way, place, release.lacks)
    return release.source.laid_over(found) if release.source else found


def features_in(
    history: History[FeaturesT], oldest: str = "", subsystem: str = ""
) -> Callable[[Release], FeaturesT]:
    """Returns the function from a release to a subsystem's features, which raises ValueError for
    one before the oldest that has the subsystem, or is modelled."""

    @cache
    def features(release: Release) -> FeaturesT:
        if oldest and not reached(release, oldest):
            message = (
                f"expected a release from {began(release, oldest)} on for {subsystem}, "
                f"found {release.name}"
            )
            raise ValueError(message)
        return folded(history, release)

    return features


@lru_cache(4096)
def reached(release: Release, names: str) -> bool:
    """Tells whether a kernel has what began with some releases, each in its own line: those that
    `names` lists with spaces between, as the rows of a history do."""
    ends = dict(release.way)
    return any(line in ends and key <= ends[line] for line, key in map(place, names.split()))


def began(release: Release, names: str) -> str:
    """Returns which of some releases, as in reached(), is of the release's own line; else the
    first, mainline's."""
    first, *others = names.split()
    return next((name for name in others if place(name)[0] == release.way[-1][0]), first)


def lacking(release: Release, rows: Sequence[Since]) -> Release:
    """The release without some of the changes on its way, whatever their subsystem."""
    left_out = tuple(rows)
    features = _shared(HISTORY.fold(release.way, place, left_out))
    if release.source:
        features = _shared(release.source.laid_over(features))
    return replace(release, features=features, lacks=left_out)


@cache
def _shared(features: DriverFeatures) -> DriverFeatures:
    """Returns one shared object for equal features, so that releases compare by identity."""
    return features


@lru_cache(4096)
def release(name: str) -> Release:
    """Returns a release by name: "4.11", "6.6.93", "v6.19-rc3", "debian-6.1.192", "rhel-5.14.0", a
    whole `uname -r`, `uname -a` or line of /proc/version; the kernel of a distribution's release
    by that one's: "rhel-9.4", "22.04"; that of a source tree, "source:DIR", "source:DIR@REVISION".

    What it is taken for is in the release's note, taken_as, guessed and ends. Raises
    UnknownRelease; of a source tree also UsageError, Unreadable, OSError.
    """
    if name.startswith(PREFIX):
        trees = import_module(f"{__package__}.source_tree.tree")
        kernel: Release = trees.of_tree(name.removeprefix(PREFIX))
        return kernel
    ships = shipped(name)
    found = by_number(name) if ships is None else None
    if found is not None and not found.guessed and not at_hand(found.way[-1][0]):
        return found
    known: Release = import_module(f"{__package__}.brackets").between(ships or found, name)
    return known


@lru_cache(4096)
def by_number(name: str) -> Release:
    """Returns a release as release() does, the one that its number says where it is not known."""
    named = parsed(name)
    if named is None:
        raise _unknown(name)
    known, why = _known(named, name)
    distribution = named.distribution
    series, key = version_name(known.series), _key(known)
    way = [("", key if known.candidate is not None else (*known.series, 0))]
    if known.point:
        way.append((series, key))
    builds: tuple[Key, ...] = ()
    changed = ""
    if distribution is not None:
        line = f"{distribution.name}-{series}"
        builds = builds_of(known, line)
        own, doubt = _build(line, (*key, *named.build), builds)
        why += doubt
        if point := point_of((line, own)) if builds else 0:
            key = (*known.series, point)
            way.append((series, key))
            later = "" if own in builds else " or later"
            changed = f"Linux {version_name(key)}{later} with {distribution.title}'s changes"
        way.append((line, own))
        added = ""
        if not builds and named.numbers == "base":
            added = f"{distribution.title} carries changes of later releases"
        elif not builds and named.numbers == "patched":
            added = f"{distribution.title} adds changes of its own"
        elif not builds:
            changed = f"Linux {version_name(key)} with {distribution.title}'s known changes"
        if distribution.name == "debian" and named.numbers == "base":
            added = "Debian's point release is in uname -v"
        why = [*why, added] if added else why
    of_build = builds and way[-1][1] >= builds[0]
    taken_as = name_of(way[-1]) if of_build and not key[2:] > (0,) else version_name(key)
    if named.extra and distribution is None:
        why = [*why, f"what {_shown(named.extra)} adds is not known"]
    return Release(
        name=f"{distribution.name}-{named.number}" if distribution else version_name(_key(named)),
        version=key,
        features=_shared(HISTORY.fold(way, place)),
        way=tuple(way),
        typed=name,
        taken_as=taken_as,
        guessed=known is not named
        or (bool(why) if builds else distribution is not None and named.numbers != "stable"),
        note=f"treated as {taken_as}: {'; '.join(why)}" if why else changed,
        machine=named.machine,
    )


def builds_of(named: Named, line: str) -> tuple[Key, ...]:
    """Returns the builds at hand that a distribution's kernel is one of, or lies beside: none of a
    candidate or a point release, nor of Ubuntu's for clouds, which are numbered from 1001 on."""
    ubuntu = named.distribution is not None and named.distribution.name == "ubuntu"
    if named.candidate or named.point or (ubuntu and not (0,) < named.build < (1000,)):
        return ()
    return at_hand(line)


def _build(line: str, key: Key, builds: Sequence[Key]) -> tuple[Key, list[str]]:
    """The build that a distribution's kernel is followed as, and why if it is another or a guess.
    builds: those of its line that are known, oldest first; none where builds are not told apart"""
    if not builds or builds[0] <= key <= builds[-1]:
        return key, []
    first, last = name_of((line, builds[0])), name_of((line, builds[-1]))
    if key == builds[0][:3]:
        differ = f"its builds differ, from {first} to {last}; give the output of `uname -r`"
        return builds[-1], [differ]
    if key < builds[0]:
        return key, [f"older than {first}, the first build known"]
    return builds[-1], ["the newest build known"]


def _known(named: Named, text: str) -> tuple[Named, list[str]]:
    """The release that a name is followed as, and why if it is another. Raises UnknownRelease for
    what is older than all that is modelled, or was never released."""
    oldest, newest = version_key(MAINLINE[0]), version_key(NEWEST)
    if named.series > newest:
        number = version_name(named.series)
        others = releases_of(number) if named.number == number else []
        (major, minor), (most, last_minor) = named.series, newest
        if others or major > most or minor > last_minor + AHEAD_MAX:
            raise _unknown(text, others, "no known kernel has that number")
        last = parsed(SERIES[-1])
        assert last is not None
        return last, [f"the newest kernel known here; {named.number} is newer"]
    series = version_name(named.series)
    if series not in SERIES2LAST:
        older = named.series < oldest
        hint = "it is older" if older else "there was none of that number"
        raise UnknownRelease(
            f"expected a kernel from {MAINLINE[0]} on, found {_shown(text)}: {hint}"
            f"{'; give the output of `uname -r`' if not older else ''}"
        )
    if (named.candidate or 0) > CANDIDATES_MAX:
        raise UnknownRelease(
            f"expected a candidate of {series} up to rc{CANDIDATES_MAX}, found {_shown(text)}: "
            f"they are weekly, and no release took more than {CANDIDATES_MAX + 1} weeks"
        )
    last = parsed(SERIES2LAST[series])
    assert last is not None
    if (named.point or 0) > (last.point or 0):
        return last, [f"the newest of {series} that is known"]
    return named, []


def _unknown(text: str, known: Sequence[str] = (), why: str = "") -> UnknownRelease:
    """The refusal of a name. known: those that may be meant; of none, those that are like it."""
    near = (known or like(text.strip()[:60], (*MAINLINE, *PRESETS, *all_shipped())))[:3]
    hint = f"; did you mean {joined([repr(name) for name in near], 'or')}?" if near else ""
    return UnknownRelease(
        f"expected a kernel such as 6.6.93, {SERIES[-1]} or rhel-9.4, found {_shown(text)}"
        f"{f': {why}' if why else ''}{hint}; give the output of `uname -r`"
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")


def running(text: str) -> Release | None:
    """Returns the release of a running machine; None if it is not modelled. text: uname -r and -v,
    with /proc/version_signature behind it where there is one."""
    try:
        return release(text)
    except UnknownRelease:
        return None


@cache
def all_releases() -> tuple[Release, ...]:
    """Every mainline release, and distributions' kernels that were held against the model."""
    return tuple(release(name) for name in (*MAINLINE, *PRESETS))


@cache
def distinct_releases() -> tuple[Release, ...]:
    """Returns all_releases(), and distributions' kernels as far as they were read."""
    return (*all_releases(), *map(by_number, READ))
