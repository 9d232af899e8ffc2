"""The records that boots left, compared with what models say: shared by recorded and live boots."""

import re

from idle_states.base.model.power_mgt import NODE, PowerMgt, is_of_idle_states
from idle_states.base.model.table import IdleTable
from idle_states.tables.devicetree import fdt
from idle_states.tables.linux import register
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.releases import release


def power_mgt_properties(tree: bytes) -> dict[str, bytes]:
    """power-mgt's properties of idle states: firmware gives every node a phandle, and QEMU from 10
    on has p-states."""
    node = fdt.read(tree, "tree")
    for part in NODE.strip("/").split("/"):
        (node,) = (child for child in node.children if child.name == part)
    return {key: value for key, value in node.properties.items() if is_of_idle_states(key)}


def registered(table: IdleTable, node: PowerMgt | None, dmesg: str) -> DriverTable:
    """Returns what the kernel that wrote `dmesg` registers from a node, as predicted."""
    match = re.search(r"SMP Debian ([0-9.]+)-", dmesg)
    assert match
    assert table.cpu
    return register(node, table.cpu, release(f"debian-{match[1]}"), table)
