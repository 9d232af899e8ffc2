"""Tar archives of /proc/device-tree, compressed or not."""

from pathlib import Path

from .source import File, Source, unreadable

_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")
MAX_BYTES = 128 * 1024 * 1024


def recognises(head: bytes, path: Path) -> bool:
    if head.startswith(_PACKED):
        from .unpacked import beginning

        head = beginning(head)
    return head[257:262] == b"ustar"


def read(file: File) -> list[Source]:
    from ..devicetree import archive
    from .trees import sources_of
    from .unpacked import Damaged, TooLarge, whole

    try:
        data = whole(file.data, MAX_BYTES)
    except TooLarge:
        raise unreadable(file.shown, f"expected at most {MAX_BYTES} bytes unpacked") from None
    except Damaged as error:
        raise unreadable(file.shown, f"expected a whole archive, found: {error}") from None
    return sources_of(archive.read(data, file.shown), file.shown, "tar", file.sha256)
