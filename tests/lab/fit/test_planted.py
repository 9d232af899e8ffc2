"""Sets of measurements drawn of known distributions: what is fitted is what was planted."""

import math
import random
from decimal import Decimal

from idle_states.base.model.measured import Samples
from idle_states.lab.fit.estimate import above_busy, estimate

from ...support.planted import normal, planted
from ...support.thorough import examples

_SETS = examples(50, 400)


def test_latencies_are_within_5_percent_and_intervals_enclose_as_often_as_they_say() -> None:
    rng = random.Random(16)
    held = expected = variance = 0.0
    for of, _, values in planted(rng, _SETS):
        for percent in (Decimal(50), Decimal(99)):
            truth = of.quantile(float(percent / 100))
            found = estimate(Samples(tuple(values)), percent, Decimal(95))
            assert found.value_ns is not None
            assert abs(found.value_ns - truth) <= 0.05 * truth, (of.noise, percent, len(values))
            assert found.low_ns is not None
            assert found.high_ns is not None
            assert found.coverage is not None
            assert found.coverage >= 0.95
            held += found.low_ns <= truth < found.high_ns
            expected += found.coverage
            variance += found.coverage * (1 - found.coverage)
    # both quantiles are of the same values: at worst they hold or fail together
    assert abs(held - expected) <= 4 * math.sqrt(2 * variance) + 1


def test_intervals_less_what_measuring_takes_enclose_as_often_as_they_say() -> None:
    rng, held = random.Random(17), 0
    for of, latency, values in planted(rng, _SETS):
        busy = normal(latency / 5)
        spent = Samples(tuple(busy.draw(rng) for _ in range(200)))
        found = above_busy(Samples(tuple(values)), spent, Decimal(90), Decimal(95))
        truth = of.quantile(0.9) - busy.quantile(0.5)
        assert found.value_ns is not None
        assert abs(found.value_ns - truth) <= 0.05 * truth
        assert found.low_ns is not None
        assert found.high_ns is not None
        held += found.low_ns <= truth < found.high_ns
    assert held >= 0.95 * _SETS - 3.72 * math.sqrt(_SETS * 0.95 * 0.05)
