"""review: a file of tables that becomes what is not read as text is a finding, not a removal."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from idle_states.base.model.findings import Finding, Severity
from idle_states.change.review.answer import review as reviewed
from idle_states.change.review.request import ReviewRequest
from idle_states.cli import main
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.built_in.headers import SIGN
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.change.patches.test_patch_sources import BOARD, FOLDER, PSCI
from tests.change.review.test_review_boards import WITH_PSCI
from tests.support.git_history import History
from tests.support.thorough import few

pytestmark = pytest.mark.usefixtures("dtc")
CRITERIA = Criteria((release("6.1"),))
TEXT = c_table.write([find("power9-dd1"), find("power9")])
SPEC = "name: mine\nextends: power9\n"
DRIVER = """static struct cpuidle_state my_states[] = {
	{ .name = "C1", .desc = "x", .exit_latency = 2, .target_residency = 2, .enter = &a },
	{ .enter = NULL }
};
"""
KINDS = {
    "hw/slw.c": (TEXT, {}),
    "specs/mine.yaml": (SPEC, {"specs/other.yaml": "name: other\nextends: power10\n"}),
    f"{FOLDER}/one.dts": (
        BOARD % "one",
        {"include/dt-bindings/psci.h": PSCI, f"{FOLDER}/soc.dtsi": WITH_PSCI},
    ),
    "drivers/cpuidle/cpuidle-x.c": (DRIVER, {SIGN: "\n", "Makefile": "VERSION = 6\n"}),
}
"""File with tables -> its text, and what the repository is told by."""


def linked(path: Path, target: str) -> None:
    path.unlink()
    path.symlink_to(target)


def submodule(path: Path) -> None:
    path.unlink()
    History(path).commit({"x": "y"})


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "x").write_text("y")


def parent(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.symlink_to("../elsewhere")


def renamed(path: Path) -> None:
    path.rename(path.with_suffix(".txt"))


BECOMES: dict[str, tuple[Callable[[Path], object], Severity, str]] = {
    "binary": (lambda p: p.write_bytes(b"\x7fELF" + bytes(99)), Severity.ERROR, "binary content"),
    "compressed": (lambda p: p.write_bytes(b"\x1f\x8b\x08" + b"\1" * 9), Severity.ERROR, "binary"),
    "UTF-16": (
        lambda p: p.write_text(p.read_text(), "utf-16"),
        Severity.ERROR,
        "found UTF-16",
    ),
    "a link": (lambda p: linked(p, "other"), Severity.ERROR, "a symbolic link to 'other';"),
    "a link out": (
        lambda p: linked(p, "../" * p.as_posix().count("/") + "etc/passwd"),
        Severity.ERROR,
        "etc/passwd', out of the repository",
    ),
    "an absolute link": (
        lambda p: linked(p, "/etc/passwd"),
        Severity.ERROR,
        "to '/etc/passwd', out of the repository",
    ),
    "a link above": (parent, Severity.ERROR, "to '../elsewhere'"),
    "a submodule": (submodule, Severity.ERROR, "found a submodule"),
    "a directory": (directory, Severity.ERROR, "found a directory"),
    "empty": (lambda p: p.write_bytes(b""), Severity.WARNING, "found an empty file"),
    "deleted": (Path.unlink, Severity.WARNING, "found no such file after the change"),
    "renamed": (renamed, Severity.WARNING, "found no such file after the change"),
}


def made(tmp_path: Path, file: str, becomes: str) -> History:
    history = History(tmp_path / "tree")
    text, others = KINDS[file]
    history.commit({file: text, "README": "x", **others}, "First")
    BECOMES[becomes][0](history.directory / file)
    history.commit({}, "Change")
    return history


def check(found: list[Finding], file: str, becomes: str) -> None:
    _, severity, said = BECOMES[becomes]
    [finding] = [f for f in found if f.rule == "IS930" and f.location.file == file]
    assert finding.severity is severity
    assert said in finding.message
    if file == "hw/slw.c":
        assert "power9_cpu_idle_states" in finding.message


BROKEN = ("binary", "compressed", "UTF-16", "empty")
"""The contents that dtc finds no device-tree source in."""
CASES = [
    (file, becomes)
    for file in KINDS
    for becomes in BECOMES
    if not (file.endswith(".dts") and becomes in (*BROKEN, "a link above"))
]


@pytest.mark.parametrize(("file", "becomes"), few(len(BECOMES), CASES))
def test_a_range_says_what_it_sees_no_more(tmp_path: Path, file: str, becomes: str) -> None:
    history = made(tmp_path, file, becomes)
    specs = file.endswith(".yaml")
    request = ReviewRequest("HEAD~1..HEAD", CRITERIA, (history.directory,), specs=specs, runs=0)
    review = reviewed(request)
    check(review.new, file, becomes)
    [change] = review.changes
    is_unread = BECOMES[becomes][1] is Severity.ERROR
    assert (file in change.unread) is is_unread
    # what is not read is not said to be removed
    assert any(table.after is None for table in change.tables) is not is_unread
    # nor is it new where it was so before
    history.commit({"README": "y"}, "Another")
    if file == "hw/slw.c":
        again = main(["review", "--tree", str(history.directory), "--config", "none"])
        assert again == 0 if becomes in BROKEN else 3


@pytest.mark.parametrize("becomes", few(1, BROKEN))
def test_a_board_that_is_no_source_is_unread(tmp_path: Path, becomes: str) -> None:
    history = made(tmp_path, f"{FOLDER}/one.dts", becomes)
    review = reviewed(ReviewRequest(None, CRITERIA, (history.directory,), runs=0))
    assert [(f.rule, f.location.file) for f in review.new] == [("IS931", f"{FOLDER}/one.dts")]
    assert review.changes[0].unread == (f"{FOLDER}/one.dts",)


def test_a_folder_of_boards_that_becomes_a_link_is_refused(tmp_path: Path) -> None:
    history = made(tmp_path, f"{FOLDER}/one.dts", "a link above")
    assert main(["review", "--tree", str(history.directory), "--config", "none"]) == 3


@pytest.mark.parametrize("becomes", ["binary", "a link"])
def test_a_review_by_commits_exits_with_it(
    tmp_path: Path, becomes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    history = made(tmp_path, "hw/slw.c", becomes)
    words = ["review", "--tree", str(history.directory), "--config", "none", "--per-commit"]
    assert main([*words, "HEAD~1..HEAD"]) == 1
    assert "IS930" in capsys.readouterr().out


@pytest.mark.parametrize(
    "becomes", ["binary", "a link", "a link out", "a submodule", "empty", "deleted", "renamed"]
)
def test_a_mail_says_it_as_its_commit_does(tmp_path: Path, becomes: str) -> None:
    history = made(tmp_path, "hw/slw.c", becomes)
    mail = history.directory.with_name("mail")
    words = ["--binary"] if becomes == "binary" else ["--no-renames"]
    text = subprocess.run(
        ["git", "-C", str(history.directory), "format-patch", "--stdout", *words, "-1"],
        capture_output=True,
        check=True,
    )
    mail.write_bytes(text.stdout)
    request = ReviewRequest(None, CRITERIA, (history.directory,), mail=str(mail), runs=0)
    found = reviewed(request)
    if becomes == "binary":
        [finding] = [each for each in found.new if each.rule == "IS930"]
        assert "found a binary file" in finding.message
    else:
        check(found.new, "hw/slw.c", becomes)
    # without its repository no line of it is read
    if becomes in ("binary", "a link", "a submodule"):
        alone = reviewed(ReviewRequest(None, CRITERIA, mail=str(mail), runs=0))
        assert alone.unread_lines
        assert any("which is not read" in remark for remark in alone.remarks)


def test_a_table_that_moves_is_not_gone(tmp_path: Path) -> None:
    history = History(tmp_path / "tree")
    history.commit({"hw/slw.c": TEXT, "README": "x"}, "First")
    history.commit({"hw/slw.c": None, "hw/idle.c": TEXT}, "Move")
    review = reviewed(ReviewRequest(None, CRITERIA, (history.directory,), runs=0))
    assert review.new == []
