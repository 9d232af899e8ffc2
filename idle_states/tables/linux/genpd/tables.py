"""Power domains of CPUs as a kernel has made them of a tree. Times in ns."""

from typing import Literal

from ....base.dataclass import dataclass

DomainLevel = Literal["CPU", "cluster", "system"]


@dataclass(frozen=True, slots=True)
class DomainState:
    """A state of a power domain: struct genpd_power_state.

    power_off_ns  to turn the domain off: entry-latency-us
    power_on_ns   to turn it on again: exit-latency-us
    residency_ns  min-residency-us; 0 where the node has none
    parameter     what firmware is asked with; None where that is not known
    row           of the table; None if it is none of the table's
    """

    name: str
    power_off_ns: int
    power_on_ns: int
    residency_ns: int
    parameter: int | None = None
    row: int | None = None


@dataclass(frozen=True, slots=True)
class CpuDomain:
    """A power domain of CPUs.

    name, path  of its node
    level       of one CPU, of several, or of all, with clusters within
    parent      path of the domain it is part of; "" if of none
    cpus        names of its CPUs, those of domains within it included
    numbers     their numbers, by the order of the CPUs in the tree
    states      the shallowest first; none: it costs nothing, and is off whenever it may
    governed    the governor of CPU domains chooses; otherwise it takes state 0
    dead        why it is never off while the system runs; "" if it may be
    """

    name: str
    path: str
    level: DomainLevel
    parent: str
    cpus: tuple[str, ...]
    states: tuple[DomainState, ...]
    governed: bool = True
    dead: str = ""
    numbers: tuple[int, ...] = ()
