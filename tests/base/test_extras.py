"""What is said where an optional package is missing."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from idle_states.base.extras import EXTRAS, MissingPackage, package, remedy
from idle_states.cli import main
from tests.support import ROOT

C_TABLE = """\
struct cpu_idle_states power9_cpu_idle_states[] = {
	{ .name = "stop0_lite", .latency_ns = 0, .residency_ns = 2000, .flags = 0 },
};
"""
SAID = f"expected the package tree_sitter, found none; to install it: {remedy('c')}"


@pytest.fixture
def no_tree_sitter(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in EXTRAS["c"]:
        monkeypatch.setitem(sys.modules, module, None)


@pytest.fixture
def skiboot(tmp_path: Path) -> Path:
    """As much of a tree as makes it one; its table has the fault of 2017."""
    tree = tmp_path / "skiboot"
    (tree / "hw").mkdir(parents=True)
    (tree / "include").mkdir()
    (tree / "hw" / "slw.c").write_text(C_TABLE)
    return tree


def test_package_is_the_module() -> None:
    assert package("c", "tree_sitter", "x.c").Parser


def test_a_broken_package_is_not_a_missing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "distributed.py").write_text("raise ImportError('built for another Python')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "distributed", raising=False)
    with pytest.raises(MissingPackage, match=r"cannot be loaded \(built for another Python\)"):
        package("dask", "distributed", "tcp://host")


def test_every_extra_is_one_of_setup_cfg() -> None:
    from configparser import ConfigParser

    config = ConfigParser()
    config.read(ROOT / "setup.cfg")
    for extra, packages in EXTRAS.items():
        listed = config["options.extras_require"][extra].split()
        assert list(packages.values()) == listed


def test_the_remedy_is_a_command_of_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/with blanks/python3")
    assert shlex.split(remedy("plot")) == [
        *("/with blanks/python3", "-m", "pip", "install", "matplotlib>=3.8")
    ]


@pytest.mark.usefixtures("no_tree_sitter")
@pytest.mark.parametrize(
    "words",
    [
        ["check", "{file}"],
        ["check", "{tree}"],
        ["check", "--format", "json", "{tree}"],
        ["check", "power9", "{file}"],
        ["show", "{file}"],
        ["import", "{file}"],
        ["diff", "{file}", "power9"],
        ["select", "{file}"],
        ["generate", "{file}", "--to", "dts"],
        ["patch", "power9", "--tree", "{tree}"],
    ],
    ids=" ".join,
)
def test_c_that_cannot_be_read_is_never_clean(
    words: list[str], skiboot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 3, the package and the remedy, once; not a word of 0 errors."""
    names = {"tree": str(skiboot), "file": str(skiboot / "hw" / "slw.c")}
    assert main([word.format(**names) for word in words]) == 3
    said = "".join(capsys.readouterr())  # of check it is a finding among the others
    assert said.count(SAID) == 1
    assert "slw.c" in said
    assert "0 errors" not in said


@pytest.mark.usefixtures("no_tree_sitter")
def test_no_firmware_is_built_of_a_tree_that_was_not_read(skiboot: Path, tmp_path: Path) -> None:
    from idle_states.change.boot.powernv.image import from_tree
    from idle_states.change.patches.tree import PatchedTree

    with pytest.raises(MissingPackage, match=re.escape(SAID)):
        from_tree(PatchedTree(skiboot), "powernv9", None, tmp_path / "cache")


@pytest.mark.usefixtures("no_tree_sitter")
def test_check_of_a_folder_counts_c_that_it_could_not_read(
    skiboot: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a spec that is well: what was read does not hide what was not."""
    (skiboot.parent / "mine.yaml").write_text("name: mine\nextends: power9\n")
    monkeypatch.chdir(skiboot.parent)
    status = main(["check", "--format", "json"])
    body = json.loads(capsys.readouterr().out)
    assert status == 3
    assert body["summary"]["error"] == 1
    assert [f["message"].startswith(SAID) for f in body["findings"] if f["rule"] == "IS930"] == [
        True
    ]
    assert any(each["file"].endswith("mine.yaml") for each in body["inputs"])


@pytest.mark.usefixtures("no_tree_sitter")
def test_audit_says_of_each_input_that_it_was_not_read(
    skiboot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["audit", str(skiboot / "hw" / "slw.c"), "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["inputs"]
    assert status == 3
    assert [finding["message"].startswith(SAID) for finding in found["findings"]] == [True]
    assert found["states"] == []


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.usefixtures("no_tree_sitter")
def test_review_ends_and_does_not_judge(skiboot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *words], cwd=skiboot, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "Add a table")
    (skiboot / "hw" / "slw.c").write_text(C_TABLE.replace("2000", "3000"))
    git("commit", "-qam", "Change it")
    assert main(["review", "--tree", str(skiboot), "HEAD~1..HEAD"]) == 3
    said = capsys.readouterr()
    assert said.err.count(SAID) == 1
    assert said.out == ""


@pytest.mark.usefixtures("no_tree_sitter")
def test_a_header_without_tables_needs_no_parser() -> None:
    from idle_states.tables.skiboot import c_table

    assert c_table.read("extern struct cpu_idle_states *wakeup;", "x.h") == []
