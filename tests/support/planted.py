"""Wake-up latencies drawn of distributions whose quantiles are known."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

from idle_states.base.model.measured import Energy

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


@dataclass(frozen=True)
class PlantedPower:
    """States that draw watts, and use joules above that for each wake-up, the shallowest first."""

    states: tuple[tuple[float, float], ...]
    spans: tuple[Energy, ...]

    def break_even_ns(self, deep: int) -> float:
        watts, joules = self.states[deep]
        return max(1e9 * (joules - e) / (p - watts) for p, e in self.states[:deep])


def planted_power(rng: random.Random, noise: float, depth: int = 3) -> PlantedPower:
    """noise: standard deviation of a second's power, as a share of it."""
    watts, joules = rng.uniform(50, 100), rng.uniform(1e-5, 1e-4)
    states = []
    for at in range(depth):
        states.append((watts, joules))
        period = 10 ** rng.uniform(-4, -3) * 5**at
        less = watts * rng.uniform(0.2, 0.4)
        watts, joules = watts - less, joules + less * period
    spans = []
    for at, (p, e) in enumerate(states):
        for step in range(12):
            for _ in range(2):
                asked, seconds = 1e-4 * 10 ** (step / 4), rng.choice((5.0, 10.0, 20.0))
                # some wake-ups are not the program's own
                wakeups = round(seconds / asked * rng.uniform(1, 1.1))
                mean = p + e * wakeups / seconds
                measured = rng.gauss(mean, noise * p / math.sqrt(seconds))
                spans.append(Energy(f"C{at}", 1e9 * asked, measured, seconds, wakeups))
    return PlantedPower(tuple(states), tuple(spans))
