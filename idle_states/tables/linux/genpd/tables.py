"""Power domains of CPUs as a kernel has made them of a tree. Times in ns."""

from typing import Annotated, Literal

from ....base.dataclass import dataclass
from ....base.model.forms import U32, Count

DomainLevel = Literal["CPU", "cluster", "system"]


@dataclass(frozen=True, slots=True)
class DomainState:
    """A state of a power domain: struct genpd_power_state."""

    name: str
    power_off_ns: Annotated[Count, "entry-latency-us: to turn the domain off."]
    power_on_ns: Annotated[Count, "exit-latency-us: to turn it on again."]
    residency_ns: Annotated[Count, "min-residency-us; 0 where the node has none."]
    parameter: Annotated[U32 | None, "What firmware is asked with; null where it is not known."] = (
        None
    )
    row: Annotated[Count | None, "Of the table, from 0; null if it is none of its rows."] = None


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
