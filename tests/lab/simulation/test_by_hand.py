"""Three small cases, simulated once more by a program written apart (simulated_by_hand.py)."""

from collections.abc import Iterator
from typing import Any

import pytest

from idle_states.lab.replay.machine import from_times
from idle_states.lab.replay.polling import polling
from idle_states.lab.simulation import placement, topology
from idle_states.lab.simulation.costs import Costs
from idle_states.lab.simulation.programs import Duration, Op, OpKind, Task, Workload
from idle_states.lab.simulation.setup import Effect, Setup
from idle_states.lab.simulation.simulate import simulate
from idle_states.tables.linux import idle_loop
from idle_states.tables.linux.governors import Governor
from idle_states.tables.linux.governors.interface import tick_ns
from idle_states.tables.linux.releases import release
from tests.support import simulated_by_hand as hand
from tests.support.simulated_by_hand import Machine, Thread
from tests.support.thorough import few, slow

COSTS = Costs(
    switch=hand.SWITCH,
    wake=hand.WAKE,
    idle_entry=hand.ENTRY,
    turn=hand.TURN,
    ipi=hand.IPI,
    snooze_overshoot=hand.OVERSHOOT,
)
UNTIL = 10_000_000
KERNELS = ("4.11", "5.13", "6.2", "7.2")
WAIT = Op(OpKind.WAIT)


def run(ns: int) -> Op:
    return Op(OpKind.RUN, Duration(ns))


def wake(task: int) -> Op:
    return Op(OpKind.WAKE, first=task, count=1)


def ping_pong() -> tuple[Workload, list[Thread]]:
    threads: list[Thread] = []

    def ping(machine: Machine, thread: Thread) -> Iterator[tuple[Any, ...]]:
        yield "run", 1471
        yield "wake", threads[1]
        yield ("wait",)

    def pong(machine: Machine, thread: Thread) -> Iterator[tuple[Any, ...]]:
        yield ("wait",)
        yield "run", 2393
        yield "wake", threads[0]

    threads += [Thread("ping", ping, 0), Thread("pong", pong, 1)]
    tasks = (
        Task("ping", 0, (run(1471), wake(1), WAIT), cpu=0),
        Task("pong", 0, (WAIT, run(2393), wake(0)), cpu=1),
    )
    return Workload("ping-pong", tasks), threads


def timers() -> tuple[Workload, list[Thread]]:
    """Two tasks on one CPU with timers, one on another that they wake."""
    threads: list[Thread] = []

    def slow(machine: Machine, thread: Thread) -> Iterator[tuple[Any, ...]]:
        yield "every", 230_000
        yield "run", 7_001
        yield "wake", threads[2]

    def fast(machine: Machine, thread: Thread) -> Iterator[tuple[Any, ...]]:
        yield "sleep", 41_957
        yield "run", 3_019

    def woken(machine: Machine, thread: Thread) -> Iterator[tuple[Any, ...]]:
        yield ("wait",)
        yield "run", 11_003

    threads += [Thread("slow", slow, 0), Thread("fast", fast, 0), Thread("woken", woken, 1)]
    tasks = (
        Task("slow", 0, (Op(OpKind.EVERY, Duration(230_000)), run(7_001), wake(2)), cpu=0),
        Task("fast", 0, (Op(OpKind.SLEEP, Duration(41_957)), run(3_019)), cpu=0),
        Task("woken", 0, (WAIT, run(11_003)), cpu=1),
    )
    return Workload("timers", tasks), threads


def hand_off() -> tuple[Workload, list[Thread]]:
    threads: list[Thread] = []

    def task(machine: Machine, thread: Thread) -> Iterator[tuple[Any, ...]]:
        yield "run", 5_003
        yield "wake", threads[1]
        yield ("wait",)

    def worker(machine: Machine, thread: Thread) -> Iterator[tuple[Any, ...]]:
        yield ("wait",)
        yield "run", 2_003
        yield "wake", threads[0]

    threads += [Thread("task", task), Thread("worker", worker, follows=True)]
    tasks = (
        Task("task", 0, (run(5_003), wake(1), WAIT)),
        Task("worker", 0, (WAIT, run(2_003), wake(0)), with_waker=True),
    )
    return Workload("hand-off", tasks), threads


@pytest.mark.parametrize("kernel", few(2, KERNELS))
@pytest.mark.parametrize("case", [ping_pong, timers, hand_off])
@pytest.mark.parametrize("recent", [True, *slow(False)])
@pytest.mark.parametrize("name", ["menu", "ladder"])
def test_another_program_does_the_same(case: Any, kernel: str, recent: bool, name: str) -> None:
    workload, threads = case()
    chosen = release(kernel)
    times = ((1_000, 10_000), (5_000, 50_000), (20_000, 200_000))
    table = from_times(times, chosen.features.snooze_polling)
    exits = [0, 1_301, 5_407, 19_001]
    setup = Setup(
        "x",
        topology.parse("cpus=4"),
        placement.Policy(recent=recent),
        workload,
        table,
        tuple(Effect(exit_ns, 0, False) for exit_ns in exits),
        name,
        chosen,
        250,
        UNTIL,
        COSTS,
    )
    limit = polling(table, chosen, 250)
    assert limit.limit_ns is not None
    machine = Machine(
        4,
        lambda: Governor.for_kernel(name, chosen, table.states, 250),
        exits,
        limit.limit_ns,
        limit.reports,
        tick_ns(250),
        recent,
        not idle_loop.features(chosen).governor_decides_tick,
    )
    machine.resume = {}
    machine.run(threads, UNTIL)
    found = simulate(setup, 1, trace=1_000_000)
    names = [task.name for task in workload.tasks]
    assert len(found.trace) > 150
    assert [(time, cpu, names[task]) for time, cpu, task in found.trace] == machine.log
    for cpu, figures in zip(machine.cpus, found.cpus, strict=True):
        assert [state.usage for state in figures.states] == [cpu.usage[i] for i in range(4)]
        if setup.release.name != "4.11":  # which floors every period
            assert [state.time_us for state in figures.states] == [
                cpu.time[i] // 1000 for i in range(4)
            ]
