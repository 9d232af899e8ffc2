"""The cost of a table by the objective."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from ...base.dataclass import dataclass, replace
from ...tables.power.energy import PowerBounds, PowerModel, Spent
from ..replay.consumption import spent, with_running
from ..replay.machine import CpuTable
from .evaluate import Candidate, Outcomes
from .objective import LATENCY, Objective

Allowed = Callable[[Candidate], bool]


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate judged by the objective.

    cost      energy of the idle periods; of a simulation, of the whole run
    energy    what is compared: of a simulation per unit of work done, else the whole; in ns times
              the model's unit
    mean_ns   mean exit latency per wake-up
    p99_ns    99th percentile of the exit latency, by nearest rank
    value     the figure to minimise
    feasible  False if the objective, or what may be written, excludes the table
    """

    outcomes: Outcomes
    cost: Spent
    energy: PowerBounds
    mean_ns: Fraction
    p99_ns: int
    value: Fraction
    feasible: bool = True

    @property
    def candidate(self) -> Candidate:
        return self.outcomes.candidate

    @property
    def reported(self) -> PowerBounds:
        """The energy as it is reported: of 1000 units of work done, else the whole."""
        return self.energy.times(Fraction(1000 if self.outcomes.work else 1, 1_000_000_000))

    @property
    def key(self) -> tuple[bool, Fraction, Candidate]:
        return not self.feasible, self.value, self.candidate


class Judge:
    """Judges tables by an objective.

    allowed  whether a table may be the best
    slack    of objective `latency`: the share of the present table's energy that a table may cost
             more, for a sample does not tell such tables apart
    """

    def __init__(
        self,
        table: CpuTable,
        model: PowerModel,
        objective: Objective,
        allowed: Allowed = lambda candidate: True,
        slack: Fraction = Fraction(0),
    ) -> None:
        self._table, self._model, self._objective = table, model, objective
        self._allowed, self._slack = allowed, slack
        self._most: Fraction | None = None

    def present(self, outcomes: Outcomes) -> Judged:
        """Judges the present table and sets the energy limit of objective `latency`."""
        found = self(outcomes)
        self._most = found.energy.middle * (1 + self._slack)
        return found

    def __call__(self, outcomes: Outcomes) -> Judged:
        figures = outcomes.figures(self._table)
        busy_ns = 1000 * outcomes.busy_us
        cost = with_running(spent(figures, self._model), self._model.awake, busy_ns, outcomes.work)
        energy = cost.each_unit or cost.total
        assert energy is not None, "the model knows every state"
        latency = sum(exit_ns * count for exit_ns, count in figures.wakeups)
        mean = Fraction(latency, figures.usage or 1)
        feasible = self._allowed(outcomes.candidate)
        if self._objective.kind == LATENCY:
            value = mean
            feasible &= self._most is None or energy.middle <= self._most
        else:
            stalls = self._stalls(latency, self._model.awake.middle)
            value = energy.middle + stalls / (outcomes.work or 1)
        p99_ns = figures.wake_latency_ns(99) or 0
        return Judged(outcomes, cost, energy, mean, p99_ns, value, feasible)

    def low(self, judged: Judged) -> Fraction:
        """Returns the value with all power figures at their lower bounds."""
        return self._at(judged, judged.energy.low, self._model.awake.low)

    def high(self, judged: Judged) -> Fraction:
        return self._at(judged, judged.energy.high, self._model.awake.high)

    def regret_bounds(self, judged: Judged, best: Judged) -> PowerBounds | None:
        """Returns the bounds of the cost above the best, as a share. A ratio of sums of power
        figures has its extremes where each figure is at a bound; all combinations are tried."""
        found = []
        for model in _corners(self._model):
            judge = Judge(self._table, model, self._objective)
            least = judge(best.outcomes).value
            if not least:
                return None
            found.append(judge(judged.outcomes).value / least - 1)
        return PowerBounds(min(found), max(found))

    def _at(self, judged: Judged, energy: Fraction, awake: Fraction) -> Fraction:
        if self._objective.kind == LATENCY:
            return judged.value
        latency = judged.mean_ns * sum(judged.outcomes.usage)
        return energy + self._stalls(latency, awake) / (judged.outcomes.work or 1)

    def _stalls(self, latency_ns: Fraction | int, awake: Fraction) -> Fraction:
        return self._objective.stall * awake * latency_ns


def _corners(model: PowerModel) -> Iterator[PowerModel]:
    """Yields the model with every combination of lower and upper bounds."""
    powers = [model.awake, *(state.power for state in model.states.values())]
    for awake, *values in product(*(sorted({each.low, each.high}) for each in powers)):
        pairs = zip(model.states.items(), values, strict=True)
        states = {
            name: replace(state, power=PowerBounds.exactly(value)) for (name, state), value in pairs
        }
        yield replace(model, awake=PowerBounds.exactly(awake), states=states)
