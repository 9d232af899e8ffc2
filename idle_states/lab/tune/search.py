"""The search from the present table to the best one found, and the measure of the difference.

Three descents start from the present table, from the break-evens, and from the best of these and
of the present table scaled as a whole. Each changes one residency at a time, and moves those that
the new one passes, until no change is better. The best is the least of all tables tried: no single
change improves it, but a table that was not tried may be better.

Where there are many idle periods, tables are tried over a sample of them (sampling.py), and what is
reported is evaluated over all: the present table, break-evens, and those that came out best.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile

from ...base.dataclass import dataclass, replace
from ...tables.power.energy import PowerBounds, PowerModel
from ..replay.machine import CpuTable
from .candidates import Grid, together
from .evaluate import TOGETHER, Candidate, Outcomes
from .judging import Allowed, Judge, Judged
from .objective import LATENCY, Objective

NEAR = Fraction(1, 100)
"""Tables that cost at most this share more than the best count as equally good."""
NEXT = 3
"""Tables next to the sample's best that are evaluated over all idle periods as well."""
PASSES = 20
"""The most that a descent takes."""

Run = Callable[[Sequence[Candidate]], Mapping[Candidate, Outcomes]]
"""Returns the outcomes of candidates, evaluating only those without a result."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result of a search.

    present    the present table
    even       the table of break-evens
    ranges     of each state, the least and the greatest residency tried
    around     of each state, the tables tried whose other residencies are as in the best table, by
               its residency; all evaluated alike, over a sample if the search was over one
    front      the Pareto front: tables that no other beats in both p99 wake latency and energy
    if_low, if_high  the best with all power figures at their lower or their upper bounds
    regrets    of the present table and of break-evens: cost above the best, as a share; the least
               and the greatest that figures within their bounds allow
    tried      number of tables tried
    evaluated  number of them evaluated over all idle periods: all that are here, but for
               those in `around`; less than `tried` if the search was over a sample
    """

    objective: Objective
    present: Judged
    even: Judged
    best: Judged
    ranges: tuple[tuple[int, int], ...]
    around: tuple[tuple[Judged, ...], ...]
    front: tuple[Judged, ...]
    if_low: Judged
    if_high: Judged
    regrets: tuple[PowerBounds | None, PowerBounds | None]
    tried: int
    evaluated: int

    def regret(self, judged: Judged) -> Fraction | None:
        """Returns the cost above the best, as a share; None if the best costs nothing."""
        if not self.best.value:
            return None
        return judged.value / self.best.value - 1

    def near(self, place: int) -> tuple[int, int]:
        """Returns the range of a state's tried residencies that cost at most 1 % more than the
        best."""
        own = self.best.candidate[place]
        tried = {at: each is not None and each <= NEAR for at, each in self.costs(place).items()}
        low = _last_good((value for value in reversed(tried) if value <= own), tried)
        return low, _last_good((value for value in tried if value >= own), tried)

    def costs(self, place: int) -> dict[int, Fraction | None]:
        """Returns, by a state's residency, the cost above the best as a share; None of a table that
        costs too much energy."""
        own = next(each for each in self.around[place] if each.candidate == self.best.candidate)
        found: dict[int, Fraction | None] = {}
        for each in self.around[place]:
            share = (each.value - own.value) / (abs(own.value) or 1)
            found[each.candidate[place]] = share if each is own or each.feasible else None
        return found

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
    run_all: Run | None = None,
    allowed: Allowed = lambda candidate: True,
) -> Tuned:
    """Searches for the best table.

    model    knows every state; its `awake` is what a CPU draws while it leaves a state and, of a
             simulation, while it runs
    run_all  evaluates over all idle periods, if `run` does over a sample
    allowed  whether a table may be the best, which the present one may
    """
    tried = _Evaluation(Judge(table, model, objective, allowed), grid, run)
    _descend_from_all(tried, grid)
    if run_all is None:
        return _tuned(tried, objective, grid)
    loose = tried
    if objective.kind == LATENCY:
        # a table that costs too much energy over the sample, but hardly, may not over all
        loose = _Evaluation(Judge(table, model, objective, allowed, slack=NEAR), grid, run)
        loose([*tried.found])
        _descend_from_all(loose, grid)
        tried([*loose.found])
    found = _tuned(tried, objective, grid)
    named = (found.present, found.even, found.best, *found.front, found.if_low, found.if_high)
    ranked = sorted(loose.found.values(), key=_ranked(grid.present))
    order = [each.candidate for each in ranked]
    counted, count = _Evaluation(Judge(table, model, objective, allowed), grid, run_all), 1 + NEXT
    counted([*dict.fromkeys([*(each.candidate for each in named), *order[:count]])])
    while count < len(order) and not any(counted.found[at].feasible for at in order[:count]):
        counted(order[count : count + TOGETHER])
        count += TOGETHER
    final = _tuned(counted, objective, grid)
    around = _around(list(tried.found.values()), tried.found[final.best.candidate])
    return replace(final, around=around, tried=len(tried.found))


class _Evaluation:
    """Tables judged, each evaluated once.

    found  all of them; the present one is the first
    """

    def __init__(self, judge: Judge, grid: Grid, run: Run) -> None:
        self.judge, self._grid, self._run = judge, grid, run
        self.found: dict[Candidate, Judged] = {}

    def __call__(self, candidates: Sequence[Candidate]) -> list[Judged]:
        """Judges tables, the present one among the first of them."""
        outcomes = self._run(candidates)
        if not self.found:
            present = self._grid.present
            self.found[present] = self.judge.present(outcomes[present])
        for candidate in candidates:
            if candidate not in self.found:
                self.found[candidate] = self.judge(outcomes[candidate])
        return [self.found[candidate] for candidate in candidates]


def _descend_from_all(evaluate: _Evaluation, grid: Grid) -> None:
    seen, rank = evaluate.found, _ranked(grid.present)
    first = min(evaluate(grid.first()), key=rank)
    for start in dict.fromkeys((grid.present, grid.even, first.candidate)):
        _descend(evaluate, grid, seen[start])
    best = min(seen.values(), key=rank)
    for _ in range(PASSES):
        # descents may miss a table of the same cost that is closer to the present one
        evaluate(grid.around(best.candidate))
        before, best = best, min(seen.values(), key=rank)
        if best is before:
            break


def _descend(evaluate: _Evaluation, grid: Grid, best: Judged) -> Judged:
    """Returns the end of a descent from `best`, whatever was tried before."""
    for _ in range(PASSES):
        better = [each for each in evaluate(grid.around(best.candidate)) if _better(each, best)]
        if not better:
            break
        changes = _best_by_place(better, best.candidate)
        combined = together(best.candidate, [each.candidate for each in changes])
        if combined is not None:
            better += evaluate([combined])
        best = min(better, key=_ranked(grid.present))
    return best


def _tuned(tried: _Evaluation, objective: Objective, grid: Grid) -> Tuned:
    judge, seen = tried.judge, tried.found
    everything = list(seen.values())
    present, even = seen[grid.present], seen[grid.even]
    best = min(everything, key=_ranked(grid.present))
    feasible = [each for each in everything if each.feasible]
    return Tuned(
        objective,
        present,
        even,
        best,
        tuple((values[0], values[-1]) for values in grid.values),
        _around(everything, best),
        _front(everything, grid.present),
        min([best, *feasible], key=judge.low),
        min([best, *feasible], key=judge.high),
        (judge.regret_bounds(present, best), judge.regret_bounds(even, best)),
        len(everything),
        len(everything),
    )


def judged_alike(
    table: CpuTable, model: PowerModel, tuned: Tuned, outcomes: Iterable[Outcomes]
) -> list[Judged]:
    """Judges more tables as a search did. table, model: what the search was given."""
    judge = Judge(table, model, tuned.objective)
    judge.present(tuned.present.outcomes)
    return [judge(each) for each in outcomes]


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


def _around(judged: Sequence[Judged], best: Judged) -> tuple[tuple[Judged, ...], ...]:
    alike = [each for each in judged if _changes(each, best.candidate) < 2]
    ordered = sorted(alike, key=lambda each: each.candidate)
    return tuple(
        tuple(e for e in ordered if e.candidate[place] != own or e.candidate == best.candidate)
        for place, own in enumerate(best.candidate)
    )


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
