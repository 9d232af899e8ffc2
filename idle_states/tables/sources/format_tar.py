"""Tar archives, compressed or not: of /proc/device-tree, of sysfs, of dumps and blobs, and what
`idle-states collect` gathers."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.findings import unreadable
from ...base.patterns import pattern
from ...base.reading import limits
from .source import File, Source

if TYPE_CHECKING:
    from ..devicetree.tree import Node

COLLECTION = "idle-states-collection"
"""Top directory of a collection."""
CPUIDLE, UNAME = "cpuidle.txt", "uname.txt"
MACHINE, CPUINFO = "machine.txt", "cpuinfo.txt"
"""The lines of grep on the machine as a whole, in the form of CPUIDLE and read behind it."""
WANTED = (
    "proc/version",
    "proc/cmdline",
    "proc/interrupts",
    "etc/tuned/active_profile",
    "sys/module/*idle*/parameters/*",
    "sys/module/haltpoll/parameters/*",
    "sys/module/processor/parameters/*",
    "sys/devices/system/cpu/cpuidle/*",
    "sys/devices/system/cpu/o*line",
    "sys/devices/system/cpu/cpu[0-9]*/power/pm_qos_resume_latency_us",
    "sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list",
)
"""The files that tell of a machine as a whole, as shells name them; in MACHINE, as grep prints."""
APART = (
    "proc/cpuinfo",
    "sys/devices/system/cpu/cpu[0-9]*/cpuidle/driver/name",
    "sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/*",
)
ACPI_TABLES, ACPI_NAME = "acpi-tables.bin", "acpi"
"""ACPI's tables one after the other, and what they are called behind FILE:."""
KERNEL_LOG, OPAL_LOG = "kernel-log.txt", "opal-log.txt"
_UNAME_MAX = 1000
_ATTRIBUTE = pattern(r"(?:[\w.-]+/)*(?:cpu\d+/(?:cpuidle|power)|cpuidle)/\w+(?:/\w+)*", re.ASCII)
"""Path of a file of sysfs that a dump has as a line."""
_TEXTS = {CPUIDLE, MACHINE, UNAME, KERNEL_LOG, OPAL_LOG, ACPI_TABLES, CPUINFO}
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
    from .formats import read_file
    from .trees import sources_of

    if given := inputs_in(file):
        return [source for each in given for source in read_file(each)]
    root = archive.read(file.unpacked, file.shown)
    texts = {} if _is_tree(root) else collected(file)
    if not texts:
        return sources_of(root, file.shown, "tar", file.sha256)
    found = [source for source in _without_tree(file, texts) if source.table or source.facts]
    if not found:
        message = "expected a device tree or cpuidle.txt in the collection, found neither"
        if MACHINE in texts:
            message += ": no CPU has idle states, and idle-states why may tell the reason"
        raise unreadable(file.shown, message)
    return [replace(source, file=file.shown, sha256=file.sha256) for source in found]


def inputs_in(file: File) -> list[File]:
    """Returns the inputs of an archive of several; [] of a collection, and of another file."""
    is_tar = recognises(file.data, file.path) and COLLECTION.encode() not in file.unpacked
    return inputs(file) if is_tar else []


def inputs(file: File) -> list[File]:
    """Returns what an archive has as files of their own, and sysfs, whose attributes it has as
    files; [] of another. Links are ignored, and an archive in it is not opened. The reader of trees
    reports what is not a tar."""
    from ...base.reading.tar import REGULAR, NotTar, members

    found, attributes = list[tuple[str, bytes]](), list[bytes]()
    try:
        for member in members(file.unpacked):
            name = member.name.removeprefix("./")
            if member.kind == REGULAR and _ATTRIBUTE.fullmatch(name):
                # tar fills up with NUL what is shorter than sysfs says
                text = member.data.partition(b"\0")[0].partition(b"\n")[0]
                attributes.append(b"/%s:%s\n" % (name.encode(), text))
            elif member.kind == REGULAR and _is_input(member.data):
                found.append((name, member.data))
    except NotTar:
        return []
    texts = dict(found)
    for name in [each for each in texts if each.endswith(f"{COLLECTION}/{MACHINE}")]:
        # a collection below a folder, as of a host
        if (states := f"{name.removesuffix(MACHINE)}{CPUIDLE}") in texts:
            texts[states] += texts.pop(name)
    found = list(texts.items())
    if any(b"/cpuidle/state" in line for line in attributes):
        found.append(("", b"".join(attributes)))
    if len(found) > limits.FOLDER_TABLES:
        raise unreadable(file.shown, f"expected at most {limits.FOLDER_TABLES:,} inputs in it")
    given = [(f"{file.shown}:{name}" if name else file.shown, data) for name, data in found]
    return [File(file.path, data, name) for name, data in given]


def _is_input(data: bytes) -> bool:
    from ...base.reading.acpi import signs
    from . import format_dtb, format_sysfs

    plain = not data.startswith(_PACKED)
    forms = (format_dtb, format_sysfs)
    return plain and (signs.is_dump(data) or any(f.recognises(data, Path()) for f in forms))


def collected(file: File) -> Mapping[str, bytes]:
    """Name -> content of the texts and ACPI tables in a tar, if it is a collection; else empty.

    Links and devices in it are ignored. The reader of trees reports an archive that is not a tar.
    Raises Unreadable for two collections in one.
    """
    if not file.data or not recognises(file.data, file.path):
        return {}
    from ...base.reading.tar import REGULAR, NotTar, members

    names = {f"{COLLECTION}/{name}": name for name in _TEXTS}
    texts: dict[str, bytes] = {}
    if COLLECTION.encode() not in file.unpacked:
        return texts
    try:
        for member in members(file.unpacked):
            name = names.get(member.name.removeprefix("./"))
            if name in texts:
                what = f"expected one collection, found a second {member.name}"
                raise unreadable(file.shown, what)
            if name and member.kind == REGULAR:
                texts[name] = member.data
    except NotTar:
        return {}
    if CPUIDLE in texts:
        texts[CPUIDLE] += texts.get(MACHINE, b"")
    return texts


def held(dump: bytes, shown: str, uname: str = "") -> list[Source]:
    """The tables of a dump of cpuidle. uname: of the kernel. Raises Unreadable."""
    from . import format_sysfs

    return format_sysfs.read(File(Path(shown), dump), uname)


def acpi_of(file: File, texts: Mapping[str, bytes], *, bare: bool = False) -> list[Source]:
    """The ACPI tables among a collection's texts. bare: as format_acpi.read takes it. Raises
    Unreadable."""
    from . import format_acpi

    if not (data := texts.get(ACPI_TABLES, b"")):
        return []
    return format_acpi.read(File(file.path, data, f"{file.shown}:{ACPI_NAME}"), bare=bare)


def uname_of(texts: Mapping[str, bytes]) -> str:
    """Returns what uname says in a collection; "" if it does not."""
    return texts.get(UNAME, b"")[:_UNAME_MAX].decode("utf-8", "replace")


def _is_tree(root: "Node") -> bool:
    """Tells whether the archive's root is a device tree, not the top directory of a collection."""
    return not root.properties.keys() & _TEXTS


def _without_tree(file: File, texts: Mapping[str, bytes]) -> list[Source]:
    from . import format_log

    found = []
    if CPUIDLE in texts:
        shown = f"{file.shown}/{COLLECTION}/{CPUIDLE}"
        found += held(texts[CPUIDLE], shown, uname_of(texts))
    if not found:
        found += acpi_of(file, texts)
    for name in (OPAL_LOG, KERNEL_LOG):
        if name in texts and not found:
            log = File(Path(file.shown) / COLLECTION / name, texts[name])
            found += [source for source in format_log.read(log) if source.facts]
    return found
