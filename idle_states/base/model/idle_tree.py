"""The idle states of an Arm or RISC-V machine as people write them: state nodes, power domains, and
which CPU has which.

A spec says them and a device tree can be made of them (`devicetree.drafts`); they can be read from
a tree again (`devicetree.idle_import`). One machine may have several lists, and then gives several
tables.
"""

import re
from collections.abc import Iterable, Mapping

from ..dataclass import dataclass, field
from ..patterns import pattern
from .architectures import DOMAIN_STATE, Architecture
from .findings import Location
from .table import Measurement, Power, Provenance, ReadFrom

STATES, DOMAIN_STATES = "/cpus/idle-states", "/cpus/domain-idle-states"
"""The places where the bindings want the nodes of CPUs' states, and of power domains'."""
_TEXT = pattern(rb"(?:[ !#-\[\]-~]+\0)+")
LABEL = pattern(r"[A-Za-z_]\w{0,62}", re.ASCII)
"""The form of a node's label."""
STATUSES = ("okay", "ok", "disabled", "reserved", "fail")


def name_of(path: str) -> str:
    """Name of the node at a path, its unit address included."""
    return path.rpartition("/")[2]


def is_text(data: bytes) -> bool:
    """Tells whether a property's value is strings, as far as anyone can tell."""
    return bool(_TEXT.fullmatch(data))


def folder_of(path: str) -> str:
    """Path of the node above; "" for children of the root."""
    return path.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class TreeState:
    """A node of an idle state. Times in us, as its properties have them.

    name         what the spec calls it, once in a spec
    path         of the node
    domain       it is a power domain's, which genpd chooses; else a CPU's, which cpuidle chooses
    wakeup_us    None: the node leaves it out, entry plus exit stands for it
    parameter    argument for firmware; None where the node has none
    description  idle-state-name, "" for none
    compatible   of the node; () for what the architecture says
    status       of the node, "" for none
    properties   (name, value) of what else the node has, which Linux's cpuidle does not read
    label        in a source; "" for one made of the node's name
    where        the spec's key -> its place; not part of equality, nor is `provenance`
    """

    name: str
    path: str
    entry_us: int
    exit_us: int
    residency_us: int
    wakeup_us: int | None = None
    timer_stop: bool = False
    parameter: int | None = None
    domain: bool = False
    description: str = ""
    compatible: tuple[str, ...] = ()
    status: str = ""
    properties: tuple[tuple[str, bytes], ...] = ()
    label: str = ""
    note: str = ""
    measured: tuple[Measurement, ...] = ()
    power: Power | None = None
    provenance: Mapping[str, Provenance] = field(default_factory=dict, compare=False, repr=False)
    where: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)

    def compatible_on(self, architecture: Architecture) -> tuple[str, ...]:
        usual = DOMAIN_STATE if self.domain else architecture.state
        return self.compatible or (usual,)


@dataclass(frozen=True, slots=True)
class TreeDomain:
    """A power domain of CPUs. states: names of its states; parent: path of the domain that it is
    part of, "" for none."""

    path: str
    states: tuple[str, ...] = ()
    parent: str = ""
    label: str = ""
    where: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TreeCpu:
    """A CPU. states: names of those it lists; domain: path of its power domain, "" for none.
    compatible, enable_method: of its node, "" for none."""

    path: str
    compatible: str
    enable_method: str
    states: tuple[str, ...] = ()
    domain: str = ""
    where: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IdleTree:
    """The idle states of a machine. CPUs are in the tree's order, which is Linux's.

    All paths are the nodes' own; names in lists are those of `states`.

    timer_runs  Arm's architected timer is always-on: it runs while its CPU is powered down
    domains_at  path of the node below which Linux looks for power domains: PSCI's, on Arm
    """

    name: str
    architecture: Architecture
    states: tuple[TreeState, ...]
    cpus: tuple[TreeCpu, ...]
    domains_at: str
    domains: tuple[TreeDomain, ...] = ()
    timer_runs: bool = False
    title: str = ""
    note: str = ""
    read_from: ReadFrom = field(default=ReadFrom("spec"), compare=False)
    where: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name2state(self) -> dict[str, TreeState]:
        return {state.name: state for state in self.states}

    def paths(self, names: Iterable[str]) -> tuple[str, ...]:
        """Returns the paths of these states' nodes."""
        known = self.name2state
        return tuple(known[name].path for name in names)
