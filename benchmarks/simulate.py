"""Speed of simulations, on one core, with SimPy doing the same in the same run.

    python benchmarks/simulate.py [--runs 3]

An event is a change of the plan that comes to pass: a task that has computed, a timer, a CPU that
has woken up, asks its governor or is ticked. menu is the governor, every decision of it the
kernel's. SimPy is given the pipe workload with the same times, tasks and CPUs, no governor, and one
state that always polls; both count round trips. Times are CPU seconds, the median of several runs.
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

from idle_states import core
from idle_states.linux.releases import release
from idle_states.replay.machine import from_times
from idle_states.simulation import by_core as simulate_core
from idle_states.simulation import placement, simulate, topology, workloads
from idle_states.simulation.setup import Effect, Setup

TIMES = ((1_000, 10_000), (2_000, 20_000), (5_000, 50_000), (10_000, 100_000), (100_000, 10**7))
SCOPES = (0, 0, 0, 1, 1, 1)
NEEDED = {8: 5.0, 2048: 1.0}
"""CPUs -> millions of events a second that this is held to."""
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


def seconds(work: Callable[[], object], runs: int) -> float:
    taken = []
    for _ in range(runs):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def ours(title: str, given: Setup, runs: int) -> float:
    """Millions of events a second."""
    events = simulate_core.simulate(given, 1).events
    taken = seconds(lambda: simulate_core.simulate(given, 1), runs)
    rate = events / taken / 1e6
    print(f"{title:<44} {events:>11,} events {taken:8.3f} s {rate:8.2f} M events/s")
    return rate


def by_simpy(given: Setup) -> tuple[int, int]:
    """Round trips and events of the pipe workload."""
    import simpy

    env, costs = simpy.Environment(), given.costs
    run_ns = given.workload.tasks[0].ops[0].duration.low
    cpus = [simpy.Resource(env) for _ in range(2)]
    woken = [env.event(), env.event()]
    counts = [0, 0]

    def task(me: int):  # type: ignore[no-untyped-def]
        if me:
            yield woken[me]
        while True:
            with cpus[me].request() as request:
                yield request
                yield env.timeout(costs.switch + run_ns + costs.wake)
                counts[0] += me == 0
                woken[me] = env.event()
                woken[1 - me].succeed()
            yield woken[me]

    for me in range(2):
        env.process(task(me))
    while env.peek() < given.duration_ns:
        env.step()
        counts[1] += 1
    return counts[0], counts[1]


def compared(runs: int) -> None:
    given = setup("pipe", "cpus=8", 300_000_000)
    found = simulate_core.simulate(given, 1)
    taken = seconds(lambda: simulate_core.simulate(given, 1), runs)
    short = replace(given, duration_ns=given.duration_ns // 10)
    reference = simulate.simulate(short, 1)
    slow = seconds(lambda: simulate.simulate(short, 1), 1)
    print(f"\npipe on 8 CPUs{'':24} round trips/s      events/s")
    print(f"  compiled{'':25} {found.counted / taken:14,.0f} {found.events / taken:14,.0f}")
    print(f"  reference{'':24} {reference.counted / slow:14,.0f} {reference.events / slow:14,.0f}")
    try:
        trips, events = by_simpy(given)
    except ImportError:
        print("  SimPy is not installed")
        return
    theirs = seconds(lambda: by_simpy(given), runs)
    print(f"  SimPy, without governor{'':10} {trips / theirs:14,.0f} {events / theirs:14,.0f}")
    print(
        f"  compiled to SimPy: {found.counted / taken * theirs / trips:.1f} times the round trips, "
        f"{found.events / taken * theirs / events:.1f} times the events (needed: 10)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    if not core.available():
        raise SystemExit("expected the compiled core, found none")
    eight = [
        ours("pipe, 8 CPUs", setup("pipe", "cpus=8", 10**9), runs),
        ours("schbench, 8 CPUs", setup("schbench:messages=2", "cpus=8", 2 * 10**9), runs),
        ours("server, 8 CPUs", setup(SERVER.format(clients=16), "cpus=8", 2 * 10**9), runs),
        ours(
            "server, 8 CPUs of SMT4", setup(SERVER.format(clients=16), machine(8, 4), 10**9), runs
        ),
    ]
    print(f"8 CPUs: {min(eight):.2f} to {max(eight):.2f} M events/s (needed: {NEEDED[8]:g})\n")
    rates = {}
    for cpus in (8, 32, 128, 512, 2048):
        given = setup(SERVER.format(clients=2 * cpus), machine(cpus, 4), 32 * 10**9 // cpus)
        rates[cpus] = ours(f"server, {cpus} CPUs of SMT4", given, runs)
    cost = {cpus: 1000 / rate for cpus, rate in rates.items()}
    growth = cost[2048] / cost[8]
    print(
        f"2048 CPUs: {rates[2048]:.2f} M events/s (needed: {NEEDED[2048]:g}); an event costs "
        f"{cost[8]:.0f} ns at 8 CPUs, {cost[2048]:.0f} ns at 2048: {growth:.2f} times, where the "
        f"logarithm grows {math.log2(2048) / math.log2(8):.2f} times"
    )
    compared(runs)


if __name__ == "__main__":
    main()
