"""haltpoll: no decisions were recorded; the expected ones follow from its rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.tables.linux.governors.haltpoll import Haltpoll, Parameters
from idle_states.tables.linux.governors.haltpoll_features import features
from idle_states.tables.linux.governors.interface import KTIME_MAX, Outcome, Situation, State
from idle_states.tables.linux.releases import MAINLINE, PRESETS, release, version_key

STATES = (State(0, 0, True), State(1_000, 1_000))
ASKED = Situation(2_000_000_000, 10**9, 10**6)
KERNELS = [name for name in MAINLINE if version_key(name) >= (5, 4)]
KERNELS += [name for name in PRESETS if release(name).version >= (5, 4)]


def guest(kernel: str = "6.12", parameters: Parameters | None = None) -> Haltpoll:
    return Haltpoll(STATES, features(release(kernel)), 250, parameters)


def halted(governor: Haltpoll, *blocks: int) -> Haltpoll:
    """After halts of these lengths in ns."""
    for block in blocks:
        governor.finished(Outcome(1, block))
    return governor


def answer(governor: Haltpoll, situation: Situation = ASKED) -> tuple[int, bool]:
    decision = governor.select(situation)
    return decision.state, decision.stop_tick


def test_halts_until_a_limit_has_grown() -> None:
    governor = guest()
    assert answer(governor) == (1, True)
    assert answer(halted(governor, 200_001)) == (1, True)
    assert answer(halted(governor, 200_000)) == (0, False)


def test_polls_until_the_limit_then_halts_then_polls() -> None:
    governor = halted(guest(), 100_000)
    assert answer(governor) == (0, False)
    governor.finished(Outcome(0, 3_000))
    assert answer(governor) == (0, False)
    governor.finished(Outcome(0, 50_000, poll_time_limit=True))
    assert answer(governor) == (1, True)
    assert answer(halted(governor, 60_000)) == (0, False)


def test_polling_does_not_change_the_limit() -> None:
    governor = halted(guest(), 100_000)
    governor.finished(Outcome(0, 150_000))
    assert governor.poll_limit_ns == 50_000


def test_only_polling_says_that_the_limit_was_reached() -> None:
    """The flag outlives halts, and theirs means nothing."""
    governor = halted(guest(), 100_000)
    governor.finished(Outcome(1, 1_000, poll_time_limit=True))
    governor.finished(Outcome(0, 1_000))
    assert answer(governor) == (0, False)


def test_no_latency_allowed() -> None:
    assert answer(guest(), Situation(0, 10**9, 10**6)) == (0, False)


@pytest.mark.parametrize(
    ("blocks", "limit"),
    [
        ([1], 50_000),
        ([1, 50_000], 50_000),
        ([1, 50_001], 100_000),
        ([1, 60_000, 150_000], 200_000),
        ([1, 60_000, 150_000, 200_000], 200_000),
        ([1, 60_000, 150_000, 200_001], 100_000),
        ([1, 60_000, 150_000, 200_001, 200_001], 50_000),
    ],
)
def test_limit(blocks: list[int], limit: int) -> None:
    assert halted(guest(), *blocks).poll_limit_ns == limit


@pytest.mark.parametrize(("kernel", "limit"), [("5.4", 25_000), ("6.8", 25_000), ("6.9", 0)])
def test_shrinks_to_zero_from_6_9_on(kernel: str, limit: int) -> None:
    assert halted(guest(kernel), 1_000, 201_000).poll_limit_ns == limit


@pytest.mark.parametrize(("kernel", "limit"), [("5.4", 100_000), ("5.5", 25_000)])
def test_us_are_floored_up_to_5_4(kernel: str, limit: int) -> None:
    """200.999 us are 200 there: reason to grow, not to shrink."""
    assert halted(guest(kernel), 1_000, 200_999).poll_limit_ns == limit


@pytest.mark.parametrize(
    ("parameters", "limits"),
    [
        (Parameters(allow_shrink=False), [50_000, 100_000, 100_000]),
        (Parameters(shrink=0), [50_000, 100_000, 0]),
        (Parameters(grow=3), [50_000, 150_000, 75_000]),
        (Parameters(grow_start=10_000), [10_000, 20_000, 10_000]),
        (Parameters(max_ns=70_000), [50_000, 70_000, 35_000]),
        # The product is cut to 32 bits.
        (Parameters(1 << 31, grow=1 << 31, grow_start=2), [2, 2, 2]),
    ],
)
def test_parameters(parameters: Parameters, limits: list[int]) -> None:
    governor = guest("6.8", parameters)
    assert [halted(governor, b).poll_limit_ns for b in (40_000, 60_000, 10**9)] == limits


def test_a_rejected_entry_is_forgotten() -> None:
    governor = guest()
    governor.finished(Outcome(1, 100_000, rejected=True))
    assert governor.poll_limit_ns == 0


def test_with_nothing_but_polling_a_state_is_selected_that_is_not_there() -> None:
    governor = Haltpoll(STATES[:1], features(release("6.12")))
    assert answer(governor) == (1, True)
    assert halted(governor, 1_000).poll_limit_ns == 50_000


def test_no_haltpoll_before_5_4() -> None:
    with pytest.raises(ValueError, match=r"from 5\.4 on .* found 5\.3"):
        features(release("5.3"))


def test_why() -> None:
    assert halted(guest(), 1_000).select(ASKED).why == {
        "poll_limit_ns": 50_000,
        "last": 1,
        "timed_out": False,
        "rule": "poll",
    }


@given(
    st.sampled_from(KERNELS),
    st.builds(
        Parameters,
        st.integers(0, (1 << 32) - 1),
        st.integers(0, (1 << 32) - 1),
        st.integers(0, (1 << 32) - 1),
        st.integers(0, (1 << 32) - 1),
        st.booleans(),
    ),
    st.lists(st.tuples(st.integers(0, KTIME_MAX), st.booleans(), st.booleans()), max_size=30),
)
def test_no_input_raises(
    kernel: str, parameters: Parameters, rows: list[tuple[int, bool, bool]]
) -> None:
    governor = guest(kernel, parameters)
    for residency, rejected, limit in rows:
        decision = governor.select(ASKED)
        assert decision.state in (0, 1)
        governor.finished(Outcome(decision.state, residency, rejected, poll_time_limit=limit))
        assert 0 <= governor.poll_limit_ns < 1 << 32
