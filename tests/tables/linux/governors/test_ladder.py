"""ladder against recorded decisions of real kernels, and its bug."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.tables.linux.governors.interface import KTIME_MAX, Outcome, Situation, State
from idle_states.tables.linux.governors.ladder import Ladder
from idle_states.tables.linux.governors.ladder_features import LadderFeatures, features
from idle_states.tables.linux.releases import MAINLINE, PRESETS, release, version_key
from tests.support import vectors

KERNELS = [name for name in MAINLINE if version_key(name) >= (4, 8)]
KERNELS += PRESETS
NO_LIMIT_US = 2_000_000_000
P9 = vectors.table("p9", False)
POLLING = vectors.table("p9", True)
LONG = 1_000_000


def of(kernel: str) -> LadderFeatures:
    return features(release(kernel))


def asked(limit_us: int = NO_LIMIT_US, disabled: tuple[int, ...] = ()) -> Situation:
    return Situation(limit_us, 10 * LONG, 10 * LONG, disabled=frozenset(disabled))


def climb(governor: Ladder, times: int, residency: int, **situation: Any) -> list[int]:
    """States selected, each entered for `residency` ns."""
    states = []
    for _ in range(times):
        decision = governor.select(asked(**situation))
        assert decision.stop_tick
        states.append(decision.state)
        governor.finished(Outcome(decision.state, residency))
    return states


def at(kernel: str, state: int) -> Ladder:
    """A ladder standing on a state, its last idle just as long as the exit latency."""
    governor = Ladder(P9, of(kernel))
    governor.finished(Outcome(state, P9[state].exit_ns))
    return governor


def test_there_are_vectors_of_all_tables_for_each_kernel() -> None:
    assert len(vectors.files("ladder")) == 12 * len(vectors.TABLES) * 2


@pytest.mark.parametrize("path", vectors.files("ladder"), ids=lambda path: path.name[:-7])
def test_vectors(path: Path) -> None:
    read = vectors.read(path)
    governor = Ladder(read.states, of(read.kernel), vectors.HZ)
    for number, row in enumerate(read.rows):
        decision = governor.select(row.situation)
        found = decision.state, decision.stop_tick
        assert found == (row.state, row.stop_tick), (number, decision.why)
        governor.finished(row.outcome)


@pytest.mark.parametrize("kernel", ["4.15", "5.4", "5.15", "7.2"])
def test_known_bug_short_idles_promote(kernel: str) -> None:
    """1 us idles for ever: too short for any state here, and yet it climbs."""
    table = [State(0, 0, True), *(State(us * 1000, us * 10_000) for us in (2, 5, 10, 50))]
    states = climb(Ladder(table, of(kernel)), 16, 1_000)
    assert states == [1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4]


def test_known_bug_only_the_gap_up_to_twice_the_latency_demotes() -> None:
    """State 4 takes 10 us to leave: what remains of an idle is compared unsigned."""
    for residency, state in ((9_999, 4), (10_000, 3), (19_999, 3), (20_000, 4)):
        governor = at("6.1", 4)
        governor.finished(Outcome(4, residency))
        assert governor.select(asked()).state == state


@pytest.mark.parametrize(("kernel", "state"), [("5.4", 1), ("5.5", 0)])
def test_microseconds_are_floored(kernel: str, state: int) -> None:
    """10.5 us to leave, idle for 20.999: not twice that, but 20 is twice 10."""
    governor = Ladder([State(0, 0), State(10_500, 100_000)], of(kernel))
    governor.finished(Outcome(1, 20_999))
    assert governor.select(asked()).state == state


@pytest.mark.parametrize(("kernel", "first"), [("4.13", 0), ("4.14", 1), ("7.2", 1)])
def test_a_polling_state_is_below_the_first_rung(kernel: str, first: int) -> None:
    assert Ladder(POLLING, of(kernel)).select(asked()).state == first
    assert Ladder(P9, of(kernel)).select(asked()).state == 0


def test_four_good_idles_promote() -> None:
    assert climb(Ladder(P9, of("6.1")), 10, LONG) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]


def test_an_idle_that_is_no_better_keeps_the_count() -> None:
    governor = Ladder(P9, of("6.1"))
    states = []
    for residency in (LONG, LONG, 0, LONG, 0, LONG):
        governor.finished(Outcome(0, residency))
        states.append(governor.select(asked()).state)
    assert states == [0, 0, 0, 0, 0, 1]


def test_one_bad_idle_demotes() -> None:
    assert at("6.1", 4).select(asked()).state == 3


def test_latency_limit_stops_the_climb_and_ends_it() -> None:
    assert max(climb(Ladder(P9, of("6.1")), 40, LONG, limit_us=5)) == 3
    assert at("6.1", 6).select(asked(5)).state == 3
    assert at("6.1", 6).select(asked(0)).state == 0


def test_nothing_fits_the_limit_but_the_first_rung() -> None:
    table = [State(0, 0, True), State(50_000, 1), State(60_000, 1)]
    governor = Ladder(table, of("6.1"))
    governor.finished(Outcome(2, LONG))
    assert governor.select(asked(1)).state == 1


def test_a_limit_of_0_leaves_the_polling_rung_at_once() -> None:
    """Below the first rung there are no thresholds: one long idle is enough."""
    governor = Ladder(POLLING, of("6.1"))
    assert governor.select(asked(0)).state == 0
    governor.finished(Outcome(0, LONG))
    assert governor.select(asked()).state == 1


def test_disabled_states() -> None:
    assert max(climb(Ladder(P9, of("6.1")), 40, LONG, disabled=(3,))) == 2
    governor = at("6.1", 4)
    governor.finished(Outcome(4, LONG))
    assert governor.select(asked(disabled=(4,))).state == 3


def test_state_0_is_not_remembered() -> None:
    governor = at("6.1", 4)
    governor.finished(Outcome(0, LONG))
    assert governor.select(asked()).why["last"] == 4


def test_a_rejected_entry_leaves_no_residency() -> None:
    governor = Ladder(P9, of("6.1"))
    for _ in range(8):
        assert governor.select(asked()).state == 0
        governor.finished(Outcome(0, LONG, rejected=True))


def test_with_nothing_but_polling_a_state_is_selected_that_is_not_there() -> None:
    assert Ladder([State(0, 0, True)], of("6.1")).select(asked()).state == 1


def test_residencies_in_us_end_at_int_max() -> None:
    governor = Ladder([State(0, 0), State(0, 0)], of("5.4"))
    governor.finished(Outcome(1, 1 << 62))
    assert governor.select(asked()).why["remainder"] == (1 << 31) - 1


def test_why() -> None:
    why = at("6.1", 4).select(asked()).why
    assert list(why) == ["last", "first", "remainder", "latency_req", "promotions", "rule"]
    assert (why["last"], why["remainder"], why["rule"]) == (4, 0, "demoted")


TIMES = st.one_of(st.integers(0, KTIME_MAX), st.integers(0, 300_000))
TABLES = st.lists(st.builds(State, TIMES, TIMES, st.booleans()), min_size=1, max_size=10)
SITUATIONS = st.builds(
    asked,
    st.one_of(st.just(NO_LIMIT_US), st.integers(0, (1 << 31) - 1), st.integers(0, 100)),
    st.lists(st.integers(0, 9)).map(tuple),
)


@given(
    st.sampled_from(KERNELS),
    TABLES,
    st.lists(st.tuples(SITUATIONS, TIMES, st.booleans()), max_size=40),
)
def test_no_input_raises(
    kernel: str, table: list[State], rows: list[tuple[Situation, int, bool]]
) -> None:
    governor = Ladder(table, of(kernel))
    for situation, residency, rejected in rows:
        decision = governor.select(situation)
        assert 0 <= decision.state <= max(len(table) - 1, 1)
        assert decision.stop_tick
        governor.finished(Outcome(decision.state, residency, rejected))
