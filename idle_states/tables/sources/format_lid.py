"""Compiled images of skiboot, bare, xz-compressed or in a secure-boot container."""

from pathlib import Path

from .source import File, Source


def recognises(head: bytes, path: Path) -> bool:
    if b"\0" not in head:
        return False
    from ..devicetree import images
    from ..skiboot import lid

    # a kernel has the words, too
    return lid.looks_like_lid(head) and not images.may_hold_trees(head)


def read(file: File) -> list[Source]:
    """With the names of skiboot.map or skiboot.elf, if one lies beside the image."""
    from ..skiboot import lid

    with file.beside() as tree:
        symbols = lid.symbols_in(tree, file.path.name)
    return [
        Source(found.table.name, file.shown, file.sha256, found.table)
        for found in lid.read(file.data, file.shown, symbols)
    ]
