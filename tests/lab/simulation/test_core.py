"""The compiled simulation is the reference's, event by event."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits
from idle_states.lab.replay.oracle import foreseen
from idle_states.lab.simulation import by_core as simulate_core
from idle_states.lab.simulation import simulate, topology
from idle_states.lab.simulation.placement import CLUSTER, SMT, Policy
from idle_states.lab.simulation.programs import Duration, Op, OpKind, Spread, Task, Which, Workload
from idle_states.lab.simulation.setup import Setup, SimulationRun
from idle_states.lab.simulation.workloads import BUILT_IN
from idle_states.tables.linux import idle_loop
from idle_states.tables.linux.governors import Governor, UnknownGovernor, asks_utilisation
from idle_states.tables.linux.qos import NO_LIMIT_US
from idle_states.tables.linux.releases import all_releases
from tests.support.compiled import needs_core
from tests.support.simulations import setup
from tests.support.thorough import examples, few

pytestmark = needs_core
MACHINES = (
    "cpus=2",
    "smt8-fused",
    "cpus=16,threads=4,pair=2,quad=2,cluster=8,llc=16",
    "cpus=24,threads=2,pair=2,llc=8",
    "clusters-24",
)
TRACE = 200


def both(given_setup: Setup, seed: int = 3) -> tuple[SimulationRun, SimulationRun]:
    assert simulate_core.knows(given_setup)
    given_setup = replace(given_setup, foreseen=foreseen(given_setup.table, None))
    return (
        simulate.simulate(given_setup, seed, TRACE),
        simulate_core.simulate(given_setup, seed, TRACE),
    )


@pytest.mark.parametrize("machine", few(1, MACHINES))
@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_workloads_on_machines(name: str, machine: str) -> None:
    for number, (governor, kernel) in enumerate(
        [("menu", "4.11"), ("menu", "7.2"), ("teo", "5.10"), ("teo", "6.6"), ("ladder", "6.1")]
    ):
        reference, compiled = both(
            setup(
                name,
                machine,
                governor=governor,
                kernel=kernel,
                jitter=700 * number,
                policy=f"cluster={CLUSTER[number % 3]},smt={SMT[number % 2]}",
                duration_ns=12_000_000 if name == "ping-pong" else 1_000_000,
                hz=(100, 250, 1000)[number % 3],
            )
        )
        assert compiled == reference
        assert reference.events > 10


@pytest.mark.parametrize("cpus", [64, 272])
@pytest.mark.parametrize("governor", few(1, ("menu", "teo")))
def test_many_cpus(governor: str, cpus: int) -> None:
    """All begin at the same time, and tick at the same times: the order of equal events counts."""
    machine = f"cpus={cpus},threads=4,pair=2,quad=2,llc={cpus // 2}"
    workload = f"server:clients={cpus + 28},gap=80us,work=15us"
    given_setup = setup(workload, machine, governor=governor, duration_ns=180_000, hz=1000)
    costs = replace(given_setup.costs, slice=9_000, background=70_000)
    reference, compiled = both(replace(given_setup, costs=costs))
    assert compiled == reference
    assert reference.events > 2 * cpus
    assert sum(any(state.usage for state in cpu.states) for cpu in compiled.cpus) > cpus // 2


def test_many_timers_of_a_cpu() -> None:
    """In any order, and many of the same time."""
    every, run = Op(OpKind.EVERY, Duration(1_000_000)), Op(OpKind.RUN, Duration(3_000))
    program = (every, run, Op(OpKind.COUNT))
    at_once = Workload("w", tuple(Task("t", number, program) for number in range(100)))
    for workload in ("server:clients=300,gap=2ms,work=3us", at_once):
        reference, compiled = both(setup(workload, jitter=500))
        assert compiled == reference
        assert compiled.counted > 500


def test_core_in_two_words() -> None:
    """Idle CPUs are kept in words of 64: a core of six has its CPUs in two of them."""
    machine = "cpus=72,threads=6,pair=1,quad=1,llc=72"
    reference, compiled = both(
        setup("server:clients=70,gap=40us,work=20us", machine, duration_ns=300_000)
    )
    assert compiled == reference


@pytest.mark.parametrize("kernel", ["4.8", "4.14", "4.18", "5.4", "6.2", "debian-6.1.192", "6.19"])
def test_kernels(kernel: str) -> None:
    server = "server:clients=12,gap=200us"
    usages = []
    for disabled, limit_us in ((frozenset[int](), NO_LIMIT_US), (frozenset({1, 4}), 5)):
        given_setup = setup(server, "smt8", kernel=kernel, disabled=disabled, limit_us=limit_us)
        reference, compiled = both(given_setup)
        assert compiled == reference
        slow = [n for n, state in enumerate(given_setup.table.states) if state.exit_ns > 5_000]
        usages.append(sum(cpu.states[n].usage for cpu in compiled.cpus for n in slow))
    assert usages[0] > usages[1] == 0


EVERYWHERE = ("server:clients=6,gap=150us", "pipe", "hand-off")


def of_kernel(
    kernel: str, governor: str, name: str = EVERYWHERE[0], duration_ns: int = 3_000_000
) -> Setup:
    given_setup = setup(name, "smt8-fused", kernel=kernel, governor=governor, jitter=90)
    return replace(given_setup, duration_ns=duration_ns)


@cache
def first_of_behaviour(governor: str) -> frozenset[str]:
    """The kernels before which none behaves the same where it is simulated."""
    seen = {}
    for each in reversed(all_releases()):
        try:
            given_setup = of_kernel(each.name, governor)
            features = Governor.for_kernel(governor, each, given_setup.table.states, 250).features
        except UnknownGovernor:
            continue
        utilisation = asks_utilisation(governor, given_setup.release)
        loop = idle_loop.features(given_setup.release)
        seen[repr((features, loop, utilisation, given_setup.table.states))] = each.name
    return frozenset(seen.values())


@pytest.mark.slow
@pytest.mark.parametrize(("number", "kernel"), [*enumerate(each.name for each in all_releases())])
def test_every_kernel(number: int, kernel: str) -> None:
    """On one workload, for a shorter time, where another kernel behaves the same."""
    seen = 0
    for governor in ("menu", "teo", "ladder"):
        first = kernel in first_of_behaviour(governor)
        duration_ns = 2_000_000 if first else 500_000
        for name in EVERYWHERE if first else EVERYWHERE[number % 3 :][:1]:
            try:
                reference, compiled = both(of_kernel(kernel, governor, name, duration_ns))
            except UnknownGovernor:
                break
            assert compiled == reference
            seen += 1
    assert seen


def durations() -> st.SearchStrategy[Duration]:
    """Rarely so short that a simulation takes long."""
    times = st.one_of(st.integers(200, 40_000), st.just(1_000))
    return st.one_of(
        times.map(Duration),
        st.tuples(times, times).map(lambda pair: Duration(min(pair), max(pair), Spread.UNIFORM)),
        st.integers(1_000, 40_000).map(lambda mean: Duration(mean, 0, Spread.EXPONENTIAL)),
    )


@st.composite
def any_workload(draw: Any) -> Workload:
    """Tasks of one group each, or several; the first begins by running."""
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    firsts = [sum(counts[:i]) for i in range(len(counts))]

    def op() -> Op:
        kind = draw(st.sampled_from(OpKind))
        if kind in (OpKind.WAIT, OpKind.COUNT):
            return Op(kind)
        if kind is OpKind.WAKE:
            group = draw(st.integers(0, len(counts) - 1))
            return Op(
                kind,
                first=firsts[group],
                count=counts[group],
                which=draw(st.sampled_from(Which)),
                sync=draw(st.booleans()),
            )
        return Op(kind, draw(durations()))

    tasks = []
    for group, count in enumerate(counts):
        ops = tuple(op() for _ in range(draw(st.integers(1, 5))))
        ops += (Op(OpKind.RUN, draw(durations())), Op(OpKind.WAIT))[: draw(st.integers(1, 2))]
        bound = draw(st.sampled_from([None, None, 0, 1]))
        follows = bound is None and draw(st.booleans())
        once, again = draw(st.booleans()), draw(st.integers(0, len(ops) - 1))
        tasks += [
            Task(f"t{group}", number, ops, bound, follows, once, again if ops[again:] else 0)
            for number in range(count)
        ]
    return Workload("random", tuple(tasks))


@settings(
    max_examples=examples(37, 75), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    any_workload(),
    st.sampled_from(MACHINES),
    st.sampled_from([("menu", "4.11"), ("menu", "6.12"), ("teo", "6.6"), ("ladder", "6.1")]),
    st.builds(Policy, st.booleans(), st.sampled_from(SMT), st.sampled_from(CLUSTER)),
    st.integers(0, 1 << 64),
    st.sampled_from([0, 1_000]),
)
def test_any_program(
    workload: Workload,
    machine: str,
    governed: tuple[str, str],
    policy: Policy,
    seed: int,
    jitter: int,
) -> None:
    base = setup(
        workload,
        machine,
        governor=governed[0],
        kernel=governed[1],
        duration_ns=200_000,
        jitter=jitter,
        slice=20_000,
    )
    reference, compiled = both(replace(base, policy=policy), seed & (1 << 64) - 1)
    assert compiled == reference


def test_seeds_differ_and_repeat() -> None:
    base = setup("server", "cpus=4")
    runs = simulate_core.simulate_all(base, [1, 2, 1])
    assert runs[0] == runs[2]
    assert runs[0].digest != runs[1].digest


def test_threads_do_not_matter() -> None:
    base = setup("schbench", "smt8")
    assert simulate_core.simulate_all(base, range(8)) == [
        simulate_core.simulate(base, seed) for seed in range(8)
    ]


def test_spins_and_timers_on_a_shared_cpu() -> None:
    """The test covers what interrupts a spin, and what takes time from a task."""
    spin, sleep, run = (
        Op(kind, Duration(ns))
        for kind, ns in ((OpKind.SPIN, 70_000), (OpKind.SLEEP, 11_000), (OpKind.RUN, 300_000))
    )
    tasks = (
        Task("spins", 0, (spin, Op(OpKind.COUNT)), 0),
        Task("sleeps", 0, (sleep,), 0),
        Task("runs", 0, (run, sleep)),
    )
    base = setup(Workload("w", tasks), "smt4", slice=50_000, background=700_000)
    reference, compiled = both(base)
    assert compiled == reference
    assert compiled.counted > 20


def test_progress_adds_up() -> None:
    base = setup("server", "cpus=4", duration_ns=50_000_000)
    told: list[int] = []
    runs = simulate_core.simulate_all(base, range(3), told.append)
    assert len(runs) == 3
    assert min(told) >= 0
    # the last event of a run is a little before its end
    assert 0.9 * 3 * base.duration_ns < sum(told) <= 3 * base.duration_ns


def test_an_interruption_stops_runs_under_way() -> None:
    """A run of some hours ends as soon as its progress cannot be told."""

    class Interrupted(Exception):
        pass

    def interrupt(more_ns: int) -> None:
        raise Interrupted

    base = setup("server", "cpus=4", duration_ns=10**15)
    with pytest.raises(Interrupted):
        simulate_core.simulate_all(base, range(4), interrupt)


@pytest.mark.parametrize("simulated", [simulate.simulate, simulate_core.simulate])
def test_a_run_has_a_limit(
    simulated: Callable[[Setup, int], SimulationRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = setup("server", "cpus=4", duration_ns=5_000_000)
    whole = simulated(base, 1)
    monkeypatch.setattr(limits, "SIMULATION_EVENTS", whole.events + 1)
    assert simulated(base, 1) == whole
    monkeypatch.setattr(limits, "SIMULATION_EVENTS", whole.events)
    with pytest.raises(Unreadable) as refused:
        simulated(base, 1)
    (finding,) = refused.value.findings
    said = f"expected fewer than {whole.events} events of a run, found as many in "
    assert finding.message.startswith(said)
    assert 0.9 * 5_000_000 < int(finding.message.removeprefix(said).split()[0]) < 5_000_000


def test_haltpoll_is_the_reference_s() -> None:
    base = setup("pipe", governor="haltpoll", times=((1_000, 10_000),))
    assert not simulate_core.knows(base)
    assert simulate.simulate(base, 1).switches > 100


def test_buffers_of_another_size_are_refused() -> None:
    from idle_states.tables.linux.governors.core.packing import compiled

    with pytest.raises(ValueError, match="tuple of 19 buffers"):
        compiled.simulate("menu", b"", b"", 250, (b"",), (), bytearray(16))
    with pytest.raises(BufferError):
        compiled.simulate("menu", b"", b"", 250, (b"",) * 19, (b"",) * 10, bytearray(16))


def test_a_large_machine() -> None:
    base = setup(
        "server:clients=600,gap=300us,work=20us",
        "cpus=512,threads=4,pair=2,quad=2,llc=128",
        duration_ns=300_000,
    )
    reference, compiled = both(base)
    assert compiled == reference
    assert topology.parse("cpus=512,threads=4,pair=2,quad=2,llc=128").count("quad") == 32
