"""Random histories: the core plays them as the reference does, and they find what is reached where
nobody thought of a way."""

from itertools import islice
from random import Random

import pytest

from idle_states.tables.linux.governors import Governor, State, core
from idle_states.tables.linux.qos import NO_LIMIT_US
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GivenStates, GovernorRequest
from idle_states.tables.prove import witness
from idle_states.tables.prove.answer import Proven, proven, scene_of
from idle_states.tables.prove.playing import player_of
from idle_states.tables.prove.request import ProveRequest
from idle_states.tables.prove.wandering import random_histories
from tests.support.thorough import examples, few
from tests.tables.prove.test_proof import MENU, TEO, asked, random_table

KERNELS = [
    ("menu", "6.6"), ("teo", "6.6"), ("ladder", "6.1"), ("menu", "4.4"), ("menu", "4.18.20"),
    *(("menu", each) for each in MENU), *(("teo", each) for each in TEO), ("ladder", "4.4"),
]  # fmt: skip


def of_times(governor: str, kernel: str, hz: int, states: str, limit_us: int) -> Proven:
    given = GivenStates(states, False)
    of = GovernorRequest(governor, hz, None, given)
    return proven(ProveRequest(of, release(kernel), limit_us), given.states)


@pytest.mark.parametrize(("governor", "kernel"), few(5, KERNELS))
def test_the_core_plays_as_the_reference(governor: str, kernel: str) -> None:
    if not core.available():
        pytest.skip("the core is not installed")
    random = Random(f"playing {governor} {kernel}")
    for _ in range(examples(4, 20)):
        states = random_table(random)
        limit_us = random.choice((NO_LIMIT_US, 20, 150))
        scene = scene_of(asked(governor, kernel, limit_us), states)

        def make() -> Governor:
            return Governor.for_kernel(governor, kernel, states, 250)  # noqa: B023

        histories = [*islice(random_histories(make()), 40)]
        search = witness.Search(make, scene)
        for history in histories:
            search._run(history)
        player = player_of(make(), scene)
        assert player
        led = player.leading(histories, range(len(states)))
        again = witness.Search(make, scene)
        for history in led:
            again._run(history)
        assert again.found == search.found


@pytest.mark.parametrize(
    ("governor", "kernel", "hz", "states", "limit_us", "state"),
    [
        ("menu", "5.4.286", 100, "4000/4000,200000/60000000,204000/204000,5000/30000",
         NO_LIMIT_US, 4),
        ("menu", "6.1", 250, "1000/10000,10000/100000,1000/2000,45000/450000", NO_LIMIT_US, 3),
        ("menu", "4.18.20", 1000, "5000/144000,244000/4528000,264000/16624000", NO_LIMIT_US, 3),
        ("menu", "6.1.141", 1000, "60000/1000,60000/149331000", 3000, 2),
    ],
)  # fmt: skip
def test_what_random_decisions_reach_has_a_witness(
    governor: str, kernel: str, hz: int, states: str, limit_us: int, state: int
) -> None:
    """The kernel's own C selected them in one of eight to one of fifty random decisions."""
    proof = of_times(governor, kernel, hz, states, limit_us).proofs[state]
    assert proof.witness
    assert proof.witness[-1].decision.state == state


def test_they_are_the_same_each_time() -> None:
    governor = Governor.for_kernel("menu", "6.1", [State(0, 0), State(2000, 20_000)], 250)
    first, second = (list(islice(random_histories(governor), 50)) for _ in range(2))
    assert first == second
    assert len(set(first)) == 50


def test_without_the_core_they_are_tried_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "player_of", lambda governor, scene: None)
    states = "1000/10000,10000/100000,1000/2000,45000/450000"
    assert of_times("menu", "6.1", 250, states, NO_LIMIT_US).proofs[3].witness
