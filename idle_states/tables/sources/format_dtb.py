"""Flattened device trees: one, several in a file, or those of a boot or kernel image."""

from itertools import islice
from pathlib import Path

from ...base.model.findings import Unreadable, unreadable
from ...base.reading import limits
from .source import File, Source

_MAGICS = (b"\xd0\x0d\xfe\xed", b"\xed\xfe\x0d\xd0")
"""The magic number in big-endian, and in little-endian, which the reader rejects with a reason."""


def recognises(head: bytes, path: Path) -> bool:
    if head.startswith(_MAGICS):
        return True
    from ..devicetree import images

    try:
        return images.may_hold_trees(head) and bool(trees(File(path, head), 1))
    except Unreadable:
        return True


def read(file: File) -> list[Source]:
    """The tables of each tree. Of several in one file, FILE:2 is the second. Raises Unreadable."""
    from ..devicetree import fdt
    from .trees import sources_of

    blobs = trees(file, limits.FILE_TREES + 1)
    if len(blobs) < 2:
        root = fdt.read(blobs[0] if blobs else file.data, file.shown)
        return sources_of(root, file.shown, "dtb", file.sha256)
    if len(blobs) > limits.FILE_TREES:
        raise unreadable(file.shown, f"expected at most {limits.FILE_TREES} trees, found more")
    found = []
    for number, blob in enumerate(blobs, 1):
        shown = f"{file.shown}:{number}"
        found += sources_of(fdt.read(blob, shown), shown, "dtb", file.sha256)
    return found


def trees(file: File, most: int) -> list[bytes]:
    """The first trees of a file. Trees behind a compressed kernel come before any inside of it."""
    from ..devicetree import images

    found = list(islice(images.trees_in(file.data), most))
    return found or list(islice(images.trees_in(file.unpacked), most))
