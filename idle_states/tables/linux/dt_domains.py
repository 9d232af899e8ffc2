"""The power domains of CPUs, without which Linux may not register a driver for them.

Model of drivers/cpuidle/cpuidle-psci-domain.c, of the same in cpuidle-riscv-sbi.c, and of
dt_idle_genpd.c. Unless told otherwise, PSCI's firmware is taken to offer OS-initiated mode, as is
usual where a tree has such domains: without it, Linux does not look at them.
"""

from collections.abc import Hashable
from functools import lru_cache
from typing import Generic, TypeVar

from ...base.dataclass import dataclass, field
from ...base.model.beyond_opal import DomainReference, IdleList, ListedNode, PowerDomain
from ...base.model.stages import Message
from ..devicetree.idle_nodes import ENTRY, EXIT
from .dt_idle_features import DtIdleFeatures
from .psci_firmware import USUAL_FIRMWARE, PsciFirmware
from .suspend_parameter import log_prefix, reject_parameter

ATTACH = "drivers/cpuidle/dt_idle_genpd.c dt_idle_attach_cpu()"
TREES = 32
"""The number of trees that are kept in a cache that has one entry, or a few, for each."""
Value = TypeVar("Value")
_ENOENT, _ENOMEM, _EINVAL, _EOPNOTSUPP, _EPROBE_DEFER = -2, -12, -22, -95, -517


class Identical(Generic[Value], Hashable):
    """A key of caches that stands for a value alone, where comparing values takes as long as the
    work saved; it holds the value, so that no other takes its place."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identical) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@dataclass(slots=True)
class Domains:
    """The power domains that a kernel has made of a tree.

    paths     of those that CPUs can be attached to
    problem   why there are not all of them, "" if there are
    error     the kernel's number for that
    messages  printed meanwhile
    """

    paths: set[str] = field(default_factory=set)
    problem: str = ""
    error: int = 0
    messages: list[Message] = field(default_factory=list)

    def fail(self, problem: str, error: int) -> None:
        self.problem, self.error = problem, error

    def say(self, text: str) -> None:
        self.messages.append(Message("error", text))


def domains_of(
    listed: IdleList, known: DtIdleFeatures, firmware: PsciFirmware = USUAL_FIRMWARE
) -> Domains:
    """psci_cpuidle_domain_probe(), or sbi_genpd_probe(). Not to be changed: others get the same."""
    return _made(Identical(listed.power_domains), listed.riscv, known, firmware)


@lru_cache(maxsize=TREES * 16)
def _made(
    tree: Identical[tuple[PowerDomain, ...]],
    riscv: bool,
    known: DtIdleFeatures,
    firmware: PsciFirmware,
) -> Domains:
    found = Domains()
    prefix = log_prefix(riscv)
    for domain in tree.value:
        if not domain.provides:
            continue
        _add(domain, riscv, known, firmware, found)
        if found.problem:
            found.say(f"{prefix}failed to init PM domain ret={found.error} {domain.path}")
            if riscv or not known.keeps_domains:
                found.paths.clear()
            break
        found.paths.add(domain.path)
    else:
        if found.paths:
            _link(tree.value, found)
            if not (found.problem or riscv or firmware.sets_mode) and known.sets_mode:
                found.fail("firmware does not take SET_SUSPEND_MODE", _EOPNOTSUPP)
                found.paths.clear()
    if found.problem:
        found.say(f"{prefix}failed to create CPU PM domains ret={found.error}")
    return found


def attach(listed: IdleList, known: DtIdleFeatures, found: Domains) -> str:
    """dt_idle_attach_cpu() in OS-initiated mode: returns why it fails, "" if it does not. A domain
    that is not among those of the tree's is taken to come from another driver."""
    wanted = listed.attached
    made = known.needs_domains or (found.paths and not found.problem)
    if wanted is None or not known.hierarchy or not made:
        return ""
    if wanted.path and wanted.path not in {domain.path for domain in listed.power_domains}:
        return ""
    if not _find(wanted, found):
        return ""
    name = wanted.path.rpartition("/")[2] or "a phandle of 0"
    why = f": {found.problem}" if found.problem else ""
    return f"its power domain, {name}, does not exist{why}"


def _add(
    domain: PowerDomain, riscv: bool, known: DtIdleFeatures, firmware: PsciFirmware, found: Domains
) -> None:
    """psci_pd_init(), sbi_pd_init(): reads the domain's states; one bad state is enough."""
    if not domain.states and not known.stateless_domains:
        name = domain.path.rpartition("/")[2]
        found.fail(f"{name} has no domain-idle-states", _ENOENT)
    off = known.reads_off_states
    states = [node for node in domain.states if node and is_domain_state(node, off=off)]
    for node in states:
        missing = next((name for name in (ENTRY, EXIT) if node.u32(name) is None), None)
        if missing:
            found.say(f"PM: Parsing idle state node {node.path} failed with err {_EINVAL}")
            found.fail(f"{node.name} has no {missing}", _EINVAL)
            break
    for node in states if not found.problem else ():
        rejected = reject_parameter(riscv, node, firmware)
        if rejected:
            found.messages.append(rejected.message)
            found.fail(f"{node.name} {rejected.problem}", rejected.error)
            break
    if found.problem and known.domain_helper:
        found.say(f"dt-idle-genpd: failed to alloc PM domain {domain.path}")
        found.error = _ENOMEM


def is_domain_state(node: ListedNode, *, off: bool = False) -> bool:
    """Tells whether genpd_iterate_idle_states() reads the node; it passes over others silently.
    off: nodes whose status is not okay are read, too."""
    return "domain-idle-state" in node.strings("compatible") and (off or node.available)


def _link(domains: tuple[PowerDomain, ...], found: Domains) -> None:
    """dt_idle_pd_init_topology(): makes domains part of each other."""
    for domain in domains:
        if domain.parent is None:
            continue
        error = _find(domain.parent, found) or (0 if domain.path in found.paths else _EPROBE_DEFER)
        if not error and domain.parent.path == domain.path:
            error = _EINVAL
        if error:
            name = domain.path.rpartition("/")[2]
            found.fail(f"power domain {name} cannot be made part of its power domain", error)
            found.paths.clear()
            return


def _find(reference: DomainReference, found: Domains) -> int:
    """genpd_get_from_provider(): 0, or the error for a domain that is not there."""
    if reference.path not in found.paths:
        return _EPROBE_DEFER
    return _EINVAL if reference.arguments else 0
