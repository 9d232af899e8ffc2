"""tools/install.py: what fails takes nothing else with it, and is said in a line."""

import sys
from pathlib import Path

import pytest

from tools import install

PIP = """\
import sys
words = sys.argv[1:]
open({log!r}, "a").write(" ".join(words) + "\\n")
if any(word.startswith({failing!r}) for word in words):
    print({said!r})
    sys.exit(1)
"""
NO_GCC = (
    "  error: [Errno 2] No such file or directory: 'x86_64-linux-gnu-gcc'\n"
    "ERROR: Could not build wheels for pylibfdt"
)
NO_HEADER = "core.c:1:10: fatal error: Python.h: No such file or directory"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (NO_GCC, f"pylibfdt has no wheel for this machine and needs {install.COMPILED}"),
        (NO_HEADER, f"it has no wheel for this machine and needs {install.COMPILED}"),
        ("ERROR: No matching distribution found for x", "there is none for this Python or machine"),
        (
            "WARNING: Retrying after NewConnectionError('...')\n"
            "ERROR: No matching distribution found for x",
            "the package index does not answer",
        ),
        ("ERROR: Disk full\n", "Disk full"),
        ("", "pip failed"),
    ],
)
def test_reason(said: str, expected: str) -> None:
    assert install.reason(said) == expected


def fake_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, said: str) -> None:
    program, log = tmp_path / "pip.py", tmp_path / "calls"
    program.write_text(PIP.format(log=str(log), failing=failing, said=said))
    monkeypatch.setattr(install, "PIP", (sys.executable, str(program)))
    monkeypatch.setattr(install, "LOG", install.ROOT / "build" / "test-install.log")


def calls(tmp_path: Path) -> list[str]:
    return (tmp_path / "calls").read_text().splitlines()


@pytest.mark.parametrize(("failing", "status"), [("dtschema", 3), ("pytest>", 1)])
def test_one_package_fails_alone(
    failing: str,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fake_pip(tmp_path, monkeypatch, failing, NO_GCC)
    extras = ["test", "dtschema", "dask"]
    assert install.packages(extras) == status
    together, *alone = calls(tmp_path)
    wanted = list(install.requirements(extras))
    assert together == " ".join(["--quiet", *wanted])
    assert alone == [f"--quiet {requirement}" for requirement in wanted]
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert said.err.startswith(f"no {failing.rstrip('>')}: pylibfdt has no wheel for this machine")
    assert "Could not build wheels" not in said.err


def test_all_well_is_one_call_and_no_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_pip(tmp_path, monkeypatch, "none of them", "")
    assert install.packages(["test", "lint"]) == 0
    assert len(calls(tmp_path)) == 1
    assert capsys.readouterr() == ("", "")


def test_the_tool_itself_says_why_it_has_no_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_pip(tmp_path, monkeypatch, "none of them", "")
    monkeypatch.setattr(install, "CORE_MISSING", tmp_path / "_core.missing")
    assert install.tool() == 0
    assert capsys.readouterr().err == ""
    (tmp_path / "_core.missing").write_text("no Python.h when idle-states was installed\n")
    assert install.tool() == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "no Python.h when" in line


def test_the_tool_itself_fails_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_pip(tmp_path, monkeypatch, "-e", "Traceback\nERROR: Disk full\n")
    assert install.tool() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("idle-states cannot be installed: Disk full; see build/")
