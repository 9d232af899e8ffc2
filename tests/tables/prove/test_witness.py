"""Witnesses: histories that can happen, after which the governor selects a state."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.cli import main
from idle_states.tables.linux.governors import Governor, core
from idle_states.tables.linux.governors.interface import tick_ns
from idle_states.tables.linux.idle_loop import features
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GivenStates, GovernorRequest
from idle_states.tables.pipeline import held_by
from idle_states.tables.prove.answer import Proven, proven
from idle_states.tables.prove.history import IdleStep, Memory, Played, Scene
from idle_states.tables.prove.request import ProveRequest
from tests.support.thorough import examples, few

HZ = 250
TICK = tick_ns(HZ)
KERNELS = {
    "menu": ("4.4", "4.11", "4.17", "5.4", "6.1", "6.12", "7.1"),
    "teo": ("5.1", "5.10", "6.1", "6.6", "6.12", "7.1"),
    "ladder": ("4.4", "4.14", "6.1"),
}
CASES = [(name, kernel) for name, kernels in KERNELS.items() for kernel in kernels]


def found(governor: str, kernel: str, table: str = "power9", **more: int) -> Proven:
    request = ProveRequest(GovernorRequest(governor, HZ, table), release(kernel), **more)
    return proven(request, held_by(request.release, request.of))


def given_states(*times_us: tuple[int, int], polling: bool = False) -> GivenStates:
    return GivenStates(",".join(f"{exit}000/{res}000" for exit, res in times_us), polling)


def of_states(governor: str, kernel: str, states: GivenStates, **more: int) -> Proven:
    request = ProveRequest(GovernorRequest(governor, HZ, None, states), release(kernel), **more)
    return proven(request, states.states)


def can_happen(witness: tuple[Played, ...]) -> None:
    """Asserts that a witness can happen, without asking what made it."""
    stopped = False
    for one in witness:
        situation, outcome, step = one.situation, one.outcome, one.step
        assert not situation.tick_stopped or stopped, "a tick that was not stopped before"
        stopped = situation.tick_stopped or (
            one.decision.stop_tick and situation.sleep_length_ns > TICK
        )
        assert 0 <= situation.delta_next_ns <= situation.sleep_length_ns
        assert situation.tick_stopped or situation.delta_next_ns <= TICK
        event = situation.sleep_length_ns if stopped else situation.delta_next_ns
        assert outcome.residency_ns <= event + step.late_ns
        assert outcome.got_tick <= (not stopped)


@pytest.mark.parametrize(("governor", "kernel"), few(5, CASES))
def test_every_state(governor: str, kernel: str) -> None:
    result = found(governor, kernel, "power8" if kernel in ("4.4", "4.11") else "power9")
    assert len(result.proofs) >= 3
    for proof in result.proofs:
        assert proof.witness, proof.name
        assert proof.witness[-1].decision.state == proof.number
        can_happen(proof.witness)


@pytest.mark.parametrize(("governor", "kernel"), few(3, CASES))
def test_the_core_selects_the_same(governor: str, kernel: str) -> None:
    if not core.available():
        pytest.skip("the core is not installed")
    result = found(governor, kernel)
    fresh = Governor.for_kernel(governor, kernel, result.states, HZ)
    for proof in result.proofs:
        rows = core.pack((one.situation, one.outcome) for one in proof.witness or ())
        decided = core.run(governor, fresh.features, result.states, HZ, rows).states
        assert list(decided) == [one.decision.state for one in proof.witness or ()]


def test_nothing_can_be_left_out() -> None:
    result = found("menu", "5.4")
    for proof in result.proofs:
        witness = proof.witness or ()
        for number in range(len(witness) - 1):
            rest = (*witness[:number], *witness[number + 1 :])
            fresh = Governor.for_kernel("menu", "5.4", result.states, HZ)
            scene = Scene(features(release("5.4")), snoozes=True)
            try:
                shorter = scene.play_all(fresh, [one.step for one in rest])
            except ValueError:
                continue
            assert shorter[-1].decision.state != proof.number, (proof.name, number)


def test_a_far_state_needs_idles_unlike_each_other() -> None:
    """FastSleep's 300 ms: equal idles leave menu in nap, whose tick it never stops (4.19 on)."""
    (_, _, fastsleep) = found("menu", "5.4", "power8").proofs
    assert fastsleep.witness
    assert len({one.step for one in fastsleep.witness}) > 1


def test_a_tie_needs_tasks_that_wait_for_io() -> None:
    tied = given_states((104, 345), (109, 345))
    shallow = of_states("menu", "6.1", tied).proofs[1]
    assert shallow.witness
    assert shallow.witness[-1].situation.nr_iowaiters > 0
    assert of_states("menu", "6.13", tied).proofs[1].unreachable


def test_a_tie_needs_a_utilised_cpu() -> None:
    tied = given_states((104, 345), (109, 345))
    shallow = of_states("teo", "6.3", tied).proofs[1]
    assert shallow.witness
    assert shallow.witness[-1].situation.cpu_util > 0
    assert of_states("teo", "6.12", tied).proofs[1].unreachable


def test_a_latency_limit() -> None:
    states = given_states((2, 20), (100, 500))
    assert all(proof.witness for proof in of_states("menu", "6.1", states).proofs)
    limited = of_states("menu", "6.1", states, limit_us=50).proofs
    assert [bool(proof.witness) for proof in limited] == [True, True, False]


def test_waking_lengthens_what_is_measured() -> None:
    for one in found("menu", "6.1", wake_ns=7_000).proofs[-1].witness or ():
        if one.outcome.got_tick and one.decision.state:
            assert one.outcome.residency_ns == min(one.situation.delta_next_ns, TICK) + 7_000


@given(
    st.lists(
        st.builds(
            IdleStep,
            st.integers(0, 10**10),
            st.none() | st.integers(0, 10**8),
            st.none() | st.integers(0, TICK),
            st.booleans(),
            st.integers(0, 3),
            st.integers(0, 10**5),
        ),
        max_size=20,
    )
)
@settings(max_examples=examples(30, 100))
def test_whatever_is_played_can_happen(steps: list[IdleStep]) -> None:
    scene = Scene(features(release("6.1")))
    states = given_states((2, 20), (100, 500), (200, 9000), polling=True).states
    governor = Governor.for_kernel("menu", "6.1", states, HZ)
    memory, played = Memory(), []
    for step in steps:
        if step.tick_stopped and not memory.stopped:
            with pytest.raises(ValueError, match="found one that runs"):
                scene.play(governor, step, memory)
            continue
        one, memory = scene.play(governor, step, memory)
        played.append(one)
    can_happen(tuple(played))


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prove", "power9", "--kernel", "6.1"]
    assert main(words) == 0
    output = capsys.readouterr().out
    assert "snooze: selected by the last of 1 idle period\n  1 x timer in" in output
    assert output.endswith("7 states: 7 selected.\n")
    assert main([*words, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["inputs"][0]["file"].endswith("power9.yaml")
    for state in document["states"]:
        assert state["witness"][-1]["state"] == state["index"]
        assert state["unreachable"] is None
