"""tools/install.py: packages by their hashes; one that fails is named on a line, alone."""

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from tools import install

PIP = """\
import re, sys
words = sys.argv[1:]
named = words
if "-r" in words:
    assert {{"--require-hashes", "--no-build-isolation"}} <= {{*words}}
    named = re.findall(r"^([a-z0-9-]+)==", open(words[-1]).read(), re.MULTILINE)
open({log!r}, "a").write(" ".join(named) + "\\n")
if {failing!r} in named:
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


@pytest.mark.parametrize(("failing", "status"), [("pylibfdt", 3), ("pluggy", 1)])
def test_one_package_fails_alone(
    failing: str,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A package that others require takes those with it; pytest is one without which none runs."""
    fake_pip(tmp_path, monkeypatch, failing, NO_GCC)
    extras = ["test", "dtschema", "dask"]
    assert install.packages(extras) == status
    builders, together, *alone, gone = (set(line.split()) for line in calls(tmp_path))
    wanted = [install.name_of(each) for each in install.requirements(extras)]
    assert {"setuptools-scm", "swig"} <= builders
    assert gone == {"uninstall", "--yes", "setuptools-scm", "swig"}
    assert {*wanted, "pluggy", "pylibfdt", "tornado"} <= together
    assert not {"mkdocs", "ruff", "uv"} & together
    assert [name in names for name, names in zip(wanted, alone, strict=True)] == [True] * len(alone)
    assert {"dtschema", "pylibfdt", "jsonschema"} <= alone[wanted.index("dtschema")]
    assert "scipy" not in alone[wanted.index("dtschema")]
    printed = capsys.readouterr()
    assert printed.out == ""
    failed = [name for name, names in zip(wanted, alone, strict=True) if failing in names]
    assert [line.split(":")[0] for line in printed.err.splitlines()] == [f"no {x}" for x in failed]
    assert {"pylibfdt": "dtschema", "pluggy": "pytest"}[failing] in failed
    assert "Could not build wheels" not in printed.err


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


def test_the_tool_is_installed_behind_its_hashed_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_pip(tmp_path, monkeypatch, "none of them", "")
    assert install.tool() == 0
    build, run, itself = calls(tmp_path)
    assert build == "setuptools"
    assert {"jinja2", "markupsafe", "mpmath", "pyyaml"} <= {*run.split()}
    assert {"--no-deps", "--no-build-isolation"} <= {*itself.split()}


def test_a_requirement_that_is_not_locked_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_pip(tmp_path, monkeypatch, "none of them", "")
    monkeypatch.setattr(install, "requirements", lambda extras: ["idle-friend>=2"])
    assert install.main(["test"]) == 1
    assert capsys.readouterr().err == "requirements/ lacks idle-friend: run make lock\n"


def test_pip_refuses_another_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the real pip, and a wheel on this disk that the lock holds another hash of."""
    wheel = tmp_path / "pytest-9-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("pytest-9.dist-info/METADATA", "Name: pytest\nVersion: 9\n")
        archive.writestr("pytest-9.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        archive.writestr("pytest-9.dist-info/RECORD", "")
    for name, value in (
        ("NO_INDEX", "1"),
        ("FIND_LINKS", tmp_path.as_uri()),
        ("TARGET", tmp_path / "here"),
    ):
        monkeypatch.setenv(f"PIP_{name}", str(value))
    monkeypatch.setattr(install, "LOG", install.ROOT / "build" / "test-install.log")
    monkeypatch.setattr(install, "EXTRAS", tmp_path / "extras.txt")
    monkeypatch.setattr(install, "requirements", lambda extras: ["pytest"])
    sum_ = hashlib.sha256(wheel.read_bytes()).hexdigest()
    for digest, status in ((sum_, 0), (sum_[::-1], 1)):
        install.EXTRAS.write_text(f"pytest==9 \\\n    --hash=sha256:{digest}\n")
        assert install.main(["test"]) == status
    assert "another archive than the one whose hash requirements/ holds" in capsys.readouterr().err
