"""Kernels as people, machines and distributions name them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.tables.linux.builds import BUILDS, at_hand
from idle_states.tables.linux.governors.menu_features import features as menu
from idle_states.tables.linux.releases import (
    MAINLINE,
    NEWEST,
    PRESETS,
    SERIES,
    SERIES2LAST,
    UnknownRelease,
    reached,
    release,
    running,
    version_key,
    version_name,
)
from idle_states.tables.linux.uname import DISTRIBUTIONS

DEBIAN_12 = (
    "Linux version 6.1.0-28-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) "
    "12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 "
    "(2024-11-22)"
)
UBUNTU_24 = (
    "Linux version 6.8.0-49-generic (buildd@lcy02-amd64-103) (x86_64-linux-gnu-gcc-13 (Ubuntu "
    "13.2.0-23ubuntu4) 13.2.0, GNU ld (GNU Binutils for Ubuntu) 2.42) #49-Ubuntu SMP "
    "PREEMPT_DYNAMIC Mon Nov  4 02:06:24 UTC 2024"
)


NOTED = (
    "6.12.85-generic",
    "6.6.58-gentoo-r1",
    "5.10.50-openpower1",
    "5.15.153.1-microsoft-standard-WSL2",
    "6.19.0-rc3+",
)
"""Their ends say nothing that is known."""


@pytest.mark.parametrize(
    ("text", "name", "taken_as", "guessed"),
    [
        # kernel.org's numbers
        ("6.1", "6.1", "6.1", False),
        ("v6.1", "6.1", "6.1", False),
        ("6.1.0", "6.1", "6.1", False),
        ("6.6.93", "6.6.93", "6.6.93", False),
        ("v6.19-rc3", "6.19-rc3", "6.19-rc3", False),
        ("6.19.0-rc3+", "6.19-rc3", "6.19-rc3", False),
        ("6.12.85-generic", "6.12.85", "6.12.85", False),
        ("6.6.58-gentoo-r1", "6.6.58", "6.6.58", False),
        ("5.10.50-openpower1", "5.10.50", "5.10.50", False),
        ("6.6.999", "6.6.999", SERIES2LAST["6.6"], True),
        ("7.11", "7.11", SERIES[-1], True),
        ("7.4-rc1", "7.4-rc1", SERIES[-1], True),
        # Debian
        ("debian-6.1.192", "debian-6.1.192", "6.1.192", False),
        ("6.1.0-28-powerpc64le", "debian-6.1.0-28", "6.1", True),
        ("6.1.0-28-powerpc64le #1 SMP Debian 6.1.119-1", "debian-6.1.119", "6.1.119", False),
        ("6.12.85+deb13-amd64", "debian-6.12.85", "6.12.85", False),
        ("6.1.0-0.deb11.21-amd64", "debian-6.1", "6.1", True),
        (DEBIAN_12, "debian-6.1.119", "6.1.119", False),
        (
            "Linux box 6.1.0-28-powerpc64le #1 SMP Debian 6.1.119-1 (2024-11-22) ppc64le GNU/Linux",
            "debian-6.1.119",
            "6.1.119",
            False,
        ),
        # Ubuntu
        ("6.8.0-49-generic", "ubuntu-6.8.0-49", "ubuntu-6.8.0-49", False),
        ("5.15.0-91-generic", "ubuntu-5.15.0-91", "5.15.131", False),
        ("5.15.0-120-generic", "ubuntu-5.15.0-120", "5.15.160", False),
        ("5.15.0-54-generic", "ubuntu-5.15.0-54", "5.15.60", True),
        ("5.15.0-999-generic", "ubuntu-5.15.0-999", "5.15.200", True),
        ("5.15.0-1075-azure", "ubuntu-5.15.0-1075", "5.15", True),
        ("6.8.0-31-generic #31-Ubuntu SMP ppc64le", "ubuntu-6.8.0-31", "ubuntu-6.8.0-31", False),
        ("6.8.0-49-generic #49~22.04.1-Ubuntu SMP", "ubuntu-6.8.0-49", "ubuntu-6.8.0-49", False),
        (UBUNTU_24, "ubuntu-6.8.0-49", "ubuntu-6.8.0-49", False),
        ("Ubuntu 6.8.0-49.49-generic 6.8.12", "ubuntu-6.8.12", "6.8.12", True),
        (
            "5.15.0-127-generic #137-Ubuntu SMP x86_64\nUbuntu 5.15.0-127.137-generic 5.15.167\n",
            "ubuntu-5.15.167",
            "5.15.167",
            True,
        ),
        # Red Hat and those that rebuild it; Oracle; Fedora
        ("5.14.0-503.14.1.el9_5.ppc64le", "rhel-5.14.0-503.14.1", "rhel-5.14.0-503.14.1", False),
        ("4.18.0-553.el8_10.x86_64", "rhel-4.18.0-553", "rhel-4.18.0-553", False),
        ("6.12.0-55.9.1.el10_0.ppc64le", "rhel-6.12.0-55.9.1", "rhel-6.12.0-55.9.1", False),
        ("5.14.0-391.el9.aarch64+64k", "rhel-5.14.0-391", "rhel-5.14.0-362.24.2", True),
        ("5.14.0-504.el9.aarch64+64k", "rhel-5.14.0-504", "rhel-5.14.0-503.40.1", True),
        (
            "5.14.0-503.20.1.el9_5.aarch64+64k",
            "rhel-5.14.0-503.20.1",
            "rhel-5.14.0-503.20.1",
            False,
        ),
        ("4.18.0-553.rt7.342.el8_10.x86_64", "rhel-4.18.0-553", "rhel-4.18.0-553", False),
        ("4.18.0-9999.1.el8.x86_64", "rhel-4.18.0-9999.1", "rhel-4.18.0-553.66.1", True),
        ("4.18.0-22.el8.x86_64", "rhel-4.18.0-22", "4.18", True),
        ("rhel-4.18.0", "rhel-4.18.0", "rhel-4.18.0-80", True),
        ("rhel-5.14.0-70.13.1", "rhel-5.14.0-70.13.1", "rhel-5.14.0-70.13.1", False),
        ("6.12.0-0.rc2.24.el10.x86_64", "rhel-6.12-rc2", "6.12-rc2", True),
        ("5.10.0-3.el8.x86_64", "rhel-5.10.0-3", "5.10", True),
        ("5.15.0-209.161.7.2.el9uek.x86_64", "uek-5.15.0", "5.15", True),
        ("6.11.4-301.fc41.x86_64", "fedora-6.11.4", "6.11.4", False),
        ("6.12.0-0.rc6.20241108gitabc.52.fc42.x86_64", "fedora-6.12-rc6", "6.12-rc6", False),
        # SUSE, Amazon, openEuler, Arch, Android, Raspberry Pi, Proxmox, Microsoft
        ("6.4.0-150600.23.25-default", "suse-6.4.0", "6.4", True),
        ("6.4.0-150600.8.17-azure", "suse-6.4.0", "6.4", True),
        ("5.3.18-22-default", "suse-5.3.18", "5.3.18", True),
        ("5.10.226-214.880.amzn2.x86_64", "amazon-5.10.226", "5.10.226", True),
        ("6.1.115-126.197.amzn2023.aarch64", "amazon-6.1.115", "6.1.115", True),
        ("5.10.0-216.0.0.115.oe2203sp4.aarch64", "openeuler-5.10.0", "5.10", True),
        ("6.11.5-arch1-1", "arch-6.11.5", "6.11.5", False),
        ("5.10.177-android12-9-00001-gabc", "android-5.10.177", "5.10.177", True),
        ("6.6.51+rpt-rpi-v8", "raspberrypi-6.6.51", "6.6.51", True),
        ("6.1.21-v8+", "raspberrypi-6.1.21", "6.1.21", True),
        ("6.8.12-4-pve", "proxmox-6.8.12", "6.8.12", True),
        ("5.15.153.1-microsoft-standard-WSL2", "5.15.153", "5.15.153", False),
    ],
)
def test_names(text: str, name: str, taken_as: str, guessed: bool) -> None:
    found = release(text)
    assert (found.name, found.taken_as, found.guessed) == (name, taken_as, guessed)
    assert found.typed == text
    again = release(found.name)
    assert (again, again.taken_as, again.guessed) == (found, taken_as, guessed)
    assert (found.note == "") is (name == taken_as and text not in NOTED)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "6",
        "six",
        "debian",
        "debian-",
        "debian-2.6.32",
        "debian-6..1",
        "windows-11",
        "6.1.2.3-x",
        "6.1garbage",
        "6.1 or so",
        "3.10.0-1160.el7.ppc64le",
        "2.6.32-754.el6.ppc64",
        "4.25",
        "6.1\n6.2",
        "Linux",
        "Linux 6.1",
        "٦.١",
        "9" * 5000,
        "6." + "9" * 5000,
        "6.1." + "9" * 5000,
    ],
)
def test_what_is_no_kernel_is_refused(text: str) -> None:
    with pytest.raises(UnknownRelease, match="expected a kernel"):
        release(text)
    assert running(text) is None


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("debain-6.1.192", r"did you mean 'debian-6\.1\.192'"),
        ("ubunut-5.4.0", r"did you mean 'ubuntu-5\.4\.0'"),
        ("3.10", "it is older$"),
        ("5.42", "there was none of that number"),
    ],
)
def test_a_refusal_says_why_or_what_was_meant(text: str, hint: str) -> None:
    with pytest.raises(UnknownRelease, match=hint):
        release(text)


def test_a_name_says_the_machine_it_is_of() -> None:
    builds = ("553.el8_10.ppc64le", "553.el8_10.aarch64", "553.el8_10")
    machines = [release(f"4.18.0-{build}").machine for build in builds]
    assert machines == ["ppc64le", "aarch64", ""]
    assert release("5.14.0-427.13.1.el9_4.aarch64+64k").machine == "aarch64"


def test_builds_are_in_order_and_reach_what_began_before_them() -> None:
    began = "5.5 rhel-4.18.0-240.1.1"
    known = ("193.28.1", "240", "240.1.1", "240.10.1", "553")
    reaching = [reached(release(f"rhel-4.18.0-{build}"), began) for build in known]
    assert reaching == [False, False, True, True, True]
    assert [reached(release(name), began) for name in ("5.4", "5.5", "rhel-5.14.0-70")] == [
        *(False, True, True)
    ]
    for line in BUILDS:
        keys = at_hand(line.removesuffix(".0"))
        assert list(keys) == sorted(set(keys))
        assert len(keys) == len(BUILDS[line].split())


PIECES = st.sampled_from(
    [
        *("Linux version 6.1 6.12.0 -28 -rc3 #1 Debian 6.1.119-1 Ubuntu v -generic .el9_5").split(),
        *("+deb13 . - debian- rhel- ( ٣ \0").split(),
        *" \n",
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map("".join)))
def test_any_text_is_a_release_or_refused(text: str) -> None:
    found = running(text)
    if found is None:
        with pytest.raises(UnknownRelease, match="expected a kernel"):
            release(text)
    else:
        assert release(text) == release(found.name) == found


@pytest.mark.parametrize("name", [*MAINLINE, *SERIES, *PRESETS])
def test_every_known_name_in_each_of_its_spellings(name: str) -> None:
    found = release(name)
    assert found.name == name
    plain = not found.name[0].isalpha()
    spellings = [f" {name} ", name.upper()] if not plain else [f"v{name}", f"{name}-custom"]
    if plain and name in MAINLINE:
        spellings += [f"{name}.0"]
    if plain:
        spellings += [f"Linux host {name} #1 SMP ppc64le GNU/Linux", f"Linux {name} #1 SMP ppc64le"]
        spellings += [f"Linux version {name} (me@here) (gcc 12) #1 SMP"]
    if name.startswith("debian-"):
        series = ".".join(name.partition("-")[2].split(".")[:2])
        spellings += [f"{series}.0-9-amd64 #1 SMP Debian {name.partition('-')[2]}-1 (2026-01-01)"]
    if name.startswith("ubuntu-"):
        spellings += [f"{name.partition('-')[2]} #31-Ubuntu SMP"]
    for spelling in spellings:
        assert release(spelling) == found, spelling


def test_nothing_is_taken_as_another_in_silence() -> None:
    for text in ("6.6.999", "7.11", "5.14.0-999.el9.ppc64le", "6.8.0-47-generic"):
        found = release(text)
        assert found.guessed
        assert found.note.startswith(("treated as ", "not known itself: shown for "))


@pytest.mark.parametrize("distribution", [each.name for each in DISTRIBUTIONS])
def test_a_distribution_is_followed_as_its_number(distribution: str) -> None:
    assert menu(release(f"{distribution}-6.6.93")) == menu(release("6.6.93"))


def test_a_release_to_come_is_the_newest() -> None:
    assert menu(release("7.11")) == menu(release(NEWEST))


@pytest.mark.parametrize("name", [*MAINLINE, *SERIES, "6.19-rc3"])
def test_a_version_is_named_as_it_was(name: str) -> None:
    assert version_name(version_key(name)) == release(name).taken_as == name
    assert version_name(release(name).version) == name
