"""Trees of skiboot to patch, as our writer has them, and descriptions of patches."""

import shutil
import subprocess
from pathlib import Path

import pytest

from idle_states.base.model.table import IdleTable
from idle_states.base.resources import resource
from idle_states.change.patches import description
from idle_states.tables.skiboot import c_table

DIRECTORY = resource("skiboot-patches")
MINIMAL = """\
name: mine
subject: "slw: Mine"
body: Because.
edits:
  - {table: power9_cpu_idle_states, state: stop0_lite, field: latency, from: 1us, to: 2us}
"""
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


def tree_of(directory: Path, tables: dict[str, list[IdleTable]], version: str = "") -> Path:
    """A tree with the tables of each file, as our writer has them."""
    for name, content in tables.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text('#include "slw.h"\n\n' + c_table.write(content))
    if version:
        (directory / ".version").write_text(f"{version}\n")
    return directory


def described(text: str, directory: Path) -> description.Patch:
    file = directory / "mine.yaml"
    file.write_text(text)
    return description.read(file, "mine.yaml")


def git(*words: str, cwd: Path, text: bytes | None = None) -> str:
    done = subprocess.run(["git", *words], cwd=cwd, input=text, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def as_repository(directory: Path, name: str = "A Tester") -> None:
    for words in (
        ("init", "--quiet"),
        ("config", "user.name", name),
        ("config", "user.email", "tester@example.org"),
        ("config", "commit.gpgsign", "false"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "base"),
    ):
        git(*words, cwd=directory)
