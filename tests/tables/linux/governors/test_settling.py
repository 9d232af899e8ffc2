"""Equal idle periods, by the reference and by the core: what is cut short, or run once for many
lengths, is as if each had been run to its end."""

from array import array
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.tables.linux.governors import Governor, State, steady
from idle_states.tables.linux.governors.interface import NO_STATE, Outcome
from idle_states.tables.linux.governors.settling import (
    OBSERVED,
    SETTLING,
    Circumstances,
    Idle,
    Length,
    Settling,
)
from idle_states.tables.linux.governors.watched import LengthsAlike, WatchedLength
from idle_states.tables.linux.qos import NO_LIMIT_US
from idle_states.tables.selection.by_core import by_core
from tests.support.thorough import examples

KERNELS = {
    "menu": ("4.4", "4.11", "4.20", "5.4", "5.10", "6.1", "6.6", "6.12", "6.15"),
    "teo": ("5.1", "5.5", "5.10", "5.14", "6.1", "6.6", "6.12", "6.18"),
    "ladder": ("4.11", "6.12"),
}
GOVERNORS = [(name, kernel) for name, kernels in KERNELS.items() for kernel in kernels]
US = st.one_of(st.integers(0, 60), st.integers(0, 30_000))
OPERATIONS: tuple[Callable[[Any, int], Any], ...] = (
    lambda value, by: value + by,
    lambda value, by: by - value,
    lambda value, by: value - by,
    lambda value, by: value + value,
    lambda value, by: value * by,
    lambda value, by: value // (abs(by) + 1),
    lambda value, by: (abs(by) + 1) * 10**6 // (abs(value) + 1),
    lambda value, by: value % (abs(by) + 1),
    lambda value, by: value & (1 << 64) - 1,
    lambda value, by: value >> abs(by) % 70,
    lambda value, by: abs(value),
    lambda value, by: min(value, by),
    lambda value, by: max(value // 3, value // 2 - by),
    lambda value, by: -value if value else by,
    lambda value, by: value + (value == by) + (value != by) + 2 * (value <= by),
    lambda value, by: by if value > by else value,
    lambda value, by: {by: 1}.get(value, value),
)


def in_turn(lengths: Sequence[Length]) -> "array[int]":
    return array("Q", chain.from_iterable(lengths))


def run_to_the_end(
    governor: Governor, length: tuple[int, int], fixed: Circumstances, history: Sequence[Outcome]
) -> list[int]:
    """The last states of all idle periods, each of them run."""
    idle = Idle.of(governor, length, fixed)
    for outcome in history:
        governor.select(idle.situation)
        governor.reflect(outcome)
    taken = []
    for _ in range(SETTLING + OBSERVED):
        decision = governor.select(idle.situation)
        state = decision.state
        polls = 0 <= state < len(governor.states) and governor.states[state].polling
        governor.reflect(idle.outcome(state, polls, decision.stop_tick))
        taken.append(255 if state == NO_STATE else state)
    return taken[SETTLING:]


@st.composite
def tables(draw: st.DrawFn) -> list[State]:
    """Up to six states in any order of latencies, residencies rising."""
    residencies = sorted(draw(st.lists(US, min_size=1, max_size=6)))
    polls = draw(st.booleans())
    states = [State(draw(US) * 1000 // 4, us * 1000) for us in residencies]
    return [State(0, 0, polls), *states] if draw(st.booleans()) else states


@pytest.mark.parametrize(("name", "kernel"), GOVERNORS)
def test_settled_as_if_run_to_the_end(name: str, kernel: str) -> None:
    @given(
        tables(),
        st.lists(st.integers(0, 40_000_000), min_size=1, max_size=3),
        st.booleans(),
        st.booleans(),
        st.sampled_from([0, 30, NO_LIMIT_US]),
        st.integers(0, 6),
        st.sampled_from([10**10, 20_000_000]),
        st.sampled_from([0, 5_000]),
    )
    def settles(
        states: list[State],
        lengths: list[int],
        stopped: bool,
        by_timer: bool,
        limit_us: int,
        limiting: int,
        timer_ns: int,
        wake_ns: int,
    ) -> None:
        def make() -> Governor:
            return Governor.for_kernel(name, kernel, states)

        history = [Outcome(len(states) - 1, residency_ns=9_000, clock_ns=9_000)] * (wake_ns and 8)
        near = (0, 1, 700, 30_000)
        asked = [(length + more, timer_ns) for length in sorted(lengths) for more in near]
        ways = [Settling(make, way).steps for way in (None, by_core)]
        exit_us = states[limiting % len(states)].exit_ns // 1000
        for limit in (limit_us, exit_us, exit_us + 1):
            fixed = Circumstances(stopped, by_timer, limit, wake_ns, timer_ns)
            each = [steps(in_turn(asked), fixed, history) for steps in ways]
            for length, *found in zip(asked, *each, strict=True):
                ran = bytes(run_to_the_end(make(), length, fixed, history))
                assert found == [ran, ran], (length, limit)

    settings(max_examples=examples(6, 50), deadline=None)(settles)()


@pytest.mark.parametrize(("name", "kernel"), [("teo", "5.4"), ("teo", "6.12"), ("ladder", "6.12")])
def test_lengths_that_cannot_be_told_apart_are_run_once(name: str, kernel: str) -> None:
    states = [State(0, 0, True), State(2_000, 20_000), State(40_000, 300_000)]
    made = []

    def make() -> Governor:
        made.append(Governor.for_kernel(name, kernel, states))
        return made[-1]

    lengths = [(length, 10**10) for length in range(0, 50_000_000, 100_000)]
    found = list(Settling(make).steps(in_turn(lengths), Circumstances(), ()))
    assert len(found) == 500
    assert len(made) < 50
    for length, selected in list(zip(lengths, found, strict=True))[::29]:
        assert list(selected) == run_to_the_end(make(), length, Circumstances(), ())


@pytest.mark.parametrize("kernel", ["5.4", "6.12"])
def test_limits_that_menu_cannot_tell_apart_are_run_once(kernel: str) -> None:
    """Between exit latencies all; and where it never gets to the deepest state, any above it."""
    states = [State(0, 0, True), State(2_000, 20_000), State(40_000, 10**6)]
    made = []

    def make() -> Governor:
        made.append(Governor.for_kernel("menu", kernel, states))
        return made[-1]

    steps = Settling(make).steps
    lengths = [(length, 10**10) for length in range(0, 3_000_000, 10_000)]
    runs = []
    for limit_us in (3, 39, 40, NO_LIMIT_US, 2, 1):
        before = len(made)
        fixed = Circumstances(timer_driven=True, limit_us=limit_us)
        found = list(steps(in_turn(lengths), fixed, ()))
        runs.append(len(made) - before)
        for length, selected in list(zip(lengths, found, strict=True))[::41]:
            assert list(selected) == run_to_the_end(make(), length, fixed, ())
    assert runs[0] == len(lengths)
    assert (runs[1], runs[3]) == (0, 0)
    assert 0 < runs[2] < len(lengths)
    assert runs[5] > 0


@pytest.mark.parametrize(
    ("kernel", "states", "idle_ns"),
    [
        ("4.14", [State(2_000, 20_000)], 5_000),
        ("6.12", [State(0, 1_000), State(2_500, 20_000)], 100_000),
    ],
)
def test_limits_about_a_latency_are_told_apart(
    kernel: str, states: list[State], idle_ns: int
) -> None:
    def make() -> Governor:
        return Governor.for_kernel("menu", kernel, [State(0, 0, True), *states])

    steps, length = Settling(make).steps, (idle_ns, 10**10)
    above, at = (Circumstances(limit_us=limit_us) for limit_us in (3, 2))
    ((selected,), (others,)) = (steps(in_turn([length]), fixed, ()) for fixed in (above, at))
    assert list(selected) == run_to_the_end(make(), length, above, ())
    assert list(others) == run_to_the_end(make(), length, at, ())
    assert selected != others


@settings(max_examples=examples(60, 300), deadline=None)
@given(
    st.integers(0, 10**12),
    st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(-(10**6), 10**6)), max_size=6),
    st.integers(0, 10**12),
)
def test_a_watched_length_is_the_number(
    at: int, program: list[tuple[Callable[[Any, int], Any], int]], other: int
) -> None:
    """At its length, and at others of the range: at the ends, and where `other` falls."""
    alike = LengthsAlike(at)
    watched: Any = WatchedLength(alike)
    for operation, by in program:
        watched = operation(watched, by)
    form = watched.form if isinstance(watched, WatchedLength) else (0, int(watched), 1, 1)
    assert alike.first <= at <= alike.last
    for length in (at, alike.first, alike.last, min(max(other, alike.first), alike.last)):
        value: Any = length
        for operation, by in program:
            value = operation(value, by)
        assert value == (form[0] * (length // form[3]) + form[1]) // form[2], length


@pytest.mark.parametrize("length", [101_000, 2_012_000])
def test_what_menu_corrects_in_the_end_is_awaited(length: int) -> None:
    """The corrected timer falls for long, at last below the typical interval: for a time, another
    state is selected."""
    states = [
        State(0, 0, True),
        State(1000, 20_000),
        State(10_000, 100_000),
        State(50_000, 2 * 10**6),
    ]
    by_timer = Circumstances(timer_driven=True)

    def make() -> Governor:
        return Governor.for_kernel("menu", "6.12", states)

    (found,) = Settling(make).steps(in_turn([(length, 10**10)]), by_timer, ())
    assert list(found) == run_to_the_end(make(), (length, 10**10), by_timer, ())
    assert len(set(found)) == 2


@settings(max_examples=examples(100, 1000), deadline=None)
@given(
    begins=st.sets(st.integers(1, 999), max_size=12),
    points=st.sets(st.integers(1, 998), max_size=12),
)
def test_boundaries_are_sought_together_and_found_as_one_by_one(
    begins: set[int], points: set[int]
) -> None:
    """The selections repeat no state, so that each boundary lies between two points that differ."""
    tried = sorted({0, *points, 999})
    calls = 0

    def over(lengths: Sequence[int]) -> list[tuple[int, ...]]:
        nonlocal calls
        calls += 1
        return [(sum(begin <= length for begin in begins),) for length in lengths]

    edges = [0, *sorted(begins), 1000]
    wanted = [(first, end - 1, (number,)) for number, (first, end) in enumerate(pairwise(edges))]
    assert list(steady._stretches(tried, over)) == wanted
    most = max(
        sum(left < begin <= right for begin in begins) * (right - left).bit_length()
        for left, right in pairwise(tried)
    )
    assert calls <= 3 + 2 * most
