"""Tests of how often intervals hold of wake-ups that follow each other, drift, are contaminated or
measured by a coarse clock, where the truth is planted."""

import math
import random
from collections.abc import Callable
from decimal import Decimal
from statistics import NormalDist

import pytest

from idle_states.base.model.measured import Samples
from idle_states.lab.fit.dependence import dependence
from idle_states.lab.fit.estimate import estimate

C95 = Decimal(95)
NORMAL = NormalDist()
SETS = 300


def following(rng: random.Random, n: int, correlation: float) -> list[float]:
    """Normal values of which each is like the one before."""
    at, found = rng.gauss(0, 1), []
    for _ in range(n):
        at = correlation * at + math.sqrt(1 - correlation**2) * rng.gauss(0, 1)
        found.append(at)
    return found


def root(below: Callable[[float], float], share: float) -> float:
    low, high = 0.0, 1e6
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < share else (low, middle)
    return high


def correlated(correlation: float) -> tuple[Callable[..., list[float]], Callable[[float], float]]:
    return (
        lambda rng, n: [5000 * math.exp(0.2 * z) for z in following(rng, n, correlation)],
        lambda share: 5000 * math.exp(0.2 * NORMAL.inv_cdf(share)),
    )


def drifting(size: float) -> tuple[Callable[..., list[float]], Callable[[float], float]]:
    """By so many standard deviations while it is measured."""
    middles = [(at + 0.5) / 200 * size for at in range(200)]
    return (
        lambda rng, n: [5000 + 250 * (rng.gauss(0, 1) + size * at / n) for at in range(n)],
        lambda share: root(
            lambda ns: sum(NORMAL.cdf((ns - 5000) / 250 - each) for each in middles) / 200, share
        ),
    )


def clocked(step: int, phase: bool) -> tuple[Callable[..., list[float]], Callable[[float], float]]:
    """By a clock of so many ns; phase: wake-ups begin anywhere in a step."""
    return (
        lambda rng, n: [
            (rng.gauss(5000, 250) + (step * rng.random() if phase else 0)) // step * step
            for _ in range(n)
        ],
        lambda share: 5000 + 250 * NORMAL.inv_cdf(share),
    )


def contaminated(of: int) -> tuple[Callable[..., list[float]], Callable[[float], float]]:
    """One in so many is ten times as long."""
    return (
        lambda rng, n: [
            rng.gauss(50_000, 2500) if rng.random() < 1 / of else rng.gauss(5000, 250)
            for _ in range(n)
        ],
        lambda share: root(
            lambda ns: (
                (1 - 1 / of) * NORMAL.cdf((ns - 5000) / 250) + NORMAL.cdf((ns - 50_000) / 2500) / of
            ),
            share,
        ),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planted", "most"),
    [
        pytest.param(correlated(0.5), 97, id="AR 0.5"),
        pytest.param(correlated(0.8), 97, id="AR 0.8"),
        pytest.param(correlated(0.9), 97, id="AR 0.9"),
        pytest.param(correlated(0.95), 97, id="AR 0.95"),
        pytest.param(drifting(1), 97, id="drift of 1"),
        pytest.param(drifting(3), 97, id="drift of 3"),
        pytest.param(contaminated(500), 97, id="1 of 500"),
        pytest.param(clocked(42, True), 99, id="clock of 42 ns"),
        pytest.param(clocked(20, False), 99, id="truncated to 20 ns"),
        pytest.param(clocked(100, False), 99, id="truncated to 100 ns"),
    ],
)
@pytest.mark.parametrize("percent", [50, 90])
def test_intervals_hold_as_often_as_they_say(
    planted: tuple[Callable[..., list[float]], Callable[[float], float]], most: int, percent: int
) -> None:
    """93 to 97 %, and three standard deviations of the number of sets. What a clock leaves open of
    half a step is the reader's safety."""
    draw, quantile = planted
    truth, rng, held = quantile(percent / 100), random.Random(percent), 0
    for _ in range(SETS):
        found = estimate(Samples(tuple(draw(rng, 1000))), Decimal(percent), C95)
        low = -math.inf if found.low_ns is None else found.low_ns
        high = math.inf if found.high_ns is None else found.high_ns
        held += low <= truth <= high
    aside = 3 * math.sqrt(0.95 * 0.05 * SETS)
    assert 0.93 * SETS - aside / 2 <= held <= most / 100 * SETS + aside / 2


def test_how_many_they_count_as() -> None:
    rng = random.Random(1)
    for correlation in (0.5, 0.9):
        follows = dependence(following(rng, 20_000, correlation))
        assert follows
        # of the median: 1 + 2 * sum of 2 / pi * arcsin(r^k)
        times = 1 + 4 / math.pi * sum(math.asin(correlation**k) for k in range(1, 500))
        found = follows.effective(20_000, Decimal(50), C95)
        assert found == pytest.approx(20_000 / times, rel=0.12)
        # a rare event comes alone more often
        assert follows.effective(20_000, Decimal(99), C95) > 1.3 * found


def test_independent_values_count_as_many() -> None:
    rng = random.Random(2)
    values = [rng.lognormvariate(8, 0.2) for _ in range(2000)]
    assert dependence(values) is None
    assert dependence([5.0] * 2000) is None
    assert dependence(sorted(values[:20])) is None
    found = estimate(Samples(tuple(values)), Decimal(90), C95)
    assert found.effective == 2000


def test_values_that_somebody_sorted_count_no_more_than_they_are() -> None:
    rng = random.Random(3)
    values = sorted(rng.gauss(5000, 250) for _ in range(1000))
    for percent in (50, 99):
        found = estimate(Samples(tuple(values)), Decimal(percent), C95)
        assert found.effective is not None
        assert found.effective <= 1000


def test_a_coarse_clock_has_no_bound_finer_than_itself() -> None:
    values = [1000.0] * 70 + [2000.0] * 30
    random.Random(4).shuffle(values)
    found = estimate(Samples(tuple(values)), Decimal(50), C95)
    assert found.value_ns == 1000
    assert found.low_ns is not None
    assert found.high_ns is not None
    assert found.low_ns < 1500 < found.high_ns
