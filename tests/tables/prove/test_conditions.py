"""While what a state that ties is selected: nothing is found that contradicts it."""

from itertools import islice
from random import Random

import pytest

from idle_states.tables.linux.governors import Governor, Situation, core
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GovernorRequest
from idle_states.tables.pipeline import held_by
from idle_states.tables.prove.answer import refuting, scene_of
from idle_states.tables.prove.conditions import Conditions, Selectable, _less
from tests.support.thorough import examples, few
from tests.tables.prove.random_rows import random_rows
from tests.tables.prove.test_proof import MENU, TEO, asked, random_table

HZ = 250
WAIT, LOAD, UTILISED, STOPPED = (
    "tasks wait for I/O",
    "tasks wait for I/O or load the CPU",
    "the CPU is utilised",
    "the tick is stopped",
)


@pytest.mark.parametrize(
    ("governor", "kernel", "c7s", "c9"),
    [
        ("menu", "6.1", Selectable(False, (WAIT,), True), Selectable(False, (WAIT, STOPPED), True)),
        ("menu", "7.1", Selectable(never=True), Selectable(False, (STOPPED,), True)),
        ("teo", "6.6", Selectable(False, (UTILISED,), True),
         Selectable(False, (UTILISED, STOPPED), True)),
        ("teo", "6.1", Selectable(never=True), Selectable(False, (STOPPED,), True)),
        ("teo", "7.1", Selectable(never=True), Selectable(never=True)),
    ],
)  # fmt: skip
def test_ties_of_skylake(governor: str, kernel: str, c7s: Selectable, c9: Selectable) -> None:
    held = held_by(release(kernel), GovernorRequest(governor, HZ, "intel:skl"))
    assert not isinstance(held, list)
    numbers = {state.name: state.index for state in held.states}
    conditions = Conditions(governor)
    found = [conditions.of(release(kernel), held, numbers[name]) for name in ("C7s", "C9")]
    assert found == [c7s, c9]


@pytest.mark.parametrize(
    ("governor", "kernel"),
    few(
        3,
        [("menu", "6.6"), ("teo", "6.6"), ("teo", "6.18"), *(("menu", each) for each in MENU),
         *(("teo", each) for each in TEO)],
    ),
)  # fmt: skip
def test_random_search_finds_it_only_then(governor: str, kernel: str) -> None:
    if not core.available():
        pytest.skip("the core is not installed")
    random = Random(f"only {governor} {kernel}")
    left = examples(4, 6)
    while left:
        states = random_table(random)
        model = Governor.for_kernel(governor, kernel, states, HZ)
        scene = scene_of(asked(governor, kernel), states)
        names = tuple(map(str, range(len(states))))
        only: dict[int, tuple[str, ...]] = {}
        for number in range(len(states)):
            for features, ticking, said in _less(model.features):
                if refuting(model, scene, names, features, ticking)(number):
                    only.setdefault(number, said)
        if not only:
            continue
        left -= 1
        rows = list(islice(random_rows(random, states, HZ, scene.limit_us, frozenset()), 1200))
        taken = core.run(governor, model.features, states, HZ, core.pack(rows)).states
        for (situation, _), state in zip(rows, taken, strict=True):
            assert state not in only or holds(only[state], situation), (states, state, situation)


def holds(only: tuple[str, ...], situation: Situation) -> bool:
    return (
        (STOPPED in only and situation.tick_stopped)
        or (UTILISED in only and situation.cpu_util > 0)
        or bool({WAIT, LOAD} & {*only} and situation.nr_iowaiters)
    )
