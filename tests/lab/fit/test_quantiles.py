"""Order statistics, and intervals made of them."""

import math
import random
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.measured import LatencyBins, Samples, SummaryOnly
from idle_states.lab.fit.binomial import coverage_of_maximum, least, ranks
from idle_states.lab.fit.estimate import above_busy, estimate, mean
from idle_states.lab.fit.shape import fences, medcouple, shape

from ...support.planted import NOISES, Planted, bimodal, contaminated

P99, P999, P9999, P50 = Decimal(99), Decimal("99.9"), Decimal("99.99"), Decimal(50)
C95, C99 = Decimal(95), Decimal(99)


def test_the_numbers_of_values_that_quantiles_take() -> None:
    assert [least(p, C95) for p in (P99, P999, P9999)] == [368, 3688, 36887]
    # one-sided at 95 % is two-sided at 90 %
    assert [least(p, Decimal(90)) for p in (P99, P999, P9999)] == [299, 2995, 29956]


@pytest.mark.parametrize("percent", [P50, Decimal(90), P99, P999])
@pytest.mark.parametrize("confidence", [C95, C99])
def test_one_value_fewer_has_no_upper_bound(percent: Decimal, confidence: Decimal) -> None:
    enough = least(percent, confidence)
    assert ranks(enough, percent, confidence).high == enough
    assert ranks(enough - 1, percent, confidence).high is None


@given(
    n=st.integers(1, 5000),
    percent=st.sampled_from([P50, Decimal(90), P99, P999, P9999]),
    confidence=st.sampled_from([Decimal(80), C95, C99]),
)
def test_ranks_are_the_narrowest_by_scipys_binomial(
    n: int, percent: Decimal, confidence: Decimal
) -> None:
    binomial = pytest.importorskip("scipy.stats", reason="package scipy is missing").binom
    p, aside = float(percent / 100), float((100 - confidence) / 200)
    found = ranks(n, percent, confidence)
    at_most = binomial(n, p).cdf
    low, high = found.low or 0, found.high or n + 1
    assert at_most(low - 1) <= aside * (1 + 1e-9) < at_most(low) * (1 + 1e-6)
    above = binomial(n, p).sf
    assert high == n + 1 or above(high - 1) <= aside * (1 + 1e-9)
    assert above(high - 2) > aside * (1 - 1e-9)
    assert found.coverage == pytest.approx(
        1 - (at_most(low - 1) if found.low else 0) - (above(high - 1) if found.high else 0)
    )


def test_ranks_of_very_many_values_are_near_the_normal_approximation() -> None:
    n = 10**8
    found = ranks(n, P99, C95)
    assert found.low is not None
    assert found.high is not None
    aside = 1.959964 * math.sqrt(n * 0.99 * 0.01)
    assert found.low == pytest.approx(n * 0.99 - aside, abs=5)
    assert found.high == pytest.approx(n * 0.99 + aside, abs=5)


def mixed(n: int) -> tuple[float, ...]:
    """1 to n in random order."""
    values = [float(value) for value in range(1, n + 1)]
    random.Random(1).shuffle(values)
    return tuple(values)


def test_the_maximum_stands_in_for_a_quantile_that_the_number_does_not_support() -> None:
    values = Samples(mixed(400))
    found = estimate(values, P9999, C95)
    assert (found.statistic, found.value_ns, found.high_ns) == ("max", 400.0, None)
    assert found.low_ns == 399.0  # P(the second greatest is above) is 0.0008, of the greatest 0.039
    assert "36887 values" in found.refused
    assert "3.92 %" in found.refused
    assert coverage_of_maximum(400, P9999) == pytest.approx(1 - 0.9999**400)


def test_a_quantile_of_known_values() -> None:
    found = estimate(Samples(mixed(1000)), P99, C95)
    assert (found.statistic, found.value_ns, found.refused) == ("p99", 990.0, "")
    assert (found.low_ns, found.high_ns) == (983.0, 997.0)
    assert found.coverage is not None
    assert 0.95 <= found.coverage < 0.98


def test_a_histogram_gives_upper_edges_and_no_bound_where_too_many_are_over() -> None:
    bins = ((0.0, 1000.0, 600), (1000.0, 2000.0, 395))
    few, many = LatencyBins(bins, over=2), LatencyBins(bins, over=30)
    found = estimate(few, P99, C95)
    assert (found.value_ns, found.low_ns, found.high_ns) == (2000.0, 1000.0, 2000.0)
    unbounded = estimate(many, P99, C95)
    assert (unbounded.value_ns, unbounded.low_ns, unbounded.high_ns) == (None, 2000.0, None)
    assert "above the last bucket" in unbounded.refused
    # the longest, where it is said, bounds what is over
    said = estimate(LatencyBins(bins, over=30, max_ns=7500.0), P99, C95)
    assert (said.value_ns, said.high_ns) == (7500.0, 7500.0)


@given(st.lists(st.integers(0, 9999), min_size=1, max_size=600, unique=True))
def test_a_histogram_encloses_what_its_values_give(values: list[int]) -> None:
    counts: dict[int, int] = {}
    for value in values:
        counts[value // 100] = counts.get(value // 100, 0) + 1
    bins = tuple((at * 100.0, at * 100.0 + 100, n) for at, n in sorted(counts.items()))
    random.Random(1).shuffle(values)
    exact = estimate(Samples(tuple(map(float, values))), Decimal(90), C95)
    binned = estimate(LatencyBins(bins), Decimal(90), C95)
    assert exact.value_ns is not None
    assert binned.value_ns is not None
    assert exact.value_ns <= binned.value_ns <= exact.value_ns + 100
    assert (exact.low_ns is None) == (binned.low_ns is None)
    if exact.low_ns is not None and binned.low_ns is not None:
        assert exact.low_ns - 100 <= binned.low_ns <= exact.low_ns
    if exact.high_ns is not None and binned.high_ns is not None:
        assert exact.high_ns <= binned.high_ns <= exact.high_ns + 100


def test_a_published_summary_bounds_by_its_quantiles() -> None:
    # linuxppc/issues #370: CEDE of a POWER9 partition by IPI, advertised with 2 us
    cede = SummaryOnly(400, 7369.43, 1200.01, 711, 9698, {0.5: 7564, 0.9: 8559, 0.99: 9514})
    found = estimate(cede, P99, C95)
    assert (found.value_ns, found.low_ns, found.high_ns) == (9514, 8559, 9698)
    tail = estimate(cede, P9999, C95)
    assert (tail.statistic, tail.value_ns, tail.low_ns, tail.high_ns) == ("max", 9698, 9514, None)


def test_a_mean_has_students_interval_and_is_never_a_quantile() -> None:
    found = mean(SummaryOnly(n=16, mean_ns=100.0, sd_ns=8.0), C95)
    assert found.low_ns is not None
    assert found.high_ns is not None
    assert found.high_ns - 100 == pytest.approx(2.131450 * 8 / 4, rel=1e-6)
    for summary in (SummaryOnly(mean_ns=100.0), SummaryOnly(n=16, mean_ns=100.0)):
        found = estimate(summary, P99, C95)
        assert (found.statistic, found.value_ns, found.bounded) == ("mean", 100.0, False)
        assert "no interval" in found.refused


def test_what_measuring_takes_is_subtracted_as_a_median_with_its_own_interval() -> None:
    rng = random.Random(3)
    state = Samples(tuple(rng.gauss(50_000, 500) for _ in range(2000)))
    busy = Samples(tuple(rng.gauss(3_000, 100) for _ in range(300)))
    found, gross = above_busy(state, busy, P99, C95), estimate(state, P99, C95)
    assert found.value_ns is not None
    assert gross.value_ns is not None
    assert found.value_ns == pytest.approx(gross.value_ns - 3_000, abs=50)
    assert found.low_ns is not None
    assert gross.low_ns is not None
    assert found.high_ns is not None
    assert gross.high_ns is not None
    assert found.high_ns - found.low_ns > gross.high_ns - gross.low_ns
    assert "of 300 busy" in found.method
    # of a busy measurement without an interval, neither has the difference one
    bare = above_busy(state, SummaryOnly(mean_ns=3_000.0), P99, C95)
    assert bare.value_ns == pytest.approx(gross.value_ns - 3_000)
    assert not bare.bounded
    assert above_busy(Samples((5.0,) * 400), Samples((9.0,) * 400), P99, C95).value_ns == 0.0


def test_medcouple_of_a_known_case() -> None:
    # pairs about 3: (2-1)/(5-... by hand: left 1, 2; right 5, 9
    by_hand = sorted([(2 - 2) / 4, (6 - 2) / 8, (2 - 1) / 3, (6 - 1) / 7])
    assert medcouple([1, 2, 3, 5, 9]) == pytest.approx((by_hand[1] + by_hand[2]) / 2)
    assert medcouple([1, 2, 3, 4, 5]) == 0
    assert fences([1, 2, 3, 4, 5]) == (2 - 3 * 2, 4 + 3 * 2)


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.__name__)
def test_outliers_and_modes_are_found_where_they_were_planted(
    noise: Callable[[float], Planted],
) -> None:
    rng = random.Random(8)
    of = noise(20_000)
    several = far = 0
    for _ in range(20):
        found = shape(Samples(tuple(of.draw(rng) for _ in range(2000))))
        assert found is not None
        several += len(found.modes) > 1
        far += found.outliers
        assert sum(mode.share for mode in found.modes) == pytest.approx(1)
    assert several == (20 if noise is bimodal else 0)
    # one in 1000 was planted; of the others' 40,000 hardly any lies far off
    assert 25 <= far <= 60 if noise is contaminated else far <= 8


def test_two_modes_are_told_with_place_and_share() -> None:
    rng = random.Random(8)
    found = shape(Samples(tuple(bimodal(20_000).draw(rng) for _ in range(4000))))
    assert found is not None
    low, high = found.modes
    assert low.at_ns == pytest.approx(20_000, rel=0.03)
    assert high.at_ns == pytest.approx(32_000, rel=0.03)
    assert high.share == pytest.approx(0.3, abs=0.03)


def test_rounded_values_are_one_mode() -> None:
    rng = random.Random(8)
    rounded = Samples(tuple(1000.0 * round(rng.gauss(20, 3)) for _ in range(20_000)))
    found = shape(rounded)
    assert found is not None
    assert len(found.modes) == 1
    assert shape(Samples((5.0,) * 100)) is not None
    assert shape(Samples((5.0,) * 10)) is None
    assert shape(SummaryOnly(n=100, mean_ns=5.0)) is None
