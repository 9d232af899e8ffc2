"""Tests of modules that are imported as they were compiled when idle-states was built."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

_RUN = """
import inspect, sys
sys.path.insert(0, sys.argv[1])
from idle_states.base.prepared import BundleFinder
sys.meta_path.insert(0, BundleFinder)
from idle_states.base import wording
from idle_states.tables import spec
loaders = [type(module.__loader__).__name__ for module in (wording, spec)]
print(*loaders, wording.__file__, *spec.__path__, wording.joined.__code__.co_filename)
print(inspect.getsource(wording).splitlines()[-1])
"""
_BUNDLED, _USUAL = "BundleFinder", "SourceFileLoader"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has the package with what is prepared for it, as in a checkout."""
    folder = tmp_path_factory.mktemp("built")
    ignored = shutil.ignore_patterns("__pycache__", "*.marshal")
    for name in (
        "idle_states",
        "linux-patches",
        "schemas",
        "skiboot-patches",
        "templates",
        "tools",
    ):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    words = [sys.executable, "-m", "tools.prepare"]
    subprocess.run(words, cwd=folder, env=environment, check=True)
    return folder


def lines(folder: Path, *options: str) -> list[str]:
    words = [sys.executable, *options, "-c", _RUN, folder]
    done = subprocess.run(words, cwd="/", capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_modules_are_those_of_their_sources(built: Path) -> None:
    wording = built / "idle_states/base/wording.py"
    found = f"{_BUNDLED} {_BUNDLED} {wording} {built}/idle_states/tables/spec {wording}"
    assert lines(built) == [found, wording.read_text("utf-8").splitlines()[-1]]


def test_a_copy_elsewhere_has_its_own_places(built: Path, tmp_path: Path) -> None:
    """A wheel is built in one folder and installed in another, where files have other times."""
    shutil.copytree(built, tmp_path / "copy", copy_function=shutil.copyfile)
    wording = tmp_path / "copy/idle_states/base/wording.py"
    loaders, _ = lines(tmp_path / "copy")
    assert loaders.split()[:3] == [_BUNDLED, _BUNDLED, str(wording)]
    assert loaders.endswith(str(wording))


def test_a_changed_module_is_imported_from_its_source(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "copy")
    wording = tmp_path / "copy/idle_states/base/wording.py"
    wording.write_text(wording.read_text("utf-8") + "ADDED = 1\n", "utf-8")
    loaders, last = lines(tmp_path / "copy")
    assert loaders.split()[:2] == [_USUAL, _BUNDLED]
    assert last == "ADDED = 1"


def test_without_assertions_other_bytecode_is_needed(built: Path) -> None:
    assert lines(built, "-O")[0].split()[:2] == [_USUAL, _USUAL]


@pytest.mark.parametrize("damage", [None, "cut", "foreign"])
def test_a_bundle_that_cannot_be_read_is_not_used(
    damage: str | None, built: Path, tmp_path: Path
) -> None:
    shutil.copytree(built, tmp_path / "copy")
    file = tmp_path / "copy/idle_states/prepared.marshal"
    data = file.read_bytes()
    file.unlink()
    if damage is not None:
        file.write_bytes(data[:200_000] if damage == "cut" else b"another program's")
    assert lines(tmp_path / "copy")[0].split()[1] == _USUAL
