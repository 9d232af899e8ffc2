"""One candidate in a simulated workload: what it does to idle periods, and to the work done.

Nothing is recorded here, so that another table leads to other gaps: a CPU that wakes up later works
later. Energy is therefore that of the whole run, what was computed included, and a table is judged
by what a unit of work costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..replay.counters import total
from ..simulation import by_core as simulate_core
from ..simulation import simulate
from ..simulation.setup import Setup, SimulationRun
from .evaluate import Candidate, Outcomes, with_residencies


@dataclass(frozen=True, slots=True)
class TuneSimulation:
    """setup: with the present table. seeds: of the runs, whose figures are added up."""

    setup: Setup
    seeds: tuple[int, ...]

    @property
    def fast(self) -> bool:
        """See evaluate.Task."""
        return simulate_core.knows(self.setup)

    def evaluate(self, candidates: Sequence[Candidate]) -> list[Outcomes]:
        """Candidates, in order. Raises UnknownGovernor."""
        return [self._one(candidate) for candidate in candidates]

    def _one(self, candidate: Candidate) -> Outcomes:
        setup = replace(self.setup, table=with_residencies(self.setup.table, candidate))
        runs = [self._run(setup, seed) for seed in self.seeds]
        figures = total([cpu for run in runs for cpu in run.cpus])
        cpus = sum(len(run.cpus) * run.duration_ns for run in runs)
        return Outcomes(
            candidate,
            tuple(state.usage for state in figures.states),
            tuple(state.time_us for state in figures.states),
            max(cpus // 1000 - figures.time_us, 0),
            sum(run.counted for run in runs),
        )

    def _run(self, setup: Setup, seed: int) -> SimulationRun:
        return simulate_core.simulate(setup, seed) if self.fast else simulate.simulate(setup, seed)
