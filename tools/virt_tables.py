"""Tables of Arm and RISC-V CPUs that the nightly boots put into QEMU's virt machines: the packaged
specs, and those of virt_tables.yaml.

    python -m tools.virt_tables DIR    writes them all as DIR/MACHINE-NAME.dtb
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from idle_states.base.model.power_mgt import u32_array
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.sources import read_sources
from idle_states.tables.spec.packaged import machines
from tools.command_line import parsed

Value = int | str | bytes | Sequence[int]
_FIRST = 1
_DOMAINS = 100
_FILE = Path(__file__).with_suffix(".yaml")


@dataclass(frozen=True, slots=True)
class VirtTable:
    """A table to boot. machine: whose CPUs list it; why: what it tries."""

    machine: str
    name: str
    why: str
    root: Node


@dataclass(frozen=True, slots=True)
class _Domain:
    """A power domain. parent: index of the domain it is part of; states: indices of nodes."""

    name: str
    parent: int | None = None
    states: Sequence[int] = ()


def tables() -> tuple[VirtTable, ...]:
    return (*_written(), *_packaged())


def _written() -> Iterator[VirtTable]:
    """Yields the tables that virt_tables.yaml writes."""
    for machine, rows in yaml.safe_load(_FILE.read_text("utf-8")).items():
        riscv = machine == "virt-riscv64"
        nodes = {name: _state(riscv, *row) for name, row in rows["states"].items()}
        for name, row in rows["tables"].items():
            yield VirtTable(machine, name, row.pop("why"), _root(row, nodes, riscv))


def _root(row: dict[str, Any], name2node: Mapping[str, Node], riscv: bool) -> Node:
    if "ladder" in row:
        return _tree(_ladder(row["ladder"], riscv), riscv)
    states = [name2node[name] for name in row.pop("states")]
    return (_clustered if "cluster" in row else _tree)(states, riscv, **row)


def _packaged() -> Iterator[VirtTable]:
    for each in machines():
        source = read_sources(each.name)[0]
        assert source.tree is not None
        assert source.table is not None
        assert source.table.origin.form == "nodes"
        machine = "virt-riscv64" if source.table.origin.riscv else "virt-arm64"
        yield VirtTable(machine, each.name, "a packaged spec", source.tree)


def _state(
    riscv: bool,
    name: str,
    parameter: int,
    entry: int,
    leave: int,
    least: int,
    other: Mapping[str, Value | None] = {},
) -> Node:
    """An idle state; times in us. other: what is not usual in it; None for no such property."""
    kind, method = ("riscv", "riscv,sbi") if riscv else ("arm", "arm,psci")
    properties: dict[str, Value | None] = {
        "compatible": f"{kind},idle-state",
        f"{method}-suspend-param": parameter,
        "entry-latency-us": entry,
        "exit-latency-us": leave,
        "min-residency-us": least,
        **other,
    }
    return _node(name, {key: value for key, value in properties.items() if value is not None})


def _ladder(count: int, riscv: bool) -> list[Node]:
    return [
        _state(riscv, f"cpu-sleep-{n}", 0 if riscv else n + 1, 10 << n, 20 << n, 100 << n)
        for n in range(count)
    ]


def _clustered(
    states: Sequence[Node],
    riscv: bool,
    cluster: Sequence[int],
    system: Sequence[int] = (),
    names: str | None = "",
) -> Node:
    domains = [
        *(_Domain(f"cpu-pd{number}", 2) for number in range(2)),
        _Domain("cluster-pd", 3 if system else None, cluster),
        *([_Domain("system-pd", None, system)] if system else ()),
    ]
    return _tree(states, riscv, lists=[[0], [0]], domains=domains, names=names)


def _tree(
    states: Sequence[Node],
    riscv: bool = False,
    *,
    lists: Sequence[Sequence[int]] | None = None,
    methods: Sequence[int] = (0, 1),
    domains: Sequence[_Domain] = (),
    names: str | None = "",
) -> Node:
    """A tree of two CPUs, with what virt_tables.yaml says of it."""
    every = range(len(states))
    own = [[*every], [*every]] if lists is None else lists
    cpus = []
    for number, indices in enumerate(own):
        properties: dict[str, Value] = {"device_type": "cpu", "reg": number}
        properties["compatible"] = "riscv" if riscv else "arm,cortex-a57"
        if riscv:
            properties["riscv,isa"] = "rv64imac"
        elif number in methods:
            properties["enable-method"] = "psci"
        if indices:
            properties["cpu-idle-states"] = [_FIRST + index for index in indices]
        if domains:
            properties["power-domains"] = [_DOMAINS + number]
            if names is not None:
                properties["power-domain-names"] = "sbi" if riscv else "psci"
        cpus.append(_node(f"cpu@{number}", properties))
    nodes = [
        Node(node.name, {**node.properties, "phandle": _bytes(_FIRST + at)})
        for at, node in enumerate(states)
    ]
    idle_states = _node("idle-states", {} if riscv else {"entry-method": "psci"}, nodes)
    made = [_domain(domain, number) for number, domain in enumerate(domains)]
    around = [_node("power-domains", {}, made)] if riscv and made else []
    cells = {"#address-cells": 1, "#size-cells": 0}
    below = [_node("cpus", cells, [*cpus, idle_states, *around])]
    if not riscv:
        below.append(_node("psci", {"compatible": "arm,psci-1.0", "method": "smc"}, made))
    return _node("", {"#address-cells": 2, "#size-cells": 2}, below)


def _domain(domain: _Domain, number: int) -> Node:
    properties: dict[str, Value] = {"#power-domain-cells": 0, "phandle": _DOMAINS + number}
    if domain.parent is not None:
        properties["power-domains"] = [_DOMAINS + domain.parent]
    if domain.states:
        properties["domain-idle-states"] = [_FIRST + index for index in domain.states]
    return _node(domain.name, properties)


def _node(name: str, properties: Mapping[str, Value], children: Sequence[Node] = ()) -> Node:
    return Node(name, {key: _bytes(value) for key, value in properties.items()}, tuple(children))


def _bytes(value: Value) -> bytes:
    if isinstance(value, str):
        return value.encode() + b"\0"
    if isinstance(value, int):
        return u32_array([value])
    return value if isinstance(value, bytes) else u32_array(value)


def main(words: list[str]) -> int:
    directory = Path(parsed(__doc__, "DIR", words=words).dir)
    directory.mkdir(parents=True, exist_ok=True)
    for table in tables():
        (directory / f"{table.machine}-{table.name}.dtb").write_bytes(fdt.write(table.root))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
