"""Tests of how well a release is known, for each subsystem."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.tables.linux.grounds import (
    TREES,
    ground,
    known_of,
    modelled,
    remarks,
    subsystems,
)
from idle_states.tables.linux.releases import (
    MAINLINE,
    PRESETS,
    SERIES,
    SERIES2LAST,
    folded,
    place,
    release,
    version_key,
)

NAMES = st.one_of(
    st.sampled_from([*MAINLINE, *SERIES, *PRESETS]),
    st.builds(
        lambda name, point: f"{name}.{point}", st.sampled_from(MAINLINE), st.integers(0, 300)
    ),
)


@pytest.mark.parametrize(
    ("kernel", "subsystem", "expected"),
    [
        ("6.6.93", "menu", "compiled and compared"),
        ("6.1.168", "menu", "not checked itself; 6.1.166 and 6.1.170 behave the same"),
        ("6.1.192", "teo", "compiled and compared"),
        ("debian-6.1.190", "menu", "not checked itself; 6.1.187 and 6.1.192 behave the same"),
        ("6.18-rc2", "menu", "compiled and compared"),
        ("6.16", "teo", "not checked itself; 6.14 and 6.17 behave the same"),
        ("6.16", "menu", "reconstructed from its changes, not read"),
        ("5.5", "menu", "not checked itself; 5.5-rc5 and 5.6 behave the same"),
        ("5.5", "teo", "not known; 5.6 is used instead"),
        ("6.19.3", "menu", "not known; 6.19 is used instead"),
        ("6.6.999", "menu", f"not known; {SERIES2LAST['6.6']} is used instead"),
        ("7.11", "powernv", f"not known; {SERIES[-1]} is used instead"),
        ("4.11", "powernv", "compiled and compared"),
        ("4.11.6", "powernv", "from reading its source, not tested by compiling it"),
        ("6.12", "dt", "compiled and compared"),
        ("4.19.100", "dt", "from reading its source, not tested by compiling it"),
        ("6.6.93", "powernv", "compiled and compared"),
        ("4.15", "pseries", "compiled and compared"),
        ("4.13", "pseries", "compiled and compared"),
        ("ubuntu-5.4.0", "teo", "compiled and compared"),
        ("ubuntu-5.4.0", "haltpoll", "not known; 5.4 is used instead"),
        ("ubuntu-5.4.0", "powernv", "not known; 5.4 is used instead"),
        ("5.14.0-503.14.1.el9_5.ppc64le", "menu", "compiled and compared"),
        (
            "4.18.0-400.el8.x86_64",
            "haltpoll",
            "not checked itself; rhel-4.18.0-372.32.1 and rhel-4.18.0-425.3.1 behave the same",
        ),
        (
            "4.18.0-400.el8.x86_64",
            "menu",
            "not known; shown for rhel-4.18.0-372.32.1 and rhel-4.18.0-425.3.1, which differ",
        ),
        (
            "4.18.0-9999.el8.x86_64",
            "menu",
            "not known; shown for rhel-4.18.0-553.66.1 and 7.3.4, which differ",
        ),
        (
            "4.18.0-22.el8.x86_64",
            "menu",
            "not known; shown for 4.18 and rhel-4.18.0-80, which differ",
        ),
        ("4.18.0-147.3.1.el8_1.ppc64le", "powernv", "compiled and compared"),
        (
            "4.18.0-300.el8.ppc64le",
            "powernv",
            "not known; shown for rhel-4.18.0-240.22.1 and rhel-4.18.0-305, which differ",
        ),
    ],
)
def test_grounds(kernel: str, subsystem: str, expected: str) -> None:
    assert str(ground(release(kernel), subsystem)) == expected


@given(NAMES)
def test_what_a_ground_rests_on_behaves_the_same(name: str) -> None:
    """A release between two, or taken as another, has their features; a guess is never more."""
    kernel = release(name)
    for subsystem in subsystems():
        if not modelled(kernel, subsystem):
            continue
        history, _ = known_of(subsystem)
        known = ground(kernel, subsystem)
        assert (known.kind == "taken") >= (kernel.guessed and name not in PRESETS)
        assert len(known.releases) == {"bracketed": 2, "taken": 1}.get(known.kind, 0)
        for other in map(release, known.releases):
            assert folded(history, other) == folded(history, kernel)
        if known.kind == "bracketed":
            below, above = (release(other).version for other in known.releases)
            assert below[:2] < kernel.version[:2] or below < kernel.version
            assert above[:2] > kernel.version[:2] or above > kernel.version


def test_trees_are_runs_in_order_within_their_series() -> None:
    ends = []
    for run in TREES.split():
        first, _, last = run.partition("..")
        keys = [(*place(name)[1], 0)[:3] for name in (first, last or first)]
        assert keys[0][:2] == keys[1][:2]
        assert keys[1] <= version_key(SERIES[MAINLINE.index("{}.{}".format(*keys[0][:2]))])
        ends += [keys[0]] if keys[0] == keys[1] else keys
    assert all(before < after for before, after in pairwise(ends))


def test_remarks_are_of_what_was_not_compiled() -> None:
    kernels = [release(name) for name in ("6.1", "4.11.6", "4.12.3", "6.6.999")]
    assert remarks(kernels, "powernv", "menu") == [
        "powernv of Linux 4.11.6, 4.12.3: from reading its source, not tested by compiling it. "
        f"powernv and menu of Linux 6.6.999: not known; {SERIES2LAST['6.6']} is used instead"
    ]
    assert remarks([release("4.5")], "menu", "teo", "haltpoll") == []
