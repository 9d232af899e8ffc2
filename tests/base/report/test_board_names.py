"""Boards whose files are named to do harm: in every form that a command prints, as git reads a
patch that lists them, and as operands."""

import json
import os
import subprocess
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from idle_states.cli import main
from tests.base.report.test_gate_out import captured
from tests.change.patches.test_patch_sources import BOARD, FOLDER, PSCI, described, edit
from tests.change.review.test_review_boards import WITH_PSCI
from tests.support.forms import faults
from tests.support.git_history import History
from tests.support.thorough import few

pytestmark = pytest.mark.usefixtures("dtc")
STEMS = (
    b"new\nline", b"\n::error::x", b"quo\"te's", b"-leading", b"--output=x", b"--format=json",
    b"$(touch ran)", b"`touch ran`", b"; touch ran;", b"| tee ran", b"x\xe2\x80\xaedts.y",
    b"\xff\xfe", b"x" * 251, b"..", b"...", b"trailing ", b" leading", b"a,b", b"a:b", b"a:b,c:d",
    b"*", b"?[a]{b}", b"~", b"%0A%s%n", b"HEAD", b"main", b"main..other", b"HEAD~1", b"@",
    b"\x1b[31m", b"#1 GH-1 o@r#1 @user", b"84368bbf8", b"[x](y)", b"a|b", b"<script>", b"]]>",
    b"\xc2\x9b",
    b"\r", b"##vso[x]", b"From: x <x@y>", b"-- >8 --", b"---", b"Signed-off-by: x",
    b"diff --git a b", b"\t", b"\\", b"&amp;", b"powernv9", b"power9", b"\xf0\x9f\x98\x80",
    b"con", b"\xcc\x81",
)  # fmt: skip
NAMES = tuple(os.fsdecode(stem + b".dts") for stem in STEMS)
KERNEL = ("--kernel", "6.1", "--config", "none")


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """Two commits, the last of which makes a state slower on all boards; the current folder is that
    of the boards."""
    made = History(tmp_path / "linux")
    boards: dict[str, str | bytes | None] = {f"{FOLDER}/{name}": BOARD % "x" for name in NAMES}
    soc = f"{FOLDER}/soc.dtsi"
    made.commit({"include/dt-bindings/psci.h": PSCI, soc: WITH_PSCI, **boards})
    made.commit({soc: WITH_PSCI.replace("<(100)>", "<(3000)>")}, "Slower")
    monkeypatch.chdir(made.directory / FOLDER)
    return made


def run(*words: str) -> tuple[int, bytes, bytes]:
    with captured() as (out, err):
        try:
            status = main(list(words))
        except SystemExit as ended:
            status = int(ended.code or 0)
        return status, out.getvalue(), err.getvalue()


def check(form: str, *words: str) -> bytes:
    status, printed, errors = run(*words)
    assert status in (0, 1), errors
    assert not faults(form, printed), words
    assert not faults("text", errors), words
    assert not list(Path.cwd().glob("ran")) + list(Path.cwd().glob("x"))
    return printed


FORMS = ("text", "json", "sarif", "github", "junit")


@pytest.mark.parametrize("form", few(2, ["sarif", "text", "json", "github", "junit", "jsonl"]))
def test_an_audit_of_all_of_them(linux: History, tmp_path: Path, form: str) -> None:
    page = tmp_path / "page.html"
    words = ("audit", str(linux.directory), "--notes", "--format", form, "--html", str(page))
    printed = check(form, *words, "--jobs", "1", *KERNEL)
    assert not faults("html", page.read_bytes())
    if form == "sarif":
        uris = {
            artifact["location"]["uri"].rpartition("/")[2]
            for run in json.loads(printed)["runs"]
            for artifact in run["artifacts"]
        }
        assert set(map(unquote_to_bytes, uris)) >= {stem + b".dts" for stem in STEMS}


@pytest.mark.parametrize("form", few(2, ["markdown", "text", "reply", *FORMS[1:]]))
def test_a_review_of_all_of_them(linux: History, tmp_path: Path, form: str) -> None:
    mail = tmp_path / "mail"
    mail.write_text(linux.git("format-patch", "--stdout", "-1") + "\n")
    tree = str(linux.directory)
    valid = {"markdown": "comment", "text": "text"}.get(form, form)
    for words in (["HEAD~1..HEAD"], [str(mail)]):
        printed = check(
            valid, "review", *words, "--tree", tree, "--runs", "0", "--format", form, *KERNEL
        )
        if form == "json":
            (change,) = json.loads(printed)["changes"]
            boards = {board for table in change["tables"] for board in table["after"]["boards"]}
            assert boards == {f"{FOLDER}/{name}" for name in NAMES}


def test_a_patch_that_lists_all_of_them(linux: History, tmp_path: Path) -> None:
    mine = described(tmp_path, edit("CPU_SLEEP", "entry-latency-us", "3000us", "150us"))
    linux.git("checkout", "-q", ".")
    printed = check("mail", "patch", mine, "--tree", str(linux.directory), "--stdout")
    for scissors in ("--scissors", "--no-scissors"):
        done = subprocess.run(
            ["git", "-C", str(linux.directory), "am", "-q", scissors], input=printed, check=True
        )
        assert done.returncode == 0
        assert linux.git("log", "-1", "--format=%an %s") == "A U Thor arm64: dts: Mine"
        body = linux.git("log", "-1", "--format=%B")
        assert "Because." in body
        assert f"{len(NAMES)} boards: " in body
        assert not linux.git("log", "-1", "--format=%(trailers:key=Signed-off-by)")
        linux.git("reset", "-q", "--hard", "HEAD~1")
    check("json", "patch", mine, "--tree", str(linux.directory), "--check", "--format", "json")


@pytest.mark.parametrize("name", few(4, NAMES[3:7] + NAMES[:3] + NAMES[7:]))
def test_each_as_an_operand(linux: History, tmp_path: Path, name: str) -> None:
    """A name that begins with a dash is an operand behind --, or with its folder before it."""
    for operand in (f"./{name}", str(Path.cwd() / name)):
        for to, form in (("md", "markdown"), ("dts", "source"), ("yaml", "source")):
            status, printed, errors = run("generate", "--to", to, f"{operand}:/cpus/cpu@0")
            assert status in (0, 1, 2, 3)
            assert not faults(form, printed)
            assert not faults("text", errors)
        table = f"{operand}:/cpus/cpu@0"
        assert check("json", "show", table, "--format", "json", "--kernel", "6.1")
        status, printed, errors = run("import", operand)
        assert status in (0, 1, 2)
        assert not faults("source", printed) + faults("text", errors)
        check("text", "check", operand, *KERNEL)
    if not name.startswith("-"):
        return
    check("text", "check", *KERNEL, "--", name)
    check("text", "check", "--", name, f"./{name}")
    status, _, errors = run("check", name, *KERNEL)
    assert status in (0, 1, 2, 3)
    assert not faults("text", errors)
    assert not Path("x").exists()


@pytest.mark.parametrize("name", few(2, ["HEAD.dts", "main..other.dts", "power9.dts", "a:b.dts"]))
def test_a_boot_takes_a_file_before_anything_else(linux: History, name: str) -> None:
    status, printed, errors = run("boot", f"./{name}", "--machine", "powernv9")
    assert status in (1, 2, 3)
    assert not faults("text", printed)
    assert not faults("text", errors)
    assert b"Traceback" not in errors
