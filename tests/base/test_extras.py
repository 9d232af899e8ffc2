"""Tests of what is said where an optional package is missing."""

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


@pytest.fixture
def no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    for modules in EXTRAS.values():
        for module in modules:
            monkeypatch.setitem(sys.modules, module, None)


@pytest.fixture
def skiboot(tmp_path: Path) -> Path:
    """The part of a tree that makes it one; its table has the fault of 2017."""
    tree = tmp_path / "skiboot"
    (tree / "hw").mkdir(parents=True)
    (tree / "include").mkdir()
    (tree / "hw" / "slw.c").write_text(C_TABLE)
    return tree


def test_package_is_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", sys)
    assert package("parquet", "pyarrow", "x") is sys


@pytest.mark.usefixtures("no_extras")
def test_a_missing_package_is_named_with_its_remedy() -> None:
    said = f"x: expected the package pyarrow, found none; to install it: {remedy('parquet')}"
    with pytest.raises(MissingPackage, match=re.escape(said)):
        package("parquet", "pyarrow", "x")


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
    assert shlex.split(remedy("parquet")) == [
        *("/with blanks/python3", "-m", "pip", "install", "pyarrow>=14")
    ]


@pytest.mark.usefixtures("no_extras")
@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["check", "{file}"], 1),
        (["check", "{tree}"], 1),
        (["check", "--format", "json", "{tree}"], 1),
        (["check", "power9", "{file}"], 1),
        (["show", "{file}"], 0),
        (["import", "{file}"], 0),
        (["diff", "{file}", "power9"], 1),
        (["select", "{file}"], 0),
        (["generate", "{file}", "--to", "dts"], 0),
        (["patch", "power9", "--tree", "{tree}"], 0),
        (["audit", "{file}"], 1),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_a_c_table_needs_no_extra(
    words: list[str],
    status: int,
    skiboot: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(skiboot.parent)
    names = {"tree": str(skiboot), "file": str(skiboot / "hw" / "slw.c")}
    assert main([word.format(**names) for word in words]) == status
    said = "".join(capsys.readouterr())
    assert re.search("slw|power9_cpu_idle_states|stop0_lite", said)
    assert "expected the package" not in said


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.usefixtures("no_extras")
def test_review_needs_no_extra(skiboot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *words], cwd=skiboot, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "Add a table")
    (skiboot / "hw" / "slw.c").write_text(C_TABLE.replace("2000", "3000"))
    git("commit", "-qam", "Change it")
    assert main(["review", "--tree", str(skiboot), "HEAD~1..HEAD"]) in (0, 1)
    assert "stop0_lite" in capsys.readouterr().out
