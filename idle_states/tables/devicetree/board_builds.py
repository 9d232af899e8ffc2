"""Boards of a tree of sources, built: a tree with what it was made of.

Where headers are missing, a board is built all the same if its idle states do not depend on them.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Location, Unreadable
from ...base.reading import limits
from ...base.wording import few
from .dts import Places, PreparedSource, compiled, prepared
from .idle_nodes import lists_of
from .missing_files import STAND_INS, with_nodes, with_numbers
from .source_trees import Kept, Layout, SourceFiles, SourceTree
from .tree import Node, not_a_tree

HEADERS: tuple[str, ...] = (".h",)
PARTS = (*HEADERS, ".dtsi")
_SHOWN = 3


@dataclass(frozen=True)
class BuiltBoard:
    """board: its path in the tree; shown: what messages call it; missing: included files that are
    not there, and on which no idle state depends."""

    board: str
    shown: str
    root: Node
    source: PreparedSource
    missing: tuple[str, ...] = ()

    @cached_property
    def places(self) -> Places:
        """The place where each node and property was written last."""
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
    files: SourceFiles,
    top: Path,
    layout: Layout,
    board: str,
    shown: Path,
    kept: Kept,
    may_miss: tuple[str, ...] = (),
) -> BuiltBoard:
    """Builds a board; of a .dtsi, a board that includes it alone. files: of the tree, closed by
    this; top: where it is; kept: what its boards share; may_miss: as of SourceTree.

    Raises Unreadable as `dts.prepared` and `dts.compiled` do, and IS931 where an idle state depends
    on what a missing file defines; OSError.
    """
    with SourceTree(files, top, board, shown, layout, kept, may_miss) as tree:
        if board.endswith(".dtsi"):
            data = f'/dts-v1/;\n#include "{PurePosixPath(board).name}"\n'.encode()
        else:
            data = tree.tree.read(board, limits.DTS_BYTES, shown=shown.as_posix())
        source = prepared(data, shown.as_posix(), None, tree)
    missing = tuple(tree.missing)
    if may_miss == PARTS:
        source = replace(source, text=with_nodes(source.text))
    elif not missing:
        return BuiltBoard(board, source.file, compiled(source), source)
    texts = [with_numbers(source.text, number) for number in STAND_INS]
    lacks = f" of the name {few([f'<{name}>' for name in missing], _SHOWN)}" if missing else ""
    try:
        # without a name that stands for a number, both are the same text
        one, *others = (compiled(replace(source, text=text)) for text in dict.fromkeys(texts))
    except Unreadable as error:
        lacks_files = f"; found no file to include{lacks}" if lacks else ""
        findings = [replace(each, message=each.message + lacks_files) for each in error.findings]
        raise Unreadable(findings, error.texts) from None
    lists = lists_of(one, source.file) if others else ()
    if any(lists_of(other, source.file) != lists for other in others):
        raise not_a_tree(
            Location(file=source.file),
            f"expected a file to include, found none{lacks}; an idle state, a CPU or a domain "
            "depends on it",
        )
    return BuiltBoard(board, source.file, one, source, missing)
