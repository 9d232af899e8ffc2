"""A simulation: its preparation (one setup for each table and governor) and its runs."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from ...base.dataclass import dataclass, replace
from ...base.model.findings import UsageError
from ...base.model.table import Register
from ...tables.linux.governors import Governor
from ...tables.power.energy import PowerModel
from ..replay.domains import assumed_of_domains
from ..replay.machine import CpuTable, named_limit
from ..replay.power import power_model
from ..replay.tables import of_given, of_table
from . import by_core
from .given import CPUS, given, policy_of
from .hindsight import with_hindsight
from .request import SimulateRequest
from .setup import SCOPES, Setup, SimulationRun, check_selects, effects_of
from .simulate import Simulation, simulate
from .summary import UNNOTICED_NS, SimulationSummary, summary


@dataclass(frozen=True, slots=True)
class PreparedSimulation:
    """A request after all files that it names were read: one setup for each table and governor.

    power   power model of the states; None without figures
    inputs  (name, SHA-256) of every file read
    wake_ups  how many of the first seed are kept
    """

    setups: tuple[Setup, ...]
    seeds: range
    bistable: bool
    power: PowerModel | None
    inputs: tuple[tuple[str, str], ...]
    wake_ups: int = 0

    @property
    def runs(self) -> int:
        """Number of runs of each setup, including the run with a jitter."""
        return len(self.seeds) + self.bistable

    @property
    def uncompiled(self) -> tuple[str, ...]:
        """The governors that the compiled core cannot run."""
        unknown = (each.governor for each in self.setups if not by_core.knows(each))
        return tuple(dict.fromkeys(unknown))


def prepare_simulation(
    request: SimulateRequest, say: Callable[[str], None] = lambda message: None
) -> PreparedSimulation:
    """Reads what a request names. say: called with messages for the user. Raises UsageError,
    UnknownGovernor, Unreadable and OSError."""
    held = [of_table(text, request.platform, request.release) for text in request.tables]
    if request.states:
        held.append(of_given(request.states))
    if not held:
        raise UsageError("expected a table: --table or --states")
    cpus = {number for each in held for domain in each.domains for number in domain.numbers}
    of = given(request.workload, say, len(cpus) or CPUS)
    setups = []
    several = len(request.governors) > 1
    for each, governor in product(held, request.governors):
        table = _switched_off(each.states, request.disabled, "--disabled")
        check_selects(
            Governor.for_kernel(governor, request.release, table.states, request.hz), table
        )
        setups.append(
            Setup(
                f"{each.name}, {governor}" if several else each.name,
                of.topology,
                of.policy,
                of.workload,
                table,
                effects_of(table, each.table, request.workload.exits_ns(table), each.rows),
                governor,
                request.release,
                request.hz,
                of.duration_ns,
                request.workload.costs,
                each.domains,
                tuple(assumed_of_domains([each.machine], range(of.topology.cpus), request.release)),
            )
        )
    if request.without:
        setups = [each for setup in setups for each in _with_and_without(setup, request.without)]
    if request.placements:
        policies = {text: policy_of(text) for text in request.placements}
        several = len(policies) > 1
        setups = [
            replace(
                one, policy=policy, name=f"{one.name}, {text or policy}" if several else one.name
            )
            for one in setups
            for text, policy in policies.items()
        ]
    if request.limits_us:
        setups = [_limited(each, limit_us) for each in setups for limit_us in request.limits_us]
    rows = [row for each in held for row in each.rows]
    scopes = {
        name: SCOPES[effect.scope]
        for setup in setups
        for name, effect in zip(setup.table.names, setup.effects, strict=True)
    }
    of_power = all(
        # firmware's of POWER, or of a partition there
        table is not None and (table.register is not Register.NONE or table.partition is not None)
        for table in (each.table for each in held)
    )
    power = power_model(
        request.power, [one.table for one in setups], rows, scopes if of_power else {}
    )
    if len(request.governors) > 1:
        setups = [with_hindsight(each, power) for each in setups]
    files = (file for each in held for file in each.files)
    seeds = request.workload.seeds
    inputs = (*of.files, *files)
    return PreparedSimulation(
        tuple(setups), seeds, request.bistable, power, inputs, request.wake_ups or 0
    )


def _limited(setup: Setup, limit_us: int) -> Setup:
    table = replace(setup.table, limit_us=limit_us)
    return replace(setup, name=named_limit(setup.name, limit_us), table=table)


def _with_and_without(setup: Setup, without: Sequence[str]) -> Iterator[Setup]:
    """Yields the setup as it is, then with the states of each text switched off."""
    yield setup
    for text in dict.fromkeys(without):
        table = _switched_off(setup.table, tuple(text.split(",")), "--without")
        switched = replace(setup, table=table, name=f"{setup.name}, without {text}")
        check_selects(switched.model(), table)
        yield switched


def _switched_off(table: CpuTable, names: tuple[str, ...], option: str) -> CpuTable:
    """Returns the table with states switched off. option: named in the UsageError raised for an
    unknown state."""
    for name in names:
        if name not in table.names:
            known = ", ".join(table.names)
            raise UsageError(f"{option}: expected a state ({known}), found {name!r}")
    return replace(table, disabled=table.disabled.union(map(table.names.index, names)))


def run_simulation(
    prepared: PreparedSimulation, setup: Setup, advance: Callable[[int], None]
) -> SimulationSummary:
    """Runs one setup with all seeds. advance: called with the ns simulated since the last call."""
    runs = _runs(setup, prepared.seeds, advance)
    jittered = None
    if prepared.bistable:
        costs = replace(setup.costs, jitter=setup.costs.jitter + UNNOTICED_NS)
        jittered = _runs(replace(setup, costs=costs), prepared.seeds[:1], advance)[0]
    found = summary(setup, runs, jittered)
    if prepared.wake_ups:
        # by the reference: the core does the same, event by event, but keeps no wake-ups
        first = Simulation(setup, prepared.seeds[0]).first_wake_ups(prepared.wake_ups)
        found = replace(found, wake_ups=first)
    return found


def _runs(setup: Setup, seeds: range, advance: Callable[[int], None]) -> list[SimulationRun]:
    if by_core.knows(setup):
        return by_core.simulate_all(setup, seeds, advance)
    runs = []
    for seed in seeds:
        runs.append(simulate(setup, seed))
        advance(setup.duration_ns)
    return runs
