"""The parts that the IS1xx rules share: the arrays a power-mgt node needs, and their lengths.

Source: skiboot hw/slw.c add_cpu_idle_state_properties() writes them; Linux
arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt() reads them.
"""

from collections.abc import Iterator

from ...base.dataclass import dataclass
from ...base.model import power_mgt as dt
from ...base.model.power_mgt import PowerMgt
from ...base.model.table import Cpu
from ..pipeline import Subject

UNREAD = frozenset({dt.PMICR, dt.PMICR_MASK})
"""Exported on POWER7 and POWER8, read by no Linux; fwts and op-test count them."""


@dataclass(frozen=True, slots=True)
class PowerNode:
    """A table's power-mgt node."""

    subject: Subject
    node: PowerMgt


def power_nodes(subject: Subject) -> Iterator[PowerNode]:
    """Yields the node of a table that was read from a device tree."""
    if subject.node is not None:
        yield PowerNode(subject, subject.node)


def expected_arrays(cpu: Cpu) -> tuple[str, ...]:
    """Properties that carry one entry per state on this processor, in skiboot's order."""
    control = (dt.PSSCR, dt.PSSCR_MASK) if cpu.isa300 else (dt.PMICR, dt.PMICR_MASK)
    return (dt.NAMES, dt.LATENCIES, dt.RESIDENCIES, dt.FLAGS, *control)


def has_arrays(node: PowerMgt) -> bool:
    """False for a node that only carries other things, such as pstates."""
    return any(name in node.properties for name in (dt.NAMES, *dt.CELL_BYTES))


def state_count(node: PowerMgt) -> int | None:
    """Returns the number of states by the flags, as Linux does; None if they cannot be counted."""
    data = node.properties.get(dt.FLAGS)
    return None if data is None or len(data) % 4 else len(data) // 4
