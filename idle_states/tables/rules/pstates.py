"""What the rules about pstates share: the properties beside the idle states, as numbers.

Source: skiboot hw/occ.c add_cpu_pstate_properties(): ids are s8 stored in cells, negative on
POWER8, u8 since POWER9.
"""

from ...base.model.power_mgt import PSTATE_IDS, PSTATE_MAX, PSTATE_MIN, PowerMgt, cells, signed
from ..pipeline import Subject


def values(node: PowerMgt, name: str) -> tuple[int, ...] | None:
    """Cells of a property; None if it is absent."""
    data = node.properties.get(name)
    return None if data is None else cells(data, 4)


def rising(subject: Subject) -> bool:
    """Whether slower pstates have greater ids, as since POWER9."""
    return subject.cpu.isa300


def ids(subject: Subject) -> tuple[int, ...]:
    """Pstate ids, signed; empty without the property."""
    node = subject.node
    return tuple(map(signed, (values(node, PSTATE_IDS) or ()) if node else ()))


def limits(subject: Subject) -> tuple[int | None, int | None]:
    """ibm,pstate-min and ibm,pstate-max, signed; None where not one cell."""
    node = subject.node
    found = []
    for name in (PSTATE_MIN, PSTATE_MAX):
        cell = (values(node, name) or ()) if node else ()
        found.append(signed(cell[0]) if len(cell) == 1 else None)
    return found[0], found[1]
