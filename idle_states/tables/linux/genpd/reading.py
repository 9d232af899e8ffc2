"""The power domains that a kernel makes of a tree, as far as the CPUs of one list sit in them.

Model of drivers/pmdomain/core.c genpd_iterate_idle_states() and genpd_parse_state(), of
dt_idle_pd_alloc(), and of what PSCI's and SBI's drivers add: psci_pd_init(), sbi_pd_init().
"""

from collections.abc import Iterator, Mapping

from ....base.model.beyond_opal import IdleList, ListedNode, PowerDomain
from ....base.model.stages import Changed, Lost
from ...devicetree.idle_nodes import ENTRY, EXIT, RESIDENCY, row_nodes
from ..dt_domains import Domains, is_domain_state
from ..dt_idle_features import DtIdleFeatures
from ..governors.interface import u32
from ..suspend_parameter import PSCI_PARAMETER, SBI_PARAMETER
from .features import GenpdFeatures
from .tables import CpuDomain, DomainLevel, DomainState

PARSER = "drivers/pmdomain/core.c genpd_iterate_idle_states()"
STATE = "drivers/pmdomain/core.c genpd_parse_state()"
PSCI = "drivers/cpuidle/cpuidle-psci-domain.c psci_pd_init()"
SBI = "drivers/cpuidle/cpuidle-riscv-sbi.c sbi_pd_init()"
ATTACH = "drivers/cpuidle/dt_idle_genpd.c dt_idle_attach_cpu()"
_NSEC_PER_USEC = 1000


def made_of(
    listed: IdleList,
    known: DtIdleFeatures,
    genpd: GenpdFeatures,
    made: Domains,
    registered: bool,
    osi: bool,
    tree: "TreeDomains | None" = None,
) -> tuple[CpuDomain, ...]:
    """The domains that the list's CPUs sit in, the innermost first, then those it is part of.

    made        what the driver has made of the tree's
    registered  the CPUs have a driver
    osi         PSCI's firmware offers OS-initiated mode
    tree        of the list; None: it is made
    """
    attached = listed.attached.path if listed.attached else ""
    tree = tree or TreeDomains(listed)
    within = list(tree.upwards(attached))
    dead = _dead(listed, known, made, registered, osi, attached)
    unlinked = dead or (
        f"its domains are not made part of it: {made.problem}" if made.problem else ""
    )
    rows = {node.path: row for row, node in reversed([*enumerate(row_nodes(listed))])}
    return tuple(
        CpuDomain(
            name=domain.path.rpartition("/")[2],
            path=domain.path,
            level=tree.level(domain.path),
            parent=tree.parent(domain),
            cpus=tuple(name for name, _ in tree.cpus[domain.path]),
            numbers=tuple(number for _, number in tree.cpus[domain.path]),
            states=(states := tuple(_states(domain, listed, known, genpd, rows))),
            governed=bool(states) and genpd.governed,
            dead=dead if domain.path == attached else unlinked,
        )
        for domain in within
    )


def levels(listed: IdleList) -> tuple[DomainLevel, ...]:
    """Returns the domain level of each row of the list's table. Rows of domains that no driver
    knows are of a cluster."""
    tree = TreeDomains(listed)
    path2level = {
        node.path: tree.level(domain.path)
        for domain in listed.power_domains
        for node in domain.states
        if node and domain.provides
    }
    own = len(listed.nodes())
    return tuple(
        "CPU" if row < own else path2level.get(node.path, "cluster")
        for row, node in enumerate(row_nodes(listed))
    )


def cautions(listed: IdleList, genpd: GenpdFeatures, osi: bool = True) -> Iterator[str]:
    """Says what the domains of a list rest on, which neither tree nor kernel release tell."""
    if not listed.riscv and osi:
        yield "firmware is assumed to offer OS-initiated mode: without it, power domains stay on"
        if genpd.preempt_rt:
            when = "stay on" if genpd.preempt_rt == "on" else "are off in suspend only"
            yield f"with CONFIG_PREEMPT_RT, power domains {when}"
    if genpd.measured:
        yield "a domain's latencies become what turning it off or on took, where that is longer"


def lost_rows(listed: IdleList, domains: tuple[CpuDomain, ...]) -> Iterator[Lost]:
    """The rows that belong to power domains, but are not entered, with the reason."""
    alive = {state.row for domain in domains if not domain.dead for state in domain.states}
    driver = SBI if listed.riscv else PSCI
    own = len(listed.nodes())
    for row, node in enumerate(row_nodes(listed)):
        if row < own or row in alive:
            continue
        domain = next((d for d in domains if row in [state.row for state in d.states]), None)
        if domain is not None:
            reason, ground = domain.dead, driver
        elif "domain-idle-state" not in node.strings("compatible"):
            reason, ground = "it is not compatible with domain-idle-state: skipped", PARSER
        elif not node.available:
            reason, ground = "its status is not okay", PARSER
        elif not domains:
            reason, ground = _NOT_ATTACHED.format("sbi" if listed.riscv else "psci"), ATTACH
        else:
            reason, ground = "no power domain of these CPUs lists it", driver
        yield Lost(row, node.name, "domain-state", reason, ground)


def wrapped_times(listed: IdleList, domains: tuple[CpuDomain, ...]) -> Iterator[Changed]:
    """The times of domains' states that are not the tree's to the kernel."""
    nodes = row_nodes(listed)
    for domain in domains:
        for state in domain.states:
            if state.row is None or domain.dead:
                continue
            node = nodes[state.row]
            times = (state.power_off_ns, state.power_on_ns, state.residency_ns)
            for name, ns in zip((ENTRY, EXIT, RESIDENCY), times, strict=True):
                us = node.u32(name) or 0
                if us * _NSEC_PER_USEC != ns:
                    reason = "this kernel multiplies by 1000 in 32 bits (up to 6.4, e5d1c8722083)"
                    before, after = f"{us} us", f"{ns} ns"
                    yield Changed(
                        state.row, node.name, name, before, after, reason, STATE, "wrapped"
                    )


_NOT_ATTACHED = "the CPUs name no power domain {} of the driver's"


def _dead(
    listed: IdleList,
    known: DtIdleFeatures,
    made: Domains,
    registered: bool,
    osi: bool,
    attached: str,
) -> str:
    if not (known.hierarchy and (known.riscv if listed.riscv else known.psci)):
        return "this kernel does not look at power domains"
    if listed.riscv and not all(one.names_domains for one in listed.of_tree):
        return "not every CPU has power-domains and power-domain-names, so no CPU is in one"
    if not listed.riscv and listed.enable_method != "psci":
        return "only CPUs that PSCI enables are in power domains"
    if not listed.riscv and not osi:
        return "firmware offers no OS-initiated mode, without which the domain is always on"
    if attached not in made.paths:
        why = f": {made.problem}" if made.problem else ""
        return f"the driver does not make the power domain{why}"
    if not registered:
        return "no CPU has a driver, and none asks for more than WFI"
    return ""


class TreeDomains:
    """The power domains of a list's tree.

    cpus  path of a domain -> (name, number) of its CPUs, those of domains within it included
    """

    def __init__(self, listed: IdleList) -> None:
        self.path2domain = {each.path: each for each in listed.power_domains if each.provides}
        self.cpus: dict[str, list[tuple[str, int]]] = {path: [] for path in self.path2domain}
        self._attached: set[str] = set()
        self._within: dict[str, list[str]] = {}
        for each in self.path2domain.values():
            self._within.setdefault(self.parent(each), []).append(each.path)
        for one in listed.of_tree:
            if one.attached is None:
                continue
            self._attached.add(one.attached.path)
            names = [path.rpartition("/")[2] for path in one.cpus]
            for domain in self.upwards(one.attached.path):
                self.cpus[domain.path] += zip(names, one.numbers, strict=True)

    def upwards(self, path: str) -> Iterator[PowerDomain]:
        """A domain and those it is part of."""
        visited: set[str] = set()
        while path in self.path2domain and path not in visited:
            visited.add(path)
            yield self.path2domain[path]
            path = self.parent(self.path2domain[path])

    def parent(self, domain: PowerDomain) -> str:
        path = domain.parent.path if domain.parent else ""
        return path if path in self.path2domain else ""

    def level(self, path: str) -> DomainLevel:
        if len(self.cpus[path]) == 1 and path in self._attached:
            return "CPU"
        clusters = any(len(self.cpus[within]) > 1 for within in self._within.get(path, ()))
        return "system" if clusters and not self.parent(self.path2domain[path]) else "cluster"


def _states(
    domain: PowerDomain,
    listed: IdleList,
    known: DtIdleFeatures,
    genpd: GenpdFeatures,
    rows: Mapping[str, int],
) -> Iterator[DomainState]:
    name = SBI_PARAMETER if listed.riscv else PSCI_PARAMETER
    for node in domain.states:
        if node is None or not is_domain_state(node, off=known.reads_off_states):
            continue
        yield DomainState(
            node.name,
            _nanoseconds(node, ENTRY, genpd),
            _nanoseconds(node, EXIT, genpd),
            _nanoseconds(node, RESIDENCY, genpd),
            node.u32(name),
            rows.get(node.path),
        )


def _nanoseconds(node: ListedNode, name: str, genpd: GenpdFeatures) -> int:
    """genpd_parse_state(). A node without entry or exit latency leaves no domain at all."""
    nanoseconds = (node.u32(name) or 0) * _NSEC_PER_USEC
    return nanoseconds if genpd.wide_times else u32(nanoseconds)
