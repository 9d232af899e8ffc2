"""review: states, arrays and files that are renamed or moved are followed."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.reading.git.repository import Repository
from idle_states.change.review.match import renamed_states
from idle_states.change.review.result import Review, TableChange
from idle_states.change.review.review import Yardstick, ends, review
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support import random_tables
from tests.support.git_history import History
from tests.tables.skiboot.test_export_code import CHOICE

OLD = "power9@84368bbf8"
"""A table with faults in most rows."""
TEXT = c_table.write([find(OLD), find("power9-mambo")])


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    made.commit({"hw/slw.c": TEXT}, "First")
    return made


def reviewed(history: History, files: Mapping[str, str | None], message: str = "Change") -> Review:
    history.commit(files, message)
    repository = Repository(history.directory)
    try:
        kernels = (release("4.11"), release("6.6"))
        return review(repository, *ends(repository, None), Yardstick(Criteria(kernels)))
    finally:
        repository.close()


def only(found: Review) -> TableChange:
    [table] = found.changes[0].tables
    return table


def test_a_renamed_state_brings_and_mends_nothing(history: History) -> None:
    new = TEXT.replace('"stop1_lite"', '"stop1_quick"', 1).replace('"stop2"', '"stop2_deep"', 1)
    found = reviewed(history, {"hw/slw.c": new}, "Call stop1_lite and stop2 otherwise")
    # but for what the names themselves say
    assert {f.location.path.rpartition(".")[2] for f in found.new} == {"name"}
    assert found.fixed == []
    table = only(found)
    assert {(d.path, d.a, d.b) for d in table.differences} == {
        ("states.stop1_quick.name", "stop1_lite", "stop1_quick"),
        ("states.stop2_deep.name", "stop2", "stop2_deep"),
    }
    assert table.linux == table.selection == ()


def test_what_changes_with_the_name_is_told(history: History) -> None:
    """A level that is not in the name any more is new, and so is what a value brings."""
    new = TEXT.replace('"stop1_lite"', '"stop3_lite"', 1)
    found = reviewed(history, {"hw/slw.c": new.replace("4900", "800", 1)})
    assert {"IS306", "IS201"} <= {f.rule for f in found.new}
    assert {f.rule for f in found.fixed} <= {"IS209", "IS212", "IS329", "IS403"}
    paths = {d.path: (d.a, d.b) for d in only(found).differences if d.stage == "table"}
    assert paths == {
        "states.stop3_lite.name": ("stop1_lite", "stop3_lite"),
        "states.stop3_lite.latency": ("4900ns", "800ns"),
    }


def test_one_state_for_another_is_no_renaming() -> None:
    power9 = find("power9")
    rest = tuple(state for state in power9.states if state.name != "stop5")
    without = replace(power9, states=rest)
    other = replace(power9.states[0], name="new", latency_ns=7, residency_ns=8, flags=0)
    assert renamed_states(power9, replace(power9, states=(*rest, other))) == {}
    assert renamed_states(power9, without) == renamed_states(without, power9) == {}
    again = replace(power9.states[5], name="stop5_again")
    assert renamed_states(power9, replace(power9, states=(*rest, again))) == {
        "stop5": "stop5_again"
    }
    # values that neither table has tell nothing
    power7 = find("power7")
    bare = replace(power7.states[0], residency_ns=None)
    table = replace(power7, states=(bare,))
    stranger = replace(bare, name="sleep", latency_ns=40_000, flags=0x20000)
    assert renamed_states(table, replace(table, states=(stranger,))) == {}


@given(st.integers(0, 2**32))
def test_a_renaming_goes_from_one_gone_state_to_one_that_appeared(seed: int) -> None:
    rng = random.Random(seed)
    rows = random_tables.states(rng, 6, longest_name=15)
    table = replace(find("power9"), states=tuple(rows))
    states = tuple(
        replace(row, name=f"new{index}") if rng.random() < 0.5 else row
        for index, row in enumerate(rows)
    )
    found = renamed_states(table, replace(table, states=states))
    old, new = ({state.name for state in each} for each in (rows, states))
    assert set(found) <= old - new
    assert set(found.values()) <= new - old
    assert len(set(found.values())) == len(found)


def test_an_array_and_its_file_may_move(history: History) -> None:
    parts = TEXT.split("static struct", 2)
    assert len(parts) == 3, TEXT[:300]
    moved = f"{parts[0]}static struct{parts[2]}".replace("power9_mambo_", "simulated_")
    code = CHOICE.replace("~0xE8000000", "~0xFC000000")
    history.commit({"hw/slw.c": TEXT + code.replace("simulated_", "power9_mambo_")}, "Code")
    files = {"hw/slw.c": f"{parts[0]}static struct{parts[1]}{code}", "hw/sim.c": moved}
    found = reviewed(history, files)
    table = only(found)
    assert (table.before and table.before.name) == "power9_mambo_cpu_idle_states"
    assert (table.source.name, table.source.file) == ("simulated_cpu_idle_states", "hw/sim.c")
    assert table.source.table
    assert table.source.table.firmware.quirk == "mambo"
    assert (found.new, found.fixed) == ([], [])
