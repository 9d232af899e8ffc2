"""The releases there are, and how well each is known."""

from itertools import pairwise

import pytest

from idle_states.tables.kernels.behaviour import features_of
from idle_states.tables.kernels.series import ReleaseLine, lines, points
from idle_states.tables.linux.grounds import ground, modelled
from idle_states.tables.linux.releases import (
    MAINLINE,
    PRESETS,
    SERIES2LAST,
    UnknownRelease,
    release,
)


def one(name: str) -> ReleaseLine:
    return lines(name)[0]


@pytest.mark.parametrize("name", ["4.14", "5.10", "6.6", "6.18", "7.3"])
def test_stretches_cover_a_series_and_say_what_each_release_does(name: str) -> None:
    known = points(name)
    for subsystem in one(name).subsystems:
        assert modelled(known[0], subsystem.name)
        said = []
        for stretch in subsystem.stretches:
            names = [kernel.name for kernel in known]
            some = known[names.index(stretch.first) : names.index(stretch.last) + 1]
            said += some
            values = [features_of(kernel, subsystem.name) for kernel in some]
            assert all(value == values[0] for value in values)
            grounds = [
                (found, names.index(first), names.index(last))
                for found, first, last in stretch.known()
            ]
            for kernel in some:
                at = names.index(kernel.name)
                (found,) = (of for of, first, last in grounds if first <= at <= last)
                assert found == ground(kernel, subsystem.name)
        assert said == known
        for before, after in pairwise(subsystem.stretches):
            assert features_of(release(before.last), subsystem.name) != features_of(
                release(after.first), subsystem.name
            )


def test_where_menu_of_a_long_term_series_changes() -> None:
    (menu,) = (each for each in one("6.6").subsystems if each.name == "menu")
    assert [stretch.first for stretch in menu.stretches] == (
        "6.6 6.6.93 6.6.103 6.6.115 6.6.117 6.6.120 6.6.128".split()
    )
    assert menu.stretches[-1].last == SERIES2LAST["6.6"]


def test_names() -> None:
    every = lines(governor="teo")
    assert [line.name for line in every] == [*MAINLINE, *PRESETS]
    assert {each.name for line in every for each in line.subsystems} == {
        "teo", "powernv", "pseries", "dt", "genpd", "acpi_idle", "intel_idle", "idle loop",
    }  # fmt: skip
    assert [line.name for line in lines("v6.17")] == ["6.17", "debian-6.17.8", "ubuntu-6.17.0"]
    (line,) = lines("6.12.85-generic")
    assert line.kernel is not None
    assert line.kernel.taken_as == line.kernel.name.removeprefix("ubuntu-") == "6.12.85"
    with pytest.raises(UnknownRelease):
        lines("6")
