"""Governor.for_kernel: what it takes for a table and a tick, and what it says of the rest."""

import re
from typing import Any

import pytest

from idle_states.tables.linux.governors import Governor, State, governor_names, known_in, states_of
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import journey
from idle_states.tables.skiboot.platform import parse_platform
from idle_states.tables.sources import read_table

STATES = (State(0, 0), State(1_000, 10_000))


def test_a_driver_table_and_its_states_are_the_same() -> None:
    way = journey(read_table("power9"), parse_platform("op920"), [release("6.1")])
    driver = way.arrivals[0].driver
    made = Governor.for_kernel("menu", "6.1", driver)
    assert made.states == states_of(driver)
    assert Governor.for_kernel("menu", "6.1", list(made.states)).states == made.states
    assert len(made.states) > 2


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (read_table("power9").table, "IdleTable"),
        (STATES[0], "State"),
        ("power9", "str"),
        ([(0, 0), (1_000, 10_000)], "list"),
        (None, "NoneType"),
    ],
)
def test_other_tables_are_refused(table: Any, found: str) -> None:
    for name in governor_names():
        with pytest.raises(TypeError, match=f"DriverTable, .* sequence of State, found {found}$"):
            Governor.for_kernel(name, "6.1", table)


@pytest.mark.parametrize("name", governor_names())
def test_an_empty_table_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"expected at least one state for {name}, found none"):
        Governor.for_kernel(name, "6.1", [])


@pytest.mark.parametrize("hz", [0, -5, 250.5, "250"])
def test_hz_is_positive_and_whole(hz: Any) -> None:
    for name in governor_names():
        with pytest.raises(ValueError, match=re.escape(f"hz of at least 1, found {hz!r}")):
            Governor.for_kernel(name, "6.1", STATES, hz=hz)


def test_governors_have_their_releases() -> None:
    kernels = [release(name) for name in ("3.14", "4.3", "4.4", "5.0", "5.1", "5.3", "5.4")]
    first = {
        name: next(kernel.name for kernel in kernels if known_in(name, kernel))
        for name in governor_names()
    }
    assert first == {"haltpoll": "5.4", "ladder": "3.14", "menu": "4.4", "teo": "5.1"}
