"""Kernels' names as people and machines have them, taken apart.

Read are a number (6.6.93, v6.1, 6.19-rc3), a distribution's (debian-6.1.192), a whole `uname -r`,
`uname -a` or line of /proc/version, each with /proc/version_signature behind it or without.
"""

import re
from typing import Literal

from ...base.dataclass import dataclass
from ...base.patterns import pattern

_VERSION = pattern(
    r"v?(\d{1,3})\.(\d{1,3})(?:\.(\d{1,4}))?(?:-rc(\d{1,2}))?((?:[-+~_][-+~_.\w]*)?)",
    re.ASCII | re.IGNORECASE,
)
_EARLY = pattern(r"-0\.rc(\d{1,2})\b", re.ASCII)
"""The form in which Fedora and RHEL write a candidate."""
_LISTED = pattern(r"([a-z]+)-(\d[\d.]*(?:-rc\d+)?(?:-\d[-.+~\w]*)?)", re.ASCII | re.IGNORECASE)
_MACHINE = pattern(r"[._+](ppc64le|x86_64|aarch64|s390x)\b", re.ASCII)
_DEBIAN_BUILD = pattern(r"\bDebian (\d{1,3})\.(\d{1,3})\.(\d{1,4})-", re.ASCII)
_UBUNTU_BUILD = pattern(r"#[^\s#]*-Ubuntu\b", re.ASCII)
_SIGNATURE = pattern(
    r"\bUbuntu (\d{1,3}\.\d{1,3}\.\d{1,4}-[\d.~]+-[-\w]+) (\d{1,3})\.(\d{1,3})\.(\d{1,4})(?![\d.])",
    re.ASCII,
)

Numbers = Literal["stable", "patched", "base"]


@dataclass(frozen=True, slots=True)
class Distribution:
    """The numbering of kernels by a distribution.

    name     as in debian-6.1.192
    title    as its maker writes it
    extra    what follows the number in `uname -r`, by which a kernel is known as the distribution's
    numbers  "stable": a number is kernel.org's stable release; "patched": with changes of the
             distribution's own; "base": the release it began with, which the distribution then gave
             changes of later ones
    build    the part of `extra` that tells the distribution's kernels of one number apart, as a
             group: 553.22.1; without a pattern nothing does
    later    what a "base" takes changes from: the "series", stable's updates; "any" later release
    """

    name: str
    title: str
    extra: re.Pattern[str]
    numbers: Numbers
    build: re.Pattern[str] | None = None
    later: Literal["series", "any"] = "any"


def _row(
    name: str,
    title: str,
    extra: str,
    numbers: Numbers,
    build: str = "",
    later: Literal["series", "any"] = "any",
) -> Distribution:
    builds = pattern(build, re.ASCII) if build else None
    return Distribution(name, title, pattern(extra, re.ASCII), numbers, builds, later)


DISTRIBUTIONS = (
    _row("uek", "Oracle's UEK", r".*\.el[0-9]+uek\b.*", "base", later="series"),
    _row(
        "rhel",
        "RHEL",
        r".*\.el[0-9]+.*",
        "base",
        r"-([0-9]{1,6}(?:\.[0-9]{1,6}){0,5}?)(?:\.(?:rt[0-9][0-9.]*\.)?el[0-9].*)?",
    ),
    _row("fedora", "Fedora", r".*\.fc[0-9]+\b.*", "stable"),
    _row("amazon", "Amazon Linux", r".*\.amzn[0-9]+.*", "patched"),
    _row("openeuler", "openEuler", r".*\.oe[0-9]+.*", "base"),
    _row("suse", "SUSE", r"-[0-9.]+-default|-[0-9]{5,}\.[0-9.]+-\w+", "base"),
    _row("android", "Android", r".*-android[0-9]+\b.*", "patched"),
    _row("raspberrypi", "Raspberry Pi OS", r".*\+rpt\b.*|(?:-v[678]l?|-rpi\w*)\+?", "patched"),
    _row("arch", "Arch Linux", r"-arch[0-9]+\b.*", "stable"),
    _row("proxmox", "Proxmox", r"-[0-9]+-pve", "patched"),
    _row("kali", "Kali", r"-kali[0-9]+-[a-z0-9]+", "base", later="series"),
    _row("parrot", "Parrot OS", r"-[0-9]+parrot[0-9]+-[a-z0-9]+", "base", later="series"),
    _row(
        "debian",
        "Debian",
        r"\+deb[0-9]+.*|-(?:[0-9]+|0\.deb[0-9]+\.[0-9]+|0\.bpo\.[0-9]+)-(?:rt-|cloud-)?"
        r"(?:amd64|arm64|armmp|686|i386|powerpc|ppc64|s390x|riscv64|mips|loong|octeon|marvell|rpi|"
        r"alpha|sparc|parisc|m68k).*",
        "stable",
        r"-([0-9]{1,6})(?:-[a-z].*)?",
        "series",
    ),
    _row(
        "ubuntu",
        "Ubuntu",
        r"-[0-9]+(?:daily[0-9]+)?-(?!g[0-9a-f]{6})[a-z][-\w]*",
        "base",
        r"-([0-9]{1,9})(?:(?:daily[0-9]+)?-[a-z][-\w]*)?",
        "series",
    ),
)
"""In the order in which they are tried on the end of a `uname -r`."""

name2distribution = {each.name: each for each in DISTRIBUTIONS}


@dataclass(frozen=True, slots=True)
class Named:
    """A kernel's name, taken apart.

    series        (6, 12)
    point         85 of 6.12.85; None if the name has none: 6.12, or debian's 6.1.0-28-amd64
    candidate     3 of 6.19-rc3; None of a release
    distribution  None for kernel.org's numbers
    numbers       what the number says, "stable" without distribution
    extra         what follows the number and says nothing: "-generic" of 6.12.85-generic
    build         (553, 22, 1) of 4.18.0-553.22.1.el8_10, where a distribution numbers builds
    machine       ppc64le of 4.18.0-553.el8_10.ppc64le; "" where the name does not say
    """

    series: tuple[int, int]
    point: int | None = None
    candidate: int | None = None
    distribution: Distribution | None = None
    numbers: Numbers = "stable"
    extra: str = ""
    build: tuple[int, ...] = ()
    machine: str = ""

    @property
    def number(self) -> str:
        """6.12, 6.12.85, 6.19-rc3 or 4.18.0-553.22.1."""
        point = "" if self.point is None else f".{self.point}"
        candidate = "" if self.candidate is None else f"-rc{self.candidate}"
        build = f"-{'.'.join(map(str, self.build))}" if self.build else ""
        return f"{self.series[0]}.{self.series[1]}{point}{candidate}{build}"


def parsed(text: str) -> Named | None:
    """Returns what a kernel's name says, None if it is not one."""
    listed = _LISTED.fullmatch(text.strip())
    if listed is not None:
        distribution = name2distribution.get(listed[1].lower())
        named = _numbered(listed[2])
        if distribution is None or named is None:
            return None
        found = _of_distribution(named, distribution)
        return None if named.extra and not found.build else found
    signature = _SIGNATURE.search(text) if "Ubuntu " in text else None
    if signature is not None:
        series = int(signature[2]), int(signature[3])
        ubuntu = name2distribution["ubuntu"]
        return Named(series, int(signature[4]), None, ubuntu, "patched")
    words = text.split()
    if words[:1] == ["Linux"]:
        # Linux version RELEASE, Linux HOST RELEASE, or Linux RELEASE #BUILD
        words = words[1:] if words[2:3] and words[2].startswith("#") else words[2:]
    if not words or (words[1:] and "#" not in text):
        return None
    named = _numbered(words[0])
    return named and _known_by(named, " ".join(words[1:]))


def _numbered(word: str) -> Named | None:
    match = _VERSION.fullmatch(word)
    if match is None:
        microsoft = re.fullmatch(r"(\d+\.\d+\.\d+)\.\d+(-microsoft\S*)", word, re.ASCII)
        match = _VERSION.fullmatch("".join(microsoft.groups())) if microsoft else None
        if match is None:
            return None
    series = int(match[1]), int(match[2])
    point = None if match[3] is None else int(match[3])
    candidate, extra = match[4], match[5]
    early = _EARLY.match(extra) if extra else None
    candidate = early[1] if early else candidate
    if candidate is not None and not point:
        return Named(series, None, int(candidate), extra=extra)
    return Named(series, point, extra=extra)


def _known_by(named: Named, build: str) -> Named:
    """The distribution, from what follows the number and from `uname -v`."""
    if not named.extra and not build:
        return named
    for match in _DEBIAN_BUILD.finditer(build):
        if (int(match[1]), int(match[2])) == named.series:
            return Named(named.series, int(match[3]), None, name2distribution["debian"])
    distribution = next((each for each in DISTRIBUTIONS if each.extra.fullmatch(named.extra)), None)
    if _UBUNTU_BUILD.search(build):
        distribution = name2distribution["ubuntu"]
    if distribution is None:
        return named
    if distribution.name in ("ubuntu", "rhel") and named.point:
        # a local version such as 6.12.85-1-custom, or stable's kernel built for RHEL: 6.9.3-1.el9
        return named
    if distribution.name == "debian" and named.point == 0:
        found = _of_distribution(named, distribution)
        return found if found.build else Named(named.series, None, None, distribution, "base")
    return _of_distribution(named, distribution)


def _of_distribution(named: Named, distribution: Distribution) -> Named:
    numbers = distribution.numbers
    if distribution.name == "ubuntu" and named.point:
        numbers = "patched"
    build: tuple[int, ...] = ()
    if distribution.build and not named.point and named.candidate is None:
        match = distribution.build.fullmatch(named.extra)
        build = tuple(map(int, match[1].split("."))) if match else ()
    if distribution.name == "debian" and (named.point is None or build):
        numbers = "base"
    machine = _MACHINE.search(named.extra)
    return Named(
        named.series,
        0 if build else named.point,
        named.candidate,
        distribution,
        numbers,
        build=build,
        machine=machine[1] if machine else "",
    )
