"""From the present table to the best that was found, and how much it matters.

Residencies are changed one at a time, with those that the changed one would pass, until no change
is better: from the present table, from break-evens and from the present table scaled as a whole.
The best is the least of all tables tried on these ways: no single change improves on it, another
table may.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product, takewhile

from ..replay.counters import Figures
from ..replay.energy import PowerBounds, PowerModel, spent
from ..replay.machine import CpuTable
from .candidates import Grid, together
from .evaluate import Candidate, Outcomes

ENERGY, LATENCY, WEIGHTED = "energy", "latency", "weighted"
OBJECTIVES = (ENERGY, LATENCY, WEIGHTED)
NEAR = Fraction(1, 100)
"""Costs that far above the least are as good."""

Run = Callable[[Sequence[Candidate]], Mapping[Candidate, Outcomes]]
"""Evaluates candidates, those among its results already at no cost."""


@dataclass(frozen=True, slots=True)
class Objective:
    """kind: one of OBJECTIVES.

    energy    least energy of the idle time
    latency   least mean wake latency among tables that cost no more energy than the present one
    weighted  energy, and each ns of wake latency as much as `weight` ns awake
    """

    kind: str
    weight: Fraction = Fraction(10)

    @property
    def stall(self) -> Fraction:
        """What a ns of wake latency costs, in ns awake."""
        return self.weight if self.kind == WEIGHTED else Fraction(0)


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate by the objective.

    energy   in ns times the model's unit; of a simulation, with what was computed, for each unit of
             work done
    mean_ns  exit latency that a wake-up paid, on average; p99_ns: by nearest rank
    value    what is to be least; feasible: False if the objective rules the table out
    """

    outcomes: Outcomes
    energy: PowerBounds
    mean_ns: Fraction
    p99_ns: int
    value: Fraction
    feasible: bool = True

    @property
    def candidate(self) -> Candidate:
        return self.outcomes.candidate

    @property
    def key(self) -> tuple[bool, Fraction, Candidate]:
        return not self.feasible, self.value, self.candidate


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of it.

    ranges     of each state, the least and the greatest residency tried
    near       of each state, between which of those tried each one costs at most 1 % more than
               the best, the others as in the best table
    front      tables that no other one beats in both p99 wake latency and energy
    if_low, if_high  the best with all figures at their lower, their upper bounds
    regrets    of the present table and break-evens: what they cost beyond the best, as a share,
               between the least and the most that figures within their bounds allow
    """

    objective: Objective
    present: Judged
    even: Judged
    best: Judged
    ranges: tuple[tuple[int, int], ...]
    near: tuple[tuple[int, int], ...]
    front: tuple[Judged, ...]
    if_low: Judged
    if_high: Judged
    regrets: tuple[PowerBounds | None, PowerBounds | None]
    tried: int

    def regret(self, judged: Judged) -> Fraction | None:
        """What the table costs beyond the best, as a share; None where the best costs nothing."""
        if not self.best.value:
            return None
        return judged.value / self.best.value - 1

    def edges(self) -> tuple[bool, ...]:
        """Of each state, whether the best residency is the least or the greatest tried."""
        pairs = zip(self.best.candidate, self.ranges, strict=True)
        return tuple(value in ends for value, ends in pairs)


def search(
    table: CpuTable, model: PowerModel, objective: Objective, grid: Grid, run: Run, passes: int = 20
) -> Tuned:
    """model: knows every state of the table. passes: at most, over all states."""
    judge = _Judge(table, model, objective)
    seen: dict[Candidate, Judged] = {}

    def evaluate(candidates: Sequence[Candidate]) -> list[Judged]:
        found = run(candidates)
        for candidate in candidates:
            if candidate not in seen:
                seen[candidate] = judge(found[candidate])
        return [seen[candidate] for candidate in candidates]

    def descend(best: Judged) -> None:
        for _ in range(passes):
            around = evaluate(grid.around(best.candidate))
            better = [each for each in around if _better(each, best)]
            if not better:
                return
            changes = _best_by_place(better, best.candidate)
            combined = together(best.candidate, [each.candidate for each in changes])
            if combined is not None and combined not in seen:
                better += evaluate([combined])
            best = min(better, key=rank)

    present = judge.present(run([grid.present])[grid.present])
    seen[grid.present] = present
    rank = _ranked(grid.present)
    first = min(evaluate(grid.first()), key=rank)
    for start in dict.fromkeys((grid.present, grid.even, first.candidate)):
        descend(seen[start])
    best = min(seen.values(), key=rank)
    for _ in range(passes):
        # of tables that cost the same, another than the one a way led to
        evaluate(grid.around(best.candidate))
        before, best = best, min(seen.values(), key=rank)
        if best is before:
            break
    everything = list(seen.values())
    feasible = [each for each in everything if each.feasible]
    return Tuned(
        objective,
        present,
        seen[grid.even],
        best,
        tuple((values[0], values[-1]) for values in grid.values),
        _near(everything, best),
        _front(everything, grid.present),
        min([best, *feasible], key=judge.low),
        min([best, *feasible], key=judge.high),
        (
            judge.regret_bounds(present, best),
            judge.regret_bounds(seen[grid.even], best),
        ),
        len(everything),
    )


class _Judge:
    def __init__(self, table: CpuTable, model: PowerModel, objective: Objective) -> None:
        self._table, self._model, self._objective = table, model, objective
        self._most: Fraction | None = None

    def present(self, outcomes: Outcomes) -> Judged:
        """The table as it is; what others may cost."""
        found = self(outcomes)
        self._most = found.energy.middle
        return found

    def __call__(self, outcomes: Outcomes) -> Judged:
        figures = outcomes.figures(self._table)
        idle = spent(figures, self._model).total
        assert idle is not None, "the model knows every state"
        energy = idle + self._model.awake.times(1000 * outcomes.busy_us)
        energy = energy.times(Fraction(1, outcomes.work or 1))
        latency = sum(exit_ns * count for exit_ns, count in figures.wakeups)
        mean = Fraction(latency, figures.usage or 1)
        feasible = True
        if self._objective.kind == LATENCY:
            value = mean
            feasible = self._most is None or energy.middle <= self._most
        else:
            stalls = self._stalls(latency, self._model.awake.middle)
            value = energy.middle + stalls / (outcomes.work or 1)
        return Judged(outcomes, energy, mean, _p99(figures), value, feasible)

    def low(self, judged: Judged) -> Fraction:
        """The value with all figures at their lower bounds."""
        return self._at(judged, judged.energy.low, self._model.awake.low)

    def high(self, judged: Judged) -> Fraction:
        return self._at(judged, judged.energy.high, self._model.awake.high)

    def regret_bounds(self, judged: Judged, best: Judged) -> PowerBounds | None:
        """A ratio of sums of figures is least and greatest where each figure is at a bound."""
        found = []
        for model in _corners(self._model):
            judge = _Judge(self._table, model, self._objective)
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
    """With every figure at its lower or upper bound."""
    powers = [model.awake, *(state.power for state in model.states.values())]
    for awake, *values in product(*(sorted({each.low, each.high}) for each in powers)):
        pairs = zip(model.states.items(), values, strict=True)
        states = {
            name: replace(state, power=PowerBounds.exactly(value)) for (name, state), value in pairs
        }
        yield replace(model, awake=PowerBounds.exactly(awake), states=states)


def _p99(figures: Figures) -> int:
    return figures.wake_latency_ns(99) or 0


def _ranked(present: Candidate) -> Callable[[Judged], tuple[bool, Fraction, int, Candidate]]:
    """Least value first; of equals, what changes fewest of the present residencies."""

    def rank(judged: Judged) -> tuple[bool, Fraction, int, Candidate]:
        changes = _changes(judged, present)
        return not judged.feasible, judged.value, changes, judged.candidate

    return rank


def _changes(judged: Judged, present: Candidate) -> int:
    """How many residencies are others."""
    return sum(a != b for a, b in zip(judged.candidate, present, strict=True))


def _better(judged: Judged, best: Judged) -> bool:
    return (not judged.feasible, judged.value) < (not best.feasible, best.value)


def _best_by_place(better: Sequence[Judged], base: Candidate) -> list[Judged]:
    """Of each state, the change that gains most."""
    found: dict[int, Judged] = {}
    for judged in sorted(better, key=lambda each: each.key):
        pairs = enumerate(zip(judged.candidate, base, strict=True))
        place = next(place for place, (new, old) in pairs if new != old)
        found.setdefault(place, judged)
    return list(found.values())


def _near(judged: Sequence[Judged], best: Judged) -> tuple[tuple[int, int], ...]:
    bound = best.value + NEAR * abs(best.value)
    found = []
    for place, own in enumerate(best.candidate):
        others = best.candidate[:place] + best.candidate[place + 1 :]
        tried = {
            each.candidate[place]: each.feasible and each.value <= bound
            for each in judged
            if each.candidate[:place] + each.candidate[place + 1 :] == others
        }
        low = _last_good(reversed([value for value in sorted(tried) if value <= own]), tried)
        high = _last_good([value for value in sorted(tried) if value >= own], tried)
        found.append((low, high))
    return tuple(found)


def _last_good(values: Iterable[int], tried: Mapping[int, bool]) -> int:
    """Of those before the first that is not."""
    return list(takewhile(tried.__getitem__, values))[-1]


def _front(judged: Sequence[Judged], present: Candidate) -> tuple[Judged, ...]:
    """By p99, ascending; energy in the middle of its bounds descends. Of equals as the best one."""
    found: list[Judged] = []
    ordered = sorted(
        judged,
        key=lambda each: (each.p99_ns, each.energy.middle, _changes(each, present), each.candidate),
    )
    for each in ordered:
        if not found or each.energy.middle < found[-1].energy.middle:
            found.append(each)
    return tuple(found)
