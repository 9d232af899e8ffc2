"""Tables of idle states out of a device tree, each with its node and its processor.

Source of the names of CPU nodes: skiboot hdata/cpu-common.c and QEMU hw/ppc/pnv.c.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.findings import Location, unreadable
from ...base.model.power_mgt import CELL_BYTES, NAMES, NODE, STOP_LEVELS, PowerMgt, decode
from ...base.model.table import Cpu, IdleTable, ReadFrom
from ...base.patterns import pattern
from ...base.reading import limits
from ..spec import registry
from .tree import Node

if TYPE_CHECKING:
    from .dts_places import Places

MAX_STATES = limits.TREE_STATES
MAX_NODES = limits.TREE_TABLES
"""A limit far beyond what firmware can export (255), which bounds the time for a hostile tree."""

_CPU_NAME = pattern(r"PowerPC,POWER([0-9]+)")
_MACHINE = pattern(r".*,powernv([0-9]+)")
_OWN = {NAMES, STOP_LEVELS, *CELL_BYTES}


def tables_of(
    root: Node, file: str, kind: str, sha256: str, places: "Places | None" = None
) -> list[tuple[PowerMgt, IdleTable]]:
    """The node /ibm,opal/power-mgt as bytes and as a table.

    kind    "dtb", "dts" or "directory"
    places  of a source, see dts.places()

    A tree that has none there may be a fragment: then every node of that name counts, and the
    root itself if it has the properties of one. Empty if there is none at all.

    Raises Unreadable (IS930) for more nodes or states than any tree has.
    """
    cpu = cpu_of(root)
    found: list[tuple[PowerMgt, IdleTable]] = []
    for path, node in _nodes(root):
        lines = (places or {}).get(path, {})
        where = replace(lines.get("", Location(file=file)), path=path)
        raw = PowerMgt(node.properties, where, lines)
        if len(found) == MAX_NODES:
            raise unreadable(where, f"expected at most {MAX_NODES} nodes power-mgt, found more")
        for name in (NAMES, *CELL_BYTES):
            count = raw.count(name) or 0
            if count > MAX_STATES:
                message = f"expected at most {MAX_STATES} states, found {count}"
                raise unreadable(raw.at(name), message)
        found.append((raw, decode(raw, cpu, ReadFrom(kind, file, sha256, where))))
    return found


def _nodes(root: Node) -> Iterator[tuple[str, Node]]:
    usual = root.find(NODE)
    if usual is not None:
        yield NODE, usual
    elif root.name == "power-mgt" or _OWN & root.properties.keys():
        yield f"/{root.name}", root
    else:
        yield from ((path, node) for path, node in root.walk() if node.name == "power-mgt")


def cpu_of(root: Node) -> Cpu | None:
    """The tree's processor: by the first cpu-version, else by names. None if nothing tells.

    pvr is what the tree says; where only a name does, that of the generation's usual chip.
    """
    cpus = root.find("/cpus")
    versions = [cpu.u32("cpu-version") for cpu in cpus.children] if cpus else []
    for version in versions:
        processor = registry.of_pvr(version >> 16) if version is not None else None
        if version is not None and processor is not None:
            return Cpu.of(processor, version >> 16)
    names = [_CPU_NAME.match(cpu.name) for cpu in cpus.children] if cpus else []
    machines = [_MACHINE.fullmatch(name) for name in root.strings("compatible")]
    for match in (*names, *machines):
        if match and (named := registry.find(f"power{match[1]}")):
            return Cpu.of(named)
    return None


def unlisted_processor(root: Node) -> tuple[str, str] | None:
    """Returns the path and the name or PVR of the first CPU that names a processor, if none that
    the tree names is in the registry; None if one is, or if no CPU names any."""
    cpus = root.find("/cpus")
    if cpus is None or cpu_of(root) is not None:
        return None
    for cpu in cpus.children:
        version = cpu.u32("cpu-version")
        if version is not None:
            return f"/cpus/{cpu.name}:cpu-version", f"PVR {version:#010x}"
        if _CPU_NAME.match(cpu.name):
            return f"/cpus/{cpu.name}", cpu.name.partition("@")[0]
    return None
