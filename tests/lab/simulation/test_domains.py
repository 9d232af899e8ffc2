"""Power domains in simulations: clusters in a system."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.cli import main
from idle_states.lab.replay.machine import from_driver
from idle_states.lab.simulation import by_core, idle_periods, simulate
from idle_states.lab.simulation.actors import EXITING, IDLE, SimulatedCpu
from idle_states.lab.simulation.consumption import of_runs
from idle_states.lab.simulation.programs import Duration, Op, OpKind, Spread, Task, Workload
from idle_states.lab.simulation.setup import Effect, Setup, SimulationRun
from idle_states.lab.simulation.summary import summary
from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.linux.dt_idle import register, tree_domains
from idle_states.tables.linux.genpd.gates import Answer
from idle_states.tables.linux.genpd.governor import NO_LATENCY_LIMIT_US
from idle_states.tables.linux.genpd.running import RunningDomains
from idle_states.tables.linux.genpd.tables import CpuDomain
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.suspend_parameter import PsciFirmware
from idle_states.tables.power.figures import from_words
from idle_states.tables.selection.domains import domain_selections
from tests.lab.replay.test_domains import common
from tests.support.clusters import CPU_SLEEP, board, written
from tests.support.compiled import needs_core
from tests.support.simulations import setup
from tests.support.thorough import examples, few

US, MS = 1_000, 1_000_000
KERNELS = ("5.8", "5.15", "5.18.2", "6.1", "6.6", "6.12.40", "7.3")


@cache
def machine(
    sizes: tuple[int, ...],
    kernel: str,
    osi: bool = True,
    riscv: bool = False,
    system: bool = True,
) -> tuple[Setup, tuple[CpuDomain, ...]]:
    """A machine of a tree, with no workload yet."""
    more = {} if system else {"system": ()}
    listed = idle_nodes.lists_of(board(sizes, riscv=riscv, **more), "x")[0]  # type: ignore[arg-type]
    chosen, firmware = release(kernel), PsciFirmware(osi=osi)
    driver = register(idle_nodes.table_of(listed, "dtb", "x", ""), chosen, firmware)
    table = from_driver(driver)
    effects = tuple(Effect(each.exit_ns, 0, False) for each in table.states)
    base = setup("server", f"cpus={sum(sizes)}", kernel=kernel)
    domains = tree_domains(listed, chosen, firmware)
    return replace(base, table=table, effects=effects, domains=domains), domains


def sleepers(*sleeps_us: int, run_us: int = 50) -> Workload:
    """A task on each CPU, which computes and sleeps."""
    run = Op(OpKind.RUN, Duration(run_us * US))
    return Workload(
        "sleepers",
        tuple(
            Task(f"t{cpu}", 0, (Op(OpKind.SLEEP, Duration(us * US)), run), cpu)
            for cpu, us in enumerate(sleeps_us)
        ),
    )


def watched(
    base: Setup, seed: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[SimulationRun, dict[int, list[tuple[int, int]]]]:
    """The run, and CPU -> its idle periods in the last state, the unfinished included."""
    found: dict[int, list[tuple[int, int]]] = {cpu: [] for cpu in range(base.topology.cpus)}
    end = idle_periods.IdlePeriods.end

    def ended(self: idle_periods.IdlePeriods, cpu: SimulatedCpu, *, time_limit: bool) -> None:
        if cpu.state == 1:
            found[cpu.number].append((cpu.since_ns, self._schedule.now_ns))
        end(self, cpu, time_limit=time_limit)

    with monkeypatch.context() as patched:
        patched.setattr(idle_periods.IdlePeriods, "end", ended)
        simulation = simulate.Simulation(base, seed)
        run = simulation.run()
    for cpu in simulation._cpus:
        if cpu.phase in (IDLE, EXITING) and cpu.state == 1:
            found[cpu.number].append((cpu.since_ns, base.duration_ns))
    return run, found


def test_waking_delays_the_task() -> None:
    """All CPUs sleep for 40 ms; the first of a system that is off waits for it, for its cluster and
    for itself."""
    base, _ = machine((2, 2), "6.6")
    alone = replace(base, workload=sleepers(40_000, 400_000, 400_000, 400_000), duration_ns=43 * MS)
    costs = base.costs.wake + base.costs.switch
    found = simulate.simulate(alone, 1)
    cpu_ns = sum(CPU_SLEEP[:2]) * US
    assert found.latency_max_ns == cpu_ns + (1_000 + 500) * US + costs
    assert (found.waited, found.waited_ns) == (1, 1_500 * US)
    without = simulate.simulate(replace(alone, domains=()), 1)
    assert without.latency_max_ns == cpu_ns + costs
    assert without.domains == ()


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(100, 25_000), min_size=4, max_size=4), st.sampled_from(KERNELS))
def test_no_domain_is_off_for_longer_than_all_its_cpus_idle(
    sleeps_us: list[int], kernel: str
) -> None:
    base, _ = machine((2, 2), kernel)
    one = replace(base, workload=sleepers(*sleeps_us), duration_ns=100 * MS)
    with pytest.MonkeyPatch.context() as monkeypatch:
        run, periods = watched(one, 1, monkeypatch)
    for domain in run.domains:
        shared = common([periods[cpu] for cpu in domain.cpus])
        assert domain.time_us <= sum(end - start for start, end in shared) // US
        assert domain.usage + domain.stayed_on <= len(shared)


@pytest.mark.parametrize("kernel", KERNELS)
def test_decisions_are_those_of_select(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster enters at each time to the nearest timer of its CPUs what select names."""
    base, _ = machine((2, 2), kernel)
    (selected,) = (
        each
        for each in domain_selections(
            register(
                idle_nodes.table_of(idle_nodes.lists_of(board(), "x")[0], "dtb", "x", ""),
                release(kernel),
            ),
            release(kernel),
            [NO_LATENCY_LIMIT_US],
        )
        if each.domain.level == "cluster"
    )
    timers: dict[int, int] = {}
    seen: list[tuple[int, int | None]] = []
    idles = RunningDomains.idles

    def asked(self: RunningDomains, cpu: int, now_ns: int, timer_ns: int) -> list[Answer]:
        timers[cpu] = timer_ns
        answers = idles(self, cpu, now_ns, timer_ns)
        for answer in answers:
            if answer.domain.cpus == {0, 1} and not answer.refusal.startswith(("a ", "one")):
                seen.append((min(timers[0], timers[1]) - now_ns, answer.state))
        return answers

    monkeypatch.setattr(RunningDomains, "idles", asked)
    span = Duration(300 * US, 9 * MS, Spread.UNIFORM)
    ops = Op(OpKind.SLEEP, span), Op(OpKind.RUN, Duration(200 * US))
    load = Workload("w", tuple(Task(f"t{cpu}", 0, ops, cpu) for cpu in range(4)))
    simulate.simulate(replace(base, workload=load, duration_ns=500 * MS), 1)
    assert len({state for _, state in seen}) == (3 if kernel != "5.18.2" else 1)
    assert len(seen) > 20
    for idle_ns, state in seen:
        (found,) = (
            each.state
            for each in selected.maps[0].ranges
            if each.first_ns <= idle_ns and (each.last_ns is None or idle_ns <= each.last_ns)
        )
        assert state == found


@pytest.mark.parametrize(
    ("kernel", "osi", "riscv", "alive"),
    [
        ("5.5", True, False, False),
        ("5.8", True, False, True),
        ("6.6", False, False, False),
        ("5.19", True, True, True),
        ("6.6", False, True, True),
    ],
)
def test_kernels_and_modes_without(kernel: str, osi: bool, riscv: bool, alive: bool) -> None:
    base, _ = machine((2, 2), kernel, osi, riscv)
    long = replace(base, workload=sleepers(*[40_000] * 4), duration_ns=200 * MS)
    found = simulate.simulate(long, 1)
    assert (sum(domain.usage for domain in found.domains) > 0) == alive
    assert (found.waited > 0) == alive


@needs_core
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "name", few(1, ["server:clients=6,gap=900us", "schbench", "hand-off", "pipe"])
)
def test_the_core_is_the_same(name: str, kernel: str) -> None:
    base, _ = machine((1, 3, 2), kernel)
    load = setup(name, "cpus=6").workload
    least_us = base.table.states[-1].exit_ns // US
    for tick, jitter, limit_us in ((100, 0, NO_LATENCY_LIMIT_US), (1000, 700, least_us)):
        table = replace(base.table, limit_us=limit_us)
        one = replace(base, table=table, workload=load, hz=tick, duration_ns=15 * MS)
        one = replace(one, costs=replace(one.costs, jitter=jitter))
        assert by_core.knows(one)
        assert by_core.simulate(one, 3, 50) == simulate.simulate(one, 3, 50)


@st.composite
def any_load(draw: st.DrawFn) -> Workload:
    """Tasks that compute and sleep, of which some wait for one that wakes them."""
    times = st.sampled_from([300, 1_200, 3_500, 12_000, 40_000])

    def duration() -> Duration:
        low = draw(times) * US
        if draw(st.booleans()):
            return Duration(low, 2 * low, Spread.UNIFORM)
        return Duration(low)

    tasks = []
    for number in range(draw(st.integers(1, 6))):
        ops = [Op(OpKind.RUN, Duration(draw(st.integers(1, 500)) * US))]
        if number and draw(st.booleans()):
            ops.append(Op(OpKind.WAIT))
        else:
            ops.append(Op(OpKind.SLEEP, duration()))
            ops.append(Op(OpKind.WAKE, first=draw(st.integers(0, number)), count=1))
        bound = draw(st.sampled_from([None, 0, 1, 3]))
        tasks.append(Task(f"t{number}", 0, tuple(ops), bound))
    return Workload("random", tuple(tasks))


@needs_core
@settings(
    max_examples=examples(10, 20), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    any_load(),
    st.sampled_from([(2, 2), (4,), (1, 1, 2), (3, 1)]),
    st.sampled_from(KERNELS),
    st.booleans(),
    st.sampled_from(["menu", "teo"]),
    st.integers(0, 1 << 32),
)
def test_any_load_on_any_tree(
    load: Workload,
    sizes: tuple[int, ...],
    kernel: str,
    system: bool,
    governor: str,
    seed: int,
) -> None:
    base, _ = machine(sizes, kernel, system=system)
    one = replace(base, workload=load, governor=governor, duration_ns=150 * MS)
    assert by_core.simulate(one, seed, 50) == simulate.simulate(one, seed, 50)


@needs_core
def test_more_cpus_than_the_tree_has() -> None:
    base, _ = machine((2, 2), "6.6")
    load = sleepers(*[9_000] * 6)
    more = replace(setup("server", "cpus=6").topology, name="more")
    one = replace(base, workload=load, topology=more, duration_ns=200 * MS)
    found = simulate.simulate(one, 1)
    assert by_core.simulate(one, 1) == found
    assert [domain.cpus for domain in found.domains] == [(0, 1), (2, 3), (0, 1, 2, 3)]
    assert found.domains[0].usage > 10


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The machine has as many CPUs as the tree; all totals are those of the runs."""
    tree = written(board((2, 2, 2)), tmp_path / "x.dtb")
    page = tmp_path / "page.html"
    load = ["server:clients=3,gap=6ms", "--table", tree, "--duration", "200ms", "--runs", "2"]
    words = ["simulate", *load, "--kernel", "6.6", "--html", str(page)]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["topology"]["cpus"] == 6
    (table,) = found["tables"]
    assert [(of["level"], of["cpus"]) for of in table["domains"]] == [
        ("cluster", [0, 1]),
        ("cluster", [2, 3]),
        ("cluster", [4, 5]),
        ("system", [0, 1, 2, 3, 4, 5]),
    ]
    for number, of in enumerate(table["domains"]):
        for at, state in enumerate(of["states"]):
            ran = [run["domains"][number]["states"][at]["usage"] for run in table["runs"]]
            assert state["usage"]["mean"] == sum(ran) / 2
    assert all(run["waited"] for run in table["runs"])
    assert any("powers up when any of its CPUs wakes" in note for note in table["domain_notes"])
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "\ncluster-pd2, cluster of CPU 4-5\n" in text
    assert "waited for a power domain: " in text
    assert "system-pd, system of CPU 0-5" in page.read_text()
    assert main([*words, "--platform", "psci-mode=pc", "--topology", "cpus=8"]) == 0
    text = capsys.readouterr().out
    assert "never off: firmware offers no OS-initiated mode" in text
    assert "cluster of CPU" not in text


def test_other_topologies_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = written(board((2, 2)), tmp_path / "x.dtb")
    words = ["simulate", "server:clients=3", "--table", tree, "--duration", "20ms"]
    assert main([*words, "--kernel", "6.6", "--topology", "cpus=6"]) == 0
    assert "in none of the tree's power domains with states: CPU 4-5" in capsys.readouterr().out
    assert main([*words, "--kernel", "6.6", "--topology", "cpus=3"]) == 0
    assert "CPUs of the tree that do not appear are offline: 3\n" in capsys.readouterr().out


def test_energy_says_that_domains_are_not_in_it() -> None:
    given, _ = machine((2, 2), "6.1")
    with_work = replace(given, workload=sleepers(500, 500, 500, 500), duration_ns=5 * MS)
    draws = from_words(f"{with_work.table.names[0]}=0.5", dict.fromkeys(with_work.table.names, 1))
    for setup_of, told in ((with_work, True), (replace(with_work, domains=()), False)):
        found = summary(setup_of, [simulate.simulate(setup_of, 1)])
        energy = of_runs([found], draws)
        assert energy is not None
        assert told == any(
            "savings of power domains" in words for words in energy.model.assumptions
        )
