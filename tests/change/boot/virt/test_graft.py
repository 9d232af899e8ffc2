"""Idle states put into a machine's tree: a kernel makes of them what it makes of the TABLE's."""

import random
from collections.abc import Sequence

import pytest

from idle_states.base.model.findings import CannotGenerate
from idle_states.change.boot.virt.graft import PSCI, Grafted, chosen, cpus_of, graft
from idle_states.change.boot.virt.machines import ARM64, VIRT
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.idle_nodes import lists_of, table_of
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux import dt_idle
from idle_states.tables.linux.releases import release
from tests.support.random_trees import random_trees
from tests.support.thorough import examples
from tests.tables.linux.test_dt_idle import cell, cpu, state, tree
from tools.virt_tables import VirtTable, tables

KERNEL = release("6.12")


def machine_tree(count: int, riscv: bool = False) -> Node:
    """A machine with its own phandles, which are those of the tables too."""
    own = {"riscv,isa": b"rv64\0"} if riscv else {"enable-method": b"psci\0"}
    cpus = [
        Node(
            f"cpu@{number}",
            {"device_type": b"cpu\0", "reg": cell(number), "phandle": cell(number + 1), **own},
        )
        for number in range(count)
    ]
    psci = Node("psci", {"compatible": b"arm,psci-1.0\0", "method": b"hvc\0"})
    below = (Node("cpus", {"#size-cells": cell(0)}, tuple(cpus)), Node("uart", {}))
    return Node("", {"model": b"virt\0"}, below if riscv else (psci, *below))


def grafted(root: Node, riscv: bool = False) -> Grafted:
    cpus = cpus_of(root)
    return graft(machine_tree(len(cpus), riscv), root, [each.name for each in cpus], "t.dtb")


Seen = list[list[tuple[object, ...]]]


def seen(root: Node) -> Seen:
    """Returns what a kernel registers for each CPU, in order, and which power domains it sits
    in."""
    found = {}
    for listed in lists_of(root, "x"):
        driver = dt_idle.register(table_of(listed, "dtb", "x", ""), KERNEL, ARM64.offers)
        rows: list[tuple[object, ...]] = [
            (s.name, s.exit_latency_us, s.target_residency_us, s.timer_stop, s.parameter)
            for s in driver.states
        ]
        rows += [(d.name, d.level, d.states, d.dead != "") for d in driver.domains]
        found |= dict.fromkeys((path.rpartition("/")[2] for path in listed.cpus), rows)
    return [found.get(each.name, []) for each in cpus_of(root)]


@pytest.mark.parametrize("table", tables(), ids=lambda table: f"{table.machine}-{table.name}")
def test_tables_are_the_same_in_the_machine(table: VirtTable) -> None:
    made = grafted(table.root, VIRT[table.machine].riscv)
    assert seen(made.root) == seen(table.root)
    assert fdt.read(fdt.write(made.root), "made") == made.root


@pytest.mark.parametrize("riscv", [False, True])
def test_so_are_random_trees(riscv: bool) -> None:
    compared = 0
    for root in random_trees(random.Random(14), riscv, examples(60, 600)):
        methods = {each.strings("enable-method") for each in cpus_of(root)}
        if ("spin-table",) in methods:
            with pytest.raises(CannotGenerate):
                grafted(root, riscv)
            continue
        compared += 1
        assert seen(grafted(root, riscv).root) == seen(root)
    assert compared > 40


def test_phandles_of_the_machine_stay_its_own() -> None:
    made = grafted(tree(cpu(0, [1, 2]), cpu(1, [2]), state("a", 1), state("b", 2)))
    phandles = [node.u32("phandle") for _, node in made.root.walk() if "phandle" in node.properties]
    assert len(phandles) == len(set(phandles)) == 4
    assert [each.u32("phandle") for each in cpus_of(made.root)] == [1, 2]
    assert made.root.find("/uart") == Node("uart", {})


def test_domains_move_to_where_qemu_leaves_them() -> None:
    table = next(each for each in tables() if each.name == "domains")
    made = grafted(table.root)
    assert made.root.find("/psci") is None
    psci = made.root.find(PSCI)
    assert psci is not None
    assert psci.properties["method"] == b"hvc\0"
    assert [each.name for each in psci.children] == ["cpu-pd0", "cpu-pd1", "cluster-pd"]
    assert f"{PSCI}/cluster-pd" in made.nodes


def test_a_missing_method_goes_missing() -> None:
    table = next(each for each in tables() if each.name == "no-method")
    methods = ["enable-method" in each.properties for each in cpus_of(grafted(table.root).root)]
    assert methods == [False, True]


def test_cpus_of_every_list_have_a_place() -> None:
    lists = ["0246", "135", "7"]
    root = tree(*(cpu(number, [1]) for number in range(8)))
    paths = [[f"/cpus/cpu@{number}" for number in each] for each in lists]

    def names(count: int) -> Sequence[str]:
        return [name.removeprefix("cpu@") for name in chosen(root, paths, count)]

    assert names(1) == ["0"]
    assert names(3) == ["0", "1", "7"]
    assert names(4) == ["0", "1", "2", "7"]
    assert names(8) == names(99) == [*"01234567"]


def test_a_node_of_the_machine_is_in_the_way() -> None:
    root = tree(cpu(0, [1]), state("uart", 1))
    with pytest.raises(CannotGenerate) as caught:
        grafted(root)
    assert "the machine's tree has a node /uart of its own" in caught.value.findings[0].message


def test_other_methods_are_refused() -> None:
    root = tree(cpu(0, [1], enable_method=b"qcom,kpss-acc-v2\0"), state("a", 1))
    with pytest.raises(CannotGenerate) as caught:
        grafted(root)
    assert "found qcom,kpss-acc-v2" in caught.value.findings[0].message
