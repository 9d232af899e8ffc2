"""Simulations on one core, with SimPy doing the same beside them.

An event is a change of the plan that comes to pass: a task that has computed, a timer, a CPU that
has woken up, asks its governor or is ticked. menu is the governor, every decision of it the
kernel's. SimPy is given the pipe workload with the same times, tasks and CPUs, no governor, and one
state that always polls.
"""

import importlib.util
from dataclasses import replace
from functools import partial

from idle_states.lab.replay.machine import from_times
from idle_states.lab.simulation import by_core as simulate_core
from idle_states.lab.simulation import placement, simulate, topology, workloads
from idle_states.lab.simulation.setup import Effect, Setup
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.releases import release

from .measuring import Given, Work, timed
from .table import Aim

TIMES = ((1_000, 10_000), (2_000, 20_000), (5_000, 50_000), (10_000, 100_000), (100_000, 10**7))
SCOPES = (0, 0, 0, 1, 1, 1)
NEEDED = Aim("rate", 1e8 / 60)
"""10^8 events in a minute."""
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


def ours(name: str, given: Setup, peer: str = "", aim: Aim | None = None, series: str = "") -> Work:
    events = simulate_core.simulate(given, 1).events
    run = partial(timed, partial(simulate_core.simulate, given, 1))
    return Work(f"simulate, {name}, events", run, events, {peer: aim}, series)


def works(given: Given) -> list[Work]:
    if not core.available():
        given.missing["simulate"] = "the core is not compiled"
        return []
    *_, longest = given.sizes(DURATION_NS)
    server = SERVER.format(clients=16)
    found = [
        ours("pipe on 8 CPUs", setup("pipe", "cpus=8", longest // 4), "", NEEDED),
        ours("schbench on 8 CPUs", setup("schbench:messages=2", "cpus=8", longest), "", NEEDED),
        ours("server on 8 of SMT4", setup(server, machine(8, 4), longest // 2), "", NEEDED),
    ]
    for part in (100, 10, 1):
        name = "server on 8 CPUs" + (f", 1/{part}" if part > 1 else "")
        asked = setup(server, "cpus=8", longest // part)
        found.append(ours(name, asked, "", NEEDED, "simulate, server on 8 CPUs, events"))
        if part > 1:
            found[-1] = replace(found[-1], ours=False)
    beside = ("simulate, server on 8 CPUs of SMT4, events", Aim("ratio", 1.5))
    for cpus in (8, 64, 512, 2048):
        asked = setup(SERVER.format(clients=2 * cpus), machine(cpus, 4), 64 * longest // cpus)
        found.append(ours(f"server on {cpus} CPUs of SMT4", asked, *(beside if cpus > 8 else ())))
    asleep = setup("server:clients=16000,gap=200ms,work=20us", machine(8, 4), 4 * longest)
    found.append(ours("server with 16,000 clients on 8 CPUs", asleep, beside[0], Aim("ratio", 2.5)))
    return [*found, *compared(given, longest // 10)]


def compared(given: Given, duration_ns: int) -> list[Work]:
    """Round trips of the pipe workload: compiled, as the reference has them, and SimPy's."""
    asked, theirs = setup("pipe", "cpus=8", duration_ns), "SimPy, pipe without governor"
    short = replace(asked, duration_ns=duration_ns // 10)
    peers = {theirs: Aim("ratio", 0.1)}
    counted = [by.simulate(of, 1).counted for by, of in ((simulate_core, asked), (simulate, short))]
    core_run = partial(timed, partial(simulate_core.simulate, asked, 1))
    slow_run = partial(timed, partial(simulate.simulate, short, 1))
    found = [
        Work("simulate, pipe on 8 CPUs, round trips", core_run, counted[0], peers),
        Work("simulate, no core, round trips", slow_run, counted[1], {theirs: None}, rounds=3),
    ]
    if importlib.util.find_spec("simpy") is None:
        given.missing["SimPy"] = "not installed: pip install simpy"
    else:
        trips = by_simpy(asked)
        found.append(Work(theirs, partial(timed, partial(by_simpy, asked)), trips, ours=False))
    return found
