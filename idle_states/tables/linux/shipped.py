"""The kernels that distributions' releases came with, by the names that people have for these."""

import re
from collections.abc import Iterator
from functools import cache

from ...base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Shipped:
    """A distribution's release.

    name     "rhel-9.4", "debian-12"
    title    "RHEL 9.4"
    kernels  the one that it came with; or the first and the last known, where it had several
    """

    name: str
    title: str
    kernels: tuple[str, ...]


_ROWS = {
    "rhel RHEL": (
        f"{' '.join(f'6.{minor} 2.6.32' for minor in range(11))} 6 2.6.32 "
        f"{' '.join(f'7.{minor} 3.10.0' for minor in range(10))} 7 3.10.0 "
        "8 rhel-4.18.0-80..rhel-4.18.0-553.66.1 "
        "8.0 4.18.0-80.el8 8.1 4.18.0-147.el8 8.2 4.18.0-193.el8 8.3 4.18.0-240.el8 "
        "8.4 4.18.0-305.el8 8.5 4.18.0-348.el8 8.6 4.18.0-372.9.1.el8 8.7 4.18.0-425.3.1.el8 "
        "8.8 4.18.0-477.10.1.el8_8 8.9 4.18.0-513.5.1.el8_9 8.10 4.18.0-553.el8_10 "
        "9 rhel-5.14.0-70.13.1..rhel-5.14.0-570.32.1 "
        "9.0 5.14.0-70.13.1.el9_0 9.1 5.14.0-162.6.1.el9_1 9.2 5.14.0-284.11.1.el9_2 "
        "9.3 5.14.0-362.8.1.el9_3 9.4 5.14.0-427.13.1.el9_4 9.5 5.14.0-503.11.1.el9_5 "
        "9.6 5.14.0-570.12.1.el9_6 9.7 5.14.0-611.5.1.el9_7 "
        "10 rhel-6.12.0-55.9.1..rhel-6.12.0-55.24.1 "
        "10.0 6.12.0-55.9.1.el10_0 10.1 6.12.0-124.8.1.el10_1"
    ),
    "debian Debian": (
        "8 debian-3.16.43..debian-3.16.85 9 debian-4.9.30..debian-4.9.337 "
        "10 debian-4.19.37..debian-4.19.325 11 debian-5.10.46..debian-5.10.251 "
        "12 debian-6.1.27..debian-6.1.192 13 debian-6.12.38..debian-6.12.117"
    ),
    "ubuntu Ubuntu": (
        "14.04 3.13.0 16.04 4.4.0-21-generic 18.04 4.15.0-20-generic 18.10 4.18.0-10-generic "
        "19.04 5.0.0-13-generic 19.10 5.3.0-18-generic 20.04 5.4.0-26-generic "
        "20.10 5.8.0-25-generic 21.04 5.11.0-16-generic 21.10 5.13.0-19-generic "
        "22.04 5.15.0-25-generic 22.10 5.19.0-21-generic 23.04 6.2.0-20-generic "
        "23.10 6.5.0-9-generic 24.04 6.8.0-31-generic 24.10 6.11.0-8-generic "
        "25.04 6.14.0-15-generic 25.10 6.17.0-5-generic"
    ),
    "sles SLES sle": (
        "12.3 suse-4.4.73 12.4 suse-4.12.14 12.5 suse-4.12.14 15 suse-4.12.14..suse-6.4.0 "
        "15.0 suse-4.12.14 15.1 suse-4.12.14 15.2 suse-5.3.18 15.3 suse-5.3.18 15.4 suse-5.14.21 "
        "15.5 suse-5.14.21 15.6 suse-6.4.0 15.7 suse-6.4.0 16.0 suse-6.12.0"
    ),
    "amzn Amazon_Linux": "2 amazon-4.14.26..amazon-5.15.215 2023 amazon-6.1.15..amazon-6.1.192",
    "fedora Fedora": (
        "36 fedora-5.17.5 37 fedora-6.0.7 38 fedora-6.2.9 39 fedora-6.5.6 40 fedora-6.8.5 "
        "41 fedora-6.11.4 42 fedora-6.14.0 43 fedora-6.17.1"
    ),
    "openeuler openEuler": "20.03 openeuler-4.19.90 22.03 openeuler-5.10.0 24.03 openeuler-6.6.0",
    "uek Oracle's_UEK": "5 uek-4.14.35 6 uek-5.4.17 7 uek-5.15.0 8 uek-6.12.0",
    "android Android": " ".join(
        f"{version}-{series} android-{series}.0..android-{last}"
        for version, series, last in (
            ("11", "5.4", "5.4.302"),
            ("12", "5.4", "5.4.302"),
            ("12", "5.10", "5.10.265"),
            ("13", "5.10", "5.10.265"),
            ("13", "5.15", "5.15.215"),
            ("14", "5.15", "5.15.215"),
            ("14", "6.1", "6.1.192"),
            ("15", "6.6", "6.6.150"),
            ("16", "6.12", "6.12.117"),
        )
    ),
}
"""Prefix of names, title, and another prefix -> releases, each with the kernel that it came with,
or with the first and the last one known."""
_REBUILDS = {
    "rocky": ("Rocky Linux", "8 8.3..10.1"),
    "almalinux": ("AlmaLinux", "8 8.3..10.1"),
    "centos": ("CentOS", "6..8.5 9 10"),
}
"""The rebuilds of RHEL, whose kernels have its numbers: title, and the releases they have."""
_SPANS = {
    "rocky-8": ("rhel-4.18.0-240", ""),
    "almalinux-8": ("rhel-4.18.0-240", ""),
    "centos-8": ("", "rhel-4.18.0-348"),
}
"""First and last kernel of a rebuild's release where RHEL's are others."""
_ALIASES = {
    "alma": "almalinux", "al": "amzn", "amazonlinux": "amzn", "amazon-linux": "amzn",
    "opensuse-leap": "sles", "leap": "sles", "suse": "sles", "redhat": "rhel", "el": "rhel",
    "jessie": "debian-8", "stretch": "debian-9", "buster": "debian-10", "bullseye": "debian-11",
    "bookworm": "debian-12", "trixie": "debian-13", "xenial": "ubuntu-16.04",
    "bionic": "ubuntu-18.04", "focal": "ubuntu-20.04", "jammy": "ubuntu-22.04",
    "noble": "ubuntu-24.04",
}  # fmt: skip
"""Other prefixes, and releases' own names."""
_NAME = re.compile(r"([a-z]+(?:[-_ ][a-z]+)?)[-_ ]?(\d[\d._]*(?:-\d+\.\d+)?)", re.ASCII)
_SERVICE_PACK = re.compile(r"[-_. ]?sp(?=\d)", re.ASCII)


def _rows() -> Iterator[tuple[str, Shipped]]:
    """Yields each release by its name: RHEL's under its rebuilds', too."""
    for heads, text in _ROWS.items():
        prefix, title, *more = heads.split()
        words = text.split()
        for version, kernels in zip(words[::2], words[1::2], strict=True):
            titles = dict.fromkeys((prefix, *more), title.replace("_", " "))
            if prefix == "rhel":
                titles |= {n: t for n, (t, builds) in _REBUILDS.items() if _has(builds, version)}
            for each, name in titles.items():
                own = f"{each}{'' if each == 'android' else '-'}{version}"
                first, _, last = kernels.partition("..")
                others = _SPANS.get(own, ("", ""))
                span = (others[0] or first, others[1] or last) if last else (first,)
                yield own, Shipped(own, f"{name} {version}", span)


def _has(spans: str, version: str) -> bool:
    """Tells whether a version is one of words such as "8" and "8.3..10.1"."""
    key = _key(version)
    for word in spans.split():
        first, dots, last = word.partition("..")
        if version == word or (dots and _key(first) <= key <= _key(last)):
            return True
    return False


def _key(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


@cache
def all_shipped() -> dict[str, Shipped]:
    """Returns the distributions' releases by name."""
    return dict(_rows())


@cache
def shipped(text: str) -> Shipped | None:
    """Returns the release that a name stands for, in any case and spelling: rhel-9.4, RHEL9,
    el8_10, 22.04, sles15sp6; None if it is none that is known."""
    word = _SERVICE_PACK.sub(".", text.strip().lower())
    word = _ALIASES.get(word, word)
    if re.fullmatch(r"\d\d\.(04|10)", word, re.ASCII):
        return all_shipped().get(f"ubuntu-{word}")
    match = _NAME.fullmatch(word)
    if match is None:
        return None
    prefix = match[1].replace("_", "-").replace(" ", "-")
    prefix, version = _ALIASES.get(prefix, prefix), match[2].replace("_", ".")
    return all_shipped().get(f"{prefix}-{version}") or all_shipped().get(f"{prefix}{version}")


def releases_of(version: str) -> list[str]:
    """Returns the names of distributions' releases that have a number, "9.4"."""
    return [name for name in all_shipped() if name.endswith(f"-{version}") and name[:4] != "sle-"]
