"""menu: widths that wrap, and what is learnt from an idle period."""

from dataclasses import replace

import pytest

from idle_states.tables.linux.governors.interface import (
    KTIME_MAX,
    U32_MAX,
    Decision,
    Outcome,
    Situation,
)
from idle_states.tables.linux.governors.menu import Menu
from idle_states.tables.linux.governors.menu_correction import BINS, Correction
from idle_states.tables.linux.governors.menu_features import features
from idle_states.tables.linux.governors.menu_history import UNKNOWN
from idle_states.tables.linux.releases import release
from tests.support.menus import NO_LIMIT_US, P9, idle, menu, table

# Widths


def test_far_timers_wrap_the_product() -> None:
    """No timer at all: KTIME_MAX times the factor is cut to 64 bits, the quotient to 32."""
    correction = Correction(1000)
    assert correction.predicted_us(KTIME_MAX, 5) == (2**64 - 8192 + 4_096_000) % 2**64 // 8_192_000
    correction.factors[5] = 8191
    product = KTIME_MAX * 8191 + 4_096_000
    assert correction.predicted_us(KTIME_MAX, 5) == product % 2**64 // 8_192_000 % 2**32
    assert product % 2**64 // 8_192_000 > U32_MAX


def test_the_wrap_reaches_the_decision() -> None:
    """The least negative product becomes a prediction of 0."""
    decision = menu("6.8", table(*P9)).select(Situation(NO_LIMIT_US, KTIME_MAX, KTIME_MAX))
    assert decision.why["timer_us"] == (2**64 - 8192 + 4_096_000) % 2**64 // 8_192_000 == 0
    assert decision == Decision(0, False)


def test_timers_are_cut_to_32_bits_of_us_until_5_4() -> None:
    beyond = Situation(NO_LIMIT_US, ((1 << 32) + 50) * 1000, ((1 << 32) + 50) * 1000)
    assert menu("5.4", table(*P9)).select(beyond).why["next_timer"] == 50
    assert menu("5.5", table(*P9)).select(beyond).why["next_timer"] == ((1 << 32) + 50) * 1000


def test_unknown_intervals_wrap_with_a_long_of_32_bits() -> None:
    """UINT_MAX us is 4294966296 ns there: a timer farther away is not the least any more."""
    wide = features(release("6.8"))
    situation = Situation(NO_LIMIT_US, 5 * 10**9, 4_000_000)
    for known, predicted in ((wide, 5 * 10**9), (replace(wide, long_bits=32), 4_294_966_296)):
        decision = Menu(table(*P9), known, 250).select(situation)
        assert decision.why["predicted"] == predicted
    old = replace(features(release("6.5")), long_bits=32)
    governor = Menu(table(*P9), old, 250)
    for number in range(8):
        governor.select(idle(10_000_000))
        governor.finished(Outcome(0, (number + 1) * 400_000_000))
    assert governor.select(situation).why["typical_us"] == UNKNOWN
    assert governor.select(situation).why["predicted"] == 5 * 10**9


@pytest.mark.parametrize(("kernel", "pushed"), [("5.4", (1 << 31) - 1), ("5.5", 2_705_032_704)])
def test_residencies_are_clamped_in_us_and_cut_in_ns(kernel: str, pushed: int) -> None:
    governor = menu(kernel, table(*P9))
    governor.select(Situation(NO_LIMIT_US, 4_294_000_000_000, 4_000_000))
    governor.finished(Outcome(0, 4_200_000_000_000))
    history = governor.select(idle(50)).why["history_us"]
    if kernel == "5.4":
        assert history[0] == pushed
    governor = menu("5.5", table(*P9))
    governor.select(Situation(NO_LIMIT_US, KTIME_MAX, 4_000_000))
    governor.finished(Outcome(0, 7 * 10**12))
    assert governor.select(idle(50)).why["history_us"][0] == 7 * 10**9 % 2**32


# Learning


def test_buckets() -> None:
    edges = (0, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 99_999, 100_000)
    for per_us in (1, 1000):
        correction = Correction(per_us)
        found = [correction.bucket(edge * per_us, False) for edge in edges]
        assert found == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
        assert correction.bucket(KTIME_MAX, True) == 5 + BINS
    assert Correction(1000).bucket(9_999, False) == 0


def test_factors_decay_by_an_eighth() -> None:
    correction = Correction(1)
    correction.learn(2, 100, 400)
    assert correction.factors[2] == 7168 + 256
    correction.learn(2, 50_000, 400_000)
    assert correction.factors[2] == 7424 - 928 + 1024
    correction.learn(2, 0, 0)
    assert correction.factors[2] == 7520 - 940 + 1024
    correction.learn(1, 0, 1)
    assert correction.factors[:2] == [8192, 7168]


@pytest.mark.parametrize(
    ("residency_us", "pushed"), [(20, 10), (21, 11), (19, 9), (500, 60), (1, 0)]
)
def test_exit_latency_is_deducted(residency_us: int, pushed: int) -> None:
    """Half at most; and no more than the time to the timer is learned."""
    governor = menu("6.1", table((10, 20)))
    governor.select(idle(60))
    governor.finished(Outcome(1, residency_us * 1000))
    assert governor.select(idle(60)).why["history_us"][0] == pushed


def test_why_tells_how_the_decision_came_about() -> None:
    why = menu("6.1", table(*P9), [30] * 8).select(idle(500, iowait=1)).why
    assert why == {
        "unit": "ns",
        "history_us": (30,) * 8,
        "next_timer": 500_000,
        "delta": 500_000,
        "bucket": 8,
        "factor": 8192,
        "timer_us": 500,
        "typical_us": 30,
        "predicted": 30_000,
        "divisor": 11,
        "effective": 30_000,
        "latency_limit": 30_000 // 11,
        "rule": "search",
        "decided_by": 30_000,
        "found": 2,
    }
