"""Files of a tree replaced, each whole or not at all."""

import os
import tempfile
from collections.abc import Mapping

from ..files import naming
from ..findings import Faulty, Finding, Location, Severity
from .plan import CODE, RULE_NAME
from .tree import Tree


def write(tree: Tree, files: Mapping[str, str]) -> None:
    """New texts of the tree's files, in place.

    Every file is written beside its own and renamed when all are; a kill at any moment leaves
    each file as it was or as it is to be.
    Raises Faulty if a file has changed since the tree was read, OSError.
    """
    made: list[tuple[str, str]] = []
    try:
        for name, text in files.items():
            _unchanged(tree, name)
            made.append((_beside(tree, name, text), name))
        for fresh, name in made:
            os.replace(fresh, (tree.root / name).resolve())
    except BaseException:
        for fresh, _ in made:
            if os.path.exists(fresh):
                os.unlink(fresh)
        raise


def _unchanged(tree: Tree, name: str) -> None:
    if tree.read(tree.root / name) != tree.files[name].encode("utf-8", "surrogateescape"):
        message = "expected the file as it was read, found it changed meanwhile"
        where = Location(file=(tree.root / name).as_posix())
        raise Faulty([Finding(CODE, RULE_NAME, Severity.ERROR, message, where)])


def _beside(tree: Tree, name: str, text: str) -> str:
    shown = tree.root / name
    target = shown.resolve()
    try:
        handle, fresh = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(shown)) from None
    try:
        with naming(shown), os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(fresh, target.stat().st_mode & 0o7777)
    except BaseException:
        os.unlink(fresh)
        raise
    return fresh
