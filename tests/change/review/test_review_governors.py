"""review of Linux's governors: both sides compiled, run confined and compared."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from idle_states.change.review import governors
from idle_states.tables.linux.governors.rhythms import CIRCUMSTANCES
from tests.support.commands import Capture, outcome, run
from tests.support.git_history import History

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

FOLDER = "drivers/cpuidle/governors"
MENU, TEO, SHARED = f"{FOLDER}/menu.c", f"{FOLDER}/teo.c", f"{FOLDER}/gov.h"
TIMER = (Path(__file__).parents[2] / "data/governors/timer.c").read_text()
BY_HEADER = TIMER.replace("#include <linux/tick.h>", '#include "gov.h"')
BY_HEADER = BY_HEADER.replace("<= sleep_ns", "<= OF(sleep_ns)")
HEADER = "struct cpuidle_state { s64 exit_latency_ns, target_residency_ns; };\n"
TREE = {
    "Makefile": "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\nEXTRAVERSION =\n",
    "include/linux/cpuidle.h": HEADER,
    MENU: TIMER,
    TEO: BY_HEADER,
    SHARED: "#include <linux/tick.h>\n#define OF(ns) (ns)\n",
}
ARGUMENTS = ("--kernel", "6.12", "--runs")
TWICE = TIMER.replace("target_residency_ns <= sleep_ns", "target_residency_ns * 2 <= sleep_ns")
SHALLOW = TIMER.replace("i < drv->state_count", "i < drv->state_count - 1")
RENAMED = TIMER.replace("found", "deepest")
BROKEN = TIMER.replace("int found = 0;", "")
CRASHES = TIMER.replace("int found = 0;", "int found = *(volatile int *)8;")
assert len({TIMER, TWICE, SHALLOW, RENAMED, BROKEN, CRASHES, BY_HEADER}) == 7


@pytest.fixture(autouse=True)
def few_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each table takes a third of a second."""
    monkeypatch.setattr(governors, "table_names", lambda: ("power9", "intel:skx"))


@pytest.fixture
def linux(history: History) -> History:
    history.commit(TREE, "First")
    return history


def reviewed(capsys: Capture, linux: History, *words: str, runs: str = "0") -> tuple[int, Any]:
    tree = ("--tree", str(linux.directory), *ARGUMENTS, runs)
    status, found = outcome(capsys, "review", *tree, *words)
    return status, found["changes"]


def changed(linux: History, text: str, message: str = "menu: Change") -> History:
    linux.commit({MENU: text}, message)
    return linux


def text_of(capsys: Capture, linux: History, *words: str) -> tuple[int, str]:
    status, out, _ = run(capsys, "review", "--tree", str(linux.directory), *ARGUMENTS, "0", *words)
    return status, " ".join(out.split())


def test_a_change_is_named_and_nothing_is_run_unasked(capsys: Capture, linux: History) -> None:
    """Or else what does not compile would be said."""
    status, text = text_of(capsys, changed(linux, BROKEN))
    assert status == 0
    assert text.startswith("No table changes; menu changes.")
    assert f"menu ({MENU}) changes; --run compiles both sides" in text


def test_decisions_and_maps_that_differ(capsys: Capture, linux: History) -> None:
    status, [change] = reviewed(capsys, changed(linux, TWICE), "--run")
    [found] = change["governors"]
    assert status == 0
    assert (found["name"], found["kernel"], found["unsaid"]) == ("menu", "6.12", "")
    power9, skx = found["tables"]
    assert (power9["tables"], skx["tables"]) == (["power9"], ["intel:skx"])
    # exactly from each target residency to twice that, or to the next
    timed = next(o for o in power9["changed"] if o["timer_driven"] and not o["tick_stopped"])
    moves = [(c["from_ns"], c["to_ns"], c["before"], c["after"]) for c in timed["changes"]]
    assert moves[:3] == [
        (10_000, 19_999, ["stop0_lite"], ["snooze"]),
        (20_000, 39_999, ["stop0"], ["stop0_lite"]),
        (50_000, 99_999, ["stop1"], ["stop0"]),
    ]
    assert not power9["lost"]
    assert not power9["gained"]
    usual = found["judged"][0]
    assert usual["circumstance"] == next(iter(CIRCUMSTANCES))
    assert usual["differ"] > 0
    assert usual["deeper"] == 0
    assert usual["too_shallow"][1] > usual["too_shallow"][0]
    assert usual["too_deep"][1] < usual["too_deep"][0]
    assert found["decisions"] == sum(one["periods"] for one in found["judged"])
    assert found["differ"] == sum(one["differ"] for one in found["judged"])


def test_another_decision_about_the_tick_alone(capsys: Capture, linux: History) -> None:
    changed(linux, TIMER.replace("*stop_tick = ", "*stop_tick = 0 && "))
    _, [change] = reviewed(capsys, linux, "--run")
    [found] = change["governors"]
    assert found["differ"] == 0
    judged = {one["circumstance"]: one for one in found["judged"]}
    usual, stopped = judged["nothing special"], judged["the tick stopped"]
    assert found["ticks"] == sum(one["ticks"] for one in found["judged"])
    assert usual["ticks"] > 0
    assert stopped["ticks"] == 0
    assert usual["too_deep"][0] == usual["too_deep"][1]
    _, text = text_of(capsys, linux, "--run")
    assert f"menu: 0 of 37,800 decisions differ, {found['ticks']:,} more about the tick" in text


def test_an_entry_that_is_refused_is_a_circumstance(capsys: Capture, linux: History) -> None:
    """A governor that looks at the last residency alone shows there: a refused entry has 0."""
    last = TIMER.replace(
        "int found = 0;", "int found = 0;\n\tif (!dev->last_residency_ns) return 0;"
    )
    _, [change] = reviewed(capsys, changed(linux, last), "--run")
    differ = {one["circumstance"]: one["differ"] for one in change["governors"][0]["judged"]}
    assert differ["each third entry refused"] > 100 * max(differ["nothing special"], 1)


def test_a_state_that_is_selected_no_more(capsys: Capture, linux: History) -> None:
    _, text = text_of(capsys, changed(linux, SHALLOW), "--run")
    assert "power9: stop5 no longer selected, in decisions and maps" in text
    assert "intel:skx: C6 no longer selected, in decisions and maps" in text


@pytest.mark.parametrize(
    ("text", "verdict", "against"),
    [
        (RENAMED, "holds", "nothing differs in 37,800 decisions"),
        (TWICE, "contradicted", " of 37,800 decisions differ"),
    ],
)
def test_no_functional_change_is_checked(
    capsys: Capture, linux: History, text: str, verdict: str, against: str
) -> None:
    changed(linux, text, "menu: Rename\n\nTidy up.  No intentional functional impact.")
    _, [change] = reviewed(capsys, linux, "--run")
    [claim] = change["governors"][0]["claims"]
    assert claim["text"] == "No intentional functional impact."
    assert (claim["line"], claim["verdict"]) == (3, verdict)
    assert claim["against"].endswith(against)
    new = [(f["rule"], f["location"]["file"]) for f in change["message"]]
    assert new == [("IS516", MENU)] * (verdict == "contradicted")
    _, output = text_of(capsys, linux, "--run")
    assert f"message, line 3, {verdict}: 'No intentional functional impact.'" in output


@pytest.mark.parametrize("run_it", [True, False])
def test_a_reply_names_what_the_message_denies(
    capsys: Capture, linux: History, tmp_path: Path, run_it: bool
) -> None:
    changed(linux, TWICE, "menu: Rename\n\nTidy up.  No functional change.")
    mails = tmp_path / "mails"
    linux.git("format-patch", "-q", "-1", "-o", str(mails))
    linux.git("reset", "-q", "--hard", "HEAD~1")
    words = (str(mails), "--tree", str(linux.directory), *ARGUMENTS, "0", "--format", "reply")
    _, out, err = run(capsys, "review", *words, *(["--run"] if run_it else []))
    if not run_it:
        # nothing is known for sure
        assert out == ""
        assert "menu.c) changes; --run compiles both sides" in " ".join(err.split())
        return
    quoted, _, said = out.partition("> Tidy up.  No functional change.\n\n")
    assert "1 warning about idle states" in quoted
    said = " ".join(said.split())
    assert said.startswith(f"menu ({MENU}), both sides compiled and run confined, Linux 6.12,")
    assert "Most differ with " in said
    assert "[warning IS516 not-without-effect]" in said


def test_of_several_commits_each_is_told_apart(capsys: Capture, linux: History) -> None:
    changed(linux, RENAMED, "menu: Rename\n\nNo functional change.")
    changed(linux, TWICE, "menu: Demand more")
    _, [whole] = reviewed(capsys, linux, "--run", "HEAD~2..HEAD")
    [claim] = whole["governors"][0]["claims"]
    assert claim["verdict"] == "not checked"
    assert claim["against"].endswith("decisions differ after 2 commits; --per-commit tells each")
    _, each = reviewed(capsys, linux, "--run", "--per-commit", "HEAD~2..HEAD")
    assert [change["governors"][0]["differ"] > 0 for change in each] == [False, True]
    assert each[0]["governors"][0]["claims"][0]["verdict"] == "holds"


def test_a_header_changes_the_governors_that_are_made_of_it(
    capsys: Capture, linux: History
) -> None:
    linux.commit({SHARED: "#include <linux/tick.h>\n#define OF(ns) ((ns) / 2)\n"}, "cpuidle: Halve")
    _, [change] = reviewed(capsys, linux, "--run")
    assert [(one["name"], one["differ"] > 0) for one in change["governors"]] == [("teo", True)]


@pytest.mark.parametrize(
    ("text", "why"), [(BROKEN, "'found' undeclared"), (CRASHES, "it crashed (SIGSEGV)")]
)
def test_a_side_that_cannot_be_run_is_no_answer(
    capsys: Capture, linux: History, text: str, why: str
) -> None:
    status, output = text_of(capsys, changed(linux, text), "--run")
    assert status == 3
    assert output.startswith("No table changes; menu not compared.")
    assert why in output.replace("\N{LEFT SINGLE QUOTATION MARK}", "'").replace(
        "\N{RIGHT SINGLE QUOTATION MARK}", "'"
    )


def test_a_name_that_would_say_more_to_the_compiler_is_refused(
    capsys: Capture, linux: History
) -> None:
    path = f'{FOLDER}/x"\n#include "y.c'
    linux.commit({path: TIMER}, "First")
    linux.commit({path: TWICE}, "Change")
    status, text = text_of(capsys, linux, "--run")
    assert status == 3
    assert "expected a governor's name such as menu, found" in text


def test_a_governor_that_comes_or_goes_is_compared_with_nothing(
    capsys: Capture, linux: History
) -> None:
    linux.commit({MENU: None, f"{FOLDER}/own.c": TIMER}, "cpuidle: Replace")
    status, text = text_of(capsys, linux, "--run")
    assert status == 0
    assert f"menu ({MENU}) is removed: nothing to compare it with" in text
    assert f"own ({FOLDER}/own.c) is new: nothing to compare it with" in text


def test_a_mail_says_what_its_commit_says(capsys: Capture, linux: History, tmp_path: Path) -> None:
    changed(linux, TWICE)
    mails = tmp_path / "mails"
    linux.git("format-patch", "-q", "-1", "-o", str(mails))
    _, [of_commit] = reviewed(capsys, linux, "--run")
    linux.git("reset", "-q", "--hard", "HEAD~1")
    _, [mailed] = reviewed(capsys, linux, "--run", str(mails))
    assert mailed["governors"] == of_commit["governors"]


def test_without_a_tree_it_is_refused_with_what_to_do(
    capsys: Capture, linux: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(linux, TWICE)
    mails = tmp_path / "mails"
    linux.git("format-patch", "-q", "-1", "-o", str(mails))
    monkeypatch.chdir(tmp_path)
    status, out, _ = run(capsys, "review", str(mails), *ARGUMENTS, "0", "--run")
    assert status == 3
    said = " ".join(out.split())
    assert said.startswith("No change of a table is read: 2 changed lines were not read.")
    assert f"{MENU} is a governor's source, which is compared only as a whole: --tree" in said


@pytest.mark.slow
def test_all_packaged_tables_and_the_simulated_workloads(
    capsys: Capture, linux: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    _, [change] = reviewed(capsys, changed(linux, SHALLOW), "--run", runs="1")
    [found] = change["governors"]
    names = {name for table in found["tables"] for name in table["tables"]}
    assert {"power8", "power9", "power10", "arm64-generic", "intel:spr"} <= names
    far = next(one for one in found["workloads"] if one["workload"] == "server:gap=300ms")
    shares = [
        {one["state"]: one["share"] for one in far[at]["states"]} for at in ("before", "after")
    ]
    assert shares[0]["stop5"] > 90
    assert shares[1]["stop5"] == 0
    assert found["grounds"]
