"""A TABLE's idle states in the tree of a virt machine: its nodes, and what CPUs say of them.

Nodes keep their paths, which kernels print, but for those below PSCI's node: QEMU makes that one
anew, and they go below /firmware/psci. Phandles are renumbered.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ....base.dataclass import dataclass, field
from ....base.model.findings import CannotGenerate, Location, cannot_generate
from ....base.model.power_mgt import cells, u32_array
from ....tables.devicetree.idle_nodes import (
    CPUS,
    DOMAIN_LIST,
    LIST,
    POWER_DOMAINS,
    is_cpu,
    is_riscv,
)
from ....tables.devicetree.tree import Node

PSCI = "/firmware/psci"
_DOMAINS, _NAMES, _CELLS = "power-domains", "power-domain-names", "#power-domain-cells"
_METHOD = "enable-method"
_OF_A_CPU = (LIST, _DOMAINS, _NAMES)
_OF_A_FOREIGN_PROVIDER = ("phandle", "linux,phandle", _CELLS, _DOMAINS, DOMAIN_LIST)
"""The properties that are kept of a power domain that is no CPU's: no driver must take it for a
device."""
_CONTAINER = ("entry-method",)


@dataclass(frozen=True, slots=True)
class Grafted:
    """The machine's tree with the TABLE's idle states.

    root   the tree
    cpus   names of the TABLE's CPUs that the machine's have the place of, in order
    nodes  path -> properties as they must reach the kernel: of all nodes put in, and of what the
           CPUs' nodes say of idle states
    """

    root: Node
    cpus: tuple[str, ...]
    nodes: Mapping[str, Mapping[str, bytes]]


@dataclass(slots=True)
class _Growing:
    """A node to be built. children: name -> node, in order."""

    properties: dict[str, bytes] = field(default_factory=dict)
    children: dict[str, "_Growing"] = field(default_factory=dict)

    @classmethod
    def of(cls, node: Node) -> "_Growing":
        return cls(dict(node.properties), {each.name: cls.of(each) for each in node.children})

    def at(self, path: str) -> "_Growing":
        """The node at a path, made with those above it where they are missing."""
        node = self
        for name in path.split("/"):
            if name:
                node = node.children.setdefault(name, _Growing())
        return node

    def node(self, name: str = "") -> Node:
        below = tuple(child.node(each) for each, child in self.children.items())
        return Node(name, self.properties, below)


def cpus_of(tree: Node) -> tuple[Node, ...]:
    """The CPUs' nodes of a tree, in its order."""
    cpus = tree.find(CPUS)
    return tuple(filter(is_cpu, cpus.children)) if cpus is not None else ()


def chosen(tree: Node, lists: Sequence[Sequence[str]], count: int) -> tuple[str, ...]:
    """Names of the TABLE's CPUs that a machine of `count` CPUs has: the first of each list of
    states, then others, in the order of the tree; fewer if it has fewer.

    lists  the paths of the CPUs of each list
    """
    first = [path for group in lists for path in group[:1]]
    others = [path for group in lists for path in group[1:]]
    wanted = {path.rpartition("/")[2] for path in (*first, *others)[:count]}
    return tuple(cpu.name for cpu in cpus_of(tree) if cpu.name in wanted)


def graft(machine: Node, table: Node, cpus: Sequence[str], file: str) -> Grafted:
    """Puts the idle states of some of a table's CPUs into a machine's tree.

    table  the tree that the TABLE is in
    cpus   names of its CPU nodes, one for each of the machine's CPUs
    file   what messages call the TABLE
    Raises CannotGenerate for what cannot be put there.
    """
    return _Graft(machine, table, file).run(cpus)


class _Graft:
    def __init__(self, machine: Node, table: Node, file: str) -> None:
        self.machine, self.table, self.file = machine, table, file
        self.paths: dict[int, str] = {}
        self.nodes: dict[str, Node] = {}
        for path, node in table.walk():
            self.nodes[path] = node
            for name in ("phandle", "linux,phandle"):
                if node.u32(name):
                    self.paths.setdefault(node.u32(name) or 0, path)
        phandles = [node.u32("phandle") or 0 for _, node in machine.walk()]
        self.next = max(phandles, default=0) + 1
        self.handles: dict[int, int] = {}
        self.psci = next(
            (path for path, n in self.nodes.items() if "arm,psci-1.0" in n.strings("compatible")),
            None,
        )

    def run(self, names: Sequence[str]) -> Grafted:
        own = sorted(cpus_of(self.machine), key=lambda node: node.properties.get("reg", b""))
        root = _Growing.of(self.machine)
        placed: dict[str, Mapping[str, bytes]] = {}
        wanted: list[str] = []
        for name, place in zip(names, own, strict=True):
            cpu = self.nodes[f"{CPUS}/{name}"]
            properties = self._of_cpu(cpu)
            there = root.at(f"{CPUS}/{place.name}").properties
            if _METHOD in there and _METHOD not in cpu.properties:
                del there[_METHOD]
            there.update(properties)
            placed[f"{CPUS}/{place.name}"] = properties
            wanted += self._referred(cpu, LIST)
            wanted += self._providers(cpu)
        for path in self._reached(wanted):
            moved = self._moved(path)
            if self.machine.find(moved) is not None and moved != PSCI:
                raise self._problem(f"the machine's tree has a node {moved} of its own", path)
            there = root.at(moved).properties
            there.update(placed.setdefault(moved, self._copied(path)))
        if PSCI in placed or any(path.startswith(f"{PSCI}/") for path in placed):
            firmware = root.children.pop("psci", _Growing())
            root.at(PSCI).properties.update(firmware.properties)
        self._containers(root, placed)
        return Grafted(root.node(), tuple(names), placed)

    def _of_cpu(self, cpu: Node) -> dict[str, bytes]:
        method = cpu.properties.get(_METHOD)
        if method not in (None, b"psci\0") and not is_riscv(cpu):
            shown = ", ".join(cpu.strings(_METHOD))
            message = f"expected CPUs that PSCI enables, as the machine's, found {shown}"
            raise self._problem(message, f"{CPUS}/{cpu.name}")
        kept = {name: cpu.properties[name] for name in _OF_A_CPU if name in cpu.properties}
        return self._rewritten(kept)

    def _reached(self, wanted: Iterable[str]) -> Iterator[str]:
        """Paths of the nodes to be copied, each once."""
        waiting = [*wanted, *self._looked_at()]
        seen: set[str] = set()
        while waiting:
            path = waiting.pop(0)
            if path in seen:
                continue
            seen.add(path)
            yield path
            node = self.nodes[path]
            waiting += self._referred(node, DOMAIN_LIST)
            waiting += self._providers(node)

    def _looked_at(self) -> Iterator[str]:
        """The nodes that drivers look at without being referred to: all power domains."""
        for parent in filter(None, (self.psci, POWER_DOMAINS)):
            node = self.table.find(parent)
            for child in node.children if node is not None else ():
                yield f"{parent}/{child.name}"

    def _copied(self, path: str) -> dict[str, bytes]:
        """A node's properties; of the providers of foreign power domains, some."""
        properties = dict(self.nodes[path].properties)
        foreign = _CELLS in properties and not self._is_cpu_domain(path)
        if foreign:
            properties = {
                name: properties[name] for name in _OF_A_FOREIGN_PROVIDER if name in properties
            }
        return self._rewritten(properties)

    def _is_cpu_domain(self, path: str) -> bool:
        parent = path.rpartition("/")[0]
        return parent == POWER_DOMAINS or (self.psci is not None and parent == self.psci)

    def _rewritten(self, properties: Mapping[str, bytes]) -> dict[str, bytes]:
        """The properties with the phandles that their nodes have in this tree, in references
        too."""
        found = dict(properties)
        old = found.pop("linux,phandle", None)
        if old is not None:
            found.setdefault("phandle", old)
        for name in ("phandle", LIST, DOMAIN_LIST):
            if name in found:
                found[name] = self._renumbered(found[name], lambda at: True)
        if _DOMAINS in found:
            starts = {at for at, _ in self._entries(found[_DOMAINS])}
            found[_DOMAINS] = self._renumbered(found[_DOMAINS], starts.__contains__)
        return found

    def _renumbered(self, value: bytes, is_phandle: Callable[[int], bool]) -> bytes:
        old = cells(value, 4)
        new = [self._handle(cell) if is_phandle(at) else cell for at, cell in enumerate(old)]
        return u32_array(new) + value[4 * len(old) :]

    def _handle(self, old: int) -> int:
        """The new phandle; 0 and -1 refer to nothing, and stay."""
        if old in (0, 0xFFFF_FFFF):
            return old
        return self.handles.setdefault(old, self.next + len(self.handles))

    def _referred(self, node: Node, name: str) -> list[str]:
        found = cells(node.properties.get(name, b""), 4)
        return [self.paths[phandle] for phandle in found if phandle in self.paths]

    def _providers(self, node: Node) -> list[str]:
        return [path for _, path in self._entries(node.properties.get(_DOMAINS, b"")) if path]

    def _entries(self, value: bytes) -> Iterator[tuple[int, str]]:
        """Index of the cell with each phandle of power-domains, and the path of its node; up to the
        first that cannot be read."""
        found = cells(value, 4)
        at = 0
        while at < len(found):
            path = self.paths.get(found[at], "")
            yield at, path
            count = self.nodes[path].properties.get(_CELLS, b"") if path else bytes(4)
            if (not path and found[at]) or len(count) < 4:
                return
            at += 1 + int.from_bytes(count[:4], "big")

    def _moved(self, path: str) -> str:
        if self.psci is not None and path.startswith(f"{self.psci}/"):
            return PSCI + path.removeprefix(self.psci)
        if path.startswith("/psci/"):
            raise self._problem("expected a node outside of /psci, which QEMU makes anew", path)
        return path

    def _containers(self, root: _Growing, placed: Iterable[str]) -> None:
        """Copies the properties on how states are entered to the nodes above those put in."""
        for path in placed:
            parent = path.rpartition("/")[0]
            of_table = self.nodes.get(parent)
            if of_table is not None and self.machine.find(parent) is None:
                kept = {n: of_table.properties[n] for n in _CONTAINER if n in of_table.properties}
                root.at(parent).properties.update(kept)

    def _problem(self, message: str, path: str) -> CannotGenerate:
        return CannotGenerate([cannot_generate(message, Location(path, self.file))])
