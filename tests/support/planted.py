"""Wake-up latencies drawn of distributions whose quantiles are known."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Planted:
    """draw: makes one value; below: the share of values at or below one."""

    noise: str
    draw: Callable[[random.Random], float]
    below: Callable[[float], float]

    def quantile(self, share: float) -> float:
        low, high = 0.0, 1e12
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if self.below(middle) < share else (low, middle)
        return high


def normal(latency: float) -> Planted:
    of = NormalDist(latency, latency / 20)
    return Planted("normal", lambda rng: rng.gauss(latency, latency / 20), of.cdf)


def lognormal(latency: float) -> Planted:
    of, sd = NormalDist(math.log(latency), 0.1), 0.1
    return Planted(
        "lognormal",
        lambda rng: rng.lognormvariate(math.log(latency), sd),
        lambda value: of.cdf(math.log(value)) if value > 0 else 0.0,
    )


def exponential(latency: float) -> Planted:
    tail = latency / 20
    return Planted(
        "exponential tail",
        lambda rng: latency + rng.expovariate(1 / tail),
        lambda value: max(0.0, -math.expm1(-(value - latency) / tail)),
    )


def _mixed(noise: str, first: Planted, second: Planted, share: float) -> Planted:
    return Planted(
        noise,
        lambda rng: (second if rng.random() < share else first).draw(rng),
        lambda value: (1 - share) * first.below(value) + share * second.below(value),
    )


def bimodal(latency: float) -> Planted:
    return _mixed("bimodal", normal(latency), normal(latency * 1.6), 0.3)


def contaminated(latency: float) -> Planted:
    """One value in 1000 is ten times as long, as of an SMI."""
    return _mixed("contaminated", normal(latency), normal(10 * latency), 0.001)


NOISES = (normal, lognormal, exponential, bimodal, contaminated)


def planted(rng: random.Random, number: int) -> Iterator[tuple[Planted, int, list[float]]]:
    """Sets of values: what they are drawn of, the state's latency in ns, the values."""
    for at in range(number):
        latency = round(10 ** rng.uniform(3, 6))
        of = NOISES[at % len(NOISES)](latency)
        n = rng.choice((400, 800, 1600))
        yield of, latency, [of.draw(rng) for _ in range(n)]
