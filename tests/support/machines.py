"""Specs of Arm and RISC-V machines, and what a tree's lists are equal by."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from idle_states.base.model.idle_tree import IdleTree
from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.spec.library import load

FLAT = """\
name: flat
title: two kinds of CPUs
architecture: arm
cpus:
  - {nodes: [cpu@0, cpu@1], compatible: "arm,cortex-a53", states: [cpu-sleep-0, cluster-sleep-0]}
  - {nodes: [cpu@100], compatible: "arm,cortex-a73", states: [cpu-sleep-1, cpu-off-1]}
states:
  - {name: cpu-sleep-0, entry: 400us, exit: 650us, residency: 1500us, timer-stop: yes,
     parameter: 0x00010000}
  - {name: cluster-sleep-0, entry: 500us, exit: 1600us, wakeup: 1900us, residency: 3500us,
     timer-stop: yes, parameter: 0x01010000, description: both CPUs and their cache}
  - {name: cpu-sleep-1, entry: 400us, exit: 550us, residency: 1500us, timer-stop: yes,
     parameter: 0x00010000}
  - {name: cpu-off-1, entry: 700us, exit: 850us, residency: 2500us, timer-stop: yes,
     parameter: 0x00010001, status: disabled}
"""
NESTED = """\
name: nested
architecture: arm
domains-at: /firmware/psci
cpus:
  - {nodes: [cpu@0, cpu@1], compatible: "arm,cortex-a55",
     domain: [power-domain-cpu0, power-domain-cpu1]}
domains:
  - {nodes: [power-domain-cpu0, power-domain-cpu1], states: [cpu-sleep],
     parent: power-domain-cluster}
  - {nodes: [power-domain-cluster], states: [cluster-retention, cluster-sleep], label: CLUSTER_PD}
states:
  - {name: cpu-sleep, label: CORE_OFF, entry: 360us, exit: 531us, residency: 3934us,
     timer-stop: yes, parameter: 0x40000004}
  - {name: cluster-retention, scope: domain, entry: 1ms, exit: 2ms, residency: 4ms,
     parameter: 0x41000044}
  - {name: cluster-sleep, scope: domain, node: /idle-states/cluster-sleep, entry: 3ms, exit: 6ms,
     residency: 9987us, parameter: 0x4100c244}
"""
HARTS = """\
name: harts
architecture: riscv
cpus:
  - {nodes: [cpu@0, cpu@1], states: [cpu-sleep]}
  - {nodes: [cpu@2], states: [cpu-retention]}
states:
  - {name: cpu-retention, entry: 10us, exit: 20us, residency: 100us, parameter: 0x0}
  - {name: cpu-sleep, entry: 100us, exit: 250us, residency: 1ms, parameter: 0x80000000,
     properties: {"vendor,rail": "vdd", "vendor,cells": [1, 2], "vendor,deep": yes}}
"""
MACHINES = {"flat": FLAT, "nested": NESTED, "harts": HARTS}


def machine(text: str) -> IdleTree:
    """The machine of a spec, which must have no faults."""
    loaded = load(Path("machine.yaml"), "machine.yaml", text.encode())
    assert loaded.findings == ()
    assert loaded.machine is not None
    return loaded.machine


def lists(root: Node) -> Any:
    """Returns what the CPUs of a tree list, as far as two trees can be equal: without places and
    phandles."""
    return plain(idle_nodes.lists_of(root, "tree"))


def plain(value: Any) -> Any:
    """A value without what does not count for its equality, and without phandles."""
    if is_dataclass(value):
        return [plain(getattr(value, field.name)) for field in fields(value) if field.compare]
    if isinstance(value, Mapping):
        return {name: held for name, held in value.items() if not name.endswith("phandle")}
    if isinstance(value, tuple):
        return [plain(held) for held in value]
    return value
