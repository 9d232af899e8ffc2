"""review: siblings are those of the tree that is reviewed, not the packaged ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.reading.git.repository import Repository
from idle_states.change.review.plain_text import render
from idle_states.change.review.result import Review
from idle_states.change.review.review import Yardstick, ends, review
from idle_states.tables.check.check import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import release
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources import read_sources
from idle_states.tables.spec import library
from idle_states.tables.spec.library import find
from tests.support.git_history import History

POWER9 = ("power9", "power9-mambo", "power9-fused")
SPECS = Path(library.__file__).parent.parent / "specs"
KERNELS = (release("6.6"),)


def slower(names: Sequence[str], *, row: str = "stop1", to: int = 6000) -> str:
    """The three tables of POWER9 as C, the row's latency of these changed."""
    text = c_table.write([find(name) for name in POWER9])
    for name in names:
        array = find(name).firmware.array
        start = text.index(f'"{row}"', text.index(f"{array}[]"))
        old = text.index(".latency_ns = ", start)
        text = f"{text[:old]}.latency_ns = {to}{text[text.index(',', old) :]}"
    return text


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    made.commit({"hw/slw.c": slower([]), "include/skiboot.h": ""}, "First")
    return made


def reviewed(history: History, select: tuple[str, ...] = (), **options: Any) -> Review:
    repository = Repository(history.directory)
    try:
        criteria = Criteria(KERNELS, rules=RuleSelection(select))
        return review(repository, *ends(repository, None), Yardstick(criteria), **options)
    finally:
        repository.close()


def said(found: Review) -> list[tuple[str, str]]:
    return [(finding.rule, finding.table) for finding in found.new]


def test_forgotten_siblings_are_named(history: History) -> None:
    history.commit({"hw/slw.c": slower(["power9"])}, "Let stop1 take 6 us")
    found = reviewed(history)
    assert sorted(said(found)) == [
        ("IS502", "power9_fusedcore_cpu_idle_states"),
        ("IS502", "power9_mambo_cpu_idle_states"),
    ]
    for finding in found.new:
        assert finding.message == (
            "stop1 differs from power9_cpu_idle_states': exit latency 5us instead of 6us"
        )
        # where the value is that was forgotten
        assert finding.location.path.endswith(".latency_ns")
    text = render(found, notes=False, suppressed=False)
    assert text.startswith("1 table changed, which affects 2 others: 2 new findings (2 warnings)")
    assert {t.source.name: bool(t.differences) for t in found.changes[0].tables} == {
        "power9_cpu_idle_states": True,
        "power9_mambo_cpu_idle_states": False,
        "power9_fusedcore_cpu_idle_states": False,
    }


def test_a_change_of_all_siblings_is_none_of_our_business(history: History) -> None:
    history.commit({"hw/slw.c": slower(POWER9)}, "Let stop1 take 6 us")
    found = reviewed(history)
    assert said(found) == []
    assert len(found.changes[0].tables) == 3


def test_mending_the_forgotten_ones_is_seen(history: History) -> None:
    history.commit({"hw/slw.c": slower(["power9"])}, "Let stop1 take 6 us")
    history.commit({"hw/slw.c": slower(["power9", "power9-mambo"])}, "And so under Mambo")
    found = reviewed(history)
    assert said(found) == []
    assert render(found, notes=False, suppressed=False).startswith("1 table changed: no new")
    assert [(f.rule, f.table) for f in found.fixed] == [("IS502", "power9_mambo_cpu_idle_states")]


def test_tables_that_a_change_beside_them_does_not_concern_are_left_out(history: History) -> None:
    """stop5 is in no sibling."""
    history.commit({"hw/slw.c": slower(["power9"], row="stop5", to=150_000)}, "Speed stop5 up")
    found = reviewed(history)
    assert said(found) == []
    assert [t.source.name for t in found.changes[0].tables] == ["power9_cpu_idle_states"]


def test_the_packaged_table_is_compared_only_where_it_is_asked_for(history: History) -> None:
    history.commit({"hw/slw.c": slower(POWER9)}, "Let stop1 take 6 us")
    assert len([rule for rule, _ in said(reviewed(history, ("IS501",))) if rule == "IS501"]) == 3


def test_a_suppression_of_what_is_silent_is_not_unused(tmp_path: Path) -> None:
    made = History(tmp_path / "specs")
    text = "name: power9\ncpu: {generation: power9}\nregister: psscr\nstates:\n"
    row = "  - {name: stop0, latency: 3us, residency: 20us, flags: [LOSE_USER_CONTEXT, "
    row += "STOP_INST_FAST], psscr: {rl: 0, mtl: 3, tr: 3, ec: 1, esl: 1}}\n"
    made.commit({"mine.yaml": text + row}, "First")
    made.commit(
        {"mine.yaml": f"# idle-states: ignore[IS501] measured\n{text}{row}"}, "Accept the drift"
    )
    assert "IS902" not in {rule for rule, _ in said(reviewed(made, specs=True))}


def test_specs_beside_each_other_come_before_the_packaged_ones(tmp_path: Path) -> None:
    """The packaged power9 has 5 us; what extends the tree's own goes with it."""
    made = History(tmp_path / "specs")
    power9, mambo = (
        (SPECS / f"{name}.yaml").read_text("utf-8") for name in ("power9", "power9-mambo")
    )
    kept = mambo.replace("override:\n", "override:\n  stop1: {latency: 5us}\n")
    changed = power9.replace("latency: 5us", "latency: 6us")
    assert kept != mambo
    assert changed != power9
    made.commit({"power9.yaml": power9, "power9-mambo.yaml": mambo}, "First")
    made.commit({"power9.yaml": changed}, "Let stop1 take 6 us")
    assert said(reviewed(made, ("IS502",), specs=True)) == []
    made.commit({"power9.yaml": power9, "power9-mambo.yaml": kept}, "Go back")
    made.commit({"power9.yaml": changed}, "Let stop1 take 6 us")
    assert said(reviewed(made, ("IS502",), specs=True)) == [("IS502", "power9-mambo")]


def test_check_compares_within_a_tree_given_as_table(tmp_path: Path) -> None:
    def found(names: Sequence[str]) -> list[tuple[str, str]]:
        (tmp_path / "hw").mkdir(exist_ok=True)
        (tmp_path / "include").mkdir(exist_ok=True)
        (tmp_path / "hw/slw.c").write_text(slower(names))
        criteria = Criteria(KERNELS, rules=RuleSelection(("IS502", "IS503")))
        made = check(read_sources(str(tmp_path)), criteria)
        return [(finding.rule, finding.table) for finding in made if finding.rule == "IS502"]

    stop4 = ("IS502", "power9_mambo_cpu_idle_states")
    assert found([]) == found(POWER9) == [stop4]
    fused = ("IS502", "power9_fusedcore_cpu_idle_states")
    assert sorted(found(["power9"])) == [fused, stop4, stop4]
