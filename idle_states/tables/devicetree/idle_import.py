"""From a device tree of an Arm or RISC-V machine to what a spec says of it: the IdleTree.

What a spec has no word for is named, all of it, and then nothing is made.
"""

from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass, field
from ...base.model.architectures import ARM, DOMAIN_STATE, OWN_PROPERTIES, RISCV, Architecture
from ...base.model.beyond_opal import Broken, IdleList, ListedNode
from ...base.model.findings import CannotGenerate, Finding, Location, cannot_generate
from ...base.model.idle_tree import (
    LABEL,
    STATUSES,
    IdleTree,
    TreeCpu,
    TreeDomain,
    TreeState,
    folder_of,
    is_text,
    name_of,
)
from ...base.model.table import Provenance
from .drafts import DOMAIN_CELLS, DOMAIN_NAMES
from .idle_nodes import (
    CPUS,
    DOMAIN_LIST,
    ENTRY,
    EXIT,
    RESIDENCY,
    TIMER_STOP,
    WAKEUP,
    LinkedTree,
)
from .tree import Node

DESCRIPTION = "idle-state-name"
_MOST_FINDINGS = 100


def read_machine(root: Node, lists: Sequence[IdleList], name: str) -> IdleTree:
    """The idle states of a tree; with the labels of its nodes if it has them, as `dtc -@` writes.

    lists  as `idle_nodes.lists_of` gives them, of this tree

    Raises CannotGenerate (IS933) with every reason why a spec cannot say what the tree says.
    """
    reader = _Reader(root, lists, _labels(root))
    found = reader.read(name)
    if reader.problems:
        raise CannotGenerate(reader.problems[:_MOST_FINDINGS])
    return found


def _labels(root: Node) -> dict[str, str]:
    """Path -> label, of the node /__symbols__."""
    symbols = root.find("/__symbols__") or Node("")
    found = {path: label for label in symbols.properties for path in symbols.strings(label)[:1]}
    return {path: label for path, label in found.items() if LABEL.fullmatch(label)}


@dataclass(slots=True)
class _Reader:
    root: Node
    lists: Sequence[IdleList]
    labels: Mapping[str, str]
    problems: list[Finding] = field(default_factory=list)
    path2name: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def read(self, name: str) -> IdleTree:
        architecture = RISCV if any(listed.riscv for listed in self.lists) else ARM
        for listed in self.lists:
            for each in listed.broken:
                self.problem(f"expected a reference to a node, found {each.reason}", each.where)
        linked = LinkedTree(self.root)
        cpu2list = {cpu: listed for listed in self.lists for cpu in listed.cpus}
        nodes = self.root.find(CPUS) or Node("cpus")
        paths = [path for child in nodes.children if (path := f"{CPUS}/{child.name}") in cpu2list]
        states = tuple(self.states(architecture))
        domains = {domain.path: domain for domain in self.own_domains(linked)}
        cpus = []
        for path in paths:
            node = self.root.find(path) or Node("")
            listed = cpu2list[path]
            domain = self.domain(node, listed, linked, domains)
            cpus.append(
                TreeCpu(
                    path=path,
                    compatible=next(iter(node.strings("compatible")), architecture.cpu),
                    enable_method=listed.enable_method,
                    states=self.listed(listed.flat),
                    domain=domain,
                )
            )
        made = self.lists[0].power_domains
        at = folder_of(made[0].path) if made else architecture.domains
        return IdleTree(
            name,
            architecture,
            states,
            tuple(cpus),
            at,
            tuple(domains.values()),
            timer_runs=self.lists[0].timer_runs,
        )

    def problem(self, message: str, where: Location) -> None:
        finding = cannot_generate(message, where)
        if finding not in self.problems:
            self.problems.append(finding)

    def listed(self, nodes: Sequence[ListedNode | None]) -> tuple[str, ...]:
        """Names of the states of a list; references that lead nowhere are problems elsewhere."""
        return tuple(
            self.path2name[node.path] for node in nodes if node and node.path in self.path2name
        )

    def states(self, architecture: Architecture) -> Iterator[TreeState]:
        """All that is listed, in the order of the tree, and what else says it is a state."""
        known: dict[str, ListedNode] = {}
        for listed in self.lists:
            of_domains = [node for domain in listed.power_domains for node in domain.states]
            for listing in (*of_domains, *listed.flat, *listed.own_domain, *listed.domains):
                if listing:
                    known[listing.path] = listing
        for path, node in self.root.walk():
            if path in known:
                state = self.state(known[path], architecture)
            elif {architecture.state, DOMAIN_STATE} & set(node.strings("compatible")):
                # nobody lists it: a spec has it if it can
                before = list(self.problems)
                state = self.state(ListedNode(path, node.properties), architecture)
                self.problems[:] = before
            else:
                continue
            if state is not None:
                yield state

    def state(self, node: ListedNode, architecture: Architecture) -> TreeState | None:
        count = len(self.problems)
        others = tuple((n, data) for n, data in node.properties.items() if n not in OWN_PROPERTIES)
        for name, data in others:
            if data and not is_text(data) and len(data) % 4:
                found = f"{len(data)} bytes of {name}"
                self.problem(f"expected strings or cells, found {found}", node.at(name))
        times = [self.cell(node, name) for name in (ENTRY, EXIT, RESIDENCY)]
        wakeup = self.cell(node, WAKEUP) if WAKEUP in node.properties else None
        parameter = None
        if architecture.parameter in node.properties:
            parameter = self.cell(node, architecture.parameter)
        if node.properties.get(TIMER_STOP):
            self.problem(f"expected {TIMER_STOP} without a value", node.at(TIMER_STOP))
        compatible = node.strings("compatible")
        domain = DOMAIN_STATE in compatible
        status = self.text(node, "status")
        if status not in ("", *STATUSES):
            found = f"expected a status of {', '.join(STATUSES)}, found {status!a}"
            self.problem(found, node.at("status"))
        description = self.text(node, DESCRIPTION)
        if len(self.problems) > count:
            return None
        own = name_of(node.path)
        name, number = own, 2
        while name in self.names:
            name, number = f"{own}-{number}", number + 1
        self.names.add(name)
        self.path2name[node.path] = name
        usual_compatible = (DOMAIN_STATE if domain else architecture.state,)
        where = node.where
        line = f":{where.line}" if where.line else ""
        source = Provenance("file", f"{where.file}{line}", "medium", node.path)
        return TreeState(
            name=name,
            path=node.path,
            entry_us=times[0],
            exit_us=times[1],
            residency_us=times[2],
            wakeup_us=wakeup,
            timer_stop=TIMER_STOP in node.properties,
            parameter=parameter,
            domain=domain,
            description=description,
            compatible=() if compatible == usual_compatible else compatible,
            status=status,
            properties=others,
            label=self.labels.get(node.path, ""),
            provenance={"default": source} if where.file else {},
        )

    def cell(self, node: ListedNode, name: str) -> int:
        data = node.properties.get(name)
        if data is None or len(data) != 4:
            found = "none" if data is None else f"{len(data)} bytes"
            where = node.at(name if data is not None else "")
            self.problem(f"expected {name} of one cell in {node.path}, found {found}", where)
            return 0
        return int.from_bytes(data, "big")

    def text(self, node: ListedNode, name: str) -> str:
        found = node.strings(name)
        if len(found) > 1 or any(not each.isprintable() or not each for each in found):
            self.problem(f"expected one text that YAML can hold, found {found!a}", node.at(name))
        return found[0] if found else ""

    def own_domains(self, linked: LinkedTree) -> Iterator[TreeDomain]:
        """Yields the domains that Linux makes of the tree, and the outer ones they are part of."""
        first = next(iter(self.lists), None)
        waiting = (
            [domain.path for domain in first.power_domains if domain.provides] if first else []
        )
        for listed in self.lists:
            for cpu in listed.cpus if listed.own_domain or listed.domains else ():
                found = linked.domain_of(self.root.find(cpu) or Node(""))
                waiting += [found[0]] if found else []
        seen: set[str] = set()
        while waiting:
            path = waiting.pop(0)
            if path in seen:
                continue
            seen.add(path)
            node = self.root.find(path) or Node("")
            where = Location(f"{path}:{DOMAIN_CELLS}", self.lists[0].where.file)
            if node.u32(DOMAIN_CELLS):
                self.problem(f"expected 0 as {DOMAIN_CELLS} of {path}", where)
            broken: list[Broken] = []
            states = [*linked.references(path, node, DOMAIN_LIST, broken)]
            parent = linked.domain_of(node)
            waiting += [parent[0]] if parent else []
            for each in broken:
                self.problem(f"expected a reference to a node, found {each.reason}", where)
            yield TreeDomain(
                path,
                self.listed(states),
                parent[0] if parent else "",
                self.labels.get(path, ""),
            )

    def domain(
        self, cpu: Node, listed: IdleList, linked: LinkedTree, known: Mapping[str, TreeDomain]
    ) -> str:
        """Path of a CPU's power domain, if it has to do with idle states."""
        found = linked.domain_of(cpu)
        path = found[0] if found and found[0] in known else ""
        attached = listed.attached
        there = attached.path if attached is not None and not attached.arguments else ""
        if there != path or (attached is not None and not path):
            usual = RISCV.domain_name if listed.riscv else ARM.domain_name
            self.problem(
                f"expected {usual} as the first of {DOMAIN_NAMES}, found another", listed.where
            )
        if listed.riscv and listed.names_domains and not path:
            self.problem("expected power domains with idle states, found others", listed.where)
        return path
