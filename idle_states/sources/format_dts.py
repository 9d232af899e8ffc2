"""Device-tree source."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .source import File, Source

if TYPE_CHECKING:
    from ..devicetree.source_trees import SourceTree

_BLANKS = re.compile(rb"\s*")
_START = re.compile(rb"/dts-v1/|/\s*\{")
_REFERS = re.compile(rb"^&\w+ *\{|^[ \t]*#[ \t]*include\b|^/include/", re.MULTILINE)
"""What a part of a source may begin with."""
_LOOKED_AT = 1 << 22
"""Limit for the comments before the tree, in bytes; longer than any that people write."""


def recognises(head: bytes, path: Path) -> bool:
    at = 0
    if path.suffix in (".dts", ".dtsi") and _REFERS.search(head):
        return True
    while at < _LOOKED_AT:
        blanks = _BLANKS.match(head, at)
        at = blanks.end() if blanks else at
        if head.startswith(b"/*", at):
            end = head.find(b"*/", at + 2) + 2
        elif head.startswith((b"//", b"#"), at):
            end = head.find(b"\n", at) + 1
        else:
            return bool(_START.match(head, at))
        if end <= at:
            return False
        at = end
    return False


def read(file: File) -> list[Source]:
    from ..devicetree import dts
    from .trees import sources_of

    with _tree(file) as tree:
        source = dts.prepared(file.data, file.shown, file.beside, tree)
    root = dts.compiled(source)
    return sources_of(root, file.shown, "dts", file.sha256, source.places(), source.texts)


@contextmanager
def _tree(file: File) -> "Iterator[SourceTree | None]":
    """The tree of sources that a file lies in, if it may need one."""
    from ..devicetree import preprocessor
    from ..devicetree.source_trees import SourceTree

    if not preprocessor.ANY.search(file.data):
        yield None
        return
    try:
        tree = SourceTree.above(file.found or file.path)
    except OSError:
        # no file, as standard input
        yield None
        return
    with tree:
        yield tree
