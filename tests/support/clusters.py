"""Trees of Arm and RISC-V boards whose CPUs sit in clusters, and the clusters in a system."""

from pathlib import Path

from idle_states.base.model.power_mgt import u32_array
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node

Times = tuple[int, int, int]
"""Entry latency, exit latency and min-residency in us."""
CPU_SLEEP: Times = (20, 80, 300)
RETENTION: Times = (100, 150, 1_000)
OFF: Times = (300, 500, 3_000)
SYSTEM_OFF: Times = (500, 1_000, 10_000)
CPU = "/cpus/cpu@0"
"""A table of these trees: that of the first CPU."""


def board(
    sizes: tuple[int, ...] = (2, 2),
    *,
    riscv: bool = False,
    cpu: Times = CPU_SLEEP,
    cluster: tuple[Times, ...] = (RETENTION, OFF),
    system: tuple[Times, ...] = (SYSTEM_OFF,),
) -> Node:
    """A tree of clusters of so many CPUs each, with the states of each level."""
    parameter = "riscv,sbi-suspend-param" if riscv else "arm,psci-suspend-param"
    phandles = {"cpu": 1, "cluster": 10, "system": 30}
    states = []
    for level, some in (("cpu", (cpu,)), ("cluster", cluster), ("system", system)):
        kind = (
            "domain-idle-state" if level != "cpu" else f"{'riscv' if riscv else 'arm'},idle-state"
        )
        for number, times in enumerate(some):
            states.append(_state(level, number, kind, phandles[level] + number, times, parameter))
    domains, cpus = [_domain("system-pd", 60, 30, len(system))], []
    for at, size in enumerate(sizes):
        domains.append(_domain(f"cluster-pd{at}", 70 + at, 10, len(cluster), 60))
        for _ in range(size):
            number = len(cpus)
            domains.append(_domain(f"cpu-pd{number}", 100 + number, 0, 0, 70 + at))
            cpus.append(_cpu(number, riscv))
    if riscv:
        return Node(
            "", {}, (Node("cpus", {}, (*cpus, Node("power-domains", {}, domains))), *states)
        )
    psci = Node("psci", {"compatible": b"arm,psci-1.0\0"}, domains)
    return Node("", {}, (Node("cpus", {}, cpus), psci, *states))


def written(root: Node, path: Path) -> str:
    """The tree as a file. Returns the name of a table in it."""
    path.write_bytes(fdt.write(root))
    return f"{path}:{CPU}"


def _cpu(number: int, riscv: bool) -> Node:
    name, kind = (b"sbi\0", b"riscv\0") if riscv else (b"psci\0", b"arm,cortex-a55\0")
    properties = {
        "device_type": b"cpu\0",
        "compatible": kind,
        "cpu-idle-states": u32_array([1]),
        "power-domains": u32_array([100 + number]),
        "power-domain-names": name,
        "reg": u32_array([number]),
    }
    own = {"riscv,isa": b"rv64imac\0"} if riscv else {"enable-method": b"psci\0"}
    return Node(f"cpu@{number:x}", properties | own)


def _domain(name: str, phandle: int, first: int, states: int, parent: int = 0) -> Node:
    properties = {"phandle": u32_array([phandle]), "#power-domain-cells": u32_array([0])}
    if states:
        properties["domain-idle-states"] = u32_array(range(first, first + states))
    if parent:
        properties["power-domains"] = u32_array([parent])
    return Node(name, properties)


def _state(level: str, number: int, kind: str, phandle: int, times: Times, parameter: str) -> Node:
    entry, leave, residency = times
    return Node(
        f"{level}-sleep-{number}",
        {
            "compatible": kind.encode() + b"\0",
            "entry-latency-us": u32_array([entry]),
            "exit-latency-us": u32_array([leave]),
            "min-residency-us": u32_array([residency]),
            parameter: u32_array([1 << 28 | number + 1 if "riscv" in parameter else number + 1]),
            "phandle": u32_array([phandle]),
        },
    )
