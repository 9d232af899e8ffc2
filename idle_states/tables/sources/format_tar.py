"""Tar archives of /proc/device-tree, compressed or not, and what `idle-states collect` gathers."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.findings import unreadable
from .source import File, Source

if TYPE_CHECKING:
    from ..devicetree.tree import Node

COLLECTION = "idle-states-collection"
"""Top directory of a collection."""
CPUIDLE, UNAME = "cpuidle.txt", "uname.txt"
KERNEL_LOG, OPAL_LOG = "kernel-log.txt", "opal-log.txt"
_UNAME_MAX = 1000
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")


def recognises(head: bytes, path: Path) -> bool:
    if head.startswith(_PACKED):
        from ...base.reading.compressed import beginning

        head = beginning(head)
    return head[257:262] == b"ustar"


def read(file: File) -> list[Source]:
    """The tables of the device tree in the archive. For a collection without a tree: the tables of
    its cpuidle dump, and its logs."""
    from ..devicetree import archive
    from .trees import sources_of

    root = archive.read(file.unpacked, file.shown)
    texts = {} if _is_tree(root) else collected(file.unpacked)
    if not texts:
        return sources_of(root, file.shown, "tar", file.sha256)
    found = [source for source in _without_tree(file, texts) if source.table or source.facts]
    if not found:
        message = "expected a device tree or cpuidle.txt in the collection, found neither"
        raise unreadable(file.shown, message)
    return [replace(source, file=file.shown, sha256=file.sha256) for source in found]


def collected(data: bytes) -> Mapping[str, bytes]:
    """Name -> content of the texts in an unpacked tar, if it is a collection; else empty.

    Links and devices in it are ignored. The reader of trees has already reported an archive that is
    not a tar.
    """
    from ...base.reading.tar import REGULAR, NotTar, members

    names = {f"{COLLECTION}/{name}": name for name in (CPUIDLE, UNAME, KERNEL_LOG, OPAL_LOG)}
    texts: dict[str, bytes] = {}
    if COLLECTION.encode() not in data:
        return texts
    try:
        for member in members(data):
            name = names.get(member.name.removeprefix("./"))
            if name and member.kind == REGULAR:
                texts[name] = member.data
    except NotTar:
        return {}
    return texts


def held(dump: bytes, shown: str, uname: str = "") -> list[Source]:
    """The tables of a dump of cpuidle. uname: of the kernel. Raises Unreadable."""
    from . import format_sysfs

    return format_sysfs.read(File(Path(shown), dump), uname)


def uname_of(texts: Mapping[str, bytes]) -> str:
    """Returns what uname says in a collection; "" if it does not."""
    return texts.get(UNAME, b"")[:_UNAME_MAX].decode("utf-8", "replace")


def _is_tree(root: "Node") -> bool:
    """Whether the archive's root is a device tree, not the top directory of a collection."""
    return not root.properties.keys() & {CPUIDLE, UNAME, KERNEL_LOG, OPAL_LOG}


def _without_tree(file: File, texts: Mapping[str, bytes]) -> list[Source]:
    from . import format_log

    found = []
    if CPUIDLE in texts:
        shown = f"{file.shown}/{COLLECTION}/{CPUIDLE}"
        found += held(texts[CPUIDLE], shown, uname_of(texts))
    for name in (OPAL_LOG, KERNEL_LOG):
        if name in texts and not found:
            log = File(Path(file.shown) / COLLECTION / name, texts[name])
            found += [source for source in format_log.read(log) if source.facts]
    return found
