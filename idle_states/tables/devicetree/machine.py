"""Facts about the machine in a tree: model, processor and firmware, for an audit's heading.

Source: skiboot core/device.c, hdata/ and hw/ (node and property names); Linux
arch/powerpc/kernel/setup-common.c show_cpuinfo() for how a PVR is read as a revision.
"""

from collections.abc import Iterator, Mapping

from ...base.dataclass import dataclass, field
from .tree import Node

FIRMWARE = "/ibm,opal/firmware"
VERSIONS = "/ibm,firmware-versions"
_MOST_VERSIONS = 32


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """Facts of a tree; what it does not say is empty or None.

    model      of the root node
    serial     system-id or serial-number of the root node
    pvr        cpu-version of the first CPU: generation and type above, revision below
    processor  what the first CPU is compatible with, where it says: arm,cortex-a53
    cpus       CPU nodes: cores on POWER
    threads    threads of the first core
    skiboot    version of OPAL
    git_id     its commit
    versions   component -> version, of the whole firmware image
    """

    model: str = ""
    serial: str = ""
    pvr: int | None = None
    processor: str = ""
    cpus: int = 0
    threads: int = 0
    skiboot: str = ""
    git_id: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def revision(self) -> str:
        """The chip's EC level: DD2.3."""
        return "" if self.pvr is None else f"DD{self.pvr >> 8 & 0xF}.{self.pvr & 0xF}"


def machine_of(root: Node) -> MachineFacts:
    """Never fails: a property of another form than expected counts as absent."""
    cores = list(_cpus(root))
    first = cores[0] if cores else Node("")
    firmware = root.find(FIRMWARE) or Node("")
    versions = root.find(VERSIONS) or Node("")
    return MachineFacts(
        model=_text(root, "model"),
        serial=serial_of(root),
        pvr=next((pvr for core in cores if (pvr := core.u32("cpu-version")) is not None), None),
        processor=_text(first, "compatible"),
        cpus=len(cores),
        threads=len(first.properties.get("ibm,ppc-interrupt-server#s", b"")) // 4,
        skiboot=_text(firmware, "version") or _text(versions, "skiboot"),
        git_id=_text(firmware, "git-id"),
        versions=dict(_versions(versions)),
    )


def serial_of(root: Node) -> str:
    """The machine's serial number, "" where the root does not say it."""
    return _text(root, "system-id") or _text(root, "serial-number")


def _cpus(root: Node) -> Iterator[Node]:
    cpus = root.find("/cpus")
    for node in cpus.children if cpus else ():
        if node.properties.get("device_type") == b"cpu\0" or "cpu-version" in node.properties:
            yield node


def _versions(node: Node) -> Iterator[tuple[str, str]]:
    for name in sorted(node.properties)[:_MOST_VERSIONS]:
        if name not in ("name", "phandle"):
            yield name, _text(node, name)


def _text(node: Node, name: str) -> str:
    """The first string of a property, shortened where nobody would read on."""
    found = node.strings(name)
    return found[0][:200] if found else ""
