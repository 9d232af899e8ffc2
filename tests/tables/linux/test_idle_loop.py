"""The idle loop around governors: polling, the tick, limits, counters."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.tables.linux.governors.interface import KTIME_MAX, State
from idle_states.tables.linux.idle_loop import (
    IdleLoopFeatures,
    asks_governor,
    features,
    is_asked,
    latency_limit_us,
    poll_limit_ns,
    snooze_timeout_ns,
    tick_stops,
    unasked_stop_tick,
)
from idle_states.tables.linux.qos import NO_LIMIT_US
from idle_states.tables.linux.releases import MAINLINE, PRESETS, release
from tests.oracle.linux.idle_model import (
    Counters,
    Polled,
    PollLimit,
    judge,
    measured_ns,
    poll,
    snooze,
)
from tests.support import vectors

TICK = 4_000_000
P9 = vectors.table("p9", True)
KERNELS = [*MAINLINE[MAINLINE.index("4.8") :], *PRESETS]


def of(kernel: str) -> IdleLoopFeatures:
    return features(release(kernel))


def off(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


# Before the idle


@pytest.mark.parametrize(
    ("kernel", "given", "limit"),
    [
        ("6.1", {}, NO_LIMIT_US),
        ("4.10", {"resume_us": 5}, NO_LIMIT_US),
        ("4.11", {"resume_us": 5}, 5),
        ("4.14", {"resume_us": 0}, NO_LIMIT_US),
        ("4.15", {"resume_us": 0}, 0),
        ("6.1", {"system_us": 3, "resume_us": 5}, 3),
        ("6.18", {"wakeup_us": 7}, NO_LIMIT_US),
        ("6.19", {"wakeup_us": 7, "resume_us": 9}, 7),
    ],
)
def test_latency_limit(kernel: str, given: dict[str, int], limit: int) -> None:
    assert latency_limit_us(of(kernel), **given) == limit


@pytest.mark.parametrize(
    ("kernel", "asked", "stops"),
    [
        ("6.19", True, False),
        ("debian-6.1.0", True, False),
        ("5.10.251", True, False),
        ("5.10.252", False, False),
        ("5.10.253", False, True),
        ("6.12.77", False, False),
        ("6.12.78", False, True),
        ("6.18.13", True, False),
        ("6.18.19", False, False),
        ("6.18.20", False, True),
        ("debian-6.19.6", False, False),
        ("6.19.10", False, True),
        ("7.0", False, True),
        ("debian-6.1.176", False, True),
        ("debian-6.1.192", False, True),
        ("debian-6.12.117", False, True),
    ],
)
def test_a_single_state(kernel: str, asked: bool, stops: bool) -> None:
    """Tells whether the governor is asked; if not, whether the tick stops once it woke the CPU."""
    assert asks_governor(of(kernel), 1) is asked
    assert asks_governor(of(kernel), 2)
    assert unasked_stop_tick(of(kernel), True) is stops
    assert not unasked_stop_tick(of(kernel), False)


def test_who_answers_for_a_single_state() -> None:
    """haltpoll, and ladder if the state polls, select one that is not there."""
    for polling in (False, True):
        states = [State(0, 0, polling)]
        assert is_asked(of("6.17"), "menu", states)
        assert is_asked(of("6.17"), "ladder", states) is not polling
        assert not is_asked(of("6.17"), "haltpoll", states)
        assert is_asked(of("7.0"), "haltpoll", states * 2)


def test_tick() -> None:
    assert tick_stops(of("4.16"), False, False)
    assert not tick_stops(of("4.17"), False, False)
    assert tick_stops(of("4.17"), True, False)
    assert tick_stops(of("4.17"), False, True)


# Polling

LATE = [State(0, 0, True), State(1_000, 2_000), State(2_000, 30_000), State(9_000, 900_000)]


@pytest.mark.parametrize(
    ("kernel", "disabled", "limit"),
    [
        ("4.16", off(), None),
        ("4.17", off(), TICK // 16),
        ("4.17", off(1, 2, 3), TICK // 16),
        ("4.20", off(1, 2, 3), 2_000),
        ("5.0", off(), 2_000),
        ("5.0", off(1), 30_000),
        ("5.0", off(1, 2, 3), TICK),
        ("5.3", off(), 2_000),
        ("5.4", off(), 900_000),
        ("5.4", off(3), 30_000),
        ("5.4", off(1, 2, 3), TICK),
        ("5.4.3", off(), 900_000),
        ("5.4.4", off(), 2_000),
        ("ubuntu-5.4.0", off(), 2_000),
        ("5.5", off(), 2_000),
        ("5.10", off(), 2_000),
        ("5.11", off(), 30_000),
        ("5.11", off(2), TICK // 16),
        ("7.2", off(2, 3), TICK // 16),
    ],
)
def test_poll_limit(kernel: str, disabled: frozenset[int], limit: int | None) -> None:
    assert poll_limit_ns(of(kernel), LATE, TICK, disabled) == limit


def test_poll_limit_of_exactly_10_us() -> None:
    for residency, limit in ((9_999, 50_000), (10_000, 10_000)):
        states = [State(0, 0, True), State(0, residency), State(0, 50_000)]
        assert poll_limit_ns(of("5.11"), states, TICK) == limit


def test_poll_limit_is_kept_from_5_4_on() -> None:
    for kernel, later in (("5.3", 30_000), ("5.5", 2_000)):
        limit = PollLimit(of(kernel), LATE, TICK)
        assert limit.ns() == 2_000
        assert limit.ns(off(1)) == later


def test_a_poll_limit_of_0_is_computed_anew() -> None:
    limit = PollLimit(of("5.5"), [State(0, 0, True), State(0, 0), State(0, 30_000)], TICK)
    assert limit.ns() == 0
    assert limit.ns(off(1)) == 30_000
    assert limit.ns() == 30_000


@pytest.mark.parametrize(
    ("wakeup", "limit", "check", "polled"),
    [
        (10**9, None, 0, Polled(10**9, False, False)),
        (10_000, 10_000, 0, Polled(10_000, False, False)),
        (10_001, 10_000, 0, Polled(10_000, True, True)),
        (11_000, 10_000, 3_000, Polled(11_000, False, False)),
        (12_001, 10_000, 3_000, Polled(12_000, True, True)),
        (10_001, 9_000, 3_000, Polled(10_001, False, False)),
        (13_000, 9_000, 3_000, Polled(12_000, True, True)),
    ],
)
def test_poll(wakeup: int, limit: int | None, check: int, polled: Polled) -> None:
    assert poll(wakeup, limit, check) == polled


DEEPER = off(1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize(
    ("kernel", "hz", "disabled", "timeout"),
    [
        ("4.1", 250, off(), None),
        ("4.2", 250, off(), 10_000),
        ("4.17", 250, off(1), 10_000),
        ("4.14.52", 250, DEEPER, 10_000),
        ("4.18", 250, off(1), 20_000),
        ("4.18", 250, off(), 10_000),
        ("6.1", 250, DEEPER, TICK),
        # TICK_USEC: whole us, and USER_HZ's where 4.17's definition is not
        ("6.1", 300, DEEPER, 3_333_000),
        ("4.17.4", 300, DEEPER, 3_333_000),
        ("4.14.53", 300, DEEPER, 10_000_000),
        ("4.9.111", 1000, DEEPER, 10_000_000),
        ("4.4.155", 250, DEEPER, 10_000_000),
        ("4.4.155", 250, off(1), 20_000),
    ],
)
def test_snooze_timeout(
    kernel: str, hz: int, disabled: frozenset[int], timeout: int | None
) -> None:
    assert snooze_timeout_ns(of(kernel), P9, hz, disabled) == timeout


@pytest.mark.parametrize("kernel", ["4.1", "4.17", "6.1"])
def test_snooze_alone_has_no_timeout(kernel: str) -> None:
    assert snooze_timeout_ns(of(kernel), P9[:1], 250) is None


@pytest.mark.parametrize("kernel", ["4.17", "6.1"])
def test_one_state_is_enough_to_give_way_to(kernel: str) -> None:
    assert snooze_timeout_ns(of(kernel), P9[:2], 250) == 10_000


@pytest.mark.parametrize(
    ("kernel", "wakeup", "timeout", "end"),
    [
        ("6.1", 10**9, None, Polled(10**9, False, False)),
        ("6.1", 10_000, 10_000, Polled(10_000, False, False)),
        ("6.1", 10_001, 10_000, Polled(10_000, True, False)),
        ("6.2", 10_001, 10_000, Polled(10_000, True, True)),
        ("debian-6.1.176", 10_001, 10_000, Polled(10_000, True, True)),
    ],
)
def test_snooze(kernel: str, wakeup: int, timeout: int | None, end: Polled) -> None:
    assert snooze(of(kernel), wakeup, timeout) == end


# After the idle


@pytest.mark.parametrize(
    ("kernel", "elapsed", "measured"),
    [
        ("5.4", 1_999, 1_000),
        ("5.5", 1_999, 1_999),
        ("5.4", 1 << 61, ((1 << 31) - 1) * 1000),
        ("5.5", 1 << 61, 1 << 61),
    ],
)
def test_measured(kernel: str, elapsed: int, measured: int) -> None:
    assert measured_ns(of(kernel), elapsed) == measured


@pytest.mark.parametrize(
    ("state", "residency", "disabled", "verdict"),
    [
        (2, 19_999, off(), "above"),
        (2, 19_999, off(0, 1), ""),
        (2, 19_999, off(1), "above"),
        (2, 20_000, off(), ""),
        # 2 us to leave, 50 us for the next one: 52 us.
        (2, 51_999, off(), ""),
        (2, 52_000, off(), "below"),
        (2, 52_000, off(3), ""),
        (2, 102_000, off(3), "below"),
        (6, 1 << 40, off(), ""),
        (2, 1 << 40, off(3, 4, 5, 6), ""),
        (0, 0, off(), ""),
        (0, 9_999, off(), ""),
        (0, 10_000, off(), "below"),
    ],
)
def test_judge(state: int, residency: int, disabled: frozenset[int], verdict: str) -> None:
    assert judge(of("6.1"), P9, state, residency, disabled) == verdict


def test_judged_in_us_up_to_5_4() -> None:
    table = [State(0, 0), State(1_500, 10_500), State(1_500, 20_500)]
    rows: Sequence[tuple[int, str, str]] = (
        (10_400, "", "above"),
        (21_000, "below", ""),
        (21_999, "below", ""),
        (22_000, "below", "below"),
    )
    for residency, us, ns in rows:
        assert judge(of("5.4"), table, 1, residency) == us
        assert judge(of("5.5"), table, 1, residency) == ns


def test_not_below_within_the_exit_latency() -> None:
    """A state without target residency is no reason while the CPU is but waking up."""
    table = [State(0, 0), State(5_000, 0), State(9_000, 0)]
    for residency, verdict in ((5_000, ""), (5_001, "below")):
        assert judge(of("6.1"), table, 1, residency) == verdict


def test_judged_from_5_0_on() -> None:
    assert judge(of("4.20"), P9, 2, 0) == ""
    assert judge(of("5.0"), P9, 2, 0) == "above"


def count(kernel: str, *rows: tuple[int, int]) -> Counters:
    counters = Counters(of(kernel), P9)
    for state, residency in rows:
        counters.entered(state, residency)
    return counters


@pytest.mark.parametrize(("kernel", "time_us"), [("5.4", 2), ("5.5", 4)])
def test_time_is_floored_every_time_or_once(kernel: str, time_us: int) -> None:
    counters = count(kernel, (1, 1_999), (1, 1_999), (1, 999))
    assert counters.time_us(1) == time_us
    assert counters.usage == [0, 3, 0, 0, 0, 0, 0]


def test_counters() -> None:
    counters = count("6.1", (2, 10_000), (2, 20_000), (0, 500_000), (6, 1), (0, 1))
    assert counters.usage == [2, 0, 2, 0, 0, 0, 1]
    assert counters.above == [0, 0, 1, 0, 0, 0, 1]
    assert counters.below == [1, 0, 0, 0, 0, 0, 0]
    assert [counters.time_us(state) for state in range(7)] == [500, 0, 30, 0, 0, 0, 0]


@pytest.mark.parametrize(("kernel", "rejected"), [("5.9", 0), ("5.10", 1)])
def test_rejected(kernel: str, rejected: int) -> None:
    counters = count(kernel)
    counters.refused(4)
    assert counters.rejected == [0, 0, 0, 0, rejected, 0, 0]
    assert (sum(counters.usage), sum(counters.times_ns)) == (0, 0)


# Any input

TIMES = st.one_of(st.integers(0, KTIME_MAX), st.integers(0, 300_000))
TABLES = st.lists(st.builds(State, TIMES, TIMES, st.booleans()), min_size=1, max_size=10)
OFF = st.frozensets(st.integers(0, 9))


@given(st.sampled_from(KERNELS), TABLES, st.lists(st.tuples(st.integers(0, 9), TIMES, OFF)))
def test_sums(kernel: str, table: list[State], rows: list[tuple[int, int, frozenset[int]]]) -> None:
    counters = Counters(of(kernel), table)
    verdicts = [
        counters.entered(state % len(table), time, disabled) for state, time, disabled in rows
    ]
    assert sum(counters.usage) == len(rows)
    assert sum(counters.above) == verdicts.count("above")
    assert sum(counters.below) == verdicts.count("below")
    exact = sum(time for _, time, _ in rows)
    assert sum(counters.times_ns) <= exact
    if counters.features.nanoseconds:
        assert sum(counters.times_ns) == exact


@given(st.sampled_from(KERNELS), TABLES, OFF, TIMES, st.integers(1, 100_000))
def test_polling_ends(
    kernel: str, table: list[State], disabled: frozenset[int], wakeup: int, check: int
) -> None:
    this = of(kernel)
    ends: list[tuple[Polled, Any]] = [
        (poll(wakeup, limit, check), limit)
        for limit in [poll_limit_ns(this, table, TICK, disabled)]
    ]
    timeout = snooze_timeout_ns(this, table, 250, disabled)
    ends.append((snooze(this, wakeup, timeout), timeout))
    for end, limit in ends:
        assert end.ns <= wakeup
        assert end.timed_out is (end.ns < wakeup)
        assert end.time_limit <= end.timed_out
        assert limit is not None or not end.timed_out
