"""Idle states of Qualcomm's kernels, a tree's qcom,lpm-levels, put into Linux's bindings.

Three forms are read: with energy and power of each level, of which the driver reckons
residencies; with latencies and residencies; and with each level an arm,idle-state. The first level
of a CPU is WFI, that of a cluster is running. Linux itself reads none of it.

Source: drivers/cpuidle/lpm-levels-of.c and lpm-levels.c of Qualcomm's 4.4, 4.14 and 5.4 kernels:
parse_cluster(), calculate_residency(), set_optimum_cpu_residency(), get_cluster_id(),
psci_enter_sleep(); Linux Documentation/devicetree/bindings/arm/psci.yaml, cpu/idle-states.yaml.
"""

from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import unreadable
from ...base.model.power_mgt import cells, u32_array
from ...base.model.table import U32_MAX
from . import idle_nodes
from .idle_nodes import CPUS, DOMAIN_LIST, ENTRY, EXIT, RESIDENCY, TIMER_STOP, WAKEUP, is_cpu
from .tree import Node

COMPATIBLE = "qcom,lpm-levels"
_CLUSTER, _CPU = "qcom,pm-cluster", "qcom,pm-cpu"
_CLUSTER_LEVEL, _CPU_LEVEL = "qcom,pm-cluster-level", "qcom,pm-cpu-level"
_LATENCY = "qcom,latency-us"
_ENERGY = "qcom,ss-power", "qcom,energy-overhead", "qcom,time-overhead"
_NAMES = "label", "idle-state-name", "qcom,spm-cpu-mode"
_TIMES = (ENTRY, EXIT, RESIDENCY)
_PARAMETER = "arm,psci-suspend-param"
_RESET, _AFFINITY = 1 << 30, 24
_CONVERTED = {
    *("#address-cells", "#size-cells", "reg", "compatible", "phandle", "linux,phandle", "label"),
    *("idle-state-name", "qcom,cpu", "qcom,psci-mode-shift", "qcom,psci-mode-mask"),
    *("qcom,psci-mode", "qcom,psci-cpu-mode", "qcom,use-psci", "qcom,is-reset"),
    *("qcom,spm-cpu-mode", "qcom,use-broadcast-timer", TIMER_STOP, _PARAMETER, _LATENCY, *_ENERGY),
    *(word for name in _TIMES for word in (name, f"qcom,{name}")),
}


@dataclass(frozen=True, slots=True)
class MainlineTree:
    """A tree whose levels were put into Linux's bindings.

    root  with idle states, power domains and CPUs that refer to them
    path  of the node qcom,lpm-levels
    lost  properties of levels that Linux has no equivalent of
    """

    root: Node
    path: str
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Level:
    """A level that is not the first. times: properties of Linux's binding; parameter: what PSCI is
    asked for, without the levels below."""

    name: str
    times: Mapping[str, bytes]
    parameter: int
    stops_timer: bool
    node: Node = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Group:
    """CPUs, by phandle, and their levels. None of CPUs stands for all."""

    cpus: tuple[int, ...]
    levels: tuple[_Level, ...]


@dataclass(frozen=True, slots=True)
class _Cluster:
    levels: tuple[_Level, ...]
    groups: tuple[_Group, ...]
    children: "tuple[_Cluster, ...]"


def converted(root: Node) -> MainlineTree | None:
    """Returns the tree with its levels in Linux's bindings; None for a tree without any.

    Raises Unreadable (IS930) for more levels than any tree has states.
    """
    found = next(
        ((path, node) for path, node in root.walk() if COMPATIBLE in node.strings("compatible")),
        None,
    )
    if found is None or root.find(CPUS) is None:
        return None
    path, node = found
    top = next((each for _, each in node.walk() if _kind(each) == _CLUSTER), None)
    if top is None:
        return None
    if sum(_kind(each) in (_CPU_LEVEL, _CLUSTER_LEVEL) for _, each in node.walk()) > _MOST:
        raise unreadable("", f"expected at most {_MOST} levels in {path}")
    names = {name for _, each in node.walk() for name in each.properties}
    made = _Maker(root)
    made.cluster(_cluster(top), 0, "cluster")
    return MainlineTree(made.tree(path), path, tuple(sorted(names - _CONVERTED)))


_MOST = idle_nodes.MAX_STATES


def _kind(node: Node) -> str:
    return node.name.partition("@")[0]


def _cluster(node: Node) -> _Cluster:
    mask, shift = (node.u32(f"qcom,psci-mode-{word}") or 0 for word in ("mask", "shift"))
    groups = [child for child in node.children if _kind(child) == _CPU]
    return _Cluster(
        _levels(node, _CLUSTER_LEVEL, "qcom,psci-mode", mask, shift),
        tuple(
            _Group(
                tuple(cells(each.properties.get("qcom,cpu", own), 4)),
                _levels(each, _CPU_LEVEL, "qcom,psci-cpu-mode", U32_MAX, 0),
            )
            for own in [node.properties.get("qcom,cpu", b"")]
            for each in groups
        ),
        tuple(_cluster(child) for child in node.children if _kind(child) == _CLUSTER),
    )


def _levels(node: Node, kind: str, mode: str, mask: int, shift: int) -> tuple[_Level, ...]:
    """The levels below a cluster or a CPU, without the first."""
    nodes = [child for child in node.children if _kind(child) == kind]
    # a tree that was put together from /proc/device-tree has nodes in any order
    nodes.sort(key=lambda each: each.u32("reg") or 0)
    residencies = least_residencies([_energy(each) for each in nodes])
    found = []
    for index, each in enumerate(nodes[1:], 1):
        names = [name for word in _NAMES for name in each.strings(word)[:1]]
        shown = "".join(c if c.isascii() and c.isalnum() else "-" for c in (*names, each.name)[0])
        number = ((each.u32(mode) or 0) & mask) << shift
        found.append(
            _Level(
                shown.lower(),
                _times(each, residencies[index]),
                (number | (_RESET if "qcom,is-reset" in each.properties else 0)) & U32_MAX,
                bool({"qcom,use-broadcast-timer", TIMER_STOP} & each.properties.keys()),
                each,
            )
        )
    return tuple(found)


def _times(node: Node, residency: int | None) -> dict[str, bytes]:
    """The level's times. Of a latency with energy and power, the driver knows no entry's part."""
    own = {name: node.properties.get(f"qcom,{name}", node.properties.get(name)) for name in _TIMES}
    given = {name: value for name, value in own.items() if value is not None}
    latency = node.u32(_LATENCY)
    if given or latency is None or residency is None:
        return given
    times = {ENTRY: 0, EXIT: latency, WAKEUP: latency, RESIDENCY: residency}
    return {name: u32_array([value]) for name, value in times.items()}


Energy = tuple[int, int, int]
"""power, energy and time overhead (us); the driver says no units of the first two"""


def _energy(node: Node) -> Energy | None:
    power, energy, time = (node.u32(name) for name in _ENERGY)
    if power is None or energy is None or time is None:
        return None
    return power, energy, time


def least_residencies(levels: Sequence[Energy | None]) -> list[int | None]:
    """Returns the least residency of each level in us, as the driver reckons it: one more than
    the least length from which a deeper level saves energy against the level before. None where
    a level has no energy and power."""
    found: list[int | None] = []
    for index, level in enumerate(levels):
        if level is None or (index and levels[index - 1] is None):
            found.append(None)
        elif not index:
            found.append(level[-1])
        else:
            base = levels[index - 1]
            assert base is not None
            worth = [break_even(base, deeper) for deeper in levels[index:] if deeper is not None]
            found.append(min([U32_MAX, *filter(None, worth)]) + 1 & U32_MAX)
    return found


def break_even(base: Energy, deeper: Energy) -> int:
    """Returns from how many us on a deeper level is worth it: calculate_residency(), with its
    32-bit arithmetic. Kernels before 4.4 divide by 0 where two levels have equal power."""
    (power, energy, time), (less, more, longer) = base, deeper
    idle = _signed(_signed(less * longer) - _signed(power * time))
    residency = _signed(_signed(more - energy) - idle)
    saved = _signed(power - less)
    if saved:
        # as C divides
        residency = abs(residency) // abs(saved) * (1 if (residency < 0) == (saved < 0) else -1)
    return max(residency, longer) if residency >= 0 else longer


def _signed(value: int) -> int:
    value &= U32_MAX
    return value - (1 << 32) if value >> 31 else value


def _deepest(cluster: _Cluster) -> int:
    """Returns what all below a cluster ask PSCI for in their deepest levels, with the number of
    levels of affinity up to the cluster's. The clusters of a machine differ in no more than times.
    """
    affinity, found = 1, 0
    for child in cluster.children[:1]:
        below = _deepest(child)
        affinity += below >> _AFFINITY & 3
        found |= below & ~(3 << _AFFINITY) | (child.levels[-1].parameter if child.levels else 0)
    for group in cluster.groups[:1]:
        found |= group.levels[-1].parameter if group.levels else 0
    return found | affinity << _AFFINITY


@dataclass(slots=True)
class _Maker:
    """Makes the nodes of Linux's bindings."""

    root: Node
    cpu_states: list[Node] = field(default_factory=list)
    domain_states: list[Node] = field(default_factory=list)
    domains: list[Node] = field(default_factory=list)
    cpu2domain: dict[str, int] = field(default_factory=dict)
    phandle2path: dict[int, str] = field(default_factory=dict)
    last: int = 0

    def __post_init__(self) -> None:
        tree = idle_nodes.LinkedTree(self.root)
        self.phandle2path = {phandle: path for phandle, (path, _) in tree.phandle2node.items()}
        self.last = max(self.phandle2path, default=0)

    def cluster(self, cluster: _Cluster, parent: int, name: str) -> None:
        """Makes the power domain of a cluster and all below it. parent: phandle; 0: none."""
        below = _deepest(cluster)
        states = [
            self._state(f"cluster-{level.name}", level, level.parameter | below, domain=True)
            for level in cluster.levels
        ]
        own = self._domain(f"power-domain-{name}", parent, states)
        for number, child in enumerate(cluster.children):
            self.cluster(child, own, f"{name}-{number}")
        for number, group in enumerate(cluster.groups):
            tail = f"-{number}" if len(cluster.groups) > 1 else ""
            tail = f"{name.removeprefix('cluster')}{tail}"
            listed = [
                self._state(f"cpu-{level.name}{tail}", level, level.parameter)
                for level in group.levels
            ]
            for path in self._paths(group):
                cpu_name = path.rpartition("/")[2].replace("@", "-")
                self.cpu2domain[path] = self._domain(f"power-domain-{cpu_name}", own, listed)

    def _paths(self, group: _Group) -> list[str]:
        """The CPUs of a group; all of the machine's where it names none that is there."""
        cpus = self.root.find(CPUS)
        every = [f"{CPUS}/{each.name}" for each in cpus.children if is_cpu(each)] if cpus else []
        return [self.phandle2path[one] for one in group.cpus if one in self.phandle2path] or every

    def _phandle(self) -> int:
        self.last += 1
        return self.last

    def _state(self, name: str, level: _Level, parameter: int, *, domain: bool = False) -> int:
        phandle = self._phandle()
        given = level.node.properties.get(_PARAMETER)
        properties = {
            "compatible": b"domain-idle-state\0" if domain else b"arm,idle-state\0",
            "idle-state-name": f"{level.name}\0".encode(),
            **{name: value for name, value in level.times.items() if not domain or name != WAKEUP},
            _PARAMETER: given if given and not domain else u32_array([parameter & U32_MAX]),
            **({TIMER_STOP: b""} if level.stops_timer and not domain else {}),
            "phandle": u32_array([phandle]),
        }
        (self.domain_states if domain else self.cpu_states).append(Node(name, properties))
        return phandle

    def _domain(self, name: str, parent: int, states: Sequence[int]) -> int:
        phandle = self._phandle()
        properties = {
            "#power-domain-cells": u32_array([0]),
            **({"power-domains": u32_array([parent])} if parent else {}),
            **({DOMAIN_LIST: u32_array(states)} if states else {}),
            "phandle": u32_array([phandle]),
        }
        self.domains.append(Node(name, properties))
        return phandle

    def tree(self, replaced: str) -> Node:
        """Returns the tree without the node at a path, which the others are in place of."""
        return _edited(self.root, "", {**dict(self._edits()), replaced: None})

    def _edits(self) -> Iterator[tuple[str, Node]]:
        """Yields the path of each node that is changed, and what is added to it."""
        entry = {"entry-method": b"psci\0"}
        made = (
            Node("idle-states", entry, tuple(self.cpu_states)),
            Node(DOMAIN_LIST, {}, tuple(self.domain_states)),
        )
        yield CPUS, Node("", {}, tuple(node for node in made if node.children))
        psci = next(
            (
                p
                for p, n in self.root.walk()
                if any("arm,psci" in c for c in n.strings("compatible"))
            ),
            "",
        )
        yield psci or "/psci", Node("psci", {}, tuple(self.domains))
        for path, phandle in self.cpu2domain.items():
            added = {"power-domains": u32_array([phandle]), "power-domain-names": b"psci\0"}
            yield path, Node("", added)


def _edited(node: Node, path: str, edits: Mapping[str, Node | None]) -> Node:
    """Returns the node with what is added to it and below it. edits: path -> what is added; None:
    it is left out."""
    children = tuple(
        _edited(child, below, edits)
        for child in node.children
        if edits.get(below := f"{path}/{child.name}", child) is not None
    )
    added = edits.get(path or "/")
    if added is None:
        return replace(node, children=children)
    kept = tuple(child for child in children if added.child(child.name) is None)
    return replace(
        node, properties={**node.properties, **added.properties}, children=kept + added.children
    )
