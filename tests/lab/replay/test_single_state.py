"""Tables of one state: the release says whether a governor is asked and what the tick does."""

from dataclasses import replace
from random import Random

import pytest

from idle_states.base.reading.problems import InputProblems
from idle_states.lab.replay import core_models
from idle_states.lab.replay.machine import CpuTable, TracedMachine
from idle_states.lab.replay.replay import ReplayModel, Settings
from idle_states.lab.simulation import by_core, simulate
from idle_states.lab.simulation.programs import Duration, Op, OpKind, Task, Workload
from idle_states.lab.simulation.setup import Setup, SimulationRun
from idle_states.lab.traces.periods import Periods
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.governors.interface import State
from idle_states.tables.linux.releases import release
from tests.support.compiled import needs_core
from tests.support.simulations import setup
from tests.support.thorough import slow

MS = 1_000_000
# 4.11 stops the tick always, menu of 6.17 does, unless the state polls; 6.19.6 keeps it, and 7.0
# until it has ended an idle period
KERNELS = {"4.11": 1, "6.17": 1, "debian-6.19.6": 3, "7.0": 2, "debian-6.12.117": 2}


def alone(*, polling: bool = False, name: str = "WFI") -> CpuTable:
    return CpuTable((name,), (State(0 if polling else 1_000, 1_000, polling),))


def replayed(
    table: CpuTable, settings: Settings, periods: list[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    """Usage and decisions, by the reference and, if it is there, by the core."""
    machine = TracedMachine("x", table, {})
    usages, decisions = [], []
    makers = [ReplayModel, core_models.CoreModel] if core.available() else [ReplayModel]
    for make in makers:
        model = make(machine, settings, InputProblems())
        model.add([(0, 0, start, end, 0) for start, end in periods])
        usages.append(model.figures()[0].states[0].usage)
        decisions.append(model.decisions)
        assert model.held == {0: (len(periods), len(periods))}
    return usages, decisions


@pytest.mark.parametrize(("kernel", "pieces"), KERNELS.items())
def test_the_tick_cuts_a_traced_period(kernel: str, pieces: int) -> None:
    """From 1 to 11.5 ms the tick comes twice, at 4 and at 8 ms."""
    settings = Settings("menu", release(kernel), 250)
    usages, decisions = replayed(alone(), settings, [(MS, 11_500_000), (20 * MS + 1, 21 * MS)])
    assert set(usages) == set(decisions) == {pieces + 1}


@pytest.mark.parametrize("kernel", KERNELS)
def test_no_tick_ends_snooze(kernel: str) -> None:
    settings = Settings("menu", release(kernel), 250)
    usages, _ = replayed(alone(polling=True, name="snooze"), settings, [(MS, 100 * MS)])
    assert set(usages) == {1}


@needs_core
@pytest.mark.parametrize("polling", [False, *slow(True)])
@pytest.mark.parametrize("kernel", KERNELS)
def test_core_and_reference_agree(kernel: str, polling: bool) -> None:
    random = Random(kernel)
    periods = []
    now = 0
    for _ in range(400):
        now += random.randrange(1, 3 * MS)
        periods.append((now, now := now + random.randrange(1, 40 * MS)))
    for governor in ("menu", "ladder"):
        for next_timer in ("gap", "far"):
            settings = Settings(governor, release(kernel), 300, next_timer)
            table = alone(polling=polling, name="x")
            usages, decisions = replayed(table, settings, periods)
            assert len(set(usages)) == len(set(decisions)) == 1
            packed = Periods.of([(0, 0, *period, 0) for period in periods]).packed
            (followed,) = core_models.follow(table, settings, [packed])
            assert followed.states[0].usage == usages[0]


def idling(kernel: str, *, polling: bool = False, sleep_ns: int = 10_500_000) -> Setup:
    """A CPU whose one task sleeps, over and over."""
    ops = (Op(OpKind.SLEEP, Duration(sleep_ns)), Op(OpKind.RUN, Duration(250_000)))
    made = setup(
        Workload("w", (Task("t", 0, ops, 0),)),
        "cpus=1",
        kernel=kernel,
        times=(),
        scopes=(0,),
        duration_ns=200 * MS,
    )
    return replace(made, table=alone(polling=polling))


def both(given: Setup) -> list[SimulationRun]:
    runs = [simulate.simulate(given, 1, 100)]
    if by_core.knows(given):
        runs.append(by_core.simulate(given, 1, 100))
    return runs


@pytest.mark.parametrize("polling", [False, True])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_simulator_and_its_twin(kernel: str, polling: bool) -> None:
    for sleep_ns in (300_000, 2 * MS, 10_500_000, 31 * MS):
        first, *rest = both(idling(kernel, polling=polling, sleep_ns=sleep_ns))
        assert all(run == first for run in rest)
        assert first.events > 10


def test_the_tick_wakes_a_simulated_cpu() -> None:
    """18 sleeps of 10.5 ms, each over two or three ticks of 4 ms, and a 19th that has not ended."""
    usage = {kernel: both(idling(kernel))[0].cpus[0].states[0].usage for kernel in KERNELS}
    sleeps = usage["4.11"]
    assert sleeps == usage["6.17"] == 18
    assert usage["7.0"] == usage["debian-6.12.117"] == 2 * sleeps + 1
    assert usage["debian-6.19.6"] > 3 * sleeps
