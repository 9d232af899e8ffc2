"""patch in a tree whose repository, files or author are not to be trusted."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from idle_states.change.patches.tree import PatchedTree
from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support.forms import faults
from tests.support.git_history import History
from tests.support.git_traps import set_traps
from tests.support.thorough import few, slow

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    names = ("power9", "power9-mambo", "power9-fused", "power10")
    tables = c_table.write([find(name) for name in names])
    made.commit({"hw/slw.c": tables, "README": "one", ".version": "v7.1\n"})
    return made


def patch(history: History, *words: str) -> int:
    return main(["patch", "mambo-stop4", "--tree", str(history.directory), *words])


@pytest.mark.parametrize("modified", [False, True])
def test_applying_runs_nothing(modified: bool, history: History, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    set_traps(history, witness)
    file = history.directory / "hw/slw.c"
    if modified:
        file.write_text(file.read_text() + "\n")
    # the time alone makes git compare, with a filter
    os.utime(file, (1, 1))
    before = file.read_text()
    assert patch(history, "--apply") == (2 if modified else 0)
    assert (file.read_text() == before) is modified
    assert not witness.exists()


def test_only_files_that_matter_count_as_modified(history: History, capsys: Capture) -> None:
    (history.directory / "README").write_text("two")
    assert patch(history, "--stdout") == 0
    capsys.readouterr()
    os.utime(history.directory / "hw/slw.c", (1, 1))
    assert PatchedTree(history.directory).modified == ()
    (history.directory / "include").mkdir()
    (history.directory / "include/slw.h").write_text("#define A 1\n")
    assert PatchedTree(history.directory).modified == ()
    history.commit({})
    (history.directory / "include/slw.h").write_text("#define A 2\n")
    assert PatchedTree(history.directory).modified == ("include/slw.h",)
    (history.directory / "include/slw.h").unlink()
    assert PatchedTree(history.directory).modified == ("include/slw.h",)


def test_git_file_that_leads_elsewhere_is_refused(
    history: History, tmp_path: Path, capsys: Capture
) -> None:
    evil = tmp_path / "evil"
    shutil.copytree(history.directory, evil, ignore=shutil.ignore_patterns(".git"))
    (evil / ".git").write_text(f"gitdir: {history.directory / '.git'}\n")
    assert main(["patch", "mambo-stop4", "--tree", str(evil), "--apply"]) == 3
    assert "does not lead back" in capsys.readouterr().err


def test_link_into_git_is_not_written_through(history: History, capsys: Capture) -> None:
    file = history.directory / "hw/slw.c"
    inside = history.directory / ".git/slw.c"
    inside.write_bytes(file.read_bytes())
    file.unlink()
    file.symlink_to("../.git/slw.c")
    history.git("rm", "-q", "--cached", "hw/slw.c")
    history.git("commit", "-q", "-m", "No table")
    before = inside.read_bytes()
    assert patch(history, "--apply") == 3
    assert "expected files of the tree" in capsys.readouterr().err
    assert inside.read_bytes() == before


def test_mode_stays(history: History) -> None:
    file = history.directory / "hw/slw.c"
    file.chmod(0o640)
    assert patch(history, "--apply") == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "name",
    ["A\nBcc: victim@example.com", *slow("A <x@y>", "A\rB", "A\x1b[31m", "A\u2028B", "A\x85B")],
)
def test_author_that_no_header_may_hold(
    name: str, history: History, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for key, value in (("user.name", name), ("user.email", f"{name}@example.com")):
        kept = history.git("config", key)
        history.git("config", key, value)
        assert patch(history, "--stdout") == 0
        printed = capsys.readouterr()
        assert "victim" not in printed.out
        assert "Signed-off-by" not in printed.out
        assert "the author is left out" in printed.err
        history.git("config", key, kept)
    monkeypatch.setenv("GIT_AUTHOR_NAME", name)
    assert patch(history, "--stdout") == 0
    printed = capsys.readouterr()
    assert "the author is left out" in printed.err
    assert patch(history, "--stdout", "-s") == 2
    assert "expected an author who signs off" in capsys.readouterr().err
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "some@body")
    assert patch(history, "--stdout") == 0
    out = capsys.readouterr().out
    assert "From: Somebody <some@body>" in out
    assert "Signed-off-by" not in out
    assert patch(history, "--stdout", "-s") == 0
    assert "Signed-off-by: Somebody <some@body>" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name",
    few(
        1, ["x\n+++ b/../../evil.c", 'a"b\\c.c', "\x1b]0;t\x07.c", "\u202eé.c", "a b.c", "\udcff.c"]
    ),
)
def test_a_hostile_name_stays_a_name(name: str, history: History, capsys: Capture) -> None:
    name = name.replace("/", "-")
    text = (history.directory / "hw/slw.c").read_text()
    history.commit({"hw/slw.c": text.replace("power9_mambo", "other"), f"hw/{name}": text}, "x")
    for words in (["--check"], ["-o", str(history.directory.with_name("made"))], ["--apply"]):
        assert main(["patch", "mambo-stop4", "--tree", str(history.directory), *words]) in (0, 1)
        output = capsys.readouterr().out
        assert "\n+++ b-" not in output
        assert not faults("text", output.encode("utf-8", "surrogateescape"))
    applied = (history.directory / f"hw/{name}").read_text()
    assert applied != text
    history.git("checkout", "-q", ".")
    for mail in history.directory.with_name("made").iterdir():
        history.git("am", "-q", str(mail))
    assert (history.directory / f"hw/{name}").read_text() == applied
    assert history.git("status", "--porcelain") == ""


@pytest.mark.parametrize("state", ["From", "Subject", "diff -a", "---", "Index"])
def test_what_a_state_is_called_is_no_header_and_no_diff(
    state: str, history: History, capsys: Capture
) -> None:
    file = history.directory / "hw/slw.c"
    text = file.read_text()
    history.commit({"hw/slw.c": text.replace('"stop0_lite"', f'"{state}"')}, "Rename")
    assert main(["patch", "power9", "--tree", str(history.directory), "--stdout"]) == 0
    mail = history.directory.with_name("mail")
    mail.write_text(capsys.readouterr().out)
    history.git("am", "-q", str(mail))
    subject, _, body = history.git("log", "-1", "--format=%s%n%b").partition("\n")
    assert subject == "slw: Bring power9_cpu_idle_states in line with power9"
    assert f"{state}: removed" in body
    assert "stop0_lite: added" in body
