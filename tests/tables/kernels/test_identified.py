"""Tests of which kernels decide as a governor does."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.dataclass import replace
from idle_states.tables.kernels.identified import headline
from idle_states.tables.linux.governors import (
    Governor,
    Outcome,
    State,
    core,
    governor_names,
    known_in,
)
from idle_states.tables.linux.governors.core.packing import ROW
from idle_states.tables.linux.governors.identify import Ask, DecidedRows, identify, trials
from idle_states.tables.linux.governors.trials import TABLES, trial_rows
from idle_states.tables.linux.releases import release
from tests.oracle.linux.governors import taken_as
from tests.support.commands import Capture, document, run
from tests.support.thorough import few

DATA = Path(__file__).parents[2] / "data/governors"

pytestmark = pytest.mark.skipif(not core.available(), reason="the core is not compiled")


def features(governor: str, kernel: str) -> Any:
    return Governor.for_kernel(governor, kernel, [State(0, 0)]).features


def deciding(governor: str, chosen: object) -> Ask:
    def ask(states: Sequence[State], hz: int, rows: bytes) -> bytes:
        return bytes(core.run(governor, chosen, states, hz, rows).packed)

    return ask


RELEASES = tuple("4.4 4.9 4.11 4.14.177 4.19 5.4 5.10 5.15 6.1 6.6 6.12 6.18 7.1".split())


@pytest.mark.parametrize(
    ("governor", "kernel"),
    few(
        6,
        [
            (governor, kernel)
            for governor in governor_names()
            for kernel in RELEASES
            if known_in(governor, release(kernel))
        ],
    ),
)
def test_each_release_is_found(governor: str, kernel: str) -> None:
    found = identify("own", trials(deciding(governor, features(governor, kernel))))
    alike = {features(kin.governor, kin.kernels[0]) for kin in found.equal}
    assert features(governor, kernel) in alike
    assert {kin.governor for kin in found.equal} == {governor}
    assert not found.nearest


@pytest.mark.parametrize(("kernel", "other"), [("4.10", "4.11"), ("4.12", "4.13")])
def test_releases_that_go_on_differently_after_a_state_are_told_apart(
    kernel: str, other: str
) -> None:
    """4.11 ended the search at a state that wakes too slowly; before, it passed over it."""
    equal = identify("own", trials(deciding("menu", features("menu", kernel)))).equal
    assert equal
    assert not any(other in kin.kernels for kin in equal)


def test_decisions_are_judged_from_where_they_are_known() -> None:
    """The recording's first decisions are skipped, and what was before is given to the governor."""
    own = features("menu", "6.12")
    rows = b"".join(trial_rows(TABLES[2], 250, seed=3))
    earlier = Outcome(2, 700_000)
    stream = core.Stream("menu", own, TABLES[2], 250)
    stream.switched_on(earlier)
    decided = bytes(stream.replay(rows).packed)
    given = DecidedRows(TABLES[2], 250, rows, decided, earlier=earlier)
    assert any("6.12" in kin.kernels for kin in identify("own", [given], ["menu"]).equal)
    wrong = replace(given, decided=bytes([9, 1]) * 5 + decided[10:])
    assert not identify("own", [wrong], ["menu"]).equal
    found = identify("own", [replace(wrong, skip=5)], ["menu"])
    assert found.decisions == 995
    assert any("6.12" in kin.kernels for kin in found.equal)


def test_builds_of_a_distribution_are_named_in_ranges() -> None:
    """RHEL 8.1's menu from -147.3.1 on: that of 4.19, with a rule of 4.20 that 4.19.86 took too."""
    build = "rhel-4.18.0-147.3.1"
    found = identify("own", trials(deciding("menu", features("menu", build))))
    (kin,) = found.equal
    assert build in kin.kernels
    assert "rhel-4.18.0-147.8.1" in kin.kernels
    assert not {"rhel-4.18.0-147.0.3", "rhel-4.18.0-193", "4.19"} & set(kin.kernels)
    assert headline(found) == "own decides as menu of Linux rhel-4.18.0-147.3.1 to 147.8.1"


def test_neighbours_become_a_range() -> None:
    found = identify("own", trials(deciding("menu", features("menu", "4.15"))))
    assert headline(found) == "own decides as menu of Linux 4.14-4.16"


def test_the_load_of_the_run_queue_varies() -> None:
    loads = [row[5] for row in ROW.iter_unpack(b"".join(trial_rows(TABLES[0], 250)))]
    assert 200 < sum(load > 0 for load in loads) < 300


@pytest.mark.parametrize(
    ("governor", "kernel", "change"),
    [
        ("menu", "4.19", {"poll_limit": True}),
        ("menu", "6.6", {"typical_maximum": True}),
        ("menu", "7.1", {"stopped_margin": False}),
    ],
)
def test_a_changed_feature_is_named(governor: str, kernel: str, change: dict[str, object]) -> None:
    changed = replace(features(governor, kernel), **change)
    found = identify("own", trials(deciding(governor, changed)))
    if found.equal:
        assert changed in {features(kin.governor, kin.kernels[0]) for kin in found.equal}
        return
    nearest = features(governor, found.nearest[0].kernels[0])
    if nearest == features(governor, kernel):
        assert {each.feature: each.value for each in found.differs} == change
    assert found.differs[-1].agree == found.decisions
    assert all(each.meaning for each in found.differs)


def test_something_else_is_near_nothing(capsys: Capture) -> None:
    words = ("kernels", "--governor", str(DATA / "timer.c"))
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert "timer.c does; menu of Linux" in out
    assert "Changed features" not in out
    found = document(capsys, *words)["identified"]
    assert found["equal"] == found["differs"] == []
    assert found["nearest"][0]["agree"] < 0.9 * found["decisions"]


@pytest.mark.parametrize("governor", ["menu", "teo"])
def test_a_trees_own_file_is_its_release(
    governor_tree: Path, governor: str, capsys: Capture
) -> None:
    found = document(capsys, "kernels", "--governor", f"{governor_tree}:{governor}")["identified"]
    own = features(governor, taken_as(governor_tree).name)
    assert own in {features(governor, kin["kernels"][0]) for kin in found["equal"]}


def test_python_is_no_kernels(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "own.py"
    file.write_text("class Governor: ...\n")
    status, _, err = run(capsys, "kernels", "--governor", str(file))
    assert status == 2
    assert "expected a governor's C file" in err
