"""Suspend parameters taken apart."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.cli import main
from idle_states.tables.devicetree import fdt, idle_nodes
from idle_states.tables.linux.suspend_parameter import Parameter, parameter_of
from tests.tables.linux.test_dt_idle import cell, cpu, state, tree

U32 = st.integers(0, 2**32 - 1)


def taken_apart(*values: int) -> list[Parameter | None]:
    """Returns the parts of the parameters of the states of one list."""
    states = [
        state(f"s{n}", n, arm__psci_suspend_param=cell(value)) for n, value in enumerate(values, 1)
    ]
    (listed,) = idle_nodes.lists_of(tree(cpu(0, range(1, len(values) + 1)), *states), "x.dtb")
    return [parameter_of(listed, node) for node in listed.nodes()]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0x0001_0033], "power-down, level 0, StateID 0x33"),
        ([0x0201_0004], "power-down, level 2, StateID 0x4"),
        ([0x4100_B344], "power-down, StateID 0x100b344"),
        ([0x0100_0054], "standby, StateID 0x1000054"),
        # another value of the tree tells the format
        ([0x0100_0054, 0x0001_0000], "standby, level 1, StateID 0x54"),
        ([0x0100_0054, 0x4000_0000], "standby, StateID 0x1000054"),
    ],
)
def test_parameter_in_words(values: list[int], text: str) -> None:
    assert str(taken_apart(*values)[0]) == text


@given(U32)
def test_parts_make_the_value(value: int) -> None:
    """In the bits that each format gives them; None for what neither can mean."""
    (found,) = taken_apart(value)
    possible = not value & ~0x0301_FFFF or not value & ~0x4FFF_FFFF
    assert (found is not None) == possible
    if found is None:
        return
    kind = 30 if found.format == "extended" else 16
    made = found.power_down << kind | (found.level or 0) << 24 | found.state
    assert made == value


@given(U32)
def test_parts_of_an_sbi_parameter_make_the_value(value: int) -> None:
    properties = {"compatible": b"riscv,idle-state\0", "riscv__sbi_suspend_param": cell(value)}
    root = tree(cpu(0, [1], riscv__isa=b"rv64\0"), state("s", 1, **properties))
    (listed,) = idle_nodes.lists_of(root, "x.dtb")
    found = parameter_of(listed, listed.nodes()[0])
    reserved = 0 < value & 0x7FFF_FFFF < 0x1000_0000
    assert (found is None) == reserved
    if found is not None:
        assert found.power_down << 31 | found.state == value
        assert str(found).startswith("default" if value & 0x7FFF_FFFF == 0 else "platform's")


def test_show_takes_parameters_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tree(
        cpu(0, [1, 2]),
        state("wait", 1, arm__psci_suspend_param=cell(1)),
        state("off", 2, 300, 400, 5000, arm__psci_suspend_param=cell(0x0101_0002)),
    )
    file = tmp_path / "x.dtb"
    file.write_bytes(fdt.write(root))
    assert main(["show", str(file), "--format", "json"]) == 0
    states = json.loads(capsys.readouterr().out)["table"]["states"]
    assert [each["parameter"] for each in states] == [
        {"value": 1, "format": "original", "power_down": False, "level": 0, "state": 1},
        {"value": 0x0101_0002, "format": "original", "power_down": True, "level": 1, "state": 2},
    ]
    assert main(["show", str(file)]) == 0
    assert "0x1010002 power-down, level 1" in capsys.readouterr().out
    assert main(["show", "power9", "--format", "json"]) == 0
    assert "parameter" not in json.loads(capsys.readouterr().out)["table"]["states"][0]
