"""The solver's description of governors: what it confirms, and that it can object."""

import sys
from random import Random

import pytest

from idle_states.cli import main
from idle_states.extras import remedy
from idle_states.linux.governors import Governor, State
from idle_states.linux.governors.given import GovernorRequest
from idle_states.linux.idle_loop import NO_LIMIT_US
from idle_states.linux.releases import release
from idle_states.pipeline import held_by
from idle_states.prove.request import ProveRequest, proven, refuting, scene_of
from idle_states.prove.smt import Solver
from tests.prove.test_proof import MENU, TEO, random_table
from tests.support.thorough import examples, few

HZ = 250


def solver(governor: str, kernel: str, states: list[State], limit_us: int) -> Solver:
    pytest.importorskip("z3")
    request = ProveRequest(GovernorRequest(governor, HZ, "not read"), release(kernel), limit_us)
    model = Governor.for_kernel(governor, kernel, states, HZ)
    return Solver(model, scene_of(request, states))


def refuted(governor: str, kernel: str, states: list[State], limit_us: int) -> set[int]:
    request = ProveRequest(GovernorRequest(governor, HZ, "not read"), release(kernel), limit_us)
    model = Governor.for_kernel(governor, kernel, states, HZ)
    refutes = refuting(model, scene_of(request, states), tuple(map(str, range(len(states)))))
    return {number for number in range(len(states)) if refutes(number)}


@pytest.mark.parametrize(
    ("governor", "kernel"),
    few(
        1,
        [
            ("menu", "7.1"),
            ("ladder", "6.1"),
            *(("menu", kernel) for kernel in MENU[1:]),
            *(("teo", kernel) for kernel in TEO),
        ],
    ),
)
def test_confirms_proofs_of_random_tables(governor: str, kernel: str) -> None:
    random = Random(f"z3 {governor} {kernel}")
    left = examples(2, 4)
    while left:
        states, limit_us = random_table(random), random.choice((NO_LIMIT_US, 20, 150))
        never = refuted(governor, kernel, states, limit_us)
        if never:
            asked = solver(governor, kernel, states, limit_us)
            assert not {number for number in never if asked.selects(number) is not False}
            left -= 1


@pytest.mark.parametrize(
    ("governor", "kernel", "table"),
    few(1, [("haltpoll", "6.1", "power9"), ("menu", "6.13", "intel:snb"), ("menu", "7.1", "power9"),
            ("ladder", "6.1", "intel:skx"), ("menu", "4.17", "power8"),
            ("teo", "6.18", "intel:snb"), ("teo", "6.6", "intel:snb")]),
)  # fmt: skip
def test_finds_what_has_a_witness(governor: str, kernel: str, table: str) -> None:
    pytest.importorskip("z3")
    request = ProveRequest(GovernorRequest(governor, HZ, table), release(kernel))
    held = held_by(request.release, request.of)
    model = Governor.for_kernel(governor, kernel, held, HZ)
    asked = Solver(model, scene_of(request, held))
    for proof in proven(request, held).proofs:
        assert asked.selects(proof.number) is bool(proof.witness), proof.name


def test_objects_to_a_false_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof that knows of no way to any state does not pass."""
    from idle_states.prove import of_menu

    pytest.importorskip("z3")
    monkeypatch.setattr(of_menu.MenuProof, "_ways", lambda self, state: iter(()))
    monkeypatch.setattr("idle_states.prove.witness.Search.quickly", lambda self: frozenset())
    request = ProveRequest(GovernorRequest("menu", HZ, "not read"), release("6.1"), check=True)
    result = proven(request, [State(0, 0), State(2000, 20_000), State(10_000, 90_000)])
    assert all(proof.undecided for proof in result.proofs)


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("z3")
    assert main(["prove", "intel:snb", "--kernel", "6.13", "--check"]) == 1
    assert "confirms it.\n" in capsys.readouterr().out


def test_without_z3(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    assert main(["prove", "power9", "--kernel", "6.1", "--check"]) == 3
    assert remedy("prove") in capsys.readouterr().err
