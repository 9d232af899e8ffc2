"""boot --tree: what a tree's make is shown, and that it is said."""

import shutil
from pathlib import Path

import pytest

from idle_states.boot.build import CROSS, lid_of
from idle_states.cli import main
from idle_states.patches.tree import PatchedTree
from idle_states.skiboot import c_table
from idle_states.spec.library import find


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    directory = tmp_path / "tree"
    (directory / "hw").mkdir(parents=True)
    (directory / "hw/slw.c").write_text(c_table.write([find("power9")]))
    (directory / "Makefile").write_text("skiboot.lid:\n\tenv > $@; pwd >> $@\n")
    return directory


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / f"{CROSS}gcc").write_text("#!/bin/sh\n")
    (programs / f"{CROSS}gcc").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")


@pytest.mark.usefixtures("compiler")
def test_make_is_shown_no_secrets_and_runs_in_a_copy(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI_TOKEN", "hunter2")
    monkeypatch.setenv("MAKEFLAGS", "--silent")
    before = sorted(tree.rglob("*"))
    said = lid_of(PatchedTree(tree), {}, tmp_path / "cache").read_text()
    assert "hunter2" not in said
    assert "--silent" not in said
    names = {line.partition("=")[0] for line in said.splitlines()[:-1]}
    assert {"PATH", "SKIBOOT_VERSION", "GIT_CEILING_DIRECTORIES"} <= names
    assert said.splitlines()[-1].startswith(str(tmp_path / "cache"))
    assert sorted(tree.rglob("*")) == before


def test_that_make_runs_is_said(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["boot", "--machine", "powernv9", "--logs", str(tmp_path / "logs")]
    monkeypatch.setenv("PATH", "/nonexistent")
    assert main([*words, "--tree", str(tree)]) == 3
    assert f"{tree}: runs this tree's make" in capsys.readouterr().err
    assert main([*words, "--lid", str(tmp_path / "none.lid")]) == 3
    assert "make" not in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["boot", "--help"])
    assert "runs the tree's make" in " ".join(capsys.readouterr().out.split())
