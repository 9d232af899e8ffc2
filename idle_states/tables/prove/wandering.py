"""Random histories: idle periods about the thresholds of a table, a habit for some time, then
another.

The same ones each time. They lead where nobody thought of a way: to states of tables whose times
are in no order, and behind latency limits.
"""

from collections.abc import Iterator
from random import Random

from ...base.dataclass import replace
from ..linux.governors import Governor
from ..linux.governors.interface import CPU_CAPACITY, tick_ns
from ..linux.request_parts import FAR_NS
from .history import IdleStep
from .playing import History

US = 1000
_ASIDE = (-US, -1, 0, 0, 0, 1, US // 2, US, 20 * US)
_HABITS = (1, 2, 2, 3, 4)
_TIMES = (1, 1, 2, 4, 8, 9, 12)
_WAITING = (0, 0, 0, 0, 1, 2, 9, 60)
_CHANGES = 0.3
"""Share of the steps that differ from the one before though the habit lasts."""


def random_histories(governor: Governor) -> Iterator[History]:
    """Yields histories without an end."""
    of = _Surroundings(Random(1), governor)
    while True:
        yield tuple(of.steps())


class _Surroundings:
    def __init__(self, random: Random, governor: Governor) -> None:
        self.random = random
        self.tick = tick = tick_ns(governor.hz)
        self.waits = getattr(governor.features, "heeds_waiters", False)
        self.utilised = getattr(governor.features, "utilisation", "")
        edges = {0, US, 15 * US, 50_000 * US, tick // 2, tick, 2 * tick, 3 * tick, FAR_NS}
        for state in governor.states:
            exit_ns, residency = state.exit_ns, state.residency_ns
            edges |= {residency, exit_ns, residency + exit_ns, residency + 2 * exit_ns}
            edges |= {2 * exit_ns, 2 * residency, 11 * exit_ns, 21 * exit_ns, 91 * exit_ns}
        self.edges = sorted(min(each, FAR_NS) for each in edges)

    def steps(self) -> Iterator[IdleStep]:
        random = self.random
        for _ in range(random.choice(_HABITS)):
            step = self._step()
            for _ in range(random.choice(_TIMES)):
                yield step
                if random.random() < _CHANGES:
                    step = self._unlike(step)

    def _step(self) -> IdleStep:
        random = self.random
        return IdleStep(
            self._time(),
            self._time() if random.random() < 0.7 else None,
            random.randint(0, self.tick) if random.random() < 0.3 else None,
            random.random() < 0.4,
            random.choice(_WAITING) if self.waits else 0,
            random.choice((0, 0, 0, 20 * US, self.tick)),
            random.choice((0, 0, CPU_CAPACITY)) if self.utilised else 0,
        )

    def _unlike(self, step: IdleStep) -> IdleStep:
        match self.random.randrange(4):
            case 0:
                return replace(step, interrupt_ns=self._time())
            case 1:
                return replace(step, timer_ns=self._time())
            case 2:
                return replace(step, tick_stopped=not step.tick_stopped)
            case _:
                return replace(step, tick_ns=self.random.randint(0, self.tick))

    def _time(self) -> int:
        """At a threshold or between two of them."""
        random = self.random
        at = random.randrange(len(self.edges))
        edge = self.edges[at]
        if random.random() < 0.3:
            return random.randint(edge, self.edges[min(at + 1, len(self.edges) - 1)])
        return min(max(0, edge + random.choice(_ASIDE)), FAR_NS)
