"""Simulations on one core, with SimPy doing the same beside them.

An event is a change of the plan that comes to pass: a task that has computed, a timer, a CPU that
has woken up, asks its governor or is ticked. menu is the governor, every decision of it the
kernel's. SimPy is given the pipe workload with the same times, tasks and CPUs, no governor, and one
state that always polls.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

from idle_states.lab.replay.machine import from_times
from idle_states.lab.simulation import by_core as simulate_core
from idle_states.lab.simulation import placement, simulate, topology, workloads
from idle_states.lab.simulation.setup import Effect, Setup
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.releases import release

from .measuring import Missing, Work, absent, timed

TIMES = ((1_000, 10_000), (2_000, 20_000), (5_000, 50_000), (10_000, 100_000), (100_000, 10**7))
SCOPES = (0, 0, 0, 1, 1, 1)
DURATION_NS = 2 * 10**9
SERVER = "server:clients={clients},gap=200us,work=20us"


def setup(workload: str, machine: str, duration_ns: int) -> Setup:
    table = from_times(TIMES, True)
    found = workloads.built_in(workload)
    assert found is not None
    return Setup(
        "table",
        topology.parse(machine),
        placement.Policy(),
        found,
        table,
        tuple(
            Effect(state.exit_ns, scope, number < 2)
            for number, (state, scope) in enumerate(zip(table.states, SCOPES, strict=True))
        ),
        "menu",
        release("6.12"),
        250,
        duration_ns,
    )


def machine(cpus: int, threads: int) -> str:
    return f"cpus={cpus},threads={threads},pair=1,quad=1,llc={min(cpus, 32)}"


def by_simpy(given: Setup) -> int:
    """Round trips of the pipe workload."""
    import simpy

    env, costs = simpy.Environment(), given.costs
    run_ns = given.workload.tasks[0].ops[0].duration.low
    cpus = [simpy.Resource(env) for _ in range(2)]
    woken = [env.event(), env.event()]
    trips = 0

    def task(me: int):  # type: ignore[no-untyped-def]
        nonlocal trips
        if me:
            yield woken[me]
        while True:
            with cpus[me].request() as request:
                yield request
                yield env.timeout(costs.switch + run_ns + costs.wake)
                trips += me == 0
                woken[me] = env.event()
                woken[1 - me].succeed()
            yield woken[me]

    for me in range(2):
        env.process(task(me))
    while env.peek() < given.duration_ns:
        env.step()
    return trips


def ours(name: str, given: Setup) -> Work:
    events = simulate_core.simulate(given, 1).events
    run = partial(timed, partial(simulate_core.simulate, given, 1))
    return Work(f"simulate, {name}, events", run, events)


def works(folder: Path, scale: float) -> list[Work]:
    """Works on simulated machines; the last are round trips of the pipe workload: compiled, as the
    reference has them, and SimPy's."""
    if not core.available():
        return [Work("simulate", Missing("the core is not compiled"))]
    longest = round(DURATION_NS * scale)
    found = [
        ours("pipe on 8 CPUs", setup("pipe", "cpus=8", longest // 4)),
        ours("schbench on 8 CPUs", setup("schbench:messages=2", "cpus=8", longest)),
        ours("server on 8 CPUs", setup(SERVER.format(clients=16), "cpus=8", longest)),
    ]
    for cpus in (8, 64, 512, 2048):
        server = setup(SERVER.format(clients=2 * cpus), machine(cpus, 4), 64 * longest // cpus)
        found.append(ours(f"server on {cpus} CPUs of SMT4", server))
    asleep = setup("server:clients=16000,gap=200ms,work=20us", machine(8, 4), 4 * longest)
    found.append(ours("server with 16,000 clients on 8 CPUs", asleep))
    server = setup("pipe", "cpus=8", longest // 10)
    short = replace(server, duration_ns=longest // 100)
    for name, by, of in (("", simulate_core, server), (", no core", simulate, short)):
        run = partial(timed, partial(by.simulate, of, 1))
        found.append(Work(f"simulate, pipe, round trips{name}", run, by.simulate(of, 1).counted))
    missing = absent("simpy")
    trips = 1 if missing else by_simpy(server)
    simpy = missing or partial(timed, partial(by_simpy, server))
    return [*found, Work("SimPy, pipe without governor, round trips", simpy, trips)]
