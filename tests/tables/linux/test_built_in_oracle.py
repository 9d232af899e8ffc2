"""Tables read from drivers' sources against what gcc stores of them."""

import os
from pathlib import Path

import pytest

from idle_states.base.model.beyond_opal import BuiltInState
from idle_states.base.model.findings import Unreadable
from idle_states.tables.sources import read_sources
from tests.oracle import skipping
from tests.oracle.debian import linux_source
from tests.oracle.linux.built_in import compiled, with_tables
from tests.support.thorough import slow

LEAST = 30
"""Tables of Debian's trees."""


def values(state: BuiltInState) -> list[object]:
    return [
        state.name,
        state.description,
        state.exit_latency_us,
        state.target_residency_us,
        state.flags,
        state.power_usage,
    ]


def compare(tree: Path) -> int:
    """Returns how many tables were compared; fails where one differs or is not read."""
    count = 0
    for file in with_tables(tree):
        stored = compiled(tree, file)
        stored = {name: table for name, table in stored.items() if any(map(any, table["states"]))}
        try:
            tables = {source.name: source.table for source in read_sources(str(file))}
        except Unreadable as error:
            if stored:
                raise AssertionError(f"{file} is not read: {error.findings}") from error
            continue
        assert list(tables) == list(stored), file
        for name, table in tables.items():
            assert table is not None
            assert table.origin.form == "driver"
            found, kept = table.origin, stored[name]
            states = kept["states"]
            assert [values(state) for state in found.states] == states[: len(found.states)], name
            assert not any(any(state) for state in states[len(found.states) :]), name
            if found.driver:
                assert (found.count or 0, found.safe) == (kept["count"], kept["safe"]), name
                assert found.driver == kept["name"]
            count += 1
    return count


@pytest.mark.slow
def test_same_as_the_compiler() -> None:
    with skipping():
        named = os.environ.get("LINUX")
        tree = Path(named) if named else linux_source()
        least = 1 if named else LEAST
        assert compare(tree) >= least


@pytest.mark.parametrize("version", slow("6.12"))
def test_same_as_the_compiler_in_a_later_tree(version: str) -> None:
    with skipping():
        assert compare(linux_source(version)) >= LEAST
