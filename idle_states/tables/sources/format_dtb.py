"""Flattened device trees."""

from pathlib import Path

from .source import File, Source

_MAGICS = (b"\xd0\x0d\xfe\xed", b"\xed\xfe\x0d\xd0")
"""The magic number in big-endian, and in little-endian, which the reader rejects with a reason."""


def recognises(head: bytes, path: Path) -> bool:
    return head.startswith(_MAGICS)


def read(file: File) -> list[Source]:
    from ..devicetree import fdt
    from .trees import sources_of

    return sources_of(fdt.read(file.data, file.shown), file.shown, "dtb", file.sha256)
