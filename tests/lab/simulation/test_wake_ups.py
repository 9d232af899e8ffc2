"""The first wake-ups of simulations, and the experiments under which published effects show."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.lab.simulation.experiments import EXPERIMENTS
from idle_states.lab.simulation.simulate import Simulation, simulate
from idle_states.lab.simulation.wake_ups import Visits, WakeUp, by_cluster, repeated, visits
from tests.support import commands
from tests.support.commands import outcome
from tests.support.simulations import setup


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict]:  # type: ignore[type-arg]
    """Placement or table -> what simulate says of it."""
    status, found = outcome(capsys, "simulate", *words)
    assert status == 0
    return {each["table"].rpartition(", ")[2]: each for each in found["tables"]}


@given(
    st.lists(st.integers(0, 3), max_size=6),
    st.lists(st.integers(0, 3), min_size=1, max_size=5),
    st.integers(2, 5),
)
def test_what_repeats_is_found(lead: list[int], cycle: list[int], times: int) -> None:
    values = lead + cycle * times
    first, again = repeated(values)
    assert len(first) + len(again) <= len(lead) + len(cycle)
    assert again
    rest = len(values) - len(first)
    assert rest >= 2 * len(again)
    assert list(first) + [again[i % len(again)] for i in range(rest)] == values


def test_what_does_not_repeat() -> None:
    assert repeated([]) == ((), ())
    assert repeated([3]) == ((3,), ())
    assert repeated([1, 2, 3]) == ((1, 2, 3), ())
    assert repeated([1, 2, 3, 3]) == ((1, 2), (3,))
    assert repeated([0, 1, 0, 1, 0]) == ((), (0, 1))


@pytest.mark.parametrize(("recent", "cycle"), [("off", (0, 1, 2, 3, 4, 5, 6, 7)), ("on", (0, 1))])
def test_hand_offs(recent: str, cycle: tuple[int, ...]) -> None:
    """0, 1, 2, 3 ... against 0, 1, 0, 1 ..., and who woke whom."""
    given_setup = setup("hand-off", "cpus=8", policy=f"recent_used_cpu={recent}")
    found = Simulation(given_setup, 1).first_wake_ups(60)
    assert visits(found) == (Visits(0, 31, (), cycle), Visits(1, 30, (), cycle))
    assert all((one.waker, one.task) in {(0, 1), (1, 0)} for one in found)
    assert all(one.cpu == one.waker_cpu and one.state is None for one in found if one.task)
    assert all(one.cpu != one.waker_cpu for one in found if not one.task)


@pytest.mark.parametrize("workload", ["schbench", "server:gap=300us", "periodic", "ebizzy"])
def test_wake_ups_are_those_of_the_run(workload: str) -> None:
    """Their latencies and CPUs are the run's own; those that a timer began have no waker."""
    given_setup = setup(workload, "cpus=4,threads=2", duration_ns=5_000_000)
    run = simulate(given_setup, 3, trace=10_000)
    found = Simulation(given_setup, 3).first_wake_ups(100_000)
    assert len(found) == sum(run.latencies.values())
    assert max(one.latency_ns for one in found) == run.latency_max_ns
    began = {(one.time_ns + one.latency_ns - 600, one.cpu, one.task) for one in found}
    assert began <= set(run.trace)
    assert found[:7] == Simulation(given_setup, 3).first_wake_ups(7)
    for one in found:
        assert (one.waker is None) == (one.waker_cpu is None)
        if one.state is not None and one.waker is not None:
            # another CPU's wake-up of an idle one pays at least the exit latency
            assert one.latency_ns >= given_setup.effects[one.state].exit_ns
    if workload.startswith(("server", "ebizzy")):
        assert {one.waker for one in found} == {None}
    assert any(one.state is not None for one in found)


def test_clusters_are_counted() -> None:
    machine = setup("pipe", "cpus=8,cluster=4").topology
    some = [WakeUp(0, None, None, 0, cpu, None, 0) for cpu in (0, 3, 4, 4, 7)]
    assert by_cluster(some, machine) == (2, 3)


def test_recently_used_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    found = shown(capsys, "recent-used-cpu", "--duration", "20ms")
    cycles = {name: each["sequence"]["tasks"][0]["cycle"] for name, each in found.items()}
    assert cycles == {"recent_used_cpu=off": list(range(8)), "recent_used_cpu=on": [0, 1]}
    assert [each["placement"]["recent_used_cpu"] for each in found.values()] == [False, True]


def test_small_cores(capsys: pytest.CaptureFixture[str]) -> None:
    """Told apart, the halves of a fused core send more wake-ups to CEDE, and that costs more than
    where CEDE is off."""
    lost = {}
    for off in ((), ("--disabled", "CEDE")):
        big, small = shown(capsys, "small-core", "--duration", "100ms", *off).values()
        lost[off] = 1 - small["counted_per_s"]["mean"] / big["counted_per_s"]["mean"]
        if not off:
            to_cede = [
                each["states"][1]["usage"]["mean"] / each["counted_per_s"]["mean"]
                for each in (big, small)
            ]
            assert to_cede[1] > 1.1 * to_cede[0]
            assert small["sequence"]["smallcore_masks"] == [[0, 2, 4, 6], [1, 3, 5, 7]]
            assert small["sequence"]["sibling_masks"] == [list(range(8))]
    assert lost[()] > 2 * lost["--disabled", "CEDE"] > 0


def test_clusters(capsys: pytest.CaptureFixture[str]) -> None:
    off, on = shown(capsys, "cluster", "--duration", "20ms").values()
    busy = [
        sum(each["wake_ups"] > 0 for each in found["sequence"]["clusters"]) for found in (off, on)
    ]
    assert busy == [2, 6]


def test_options_replace_those_of_an_experiment(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--states", "1000/10000", "--duration", "1ms", "--topology", "cpus=3")
    status, found = outcome(capsys, "simulate", "recent-used-cpu", *words)
    assert status == 0
    assert (found["topology"]["cpus"], found["duration_ns"]) == (3, 1_000_000)
    assert [len(each["states"]) for each in found["tables"]] == [2, 2]


def test_experiments_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each is listed with the command line that gives what its name gives."""
    _, text, _ = commands.run(capsys, "simulate", "--list")
    unbroken = re.sub(r"\s+", " ", text)
    for name, experiment in EXPERIMENTS.items():
        assert f"{name}, an experiment" in unbroken
        assert " ".join(experiment.words) in unbroken
    name = "stop0-lite"
    words = list(EXPERIMENTS[name].words)
    words[words.index("--duration") + 1] = "1ms"
    by_words = outcome(capsys, "simulate", *words)
    assert by_words == outcome(capsys, "simulate", name, "--duration", "1ms")
    assert "--sequence" in commands.run(capsys, "simulate", "pipe", "--sequence", "0")[2]


def test_text_shows_the_first_and_counts_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("pipe", "--table", "power9", "--duration", "50ms", "--sequence", "20")
    status, text, _ = commands.run(capsys, "simulate", *words)
    assert status == 0
    assert "The first 20 wake-ups, seed 1" in text
    assert "  and 12 more\n" in text
    assert "  reader runs on CPU 1 only\n" in text
    assert "wake-ups, seed" not in commands.run(capsys, "simulate", *words[:-2])[1]
