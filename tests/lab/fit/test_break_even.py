"""Break-even periods of measured power."""

import math
import random
from dataclasses import replace
from decimal import Decimal

import pytest

from idle_states.base.model.measured import Energy
from idle_states.lab.fit.break_even import (
    BreakEven,
    NoLine,
    PowerLine,
    break_even,
    fieller,
    line,
    usable,
)

from ...support.planted import PlantedPower, planted_power
from ...support.thorough import examples

C95 = Decimal(95)


def lines(power: PlantedPower) -> list[PowerLine]:
    found = []
    for at in range(len(power.states)):
        state = f"C{at}"
        made = line(state, [span for span in power.spans if span.state == state])
        assert isinstance(made, PowerLine)
        found.append(made)
    return found


def test_the_line_is_exact_without_noise() -> None:
    power = planted_power(random.Random(1), 0)
    for made, (watts, joules) in zip(lines(power), power.states, strict=True):
        assert made.watts == pytest.approx(watts, rel=1e-9)
        assert made.joules == pytest.approx(joules, rel=1e-9)
    deep = break_even(lines(power)[2], lines(power)[:2], C95)
    assert deep.period_ns == pytest.approx(power.break_even_ns(2))
    assert deep.low_ns == pytest.approx(deep.period_ns, rel=1e-6)
    assert deep.high_ns == pytest.approx(deep.period_ns, rel=1e-6)


def test_the_line_is_that_of_least_squares_by_scipy() -> None:
    curve_fit = pytest.importorskip("scipy.optimize", reason="package scipy is missing").curve_fit
    spans = planted_power(random.Random(2), 0.01).spans[:24]
    made = line("C0", spans)
    assert isinstance(made, PowerLine)
    rates = [(span.wakeups or 0) / span.seconds for span in spans]
    found, covariance = curve_fit(
        lambda x, a, b: a + 1e-4 * b * x,
        rates,
        [span.watts for span in spans],
        sigma=[1 / math.sqrt(span.seconds) for span in spans],
    )
    assert (made.watts, made.joules) == pytest.approx((found[0], 1e-4 * found[1]))
    assert made.variances == pytest.approx(
        (covariance[0][0], 1e-8 * covariance[1][1], 1e-4 * covariance[0][1]), rel=1e-4
    )


def test_planted_break_even_is_within_10_percent_and_enclosed() -> None:
    rng, held = random.Random(5), 0
    sets = examples(40, 1000)
    for _ in range(sets):
        power = planted_power(rng, 0.02)
        deep = break_even(lines(power)[2], lines(power)[:2], C95)
        truth = power.break_even_ns(2)
        assert deep.period_ns == pytest.approx(truth, rel=0.1)
        assert deep.low_ns is not None
        assert deep.high_ns is not None
        held += deep.low_ns <= truth <= deep.high_ns
    # at least as often as is said, but for what chance leaves once in ten thousand
    assert held >= 0.95 * sets - 3.72 * math.sqrt(sets * 0.95 * 0.05)


def test_fieller_covers_as_often_as_it_says_where_the_difference_is_hardly_told() -> None:
    rng = random.Random(6)
    sets, held, open_above = examples(300, 5000), 0, 0
    for _ in range(sets):
        over, under = rng.gauss(3, 1), rng.gauss(2, 1)  # both known but for a variance of 1
        low, high = fieller((over, under), (1, 1, 0), 1.959964)
        open_above += high is None
        inside = (low is None or low <= 1.5) and (high is None or high >= 1.5)
        held += inside
    assert open_above / sets == pytest.approx(0.5, abs=0.1)
    assert held >= 0.95 * sets - 3.72 * math.sqrt(sets * 0.95 * 0.05)


def test_fieller_of_a_known_case() -> None:
    # r with (3 - 2r)^2 = 4 (0.01 + 0.04 r^2): 3.84 r^2 - 12 r + 8.96 = 0
    low, high = fieller((3, 2), (0.01, 0.04, 0), 2)
    half = math.sqrt(144 - 4 * 3.84 * 8.96)
    assert (low, high) == pytest.approx(((12 - half) / 7.68, (12 + half) / 7.68))
    # the denominator may be 0: no upper bound, and a lower one as the numerator is not
    low, high = fieller((3, 0.1), (0.01, 0.04, 0), 2)
    assert high is None
    assert low == pytest.approx((-0.6 + math.sqrt(0.36 + 4 * 0.15 * 8.96)) / 0.3)
    assert fieller((0.1, 0.1), (0.04, 0.04, 0), 2) == (None, None)


def _state(name: str, watts: float, joules: float) -> PowerLine:
    return PowerLine(name, watts, joules, (1e-4, 1e-12, 0.0), 20, 18, "package")


def test_a_deeper_state_that_does_not_draw_less_has_no_break_even() -> None:
    found = break_even(_state("C6", 21, 1e-3), [_state("C1", 20, 1e-4)], C95)
    assert (found.period_ns, found.high_ns) == (None, None)
    assert found.why == "C6 was not measured to draw less than C1"


def test_power_that_is_hardly_told_apart_gives_a_lower_bound_alone() -> None:
    found = break_even(_state("C6", 19.99, 1e-3), [_state("C1", 20, 1e-4)], C95)
    assert found.high_ns is None
    assert "not identified" in found.why
    assert found.low_ns is not None
    # 0.9 mJ over at most 0.01 W and 2.1 standard deviations of 0.014 W
    assert found.low_ns == pytest.approx(0.9e-3 / (0.01 + 2.101 * 0.01414) * 1e9, rel=0.01)


def test_the_state_that_decides_is_the_one_with_the_latest_break_even() -> None:
    shallow, middle = _state("C1", 30, 1e-4), _state("C1E", 20, 2e-4)
    found = break_even(_state("C6", 10, 12e-4), [shallow, middle], C95)
    assert isinstance(found, BreakEven)
    assert found.over == "C1E"
    assert found.period_ns == pytest.approx(1e5)


def test_spans_that_say_nothing_of_the_state_are_left_out_by_reason() -> None:
    span = Energy("C6", 1e6, 20.0, 5.0, wakeups=5000, reached=0.9)
    kept, left_out = usable(
        [
            span,
            replace(span, reached=0.4),
            replace(span, wakeups=0),
            replace(span, wakeups=50_000),  # every 100 us
            replace(span, wakeups=None, reached=None),
        ],
        latency_ns=40_000,
    )
    assert len(kept) == 2
    assert sorted(left_out.values()) == [1, 1, 1]
    assert any("50 %" in why for why in left_out)


def test_too_few_periods_and_mixed_meters_are_refused() -> None:
    span = Energy("C6", 1e6, 20.0, 5.0, domain="package")
    few = line("C6", [span, replace(span, watts=20.1), replace(span, period_ns=2e6)])
    assert few == NoLine("C6", "expected 3 wake-up periods or more, found 2 periods")
    mixed = line("C6", [span, replace(span, domain="wall")])
    assert mixed == NoLine("C6", "metered were different things: package, wall")
