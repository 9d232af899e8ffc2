"""Shares of a core: how fast a thread works beside its siblings."""

from collections.abc import Sequence

from .actors import WORK, SimulatedCpu
from .costs import Costs
from .setup import LEAST_RATE_PERMILLE
from .topology import Topology


class Shares:
    """The numbers of threads of each core that compute, hold their share, or gave it up."""

    def __init__(self, topology: Topology, costs: Costs) -> None:
        self._core = topology.small_core
        self._siblings = topology.members["small_core"]
        self._counts = [[len(cpus), 0, 0] for cpus in self._siblings]
        self._costs = costs

    def take(self, cpu: SimulatedCpu, takes: int) -> Sequence[int]:
        """A CPU's use of its core becomes `takes` (BUSY, HOLDS or FREE). Returns the CPUs of the
        core if that is a change, else none."""
        if takes == cpu.takes:
            return ()
        counts = self._counts[self._core[cpu.number]]
        counts[cpu.takes] -= 1
        counts[takes] += 1
        cpu.takes = takes
        return self._siblings[self._core[cpu.number]]

    def rate(self, cpu: SimulatedCpu) -> int:
        """Units of work that a CPU does per ns now."""
        if cpu.spins:
            return WORK
        busy, holds, _ = self._counts[self._core[cpu.number]]
        costs = self._costs
        lost = (busy - 1) * costs.smt_busy_permille + holds * costs.smt_hold_permille
        return max(WORK - lost, LEAST_RATE_PERMILLE)
