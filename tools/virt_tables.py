"""Tables of Arm and RISC-V CPUs that the nightly boots put into QEMU's virt machines: the packaged
specs, and others, most of them meant to break a kernel's reading of them.

    python -m tools.virt_tables DIR    writes them all as DIR/MACHINE-NAME.dtb
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from idle_states.devicetree import fdt
from idle_states.devicetree.tree import Node
from idle_states.power_mgt import u32_array
from idle_states.sources import read_sources
from idle_states.spec.packaged import machines
from tools.command_line import asked

Value = int | str | bytes | Sequence[int]
_FIRST = 1
_DOMAINS = 100
_POWER_DOWN = 0x1_0000


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
    return (*_arm(), *_riscv(), *_packaged())


def _packaged() -> Iterator[VirtTable]:
    for each in machines():
        source = read_sources(each.name)[0]
        assert source.tree is not None
        assert source.table is not None
        assert source.table.listed is not None
        machine = "virt-riscv64" if source.table.listed.riscv else "virt-arm64"
        yield VirtTable(machine, each.name, "a packaged spec", source.tree)


def _arm() -> Iterator[VirtTable]:
    def table(name: str, why: str, root: Node) -> VirtTable:
        return VirtTable("virt-arm64", name, why, root)

    ret, deep, deeper = _states((1, 10, 20, 100), (2, 100, 200, 1000), (3, 500, 900, 5000))
    off = _state("cpu-off", _POWER_DOWN, 500, 900, 5000)
    yield table("retention", "three states that firmware enters", _tree([ret, deep, deeper]))
    yield table("power-down", "the last state is a power-down one", _tree([ret, deep, off]))
    level = _state("cluster-off", 0x0101_0000, 500, 900, 5000)
    yield table("level-1", "a parameter of affinity level 1", _tree([ret, level]))
    extended = _state("cpu-off", 0x4000_0003, 500, 900, 5000)
    yield table("extended", "a parameter in the extended format", _tree([ret, extended]))
    reserved = _state("cpu-off", 0x8000_0000, 500, 900, 5000)
    yield table("reserved-bits", "a parameter of reserved bits", _tree([ret, reserved]))
    yield table("no-parameter", "no parameter", _tree([ret, _less(deep, "arm,psci-suspend-param")]))
    foreign = _more(deep, compatible="qcom,idle-state-spc")
    yield table("foreign", "a state of another driver", _tree([ret, foreign, deeper]))
    disabled = _more(off, status="disabled")
    yield table("disabled-first", "a disabled node before others", _tree([disabled, ret, deep]))
    yield table("disabled-last", "a disabled node at the end", _tree([ret, deep, disabled]))
    none = [_more(node, status="disabled") for node in (ret, deep)]
    yield table("all-disabled", "every node is disabled", _tree(none))
    both = _more(foreign, status="disabled")
    yield table("foreign-disabled", "a disabled state of another driver", _tree([ret, both]))
    yield table("nine", "as many states as there is room for", _tree(_ladder(9)))
    yield table("twelve", "more states than there is room for", _tree(_ladder(12)))
    zero = _state("cpu-zero", 4, 0, 0, 0)
    yield table("zero-times", "times of 0", _tree([zero, deep]))
    waking = _more(deep, wakeup_latency_us=75)
    yield table("wakeup-latency", "wakeup-latency-us", _tree([ret, waking]))
    named = _more(_state(f"cpu-{'long' * 6}", 2, 100, 200, 1000), idle_state_name="n" * 40)
    yield table("long-names", "names that are cut", _tree([ret, named]))
    yield table(
        "no-residency", "no min-residency-us", _tree([ret, _less(deep, "min-residency-us")])
    )
    huge = _state("cpu-huge", 2, 0xFFFF_FFFF, 2, 0xFFFF_FFFF)
    yield table("huge", "times at the end of 32 bits", _tree([ret, huge]))
    yield table(
        "no-method", "the first CPU without enable-method", _tree([ret, deep], methods=(1,))
    )
    yield table(
        "no-second-method",
        "the second CPU without enable-method",
        _tree([ret, deep], methods=(0,)),
    )
    twice = [[1, 1, 0, 0, 2], [1, 1, 0, 0, 2]]
    yield table("twice", "deep states first, and twice each", _tree([ret, deep, off], lists=twice))
    yield table(
        "one-lists-none", "the second CPU lists no state", _tree([ret, deep], lists=[[0, 1], []])
    )
    others = [[0, 1], [0, 2]]
    yield table("two-lists", "CPUs with different states", _tree([ret, deep, deeper], lists=others))
    tied = _state("cpu-tied", 4, 200, 400, 1000)
    yield table("tie", "two states of one residency", _tree([ret, deep, tied]))
    yield table("dangling", "a phandle of no node", _tree([ret, deep], lists=[[0, 7, 1]] * 2))
    cluster = _domain_state("cluster-sleep", 0x0100_0002, 200, 400, 2000)
    yield table(
        "domains", "power domains without OS-initiated mode", _clustered([ret, cluster], [1])
    )
    bad = _domain_state("cluster-sleep", 0x8000_0000, 200, 400, 2000)
    yield table("bad-domain", "a domain state of reserved bits", _clustered([ret, bad], [1]))


def _riscv() -> Iterator[VirtTable]:
    def table(name: str, why: str, root: Node) -> VirtTable:
        return VirtTable("virt-riscv64", name, why, root)

    ret = _state("cpu-retentive", 0, 10, 20, 100, riscv=True)
    off = _state("cpu-off", 0x8000_0000, 100, 200, 1000, riscv=True)
    vendor = _state("cpu-vendor", 0x1000_0001, 500, 900, 5000, riscv=True)
    yield table("default", "both default suspend types", _tree([ret, off], riscv=True))
    reserved = _state("cpu-reserved", 7, 500, 900, 5000, riscv=True)
    yield table("reserved", "a reserved parameter", _tree([ret, reserved], riscv=True))
    yield table("vendor", "a parameter that firmware refuses", _tree([ret, vendor], riscv=True))
    foreign = _more(off, compatible="arm,idle-state")
    yield table("foreign", "a state of another driver", _tree([ret, foreign], riscv=True))
    disabled = _more(vendor, status="disabled")
    yield table(
        "disabled-first", "a disabled node before others", _tree([disabled, ret, off], riscv=True)
    )
    yield table(
        "twelve", "more states than there is room for", _tree(_ladder(12, True), riscv=True)
    )
    zero = _state("cpu-zero", 0, 0, 0, 0, riscv=True)
    yield table("zero-times", "times of 0", _tree([zero, off], riscv=True))
    shallow = _domain_state("cluster-shallow", 0, 100, 200, 1000, riscv=True)
    deep = _domain_state("cluster-deep", 0x8000_0000, 500, 900, 5000, riscv=True)
    hierarchy = [ret, shallow, deep]
    yield table("cluster", "a cluster of two states", _clustered(hierarchy, [1, 2], True))
    yield table(
        "no-names", "no power-domain-names", _clustered(hierarchy, [1, 2], True, names=None)
    )
    fallow = _more(deep, status="disabled")
    yield table(
        "disabled-domain-state",
        "a disabled state of a cluster",
        _clustered([ret, shallow, fallow], [1, 2], True),
    )
    bad = _domain_state("cluster-bad", 7, 500, 900, 5000, riscv=True)
    yield table(
        "bad-domain-state",
        "a domain state of a reserved parameter",
        _clustered([ret, shallow, bad], [1, 2], True),
    )
    alien = _domain_state("cluster-vendor", 0x1000_0001, 500, 900, 5000, riscv=True)
    yield table(
        "vendor-domain-state",
        "a domain state that firmware refuses",
        _clustered([ret, shallow, alien], [1, 2], True),
    )
    never = _domain_state("cluster-never", 0x8000_0000, 500, 900, 4_000_000_000, riscv=True)
    yield table(
        "never", "a residency beyond any timer", _clustered([ret, shallow, never], [1, 2], True)
    )
    yield table("no-cluster-states", "a cluster without states", _clustered([ret], [], True))
    system = _domain_state("system-off", 0x8000_0000, 900, 1500, 8000, riscv=True)
    yield table(
        "system",
        "a system above the cluster",
        _clustered([*hierarchy, system], [1, 2], True, above=[3]),
    )
    blocked = [ret, shallow, never, system]
    yield table(
        "system-blocked",
        "a cluster that is never off in its last state",
        _clustered(blocked, [1, 2], True, above=[3]),
    )


def _state(
    name: str, parameter: int, entry: int, leave: int, least: int, riscv: bool = False
) -> Node:
    """An idle state; times in us."""
    kind, method = ("riscv", "riscv,sbi") if riscv else ("arm", "arm,psci")
    properties: dict[str, Value] = {
        "compatible": f"{kind},idle-state",
        f"{method}-suspend-param": parameter,
        "entry-latency-us": entry,
        "exit-latency-us": leave,
        "min-residency-us": least,
    }
    return Node(name, {key: _bytes(value) for key, value in properties.items()})


def _domain_state(
    name: str, parameter: int, entry: int, leave: int, least: int, riscv: bool = False
) -> Node:
    return _more(
        _state(name, parameter, entry, leave, least, riscv), compatible="domain-idle-state"
    )


def _states(*rows: tuple[int, int, int, int]) -> list[Node]:
    return [_state(f"cpu-sleep-{at}", *row) for at, row in enumerate(rows)]


def _ladder(count: int, riscv: bool = False) -> list[Node]:
    """States of rising times, all with a parameter that firmware takes."""
    return [
        _state(f"cpu-sleep-{n}", 0 if riscv else n + 1, 10 << n, 20 << n, 100 << n, riscv)
        for n in range(count)
    ]


def _more(node: Node, **properties: Value) -> Node:
    """A node with other properties, by name with _ for -."""
    more = {key.replace("_", "-"): _bytes(value) for key, value in properties.items()}
    return Node(node.name, {**node.properties, **more}, node.children)


def _less(node: Node, name: str) -> Node:
    return Node(node.name, {key: v for key, v in node.properties.items() if key != name})


def _clustered(
    states: Sequence[Node],
    of_cluster: Sequence[int],
    riscv: bool = False,
    above: Sequence[int] = (),
    names: str | None = "",
) -> Node:
    """Two CPUs that list the first state, each with a power domain, in a cluster. above: states of
    a system that the cluster is part of; names: power-domain-names, None for none of them."""
    domains = [
        *(_Domain(f"cpu-pd{number}", 2) for number in range(2)),
        _Domain("cluster-pd", 3 if above else None, of_cluster),
        *([_Domain("system-pd", None, above)] if above else ()),
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
    """A tree of two CPUs.

    lists    for each CPU, indices of its states (default: all); one beyond the last is no node's
    methods  the CPUs that have enable-method
    """
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
    directory = Path(asked(__doc__, "DIR", words=words).dir)
    directory.mkdir(parents=True, exist_ok=True)
    for table in tables():
        (directory / f"{table.machine}-{table.name}.dtb").write_bytes(fdt.write(table.root))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
