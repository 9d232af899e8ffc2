"""Directories in the form of /proc/device-tree."""

from pathlib import Path

from ...base.model.findings import Unreadable, unreadable
from ...base.reading import opening
from ...base.wording import joined
from .source import File, Source

_CPUIDLE = ("", "cpuidle/", "cpu0/cpuidle/")
_OF_SYSFS = (
    "expected a directory like /proc/device-tree, found cpuidle's sysfs, which is read as a text: "
    "grep -r . /sys/devices/system/cpu/cpu*/cpuidle/ > machine.txt"
)


def recognises(head: bytes, path: Path) -> bool:
    return opening.is_directory(path)


def read(file: File) -> list[Source]:
    from ..devicetree import directory
    from .trees import sources_of

    if _is_sysfs(file):
        raise unreadable(file.shown, _OF_SYSFS)
    if not _may_be_tree(file):
        signs = joined(directory.SIGNS, "or")
        message = f"expected a directory like /proc/device-tree, with {signs} in it, found another"
        raise unreadable(file.shown, message)
    return sources_of(directory.read(file.path, file.opened), file.shown, "directory", "")


def _may_be_tree(file: File) -> bool:
    """Tells whether it looks like a device tree, or cannot be listed, which its reader then
    says."""
    from ..devicetree.directory import is_device_tree

    try:
        with file.opened() as tree:
            return is_device_tree(tree)
    except (OSError, Unreadable):
        return True


def _is_sysfs(file: File) -> bool:
    try:
        with file.opened() as tree:
            return any(tree.is_file(f"{above}state0/name") for above in _CPUIDLE)
    except OSError:
        return False
