"""`uname -r` of machines: each is known, bracketed by known kernels, a guess, or refused."""

from collections import Counter
from pathlib import Path

import pytest

from idle_states.tables.linux.acpi_idle.features import features as acpi_idle
from idle_states.tables.linux.brackets import as_end
from idle_states.tables.linux.governors.menu_features import features as menu
from idle_states.tables.linux.grounds import ground
from idle_states.tables.linux.intel_idle.features import features as intel
from idle_states.tables.linux.releases import (
    NEWEST,
    SERIES,
    UnknownRelease,
    release,
    version_key,
)
from idle_states.tables.linux.shipped import all_shipped

FILE = Path("tests/data/kernels/uname-r.tsv")
ROWS = [line.split("\t") for line in FILE.read_text("utf-8").splitlines()]


def outcome(text: str) -> str:
    try:
        found = release(text)
    except UnknownRelease:
        return "refused"
    return "bracketed" if found.ends else "guessed" if found.guessed else "known"


def test_each_string_of_a_machine() -> None:
    assert [[outcome(text), text] for _, text in ROWS] == ROWS
    counts = Counter(said for said, _ in ROWS)
    assert len(ROWS) > 300
    assert counts["refused"] < len(ROWS) // 20
    assert counts["guessed"] < len(ROWS) // 8


def test_none_is_taken_as_the_newest() -> None:
    """But as the upper end of a bracket."""
    taken = [text for said, text in ROWS if said != "refused"]
    newest = [text for text in taken if release(text).taken_as in (NEWEST, SERIES[-1])]
    assert [
        text for text in newest if version_key(text.split(".0-")[0]) < version_key(NEWEST)
    ] == []


def test_what_is_refused_is_older_than_all_that_is_modelled() -> None:
    for said, text in ROWS:
        if said == "refused":
            major, minor = text.replace("-", ".").split(".")[:2]
            assert (int(major), int(minor)) < (3, 14), text


@pytest.mark.parametrize(
    ("text", "name", "what"),
    [
        ("rhel-9.4", "rhel-5.14.0-427.13.1", "known"),
        ("RHEL 9.4", "rhel-5.14.0-427.13.1", "known"),
        ("rocky-8.10", "rhel-4.18.0-553", "known"),
        ("almalinux-9.2", "rhel-5.14.0-284.11.1", "known"),
        ("el8_10", "rhel-4.18.0-553", "known"),
        ("fedora-41", "fedora-6.11.4", "known"),
        ("centos-8", "centos-8", "bracketed"),
        ("RHEL9", "rhel-9", "bracketed"),
        ("rhel9", "rhel-9", "bracketed"),
        ("el9", "rhel-9", "bracketed"),
        ("rhel-9.7", "rhel-9.7", "bracketed"),
        ("ubuntu-22.04", "ubuntu-5.15.0-25", "known"),
        ("22.04", "ubuntu-5.15.0-25", "known"),
        ("jammy", "ubuntu-5.15.0-25", "known"),
        ("debian-12", "debian-12", "bracketed"),
        ("Bookworm", "debian-12", "bracketed"),
        ("sles-15.6", "sles-15.6", "bracketed"),
        ("SLES15-SP6", "sles-15.6", "bracketed"),
        ("amzn2023", "amzn-2023", "bracketed"),
        ("android14-6.1", "android14-6.1", "bracketed"),
        ("rhel-7.9", "", "refused"),
        ("centos-7", "", "refused"),
        ("9.4", "", "refused"),
        ("8.10", "", "refused"),
        ("7.9", "", "refused"),
        ("99.9", "", "refused"),
    ],
)
def test_distributions_releases(text: str, name: str, what: str) -> None:
    assert outcome(text) == what
    if what != "refused":
        assert release(text).name == name
        assert release(text).typed == text
        assert release(name) == release(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("9.4", r"'rhel-9\.4', 'rocky-9\.4' or 'almalinux-9\.4'\?; give the output of `uname -r`"),
        ("rhel-9.44", r"did you mean 'rhel-9\.4'\?"),
        ("debain-12", r"did you mean 'debian-12'\?"),
        ("plan9", r"found 'plan9'; give the output of `uname -r`$"),
        ("rhel-7.9", "RHEL 7.9 has 3.10.0, which is older$"),
    ],
)
def test_a_refusal_names_what_may_be_meant(text: str, said: str) -> None:
    with pytest.raises(UnknownRelease, match=said):
        release(text)


@pytest.mark.parametrize("name", all_shipped())
def test_every_release_has_a_kernel_or_is_too_old(name: str) -> None:
    ships = all_shipped()[name]
    if ships.kernels[0] in ("2.6.32", "3.10.0", "3.13.0"):
        with pytest.raises(UnknownRelease, match="which is older"):
            release(name)
        return
    found = release(name)
    assert release(found.name) == found
    assert found.ends or not found.guessed or found.note
    if ends := found.ends:
        assert len(set(ends)) == len(ends) > 1
        assert not any(end.ends for end in ends)


def test_a_bracket_has_what_came_and_went_between_its_ends() -> None:
    """5.15.185 and 5.15.190 changed menu."""
    names = [end.name for end in release("5.15.0-1049-aws").ends]
    assert names[0] == "ubuntu-5.15.0"
    assert {"ubuntu-5.15.185", "ubuntu-5.15.190"} < set(names)
    assert names[-1].startswith("ubuntu-5.15.2")


@pytest.mark.parametrize(
    ("name", "machine", "hz"),
    [
        ("5.14.0-427.13.1.el9_4", "ppc64le", 100),
        ("5.14.0-9999.el9", "ppc64le", 100),
        ("rhel-9", "x86_64", 1000),
        ("6.4.0-150600.23.25-default", "ppc64le", 100),
        ("4.12.14-197.10-default", "x86_64", 250),
        ("6.8.0-60-generic", "x86_64", 1000),
        ("6.8.0-60-generic", "ppc64le", 250),
        ("5.14.21-150400.24.63-default", "ppc64le", None),
        ("6.6", "ppc64le", None),
    ],
)
def test_a_tick_rate_is_the_distributions_whichever_end_stands_for_it(
    name: str, machine: str, hz: int | None
) -> None:
    found = release(name)
    ends = [as_end(found, number) for number in range(len(found.ends))]
    assert {each.hz_on(machine) for each in (found, *ends)} == {hz}


def test_builds_of_ubuntu_have_a_point_release_and_changes_of_their_own() -> None:
    """5.15.190 of menu is in -163, by its Makefile 5.15.193, and not in -161, 5.15.189."""
    builds = ("5.15.0-161", "5.15.0-163", "6.8.0-86", "6.8.0-88")
    told = [menu(release(f"ubuntu-{build}")).rejected_is_unknown for build in builds]
    assert told == [False, True, False, True]
    assert [ground(release(f"ubuntu-6.8.0-{build}"), "menu").kind for build in (49, 50, 90)] == [
        *("compiled", "read", "compiled")
    ]
    known = [intel(release(f"{build}-generic")) for build in ("5.15.0-50", "5.15.0-69")]
    assert [(each.spr_pc6, each.prefers_c1e) for each in known] == [(False, False), (True, False)]
    assert acpi_idle(release("ubuntu-5.15.0-47")).zen
    assert not acpi_idle(release("5.15.46")).zen
    for build in ("ubuntu-5.15.0-47", "ubuntu-5.15.0-185", "ubuntu-5.4.0-58"):
        assert ground(release(build), "menu").kind == "compiled"
    assert str(ground(release("ubuntu-5.15.0-74"), "menu")) == (
        "not checked itself; ubuntu-5.15.0-73 and ubuntu-5.15.0-78 behave the same"
    )
