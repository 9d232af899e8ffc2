"""What the tool says where there is no compiled core."""

import subprocess
import sys
from pathlib import Path

import pytest

from idle_states.core import absence
from tests.support import ROOT

WITHOUT = (
    "import sys; sys.modules['idle_states.core._core'] = None\n"
    "from idle_states.cli import main\n"
    "sys.exit(main(sys.argv[1:]))"
)


def without_core(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *words], capture_output=True, text=True, cwd=ROOT
    )


@pytest.fixture
def halted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "idle_states.core._core", None)


@pytest.mark.usefixtures("halted")
def test_why_is_what_the_installation_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(absence, "NOTE", tmp_path / "note")
    assert absence.why() == "it was not compiled when idle-states was installed"
    (tmp_path / "note").write_text("no Python.h when idle-states was installed\n")
    assert absence.why() == "no Python.h when idle-states was installed"


def test_a_core_that_does_not_load_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Built for another machine, or cut short: what the loader says."""
    import idle_states.core

    (tmp_path / "_core.abi3.so").write_bytes(b"\x7fELF cut short")
    monkeypatch.delitem(sys.modules, "idle_states.core._core", raising=False)
    monkeypatch.setattr(idle_states.core, "__path__", [str(tmp_path)])
    assert absence.why().startswith("it cannot be loaded: ")
    assert "_core.abi3.so" in absence.why()


def test_the_remedy_fits_the_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    assert absence.remedy().endswith("python3-dev, then make core")
    monkeypatch.setattr(absence, "source_tree", lambda: None)
    assert absence.remedy().endswith("python3-dev, then install idle-states again")


def test_version_without_core() -> None:
    said = without_core("--version").stdout.splitlines()
    assert len(said) == 3
    assert said[1].startswith("no core: ")
    assert said[2] == f"to get it: {absence.remedy()}"


@pytest.mark.parametrize(
    "words",
    [
        ("select", "--states", "0/2000", "--kernel", "4.11"),
        ("diff", "power9-dd1", "power9-dd1", "--kernel", "4.11", "--governor", "menu"),
        ("kernels", "4.9", "4.9.9", "--states", "0/2000"),
        ("audit", "{tree}", "--kernel", "6.1", "--governor", "menu"),
        ("simulate", "ping-pong", "--table", "power9", "--duration", "1ms"),
    ],
    ids=" ".join,
)
def test_each_command_says_once_that_the_core_is_missing(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    tree = tmp_path / "tree.dtb"
    if "{tree}" in words:
        made = without_core("generate", "power9-dd1", "--to", "dtb", "-o", str(tree))
        assert made.returncode == 0
        assert made.stderr == ""
    said = without_core(*(word.format(tree=tree) for word in words)).stderr
    assert said.count("the compiled core is not there") == 1
    assert said.count(absence.remedy()) == 1


@pytest.mark.parametrize("words", [("list",), ("diff", "power9-dd1", "power9-dd1")], ids=" ".join)
def test_other_commands_do_not(words: tuple[str, ...]) -> None:
    assert "core" not in without_core(*words).stderr
