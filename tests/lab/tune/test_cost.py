"""The decision itself: how long to wait before a state, by what gaps cost."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.lab.tune.gaps import Gaps
from idle_states.lab.tune.waits import Number, WaitStep, best, cost, near_best, offline_cost
from tests.support import DATA, DOCS
from tests.support.gaps import from_counts


@pytest.fixture(scope="module")
def words() -> Gaps:
    """Returns how many words of eight bytes have to be compared; 128 of a page part's 1024 bytes,
    and more, are one."""
    pairs = []
    for row in (DATA / "memcmp-histogram.csv").read_text().splitlines():
        place, _, count = row.partition(",")
        if place[0].isdecimal():
            byte = int(place.rstrip("+"))
            # 0: the pages are equal, and all is compared
            pairs.append((min(-(-byte // 8), 128) if byte else 128, int(count)))
    return from_counts(pairs)


def at_break_even(gaps: Gaps, step: WaitStep) -> tuple[int, Number]:
    """Waits until waiting has cost as much as the step, in whole units of time."""
    assert step.break_even is not None
    threshold = ceil(step.break_even)
    return threshold, cost(gaps, step, threshold)


def test_memcmp_shares(words: Gaps) -> None:
    assert words.count == 9_574_766
    counts = (DATA / "memcmp-histogram.csv").read_text().splitlines()
    by_byte = dict(row.split(",") for row in counts if row[0].isdecimal())
    shares = [
        sum(int(by_byte[str(byte)]) for byte in range(1, most + 1)) / words.count
        for most in (15, 31, 63)
    ]
    assert [round(100 * share, 2) for share in shares] == [76.88, 83.22, 84.82]


@pytest.mark.parametrize("price", range(10, 21))
def test_memcmp_threshold_is_32_bytes(words: Gaps, price: int) -> None:
    threshold, least = best(words, WaitStep(1, 0, price))
    assert threshold == 4
    even, at_even = at_break_even(words, WaitStep(1, 0, price))
    assert even == price
    assert Fraction(22, 100) < at_even / Fraction(least) - 1 < Fraction(35, 100)
    assert at_even <= 2 * offline_cost(words, WaitStep(1, 0, price))


@pytest.mark.parametrize(("price", "percent"), [(40, 1.4), (60, 3.5), (80, 5.3)])
def test_memcmp_with_dearer_set_up(words: Gaps, price: int, percent: float) -> None:
    step = WaitStep(1, 0, price)
    threshold, least = best(words, step)
    assert threshold is not None
    assert threshold > 4
    more = cost(words, step, 4) / Fraction(least) - 1
    assert round(100 * float(more), 1) == percent


RATES = st.lists(st.integers(0, 20), min_size=3, max_size=3).map(lambda r: sorted(r, reverse=True))
FEW = st.lists(st.integers(0, 30), min_size=1, max_size=12)


@given(FEW, RATES, st.integers(0, 200))
def test_optimum_is_that_of_all_thresholds(gaps: list[int], rates: list[int], price: int) -> None:
    histogram = from_counts((gap, 1) for gap in gaps)
    step = WaitStep(rates[0], rates[2], price)

    def one(gap: int, threshold: int) -> int:
        """Returns the cost of one gap, as it passes."""
        if gap <= threshold:
            return rates[0] * gap
        return rates[0] * threshold + price + rates[2] * (gap - threshold)

    never = 31
    costs = [sum(one(gap, threshold) for gap in gaps) for threshold in range(never + 1)]
    for threshold, expected in enumerate(costs):
        assert cost(histogram, step, None if threshold == never else threshold) == expected
    found, least = best(histogram, step)
    assert least == min(costs)
    assert cost(histogram, step, found) == least


@given(FEW, RATES, st.integers(0, 200))
def test_break_even_is_at_most_twice_what_could_be_known(
    gaps: list[int], rates: list[int], price: int
) -> None:
    step = WaitStep(rates[0], rates[2], price)
    even = step.break_even
    cuts = [] if even is None else [even.numerator // even.denominator]
    histogram = from_counts(((gap, 1) for gap in gaps), cuts)
    offline = sum(min(rates[0] * gap, price + rates[2] * gap) for gap in gaps)
    assert offline_cost(histogram, step) == (offline if even is not None else rates[0] * sum(gaps))
    if even is not None and even.denominator == 1:
        assert at_break_even(histogram, step)[1] <= 2 * offline


def test_near_best() -> None:
    histogram = from_counts([(1, 90), (100, 10)])
    # after 1: 90 + 10 + 10 * 50; up to 100 it costs more and more
    assert near_best(histogram, WaitStep(1, 0, 50)) == (1, 1)
    assert near_best(histogram, WaitStep(1, 0, 5), Fraction(3)) == (0, 46)
    assert near_best(histogram, WaitStep(1, 0, 100_000)) == (100, None)
    # between gaps, waiting costs nothing where polling costs nothing
    assert near_best(from_counts([(30, 7), (500, 3)]), WaitStep(0, 0, 9), Fraction(0)) == (
        500,
        None,
    )


@given(FEW, RATES, st.integers(0, 200), st.integers(0, 300))
def test_near_best_is_all_that_is_near(
    gaps: list[int], rates: list[int], price: int, percent: int
) -> None:
    histogram = from_counts((gap, 1) for gap in gaps)
    step, share = WaitStep(rates[0], rates[2], price), Fraction(percent, 100)
    bound = best(histogram, step)[1] * (1 + share)
    low, high = near_best(histogram, step, share)
    assert low is not None
    last = max(gaps) + 2 if high is None else high
    for threshold in range(low, last + 1):
        assert cost(histogram, step, threshold) <= bound
    if low:
        assert cost(histogram, step, low - 1) > bound
    if high is not None:
        assert cost(histogram, step, high + 1) > bound


def test_documented_figures(words: Gaps) -> None:
    """The page's table: V / c, best threshold, and what others cost."""
    page = (DOCS / "thresholds.md").read_text()
    rows = [row.strip("| ").split(" | ") for row in page.splitlines() if row.startswith("| ")][1:]
    assert [int(row[0]) for row in rows] == [10, 15, 20, 40, 60, 80]
    for price, threshold, of_32, of_even, least, even in rows:
        step = WaitStep(1, 0, int(price))
        (place, cheapest), (_, at_even) = best(words, step), at_break_even(words, step)
        assert place is not None
        assert threshold == f"{8 * place} bytes"
        shares = [cost(words, step, 4) / Fraction(cheapest), at_even / Fraction(cheapest)]
        said = [100 * float(share - 1) for share in shares]
        assert [of_32, of_even] == [f"{value:.1f} %".replace("0.0 %", "0 %") for value in said]
        offline = Fraction(offline_cost(words, step))
        assert [least, even] == [f"{float(c / offline):.2f}" for c in (cheapest, at_even)]
