"""Directories in the form of /proc/device-tree."""

from pathlib import Path

from ..reading import opening
from .source import File, Source


def recognises(head: bytes, path: Path) -> bool:
    return opening.is_directory(path)


def read(file: File) -> list[Source]:
    from ..devicetree import directory
    from .trees import sources_of

    return sources_of(directory.read(file.path, file.opened), file.shown, "directory", "")
