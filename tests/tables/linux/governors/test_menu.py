"""menu against recorded decisions of real kernels, its eras, and any input."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.tables.linux.builds import at_hand, beside
from idle_states.tables.linux.governors.interface import (
    KTIME_MAX,
    U32_MAX,
    Decision,
    Outcome,
    Situation,
    State,
)
from idle_states.tables.linux.governors.menu import Menu
from idle_states.tables.linux.governors.menu_features import CHANGES, features
from idle_states.tables.linux.releases import MAINLINE, place, release, version_key
from tests.support import vectors
from tests.support.menus import KERNELS, NO_LIMIT_US
from tests.support.thorough import few

# Recorded decisions


def test_there_are_vectors_of_all_tables_for_each_kernel() -> None:
    names = [path.name for path in vectors.files("menu")]
    assert len(names) == 12 * len(vectors.TABLES) * 2


@pytest.mark.parametrize("path", vectors.files("menu"), ids=lambda path: path.name.split(".csv")[0])
def test_recorded_decisions(path: Path) -> None:
    recorded = vectors.read(path)
    governor = Menu(recorded.states, features(release(recorded.kernel)), vectors.HZ)
    assert len(recorded.rows) == 400
    for number, row in enumerate(recorded.rows):
        decision = governor.select(row.situation)
        assert decision == Decision(row.state, row.stop_tick), (number, row, decision.why)
        governor.finished(row.outcome)


@pytest.mark.parametrize("kernel", few(1, ["debian-6.1.192", "debian-6.12.117", "ubuntu-4.18.0"]))
def test_recorded_decisions_need_the_backports(kernel: str) -> None:
    mainline = features(release(".".join(kernel.partition("-")[2].split(".")[:2])))
    differing = 0
    for path in vectors.files("menu"):
        recorded = vectors.read(path)
        if recorded.kernel == kernel:
            governor = Menu(recorded.states, mainline, vectors.HZ)
            for row in recorded.rows:
                decision = governor.select(row.situation)
                differing += decision != Decision(row.state, row.stop_tick)
                governor.finished(row.outcome)
    assert differing > 0


# Features by release

ERAS = (
    ("4.4", "4.4"),
    ("4.5", "4.5"),
    ("4.6", "4.10"),
    ("4.11", "4.12"),
    ("4.13", "4.13"),
    ("4.14", "4.16"),
    ("4.17", "4.18"),
    ("4.19", "4.19"),
    ("4.20", "5.0"),
    ("5.1", "5.3"),
    ("5.4", "5.4"),
    ("5.5", "5.12"),
    ("5.13", "6.5"),
    ("6.6", "6.12"),
    ("6.13", "6.14"),
    ("6.15", "6.16"),
    ("6.17", "6.17"),
    ("6.18", "6.18"),
    ("6.19", "6.19"),
    ("7.0", "7.0"),
    ("7.1", "7.3"),
)


def test_eras() -> None:
    """Up to the last one listed; later rows are held by their own tests."""
    last = version_key(ERAS[-1][1])
    found: list[tuple[str, str]] = []
    for name in KERNELS:
        if version_key(name) > last:
            break
        if found and features(release(found[-1][1])) == features(release(name)):
            found[-1] = (found[-1][0], name)
        else:
            found.append((name, name))
    assert tuple(found) == ERAS


def test_releases_before_4_4_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a release from 4\.4 on for menu, found 4\.3"):
        features(release("4.3"))


def test_no_states_are_refused() -> None:
    with pytest.raises(ValueError, match="expected at least one state"):
        Menu([], features(release("6.1")), 250)


POINTS = sorted({name for row in CHANGES for name in row.releases[1:]})
"""The first releases of their lines to have a change."""


def earlier(kernel: str) -> str:
    """Returns the release before one, in its line; of a line's first, the one it is made from."""
    line, key = place(kernel)
    builds = at_hand(line)
    if builds:
        return beside((line, key), builds)[0] or release(kernel).base
    number, _, point = kernel.rpartition(".")
    return f"{number}.{int(point) - 1}" if int(point) else number[-4:]


@pytest.mark.parametrize("kernel", POINTS)
def test_a_change_begins_where_its_row_says(kernel: str) -> None:
    """The release before it lacks at least one value of the rows that name it."""
    rows = [row for row in CHANGES if kernel in row.releases]
    before = features(release(earlier(kernel)))
    for row in rows:
        for field, value in row.values.items():
            assert getattr(features(release(kernel)), field) == value
            assert getattr(before, field) != value


# Whatever the input

TIMES = st.one_of(
    st.integers(-(1 << 63), KTIME_MAX),
    st.integers(-2000, 200_000),
    st.integers(0, 50_000_000),
    st.sampled_from([0, KTIME_MAX, 15_000, 4_000_000, 8_000_000, (1 << 32) * 1000]),
)
DURATIONS = st.one_of(st.integers(0, 1 << 64), st.integers(0, 60_000_000))
STATES = st.lists(
    st.builds(
        State,
        st.integers(0, 1 << 33) | st.integers(0, 300_000),
        st.integers(0, 1 << 33) | st.integers(0, 30_000_000),
        st.booleans(),
    ),
    min_size=1,
    max_size=10,
)
SITUATIONS = st.builds(
    Situation,
    st.sampled_from([0, 1, 20, 200, NO_LIMIT_US, (1 << 31) - 1]) | st.integers(0, 300),
    TIMES,
    TIMES,
    st.booleans(),
    st.integers(0, 3) | st.integers(0, U32_MAX),
    st.integers(0, 4096) | st.integers(0, (1 << 64) - 1),
    disabled=st.frozensets(st.integers(0, 9)),
)
Past = tuple[Situation, int, bool, bool, bool]
"""Situation, residency in ns, rejected, got_tick, poll_time_limit."""

HISTORIES = st.lists(
    st.tuples(SITUATIONS, DURATIONS, st.booleans(), st.booleans(), st.booleans()), max_size=20
)


@given(
    st.sampled_from([first for first, _ in ERAS] + [MAINLINE[-1], *POINTS]),
    STATES,
    st.sampled_from([24, 100, 250, 300, 1000]),
    st.sampled_from([32, 64]),
    HISTORIES,
)
def test_any_input(
    kernel: str, states: list[State], hz: int, long_bits: int, history: list[Past]
) -> None:
    """No input raises; what is selected is enabled, and from 6.17 within the latency limit."""
    known = replace(features(release(kernel)), long_bits=long_bits)
    governor = Menu(states, known, hz)
    for situation, residency_ns, rejected, got_tick, limit in history:
        decision = governor.select(situation)
        enabled = [i for i in range(len(states)) if i not in situation.disabled]
        assert 0 <= decision.state < len(states)
        searched = decision.why["rule"] == "search"
        if searched and enabled and known.zero_disabled:
            assert decision.state in enabled
        if searched and enabled and known.latency_first and decision.state != enabled[0]:
            exit_ns = states[decision.state].exit_ns
            assert exit_ns <= situation.latency_req_us * 1000
        if not known.decides_tick:
            assert decision.stop_tick
        residency_ns = 0 if rejected else residency_ns
        governor.finished(Outcome(decision.state, residency_ns, rejected, got_tick, limit))


@given(STATES, HISTORIES)
def test_replays_are_repeatable(states: list[State], history: list[Past]) -> None:
    def replay() -> list[tuple[Decision, dict[str, Any]]]:
        governor = Menu(states, features(release("7.2")), 250)
        decisions = []
        for situation, residency_ns, rejected, got_tick, limit in history:
            decision = governor.select(situation)
            decisions.append((decision, decision.why))
            governor.finished(Outcome(decision.state, residency_ns, rejected, got_tick, limit))
        return decisions

    assert replay() == replay()
