"""menu: what changed from release to release."""

from dataclasses import replace

import pytest

from idle_states.tables.linux.governors.interface import (
    NO_STATE,
    U32_MAX,
    Decision,
    Outcome,
    Situation,
    State,
)
from idle_states.tables.linux.governors.menu import Menu
from idle_states.tables.linux.governors.menu_correction import Correction
from idle_states.tables.linux.governors.menu_features import features
from idle_states.tables.linux.governors.menu_history import UNKNOWN, IntervalHistory
from idle_states.tables.linux.releases import release, version_key
from tests.support.menus import FAR_US, NO_LIMIT_US, P9, idle, menu, table


def test_4_4_may_select_no_state() -> None:
    """State 0 has to fit too, unless it is enabled and the timer is more than 5 us away."""
    states = [State(1000, 2000), State(3000, 30_000)]
    for timer_us, expected in ((5, NO_STATE), (6, 0)):
        assert menu("4.4", states).select(idle(timer_us)).state == expected
        assert menu("4.5", states).select(idle(timer_us)).state == 0
    off = idle(20, disabled=[0])
    assert menu("4.4", states).select(off) == Decision(NO_STATE, True)
    assert menu("4.4", states, [50] * 8).select(idle(60, disabled=[0])).state == 1
    assert menu("4.5", states).select(off) == Decision(0, True)


def test_4_4_learns_nothing_of_the_default_idle() -> None:
    states = table(*P9)
    governor = menu("4.4", states, [50] * 8)
    before = governor.select(idle(60)).why["history_us"]
    governor.finished(Outcome(NO_STATE, 9_000_000))
    assert governor.select(idle(60)).why["history_us"] == before == (50,) * 8


@pytest.mark.parametrize(("kernel", "learnt_us"), [("4.4", 15), ("4.5", 7)])
def test_4_5_halves_short_idles(kernel: str, learnt_us: int) -> None:
    """15 us in a state of 15 us; up to twice its exit latency, half is learnt from 4.5 on."""
    governor = menu(kernel, table((15, 30)))
    governor.select(idle(100))
    governor.finished(Outcome(1, 15_000))
    assert governor.select(idle(100)).why["history_us"][0] == learnt_us


def test_4_6_takes_the_lesser_prediction() -> None:
    """Typically 100 us; the timer, 190 us away, is corrected to 96 us."""
    states = table(*P9)
    predicted = {}
    for kernel in ("4.5", "4.6"):
        governor = menu(kernel, states)
        for _ in range(40):
            governor.select(idle(200))
            governor.finished(Outcome(0, 100_000))
        why = governor.select(idle(190)).why
        assert (why["timer_us"], why["typical_us"]) == (96, 100)
        predicted[kernel] = why["predicted"]
    assert predicted == {"4.5": 100, "4.6": 96}


@pytest.mark.parametrize(
    ("samples", "root", "narrow_root", "variance"),
    [
        ([260] * 7 + [319], 267, 267, 267),
        ([80, 120, 120, 120, 80, 80, 80, 121], 100, 100, 97),  # 410 us^2, root 20
        ([106, 149] * 4, 127, 127, 106),  # 462 us^2, root 21: less than a sixth of the average
        ([1_000_000, 1_140_000] * 4, 1_070_000, 1_000_000, 1_070_000),  # beyond 32 bits
    ],
)
def test_4_6_compares_variances(
    samples: list[int], root: int, narrow_root: int, variance: int
) -> None:
    for bits, expected in ((64, root), (32, narrow_root), (0, variance)):
        history = IntervalHistory(
            trims_both_ends=False, maximum=False, ceiling=U32_MAX, unknown="", deviation_bits=bits
        )
        for sample in samples:
            history.push(sample)
        assert history.typical(UNKNOWN) == expected


def test_4_11_stops_at_the_first_state_that_does_not_fit() -> None:
    states = table((1, 100), (2, 20))
    assert menu("4.10", states).select(idle(50)).state == 0
    assert menu("4.10", states, [50] * 8).select(idle(60)).state == 2
    assert menu("4.11", states, [50] * 8).select(idle(60)).state == 0


def test_4_13_lets_state_0_be_disabled() -> None:
    states = table((1, 10), (2, 20))
    assert menu("4.12", states, [5] * 8).select(idle(60, disabled=[0])).state == 0
    assert menu("4.13", states, [5] * 8).select(idle(60, disabled=[0])).state == 1
    assert menu("4.13", states, [5] * 8).select(idle(60, disabled=[0, 1, 2])).state == 0


@pytest.mark.parametrize(
    ("timer_us", "limit_us", "expected"), [(21, 2, 1), (20, 2, 0), (21, 1, 0), (60, 2, 1)]
)
def test_4_14_skips_polling_before_far_timers(timer_us: int, limit_us: int, expected: int) -> None:
    states = table((1, 10), (3, 30), polling=True)
    situation = idle(timer_us, limit_us=limit_us)
    assert menu("4.14", states, [5] * 8).select(situation).state == expected
    assert menu("4.13", states, [5] * 8).select(situation).state == 0
    relaxing = replace(features(release("4.13")), polling_loop=True)
    governor = Menu(states, relaxing, 250)
    governor.select(idle(60))
    governor.finished(Outcome(0, 5000))
    assert governor.select(situation).state == expected


def test_4_17_decides_about_the_tick() -> None:
    states = table(*P9)
    soon, far = idle(60), idle(FAR_US)
    for kernel in ("4.16", "4.17"):
        assert menu(kernel, states, [60_000] * 8).select(far) == Decision(6, True)
    assert menu("4.16", states).select(soon).stop_tick
    assert not menu("4.17", states).select(soon).stop_tick
    assert menu("4.16", states).select(idle(60, limit_us=0)) == Decision(0, True)
    assert menu("4.17", states).select(idle(60, limit_us=0)) == Decision(0, False)


def test_4_17_gives_way_to_a_tick_that_stays() -> None:
    """3.5 ms predicted, next tick in 60 us."""
    states = table(*P9)
    governor = menu("4.17", states, [3500] * 8)
    assert governor.select(idle(FAR_US, delta_us=60)) == Decision(3, False)
    governor = menu("4.17", states, [3500] * 8)
    assert governor.select(idle(FAR_US, delta_us=50)) == Decision(3, False)
    governor = menu("4.17", states, [3500] * 8)
    assert governor.select(idle(FAR_US, delta_us=60, disabled=[3])) == Decision(2, False)
    governor = menu("4.16", states, [3500] * 8)
    assert governor.select(idle(FAR_US, delta_us=60)) == Decision(4, True)


@pytest.mark.parametrize(("kernel", "pushed"), [("4.16", 3000), ("4.17", 45_000), ("5.5", 45_000)])
def test_4_17_takes_45_ms_for_tick_wakeups(kernel: str, pushed: int) -> None:
    governor = menu(kernel, table(*P9))
    governor.select(idle(FAR_US, delta_us=3000))
    governor.finished(Outcome(0, 3_000_000, got_tick=True))
    assert governor.select(idle(FAR_US)).why["history_us"][0] == pushed


def test_tick_wakeups_before_the_timer_only() -> None:
    governor = menu("5.5", table(*P9))
    governor.select(idle(4000))
    governor.finished(Outcome(0, 3_000_000, got_tick=True))
    assert governor.select(idle(FAR_US)).why["history_us"][0] == 3000


@pytest.mark.parametrize(
    ("kernel", "effective", "state", "stop_tick"),
    [("4.16", 50, 1, True), ("4.17", 4000, 2, True), ("4.19", 50_000, 3, True)],
)
def test_stopped_tick_in_4_17_and_4_19(
    kernel: str, effective: int, state: int, stop_tick: bool
) -> None:
    states = table((1, 20), (2, 1000), (3, 20_000))
    governor = menu(kernel, states, [50] * 8)
    decision = governor.select(idle(FAR_US, delta_us=50_000, stopped=True))
    assert decision.why["effective"] == effective
    assert decision == Decision(state, stop_tick)


@pytest.mark.parametrize(("kernel", "stop_tick"), [("4.16", True), ("4.17", False), ("4.19", True)])
def test_4_17_asks_for_a_stopped_tick_again(kernel: str, stop_tick: bool) -> None:
    """To no effect: a stopped tick stays stopped. Nor is a shallower state looked for."""
    governor = menu(kernel, table((1, 20), (2, 40)), [60] * 8)
    decision = governor.select(idle(FAR_US, delta_us=50, stopped=True))
    assert decision == Decision(2, stop_tick)


def test_4_17_sets_no_limit_with_the_tick_stopped() -> None:
    states = table((10, 20))
    busy = idle(FAR_US, delta_us=50, stopped=True, iowait=5)
    assert menu("4.16", states, [50] * 8).select(busy).state == 0
    assert menu("4.17", states, [50] * 8).select(busy).state == 1


def test_4_19_looks_again_with_the_tick_running() -> None:
    """Beyond a tick, but not what the next state needs: shallow states keep the tick."""
    states = table((1, 20), (3, 20_000))
    situation = idle(FAR_US, delta_us=3000)
    assert menu("4.18", states, [15_000] * 8).select(situation) == Decision(1, True)
    assert menu("4.19", states, [15_000] * 8).select(situation) == Decision(1, False)


def test_4_19_leaves_shallow_states_with_the_tick_stopped() -> None:
    states = table((1, 20), (3, 20_000))
    late = idle(FAR_US, stopped=True)
    assert menu("4.18", states, [15_000] * 8).select(late) == Decision(1, True)
    assert menu("4.19", states, [15_000] * 8).select(late) == Decision(2, True)
    early = idle(FAR_US, delta_us=19_999, stopped=True)
    assert menu("4.19", states, [15_000] * 8).select(early) == Decision(1, True)
    in_time = idle(FAR_US, delta_us=20_000, stopped=True)
    assert menu("4.19", states, [15_000] * 8).select(in_time) == Decision(2, True)
    deep = table((1, 4000), (3, 20_000))
    assert menu("4.19", deep, [15_000] * 8).select(late) == Decision(1, True)


def test_4_20_forgets_the_load() -> None:
    states = table((1, 5))
    assert menu("4.19", states, [5] * 8).select(idle(FAR_US, load=1024)).state == 0
    assert menu("4.20", states, [5] * 8).select(idle(FAR_US, load=1024)).state == 1


@pytest.mark.parametrize(
    ("load", "divisor"), [(0, 1), (204, 1), (205, 3), (1024, 11), (2048, 21), (1 << 20, 10_241)]
)
def test_load_average(load: int, divisor: int) -> None:
    assert menu("4.15", table(*P9)).select(idle(60, load=load)).why["divisor"] == divisor


def test_the_divisor_is_an_int_of_c() -> None:
    why = menu("5.15", table(*P9)).select(idle(60, iowait=U32_MAX)).why
    assert why["divisor"] == (1 << 32) - 9


@pytest.mark.parametrize("kernel", ["4.19", "4.20", "5.3", "5.4", "7.2"])
@pytest.mark.parametrize("polling", [False, True])
def test_early_return(kernel: str, polling: bool) -> None:
    """Timer before state 1, or limit below it: state 0, unless it is disabled."""
    states = table((2, 10), (3, 20), polling=polling)
    version = version_key(kernel)
    for situation in (idle(9), idle(FAR_US, limit_us=1), idle(FAR_US, limit_us=0)):
        decision = menu(kernel, states).select(situation)
        early = version >= (4, 20)
        assert (decision.why["rule"] == "state 0 early") is early
        assert decision.state == 0
        if early:
            assert decision.stop_tick is (version >= (5, 4) and not polling)
    if version >= (4, 20):
        for situation in (idle(10), idle(FAR_US, limit_us=2), idle(9, disabled=[0])):
            assert menu(kernel, states).select(situation).why["rule"] == "search"


def test_4_19_leaves_the_timer_unread_under_a_limit_of_0() -> None:
    """The interval is learned against the timer of the select() before."""
    for kernel, pushed in (("4.19", 60), ("4.20", 5000)):
        governor = menu(kernel, table(*P9))
        governor.select(idle(60))
        governor.finished(Outcome(0, 60_000))
        governor.select(idle(FAR_US, limit_us=0))
        governor.finished(Outcome(0, 5_000_000))
        assert governor.select(idle(FAR_US)).why["history_us"][:2] == (60, pushed)
    governor = menu("4.19", table(*P9))
    governor.select(idle(FAR_US, limit_us=0))
    governor.finished(Outcome(0, 5_000_000))
    why = governor.select(idle(5)).why
    assert (why["history_us"][0], why["bucket"], why["factor"]) == (0, 0, 8192)


def test_4_20_prefers_a_physical_state_to_polling() -> None:
    states = table((2, 10), (3, 20), polling=True)
    for kernel in ("4.20", "5.15", "6.16"):
        assert menu(kernel, states, [5] * 8).select(idle(FAR_US)).state == 1
        assert menu(kernel, table((2, 10)), [5] * 8).select(idle(FAR_US)).state == 0
    assert menu("4.20", states, [5] * 8).select(idle(10, disabled=[0])).state == 1


@pytest.mark.parametrize(("kernel", "pushed"), [("4.19", 9), ("4.20", 70), ("7.2", 70)])
def test_4_20_takes_the_timer_for_polling_that_ran_out(kernel: str, pushed: int) -> None:
    governor = menu(kernel, table(*P9, polling=True))
    governor.select(idle(70))
    governor.finished(Outcome(0, 9000, poll_time_limit=True))
    index = 1 if kernel == "7.2" else 0
    assert governor.select(idle(70)).why["history_us"][index] == pushed


def test_4_20_knows_no_interval_beyond_the_timers_prediction() -> None:
    late = IntervalHistory(trims_both_ends=False, maximum=False, ceiling=U32_MAX, unknown="late")
    always = IntervalHistory(trims_both_ends=False, maximum=False, ceiling=U32_MAX, unknown="")
    for history in (late, always):
        for _ in range(8):
            history.push(50)
    assert (late.typical(50), late.typical(51)) == (UNKNOWN, 50)
    assert (always.typical(50), always.typical(51)) == (50, 50)
    for kernel, typical_us in (("4.19", 60), ("4.20", UNKNOWN), ("6.5", UNKNOWN), ("6.6", 60)):
        why = menu(kernel, table(*P9), [60] * 8).select(idle(55)).why
        assert (why["typical_us"], why["timer_us"]) == (typical_us, 55)


@pytest.mark.parametrize(("kernel", "stop_tick"), [("5.3", False), ("5.4", True)])
def test_5_4_may_stop_the_tick_under_a_limit(kernel: str, stop_tick: bool) -> None:
    governor = menu(kernel, table(*P9), [50_000] * 8)
    decision = governor.select(idle(FAR_US, delta_us=3000, limit_us=2))
    assert decision == Decision(2, stop_tick)


@pytest.mark.parametrize(("kernel", "state"), [("5.4", 1), ("5.5", 0)])
def test_5_5_works_in_ns(kernel: str, state: int) -> None:
    """Residency 10.9 us is 10 us before."""
    states = [State(0, 0), State(0, 10_900)]
    situation = Situation(NO_LIMIT_US, 10_800, 10_800)
    assert menu(kernel, states, [50] * 8).select(situation).state == state


def test_prediction_is_to_the_nearest_us() -> None:
    assert [Correction(1000).predicted_us(ns, 0) for ns in (10_499, 10_500, 11_499)] == [10, 11, 11]
    halved = Correction(1)
    halved.factors[0] = 4096
    assert [halved.predicted_us(us, 0) for us in (10, 11, 12)] == [5, 6, 6]


@pytest.mark.parametrize(
    ("kernel", "next_timer", "delta"),
    [
        ("5.4", U32_MAX, -2),
        ("5.12", (1 << 64) - 1500, (1 << 64) - 2000),
        ("5.13", 0, 0),
        ("7.2", 0, 0),
    ],
)
def test_negative_sleep_lengths(kernel: str, next_timer: int, delta: int) -> None:
    """Until 5.4 cut to us, towards 0; then u64; from 5.13 on 0."""
    decision = menu(kernel, table(*P9)).select(Situation(NO_LIMIT_US, -1500, -2000))
    assert (decision.why["next_timer"], decision.why["delta"]) == (next_timer, delta)


@pytest.mark.parametrize(("kernel", "state"), [("5.4", 4), ("5.12", 4), ("5.13", 0)])
def test_an_event_that_is_past_is_far_until_5_12(kernel: str, state: int) -> None:
    decision = menu(kernel, table(*P9), [3500] * 8).select(idle(FAR_US, delta_us=-2))
    assert decision == Decision(state, False)


def test_a_sleep_length_of_0_is_not_negative() -> None:
    why = menu("7.2", table(*P9)).select(Situation(NO_LIMIT_US, 0, 2000)).why
    assert (why["next_timer"], why["delta"]) == (0, 2000)


@pytest.mark.parametrize(
    ("kernel", "effective", "pushed"),
    [("5.4", U32_MAX - 1, U32_MAX), ("5.12", (1 << 64) - 2000, U32_MAX), ("5.13", 0, 0)],
)
def test_negative_events_and_timers_come_out_as_far_ones(
    kernel: str, effective: int, pushed: int
) -> None:
    governor = menu(kernel, table(*P9, polling=True), [50] * 8)
    passed = Situation(NO_LIMIT_US, -1500, -2000, tick_stopped=True, disabled=frozenset([0]))
    assert governor.select(passed).why["effective"] == effective
    governor.finished(Outcome(0, 5000, poll_time_limit=True))
    assert governor.select(idle(60)).why["history_us"][0] == pushed


@pytest.mark.parametrize(("kernel", "state"), [("5.12", 3), ("5.13", 6)])
def test_5_13_takes_the_next_timer_for_the_next_event(kernel: str, state: int) -> None:
    situation = idle(FAR_US, delta_us=60, stopped=True)
    assert menu(kernel, table(*P9), [30] * 8).select(situation).state == state


@pytest.mark.parametrize(("kernel", "state"), [("6.5", 0), ("6.6", 4)])
def test_first_decision_after_boot(kernel: str, state: int) -> None:
    """Intervals are 0 at boot: a prediction of 0 until 6.5, none from 6.6."""
    decision = menu(kernel, table(*P9)).select(idle(3000))
    assert decision.why["history_us"] == (0,) * 8
    assert decision == Decision(state, False)


@pytest.mark.parametrize(
    ("kernel", "interval_us", "timer"),
    [("6.5", 15, 50_000), ("6.6", 15, "not asked"), ("6.6", 16, 50_000)],
)
def test_6_6_asks_timers_beyond_15_us_only(kernel: str, interval_us: int, timer: int | str) -> None:
    why = menu(kernel, table(*P9), [interval_us] * 8).select(idle(50)).why
    assert why["next_timer"] == timer
    assert why["delta"] == (2_000_000 if timer == "not asked" else 50_000)
    assert why["bucket"] == (5 if timer == "not asked" else 1)
    assert why["predicted"] == interval_us * 1000


def test_6_13_forgets_iowait() -> None:
    waiting = idle(500, iowait=4)
    for kernel, bucket, limit in (("6.12", 8, 500_000 // 41), ("6.13", 2, 500_000)):
        why = menu(kernel, table(*P9)).select(waiting).why
        assert (why["bucket"], why["latency_limit"]) == (bucket, limit)


@pytest.mark.parametrize(
    ("kernel", "limited"), [("6.12", True), ("6.13", True), ("6.16", True), ("6.17", False)]
)
def test_6_17_does_not_limit_by_the_prediction(kernel: str, limited: bool) -> None:
    """A latency beyond the residency, as on POWER9 DD1."""
    decision = menu(kernel, table((2050, 50)), [60] * 8).select(idle(1000))
    assert decision.state == (0 if limited else 1)


def typical(history_us: list[int], kernel: str) -> int:
    known = features(release(kernel))
    history = IntervalHistory(
        trims_both_ends=known.trims_both_ends,
        maximum=known.typical_maximum,
        ceiling=known.typical_ceiling,
        unknown=known.typical_unknown,
    )
    for interval_us in history_us:
        history.push(interval_us)
    return history.typical(1_000_000)


@pytest.mark.parametrize(
    ("history_us", "v6_14", "v6_15", "v6_18"),
    [
        ([100] * 8, 100, 100, 100),
        # Outliers: only great ones are dropped until 6.14
        ([5] * 7 + [3000], 5, 5, 5),
        ([1000] * 7 + [5], 5, 1000, 1000),
        # Variance 242 or 404 us^2, the limit being 400
        ([86, 129, 90, 113, 133, 105, 103, 111], 108, 105, 105),
        # Unlike to the end
        ([10, 200, 400, 600, 800, 1000, 1200, 1400], UNKNOWN, 1000, UNKNOWN),
        ([10, 10, 10, 1000, 1000, 1000, 500, 500], UNKNOWN, 500, UNKNOWN),
        ([10] * 5 + [999, 1000, 1000], UNKNOWN, 999, UNKNOWN),
        # Unknown intervals are no samples; fewer than four samples are no maximum
        ([UNKNOWN] * 4 + [10, 500, 1000, 1500], UNKNOWN, 1500, UNKNOWN),
        ([UNKNOWN] * 5 + [10, 500, 1000], UNKNOWN, UNKNOWN, UNKNOWN),
        ([UNKNOWN] * 7 + [7], 7, 7, 7),
        ([UNKNOWN] * 8, UNKNOWN, UNKNOWN, UNKNOWN),
        ([0] * 8, UNKNOWN, UNKNOWN, UNKNOWN),
        # Greater than INT_MAX: no samples until 6.14; then, eight squares of 2^31 wrap
        ([1 << 31] * 8, UNKNOWN, UNKNOWN, UNKNOWN),
        ([1 << 30] * 8, 1 << 30, 1 << 30, 1 << 30),
        ([1 << 31] * 3 + [UNKNOWN] * 5, UNKNOWN, 1 << 31, 1 << 31),
    ],
)
def test_typical_interval(history_us: list[int], v6_14: int, v6_15: int, v6_18: int) -> None:
    found = [typical(history_us, kernel) for kernel in ("6.14", "6.15", "6.18")]
    assert found == [v6_14, v6_15, v6_18]


def test_the_sum_of_squares_wraps() -> None:
    """Differences of 1526 s: 8 squares are 1 % above 2^64, and the samples count as alike."""
    history_us = [1_174_000_000, 4_226_000_000] * 4
    for ceiling, expected in ((U32_MAX, 2_700_000_000), ((1 << 31) - 1, 1_174_000_000)):
        history = IntervalHistory(
            trims_both_ends=False, maximum=False, ceiling=ceiling, unknown="late"
        )
        for interval_us in history_us:
            history.push(interval_us)
        assert history.typical(U32_MAX) == expected


def test_debian_6_1_147_takes_the_maximum_in_the_old_algorithm() -> None:
    rising = [10, 200, 400, 600, 800, 1000, 1200, 1400]
    known = features(release("debian-6.1.147"))
    assert known.typical_maximum
    assert not known.trims_both_ends
    governor = Menu(table(*P9), known, 250)
    for interval_us in rising:
        governor.select(idle(10_000_000))
        governor.finished(Outcome(0, interval_us * 1000))
    assert governor.select(idle(FAR_US)).why["typical_us"] == 1000


@pytest.mark.parametrize("kernel", ["6.1", "6.16", "6.17", "debian-6.1.192", "7.2"])
def test_rejected_entries_are_unknown_intervals_from_6_17(kernel: str) -> None:
    """So is what precedes the first select(), and whatever else leaves no residency."""
    pushes = features(release(kernel)).rejected_is_unknown
    assert pushes is (kernel not in ("6.1", "6.16"))
    governor = menu(kernel, table(*P9))
    first = governor.select(idle(FAR_US)).why["history_us"]
    assert first[0] == (UNKNOWN if pushes else 0)
    governor.finished(Outcome(1, 30_000))
    governor.select(idle(FAR_US))
    governor.finished(Outcome(1, 7000, rejected=True))
    third = governor.select(idle(FAR_US)).why["history_us"]
    assert third[:4] == ((UNKNOWN, 29, UNKNOWN, 0) if pushes else (29, 0, 0, 0))
    governor.finished(Outcome(1, 0))
    fourth = governor.select(idle(FAR_US)).why["history_us"]
    assert fourth[3 if pushes else 1] == 0
    assert sum(value == UNKNOWN for value in fourth) == (2 if pushes else 0)


@pytest.mark.parametrize(("kernel", "expected"), [("6.16", 0), ("6.17", 1), ("6.18", 0)])
def test_polling_override_and_latency(kernel: str, expected: int) -> None:
    """Predicted 5 us, exit latency 6 us: limited by the prediction, not looked at, looked at."""
    states = table((6, 10), (7, 20), polling=True)
    assert menu(kernel, states, [5] * 8).select(idle(FAR_US)).state == expected


@pytest.mark.parametrize(
    ("kernel", "residency_us", "expected"), [("6.18", 15, 1), ("6.19", 14, 1), ("6.19", 15, 0)]
)
def test_6_19_overrides_for_short_residencies(
    kernel: str, residency_us: int, expected: int
) -> None:
    states = table((1, residency_us), polling=True)
    assert menu(kernel, states, [5] * 8).select(idle(FAR_US)).state == expected


@pytest.mark.parametrize(
    ("kernel", "timer_us", "expected"), [("7.0", 8000, 4), ("7.1", 8000, 2), ("7.1", 8001, 4)]
)
def test_7_1_trusts_predictions_before_near_timers(
    kernel: str, timer_us: int, expected: int
) -> None:
    governor = menu(kernel, table(*P9), [30] * 8)
    assert governor.select(idle(timer_us, stopped=True)) == Decision(expected, True)
