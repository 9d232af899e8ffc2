"""Tests of what a simulated machine does: idle loop, scopes, shares of a core, distributions,
results."""

from dataclasses import replace
from itertools import pairwise
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.lab.replay.counters import total
from idle_states.lab.replay.machine import from_times
from idle_states.lab.simulation import programs, topology
from idle_states.lab.simulation.costs import BadParameter, Costs, check_costs
from idle_states.lab.simulation.programs import Duration, Op, OpKind, Task, Which, Workload
from idle_states.lab.simulation.scopes import Scopes
from idle_states.lab.simulation.setup import (
    HISTOGRAM_BITS,
    HISTOGRAM_SIZE,
    Effect,
    SimulationRun,
    bucket_top,
    effects_of,
    scope_of,
)
from idle_states.lab.simulation.simulate import simulate
from idle_states.lab.simulation.summary import bistable, summary
from idle_states.lab.simulation.workloads import built_in, run, wake
from idle_states.lab.statistics.buckets import bucket_of
from idle_states.tables.sources import read_table
from idle_states.tables.spec.library import find
from idle_states.tables.spec.packaged import revisions
from tests.support.simulations import setup

WAIT, COUNT = Op(OpKind.WAIT), Op(OpKind.COUNT)


def usage(found: SimulationRun) -> list[int]:
    return [state.usage for state in total(list(found.cpus)).states]


def once(*tasks: tuple[Op, ...], cpus: tuple[int | None, ...] = ()) -> Workload:
    bound = cpus or tuple(range(len(tasks)))
    return Workload(
        "once",
        tuple(Task(f"t{i}", 0, ops, bound[i], once=True) for i, ops in enumerate(tasks)),
    )


def sleep(ns: int) -> Op:
    return Op(OpKind.SLEEP, Duration(ns))


# The idle loop


def hops(found: SimulationRun) -> set[int]:
    """Times from one switch to the next, at the end."""
    times = [time for time, _, _ in found.trace[-50:]]
    return {after - before for before, after in pairwise(times)}


def test_a_round_trip_takes_what_it_should() -> None:
    """Polling, each hop is the switch, the work and the wake-up."""
    found = simulate(setup("ping-pong:work=1us", kernel="4.11", duration_ns=20_000_000), 1, 5_000)
    assert hops(found) == {600 + 1_000 + 500}
    assert usage(found)[1] < 20
    assert found.latency_ns(50) == 603  # 600, to a part in 2^7
    assert found.latency_ns(100) == found.latency_max_ns


def test_exit_latency_and_ipi_are_paid() -> None:
    """In state 1 alone, each hop pays both."""
    base = setup("ping-pong:work=1us", kernel="4.11", times=((0, 0),), duration_ns=20_000_000)
    base = replace(base, effects=(base.effects[0], Effect(1_500, 0, False)))
    found = simulate(base, 1, 5_000)
    assert hops(found) == {600 + 1_000 + 500 + 1_100 + 1_500}
    assert usage(found)[0] <= 4


def test_snooze_gives_way_after_its_time_out() -> None:
    """4.11, one physical state of 100 us: polling ends every 100.5 us, and is counted so."""
    base = setup(
        once((sleep(90_000), sleep(350_000), run(1))),
        "cpus=1",
        kernel="4.11",
        times=((10_000, 100_000),),
        duration_ns=10_000_000,
    )
    found = simulate(base, 1)
    assert found.cpus[0].states[0].usage >= 3
    assert found.cpus[0].states[0].time_us >= 2 * 100


def test_kept_tick_wakes_a_physical_state() -> None:
    """After short sleeps, menu keeps the tick, and it ends an idle period that nothing else does;
    before 4.17, the tick is always stopped."""
    workload = once((*(sleep(150_000), run(1_000)) * 12,))

    def periods(kernel: str) -> int:
        return sum(usage(simulate(setup(workload, "cpus=1", kernel=kernel, hz=1000), 1))[1:])

    assert periods("6.12") > 12
    assert periods("4.11") <= 12


def test_background_timer_ends_long_idles() -> None:
    quiet = setup(once((run(10),)), "cpus=1", duration_ns=10_000_000_000, background=500_000_000)
    assert 18 <= sum(usage(simulate(quiet, 1))) <= 60


def test_background_timer_fires_while_the_tick_runs() -> None:
    """The governor was told of it; the tick is none of it."""
    quiet = setup(
        once((run(10),)), "cpus=1", kernel="6.1", duration_ns=200_000_000, background=1_000_000
    )
    assert sum(usage(simulate(quiet, 1))) == pytest.approx(200, abs=10)


@pytest.mark.parametrize("disabled", [frozenset(), frozenset({1})], ids=["state 1", "snooze"])
def test_own_timer_costs_the_same_in_every_state(disabled: frozenset[int]) -> None:
    """A timer wakes its task: that takes as long while polling as after a state without latency."""
    workload = Workload("w", (Task("t", 0, (run(5_000), sleep(100_000)), 0),))
    base = setup(workload, "cpus=1", times=((1_000, 5_000),), disabled=disabled)
    base = replace(base, effects=(Effect(0, 0, True), Effect(0, 0, False)))
    found = simulate(base, 1)
    state = 0 if disabled else 1
    assert usage(found)[state] > 80
    assert found.latency_max_ns == base.costs.wake + base.costs.switch


def test_own_timer_takes_time_from_the_task_that_computes() -> None:
    tasks = (
        Task("sleeper", 0, (sleep(10_000),), 0),
        Task("worker", 0, (run(1_000_000), COUNT), 0, once=True),
    )
    found = simulate(setup(Workload("w", tasks), "cpus=1", slice=2_000_000), 1, 100)
    assert found.counted == 1
    (last,) = [time for time, _, task in found.trace if task == 0][1:2]
    # one timer, then the sleeper waits in line until the end of the worker's slice
    assert last == 600 + 600 + 1_000_000 + 500


def test_haltpoll_does_not_shorten_snooze() -> None:
    """Its limit is poll_idle()'s; snooze has its own time-out, 10 us here."""
    workload = Workload("w", (Task("t", 0, (run(30_000), sleep(60_000)), 0),))
    base = setup(workload, "cpus=1", governor="haltpoll", kernel="6.18", times=((1_000, 10_000),))
    found = simulate(base, 1)
    snooze = found.cpus[0].states[0]
    assert snooze.usage > 50
    assert snooze.time_us <= snooze.usage * (10 + 2)


def test_a_spin_ends_at_its_multiple_whoever_shares_the_cpu() -> None:
    spins = Op(OpKind.SPIN, Duration(1_000_000))
    tasks = (Task("spins", 0, (spins, COUNT), 0), Task("runs", 0, (run(4_000_000_000),), 0))
    found = simulate(
        setup(Workload("w", tasks), "cpus=1", slice=100_000, duration_ns=20_000_000), 1
    )
    assert found.counted == 19


def test_the_recent_cpu_is_remembered_when_it_is_looked_at() -> None:
    """Not where the previous one is idle: the task is on 0, 1, 1 and returns to 0."""
    many = (run(10_000), sleep(100_000)) * 3
    tasks = (
        Task("t", 0, (*many, run(900_000)), None, once=True),
        Task("b0", 0, (sleep(80_000), run(200_000)), 0, once=True),
        Task("b1", 0, (sleep(300_000), run(200_000)), 1, once=True),
    )
    found = simulate(
        setup(Workload("w", tasks), "cpus=4", kernel="6.1", duration_ns=1_000_000), 1, 100
    )
    assert [cpu for _, cpu, task in found.trace if task == 0] == [0, 1, 1, 0]


def test_time_adds_up() -> None:
    found = simulate(setup("schbench", "smt8-fused", jitter=300), 5)
    cpus = (8, 2, 2, 2)
    for times, instances in zip(found.scope_ns, cpus, strict=True):
        assert sum(times) == instances * found.duration_ns
    idle_us = sum(state.time_us for state in total(list(found.cpus)).states)
    # what threads asked for, wake-ups excluded, is less than the periods as measured
    assert sum(found.scope_ns[0][1:]) <= 1000 * idle_us + 8 * found.duration_ns
    assert sum(found.latencies.values()) <= found.switches
    assert sum(found.reached) >= sum(usage(found))


def test_sharing_a_cpu() -> None:
    """Three tasks that compute on one CPU get a third each, slice by slice."""
    workload = Workload("w", tuple(Task(f"t{i}", i, (run(50_000), COUNT), 0) for i in range(3)))
    found = simulate(
        setup(workload, "cpus=1", duration_ns=90_000_000, slice=1_000_000), 1, trace=1000
    )
    assert [task for _, _, task in found.trace[:6]] == [0, 1, 2, 0, 1, 2]
    shares = [sum(task == i for _, _, task in found.trace) for i in range(3)]
    assert max(shares) - min(shares) <= 1
    assert found.trace[3][0] - found.trace[0][0] == pytest.approx(3_000_000, rel=0.01)


# Shares of a core


@pytest.mark.parametrize(
    ("others", "lost"), [("busy", 3 * 101), ("polling", 3 * 43), ("asleep", 0)]
)
def test_siblings_slow_a_thread_down(others: str, lost: int) -> None:
    """63.0 - 19.1 busy - 8.15 snooze: three polling siblings cost 13 %."""
    ops = (run(10_000), COUNT)
    tasks = [Task("t", 0, ops, 0)]
    if others == "busy":
        tasks += [Task("b", i, (run(1_000_000),), i) for i in (1, 2, 3)]
    else:
        tasks += [Task("b", i, (Op(OpKind.SLEEP, Duration(50_000)), run(1)), i) for i in (1, 2, 3)]
    times = ((1_000, 10_000_000),) if others == "polling" else ((0, 0),)
    base = setup(
        Workload("w", tuple(tasks)), "smt4", kernel="4.11", times=times, duration_ns=20_000_000
    )
    base = replace(base, effects=(base.effects[0], Effect(0, 0, False)))
    found = simulate(base, 1)
    expected = 20_000_000 / (10_000 * 1000 / (1000 - lost))
    assert found.counted == pytest.approx(expected, rel=0.02)


def test_fused_halves_do_not_share() -> None:
    def counted(machine: str) -> int:
        tasks = [Task("t", i, (run(10_000), COUNT), i) for i in (0, 1)]
        return simulate(setup(Workload("w", tuple(tasks)), machine), 1).counted

    assert counted("smt8-fused") > counted("smt8") * 1.05


# Scopes


def scopes(*of_states: int, machine: str = "cpus=16,threads=2,pair=2,quad=2") -> Scopes:
    effects = [
        Effect(0, 0, True),
        *(Effect(100 * i, scope, False) for i, scope in enumerate(of_states, 1)),
    ]
    return Scopes(topology.parse(machine), effects)


def test_the_lightest_request_wins() -> None:
    found = scopes(0, 1, 2, 3)
    for cpu in range(8):
        found.ask(cpu, 4, 10)
    assert [found.reached(cpu) for cpu in (0, 7)] == [4, 4]
    found.ask(7, 3, 20)
    assert found.levels[1][:4] == [4, 4, 4, 3]
    assert found.levels[2][:2] == [4, 3]
    assert found.levels[3][0] == 3
    assert found.reached(0) == 3
    assert found.reached(7) == 3


def test_cascade_of_levels() -> None:
    """11 asked for by all; then ever closer threads wake: pair's level 8, core's 5 and 4, and 2."""
    found = scopes(0, 1, 2, 3)
    for cpu in range(16):
        found.ask(cpu, 4, 0)
    for awake, state in ((8, 4), (4, 3), (2, 2), (1, 1)):
        found.ask(awake, -1, 0)
        assert found.reached(0) == state


def test_a_wake_up_waits_for_its_core() -> None:
    found = scopes(0, 1)
    for cpu in range(4):
        found.ask(cpu, 2, 0)
    assert found.wake(0, 2, 5_000) == 5_000
    assert found.wake(1, 1, 1_000) == 5_000
    assert found.wake(2, 1, 1_000) == 1_000


def test_deep_states_need_all_threads() -> None:
    """A thread that computes keeps its core's others out of what acts on the core."""

    def reached(busy: int) -> int:
        tasks = [Task("s", 0, (sleep(900_000), run(1_000)), 0), Task("b", 0, (run(10_000),), busy)]
        return simulate(setup(Workload("w", tuple(tasks)), "cpus=8,threads=4"), 1).reached[5]

    assert reached(1) == 0
    assert reached(4) > 5


def test_effects_come_from_the_table() -> None:
    source = read_table("power9").table
    assert source is not None
    table = from_times(((1_000, 10_000),), False)
    table = replace(table, names=("snooze", "stop0_lite"))
    lite = effects_of(table, source)
    assert lite == (Effect(0, 0, True), Effect(1_000, 0, True))
    deep = replace(table, names=("snooze", "stop5"))
    assert effects_of(deep, source)[1] == Effect(200_000, 1, False)
    assert effects_of(deep, source, {"stop5": 1_058_870})[1].exit_ns == 1_058_870
    old = read_table("power9-dd1@84368bbf8").table
    # the kernel of then holds 0 us; the hardware still takes 200 ns
    assert effects_of(replace(table, states=table.states), old)[1].exit_ns == 200


@pytest.mark.parametrize("name", [revision.name for revision in revisions()])
def test_scopes_follow_from_the_level(name: str) -> None:
    """A spec's scope of a state follows from its rows as firmware has them, too."""
    table = find(name)
    for row in table.states:
        if row.scope is not None:
            assert scope_of(row, table.register) == row.scope, row.name


def test_a_tree_acts_as_its_spec() -> None:
    spec = find("power9")
    bare = replace(spec, states=tuple(replace(row, scope=None) for row in spec.states))
    table = from_times([(1_000, 10_000)] * len(spec.states), False)
    table = replace(table, names=("snooze", *(row.name for row in spec.states)))
    effects = effects_of(table, bare)
    assert effects == effects_of(table, spec)
    assert [effect.scope for effect in effects] == [0, 0, 0, 1, 1, 1, 1, 2, 3]


# Random numbers


def test_splitmix() -> None:
    """The generator's published sequence for seed 1234567."""
    assert [programs.draw(1234567, i) for i in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_distributions() -> None:
    key = programs.stream_key(1, 2)
    bits = [programs.draw(key, i) for i in range(20_000)]
    exponential = [programs.exponential(each, 100_000) for each in bits]
    assert fmean(exponential) == pytest.approx(100_000, rel=0.03)
    assert pstdev(exponential) == pytest.approx(100_000, rel=0.05)
    uniform = [programs.uniform(each, 10, 19) for each in bits]
    assert set(uniform) == set(range(10, 20))
    assert fmean(uniform) == pytest.approx(14.5, rel=0.02)
    assert programs.exponential((1 << 64) - 1, 1_000_000) == 0
    assert programs.exponential(0, 1_000) == pytest.approx(44_361, rel=1e-3)


def test_which_task_is_woken() -> None:
    def woken(which: Which) -> list[int]:
        tasks = [Task("w", 0, (sleep(100_000), wake(1, 3, which)), 0)]
        tasks += [Task("t", i, (WAIT, run(1_000)), 1 + i) for i in range(3)]
        found = simulate(setup(Workload("w", tuple(tasks)), "cpus=4"), 1, trace=1000)
        return [task for _, _, task in found.trace if task][3:]

    assert set(woken(Which.SAME)) == {1}
    assert woken(Which.NEXT)[:4] == [1, 2, 3, 1]
    assert set(woken(Which.RANDOM)) == {1, 2, 3}
    assert len(woken(Which.ALL)) > 2 * len(woken(Which.NEXT))


def test_wake_ups_before_the_wait_are_kept() -> None:
    tasks = (
        Task("w", 0, (wake(1), wake(1), wake(1)), 0, once=True),
        Task("t", 0, (run(50_000), WAIT, COUNT), 1),
    )
    assert simulate(setup(Workload("w", tasks)), 1).counted == 3


# Results


@given(st.integers(0, (1 << 63) - 1))
def test_buckets(value: int) -> None:
    bucket = bucket_of(value, HISTOGRAM_BITS)
    assert 0 <= bucket < HISTOGRAM_SIZE
    assert value <= bucket_top(bucket) <= value + (value >> HISTOGRAM_BITS)
    assert bucket_of(bucket_top(bucket), HISTOGRAM_BITS) == bucket
    assert bucket_of(bucket_top(bucket) + 1, HISTOGRAM_BITS) == bucket + 1


def test_percentiles() -> None:
    base = simulate(setup("pipe"), 1)
    found = replace(base, latencies={10: 90, 20: 9, 30: 1})
    assert [found.latency_ns(p) for p in (50, 90, 90.1, 99, 99.9, 100)] == [10, 10, 20, 20, 30, 30]
    assert replace(base, latencies={}).latency_ns(50) is None


def test_summary_over_runs() -> None:
    base = setup("server", "cpus=4")
    runs = [simulate(base, seed) for seed in (1, 2, 3)]
    found = summary(base, runs)
    counts = [each.switches * 100 for each in runs]
    assert found.switches_per_s.mean == pytest.approx(sum(counts) / 3)
    assert (found.switches_per_s.least, found.switches_per_s.greatest) == (min(counts), max(counts))
    asleep = found.scopes[0].idle
    assert all(a.mean >= b.mean for a, b in pairwise(asleep))


def test_bistable_points_are_found() -> None:
    """(12, 120) at 250 us before snooze was flagged: which state is a matter of a microsecond."""
    base = setup(
        "periodic:period=250us,work=5us",
        "smt4",
        kernel="6.0",
        times=((12_000, 120_000),),
        hz=100,
        duration_ns=200_000_000,
        snooze_overshoot=0,
    )
    jittered = replace(base, costs=replace(base.costs, jitter=1_000))
    runs = [simulate(each, 1) for each in (base, jittered)]
    assert bistable(base, *runs) == ("snooze", "state1")
    assert bistable(base, runs[0], runs[0]) == ()


@pytest.mark.parametrize(
    ("name", "value"), [("wake", 0), ("slice", 1), ("jitter", -1), ("smt_hold_permille", 1001)]
)
def test_parameters_have_limits(name: str, value: int) -> None:
    option = name.replace("_", "-")
    with pytest.raises(BadParameter, match=f"expected {option} from .* found {value}"):
        check_costs(replace(Costs(), **{name: value}))
    check_costs(Costs())


def test_built_in_workloads_are_read() -> None:
    found = built_in("schbench:messages=2,workers=3,work=1ms")
    assert found is not None
    assert len(found.tasks) == 8
    assert built_in("nothing:x=1") is None
    for text, words in (
        ("pipe:work=10", "time with its unit"),
        ("pipe:wrok=10us", "with work"),
        ("schbench:workers=many", "a number"),
        ("schbench:workers=0", "1 or more"),
        ("server:gap=0ns", "expected 1 to 1099511627776 ns"),
        ("periodic:period=0us", "for a time that waker sleeps to a multiple of, found 0"),
        ("pipe:work=1us,work=1us", "once"),
        ("ping-pong:cpus=3", "1 or 2"),
    ):
        with pytest.raises(programs.BadWorkload, match=words):
            built_in(text)


@pytest.mark.parametrize(
    ("workload", "words"),
    [
        (Workload("w", ()), "a task"),
        (Workload("w", (Task("t", 0, ()),)), "a program"),
        (Workload("w", (Task("t", 0, (COUNT,)),)), "more than to count"),
        (Workload("w", (Task("t", 0, (WAIT, run(5))),)), "does not begin with wait"),
    ],
)
def test_workloads_that_do_nothing(workload: Workload, words: str) -> None:
    with pytest.raises(programs.BadWorkload, match=words):
        programs.check(workload)
