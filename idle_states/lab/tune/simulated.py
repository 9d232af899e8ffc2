"""Evaluation of a candidate in a simulated workload: its effect on idle periods and on work done.

Nothing is recorded, so another table leads to other gaps: a CPU that wakes up later works later.
Energy therefore covers the whole run, computing included, and a table is judged by the energy per
unit of work.
"""

from collections.abc import Sequence

from ...base.dataclass import dataclass, replace
from ..replay.counters import total
from ..replay.machine import CpuTable
from ..simulation import by_core as simulate_core
from ..simulation import simulate
from ..simulation.setup import Setup, SimulationRun
from .evaluate import Candidate, Outcomes, with_residencies


@dataclass(frozen=True, slots=True)
class TuneSimulation:
    """setup: with the present table. seeds: one run each; their counters are added up."""

    setup: Setup
    seeds: tuple[int, ...]

    @property
    def fast(self) -> bool:
        """See evaluate.Work."""
        return simulate_core.knows(self.setup)

    @property
    def together(self) -> int:
        """See evaluate.Work."""
        return 1

    @property
    def sampled(self) -> bool:
        """See evaluate.Work."""
        return False

    def evaluate(self, candidates: Sequence[Candidate]) -> list[Outcomes]:
        """Evaluates candidates; results in order. Raises UnknownGovernor."""
        return [self._one(candidate) for candidate in candidates]

    def with_table(self, table: CpuTable) -> "TuneSimulation":
        """See evaluate.Work."""
        return replace(self, setup=replace(self.setup, table=table))

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
