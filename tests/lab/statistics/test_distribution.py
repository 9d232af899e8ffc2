"""The statistics themselves, against scipy and against exact arithmetic."""

import math
from dataclasses import astuple
from decimal import Decimal
from fractions import Fraction
from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.lab.statistics import outliers, schbench, student
from idle_states.lab.statistics.analysis import analyse
from idle_states.lab.statistics.comparison import TVerdict, compare
from idle_states.lab.statistics.mmtests import Cell, MeansRow, follows
from idle_states.lab.statistics.summary import Dataset, Summary, inconsistency, summarise
from idle_states.lab.statistics.summary_rows import summary_row
from tests.support.thorough import examples

# squares of what is smaller are no doubles any more
sample = st.just(0.0) | st.floats(1e-9, 1e6)
samples = st.lists(sample, min_size=3, max_size=60)


@settings(max_examples=examples(15, 30), deadline=None)
@given(st.decimals("0.5", "99.99", places=2), st.integers(1, 400) | st.integers(1, 10**7))
def test_quantiles(confidence: Decimal, degrees: int) -> None:
    t = pytest.importorskip("scipy.stats", reason="scipy is not installed").t
    found = student.quantile(confidence, degrees)
    tail = (1 - float(confidence) / 100) / 2
    assert found == pytest.approx(t.isf(tail, degrees), rel=1e-9)
    assert student.two_sided(found, degrees) == pytest.approx(1 - float(confidence) / 100, rel=1e-9)


@settings(max_examples=examples(15, 30), deadline=None)
@given(st.floats(0.001, 1e4), st.integers(1, 400))
def test_tails(t: float, degrees: int) -> None:
    scipy = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    assert student.two_sided(t, degrees) == pytest.approx(
        2 * scipy.t.sf(t, degrees), rel=1e-9, abs=1e-290
    )
    assert student.two_sided(-t, degrees) == student.two_sided(t, degrees)


def test_closed_forms() -> None:
    """One and two degrees of freedom have them."""
    for level in ("50", "95", "99.9", "99.9999999999"):
        tail = (1 - Fraction(level) / 100) / 2
        assert student.quantile(Decimal(level), 1) == pytest.approx(
            1 / math.tan(math.pi * float(tail)), rel=1e-12
        )
        alpha = float(4 * tail * (1 - tail))
        assert student.quantile(Decimal(level), 2) == pytest.approx(
            2 * (0.5 - float(tail)) * math.sqrt(2 / alpha), rel=1e-12
        )
    assert student.two_sided(0, 5) == 1.0
    assert student.two_sided(1e9, 10**7) == 0.0
    for wrong in ("0", "100", "-1", "101"):
        with pytest.raises(ValueError, match="between 0 and 100"):
            student.quantile(Decimal(wrong), 5)


@settings(max_examples=examples(15, 30), deadline=None)
@given(samples, samples)
def test_pooled_t(first: list[float], second: list[float]) -> None:
    scipy = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    rows = summarise(first), summarise(second)
    found = compare(*rows, lambda degrees: student.quantile(Decimal(95), degrees))
    if found.t is None:
        assert found.pooled == 0
        return
    theirs = scipy.ttest_ind_from_stats(
        rows[1].average, rows[1].stddev, rows[1].n, rows[0].average, rows[0].stddev, rows[0].n
    )
    assert found.t == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert student.two_sided(found.t, found.degrees) == pytest.approx(
        theirs.pvalue, rel=1e-8, abs=1e-290
    )
    if abs(theirs.pvalue - 0.05) > 1e-9:
        assert (found.verdict is not TVerdict.NONE) == (theirs.pvalue < 0.05)


@given(samples)
def test_summary_is_exact(values: list[float]) -> None:
    found = summarise(values)
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    assert found.average == float(mean)
    variance = sum((value - mean) ** 2 for value in exact) / (len(exact) - 1)
    assert found.variance == float(variance)
    assert (found.minimum, found.maximum) == (min(values), max(values))
    assert inconsistency(found) is None


def test_spread_far_from_zero_is_not_lost() -> None:
    assert summarise([1e15 + 1, 1e15 + 2, 1e15 + 3]).stddev == 1.0
    assert summarise([3.0, 1.0, 2.0, 10.0]).median == 2.5


# Outliers


@settings(max_examples=examples(25, 100))
@given(samples)
def test_taking_the_maximum_out_of_a_row(values: list[float]) -> None:
    found = outliers.without_maximum(summarise(values))
    assert found is not None
    left = sorted(values)[:-1]
    spread = max(values) - min(values)
    assert found.n == len(left)
    assert found.average == pytest.approx(fmean(left), rel=1e-12, abs=1e-9 * spread)
    assert found.stddev == pytest.approx(stdev(left), abs=1e-6 * spread + 1e-7 * max(values))
    assert 0 <= found.share <= 1


def test_too_few_to_leave_one_out() -> None:
    row = summarise([1.0, 2.0])
    assert outliers.without_maximum(row) is None
    assert outliers.audit((row, row), (None, None), lambda degrees: 2.0) == ()


spread = st.lists(st.integers(0, 60), min_size=8, max_size=40)


@settings(max_examples=examples(8, 30), deadline=None)
@given(spread, spread, st.integers(1, 9))
def test_a_row_tells_the_truth_or_nothing(first: list[int], second: list[int], digits: int) -> None:
    """Without an outlier that leaves little of the others in the row's eight digits."""
    samples = [[5000.0 + x for x in first] + [5000.0 + 10**digits], [5007.0 + x for x in second]]
    try:
        rows = [
            summary_row([str(len(s)), *(f"{x:.8g}" for x in astuple(summarise(s))[1:6])])
            for s in samples
        ]
    except ValueError:
        return
    known, given_ = (
        analyse([Dataset("", *one) for one in sets], Decimal(99), False, True).pairs[0].again
        for sets in ([(tuple(s), None) for s in samples], [(None, row) for row in rows])
    )
    for truth, told in zip(known, given_, strict=True):
        assert truth.survives is not None
        if told.survives is not None:
            assert told.comparison.verdict is truth.comparison.verdict


def test_figures_of_a_row_are_good_to_half_a_unit() -> None:
    assert summary_row(["5", "1", "9", "2", "3.50", "3.2"]).halves == (0.005, 0.05, 0.5)
    assert summary_row(["2", "1", "1", "1", "1e0", "0"]).halves == (0.5, 0.0, 0.5)
    # samples themselves are not rounded
    values = (5.0, 5.0, 1e9)
    found = outliers.without_sample(values, summarise(values), summarise)
    assert found is not None
    assert (found.average, found.variance, found.variances) == (5.0, 0.0, (0.0, 0.0))


# Rows that no samples have


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ((1, 1, 1, 1, 1, 0), "N from 2"),
        ((10**8, 1, 1, 1, 1, 0), "N from 2"),
        ((5, -1, 4, 2, 2, 1), "Min from 0"),
        ((5, 1, 4, 5, 2, 1), "Median from Min to Max"),
        ((5, 1, 4, 2, 0.5, 1), "Avg from Min to Max"),
        ((5, 1, 4, 2, 2, 9), "Stddev from 1.118034 to 1.5811388"),
        ((5, 1, 4, 2, 2, 0.9), "Stddev from 1.118034"),
        ((5, 1, math.inf, 2, 2, 1), "Max from 0"),
    ],
)
def test_impossible_rows(row: tuple[float, ...], said: str) -> None:
    n, low, high, median, average, deviation = row
    wrong = inconsistency(Summary(int(n), low, high, median, average, deviation, deviation**2))
    assert wrong is not None
    assert said in wrong


# schbench's buckets


@given(st.integers(0, (1 << 25) - 1))
def test_buckets_hold_their_values(value: int) -> None:
    number = schbench.bucket(value)
    first, last = schbench.bounds(number)
    assert first <= value <= last
    assert schbench.bucket(first) == schbench.bucket(last) == number
    assert number == 0 or schbench.bucket(first - 1) == number - 1
    assert first <= schbench.middle(number) <= last
    # a bucket is at most a 256th of its values wide
    assert (last - first + 1) * 256 <= max(first, 256)


def test_where_buckets_begin_to_widen() -> None:
    assert [schbench.middle(schbench.bucket(value)) for value in (0, 255, 256, 511)] == [
        0, 255, 256, 511
    ]  # fmt: skip
    assert [schbench.middle(schbench.bucket(value)) for value in (512, 513, 514)] == [513, 513, 515]
    assert schbench.bucket((1 << 32) - 1) == schbench.BUCKETS - 1


@given(st.lists(st.integers(0, 300), min_size=1, max_size=200))
def test_percentiles_of_exact_buckets(values: list[int]) -> None:
    ordered = sorted(values)
    for entry in schbench.percentiles(values):
        rank = next(
            i for i in range(1, len(values) + 1) if i >= entry.percent / 100.0 * len(values)
        )
        assert entry.value == ordered[rank - 1]
    counted = [entry.samples or 0 for entry in schbench.percentiles(values, (50.0, 100.0))]
    assert sum(counted) == len(values)


# Printed percents


@pytest.mark.parametrize(
    ("old", "new", "decimals", "printed", "result"),
    [
        (287.54, 817.01, 2, 184.14, True),
        (287.54, 817.01, 2, -184.14, True),
        (287.54, 817.01, 2, 184.20, False),
        (1.0, 2.0, 0, 150.0, True),
        (1.0, 2.0, 2, 150.0, False),
        (0.0, 2.0, 2, 0.0, None),
        (2.0, 2.0, 2, None, None),
    ],
)
def test_percents_follow_within_rounding(
    old: float, new: float, decimals: int, printed: float | None, result: bool | None
) -> None:
    row = MeansRow("Amean", "x", (Cell(old, decimals, 0.0), Cell(new, decimals, printed)))
    assert follows(row, 1) is result
