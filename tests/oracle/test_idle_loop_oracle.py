"""The idle loop of a kernel tree against its model, and what pins the oracle down."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from idle_states.tables.linux import idle_loop
from tests.oracle import skipping
from tests.oracle.linux.governors import taken_as
from tests.oracle.linux.idle_loop import (
    LOOP_FILES,
    IdleCpu,
    IdleLoopOracle,
    IdleState,
    Turn,
)
from tests.oracle.linux.idle_world import modelled, random_cpu
from tests.oracle.linux.source import OracleError
from tests.oracle.linux.trees import copied
from tests.support.shared import kept
from tests.support.thorough import drawn

STATES = [IdleState(0, 0), IdleState(2_000, 20_000, s2idle=True), IdleState(9_000, 90_000)]
TURNS = 20


@pytest.fixture(scope="session")
def oracle(governor_tree: Path) -> IdleLoopOracle:
    with skipping(), kept("idle-loop") as directory:
        return IdleLoopOracle(governor_tree, directory)


@pytest.fixture
def features(governor_tree: Path) -> idle_loop.IdleLoopFeatures:
    return idle_loop.features(taken_as(governor_tree))


def random_cpus(count: int, features: idle_loop.IdleLoopFeatures, seed: int = 0) -> list[IdleCpu]:
    random = Random(seed)
    no_state = not features.state_0_always
    return [random_cpu(random, TURNS, no_state=no_state) for _ in range(count)]


def test_random_idle_loops(oracle: IdleLoopOracle, features: idle_loop.IdleLoopFeatures) -> None:
    cpus = random_cpus(drawn(500, 2_000), features)
    for cpu, real in zip(cpus, oracle.run(cpus), strict=True):
        assert modelled(features, cpu, oracle) == real, cpu


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [
        {"governor_decides_tick": False},
        {"stopped_stays": False},
        {"nanoseconds": False},
        {"resume_latency": False},
        {"zero_limits": False},
        {"forced_idle": ""},
        {"forced_idle": "deepest"},
        {"s2idle_rechecks": False},
        {"state_0_always": False},
        {"poll_limit": ""},
        {"poll_limit": "sixteenth"},
        {"poll_limit": "slot"},
        {"poll_limit": "first"},
        {"poll_limit": "last"},
        {"poll_limit": "capped"},
        {"poll_limit_kept": False},
        {"judged": False},
        {"rejected": False},
        {"single_state": "asked"},
        {"single_state": "told"},
        {"single_state": "kept"},
        {"single_state": "got_tick"},
    ],
)
def test_no_other_features_would_do(
    oracle: IdleLoopOracle, features: idle_loop.IdleLoopFeatures, wrong: dict[str, Any]
) -> None:
    """Each feature of the idle loop shows in random loops, so that its row is not a guess."""
    other = replace(features, **wrong)
    if other == features or (not features.forced_idle and wrong.get("forced_idle")):
        pytest.skip(f"this kernel has {wrong}")
    cpus = random_cpus(300, features)
    assert [modelled(other, cpu, oracle) for cpu in cpus] != oracle.run(cpus)


def called(oracle: IdleLoopOracle, states: list[IdleState], *turns: Turn, of: str = "serz") -> str:
    """The calls of some kinds, as text."""
    (calls,) = oracle.run([IdleCpu(states, turns)])
    return " ".join(f"{kind}{value}" for kind, value in calls if kind in of)


class TestLoop:
    """Rules that hold in every release."""

    def test_the_state_selected_is_entered_and_reflected(self, oracle: IdleLoopOracle) -> None:
        assert called(oracle, STATES, Turn(selects=2)) == "s2 e2 r2"

    def test_another_state_may_be_entered(self, oracle: IdleLoopOracle) -> None:
        assert called(oracle, STATES, Turn(selects=2, enters=1)) == "s2 e2 r1"

    def test_the_governor_does_not_hear_of_errors(self, oracle: IdleLoopOracle) -> None:
        assert called(oracle, STATES, Turn(selects=2, enters=-16)) == "s2 e2"

    @pytest.mark.parametrize(("asks", "calls"), [(0, ""), (1, ""), (2, "s1"), (3, "s1 e1 r1")])
    def test_a_task_becomes_runnable(self, oracle: IdleLoopOracle, asks: int, calls: str) -> None:
        assert called(oracle, STATES, Turn(selects=1, resched_at=asks)) == calls

    def test_suspend(self, oracle: IdleLoopOracle) -> None:
        assert called(oracle, STATES, Turn(selects=2, suspends=True)) == "z1"
        off = Turn(suspends=True, disabled=frozenset({1}))
        assert called(oracle, STATES, off) == "e2"

    def test_timers_that_stop(self, oracle: IdleLoopOracle) -> None:
        """Without a broadcast timer, the deepest state that keeps the CPU's own is entered."""
        states = [*STATES, IdleState(50_000, 500_000, timer_stop=True)]
        assert called(oracle, states, Turn(selects=3)) == "s3 e3 r3"
        assert called(oracle, states, Turn(selects=3, no_broadcast=True)) == "s3 e2 r2"

    def test_without_cpuidle(self, oracle: IdleLoopOracle) -> None:
        assert called(oracle, STATES, Turn(selects=1, unavailable=True), of="sed") == "d0"

    def test_forced_polling(self, oracle: IdleLoopOracle) -> None:
        for turn in (Turn(forced=True), Turn(expired=True)):
            assert called(oracle, STATES, turn, Turn(selects=1), of="sexr") == "x0 s1 e1 r1"

    def test_polling_ends_for_a_task_or_at_its_limit(
        self, oracle: IdleLoopOracle, features: idle_loop.IdleLoopFeatures
    ) -> None:
        states = [IdleState(0, 0, polls=True), *STATES[1:]]
        turns = [Turn(5_000), Turn(15_000_000)]
        (calls,) = oracle.run([IdleCpu(states, turns)])
        polled_us = next(value for kind, value in calls if kind == "n")
        assert polled_us == 15_005 if features.poll_limit == "" else 20 < polled_us < 300

    def test_counters(self, oracle: IdleLoopOracle) -> None:
        turns = [Turn(5_000_500, selects=1), Turn(700, selects=1), Turn(9, selects=2, enters=-22)]
        assert called(oracle, STATES, *turns, of="u") == "u0 u2 u0"


class TestBuild:
    @pytest.fixture
    def copy(self, governor_tree: Path, tmp_path: Path) -> Path:
        return copied(governor_tree, [*LOOP_FILES, "drivers/cpuidle/poll_state.c"], tmp_path)

    def built(self, tree: Path) -> IdleLoopOracle:
        with skipping():
            return IdleLoopOracle(tree, tree / "build")

    def edit(self, copy: Path, name: str, change: Callable[[str], str]) -> None:
        text = (copy / name).read_text()
        assert change(text) != text
        (copy / name).write_text(change(text))

    def test_the_tree_is_what_is_compiled(self, copy: Path) -> None:
        before = called(self.built(copy), STATES, Turn(selects=1))
        self.edit(
            copy,
            "drivers/cpuidle/cpuidle.c",
            lambda text: text.replace("target_state->enter(dev, drv, index)", "2"),
        )
        assert (before, called(self.built(copy), STATES, Turn(selects=1))) == ("s1 e1 r1", "s1 r2")

    def test_does_not_compile(self, copy: Path) -> None:
        self.edit(
            copy,
            "kernel/sched/idle.c",
            lambda text: text.replace("cpuidle_reflect(", "unheard_of("),
        )
        with pytest.raises(OracleError, match="unheard_of"):
            self.built(copy)

    def test_no_loop(self, copy: Path) -> None:
        self.edit(
            copy,
            "kernel/sched/idle.c",
            lambda text: text.replace("cpuidle_idle_call(", "idle_call("),
        )
        with pytest.raises(OracleError, match=r"functions not found: cpuidle_idle_call"):
            self.built(copy)

    @pytest.mark.parametrize("count", [0, 11])
    def test_as_many_states_as_the_kernel_holds(self, oracle: IdleLoopOracle, count: int) -> None:
        with pytest.raises(OracleError, match=f"not that many states \\({count}\\)"):
            oracle.run([IdleCpu([IdleState(0, 0)] * count, [Turn()])])
