"""Setups for the tests of simulations."""

from dataclasses import replace

from idle_states.lab.replay.machine import from_times
from idle_states.lab.simulation import placement, topology, workloads
from idle_states.lab.simulation.costs import Costs
from idle_states.lab.simulation.programs import Workload
from idle_states.lab.simulation.setup import Effect, Setup
from idle_states.tables.linux.qos import NO_LIMIT_US
from idle_states.tables.linux.releases import release

TIMES = ((1_000, 10_000), (2_000, 20_000), (5_000, 50_000), (10_000, 100_000), (100_000, 400_000))
SCOPES = (0, 0, 0, 1, 2, 3)
CEDE = ((10_000, 100_000),)


def setup(
    workload: str | Workload,
    machine: str = "cpus=2",
    *,
    governor: str = "menu",
    kernel: str = "6.12",
    policy: str = "",
    times: tuple[tuple[int, int], ...] = TIMES,
    scopes: tuple[int, ...] = SCOPES,
    exits: tuple[int, ...] | None = None,
    hz: int = 250,
    duration_ns: int = 10_000_000,
    disabled: frozenset[int] = frozenset(),
    limit_us: int = NO_LIMIT_US,
    **costs: int,
) -> Setup:
    """Returns a Setup whose table has snooze and one state for each of `times`.

    times  (exit latency, target residency) in ns
    exits  what leaving each state really takes, in ns; None: its exit latency
    """
    chosen = release(kernel)
    table = from_times(times, chosen.features.snooze_polling, disabled)
    table = replace(table, limit_us=limit_us)
    latencies = exits or tuple(exit_ns for exit_ns, _ in times)
    effects = [
        Effect(exit_ns, scope, number < 2)
        for number, (exit_ns, scope) in enumerate(zip((0, *latencies), scopes, strict=False))
    ]
    if isinstance(workload, str):
        found = workloads.built_in(workload)
        assert found is not None
        workload = found
    return Setup(
        "table",
        topology.parse(machine),
        placement.parse(policy),
        workload,
        table,
        tuple(effects),
        governor,
        chosen,
        hz,
        duration_ns,
        replace(Costs(), **costs),
    )
