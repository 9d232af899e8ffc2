"""Random device trees of Arm and RISC-V machines: CPUs, idle states, power domains, faults."""

import random
from collections.abc import Callable

from idle_states.base.model.power_mgt import u32_array
from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.devicetree.tree import Node
from tests.tables.linux.test_dt_idle import cell, cpu, state


def random_trees(rng: random.Random, riscv: bool, count: int) -> list[Node]:
    """Trees of which most give a driver, with power domains, and with up to a few faults."""
    found: list[Node] = []
    while len(found) < count:
        root = random_tree(rng, riscv)
        if idle_nodes.lists_of(root, "x"):
            found.append(root)
    return found


def random_tree(rng: random.Random, riscv: bool) -> Node:
    faulty = rng.random() < 0.5
    kind = "riscv" if riscv else "arm"

    def fault(good: bytes, *bad: bytes, one_in: int = 12) -> bytes:
        return rng.choice(bad) if faulty and rng.randrange(one_in) == 0 else good

    parameter = "riscv__sbi_suspend_param" if riscv else "arm__psci_suspend_param"
    bad_values = [cell(v) for v in (2, 0x0800_0000, 0x8000_0002, 0xFFFF_FFFF, 0x4100_0000)]

    def idle_state(phandle: int, compatible: bytes) -> Node:
        value = cell(0x9000_0000 + phandle if riscv else phandle)
        residency = cell(rng.randrange(1 << rng.randrange(1, 33)))
        more = {
            parameter: fault(value, b"gone", b"", *bad_values),
            "compatible": fault(compatible, b"x\0", b"domain-idle-state\0"),
            "min_residency_us": fault(residency, b"gone", b"12"),
            "entry_latency_us": fault(cell(rng.randrange(9999)), b"gone", one_in=25),
            "wakeup_latency_us": rng.choice([b"gone", cell(5)]),
            "local_timer_stop": rng.choice([b"gone", b""]),
            "status": rng.choice([b"gone"] * 5 + [b"okay\0", b"disabled\0"]),
        }
        if riscv:
            more["arm__psci_suspend_param"] = b"gone"
        return state(f"s{phandle}", phandle, **more)

    own = [idle_state(n, f"{kind},idle-state\0".encode()) for n in range(1, rng.randrange(2, 9))]
    shared = [idle_state(n, b"domain-idle-state\0") for n in range(20, 23)]
    domains = _random_domains(rng, fault)
    handles = [int.from_bytes(d.properties["phandle"], "big") for d in domains]
    lists = [
        [rng.randrange(1, len(own) + 1) for _ in range(rng.randrange(1, 8))]
        + ([99] if faulty and rng.randrange(9) == 0 else [])
        for _ in range(2)
    ]
    hierarchical = bool(domains) and rng.random() < 0.8
    cpus = []
    for number in range(rng.randrange(1, 4)):
        more = {}
        if hierarchical and (not faulty or rng.randrange(8)):
            more["power_domains"] = fault(cell(rng.choice(handles)), cell(0), b"", cell(99))
            name = b"sbi\0" if riscv else b"psci\0"
            more["power_domain_names"] = fault(name, b"gone", b"other\0" + name, b"other\0")
        if riscv:
            more |= {"enable_method": b"gone", "riscv__isa": b"rv64\0"}
        else:
            # the driver is PSCI's: where no CPU is, what it says is no CPU's
            method = fault(b"psci\0", b"spin-table\0", b"gone", one_in=40)
            more["enable_method"] = method if number else b"psci\0"
        one = cpu(number, lists[0] if rng.randrange(4) else lists[1], **more)
        kept = {key: value for key, value in one.properties.items() if value != b"gone"}
        cpus.append(Node(one.name, kept))
    if riscv:
        parent = Node("power-domains", {}, tuple(domains))
        return Node("", {}, (Node("cpus", {}, (*cpus, *([parent] * bool(domains)))), *own, *shared))
    psci = Node("psci", {"compatible": b"arm,psci-1.0\0"}, tuple(domains))
    return Node("", {}, (Node("cpus", {}, tuple(cpus)), psci, *own, *shared))


def _random_domains(rng: random.Random, fault: Callable[..., bytes]) -> list[Node]:
    count = rng.choice([0, 1, 2, 3, 3])
    found = []
    for number in range(count):
        properties = {
            "phandle": cell(40 + number),
            "#power-domain-cells": fault(cell(0), b"gone", b"", cell(1), one_in=20),
        }
        if rng.random() < 0.6:
            phandles = [rng.choice([1, 20, 20, 21, 22]) for _ in range(rng.randrange(3))]
            properties["domain-idle-states"] = u32_array(phandles) + fault(
                b"", cell(0), cell(99), b"x"
            )
        if number and rng.random() < 0.6:
            parent = 40 + rng.randrange(number)
            properties["power-domains"] = fault(cell(parent), cell(40 + number), cell(0), b"")
        kept = {key: value for key, value in properties.items() if value != b"gone"}
        found.append(Node(f"pd{number}", kept))
    return found
