"""Specs, reader and writer against the tables of a real skiboot tree, compiled."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from idle_states.skiboot import c_table
from idle_states.spec.library import current, find
from idle_states.table import Firmware, IdleState, IdleTable, Register
from tests import random_tables
from tests.oracle import Unavailable
from tests.oracle.skiboot import Row, dump_tables
from tests.test_c_table import UGLY_NAMES

HEADERS = ("include/bitutils.h", "include/opal-api.h")


@pytest.fixture(scope="module")
def compiled(skiboot_tree: Path) -> dict[str, list[Row]]:
    """The tree's own tables: array -> rows."""
    return dump(skiboot_tree, {})


def dump(tree: Path, sources: Mapping[str, str]) -> dict[str, list[Row]]:
    try:
        return dump_tables(tree, sources)
    except Unavailable as reason:
        pytest.skip(str(reason))


def specs() -> dict[str, IdleTable]:
    """Array -> the current spec of it, the first of several."""
    by_array: dict[str, IdleTable] = {}
    for table in map(find, current()):
        if table.register is not Register.NONE:
            by_array.setdefault(table.firmware.array, table)
    return by_array


def as_rows(states: Sequence[IdleState]) -> list[Row]:
    """States as the oracle shows them, their names as bytes."""
    return [
        {
            "name": state.name.encode("utf-8", "surrogateescape").decode("latin-1"),
            "latency_ns": state.latency_ns,
            "residency_ns": -1 if state.residency_ns is None else state.residency_ns,
            "flags": state.flags,
            "control": state.control,
            "mask": state.mask,
        }
        for state in states
    ]


def test_specs_are_what_the_tree_compiles_to(compiled: dict[str, list[Row]]) -> None:
    by_array = specs()
    assert set(compiled) <= set(by_array)
    assert len(compiled) >= 6
    assert {array: as_rows(by_array[array].states) for array in compiled} == compiled


@pytest.mark.parametrize("with_headers", [False, True])
def test_reader_sees_what_the_compiler_sees(
    with_headers: bool, skiboot_tree: Path, compiled: dict[str, list[Row]]
) -> None:
    defines: dict[str, str] = {}
    if with_headers:
        for header in HEADERS:
            defines |= c_table.definitions_in((skiboot_tree / header).read_text())
        assert defines["OPAL_PM_PSSCR_MTL(l)"] == "( ( l ) << 4 )"
    read = {}
    for name in ("hw/slw.c", "hw/slw-p8.c"):
        file = skiboot_tree / name
        if file.is_file():
            for table in c_table.read(file.read_text(), name, defines=defines):
                read[table.name] = as_rows(table.states)
                assert table.register is specs()[table.name].register
    assert read == compiled


def test_places_in_the_tree(skiboot_tree: Path) -> None:
    lines = (skiboot_tree / "hw/slw.c").read_text().split("\n")
    tables = c_table.read("\n".join(lines), "hw/slw.c")
    for table in tables:
        for state in table.states:
            for key, text in (("name", f'"{state.name}"'), ("latency", str(state.latency_ns))):
                where = state.where[key]
                start = (where.column or 0) - 1
                assert lines[(where.line or 0) - 1][start : start + where.length] == text
            if table.register is Register.PSSCR:
                where = state.where["control.mtl"]
                text = f"OPAL_PM_PSSCR_MTL({state.psscr.mtl})"
                assert text in lines[(where.line or 0) - 1]
                assert where.length == len(text)


def test_generated_c_takes_the_place_of_the_trees(
    skiboot_tree: Path, compiled: dict[str, list[Row]]
) -> None:
    generated = {array: c_table.write([table]) for array, table in specs().items()}
    dumped = dump(skiboot_tree, generated)
    assert {array: dumped[array] for array in compiled} == compiled
    assert set(dumped) == set(generated)
    assert dumped == {array: as_rows(table.states) for array, table in specs().items()}


def test_any_generated_table_compiles_in_the_tree(skiboot_tree: Path) -> None:
    tables = {}
    for register in (Register.PSSCR, Register.PMICR):
        rng = random.Random(register)
        states = [random_tables.state(rng, index, longest_name=15) for index in range(200)]
        states += [
            IdleState(name, 1, 2, 3, 4, 5, note=f"*/ {name} \\") for name in UGLY_NAMES
        ]
        array = f"made_up_{register}"
        tables[array] = IdleTable(array, tuple(states), register, firmware=Firmware(array))
    dumped = dump(skiboot_tree, {name: c_table.write([table]) for name, table in tables.items()})
    assert {name: dumped[name] for name in tables} == {
        name: as_rows(table.states) for name, table in tables.items()
    }
