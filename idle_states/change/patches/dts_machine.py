"""The idle states of a machine of Arm or RISC-V as its tree links them: which CPUs and power
domains list which nodes. What a TABLE has, and what a board has, to be made equal."""

from collections.abc import Mapping, Sequence
from typing import Self

from ...base.dataclass import dataclass
from ...base.model.architectures import ARM, RISCV
from ...base.model.beyond_opal import IdleList, ListedNode
from ...base.model.findings import Faulty, UsageError
from ...base.model.idle_tree import name_of
from ...tables.devicetree.drafts import labels_of
from ...tables.devicetree.idle_nodes import (
    DOMAIN_LIST,
    ENTRY,
    EXIT,
    LIST,
    RESIDENCY,
    TIMER_STOP,
    WAKEUP,
    row_nodes,
)
from ...tables.sources import read_sources
from ...tables.sources.machines import is_whole_machine

Owner = tuple[str, str]
"""A CPU or power domain by its path, and its property with a list."""


@dataclass(frozen=True, slots=True)
class LinkedStates:
    """cpus      path -> the list that it shares with others
    domains   path of each power domain that CPUs are in -> that of the one it is part of, or ""
    lists     all lists that there are, with the paths of nodes
    nodes     those nodes, by path
    unlisted  other nodes of idle states
    """

    cpus: Mapping[str, IdleList]
    domains: Mapping[str, str]
    lists: Mapping[Owner, tuple[str, ...]]
    nodes: Mapping[str, ListedNode]
    unlisted: Mapping[str, ListedNode]

    @classmethod
    def of(cls, lists: Sequence[IdleList], without: Sequence[str] = ()) -> Self:
        """lists: all of a tree. without: CPUs that are left out, by path."""
        cpus = {cpu: one for one in lists for cpu in one.cpus if cpu not in without}
        listed: dict[Owner, Sequence[ListedNode | None]] = {}
        for cpu, one in cpus.items():
            listed[cpu, LIST] = one.flat
            if own := _domain_of(one):
                listed[own, DOMAIN_LIST] = one.own_domain
        path2domain = {
            domain.path: domain
            for one in lists[:1]
            for domain in one.power_domains
            if domain.provides
        }
        # those that no CPU is in are left alone
        domains: dict[str, str] = {}
        waiting = [_domain_of(one) for one in cpus.values()]
        while waiting:
            each = path2domain.get(waiting.pop())
            if each is not None and each.path not in domains:
                domains[each.path] = each.parent.path if each.parent else ""
                waiting.append(domains[each.path])
                listed[each.path, DOMAIN_LIST] = each.states
        nodes = {node.path: node for many in listed.values() for node in many if node is not None}
        others = [node for one in path2domain.values() for node in one.states if node is not None]
        unlisted = [node for one in lists for node in one.unlisted]
        return cls(
            cpus,
            domains,
            {key: tuple(n.path for n in many if n is not None) for key, many in listed.items()},
            nodes,
            {node.path: node for node in (*unlisted, *others) if node.path not in nodes},
        )

    def domain_names(self) -> dict[str, str]:
        """Returns the power domains' names that must not differ: of each domain's parent, and of
        each CPU's domain."""
        found = {name_of(path): name_of(parent) for path, parent in self.domains.items()}
        return found | {cpu: name_of(_domain_of(one)) for cpu, one in self.cpus.items()}


def _domain_of(one: IdleList) -> str:
    """Path of the CPUs' own power domain, if it has to do with idle states: a CPU may name another,
    as that of its frequency; "" for none."""
    known = {domain.path for domain in one.power_domains if domain.provides}
    has_states = one.own_domain or one.above
    return one.first_domain if has_states or one.first_domain in known else ""


@dataclass(frozen=True, slots=True)
class WantedMachine:
    """The idle states that boards are to have.

    lists   of all CPUs of the TABLE
    labels  path of a node -> its label, as far as the TABLE says one
    """

    name: str
    lists: tuple[IdleList, ...]
    labels: Mapping[str, str]
    file: str
    sha256: str


def wanted_machine(text: str) -> WantedMachine:
    """The machine that TABLE stands for. Raises UsageError for another TABLE, or one with a list
    that refers to no node; Faulty, Unreadable, NoSuchTable."""
    sources = read_sources(text)
    first = sources[0]
    if len(sources) == 1 and first.table is None:
        raise Faulty(first.findings, first.texts)
    if not is_whole_machine(sources) or first.table is None or first.table.origin.form != "nodes":
        message = f"expected all idle states of a machine of Arm or RISC-V, found {text!r}"
        raise UsageError(f"{message}, which is another table, or one of several")
    lists = first.table.origin.of_tree
    broken = [each for one in lists for each in one.broken]
    if broken:
        message = f"expected lists of nodes in {text}, found an entry of {broken[0].property}"
        raise UsageError(f"{message} that is not a node: {broken[0].reason}")
    labels = labels_of(first.machine) if first.machine else {}
    name = first.machine.name if first.machine else name_of(text)
    return WantedMachine(name, lists, labels, first.file, first.sha256)


def facts_of(lists: Sequence[IdleList]) -> dict[str, tuple[object, ...]]:
    """Returns all that kernels read of each CPU's table, by the CPU's path."""
    parameter = (RISCV if any(one.riscv for one in lists) else ARM).parameter
    return {
        cpu: (
            one.enable_method,
            name_of(_domain_of(one)),
            *(_facts(node, parameter) for node in row_nodes(one)),
        )
        for one in lists
        for cpu in one.cpus
    }


def _facts(node: ListedNode, parameter: str) -> tuple[object, ...]:
    return (
        name_of(node.path),
        *(node.u32(name) for name in (ENTRY, EXIT, WAKEUP, RESIDENCY, parameter)),
        TIMER_STOP in node.properties,
        node.available,
        node.strings("compatible"),
        node.strings("idle-state-name"),
    )
