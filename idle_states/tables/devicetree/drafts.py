"""The nodes of a machine's idle states in the making: from an IdleTree to a device tree.

A draft refers to nodes by their paths. It becomes a tree with phandles (`finished`), or source with
labels (see `idle_source`).
"""

from collections.abc import Iterator, Mapping
from typing import Self

from ...base.dataclass import dataclass, field
from ...base.model.architectures import RISCV
from ...base.model.findings import Location
from ...base.model.idle_tree import IdleTree, TreeCpu, TreeState, folder_of, name_of
from .dts_places import Places
from .idle_nodes import CPUS, DOMAIN_LIST, ENTRY, EXIT, LIST, METHOD, RESIDENCY, TIMER_STOP, WAKEUP
from .tree import Node

PSCI = b"arm,psci-1.0\0"
DOMAINS, DOMAIN_NAMES, DOMAIN_CELLS = "power-domains", "power-domain-names", "#power-domain-cells"
_PHANDLES = ("phandle", "linux,phandle")


@dataclass(frozen=True, slots=True)
class NodeReferences:
    """A property that refers to nodes, by their paths."""

    paths: tuple[str, ...]


Value = bytes | NodeReferences


@dataclass(slots=True)
class Draft:
    """A node in the making. label: of a source, "" for none."""

    name: str
    properties: dict[str, Value] = field(default_factory=dict)
    children: list[Self] = field(default_factory=list)
    label: str = ""

    @classmethod
    def of(cls, node: Node) -> Self:
        return cls(node.name, dict(node.properties), [cls.of(child) for child in node.children])

    def at(self, path: str) -> Self:
        """The node at a path below this one, which is "/"; it is made if there is none."""
        found = self
        for name in path.split("/"):
            if name:
                below = next((child for child in found.children if child.name == name), None)
                if below is None:
                    below = type(found)(name)
                    found.children.append(below)
                found = below
        return found

    def referred(self) -> Iterator[str]:
        """Paths of the nodes that this one and those below it refer to."""
        for value in self.properties.values():
            if isinstance(value, NodeReferences):
                yield from value.paths
        for child in self.children:
            yield from child.referred()


def finished(root: Draft) -> Node:
    """The tree, with a phandle for each node that is referred to."""
    path2phandle: dict[str, int] = {}
    phandles = _phandles(root)
    last = max([*phandles.values(), 0])
    for path in dict.fromkeys(root.referred()):
        if path not in phandles:
            last += 1
        path2phandle[path] = phandles.get(path, last)
    return _finished(root, "/", path2phandle)


def _finished(draft: Draft, path: str, path2phandle: Mapping[str, int]) -> Node:
    properties: dict[str, bytes] = {}
    for name, value in draft.properties.items():
        if isinstance(value, NodeReferences):
            value = b"".join(_cell(path2phandle[each]) for each in value.paths)
        properties[name] = value
    if path in path2phandle:
        properties["phandle"] = _cell(path2phandle[path])
    children = tuple(
        _finished(child, f"{path.rstrip('/')}/{child.name}", path2phandle)
        for child in draft.children
    )
    return Node(draft.name, properties, children)


def _phandles(root: Draft) -> dict[str, int]:
    """Path -> phandle, of the nodes that have one."""
    found: dict[str, int] = {}
    waiting = [("/", root)]
    while waiting:
        path, draft = waiting.pop()
        for name in _PHANDLES:
            value = draft.properties.get(name, b"")
            if isinstance(value, bytes) and len(value) == 4:
                found.setdefault(path, int.from_bytes(value, "big"))
        waiting += [(f"{path.rstrip('/')}/{child.name}", child) for child in draft.children]
    return found


def whole(idle: IdleTree) -> Draft:
    """A small tree that has the machine's CPUs, its idle states and power domains, and no more."""
    two = _cell(2)
    root = Draft("", {"#address-cells": two, "#size-cells": two})
    root.properties["compatible"] = _string(f"idle-states,{idle.name}")
    root.properties["model"] = _string(idle.title or idle.name)
    cpus = root.at(CPUS)
    wide = any(_address(cpu) > 0xFFFF_FFFF for cpu in idle.cpus)
    cpus.properties = {"#address-cells": _cell(2 if wide else 1), "#size-cells": _cell(0)}
    for number, cpu in enumerate(idle.cpus):
        node = root.at(cpu.path)
        node.properties = {
            "device_type": _string("cpu"),
            "compatible": _string(cpu.compatible),
            "reg": (_address(cpu) if "@" in cpu.path else number).to_bytes(8 if wide else 4, "big"),
        }
        if idle.architecture == RISCV:
            node.properties["riscv,isa"] = _string("rv64ima")
            # the binding requires it of every hart
            node.at("interrupt-controller").properties = {
                "compatible": _string("riscv,cpu-intc"),
                "interrupt-controller": b"",
                "#address-cells": _cell(0),
                "#interrupt-cells": _cell(1),
            }
        if cpu.enable_method:
            node.properties[METHOD] = _string(cpu.enable_method)
    if idle.architecture != RISCV and (
        idle.domains or any(cpu.enable_method == "psci" for cpu in idle.cpus)
    ):
        root.at(idle.domains_at).properties = {"compatible": PSCI, "method": _string("smc")}
    if idle.timer_runs:
        properties = {"compatible": _string("arm,armv8-timer"), "always-on": b""}
        root.children.append(Draft("timer", dict(properties)))
    added(root, idle)
    return root


def added(root: Draft, idle: IdleTree) -> None:
    """Puts a machine's idle states and power domains into a tree: CPUs list these states and no
    others, are in these power domains and in no others."""
    architecture = idle.architecture
    labels = labels_of(idle)
    for cpu in idle.cpus:
        node = root.at(cpu.path)
        for name in (LIST, DOMAINS, DOMAIN_NAMES):
            node.properties.pop(name, None)
        if cpu.states:
            node.properties[LIST] = NodeReferences(idle.paths(cpu.states))
        if cpu.domain:
            node.properties[DOMAINS] = NodeReferences((cpu.domain,))
            node.properties[DOMAIN_NAMES] = _string(architecture.domain_name)
    for state in idle.states:
        folder = root.at(folder_of(state.path))
        psci = any(cpu.enable_method == "psci" for cpu in idle.cpus)
        if psci and not state.domain and folder.name == "idle-states":
            folder.properties["entry-method"] = _string("psci")
        node = root.at(state.path)
        node.label = labels[state.path]
        node.properties = dict(_properties(state, idle))
    for domain in idle.domains:
        node = root.at(domain.path)
        node.label = labels[domain.path]
        node.properties = {DOMAIN_CELLS: _cell(0)}
        if domain.parent:
            node.properties[DOMAINS] = NodeReferences((domain.parent,))
        if domain.states:
            node.properties[DOMAIN_LIST] = NodeReferences(idle.paths(domain.states))


def _properties(state: TreeState, idle: IdleTree) -> Iterator[tuple[str, Value]]:
    """In the order of the bindings' examples."""
    compatible = state.compatible_on(idle.architecture)
    yield "compatible", b"".join(_string(each) for each in compatible)
    if state.description:
        yield "idle-state-name", _string(state.description)
    if state.timer_stop:
        yield TIMER_STOP, b""
    if state.parameter is not None:
        yield idle.architecture.parameter, _cell(state.parameter)
    yield ENTRY, _cell(state.entry_us)
    yield EXIT, _cell(state.exit_us)
    yield RESIDENCY, _cell(state.residency_us)
    if state.wakeup_us is not None:
        yield WAKEUP, _cell(state.wakeup_us)
    if state.status:
        yield "status", _string(state.status)
    yield from state.properties


def labels_of(idle: IdleTree) -> dict[str, str]:
    """Path of each state and power domain -> its label, once in the source."""
    written = [(each.path, each.label, True) for each in idle.states]
    written += [(each.path, each.label, False) for each in idle.domains]
    found = {path: label for path, label, _ in written if label}
    used = set(found.values())
    for path, label, is_state in written:
        if label:
            continue
        made = "".join(char if char.isalnum() else "_" for char in name_of(path))
        made = made.upper() if is_state else made.lower()
        if made[:1].isdigit():
            made = f"_{made}"
        unique, number = made, 2
        while unique in used:
            unique, number = f"{made}_{number}", number + 1
        used.add(unique)
        found[path] = unique
    return found


_STATE = {
    "state": ("",),
    "entry": (ENTRY,),
    "exit": (EXIT,),
    "wakeup": (WAKEUP,),
    "residency": (RESIDENCY,),
    "timer-stop": (TIMER_STOP,),
    "description": ("idle-state-name",),
    "compatible": ("compatible",),
    "status": ("status",),
}
_CPU = {
    "node": ("",),
    "states": (LIST,),
    "enable-method": (METHOD,),
    "domain": (DOMAINS, DOMAIN_NAMES),
}
_DOMAIN = {"node": ("",), "states": (DOMAIN_LIST,), "parent": (DOMAINS,)}
"""Key of the spec -> the properties that it makes; "" for the node itself."""


def places_of(idle: IdleTree) -> Places:
    """Returns the places in the spec of each node and property of its tree."""
    state_keys = {**_STATE, "parameter": (idle.architecture.parameter,)}
    found = {state.path: _placed(state.where, state_keys) for state in idle.states}
    found |= {cpu.path: _placed(cpu.where, _CPU) for cpu in idle.cpus}
    return found | {domain.path: _placed(domain.where, _DOMAIN) for domain in idle.domains}


def _placed(
    where: Mapping[str, Location], key2names: Mapping[str, tuple[str, ...]]
) -> dict[str, Location]:
    return {name: where[key] for key, names in key2names.items() if key in where for name in names}


def _address(cpu: TreeCpu) -> int:
    """Unit address of a CPU's node; 0 where it is no number."""
    try:
        return int(cpu.path.rpartition("@")[2], 16) & 0xFFFF_FFFF_FFFF_FFFF
    except ValueError:
        return 0


def _cell(value: int) -> bytes:
    return value.to_bytes(4, "big")


def _string(text: str) -> bytes:
    return f"{text}\0".encode("utf-8", "surrogateescape")
