"""--help of every tool, benchmark and fuzzer prints help and does nothing."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.support.shared import once

pytestmark = pytest.mark.slow

PLACES = ("tools", "benchmarks", "tests/fuzz")
RUN = re.compile(r'^if __name__ == "__main__":\n(?:    .*\n)+\Z', re.MULTILINE)
"""The lines that make a module a program, at its end."""


def programs() -> list[str]:
    """Returns the names of the modules that are programs, by their files."""
    found = []
    for file in sorted(each for place in PLACES for each in Path(ROOT, place).rglob("*.py")):
        if file.name == "__main__.py" or RUN.search(file.read_text("utf-8")):
            dotted = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            found.append(dotted.removesuffix(".__main__"))
    return found


def copied(into: Path) -> None:
    """Copies this checkout without what was built in it."""
    built = shutil.ignore_patterns(".*", "build", "dist", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, into / "copy", ignore=built, symlinks=True)


def files(directory: Path) -> dict[Path, int]:
    """Maps every file below a directory to when it was last changed."""
    return {path: path.lstat().st_mtime_ns for path in directory.rglob("*")}


def test_programs_are_found() -> None:
    assert {"tools.nightly", "tools.site.manual", "benchmarks", "tests.fuzz"} <= {*programs()}


@pytest.mark.parametrize("name", programs())
def test_help_is_printed_and_nothing_is_done(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In a copy, as a user in another folder would: neither the copy, that folder, the home nor the
    temporary folder has another file afterwards."""
    copy = once(tmp_path_factory, "help", copied) / "copy"
    folders = [tmp_path / each for each in ("here", "home", "tmp")]
    for folder in folders:
        folder.mkdir()
    here, home, temporary = map(str, folders)
    before = files(copy)
    done = subprocess.run(
        [sys.executable, "-m", name, "--help"],
        cwd=here,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(copy),
            "PYTHONPYCACHEPREFIX": str(copy.parent / "bytecode"),
            "HOME": home,
            "TMPDIR": temporary,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: python -m {name} [-h]")
    assert done.stderr == ""
    assert files(copy) == before
    assert [each for folder in folders for each in folder.iterdir()] == []
