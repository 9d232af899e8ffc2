"""Idle states of Arm and RISC-V trees: nodes that CPUs list by phandle.

A CPU finds its states by cpu-idle-states, or by the domain-idle-states of its power domain; the
states of the domains above belong to the power domains, not to cpuidle. CPUs with the same list
share a table.

Source: Linux Documentation/devicetree/bindings/cpu/idle-states.yaml and
power/domain-idle-state.yaml; drivers/of/base.c of_parse_phandle(), drivers/of/cpu.c
of_get_cpu_state_node().
"""

from collections.abc import Iterator, Mapping
from functools import cache

from ...base.dataclass import replace
from ...base.model.beyond_opal import (
    Broken,
    DomainReference,
    IdleList,
    ListedNode,
    Misspelt,
    PowerDomain,
)
from ...base.model.findings import Location, unreadable
from ...base.model.power_mgt import cells
from ...base.model.table import U32_MAX, IdleState, IdleTable, ReadFrom, Register
from ...base.reading import limits
from ...base.wording import one_edit_apart
from .dts_places import Places
from .missing_files import NOT_SHOWN
from .tree import Node

CPUS = "/cpus"
LIST = "cpu-idle-states"
DOMAIN_LIST = "domain-idle-states"
POWER_DOMAINS = "/cpus/power-domains"
"""The node where RISC-V's driver looks for the power domains of CPUs."""
ENTRY, EXIT = "entry-latency-us", "exit-latency-us"
WAKEUP, RESIDENCY = "wakeup-latency-us", "min-residency-us"
TIMER_STOP = "local-timer-stop"
METHOD = "enable-method"
ENTRY_METHOD = "entry-method"
STATE_COMPATIBLES = frozenset(
    {"arm,idle-state", "qcom,idle-state-spc", "riscv,idle-state", "domain-idle-state"}
)
_LISTS = (LIST, DOMAIN_LIST)
_CPU_WORDS = (LIST, METHOD, "power-domains", "power-domain-names")
_DOMAIN_WORDS = (DOMAIN_LIST, "power-domains", "#power-domain-cells")
_STATE_WORDS = (
    *(ENTRY, EXIT, WAKEUP, RESIDENCY, TIMER_STOP, "idle-state-name", "status"),
    *("arm,psci-suspend-param", "riscv,sbi-suspend-param"),
)
_PHANDLES, _NO_PHANDLE = ("phandle", "linux,phandle"), bytes(4)
_TIMERS = {"arm,armv8-timer", "arm,armv7-timer"}

MAX_STATES = limits.TREE_STATES
MAX_TABLES = limits.TREE_TABLES
"""A limit far beyond any machine, which bounds the time spent on a hostile tree."""

DOMAIN_STATE = "genpd enters it when all CPUs of the power domain idle"


def lists_of(
    root: Node, file: str, places: Places | None = None, *, bare: bool = False
) -> tuple[IdleList, ...]:
    """The distinct lists of a tree's CPUs, in the order of the CPUs; empty if no CPU has states.

    A CPU without states among others that have some has an empty list of its own. With bare, so has
    each CPU of a tree without any states.

    Raises Unreadable (IS930) for more states or tables than any tree has.
    """
    cpus = root.find(CPUS)
    if cpus is None:
        return ()
    tree = LinkedTree(root, file, places)
    groups: dict[object, list[IdleList]] = {}
    number = 0
    for child in cpus.children:
        if is_cpu(child):
            found = replace(tree.list_of(child), numbers=(number,))
            number += 1
            groups.setdefault(_key(found), []).append(found)
            if len(groups) > MAX_TABLES:
                message = f"expected at most {MAX_TABLES} different lists of idle states"
                raise unreadable(found.where, message)
    firsts = [same[0] for same in groups.values()]
    if not bare and not any(one.nodes() or one.above or one.broken for one in firsts):
        return ()
    domains, unlisted, timer_runs = tree.power_domains(), tree.unlisted(), tree.timer_runs
    misspelt, entry_methods = tree.misspelt(), tree.entry_methods()
    lists = [
        replace(
            same[0],
            cpus=tuple(cpu for one in same for cpu in one.cpus),
            numbers=tuple(number for one in same for number in one.numbers),
            power_domains=domains,
            unlisted=unlisted,
            misspelt=misspelt,
            entry_methods=entry_methods,
            timer_runs=timer_runs,
        )
        for same in groups.values()
    ]
    siblings = tuple(lists)
    return tuple(replace(one, siblings=siblings) for one in lists)


def has_cpus(root: Node) -> bool:
    """Tells whether the tree is of a machine that could list idle states: CPUs called cpu, no
    OPAL."""
    cpus = root.find(CPUS)
    if cpus is None or root.find("/ibm,opal") is not None:
        return False
    return any(child.name.partition("@")[0] == "cpu" for child in cpus.children)


def table_of(listed: IdleList, kind: str, file: str, sha256: str) -> IdleTable:
    """A list as a table: the CPUs' own states first, then those of the domains above.

    Exit latency as Linux counts it: wakeup-latency-us, else entry plus exit in u32; of a domain's
    state, which is not cpuidle's, entry plus exit. A time that
    the node does not have is 0 there, None for a residency; see `missing_times`.
    """
    own = [_state(node, listed) for node in listed.nodes()]
    above = [
        replace(
            _state(node, listed),
            latency_ns=sum(node.u32(name) or 0 for name in (ENTRY, EXIT)) * 1000,
            cpuidle=False,
            reason=DOMAIN_STATE,
        )
        for node in listed.domains
    ]
    count = len(listed.cpus)
    names = [path.rpartition("/")[2] for path in listed.cpus]
    title = f"{count} CPUs, {names[0]} to {names[-1]}" if count > 1 else "1 CPU"
    return IdleTable(
        name=listed.cpus[0],
        states=(*own, *above),
        register=Register.NONE,
        origin=listed,
        title=title,
        read_from=ReadFrom(kind, file, sha256, listed.where),
        where={"table": listed.where},
    )


def row_nodes(listed: IdleList) -> tuple[ListedNode, ...]:
    """The node of each row of the table."""
    return (*listed.nodes(), *listed.domains)


def latency_us(node: ListedNode) -> int | None:
    """Exit latency as init_state_node() computes it; None if it cannot."""
    wakeup, entry, leave = (node.u32(name) for name in (WAKEUP, ENTRY, EXIT))
    if wakeup is not None:
        return wakeup
    return None if entry is None or leave is None else entry + leave & U32_MAX


def missing_times(node: ListedNode) -> tuple[str, ...]:
    """The properties without which Linux gives up on the node, in the order it asks for them."""
    needed = (RESIDENCY,) if node.u32(WAKEUP) is not None else (ENTRY, EXIT, RESIDENCY)
    return tuple(name for name in needed if node.u32(name) is None)


def _state(node: ListedNode, listed: IdleList) -> IdleState:
    latency, residency = latency_us(node), node.u32(RESIDENCY)
    place = node.at(WAKEUP if node.u32(WAKEUP) is not None else EXIT)
    return IdleState(
        name=node.name,
        latency_ns=(latency or 0) * 1000,
        residency_ns=None if residency is None else residency * 1000,
        flags=0,
        note=", ".join(node.strings("idle-state-name")[:1]),
        where={
            "state": node.where,
            "name": node.where,
            "latency": place,
            "residency": node.at(RESIDENCY),
            "flags": node.where,
            "control": node.at(
                "riscv,sbi-suspend-param" if listed.riscv else "arm,psci-suspend-param"
            ),
            "mask": node.where,
        },
    )


def _key(found: IdleList) -> object:
    """Returns the key of a table's CPUs. Nodes of one tree are told apart by their paths."""
    paths = [
        tuple(node.path if node else "" for node in nodes)
        for nodes in (found.flat, found.own_domain, *found.above)
    ]
    broken = tuple((one.property, one.index, one.reason) for one in found.broken)
    attachment = found.attached, found.first_domain, found.names_domains
    return found.enable_method, found.riscv, *paths, broken, attachment


@cache
def _meant(name: str, words: tuple[str, ...]) -> str:
    """Returns the word that a property's name is one letter from; "" for none, or a word itself.
    An underscore counts as a hyphen."""
    plain = name.replace("_", "-")
    if name in words:
        return ""
    return next((each for each in words if plain == each or one_edit_apart(plain, each)), "")


def is_cpu(node: Node) -> bool:
    """Tells whether for_each_of_cpu_node() visits a node; it passes over CPUs that failed."""
    if any(status.startswith("fail") for status in node.strings("status")[:1]):
        return False
    return node.name.partition("@")[0] == "cpu" or node.strings("device_type") == ("cpu",)


def is_riscv(cpu: Node) -> bool:
    """Tells whether the node of a CPU is of a RISC-V one."""
    compatible = cpu.strings("compatible")
    return "riscv,isa" in cpu.properties or any("riscv" in name for name in compatible)


class LinkedTree:
    """A tree with its phandles."""

    def __init__(self, root: Node, file: str = "", places: Places | None = None) -> None:
        self.file = file
        self.places = places or {}
        self.root = root
        self.phandle2node: dict[int, tuple[str, Node]] = {}
        self.timer_runs = False
        states: list[tuple[str, Node]] = []
        self._entered: list[tuple[str, Node]] = []
        referred: set[int] = set()
        # a walk() of thousands of nodes, for each of a thousand boards
        waiting = [("", root)]
        while waiting:
            path, node = waiting.pop()
            properties = node.properties
            compatible = properties.get("compatible", b"")
            if b"idle-state" in compatible:
                states.append((path, node))
            elif b"arm,armv" in compatible and set(node.strings("compatible")) & _TIMERS:
                self.timer_runs = self.timer_runs or "always-on" in properties
            if ENTRY_METHOD in properties:
                self._entered.append((path, node))
            for name in _LISTS:
                if name in properties:
                    referred.update(cells(properties[name], 4))
            for name in _PHANDLES:
                data = properties.get(name, b"")
                if len(data) == 4 and data != _NO_PHANDLE:
                    self.phandle2node.setdefault(int.from_bytes(data, "big"), (path or "/", node))
            if node.children:
                waiting += [(f"{path}/{child.name}", child) for child in reversed(node.children)]
        listed = {self.phandle2node[one][0] for one in referred if one in self.phandle2node}
        self._states = states
        self._unlisted = [(path, node) for path, node in states if path not in listed]

    def list_of(self, cpu: Node) -> IdleList:
        path = f"{CPUS}/{cpu.name}"
        broken: list[Broken] = []
        domain = self.domain_of(cpu)
        first = domain[0] if domain else ""
        above: list[tuple[ListedNode, ...]] = []
        met: set[str] = set()
        own: tuple[ListedNode | None, ...] = ()
        visited: set[str] = set()
        if domain is not None:
            own = tuple(self.references(*domain, DOMAIN_LIST, broken))
            visited.add(domain[0])
            domain = self.domain_of(domain[1])
        while domain is not None and domain[0] not in visited:
            # a domain may be its own ancestor in a hostile tree
            visited.add(domain[0])
            nodes = [n for n in self.references(*domain, DOMAIN_LIST, broken) if n is not None]
            new = {node.path: node for node in nodes if node.path not in met}
            met.update(new)
            if new:
                above.append(tuple(new.values()))
            domain = self.domain_of(domain[1])
        flat = tuple(self.references(path, cpu, LIST, broken))
        # a node may be opened again elsewhere: a missing method belongs beside the list
        last = next((name for name in (METHOD, LIST, "device_type") if name in cpu.properties), "")
        riscv = is_riscv(cpu)
        return IdleList(
            cpus=(path,),
            enable_method=next(iter(cpu.strings(METHOD)), ""),
            riscv=riscv,
            flat=flat,
            own_domain=own,
            above=tuple(above),
            broken=tuple(broken),
            attached=self._attached(cpu, "sbi" if riscv else "psci"),
            first_domain=first,
            names_domains="power-domains" in cpu.properties
            and "power-domain-names" in cpu.properties,
            where=self._at(path, LIST if LIST in cpu.properties else ""),
            method_where=self._at(path, last).at(path),
        )

    def unlisted(self) -> tuple[ListedNode, ...]:
        """The enabled nodes of idle states that no list of the tree refers to."""
        nodes = (
            self._node(path, node)
            for path, node in self._unlisted
            if set(node.strings("compatible")) & STATE_COMPATIBLES
        )
        return tuple(node for node in nodes if node.available)

    def entry_methods(self) -> tuple[ListedNode, ...]:
        """Returns the nodes that say how the idle states within them are entered."""
        return tuple(self._node(*each) for each in self._entered)

    def misspelt(self) -> tuple[Misspelt, ...]:
        """Returns the properties of CPUs, their power domains and idle states that are one letter
        from one that Linux reads there."""
        parent = self.root.find(CPUS)
        children = parent.children if parent is not None else ()
        cpus = [(f"{CPUS}/{child.name}", child) for child in children if is_cpu(child)]
        domains = self._domain_nodes()
        return tuple(
            Misspelt(path, name, meant, self._at(path, name))
            for nodes, words in (
                (cpus, _CPU_WORDS),
                (domains, _DOMAIN_WORDS),
                (self._states, _STATE_WORDS),
            )
            for path, node in nodes
            for name in node.properties
            if (meant := _meant(name, words)) and meant not in node.properties
        )

    def power_domains(self) -> tuple[PowerDomain, ...]:
        """Returns the power domains that Linux looks for CPUs' states in."""
        return tuple(self._power_domain(*each) for each in self._domain_nodes())

    def _domain_nodes(self) -> list[tuple[str, Node]]:
        """The children of the node where Linux looks for the CPUs' power domains."""
        for path, node in self.root.walk():
            if path == POWER_DOMAINS or "arm,psci-1.0" in node.strings("compatible"):
                return [(f"{path}/{child.name}", child) for child in node.children]
        return []

    def _power_domain(self, path: str, node: Node) -> PowerDomain:
        states = tuple(self.references(path, node, DOMAIN_LIST, []))
        references, _ = self._domain_references(node)
        parent = references[0] if references and references[0].path else None
        return PowerDomain(path, "#power-domain-cells" in node.properties, states, parent)

    def _attached(self, cpu: Node, name: str) -> DomainReference | None:
        """The power domain of that name, as dev_pm_domain_attach_by_name() looks for it."""
        names = cpu.strings("power-domain-names")
        references, whole = self._domain_references(cpu)
        index = names.index(name) if name in names else len(references)
        return references[index] if whole and index < len(references) else None

    def domain_of(self, node: Node) -> tuple[str, Node] | None:
        """The first power domain, as of_parse_phandle_with_args(..., 0, ...)."""
        references, _ = self._domain_references(node)
        if not references or not references[0].path:
            return None
        return self.phandle2node[int.from_bytes(node.properties["power-domains"][:4], "big")]

    def _domain_references(self, node: Node) -> tuple[list[DomainReference], bool]:
        """The entries of power-domains up to the first that cannot be read; whether all can."""
        found: list[DomainReference] = []
        values = cells(node.properties.get("power-domains", b""), 4)
        at = 0
        while at < len(values):
            phandle = values[at]
            at += 1
            if not phandle:
                found.append(DomainReference(""))
                continue
            path, domain = self.phandle2node.get(phandle, ("", None))
            count = domain.properties.get("#power-domain-cells", b"") if domain else b""
            arguments = int.from_bytes(count[:4], "big")
            at += arguments
            if len(count) < 4 or at > len(values):
                return found, False
            found.append(DomainReference(path, arguments))
        return found, True

    def references(
        self, path: str, node: Node, name: str, broken: list[Broken]
    ) -> Iterator[ListedNode | None]:
        """Nodes of a list of phandles, None for one that leads nowhere; without such as stand in
        for missing ones, which count as broken."""
        data = node.properties.get(name, b"")
        if len(data) // 4 > MAX_STATES:
            message = f"expected at most {MAX_STATES} states, found {len(data) // 4}"
            raise unreadable(self._at(path, name), message)
        for index in range(0, len(data) - 3, 4):
            phandle = int.from_bytes(data[index : index + 4], "big")
            target = self.phandle2node.get(phandle)
            if target is not None and NOT_SHOWN in target[1].properties:
                broken.append(Broken(name, index // 4, NOT_SHOWN, self._at(path, name)))
                continue
            if target is None:
                reason = f"phandle {phandle:#x} is no node's" if phandle else "a phandle of 0"
                broken.append(Broken(name, index // 4, reason, self._at(path, name)))
                yield None
                continue
            yield self._node(*target)
        if len(data) % 4:
            reason = f"{len(data)} bytes are no whole number of phandles"
            broken.append(Broken(name, len(data) // 4, reason, self._at(path, name)))

    def _node(self, path: str, node: Node) -> ListedNode:
        return ListedNode(path, node.properties, self._at(path, ""), dict(self._lines(path)))

    def _lines(self, path: str) -> Mapping[str, Location]:
        return self.places.get(path, {})

    def _at(self, path: str, name: str) -> Location:
        lines = self._lines(path)
        place = lines.get(name) or lines.get("") or Location(file=self.file)
        return place.at(f"{path}:{name}" if name else path)
