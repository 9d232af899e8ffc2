"""review: a change of skiboot's export code is one of its tables, machine by machine."""

from pathlib import Path

import pytest

from idle_states.base.reading.git.repository import Repository
from idle_states.change.review.plain_text import render
from idle_states.change.review.result import Review
from idle_states.change.review.review import Yardstick, ends, review
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.platform import ALL_LEVELS, Platform, parse_platform
from idle_states.tables.spec.library import find
from tests.support.git_history import History
from tests.tables.skiboot.test_export_code import CHOICE, INIT

TABLES = c_table.write([find("power9"), find("power9-mambo")])
NAMED = CHOICE.replace("simulated_", "power9_mambo_").replace("big_", "power9_fusedcore_")
CODE = NAMED.replace("->type ==", "->homer_base && chip->type ==", 1)


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    made.commit({"hw/slw.c": TABLES + CODE + INIT}, "First")
    return made


def reviewed(history: History, platform: Platform = ALL_LEVELS) -> Review:
    repository = Repository(history.directory)
    try:
        criteria = Criteria((release("6.6"),), platform)
        return review(repository, *ends(repository, None), Yardstick(criteria))
    finally:
        repository.close()


def exported(found: Review) -> dict[tuple[str, str], tuple[str, str]]:
    return {
        (table.source.name.removesuffix("_cpu_idle_states"), difference.path): (
            difference.a,
            difference.b,
        )
        for change in found.changes
        for table in change.tables
        for difference in table.differences
        if difference.stage == "export"
    }


def test_a_mask_takes_states_from_machines(history: History) -> None:
    history.commit({"hw/slw.c": TABLES + CODE.replace("~0xE8", "~0xE0") + INIT}, "Mask stop4")
    found = reviewed(history)
    # fused cores and Mambo have tables of their own
    assert exported(found) == {
        ("power9", "states"): (
            "stop0_lite stop0 stop1 stop2 stop4",
            "stop0_lite stop0 stop1 stop2",
        ),
        ("power9", "on op920"): ("stop4", "absent"),
        ("power9_mambo", "states"): ("stop0 stop1 stop2 stop4", "stop0 stop1 stop2"),
    }
    assert [f.message.partition(":")[0] for f in found.new if f.table.startswith("power9_cpu")] == [
        "stop4 is never exported"
    ]
    text = render(found, notes=False, suppressed=False)
    assert text.startswith("0 tables changed, 2 exported differently: 2 new findings")
    assert "firmware exports on op920: stop4 -> absent" in text


def test_a_quirk_takes_all_states_from_a_simulator(history: History) -> None:
    calling = INIT.replace("/* ", "").replace(" */", "")
    history.commit({"hw/slw.c": TABLES + CODE + calling}, "Let Mambo have idle states")
    assert exported(reviewed(history)) == {
        ("power9_mambo", "on mambo"): ("absent", "stop0 stop1 stop2")
    }


def test_a_chip_comes_to_a_table(history: History) -> None:
    chips = CODE.replace("|| chip->type == PROC_CHIP_P9P", "|| chip->type == PROC_CHIP_P9_CUMULUS")
    assert chips != CODE
    history.commit({"hw/slw.c": TABLES + chips + INIT}, "Take Cumulus for P9P")
    every = "stop0_lite stop0 stop1 stop2 stop4"
    assert exported(reviewed(history)) == {
        ("power9", "on chip P9P"): (every, "absent"),
        ("power9", "on chip P9_CUMULUS"): ("absent", every),
    }


def test_code_that_exports_the_same_says_nothing(history: History) -> None:
    history.commit({"hw/slw.c": TABLES + CODE + INIT.replace("chip_quirk", "proc_quirk")}, "Rename")
    found = reviewed(history)
    assert [change.tables for change in found.changes] == [()]
    assert render(found, notes=True, suppressed=True).startswith("No table changes.")


def test_a_release_that_is_named_runs_instead(history: History) -> None:
    history.commit({"hw/slw.c": TABLES + CODE.replace("~0xE8", "~0xE0") + INIT}, "Mask stop4")
    assert exported(reviewed(history, parse_platform("skiboot=7.0"))) == {}
