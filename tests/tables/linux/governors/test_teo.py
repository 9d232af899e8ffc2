"""teo against recorded decisions of real kernels, worked examples, its bugs and its eras."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.tables.linux.governors.interface import (
    CPU_CAPACITY,
    KTIME_MAX,
    U32_MAX,
    Decision,
    Outcome,
    Situation,
    State,
)
from idle_states.tables.linux.governors.teo import Teo
from idle_states.tables.linux.governors.teo_features import CHANGES, TeoFeatures, features
from idle_states.tables.linux.governors.teo_hits import Hits
from idle_states.tables.linux.governors.teo_select import TeoSelection
from idle_states.tables.linux.releases import MAINLINE, PRESETS, release, version_key
from tests.support import vectors

NO_LIMIT_US = 2_000_000_000
MS = 1_000_000
FAR = 50 * MS
TICK = 4 * MS
P9 = vectors.table("p9", False)
KERNELS = [name for name in MAINLINE if version_key(name) >= (5, 1)]
KERNELS += [name for name in PRESETS if release(name).version >= (5, 1)]


def of(kernel: str, **changed: Any) -> TeoFeatures:
    return replace(features(release(kernel)), **changed)


def idle(
    sleep: int,
    *,
    delta: int | None = None,
    limit_us: int = NO_LIMIT_US,
    stopped: bool = False,
    disabled: tuple[int, ...] = (),
    util: int = 0,
    capacity: int = CPU_CAPACITY,
) -> Situation:
    delta = sleep if delta is None else delta
    return Situation(
        limit_us,
        sleep,
        delta,
        stopped,
        disabled=frozenset(disabled),
        cpu_util=util,
        cpu_capacity=capacity,
    )


def woken(state: int, residency: int, *, tick: bool = False, limit: bool = False) -> Outcome:
    """The clock is 0 at select, as `idle` has it."""
    return Outcome(state, residency, False, tick, limit, residency)


def live(governor: Teo, times: int, situation: Situation, residency: int, **kind: bool) -> Decision:
    """The decision after so many idles of this kind, entered as decided."""
    for _ in range(times):
        governor.finished(woken(governor.select(situation).state, residency, **kind))
    return governor.select(situation)


def answer(decision: Decision) -> tuple[int, bool]:
    return decision.state, decision.stop_tick


def disagreements(path: Path, **changed: Any) -> int:
    read = vectors.read(path)
    governor = Teo(read.states, of(read.kernel, **changed), vectors.HZ)
    wrong = 0
    for row in read.rows:
        wrong += answer(governor.select(row.situation)) != (row.state, row.stop_tick)
        governor.finished(row.outcome)
    return wrong


# Recorded decisions


def test_there_are_vectors_of_all_tables_for_each_kernel() -> None:
    read = [vectors.read(path) for path in vectors.files("teo")]
    assert len(read) == 9 * len(vectors.TABLES) * 2
    assert all(len(each.rows) == 400 for each in read)


@pytest.mark.parametrize("path", vectors.files("teo"), ids=lambda path: path.name[:-7])
def test_vectors(path: Path) -> None:
    assert disagreements(path) == 0


@pytest.mark.parametrize(
    ("preset", "feature"),
    [
        ("ubuntu-5.4.0", "ring_slots"),
        ("ubuntu-5.4.0", "early_hits_below"),
        ("debian-6.12.117", "timer_wins"),
    ],
)
def test_the_kernel_has_the_backport(preset: str, feature: str) -> None:
    base = ".".join(preset.partition("-")[2].split(".")[:2])
    mainline = {feature: getattr(features(release(base)), feature)}
    assert mainline[feature] != getattr(features(release(preset)), feature)
    paths = [path for path in vectors.files("teo") if vectors.read(path).kernel == preset]
    assert any(disagreements(path, **mainline) for path in paths)


def test_mainline_differs_from_its_distribution() -> None:
    assert features(release("5.4")).ring_slots == 9
    assert not features(release("6.12")).timer_wins


# Releases


@pytest.mark.parametrize("kernel", ["5.0", "ubuntu-4.18.0"])
def test_no_teo_before_5_1(kernel: str) -> None:
    with pytest.raises(ValueError, match=rf"expected a release from 5\.1 on .* found {kernel}"):
        features(release(kernel))


def test_every_change_changes_something() -> None:
    for change in CHANGES:
        first = change.releases[0]
        before = MAINLINE[MAINLINE.index(release(first.partition("-rc")[0]).base) - 1]
        for name, value in change.values.items():
            assert getattr(features(release(first)), name) == value
            if version_key(before) >= (5, 1):
                assert getattr(features(release(before)), name) != value


def test_oldest_is_the_default() -> None:
    assert features(release("5.1")) == TeoFeatures()


@pytest.mark.parametrize(("kernel", "generation"), [("5.13", Hits), ("5.14", TeoSelection)])
def test_generations(kernel: str, generation: type) -> None:
    assert isinstance(Teo(P9, of(kernel)).metrics, generation)


# First generation, 5.1 to 5.13

TWO = [State(0, 0), State(1_000, 100_000)]


@pytest.mark.parametrize(("slots", "state"), [(9, 1), (8, 0)])
def test_ring_bug_the_ninth_idle_is_never_read(slots: int, state: int) -> None:
    governor = Teo(TWO, of("5.1", ring_slots=slots))
    # NEVER_IDLE is the first of the ring: by the timer. Four short ones, three more by the timer.
    for i in range(7):
        governor.select(idle(FAR))
        governor.finished(woken(1, 20_000 if i < 4 else FAR))
    # The ninth takes the first one's place, or none.
    governor.select(idle(FAR))
    governor.finished(woken(1, 20_000))
    metrics = governor.metrics
    assert isinstance(metrics, Hits)
    metrics.states[1].hits = 9000
    assert governor.select(idle(FAR)).state == state


@pytest.mark.parametrize(("kernel", "state"), [("5.3", 1), ("5.4", 2), ("5.13", 2), ("5.14", 1)])
def test_latency_limit_bug_the_first_state_beyond_it_is_taken(kernel: str, state: int) -> None:
    """5.4 to 5.13 name as the limit what exceeds it: state 2 takes 2 us to leave."""
    governor = Teo(P9, of(kernel))
    assert governor.select(idle(FAR, limit_us=1)).state == state


def test_latency_limit_ends_the_search_and_keeps_the_tick() -> None:
    assert answer(Teo(P9, of("5.3")).select(idle(FAR, limit_us=1, delta=MS))) == (1, False)
    assert answer(Teo(P9, of("5.4")).select(idle(FAR, limit_us=1, delta=MS))) == (2, True)


def test_missing_as_often_as_hitting_gives_way_to_early_hits() -> None:
    governor = Teo(P9, of("5.10"))
    metrics = governor.metrics
    assert isinstance(metrics, Hits)
    governor.select(idle(FAR))
    metrics.states[6].hits = metrics.states[6].misses = 512
    metrics.states[3].early_hits = 300
    assert governor.select(idle(FAR)).state == 3
    metrics.states[6].hits += 1
    assert governor.select(idle(FAR)).state == 6


@pytest.mark.parametrize(("below", "state"), [(False, 6), (True, 3)])
def test_early_hits_below_the_state_itself(below: bool, state: int) -> None:
    governor = Teo(P9, of("5.10", early_hits_below=below))
    metrics = governor.metrics
    assert isinstance(metrics, Hits)
    governor.select(idle(FAR))
    metrics.states[3].early_hits, metrics.states[6].early_hits = 300, 400
    assert governor.select(idle(FAR)).state == state


def test_recent_idles_are_averaged() -> None:
    governor = Teo(P9, of("5.10"))
    metrics = governor.metrics
    assert isinstance(metrics, Hits)
    governor.select(idle(FAR))
    metrics.states[6].hits = 1024
    metrics.intervals[:5] = [60_000, 60_000, 60_000, 60_000, 160_000]
    decision = governor.select(idle(FAR))
    assert (decision.state, decision.why["duration"]) == (3, 80_000)
    metrics.intervals[4] = FAR
    assert governor.select(idle(FAR)).state == 6


@pytest.mark.parametrize(("own", "state"), [(False, 6), (True, 5)])
def test_a_disabled_state_may_miss_for_the_one_above(own: bool, state: int) -> None:
    """State 6 is disabled and missed; state 5, which covers its range, always hit."""
    governor = Teo(P9, of("5.10", disabled_metrics=own))
    metrics = governor.metrics
    assert isinstance(metrics, Hits)
    governor.select(idle(FAR))
    metrics.states[5].hits, metrics.states[6].misses = 1024, 1024
    metrics.states[2].early_hits = 500
    decision = governor.select(idle(FAR, disabled=(6,)))
    assert decision.state == {False: 5, True: 2}[own]
    assert (decision.why["misses"] == 1024) is own
    assert state in (5, 6)


@pytest.mark.parametrize(("kernel", "huge"), [("5.4", True), ("5.12", True), ("5.13", False)])
def test_a_negative_sleep_length_was_huge(kernel: str, huge: bool) -> None:
    state = Teo(P9, of(kernel)).select(idle(-5_000, delta=0, stopped=True)).state
    assert state == (6 if huge else 0)


def test_microseconds_are_floored() -> None:
    table = [State(0, 0), State(1_000, 2_000)]
    assert Teo(table, of("5.4")).select(idle(1_999)).state == 0
    assert Teo(table, of("5.4")).select(idle(2_000)).state == 1
    table = [State(0, 0), State(1_999, 1_999)]
    assert Teo(table, of("5.4")).select(idle(1_000)).state == 1
    assert Teo(table, of("5.5")).select(idle(1_000)).state == 0


def test_overhead_counts_up_to_5_4() -> None:
    """20 us idle, 120 us from select to reflect: a miss only if the idle alone counts."""
    for kernel, misses in (("5.4", 0), ("5.5", 1024)):
        governor = Teo(TWO, of(kernel))
        governor.select(idle(FAR))
        governor.finished(Outcome(1, 20_000, clock_ns=120_000))
        governor.select(idle(FAR))
        metrics = governor.metrics
        assert isinstance(metrics, Hits)
        assert metrics.states[1].misses == misses


# Second generation, 5.14 on


def with_bins(
    governor: Teo, hits: list[int], intercepts: list[int], total: int | None = None
) -> TeoSelection:
    """A governor that has made its first decision, with these metrics."""
    governor.select(idle(FAR))
    metrics = governor.metrics
    assert isinstance(metrics, TeoSelection)
    metrics.bins.hits, metrics.bins.intercepts = hits, intercepts
    metrics.bins.total = sum(hits) + sum(intercepts) if total is None else total
    metrics.bins.short_idles = metrics.bins.tick_intercepts = 0
    return metrics


FOUR = [State(0, 0), State(1_000, 20_000), State(2_000, 50_000), State(5_000, 100_000)]


@pytest.mark.parametrize(("kernel", "state"), [("6.19", 1), ("7.0", 0), ("7.2", 0), ("6.1", 1)])
def test_a971f984b845(kernel: str, state: int) -> None:
    """The commit's own example: intercepts 400, 250, 251 of 1000."""
    governor = Teo(FOUR, of(kernel))
    with_bins(governor, [0, 0, 0, 99], [400, 250, 251, 0], 1000)
    assert governor.select(idle(FAR)).state == state


def test_intercepts_must_outweigh_all_at_and_above() -> None:
    governor = Teo(FOUR, of("6.1"))
    with_bins(governor, [100, 0, 0, 500], [0, 0, 500, 0])
    assert governor.select(idle(FAR)).state == 3
    with_bins(governor, [100, 0, 0, 500], [0, 0, 501, 0])
    assert governor.select(idle(FAR)).state == 2


def test_hits_outgrow_the_running_total() -> None:
    """From 6.14 to 6.18, hits below may exceed the total: what is left is huge, not negative."""
    governor = Teo(FOUR, of("6.14"))
    with_bins(governor, [8193, 0, 0, 0], [0, 0, 10, 0], 8192)
    assert governor.select(idle(FAR)).state == 3


@pytest.mark.parametrize(("kernel", "gives_way"), [("6.10", True), ("6.11", False)])
def test_recent_intercepts(kernel: str, gives_way: bool) -> None:
    governor = Teo(FOUR, of(kernel))
    metrics = with_bins(governor, [0, 0, 0, 9000], [0, 0, 0, 0])
    metrics.bins.recent = [0, 5, 0, 0]
    assert governor.select(idle(FAR)).state == (1 if gives_way else 3)
    metrics.bins.recent = [0, 4, 0, 0]
    assert governor.select(idle(FAR)).state == 3


def test_stale_slot_bug_a_recent_intercept_is_taken_off_twice() -> None:
    """6.6 to 6.10: a wakeup by a timer beyond the tick leaves the slot it should overwrite."""
    table = vectors.table("dd1", False)
    governor = Teo(table, of("6.8"))
    live(governor, 1, idle(FAR), 20_000)
    metrics = governor.metrics
    assert isinstance(metrics, TeoSelection)
    assert metrics.bins.recent == [0, 1, 0]
    live(governor, 25, idle(FAR), FAR)
    assert metrics.bins.recent[1] > U32_MAX - 3


@pytest.mark.parametrize(("kernel", "keeps"), [("6.14", False), ("6.18", False), ("6.19", True)])
def test_inverted_tick_intercepts(kernel: str, keeps: bool) -> None:
    """Idles of 1 ms, the timer far: reason to keep the tick, but counted the wrong way round."""
    table = [State(0, 0), State(1_000, 100_000), State(1_000, 2 * MS)]
    assert live(Teo(table, of(kernel)), 40, idle(FAR), MS).stop_tick is not keeps


def test_inverted_tick_intercepts_keep_the_tick_for_long_idles() -> None:
    table = [State(0, 0), State(1_000, 100_000), State(1_000, 20 * MS)]
    assert not live(Teo(table, of("6.14")), 40, idle(FAR), 10 * MS).stop_tick
    assert live(Teo(table, of("6.19")), 40, idle(FAR), 10 * MS).stop_tick


@pytest.mark.parametrize(("kernel", "share"), [("6.19", 5 / 8), ("7.0", 2 / 3)])
def test_share_of_intercepts_that_keeps_the_tick(kernel: str, share: float) -> None:
    governor = Teo(FOUR, of(kernel))
    metrics = with_bins(governor, [0, 0, 0, 9000], [0, 0, 0, 0])
    metrics.bins.tick_intercepts = int(9000 * share) - 1
    assert governor.select(idle(FAR)).stop_tick
    metrics.bins.tick_intercepts = int(9000 * share) + 1
    assert not governor.select(idle(FAR)).stop_tick


@pytest.mark.parametrize(("kernel", "metric"), [("6.18", 7), ("6.19", 0)])
def test_decay_to_zero(kernel: str, metric: int) -> None:
    governor = Teo(FOUR, of(kernel))
    metrics = with_bins(governor, [0, 0, 0, 9000], [0, 8, 0, 0])
    live(governor, 2, idle(FAR), FAR)
    assert metrics.bins.intercepts[1] == metric


@pytest.mark.parametrize(("kernel", "state"), [("6.18", 3), ("debian-6.12.117", 0), ("6.19", 0)])
def test_a_near_timer_and_a_stopped_tick(kernel: str, state: int) -> None:
    """Up to 6.18 the fear of sleeping on without tick overruled the timer."""
    assert Teo(FOUR, of(kernel)).select(idle(10_000, stopped=True)).state == state


@pytest.mark.parametrize(("kernel", "state"), [("7.0", 3), ("7.1", 2)])
def test_intercepts_and_a_stopped_tick(kernel: str, state: int) -> None:
    governor = Teo(FOUR, of(kernel))
    with_bins(governor, [0, 0, 0, 0], [0, 0, 1000, 0])
    assert governor.select(idle(2 * TICK, stopped=True)).state == state
    assert governor.select(idle(2 * TICK)).state == 2


@pytest.mark.parametrize("state", [0, 2])
def test_a_far_timer_and_a_stopped_tick(state: int) -> None:
    """From 7.1 on: more than two ticks away, the deepest state within limit and timer."""
    governor = Teo(FOUR, of("7.1"))
    with_bins(governor, [0] * 4, [1000 * (i == state) for i in range(4)])
    assert governor.select(idle(2 * TICK, stopped=True)).state == state
    assert answer(governor.select(idle(2 * TICK + 1, stopped=True))) == (3, True)
    assert governor.select(idle(2 * TICK + 1, stopped=True, limit_us=2)).state == 2


def test_a_tick_wakeup_says_nothing_up_to_6_18() -> None:
    """It counts as if the timer had come."""
    assert answer(live(Teo(P9, of("6.18")), 40, idle(FAR), MS, tick=True)) == (6, True)
    assert live(Teo(P9, of("6.18")), 40, idle(FAR), MS).state == 4


def test_ticks_that_prevail_lead_deepest() -> None:
    """From 6.19 on they are measured as they are, until two thirds of all wakeups are such."""
    governor = Teo(P9, of("6.19"))
    metrics = with_bins(governor, [0] * 7, [0, 0, 0, 0, 8000, 0, 0])
    for tick_wakeups, hits, intercepts in ((4942, 0, 8024), (4943, 1024, 7000)):
        metrics.bins.hits, metrics.bins.intercepts = [0] * 7, [0, 0, 0, 0, 8000, 0, 0]
        metrics.bins.tick_wakeups = tick_wakeups
        live(governor, 1, idle(FAR), MS, tick=True)
        assert (metrics.bins.hits[6], metrics.bins.intercepts[4]) == (hits, intercepts)
    assert live(governor, 40, idle(FAR), MS, tick=True).state == 6
    assert live(Teo(P9, of("6.18")), 40, idle(FAR), MS).state == 4


@pytest.mark.parametrize(("tick_intercepts", "hits"), [(5332, 1024), (5334, 0)])
def test_ticks_are_hits_unless_intercepts_within_them_prevail(
    tick_intercepts: int, hits: int
) -> None:
    """7.0: 4666 of 7000 are two thirds, the wakeup itself left out; a hit is the timer's."""
    governor = Teo(P9, of("7.0"))
    metrics = with_bins(governor, [0] * 7, [0, 0, 0, 0, 8000, 0, 0])
    metrics.bins.tick_intercepts = tick_intercepts
    live(governor, 1, idle(15 * MS), MS, tick=True)
    assert (metrics.bins.hits[5], metrics.bins.intercepts[4]) == (hits, 8024 - hits)


@pytest.mark.parametrize(("kernel", "hits"), [("6.19", 1024), ("7.0", 0)])
def test_a_hit_is_close_to_the_timer(kernel: str, hits: int) -> None:
    """Same bin, 10 ms before the timer: from 7.0 on an intercept."""
    governor = Teo(P9, of(kernel))
    live(governor, 1, idle(FAR), 40 * MS)
    metrics = governor.metrics
    assert isinstance(metrics, TeoSelection)
    assert (metrics.bins.hits[6], metrics.bins.intercepts[6]) == (hits, 1024 - hits)


def test_half_the_exit_latency_is_taken_off() -> None:
    table = [State(0, 0), State(10_000, 100_000)]
    for residency, intercept in ((104_999, 1), (105_000, 0)):
        governor = Teo(table, of("6.1"))
        live(governor, 1, idle(FAR), residency)
        metrics = governor.metrics
        assert isinstance(metrics, TeoSelection)
        assert metrics.bins.intercepts[0] == 1024 * intercept


@pytest.mark.parametrize(("kernel", "state"), [("6.5", 0), ("6.6", 1), ("6.13", 1), ("6.14", 0)])
def test_timers_are_not_asked_for_a_short_state_after_polling(kernel: str, state: int) -> None:
    table = [State(0, 0, True), State(1_000, 10_000)]
    governor = Teo(table, of(kernel))
    with_bins(governor, [0, 1000], [0, 0])
    assert governor.select(idle(5_000)).state == state
    table[1] = State(1_000, 15_000)
    governor = Teo(table, of(kernel))
    with_bins(governor, [0, 1000], [0, 0])
    assert governor.select(idle(5_000)).state == 0


def test_most_idles_short_or_a_tight_limit_spare_the_timers() -> None:
    table = [State(0, 0), State(1_000, 10_000)]
    governor = Teo(table, of("6.14"))
    metrics = with_bins(governor, [0, 1000], [0, 0])
    assert governor.select(idle(5_000)).why["asks_timers"]
    assert not governor.select(idle(5_000, limit_us=7)).why["asks_timers"]
    assert governor.select(idle(5_000, limit_us=8)).why["asks_timers"]
    metrics.bins.short_idles = 499
    assert governor.select(idle(5_000)).why["asks_timers"]
    metrics.bins.short_idles = 500
    assert answer(governor.select(idle(5_000))) == (1, False)


def test_unasked_timers_make_a_wakeup_an_intercept() -> None:
    """6.6: intercepts lead to state 0, whose wakeups, the timer unknown, are intercepts again."""
    for kernel, hits in (("6.6", 0), ("6.11", 1024)):
        governor = Teo(TWO, of(kernel))
        metrics = with_bins(governor, [0, 0], [1000, 0])
        governor.finished(woken(governor.select(idle(5_000)).state, 5_000))
        governor.select(idle(5_000))
        assert metrics.bins.hits[0] == hits, kernel


@pytest.mark.parametrize(("kernel", "stops"), [("6.5", True), ("6.6", False)])
def test_the_only_enabled_state_and_the_tick(kernel: str, stops: bool) -> None:
    decision = Teo(FOUR, of(kernel)).select(idle(FAR, disabled=(0, 1, 2)))
    assert answer(decision) == (3, stops)


@pytest.mark.parametrize(("kernel", "state"), [("6.18", 2), ("6.19", 0)])
def test_majority_at_a_disabled_state(kernel: str, state: int) -> None:
    governor = Teo(FOUR, of(kernel))
    with_bins(governor, [0] * 4, [100, 900, 0, 0])
    assert governor.select(idle(FAR, disabled=(1,))).state == state


def test_no_state_of_the_same_residency_with_the_tick_stopped() -> None:
    table = [State(0, 0), State(1_000, 5 * MS), State(2_000, 5 * MS)]
    for kernel, state in (("6.19", 1), ("7.0", 2)):
        governor = Teo(table, of(kernel))
        with_bins(governor, [0, 0, 0], [1000, 0, 0])
        assert governor.select(idle(FAR, stopped=True)).state == state


@pytest.mark.parametrize(
    ("kernel", "state"), [("6.2", 3), ("6.3", 2), ("6.6", 2), ("6.10", 2), ("6.11", 3)]
)
def test_a_utilised_cpu_gets_a_shallower_state(kernel: str, state: int) -> None:
    governor = Teo(FOUR, of(kernel))
    assert governor.select(idle(FAR, util=17)).state == state
    assert governor.select(idle(FAR, util=16)).state == 3


@pytest.mark.parametrize(("capacity", "least"), [(1024, 17), (446, 7), (64, 2), (63, 1)])
def test_utilised_is_above_a_64th_of_the_capacity(capacity: int, least: int) -> None:
    governor = Teo(FOUR, of("6.6"))
    for util, state in ((least - 1, 3), (least, 2)):
        assert governor.select(idle(FAR, util=util, capacity=capacity)).state == state


def test_a_utilised_cpu_does_not_poll() -> None:
    for kernel in ("6.3", "6.6"):
        for polling, state in ((True, 1), (False, 0)):
            table = [State(0, 0, polling), State(1_000, 100_000)]
            governor = Teo(table, of(kernel))
            assert governor.select(idle(FAR, util=17)).state == state


@pytest.mark.parametrize(("kernel", "state"), [("6.5", 0), ("6.6", 1)])
def test_a_utilised_cpu_with_two_states_does_not_ask_for_the_next_event(
    kernel: str, state: int
) -> None:
    """From 6.6 on it counts as half a tick away."""
    table = [State(0, 0, True), State(12_000, 120_000)]
    near = idle(120_000, delta=3_000, util=17)
    assert answer(Teo(table, of(kernel)).select(near)) == (state, False)


def test_utilised_with_the_tick_stopped() -> None:
    assert Teo(FOUR, of("6.3")).select(idle(FAR, stopped=True, util=17)).state == 2
    assert Teo(FOUR, of("6.6")).select(idle(FAR, stopped=True, util=17)).state == 3


# The tick, all generations


@pytest.mark.parametrize("kernel", ["5.1", "5.10", "5.14", "6.8", "7.2"])
def test_tick(kernel: str) -> None:
    governor = Teo(P9, of(kernel))
    if isinstance(governor.metrics, TeoSelection):
        with_bins(governor, [0, 0, 0, 0, 0, 0, 1000], [0] * 7)
    assert answer(governor.select(idle(FAR, delta=MS))) == (6, True)
    assert answer(governor.select(idle(TICK))) == (4, True)
    assert answer(governor.select(idle(TICK - 1_000))) == (4, False)
    assert answer(governor.select(idle(TICK - 1_000, delta=60_000))) == (3, False)
    deep = 6 if kernel == "6.8" else 4
    assert answer(governor.select(idle(TICK - 1_000, delta=60_000, stopped=True))) == (deep, True)


def test_hz_sets_the_tick() -> None:
    for hz, stops in ((100, False), (1000, True)):
        assert Teo(P9, of("5.15"), hz).select(idle(2 * MS)).stop_tick is stops


@pytest.mark.parametrize("kernel", ["5.3", "5.10", "5.15"])
def test_polling_keeps_the_tick(kernel: str) -> None:
    table = [State(0, 0, True), State(1_000, FAR)]
    assert answer(Teo(table, of(kernel)).select(idle(FAR - 1_000))) == (0, False)
    table = [State(0, 0), State(1_000, FAR)]
    assert answer(Teo(table, of(kernel)).select(idle(FAR - 1_000))) == (0, True)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_rejected_entry_is_forgotten(kernel: str) -> None:
    with_one, without = Teo(P9, of(kernel)), Teo(P9, of(kernel))
    for governor in (with_one, without):
        live(governor, 5, idle(FAR), 30_000)
        governor.finished(woken(4, 30_000))
    with_one.select(idle(FAR))
    with_one.finished(Outcome(6, 0, rejected=True))
    for sleep in (FAR, 90_000, 12_000):
        assert with_one.select(idle(sleep)) == without.select(idle(sleep))


@pytest.mark.parametrize(
    ("kernel", "names"),
    [
        ("5.10", ["fit_for_timer", "hits", "misses", "recent_short", "found", "duration"]),
        ("7.2", ["candidate", "total", "intercepts_below", "intercepted", "asks_timers", "found"]),
    ],
)
def test_why(kernel: str, names: list[str]) -> None:
    why = Teo(P9, of(kernel)).select(idle(FAR)).why
    assert [name for name in why if name in names] == names


# Any input

TIMES = st.one_of(
    st.integers(-KTIME_MAX - 1, KTIME_MAX),
    st.integers(-10_000, 60 * MS),
    st.sampled_from([0, KTIME_MAX, -1, TICK, TICK - 1, 1 << 32, (1 << 32) * 1000]),
)
DURATIONS = st.one_of(st.integers(0, KTIME_MAX), st.integers(0, 60 * MS))
TABLES = st.lists(
    st.builds(State, st.integers(0, 10**10), st.integers(0, 10**10), st.booleans()),
    min_size=1,
    max_size=10,
)
SITUATIONS = st.builds(
    Situation,
    st.one_of(st.just(NO_LIMIT_US), st.integers(0, (1 << 31) - 1), st.integers(0, 300)),
    TIMES,
    TIMES,
    tick_stopped=st.booleans(),
    clock_ns=DURATIONS,
    disabled=st.frozensets(st.integers(0, 9)),
    cpu_util=st.integers(0, CPU_CAPACITY),
    cpu_capacity=st.integers(1, CPU_CAPACITY),
)
FLAGS = st.tuples(st.booleans(), st.booleans(), st.booleans())


@given(
    st.sampled_from(KERNELS),
    TABLES,
    st.lists(st.tuples(SITUATIONS, DURATIONS, DURATIONS, FLAGS), max_size=30),
    st.sampled_from([100, 250, 300, 1000]),
)
def test_no_input_raises(
    kernel: str,
    table: list[State],
    rows: list[tuple[Situation, int, int, tuple[bool, bool, bool]]],
    hz: int,
) -> None:
    governor = Teo(table, of(kernel), hz)
    for situation, residency, clock, (rejected, tick, limit) in rows:
        decision = governor.select(situation)
        assert 0 <= decision.state < len(table)
        assert isinstance(decision.stop_tick, bool)
        governor.finished(Outcome(decision.state, residency, rejected, tick, limit, clock))


@given(st.sampled_from(KERNELS), st.lists(DURATIONS, min_size=1, max_size=20))
def test_decisions_are_a_function_of_the_past(kernel: str, residencies: list[int]) -> None:
    first, second = Teo(P9, of(kernel)), Teo(P9, of(kernel))
    for residency in residencies:
        decision = first.select(idle(FAR))
        assert decision == second.select(idle(FAR))
        for governor in (first, second):
            governor.finished(woken(decision.state, residency))


@pytest.mark.parametrize("kernel", ["5.1", "6.1", "6.12"])
def test_a_clock_that_wraps_is_a_clock(kernel: str) -> None:
    """The span since select is the same wherever the clock stands, as in the compiled core."""
    learnt = []
    for start in (0, (1 << 64) - 30_000):
        governor = Teo(P9, of(kernel))
        rows = [
            (
                replace(idle(FAR), clock_ns=(start + 1_000_000 * turn) % (1 << 64)),
                replace(woken(2, 60_000), clock_ns=(start + 1_000_000 * turn + 61_000) % (1 << 64)),
            )
            for turn in range(12)
        ]
        decisions = []
        for situation, outcome in rows:
            decision = governor.select(situation)
            governor.finished(outcome)
            decisions.append((decision.state, decision.stop_tick, decision.why))
        learnt.append(decisions)
    assert learnt[0] == learnt[1]
