"""/ibm,opal/power-mgt: the parallel arrays that carry a table from firmware to Linux.

Properties are kept as raw bytes, because what Linux makes of a property whose length is wrong
depends on the length. `decode` returns the node as a table.

Source: skiboot add_cpu_idle_state_properties(), hw/slw.c; Linux
Documentation/devicetree/bindings/powerpc/opal/power-mgt.txt.
"""

import struct
from collections.abc import Iterable, Mapping

from ..dataclass import dataclass, field
from .findings import Location
from .table import Cpu, Exported, IdleState, IdleTable, ReadFrom, Register

NODE = "/ibm,opal/power-mgt"

NAMES = "ibm,cpu-idle-state-names"
LATENCIES = "ibm,cpu-idle-state-latencies-ns"
RESIDENCIES = "ibm,cpu-idle-state-residency-ns"
FLAGS = "ibm,cpu-idle-state-flags"
PSSCR = "ibm,cpu-idle-state-psscr"
PSSCR_MASK = "ibm,cpu-idle-state-psscr-mask"
PMICR = "ibm,cpu-idle-state-pmicr"
PMICR_MASK = "ibm,cpu-idle-state-pmicr-mask"
STOP_LEVELS = "ibm,enabled-stop-levels"
PSTATE_IDS = "ibm,pstate-ids"
PSTATE_MIN = "ibm,pstate-min"
PSTATE_MAX = "ibm,pstate-max"
PSTATE_FREQUENCIES = "ibm,pstate-frequencies-mhz"

CELL_BYTES: Mapping[str, int] = {
    LATENCIES: 4,
    RESIDENCIES: 4,
    FLAGS: 4,
    PSSCR: 8,
    PSSCR_MASK: 8,
    PMICR: 8,
    PMICR_MASK: 8,
}
"""Array property -> bytes of one entry, in the order skiboot creates them."""

_OF_OTHERS = frozenset(
    {"phandle", "#address-cells", "#size-cells", "freq-domain-mask", "domain-runs-at"}
)


def is_of_idle_states(name: str) -> bool:
    """Tells whether a property of the node may be about idle states: not if every node can have it,
    or skiboot's hw/occ.c makes it for p-states."""
    return name not in _OF_OTHERS and not name.startswith("ibm,pstate-")


@dataclass(frozen=True, slots=True)
class PowerMgt:
    """The node's properties in order, as raw bytes.

    where   place of the node
    places  property -> its place
    """

    properties: Mapping[str, bytes]
    where: Location = field(default_factory=lambda: Location(path=NODE))
    places: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)

    def count(self, name: str) -> int | None:
        """Number of whole entries in an array property; None if it is absent."""
        data = self.properties.get(name)
        if data is None:
            return None
        if name == NAMES:
            return len(split_names(data))
        return len(data) // CELL_BYTES[name]

    def cells(self, name: str) -> tuple[int, ...]:
        """Whole entries of an array property as integers; empty if it is absent."""
        return cells(self.properties.get(name, b""), CELL_BYTES[name])

    def names(self) -> tuple[bytes, ...]:
        return split_names(self.properties.get(NAMES, b""))

    @property
    def stop_levels(self) -> int | None:
        data = self.properties.get(STOP_LEVELS)
        return int.from_bytes(data, "big") if data is not None and len(data) == 4 else None

    def at(self, name: str, index: int | None = None) -> Location:
        """Place of a property or, given an index, of one of its entries."""
        path = f"{self.where.path or NODE}:{name}" + ("" if index is None else f"[{index}]")
        return self.places.get(name, self.where).at(path)


def cells(data: bytes, size: int) -> tuple[int, ...]:
    """The whole big-endian entries of `size` bytes (4 or 8); a rest that is shorter is dropped.
    data may be a column that has them as its `numbers`."""
    count = len(data) // size
    if (numbers := getattr(data, "numbers", None)) is not None:
        return tuple(numbers[:count])
    return struct.unpack(f">{count}{'I' if size == 4 else 'Q'}", data[: count * size])


def signed(cell: int) -> int:
    """The lowest 32 bits of a number, read as an s32."""
    return (cell + 0x80000000) % 0x100000000 - 0x80000000


def split_names(data: bytes) -> tuple[bytes, ...]:
    """Strings of a string list; an unterminated last one counts."""
    if not data:
        return ()
    return tuple((data[:-1] if data.endswith(b"\0") else data).split(b"\0"))


def u32_array(values: Iterable[int]) -> bytes:
    return b"".join(value.to_bytes(4, "big") for value in values)


def u64_array(values: Iterable[int]) -> bytes:
    return b"".join(value.to_bytes(8, "big") for value in values)


def encode(states: Iterable[IdleState], register: Register) -> dict[str, bytes]:
    """Property -> bytes: the array properties skiboot makes of the states, in its order."""
    states = list(states)
    properties = {
        NAMES: b"".join(state.name.encode("utf-8", "surrogateescape") + b"\0" for state in states),
        LATENCIES: u32_array(state.latency_ns for state in states),
    }
    if all(state.residency_ns is not None for state in states):
        properties[RESIDENCIES] = u32_array(state.residency_ns or 0 for state in states)
    properties[FLAGS] = u32_array(state.flags for state in states)
    if register is not Register.NONE:
        value, mask = (PSSCR, PSSCR_MASK) if register is Register.PSSCR else (PMICR, PMICR_MASK)
        properties[value] = u64_array(state.control for state in states)
        properties[mask] = u64_array(state.mask for state in states)
    return properties


def decode(node: PowerMgt, cpu: Cpu | None, read_from: ReadFrom) -> IdleTable:
    """The node as a table: as many states as every array that is present can fill.

    Nothing is reported here; the IS1xx rules look at the node itself. A missing residency is
    None, other missing values are 0. Names keep undecodable bytes as surrogates.
    """
    register = Register.PSSCR
    if PSSCR not in node.properties and (PMICR in node.properties or (cpu and not cpu.isa300)):
        register = Register.PMICR
    value, mask = (PSSCR, PSSCR_MASK) if register is Register.PSSCR else (PMICR, PMICR_MASK)
    names = node.names()
    columns = {name: node.cells(name) for name in CELL_BYTES}
    lengths = [len(column) for name, column in columns.items() if name in node.properties]
    count = min([*lengths, len(names)], default=0)

    def entry(name: str, index: int) -> int:
        column = columns[name]
        return column[index] if index < len(column) else 0

    states = []
    for index in range(count):
        where = {
            "state": node.at(NAMES, index),
            "name": node.at(NAMES, index),
            "latency": node.at(LATENCIES, index),
            "residency": node.at(RESIDENCIES, index),
            "flags": node.at(FLAGS, index),
            "control": node.at(value, index),
            "mask": node.at(mask, index),
        }
        states.append(
            IdleState(
                name=names[index].decode("utf-8", "surrogateescape"),
                latency_ns=entry(LATENCIES, index),
                residency_ns=(
                    entry(RESIDENCIES, index) if RESIDENCIES in node.properties else None
                ),
                flags=entry(FLAGS, index),
                control=entry(value, index),
                mask=entry(mask, index),
                where=where,
            )
        )
    return IdleTable(
        name=node.where.path or NODE,
        states=tuple(states),
        register=register,
        cpu=cpu,
        origin=Exported(),
        read_from=read_from,
        where={"table": node.where},
    )
