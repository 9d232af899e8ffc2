"""Histories to review."""

from pathlib import Path

import pytest

from tests.support.git_history import History
from tests.support.reviewed import AFTER, BEFORE, MESSAGE, c_of


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "tree")


@pytest.fixture
def stop0_lite(history: History) -> History:
    """The change that this tool began with: one commit after another."""
    history.commit({"hw/slw.c": c_of(BEFORE)}, "First")
    history.commit({"hw/slw.c": c_of(AFTER)}, MESSAGE)
    return history
