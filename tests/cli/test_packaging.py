"""The package as others get it: wheel, sdist and bare checkout all find their data."""

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from idle_states.base import compiled_core
from tests.support import ROOT
from tests.support.shared import once
from tools import wheel_audit
from tools.wheels import PLATFORMS

AGAIN = "install idle-states again"
CLEAN = re.compile(r"^12 tables, [0-9]+ kernels: 0 errors", re.MULTILINE)
COMPILER = "sh -c 'exec gcc \"$@\" -O0 -DBASELINE_ALONE' gcc"
"""A compiler that takes less time: the core's work is not asked of it here: setup.py's -O3, for
each instruction set, takes six times as long."""
SOME_TESTS = (
    *("tests/tools/test_lock.py", "tests/tools/test_wheels.py", "tests/tools/test_mainline.py"),
    *(
        "tests/base/model/test_history.py",
        "tests/tables/spec/test_processors.py",
        "tests/cli/test_action.py",
    ),
)
BUILDS_HERE = int(metadata.version("setuptools").partition(".")[0]) >= 77
"""Tells whether what builds the package is here; one that is built from the sdist fetches it
anyway."""

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    keep = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    result = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=keep | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("build", reason="the build package is not installed")
    return once(tmp_path_factory, "packages", build)


def build(into: Path) -> None:
    """Builds wheel and sdist from a copy of what git tracks."""
    work = into / "source"
    for name in wheel_audit.tracked(ROOT):
        target = work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    words = [sys.executable, "-m", "build", "--outdir", into, "."]
    if BUILDS_HERE:
        words.append("--no-isolation")
    (into / "log").write_text(run(*words, cwd=work, CC=COMPILER, PYTHONSAFEPATH="1"))


def test_wheel_has_the_data(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "idle_states/py.typed" in names
    assert "idle_states/tables/specs/power9.yaml" in names
    assert "idle_states/prepared.marshal" in names, (built / "log").read_text()[-4000:]
    assert "idle_states/schemas/idle-states.schema.json" in names
    assert "idle_states/schemas/powerpc/opal-power-mgt.yaml" in names
    assert any(name.startswith("idle_states/templates/") for name in names)
    assert not [name for name in names if name.startswith("tests/")]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_wheel_passes_the_audit_of_a_release(built: Path, tmp_path: Path) -> None:
    """But for the platform tag, which auditwheel gives to a release."""
    (wheel,) = built.glob("*.whl")
    specs = wheel_audit.prepared(ROOT, tmp_path)
    machine = PLATFORMS[platform.machine()].machine
    found = [*wheel_audit.complaints(wheel, wheel_audit.expected(ROOT, specs), machine)]
    assert found == [f"expected cp311, abi3 and manylinux in the name, found {wheel.name}"]


def test_sdist_has_all_that_git_tracks(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [each.name.partition("/")[2] for each in archive if not each.isdir()]
    made = {"PKG-INFO", *(name for name in names if name.startswith("idle_states.egg-info/"))}
    assert {*filter(None, names)} - made == {*wheel_audit.tracked(ROOT)}


def test_the_sdist_runs_its_own_tests(built: Path, tmp_path: Path) -> None:
    """Collects all of them, for which support, data and tools are there, and runs some."""
    (sdist,) = built.glob("*.tar.gz")
    shutil.unpack_archive(sdist, tmp_path)
    (unpacked,) = tmp_path.glob("idle_states-*")
    words = [sys.executable, "-B", "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
    chosen = " or ".join(Path(name).name for name in SOME_TESTS)
    said = run(*words, "-k", chosen, cwd=unpacked, PYTHONPATH=str(unpacked))
    assert re.search(r"[0-9]{2,} passed,.* [0-9]{5,} deselected", said), said[-2000:]


def test_one_wheel_serves_all_pythons(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert "-cp311-abi3-" in wheel.name


def test_without_a_compiler_it_installs_without_the_core(built: Path, tmp_path: Path) -> None:
    """From the sdist, which has the C sources."""
    (sdist,) = built.glob("*.tar.gz")
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-cache-dir"]
    words += ["--no-compile", *(["--no-build-isolation"] if BUILDS_HERE else ())]
    run(*words, "--target", tmp_path, sdist, CC="/bin/false")
    tool = (sys.executable, "-m", "idle_states", "--version")
    _, second, *remedy = run(*tool, cwd=tmp_path, PYTHONPATH=str(tmp_path)).splitlines()
    assert second.startswith("no core: it could not be compiled: ")
    assert remedy == [f"to get it: {compiled_core.remedy().replace('make core', AGAIN)}"]


def test_an_installed_wheel_checks_all_tables(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", wheel)
    tool = tmp_path / "venv" / "bin" / "idle-states"
    if shutil.which("gcc") is not None:
        assert run(tool, "--version", cwd=tmp_path).splitlines()[1].startswith("core: ")
    assert CLEAN.search(run(tool, "check", cwd=tmp_path))
    assert "mambo-stop4" in run(tool, "patch", "--list", cwd=tmp_path)
    for form in ("c", "dts", "md", "yaml"):
        assert run(tool, "generate", "power10", "--to", form, cwd=tmp_path)


def test_a_bare_checkout_works_without_installation(tmp_path: Path) -> None:
    out = run(sys.executable, "-m", "idle_states", "check", cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert CLEAN.search(out)
