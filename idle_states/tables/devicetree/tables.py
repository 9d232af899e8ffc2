"""Tables of idle states out of a device tree, each with its node and its processor.

Source of the names of CPU nodes: skiboot hdata/cpu-common.c and QEMU hw/ppc/pnv.c.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...base.dataclass import replace
from ...base.model.findings import Location, unreadable
from ...base.model.power_mgt import CELL_BYTES, NAMES, NODE, STOP_LEVELS, PowerMgt, decode
from ...base.model.processors import Processor
from ...base.model.table import Cpu, Exported, IdleTable, ReadFrom
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
    unlisted = unlisted_processor(root)
    origin = Exported(unlisted.name, unlisted.pvr) if unlisted else Exported()
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
        table = decode(raw, cpu, ReadFrom(kind, file, sha256, where))
        found.append((raw, replace(table, origin=origin)))
    return found


def _nodes(root: Node) -> Iterator[tuple[str, Node]]:
    usual = root.find(NODE)
    if usual is not None:
        yield NODE, usual
    elif root.name == "power-mgt" or _OWN & root.properties.keys():
        yield f"/{root.name}", root
    else:
        yield from ((path, node) for path, node in root.walk() if node.name == "power-mgt")


def cpu_of(root: Node, more: Sequence[Processor] = ()) -> Cpu | None:
    """The tree's processor: by the first cpu-version that is known; by names where no CPU has a
    cpu-version, as a kernel looks at that alone. None if nothing tells.

    more  processors beside those of packaged specs
    pvr is what the tree says; where only a name does, that of the generation's usual chip.
    """
    cpus = root.find("/cpus")
    versions = [cpu.u32("cpu-version") for cpu in cpus.children] if cpus else []
    pvrs = [version >> 16 for version in versions if version is not None]
    for pvr in pvrs:
        own = (each for each in more if each.version(pvr))
        if processor := registry.of_pvr(pvr) or next(own, None):
            return Cpu.of(processor, pvr)
    names = [_CPU_NAME.match(cpu.name) for cpu in cpus.children] if cpus and not pvrs else []
    machines = [_MACHINE.fullmatch(name) for name in root.strings("compatible") if not pvrs]
    for match in filter(None, (*names, *machines)):
        name = f"power{match[1]}"
        own = (each for each in more if each.name == name)
        if processor := registry.find(name) or next(own, None):
            return Cpu.of(processor)
    return None


class UnlistedProcessor(NamedTuple):
    """The first processor that a tree names: path of what names it, the name or PVR, and the upper
    half of the PVR, 0 for a name."""

    path: str
    name: str
    pvr: int


def unlisted_processor(root: Node) -> UnlistedProcessor | None:
    """Returns the first processor that a tree names, if none that it names is in the registry;
    None if one is, or if no CPU names any."""
    cpus = root.find("/cpus")
    if cpus is None or cpu_of(root) is not None:
        return None
    for cpu in cpus.children:
        version = cpu.u32("cpu-version")
        if version is not None:
            path = f"/cpus/{cpu.name}:cpu-version"
            return UnlistedProcessor(path, f"PVR {version:#010x}", version >> 16)
        if _CPU_NAME.match(cpu.name):
            return UnlistedProcessor(f"/cpus/{cpu.name}", cpu.name.partition("@")[0], 0)
    return None
