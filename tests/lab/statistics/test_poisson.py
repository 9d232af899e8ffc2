"""Garwood's interval against its definition by the incomplete gamma function."""

import pytest
from mpmath import mp

from idle_states.lab.statistics.poisson import MOST, at_most, interval


def test_published_values() -> None:
    """The intervals of 0, 3 and 7 events are those of tables of the exact interval."""
    found = [tuple(round(end, 3) for end in interval(count)) for count in (0, 3, 7)]
    assert found == [(0.0, 3.689), (0.619, 8.767), (2.814, 14.423)]


@pytest.mark.parametrize("count", [0, 1, 2, 6, 30, 99, MOST])
@pytest.mark.parametrize("percent", [50.0, 95.0, 99.0])
def test_each_tail_holds_half(count: int, percent: float) -> None:
    low, high = interval(count, percent)
    aside = (100 - percent) / 200
    # P(X <= n) is the upper incomplete gamma function of n + 1
    over = mp.gammainc(count + 1, high, regularized=True)
    assert float(over) == pytest.approx(aside, rel=1e-9)
    if count:
        under = 1 - mp.gammainc(count, low, regularized=True)
        assert float(under) == pytest.approx(aside, rel=1e-9)
    assert low <= count <= high


def test_nothing_is_certain_of_nothing() -> None:
    assert at_most(0, 0) == 1.0
    assert at_most(-1, 3.0) == 0.0


def test_counts_beyond_are_refused() -> None:
    for count in (-1, MOST + 1):
        with pytest.raises(ValueError, match="expected a count from 0 to 1000"):
            interval(count)
