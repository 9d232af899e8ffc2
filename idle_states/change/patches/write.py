"""Files of a tree replaced, each whole or not at all."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from ...base.files import replacing
from ...base.model.findings import Faulty, Location
from ...base.signals import deferred
from .faults import cannot_patch
from .work_tree import WorkTree


def write(tree: WorkTree, files: Mapping[str, str]) -> None:
    """Writes new texts (path -> text) to the tree's files.

    All temporary files are written first, then all are renamed: if the program is killed, each
    file has either its old or its new text.
    Raises Faulty if a file has changed since the tree was read, OSError.
    """
    with ExitStack() as renamed:
        for name, text in files.items():
            _unchanged(tree, name)
            file = renamed.enter_context(replacing(_target(tree, name)))
            file.write(text.encode("utf-8", "surrogateescape"))
            file.flush()
            os.fsync(file.fileno())
        with deferred():
            renamed.close()


def _target(tree: WorkTree, name: str) -> Path:
    """Path of the file with links resolved. It must be in the tree and outside .git."""
    top = tree.root.resolve()
    shown = tree.root / name
    real = shown.resolve()
    if not real.is_relative_to(top) or ".git" in real.relative_to(top).parts:
        raise tree.unreadable(f"expected files of the tree, found {name} leading to {real}")
    return real if real != top / name else shown


def _unchanged(tree: WorkTree, name: str) -> None:
    if tree.read(tree.root / name) != tree.files[name].encode("utf-8", "surrogateescape"):
        message = "expected the file as it was read, found it changed meanwhile"
        where = Location(file=(tree.root / name).as_posix())
        raise Faulty([cannot_patch(message, where)])
