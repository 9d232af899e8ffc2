"""Proofs: nothing is found that they exclude, and they exclude nothing that is found."""

from dataclasses import replace
from itertools import islice, product
from random import Random

import pytest

from idle_states.cli import main
from idle_states.tables.linux.governors import Governor, State, core
from idle_states.tables.linux.qos import NO_LIMIT_US
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GovernorRequest
from idle_states.tables.pipeline import held_by
from idle_states.tables.prove import of_menu
from idle_states.tables.prove.answer import proven, refuting, scene_of
from idle_states.tables.prove.request import ProveRequest
from idle_states.tables.prove.witness import Search
from tests.support.thorough import examples, few
from tests.tables.prove.random_rows import random_rows

HZ = 250
MENU = ("7.1", "6.13", "6.6", "4.4", "4.6", "4.11", "4.14", "4.17", "4.19", "4.20", "5.4", "5.13",
        "6.15", "6.17", "6.18", "6.19", "7.0", "debian-6.12.57")  # fmt: skip
TEO = ("7.0", "6.6", "5.1", "5.4", "5.5", "5.13", "5.14", "6.3", "6.11", "6.14", "6.19")
CASES = [
    *(("menu", kernel) for kernel in MENU[:3]),
    ("ladder", "6.1"),
    ("haltpoll", "6.1"),
    ("teo", "6.1"),
    ("teo", "7.1"),
    *(("menu", kernel) for kernel in MENU[3:]),
    *(("teo", kernel) for kernel in TEO),
    ("ladder", "4.4"),
    ("ladder", "5.4"),
]


def random_table(random: Random) -> list[State]:
    """States with residencies that tie, or fall, and latencies likewise."""
    count = random.randint(2, 6)
    exits = sorted(random.choice((0, 1, 2, 10, 50, 133, 200, 900)) for _ in range(count))
    residencies = sorted(random.choice((0, 2, 14, 20, 100, 345, 600, 5000)) for _ in range(count))
    for times in (exits, residencies):
        times[0] = random.choice((0, 0, times[0]))
        if random.random() < 0.2:
            random.shuffle(times)
    polls = random.random() < 0.5
    return [
        State(exit_us * 1000, residency_us * 1000, polls and not number)
        for number, (exit_us, residency_us) in enumerate(zip(exits, residencies, strict=True))
    ]


def asked(governor: str, kernel: str, limit_us: int = NO_LIMIT_US) -> ProveRequest:
    return ProveRequest(GovernorRequest(governor, HZ, "not read"), release(kernel), limit_us)


def refuted(
    governor: str,
    kernel: str,
    states: list[State],
    limit_us: int,
    disabled: frozenset[int] = frozenset(),
) -> set[int]:
    """Numbers of the states that there is a proof for, whether or not there is a witness."""
    scene = replace(scene_of(asked(governor, kernel, limit_us), states), disabled=disabled)
    model = Governor.for_kernel(governor, kernel, states, HZ)
    refutes = refuting(model, scene, tuple(map(str, range(len(states)))))
    return {number for number in range(len(states)) if refutes(number)}


@pytest.mark.parametrize(("governor", "kernel"), few(5, CASES))
def test_random_search_finds_no_counterexample(governor: str, kernel: str) -> None:
    if not core.available():
        pytest.skip("the core is not installed")
    random = Random(f"{governor} {kernel}")
    left = examples(4, 8)
    while left:
        states = random_table(random)
        limit_us = random.choice((NO_LIMIT_US, NO_LIMIT_US, 0, 20, 150))
        off = frozenset(i for i in range(len(states)) if random.random() < 0.15)
        never = refuted(governor, kernel, states, limit_us, off)
        if not never - off:
            continue
        left -= 1
        rows = islice(random_rows(random, states, HZ, limit_us, off), 1200)
        # menu and teo hold whatever is entered; ladder starts from there.
        packed = core.pack(rows, as_selected=governor == "ladder")
        features = Governor.for_kernel(governor, kernel, states, HZ).features
        taken = set(core.run(governor, features, states, HZ, packed).states)
        assert not taken & never, (states, off, limit_us, taken & never)


@pytest.mark.parametrize(
    ("governor", "kernel"), few(2, [*product(["menu"], MENU), *product(["teo"], TEO)])
)
def test_no_proof_of_what_is_selected(governor: str, kernel: str) -> None:
    """A state that has a witness is asked for a proof, too, which `prove` does not do."""
    random = Random(f"{governor} {kernel}")
    for _ in range(examples(3, 4)):
        states = random_table(random)
        scene = scene_of(asked(governor, kernel), states)
        search = Search(lambda: Governor.for_kernel(governor, kernel, states, HZ), scene)  # noqa: B023
        assert not search.quickly() & refuted(governor, kernel, states, NO_LIMIT_US)


def test_a_proof_that_knows_of_no_way_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_menu.MenuProof, "_ways", lambda self, state: iter(()))
    states = [State(0, 0), State(2000, 20_000), State(10_000, 90_000)]
    scene = scene_of(asked("menu", "6.1"), states)
    found = Search(lambda: Governor.for_kernel("menu", "6.1", states, HZ), scene).quickly()
    assert found & refuted("menu", "6.1", states, NO_LIMIT_US) == {0, 1, 2}


@pytest.mark.parametrize(
    ("table", "kernel", "name"),
    [("intel:snb", "6.13", "C6"), ("intel:skl", "7.1", "C7s"), ("intel:ivb", "6.17", "C6")],
)
def test_ties_of_intel(table: str, kernel: str, name: str) -> None:
    request = ProveRequest(GovernorRequest("menu", HZ, table), release(kernel))
    result = proven(request, held_by(request.release, request.of))
    assert [proof.name for proof in result.proofs if proof.unreachable] == [name]
    assert not any(proof.undecided for proof in result.proofs)


def test_ladder_has_no_rung_that_polls() -> None:
    request = ProveRequest(GovernorRequest("ladder", HZ, "intel:skx"), release("6.1"))
    first, *others = proven(request, held_by(request.release, request.of)).proofs
    assert first.unreachable
    assert "polls" in first.unreachable.because
    assert all(proof.witness for proof in others)


def test_haltpoll_knows_two_states() -> None:
    request = ProveRequest(GovernorRequest("haltpoll", HZ, "power9"), release("6.1"))
    result = proven(request, held_by(request.release, request.of))
    assert [bool(proof.witness) for proof in result.proofs] == [True, True] + 5 * [False]
    assert all(proof.unreachable for proof in result.proofs[2:])


def test_the_first_of_a_tie() -> None:
    """Times below a microsecond, which menu of 5.1 takes for 0: snooze has nothing left."""
    states = [State(0, 0), State(1, 1), State(2_000, 20_000)]
    assert refuted("menu", "5.1", states, NO_LIMIT_US) == {0}
    assert refuted("menu", "6.1", states, NO_LIMIT_US) == set()


def test_beyond_the_limit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--states", "2000/20000,60000/500000", "--latency-limit", "50"]) == 1
    output = capsys.readouterr().out
    assert "state2: never selected\n  state2 takes longer to leave than the latency limit" in output
    assert "\n3 states: 2 selected and 1 never selected.\n" in output


@pytest.mark.parametrize("governor", ["menu", "ladder", "haltpoll"])
@pytest.mark.parametrize("kernel", few(1, ("6.1", "5.15", "6.12", "7.1")))
def test_a_limit_leaves_nothing_undecided(governor: str, kernel: str) -> None:
    """With one of 0, as of cyclictest, each governor returns state 0 at once."""
    for limit_us in (0, 3, 15, 150):
        request = ProveRequest(GovernorRequest(governor, HZ, "power9"), release(kernel), limit_us)
        proofs = proven(request, held_by(request.release, request.of)).proofs
        assert not any(each.undecided for each in proofs), limit_us
        if not limit_us:
            assert [bool(each.witness) for each in proofs] == [True] + 6 * [False]


def test_with_the_tick_stopped_menu_goes_beyond_the_limit() -> None:
    """menu_select() takes what fits before the next event then, whatever its exit latency."""
    request = ProveRequest(GovernorRequest("menu", HZ, "power9"), release("6.1"), 15)
    *_, stop4, stop5 = proven(request, held_by(request.release, request.of)).proofs
    assert stop4.witness
    assert stop4.witness[-1].situation.tick_stopped
    assert stop5.unreachable
