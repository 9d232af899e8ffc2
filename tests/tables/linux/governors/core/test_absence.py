"""Tests of what the tool says where there is no compiled core."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from idle_states.base import compiled_core
from tests.support import ROOT

WITHOUT = "import sys; sys.modules['idle_states.tables.linux.governors.core._core'] = None\n"
ONE = f"{WITHOUT}from idle_states.cli import main; sys.exit(main())"
SEVERAL = f"""{WITHOUT}
import io, json
from contextlib import redirect_stderr, redirect_stdout
from idle_states.cli import main
said = []
for words in json.loads(sys.stdin.read()):
    err = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(err):
        status = main(words)
    said.append((status, err.getvalue()))
print(json.dumps(said))
"""
NEED_IT = (
    "select --states 0/2000 --kernel 4.11 --governor ladder",
    "diff power9-dd1 power9-dd1 --kernel 4.11 --governor ladder",
    "kernels 4.9 4.9.9 --states 0/2000 --governor ladder",
    "audit {tree} --kernel 6.1 --governor menu",
    "simulate ping-pong --table power9 --duration 1ms",
)
OTHERS = ("list", "diff power9-dd1 power9-dd1")


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Returns what each command says on standard error, one after the other in a process without
    core."""
    tree = tmp_path_factory.mktemp("absence") / "tree.dtb"
    make = f"generate power9-dd1 --to dtb -o {tree}"
    lines = [make, *(line.format(tree=tree) for line in (*NEED_IT, *OTHERS))]
    asked = json.dumps([line.split() for line in lines])
    command = [sys.executable, "-c", SEVERAL]
    done = subprocess.run(
        command, input=asked, capture_output=True, text=True, cwd=ROOT, check=True
    )
    (first, *others) = json.loads(done.stdout)
    assert first == [0, ""]
    assert {status for status, _ in others} <= {0, 1}
    return {line: err for line, (_, err) in zip((*NEED_IT, *OTHERS), others, strict=True)}


@pytest.fixture
def halted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "idle_states.tables.linux.governors.core._core", None)


@pytest.mark.usefixtures("halted")
def test_why_is_what_the_installation_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_core, "NOTE", tmp_path / "note")
    assert compiled_core.why() == "it was not compiled when idle-states was installed"
    (tmp_path / "note").write_text("no Python.h when idle-states was installed\n")
    assert compiled_core.why() == "no Python.h when idle-states was installed"


def test_a_core_that_does_not_load_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Built for another machine, or cut short: what the loader says."""
    (tmp_path / "_core.abi3.so").write_bytes(b"\x7fELF cut short")
    monkeypatch.delitem(sys.modules, "idle_states.tables.linux.governors.core._core", raising=False)
    monkeypatch.setattr(compiled_core, "CORE", str(tmp_path))
    assert compiled_core.why().startswith("it cannot be loaded: ")
    assert "_core.abi3.so" in compiled_core.why()


def test_a_core_of_other_sources_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a pull, say, without a build: the C beside the module is not what was compiled."""
    fake = ModuleType("_core")
    monkeypatch.setitem(sys.modules, "idle_states.tables.linux.governors.core._core", fake)
    header = tmp_path / "core/settle.h"
    header.parent.mkdir(parents=True)
    monkeypatch.setattr(compiled_core, "CORE", str(header.parent))
    assert compiled_core.why() == ""  # installed without its sources
    header.write_text("struct circumstances { long limit_us; };\n")
    structs = header.parent / "structs.py"
    structs.write_text('EFFECT = CStruct("effect", u64="exit_ns")\n')
    assert compiled_core.why() == compiled_core.OTHER_SOURCES
    fake.digest_of_sources = compiled_core.digest_of_core()  # type: ignore[attr-defined]
    assert compiled_core.why() == ""
    header.write_text("struct circumstances { long limit_us, wake_ns; };\n")
    assert compiled_core.why() == compiled_core.OTHER_SOURCES
    with pytest.raises(ImportError, match=compiled_core.OTHER_SOURCES):
        compiled_core.loaded()
    fake.digest_of_sources = compiled_core.digest_of_core()  # type: ignore[attr-defined]
    structs.write_text('EFFECT = CStruct("effect", u64="exit_ns holds")\n')
    assert compiled_core.why() == compiled_core.OTHER_SOURCES


def test_the_remedy_fits_the_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_core, "source_folder", lambda: str(ROOT))
    assert compiled_core.remedy().endswith("python3-dev, then make core")
    monkeypatch.setattr(compiled_core, "source_folder", lambda: "")
    assert compiled_core.remedy().endswith("python3-dev, then install idle-states again")


def test_version_without_core() -> None:
    command = [sys.executable, "-c", ONE, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("no core: ")
    assert lines[2] == f"to get it: {compiled_core.remedy()}"


@pytest.mark.slow
@pytest.mark.parametrize("line", NEED_IT)
def test_each_command_says_once_that_the_core_is_missing(line: str, said: dict[str, str]) -> None:
    assert said[line].count("the compiled core is missing") == 1
    assert said[line].count(compiled_core.remedy()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("line", OTHERS)
def test_other_commands_do_not(line: str, said: dict[str, str]) -> None:
    assert "core" not in said[line]
