"""Tar archives of /proc/device-tree, compressed or not."""

from pathlib import Path

from .source import File, Source

_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")


def recognises(head: bytes, path: Path) -> bool:
    if head.startswith(_PACKED):
        from .unpacked import beginning

        head = beginning(head)
    return head[257:262] == b"ustar"


def read(file: File) -> list[Source]:
    from ..devicetree import archive
    from .trees import sources_of

    return sources_of(archive.read(file.unpacked, file.shown), file.shown, "tar", file.sha256)
