"""Utilisation: the kernel's averages, and what teo makes of busy CPUs."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.lab.simulation import by_core, idle_periods, simulate
from idle_states.lab.simulation.programs import Duration, Op, OpKind, Task, Workload
from idle_states.lab.simulation.setup import SimulationRun
from idle_states.lab.simulation.utilisation import DECAYS, PERIOD, SUM_MAX, Average
from idle_states.tables.linux.governors import core
from tests.oracle import skipping
from tests.oracle.linux.pelt import averages, pelt_tree
from tests.support.compiled import needs_core
from tests.support.shared import kept
from tests.support.simulations import setup
from tests.support.thorough import slow

MS = 1_000_000
PERIOD_NS = PERIOD << 10


@pytest.mark.slow
def test_against_the_kernel() -> None:
    """Times that fall on edges of periods, that are near each other, and that are far apart."""
    random = Random("pelt")
    updates = []
    now = 0
    for _ in range(200_000):
        step = random.choice((1, 1023, 1024, PERIOD_NS - 1, PERIOD_NS, 10**5, 10**6, 10**8))
        step = random.choice((step, random.randrange(step + 1), random.randrange(4 * step)))
        now += step + random.choice((0, 0, -now % PERIOD_NS))
        now += 3 * 10**9 * (random.random() < 0.001)
        updates.append((now, random.random() < 0.5))
    with skipping(), kept("pelt") as directory:
        expected = averages(pelt_tree(), directory, updates)
    model = Average()
    found = []
    for now, running in updates:
        model.update(now, running=running)
        found.append((model.sum, model.util))
    assert found == expected
    assert {util > 16 for _, util in found} == {True, False}


def test_weights() -> None:
    """Figures of the kernel's own table, and what the sum of all periods converges to."""
    assert (DECAYS[0], DECAYS[1], DECAYS[16], DECAYS[31]) == (
        0xFFFFFFFF,
        0xFA83B2DA,
        0xB504F333,
        0x82CD8698,
    )
    total, before = PERIOD, 0
    while total != before:
        total, before = PERIOD + (total * DECAYS[1] >> 32), total
    assert total == SUM_MAX


@given(st.integers(0, 10**12), st.integers(0, 10**9))
def test_half_is_forgotten_in_32_periods(start_ns: int, ran_ns: int) -> None:
    average = Average(last_us=start_ns >> 10)
    average.update(start_ns + ran_ns, running=True)
    # the average is brought up to date where a period begins
    average.update(start_ns + ran_ns + PERIOD_NS, running=False)
    before = average.util
    average.update(start_ns + ran_ns + 33 * PERIOD_NS, running=False)
    assert abs(average.util - before / 2) <= 1
    assert before <= 1024


def test_always_running_is_the_whole_capacity() -> None:
    average = Average()
    for step in range(1, 4000):
        average.update(step * 777_777, running=True)
        assert average.capped <= 1024
    assert average.util in (1023, 1024)


@given(st.lists(st.tuples(st.integers(0, 5 * MS), st.booleans()), max_size=40))
def test_a_task_takes_its_utilisation_along(steps: list[tuple[int, bool]]) -> None:
    """It alone ran on its CPU, so that nothing stays there; the other CPU has all of it."""
    here, there, task = Average(), Average(), Average()
    now = 0
    for step, running in steps:
        now += step
        for average in (here, task):
            average.update(now, running=running)
        there.update(now, running=False)
    assert here == task
    moved = task.util
    here.detach(task)
    there.attach(task)
    assert (here.util, there.util) == (0, moved)
    assert there.sum // (SUM_MAX - PERIOD + there.last_us % PERIOD) == moved


# What teo makes of it


def periodic(run_ns: int, every_ns: int = MS) -> Workload:
    """One task that runs for a time in every period."""
    ops = (Op(OpKind.EVERY, Duration(every_ns)), Op(OpKind.RUN, Duration(run_ns)))
    return Workload("periodic", (Task("periodic", 0, ops, cpu=0),))


def simulated(workload: Workload, kernel: str) -> SimulationRun:
    # a timer each ms fits state 4 (100 us) and 5 (400 us); it is enough for neither to be too deep
    given_setup = setup(workload, "cpus=1", governor="teo", kernel=kernel, duration_ns=200 * MS)
    reference = simulate.simulate(given_setup, 1)
    if core.available():
        assert by_core.simulate(given_setup, 1) == reference
    return reference


@pytest.mark.parametrize(
    ("kernel", "asks"), [("6.2", False), ("6.3", True), ("6.10", True), ("6.11", False)]
)
def test_a_busy_cpu_chooses_shallower(kernel: str, asks: bool) -> None:
    """200 us of every ms are a fifth of the capacity: from the second period on it is utilised."""
    busy = simulated(periodic(200_000), kernel).reached
    assert busy[5] + busy[4] > 180
    assert (busy[4] > 180) == asks
    assert (busy[5] > 180) == (not asks)


@pytest.mark.parametrize("kernel", ["6.3", "6.6", "6.10"])
def test_a_cpu_with_little_to_do_does_not(kernel: str) -> None:
    """5 us of every ms are 5 of 1024; the threshold is 16."""
    idle = simulated(periodic(5_000), kernel).reached
    assert idle[5] > 180
    assert idle[4] < 10


def test_busy_cpus_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU that was wholly utilised has 17 of 1024 left after 5.9 half-lives."""
    seen: list[tuple[int, int]] = []
    real = Average.update

    def update(average: Average, now_ns: int, *, running: bool) -> None:
        real(average, now_ns, running=running)
        seen.append((now_ns, average.util))

    monkeypatch.setattr(Average, "update", update)
    once = (Op(OpKind.RUN, Duration(500 * MS)), Op(OpKind.SLEEP, Duration(10**10)))
    workload = Workload("once", (Task("once", 0, once, cpu=0, once=True),))
    given_setup = setup(workload, "cpus=1", governor="teo", kernel="6.6", duration_ns=3000 * MS)
    simulate.simulate(replace(given_setup, costs=replace(given_setup.costs, background=20 * MS)), 1)
    after = [(now_ns - 500 * MS, util) for now_ns, util in seen if now_ns > 501 * MS]
    assert {util > 16 for now, util in after if now < 5.8 * 32 * PERIOD_NS} == {True}
    assert {util > 16 for now, util in after if now > 6 * 32 * PERIOD_NS} == {False}


WORKLOADS = ("server:clients=12,gap=200us", "server:clients=40,gap=2ms", "pipe", "hand-off")


@pytest.mark.slow
@needs_core
@pytest.mark.parametrize("kernel", ["6.6", *slow("6.3")])
@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_core_and_tasks_that_migrate(
    monkeypatch: pytest.MonkeyPatch, workload: str, kernel: str
) -> None:
    """Event by event the same; and without utilisation, neither would be."""
    machine = "cpus=16,threads=4,pair=2,quad=2,cluster=8,llc=16"
    given_setup = setup(workload, machine, governor="teo", kernel=kernel, duration_ns=20 * MS)
    reference = simulate.simulate(given_setup, 5, 100)
    assert by_core.simulate(given_setup, 5, 100) == reference
    with monkeypatch.context() as without:
        without.setattr(idle_periods, "asks_utilisation", lambda governor, kernel: False)
        other = simulate.simulate(given_setup, 5, 100)
    if workload.startswith("server"):
        assert other.digest != reference.digest
