"""Simulations as they are asked for, one for each table, and their runs."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..findings import UsageError
from ..linux.governors import Governor
from ..linux.governors.given import GivenStates
from ..linux.releases import Release
from ..replay.energy import PowerModel
from ..replay.machine import CpuTable
from ..replay.power import FROM_SPECS, PowerRequest
from ..replay.tables import of_given, of_table
from ..skiboot.platform import ALL_LEVELS, Platform
from . import by_core
from .given import WorkloadRequest, given
from .setup import Setup, SimulationRun, effects_of
from .simulate import simulate
from .summary import UNNOTICED_NS, SimulationSummary, summary


@dataclass(frozen=True, slots=True)
class SimulateRequest:
    """What to simulate, with which tables. Raises UsageError for what cannot be meant.

    tables    each a TABLE; states: one more, by its times
    disabled  names of states that are switched off
    bistable  tell whether UNNOTICED_NS of jitter would change the result
    """

    workload: WorkloadRequest
    release: Release
    tables: tuple[str, ...] = ()
    states: GivenStates | None = None
    disabled: tuple[str, ...] = ()
    governor: str = "menu"
    hz: int = 250
    platform: Platform = ALL_LEVELS
    power: PowerRequest = FROM_SPECS
    bistable: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.hz <= 10_000:
            raise UsageError(f"expected --hz from 1 to 10000, found {self.hz}")


@dataclass(frozen=True, slots=True)
class PreparedSimulation:
    """A request with all that it names read: one setup for each table.

    power   what is known of the states' power
    inputs  files that were read, with their SHA-256
    """

    setups: tuple[Setup, ...]
    seeds: range
    bistable: bool
    power: PowerModel | None
    inputs: tuple[tuple[str, str], ...]

    @property
    def runs(self) -> int:
        """Of each setup, that with a jitter included."""
        return len(self.seeds) + self.bistable

    @property
    def compiled(self) -> bool:
        """The core knows all of it."""
        return all(map(by_core.knows, self.setups))


def prepare(request: SimulateRequest) -> PreparedSimulation:
    """Raises UsageError, UnknownGovernor, and what reading files raises."""
    of = given(request.workload)
    held = [of_table(text, request.platform, request.release) for text in request.tables]
    if request.states:
        held.append(of_given(request.states))
    if not held:
        raise UsageError("expected a table: --table or --states")
    setups = []
    for each in held:
        table = _switched_off(each.states, request.disabled)
        Governor.for_kernel(request.governor, request.release, table.states, request.hz)
        setups.append(
            Setup(
                each.name,
                of.topology,
                of.policy,
                of.workload,
                table,
                effects_of(table, each.table, request.workload.exits_ns(table)),
                request.governor,
                request.release,
                request.hz,
                of.duration_ns,
                request.workload.costs,
            )
        )
    rows = [row for each in held for row in each.rows]
    power = request.power.model([setup.table for setup in setups], rows)
    files = (file for each in held for file in each.files)
    seeds = request.workload.seeds
    return PreparedSimulation(tuple(setups), seeds, request.bistable, power, (*of.files, *files))


def _switched_off(table: CpuTable, names: tuple[str, ...]) -> CpuTable:
    for name in names:
        if name not in table.names:
            known = ", ".join(table.names)
            raise UsageError(f"--disabled: expected a state ({known}), found {name!r}")
    return replace(table, disabled=frozenset(table.names.index(name) for name in names))


def run(
    prepared: PreparedSimulation, setup: Setup, advance: Callable[[int], None]
) -> SimulationSummary:
    """All runs of one setup. advance: is called with the ns that were simulated."""
    runs = _runs(setup, prepared.seeds, advance)
    jittered = None
    if prepared.bistable:
        costs = replace(setup.costs, jitter=setup.costs.jitter + UNNOTICED_NS)
        jittered = _runs(replace(setup, costs=costs), prepared.seeds[:1], advance)[0]
    return summary(setup, runs, jittered)


def _runs(setup: Setup, seeds: range, advance: Callable[[int], None]) -> list[SimulationRun]:
    if by_core.knows(setup):
        return by_core.simulate_all(setup, seeds, advance)
    runs = []
    for seed in seeds:
        runs.append(simulate(setup, seed))
        advance(setup.duration_ns)
    return runs
