"""Boards of a tree of sources, built: a tree with what it was made of."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from ...base.dataclass import dataclass
from ...base.reading import limits
from .dts import Places, PreparedSource, compiled, prepared
from .source_trees import Kept, Layout, SourceFiles, SourceTree
from .tree import Node


@dataclass(frozen=True)
class BuiltBoard:
    """board: its path in the tree; shown: what messages call it."""

    board: str
    shown: str
    root: Node
    source: PreparedSource

    @cached_property
    def places(self) -> Places:
        """Where each node and property was written last."""
        return self.source.places()

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Label -> path of the node."""
        return self.source.labels()

    @cached_property
    def phandles(self) -> Mapping[int, str]:
        """Phandle -> path of the node."""
        found: dict[int, str] = {}
        for path, node in self.root.walk():
            for name in ("phandle", "linux,phandle"):
                phandle = node.u32(name)
                if phandle:
                    found.setdefault(phandle, path)
        return found


def build(
    files: SourceFiles, top: Path, layout: Layout, board: str, shown: Path, kept: Kept
) -> BuiltBoard:
    """Builds a board; of a .dtsi, a board that includes it alone. files: of the tree, closed by
    this; top: where it is; kept: what its boards share.

    Raises Unreadable as `dts.prepared` and `dts.compiled` do, OSError.
    """
    with SourceTree(files, top, board, shown, layout, kept) as tree:
        if board.endswith(".dtsi"):
            data = f'/dts-v1/;\n#include "{PurePosixPath(board).name}"\n'.encode()
        else:
            data = tree.tree.read(board, limits.DTS_BYTES, shown=shown.as_posix())
        source = prepared(data, shown.as_posix(), None, tree)
    return BuiltBoard(board, shown.as_posix(), compiled(source), source)
