"""Disks that fail or are full, and a clock that jumps: nothing half written, nothing left beside.

A library that is preloaded lets the system calls of a command fail, on one file alone.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from idle_states.tables.spec.library import find
from tests.support import DATA, ROOT
from tests.support.html_pages import TRACE
from tests.support.patching import tree_of
from tests.support.shared import building
from tests.support.thorough import few

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None, reason="needs Linux and gcc"
)
TREE = str(DATA / "trees/powernv9.dtb")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with building(tmp_path_factory, "failing") as directory:
        made = directory / "failing.so"
        if not made.exists():
            words = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(made)]
            source = ROOT / "tests/support/failing.c"
            subprocess.run([*words, str(source), "-ldl"], check=True)
        return made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("name: mine\nextends: power9\noverride: {stop2: {latency: 9ms}}\n")
    shutil.copy(TREE, "tree.dtb")
    shutil.copy(TRACE, Path(TRACE).name)
    Path("samples").write_text("1\n2\n3\n4\n")
    Path("gaps.csv").write_text("gap_ns,count\n1000,5\n100000,7\n")
    Path("empty.json").write_text('{"idle-states baseline": 1, "findings": []}\n')
    Path("found.cfg").write_text("[idle-states]\n")
    return tmp_path


def run(
    library: Path, words: tuple[str, ...], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "idle_states", *words],
        env={**os.environ, "LD_PRELOAD": str(library), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def failing(call: str, path: str, number: int) -> dict[str, str]:
    return {"FAIL_CALL": call, "FAIL_PATH": path, "FAIL_ERRNO": str(number)}


TRACED = Path(TRACE).name
READS = {
    "mine.yaml": ("check", "mine.yaml", "--config", "none"),
    "tree.dtb": ("audit", "tree.dtb", "--config", "none"),
    "mine.yaml ": ("show", "./mine.yaml"),
    "tree.dtb ": ("diff", "power9", "tree.dtb"),
    "mine.yaml  ": ("generate", "--to", "c", "./mine.yaml"),
    "samples": ("stats", "samples"),
    TRACED: ("replay", TRACED, "--table", "power9"),
    f"{TRACED} ": ("tune", "power9", "--trace", TRACED, "--power", "implied"),
    "gaps.csv": ("tune", "power9", "--gaps", "gaps.csv", "--power", "implied"),
    "empty.json": ("check", "power9", "--baseline", "empty.json", "--config", "none"),
    "found.cfg": ("check", "power9", "--config", "found.cfg"),
    "samples ": ("fit", "--table", "power9", "samples"),
}


@pytest.mark.parametrize("name", few(3, READS))
def test_a_file_that_cannot_be_read_is_named(name: str, library: Path, folder: Path) -> None:
    done = run(library, READS[name], failing("read", name.strip(), errno.EIO))
    assert done.returncode == 3, done.stderr
    output = done.stdout + done.stderr
    assert name.strip() in output
    assert "Input/output error" in output
    assert "Traceback" not in output


def test_one_file_that_cannot_be_read_hides_no_other(library: Path, folder: Path) -> None:
    shutil.copy("mine.yaml", "bad.yaml")
    for words in (("check", "bad.yaml", "mine.yaml"), ("check", "."), ("audit", ".")):
        done = run(
            library,
            (*words, "--config", "none", "--format", "sarif"),
            failing("read", "bad.yaml", errno.EIO),
        )
        assert done.returncode == 3, done.stderr
        results = json.loads(done.stdout)["runs"][0]["results"]
        files = [
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for result in results
        ]
        assert "bad.yaml" in files
        assert "mine.yaml" in files


WRITES: dict[str, tuple[str, ...]] = {
    "generate": ("generate", "--to", "dtb", "power9", "-o", "result-here"),
    "import": ("import", TREE, "-o", "result-here"),
    "check": ("check", "power9", "--format", "sarif", "-o", "result-here", "--config", "none"),
    "fix": ("check", "result-here.yaml", "--fix", "--config", "none"),
    "audit": ("audit", TREE, "-o", "result-here", "--config", "none"),
    "audit json": ("audit", TREE, "--format", "json", "-o", "result-here", "--config", "none"),
    "audit --html": ("audit", TREE, "--html", "result-here", "--config", "none"),
    "audit --sqlite": ("audit", TREE, "--sqlite", "result-here", "--config", "none"),
    "audit --parquet": ("audit", TREE, "--parquet", "result-here", "--config", "none"),
    "baseline": ("check", "power9", "--write-baseline", "result-here", "--config", "none"),
    "show": ("show", "power9", "-o", "result-here"),
    "diff": ("diff", "power9", "power10", "-o", "result-here"),
    "list": ("list", "--format", "json", "-o", "result-here"),
    "kernels": ("kernels", "6.1", "-o", "result-here"),
    "select": ("select", "power9", "-o", "result-here"),
    "select --html": ("select", "power9", "--html", "result-here"),
    "stats": ("stats", "samples", "-o", "result-here"),
    "replay": ("replay", TRACE, "--table", "power9", "-o", "result-here"),
    "replay --html": ("replay", TRACE, "--table", "power9", "--html", "result-here"),
    "tune": ("tune", "power9", "--gaps", "gaps.csv", "--power", "implied", "-o", "result-here"),
    "tune --resume": (
        "tune",
        "power9",
        "--trace",
        TRACE,
        "--power",
        "implied",
        "--resume",
        "result-here",
    ),
    "simulate": (
        "simulate",
        "ping-pong",
        "--table",
        "power9",
        "--duration",
        "5ms",
        "-o",
        "result-here",
    ),
    "prove": ("prove", "power9", "-o", "result-here"),
    "collect": ("collect", "-o", "result-here"),
    "collect --record": ("collect", "--record", "-o", "result-here"),
    "collect --measure": ("collect", "--measure", "-o", "result-here"),
    "list rules": ("list", "rules", "-o", "result-here"),
    "patch": ("patch", "./power9@mine.yaml", "--tree", "tree", "-o", "result-here"),
    "fit": (
        "fit",
        str(DATA / "measured/power9-2023.log"),
        "--table",
        "power9",
        "-o",
        "result-here",
    ),
}


def whole(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "cache" not in path.parts
    }


@pytest.mark.parametrize(
    ("name", "call"),
    few(
        3,
        [
            ("generate", "rename"),
            *((name, "write") for name in WRITES),
            *((name, "rename") for name in ("patch", "fix", "baseline", "audit --parquet")),
        ],
    ),
)
def test_a_file_that_cannot_be_written_is_named(
    name: str, call: str, library: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, or one that fails when the file is put into its place."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    Path("result-here.yaml").write_text(FIXABLE)
    if name == "patch":
        text = Path("mine.yaml").read_text()
        Path("power9@mine.yaml").write_text(text.replace("name: mine", "name: power9@mine"))
        tree_of(folder / "tree", {"hw/slw.c": [find("power9")]}, "v7.1")
        Path("result-here").mkdir()
    before = whole(folder)
    number = errno.ENOSPC if call == "write" else errno.EIO
    done = run(library, WRITES[name], failing(call, "result-here", number))
    output = done.stdout + done.stderr
    if name == "tune --resume":
        # is appended to
        assert Path("result-here").read_bytes() == b""
        Path("result-here").unlink()
    assert done.returncode == 3, output
    assert os.strerror(number) in output
    assert ("free some space there" in output) == (number == errno.ENOSPC)
    assert "result-here" in output
    assert "Traceback" not in output
    assert whole(folder) == before


FIXABLE = """\
name: mine
extends: power9
override:
  stop5: {mask: 0x1}
"""


CLOCKED = {
    "tune": ("tune", "power9", "--trace", TRACE, "--power", "implied"),
    "audit": ("audit", TREE, "--config", "none"),
    "check": ("check", "power9", "--config", "none"),
    "simulate": ("simulate", "ping-pong", "--table", "power9", "--duration", "5ms"),
}


@pytest.mark.parametrize("name", few(1, CLOCKED))
def test_a_clock_that_jumps_changes_nothing(
    name: str, library: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hours, forth and back, between one look at it and the next."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    words = (*CLOCKED[name], "--format", "json")
    steady, jumping = (run(library, words, how) for how in ({}, {"CLOCK_JUMPS": "1"}))
    assert steady.returncode == jumping.returncode
    assert steady.stdout == jumping.stdout != ""
