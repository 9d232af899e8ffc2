"""Tests of what SUSE's menu does: decisions that its own C made, and the kernels that are worked
out by it.

Environment: SUSE=DIR has source trees as DIR/5.14.21 and DIR/6.12.0; their menu is then compiled
and decides again.
"""

import os
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from idle_states.base.dataclass import replace
from idle_states.cli import main
from idle_states.tables.linux.governors import Governor, core
from idle_states.tables.linux.governors import State as Registered
from idle_states.tables.linux.governors.interface import Outcome
from idle_states.tables.linux.governors.menu import Menu
from idle_states.tables.linux.governors.menu_features import MenuFeatures, features
from idle_states.tables.linux.grounds import ground
from idle_states.tables.linux.idle_loop import features as idle_loop
from idle_states.tables.linux.releases import SERIES, by_number, release
from idle_states.tables.prove.history import Scene
from idle_states.tables.prove.of_menu import MenuProof
from tests.oracle import skipping
from tests.oracle.linux.governors import GovernorOracle, recorded
from tests.support import DATA, vectors
from tests.support.compiled import needs_core
from tests.support.menus import FAR_US, P9, idle, table
from tests.tables.linux.governors.core.test_core import Era, compare
from tests.tables.linux.governors.test_models import HZS, random_cpu
from tests.tables.prove.random_rows import random_rows

RECORDED = sorted((DATA / "vectors-suse").iterdir())
LINES = ("suse-5.14.21", "suse-6.12.0")


def differing(recorded: vectors.Vectors, chosen: MenuFeatures) -> int:
    """Returns how many recorded decisions menu makes otherwise with some features."""
    governor = Menu(recorded.states, chosen, vectors.HZ)
    count = 0
    for row in recorded.rows:
        decision = governor.select(row.situation)
        count += (decision.state, decision.stop_tick) != (row.state, row.stop_tick)
        governor.finished(row.outcome)
    return count


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name[:-7])
def test_recorded_decisions(path: Path) -> None:
    recorded = vectors.read(path)
    chosen = features(by_number(recorded.kernel))
    assert sum(row.situation.nr_iowaiters > 0 for row in recorded.rows) > 200
    assert differing(recorded, chosen) == 0
    others = differing(recorded, replace(chosen, io_waiters=""))
    assert (others > 0) == (recorded.table == "p9" or chosen.io_waiters == "tick")
    if core.available():
        packed = core.pack((row.situation, row.outcome) for row in recorded.rows)
        found = core.run("menu", chosen, recorded.states, vectors.HZ, packed)
        answers = [(decision.state, decision.stop_tick) for decision in found.unpacked()]
        assert answers == [(row.state, row.stop_tick) for row in recorded.rows]


@needs_core
@pytest.mark.parametrize("kernel", LINES)
def test_the_core_decides_as_the_reference(kernel: str) -> None:
    random = Random(kernel)
    chosen = features(by_number(kernel))
    for _ in range(40):
        hz = random.choice(HZS)
        compare(Era("menu", kernel, chosen), random_cpu(random, hz, 1), hz)


@pytest.mark.slow
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name[:-7])
def test_the_kernel_s_own_code_decides_so(path: Path) -> None:
    if "SUSE" not in os.environ:
        pytest.skip("SUSE names no directory of source trees")
    made = vectors.read(path)
    tree = Path(os.environ["SUSE"], made.kernel.removeprefix("suse-"))
    with skipping():
        oracle = GovernorOracle(tree, "menu", vectors.HZ)
    cpu, expected = recorded(path)
    (answers,) = oracle.run([cpu])
    assert answers == expected


def test_waiters_end_the_search_at_the_first_state_that_does_not_poll() -> None:
    states = table(*P9, polling=True)
    for waiters, state in ((0, 6), (1, 1)):
        governor = Menu(states, features(by_number("suse-6.12.0")), 250)
        assert governor.select(idle(FAR_US, iowait=waiters)).state == state


def test_waiters_keep_the_tick_and_take_the_latency_limit_for_the_residency() -> None:
    """The limit is a tenth of 50 ms and a bit: 4545 us, which stop4's residency exceeds."""
    states = table(*P9, polling=True)
    decisions = []
    for kernel in ("5.14.21", "suse-5.14.21"):
        governor = Menu(states, features(by_number(kernel)), 250)
        for _ in range(9):
            decision = governor.select(idle(50_000, iowait=1))
            governor.finished(Outcome(6, 50_000_000))
        decisions.append((decision.state, decision.stop_tick))
    assert decisions == [(6, True), (4, False)]


@pytest.mark.parametrize(
    ("name", "between"),
    [
        ("5.14.21-150400.24.63-default", ["suse-5.14.21 as read", SERIES[-1]]),
        ("sles-16.0", ["6.12", "suse-6.12.0 as read", SERIES[-1]]),
        ("6.4.0-150600.23.25-default", ["6.4", SERIES[-1]]),
    ],
)
def test_no_service_pack_is_taken_for_known(name: str, between: list[str]) -> None:
    kernel = release(name)
    assert [end.name for end in kernel.ends] == between
    assert ground(kernel, "menu").kind == "ends"


@needs_core
@pytest.mark.parametrize("kernel", LINES)
def test_no_proof_of_what_waiters_select(kernel: str) -> None:
    """Without the ways that waiters open, 6.12.0's are found."""
    random = Random(kernel)
    chosen = features(by_number(kernel))
    scene = Scene(idle_loop(by_number(kernel)))
    never = 0
    for _ in range(60):
        residencies = sorted(random.choice((0, 0, 20, 400)) for _ in range(4))
        exits = sorted(random.choice((0, 1)) for _ in residencies)
        states = [
            Registered(exit_us * 1000, us * 1000, not number and random.random() < 0.7)
            for number, (exit_us, us) in enumerate(zip(exits, residencies, strict=True))
        ]
        rows = islice(random_rows(random, states, 250, scene.limit_us, frozenset()), 1200)
        decisions = core.run("menu", chosen, states, 250, core.pack(rows)).unpacked()
        model = Governor.for_kernel("menu", by_number(kernel), states, 250)
        proof = MenuProof(model, chosen, scene, ("0", "1", "2", "3"))
        refuted = {each for each in range(4) if proof.unreachable(each)}
        assert not refuted & {decision.state for decision in decisions}
        never += len(refuted)
    assert never > 5


def test_conform_names_the_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    for path in RECORDED:
        made = vectors.read(path)
        if made.table == "p9":
            words = ["--kernel", "5.14", "--governor", "menu", "--polling", "--states"]
            times = (f"{state.exit_ns}/{state.residency_ns}" for state in made.states[1:])
            assert main(["conform", str(path), *words, ",".join(times)]) == 1
            said = f"suspected: Linux {made.kernel}, with which 400 of 400 decisions agree"
            assert said in capsys.readouterr().out


def test_service_packs_before_5_3_have_what_4_13_changed() -> None:
    own, others = by_number("suse-4.12.14"), by_number("4.12.14")
    for zero_disabled, kernel in ((True, own), (False, others)):
        assert features(kernel).zero_disabled is zero_disabled
        assert kernel.features.supported_filter is zero_disabled
        assert kernel.features.round_up is zero_disabled
    assert ground(own, "powernv").kind == ground(own, "menu").kind == "compiled"
    assert [end.name for end in release("sles-15.1").ends] == [f"{own.name} as read", SERIES[-1]]
