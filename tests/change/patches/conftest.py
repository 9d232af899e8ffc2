"""Trees of skiboot to patch."""

from pathlib import Path

import pytest

from idle_states.tables.spec.library import find
from tests.support.patching import tree_of


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A new skiboot, with POWER8 in a file of its own."""
    new = [find(name) for name in ("power9", "power9-mambo", "power9-fused", "power10")]
    old = [find(name) for name in ("power8", "power8-nap-only")]
    return tree_of(tmp_path / "tree", {"hw/slw.c": new, "hw/slw-p8.c": old}, "v7.1")


@pytest.fixture
def old_tree(tmp_path: Path) -> Path:
    """The tables of April 2017, all in one file."""
    names = ("power8", "power9@84368bbf8", "power9-dd1@84368bbf8")
    files = {"hw/slw.c": [find(name) for name in names]}
    return tree_of(tmp_path / "old", files, "skiboot-5.5.0-11-gf32ad58f9")
