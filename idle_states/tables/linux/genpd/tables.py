"""Power domains of CPUs as a kernel has made them of a tree. Times in ns."""

from typing import Annotated, Literal

from ....base.dataclass import dataclass
from ....base.model.forms import HIDDEN, U32, Count

DomainLevel = Literal["CPU", "cluster", "system"]


@dataclass(frozen=True, slots=True)
class DomainState:
    """A state of a power domain: struct genpd_power_state."""

    name: str
    power_off_ns: Annotated[Count, "entry-latency-us: to turn the domain off."]
    power_on_ns: Annotated[Count, "exit-latency-us: to turn it on again."]
    residency_ns: Annotated[Count, "min-residency-us; 0 where the node has none."]
    parameter: Annotated[
        U32 | None, "The parameter given to firmware; null where it is not known."
    ] = None
    row: Annotated[Count | None, "The table's row, from 0; null if it is none of them."] = None


@dataclass(frozen=True, slots=True)
class CpuDomain:
    """A power domain of CPUs.

    states   none: it costs nothing, and is off whenever it may
    numbers  of the CPUs, by their order in the tree
    """

    name: str
    path: Annotated[str, "The path of its node."]
    level: Annotated[DomainLevel, "CPU: one; cluster: several; system: all, with clusters within."]
    parent: Annotated[str, "Path of the domain that it is part of; empty if of none."]
    cpus: Annotated[tuple[str, ...], "Its CPUs, those of domains within it included."]
    states: Annotated[tuple[DomainState, ...], "genpd's states, the shallowest first."]
    governed: Annotated[bool, "False: no governor chooses, and state 0 is taken."] = True
    dead: Annotated[str, "Why it is never off while the system runs; empty if it may be."] = ""
    numbers: Annotated[tuple[int, ...], HIDDEN] = ()
