"""The search from the present table to the best one found, and the measure of the difference.

Three descents start from the present table, from the break-evens, and from the best of these and
of the present table scaled as a whole. Each changes one residency at a time, and moves those that
the new one passes, until no change is better. The best is the least of all tables tried: no single
change improves it, but a table that was not tried may be better.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product, takewhile

from ..dataclass import dataclass, replace
from ..replay.consumption import with_running
from ..replay.counters import Figures
from ..replay.energy import PowerBounds, PowerModel, Spent, spent
from ..replay.machine import CpuTable
from .candidates import Grid, together
from .evaluate import Candidate, Outcomes

ENERGY, LATENCY, WEIGHTED = "energy", "latency", "weighted"
OBJECTIVES = (ENERGY, LATENCY, WEIGHTED)
NEAR = Fraction(1, 100)
"""Tables that cost at most this share more than the best count as equally good."""

Run = Callable[[Sequence[Candidate]], Mapping[Candidate, Outcomes]]
"""Returns the outcomes of candidates, evaluating only those without a result."""
Allowed = Callable[[Candidate], bool]


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
        """The cost of a ns of wake latency, in ns of an awake CPU's energy."""
        return self.weight if self.kind == WEIGHTED else Fraction(0)


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
    def key(self) -> tuple[bool, Fraction, Candidate]:
        return not self.feasible, self.value, self.candidate


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result of a search.

    present    the present table
    even       the table of break-evens
    ranges     of each state, the least and the greatest residency tried
    near       of each state, the range of tried residencies that cost at most 1 % more than the
               best, with the other residencies as in the best table
    front      the Pareto front: tables that no other beats in both p99 wake latency and energy
    if_low, if_high  the best with all power figures at their lower or their upper bounds
    regrets    of the present table and of break-evens: cost above the best, as a share; the least
               and the greatest that figures within their bounds allow
    tried      number of tables tried
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
        """Returns the cost above the best, as a share; None if the best costs nothing."""
        if not self.best.value:
            return None
        return judged.value / self.best.value - 1

    def edges(self) -> tuple[bool, ...]:
        """Returns, by state, whether the best residency is the least or the greatest tried."""
        pairs = zip(self.best.candidate, self.ranges, strict=True)
        return tuple(value in ends for value, ends in pairs)


def search(
    table: CpuTable,
    model: PowerModel,
    objective: Objective,
    grid: Grid,
    run: Run,
    passes: int = 20,
    allowed: Allowed = lambda candidate: True,
) -> Tuned:
    """Searches for the best table.

    model    knows every state; its `awake` is what a CPU draws while it leaves a state and, of a
             simulation, while it runs
    passes   maximum for each descent
    allowed  whether a table may be the best, which the present one may
    """
    judge = _Judge(table, model, objective, allowed)
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
        # descents may miss a table of the same cost that is closer to the present one
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


def judged_alike(
    table: CpuTable, model: PowerModel, tuned: Tuned, outcomes: Iterable[Outcomes]
) -> list[Judged]:
    """Judges more tables as a search did. table, model: what the search was given."""
    judge = _Judge(table, model, tuned.objective)
    judge.present(tuned.present.outcomes)
    return [judge(each) for each in outcomes]


class _Judge:
    def __init__(
        self,
        table: CpuTable,
        model: PowerModel,
        objective: Objective,
        allowed: Allowed = lambda candidate: True,
    ) -> None:
        self._table, self._model, self._objective = table, model, objective
        self._allowed = allowed
        self._most: Fraction | None = None

    def present(self, outcomes: Outcomes) -> Judged:
        """Judges the present table and sets the energy limit of objective `latency`."""
        found = self(outcomes)
        self._most = found.energy.middle
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
        return Judged(outcomes, cost, energy, mean, _p99(figures), value, feasible)

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
    """Yields the model with every combination of lower and upper bounds."""
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
    """Sorts by value; equal values by the number of residencies that differ from the present."""

    def rank(judged: Judged) -> tuple[bool, Fraction, int, Candidate]:
        changes = _changes(judged, present)
        return not judged.feasible, judged.value, changes, judged.candidate

    return rank


def _changes(judged: Judged, present: Candidate) -> int:
    """Returns how many residencies differ from the present ones."""
    return sum(a != b for a, b in zip(judged.candidate, present, strict=True))


def _better(judged: Judged, best: Judged) -> bool:
    return (not judged.feasible, judged.value) < (not best.feasible, best.value)


def _best_by_place(better: Sequence[Judged], base: Candidate) -> list[Judged]:
    """Returns, for each state, the change that gains most."""
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
    """Returns the last of the values before the first that `tried` marks as False."""
    return list(takewhile(tried.__getitem__, values))[-1]


def _front(judged: Sequence[Judged], present: Candidate) -> tuple[Judged, ...]:
    """Returns the Pareto front, p99 ascending and energy (middle of its bounds) descending. Of
    equal tables it takes the one closest to the present."""
    found: list[Judged] = []
    ordered = sorted(
        judged,
        key=lambda each: (each.p99_ns, each.energy.middle, _changes(each, present), each.candidate),
    )
    for each in ordered:
        if not found or each.energy.middle < found[-1].energy.middle:
            found.append(each)
    return tuple(found)
