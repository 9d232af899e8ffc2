"""Every behaviour of every governor, on tables that are hard: nothing is left undecided."""

import pytest

from idle_states.tables.linux.governors import governor_names
from tests.support.thorough import few
from tools import proven

HARD = ("power8@0768e820e", "power8", "intel:snb", "intel:skl")
"""States without residency; one that is 300 ms away; ties, some with slower successors."""


def test_tables_are_found() -> None:
    found = list(proven.tables())
    assert set(HARD) <= set(found)
    assert any(table.startswith("sm8250:/cpus/") for table in found)


@pytest.mark.parametrize("governor", few(0, governor_names()))
def test_nothing_is_undecided(governor: str) -> None:
    found = proven.sweep(governor, HARD)
    assert found.undecided == []
    assert found.counts["witness"] > found.pairs
    assert found.counts["never"]
