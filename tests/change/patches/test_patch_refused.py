"""patch refuses what review would refuse, unless it is told to write it all the same."""

import json
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support.git_history import History

GOOD = """\
name: good
subject: "slw: Give stop0_lite 15 us"
body: Because of measurements.
edits:
  - {table: power9_cpu_idle_states, state: stop0_lite, field: residency, from: 10us, to: 15us}
"""
BAD = """\
name: bad
subject: "slw: Let stop0_lite wake in 200 ns"
body: Because of measurements.
edits:
  - {table: power9_cpu_idle_states, state: stop0_lite, field: latency, from: 1us, to: 200ns}
"""


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    made.commit({"hw/slw.c": c_table.write([find("power9")]), ".version": "v7.1\n"})
    return made


def series(directory: Path, **texts: str) -> Path:
    found = directory / "series"
    found.mkdir()
    for name, text in texts.items():
        (found / f"{name}.yaml").write_text(text)
    return found


def patch(history: History, made: Path, *words: str) -> int:
    return main(["patch", str(made), "--tree", str(history.directory), *words])


@pytest.mark.parametrize("mode", ["-o", "--apply", "--stdout"])
def test_nothing_is_written_of_what_review_refuses(
    mode: str, history: History, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither of the patches before the bad one."""
    before = (history.directory / "hw/slw.c").read_bytes()
    words = [mode, str(tmp_path / "out")] if mode == "-o" else [mode]
    assert patch(history, series(tmp_path, a=GOOD, b=BAD), *words) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "nothing is written without --force" in err
    line = before.decode().splitlines().index("\t\t.latency_ns = 1000,") + 1
    assert f"hw/slw.c:{line}:17: error: power9_cpu_idle_states[0].latency_ns: stop0_lite" in err
    assert "\t\t.latency_ns = 200,\n" in err
    assert "[IS201 sub-microsecond-latency]" in err
    assert (history.directory / "hw/slw.c").read_bytes() == before
    assert not (tmp_path / "out").exists()


def test_force_writes_it_and_says_what_it_brings(
    history: History, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert patch(history, series(tmp_path, b=BAD), "--force", "--stdout") == 0
    out, err = capfd.readouterr()
    assert "+\t\t.latency_ns = 200,\n" in out
    assert "IS201" not in out
    assert "[IS201 sub-microsecond-latency]" in err
    assert "written by --force" in err


def test_json_says_why(history: History, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    words = ("-o", out, "--format", "json")
    made = series(tmp_path, b=BAD)
    assert patch(history, made, *words) == 1
    document = json.loads(capfd.readouterr().out)
    assert {finding["rule"] for finding in document["findings"]} >= {"IS201"}
    assert all(finding["severity"] == "error" for finding in document["findings"])
    assert document["written"] == []
    assert patch(history, made, "--force", *words) == 0
    forced = json.loads(capfd.readouterr().out)
    assert forced["findings"] == document["findings"]
    assert len(forced["written"]) == 1


def test_what_was_there_before_refuses_nothing(history: History, tmp_path: Path) -> None:
    text = (history.directory / "hw/slw.c").read_text()
    history.commit({"hw/slw.c": text.replace(".latency_ns = 1000,", ".latency_ns = 200,")})
    assert patch(history, series(tmp_path, a=GOOD), "-o", str(tmp_path / "out")) == 0


def test_fail_on_says_how_bad_is_too_bad(history: History, tmp_path: Path) -> None:
    """A latency of 3 us for stop0_lite: a warning, that stop0 after it has less."""
    text = BAD.replace("200ns", "3us").replace("200 ns", "3 us")
    made = series(tmp_path, b=text)
    out = str(tmp_path / "out")
    assert patch(history, made, "-o", out) == 0
    assert patch(history, made, "-o", str(tmp_path / "no"), "--fail-on", "warning") == 1
    assert not (tmp_path / "no").exists()


def test_what_the_tree_has_accepted_is_not_held_against_a_patch(
    history: History, tmp_path: Path
) -> None:
    accepted = (
        "[idle-states]\nsuppress =\n"
        "    IS201,IS401,IS402 power9_cpu_idle_states[0].* until 2099-01-01 an experiment\n"
    )
    history.commit({"setup.cfg": accepted})
    assert patch(history, series(tmp_path, b=BAD), "-o", str(tmp_path / "out")) == 0


def test_check_only_compares(
    history: History, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert patch(history, series(tmp_path, b=BAD), "--check") == 1
    assert "IS201" not in "".join(capfd.readouterr())
