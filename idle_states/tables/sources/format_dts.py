"""Device-tree source."""

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.findings import Unreadable
from ...base.wording import joined, plural
from ..devicetree.tree import Node
from .source import File, Source, digest_with

if TYPE_CHECKING:
    from ..devicetree.dts import PreparedSource
    from ..devicetree.source_trees import SourceTree

_BEFORE = re.compile(rb"(?:\s++|//[^\n]*+\n|#[^\n]*+\n|/\*(?s:.*?)\*/)*+")
"""Blanks, comments, and what is for the preprocessor."""
_START = re.compile(rb"/dts-v1/|/\s*\{")
_REFERS = re.compile(rb"^&\w+ *\{|^[ \t]*#[ \t]*include\b|^/include/", re.MULTILINE)
"""The beginnings of a part of a source."""
_MOST_BOARDS = 8
_LOOKED_AT = 1 << 22
"""Limit for the comments before the tree, in bytes; longer than any that people write."""


def recognises(head: bytes, path: Path) -> bool:
    head = head.removeprefix(codecs.BOM_UTF8)
    if path.suffix in (".dts", ".dtsi") and _REFERS.search(head):
        return True
    before = _BEFORE.match(head, 0, _LOOKED_AT)
    return before is not None and bool(_START.match(head, before.end()))


def read(file: File) -> list[Source]:
    from ..devicetree import dts

    with _tree(file) as tree:
        source = dts.prepared(
            file.data.removeprefix(codecs.BOM_UTF8), file.shown, file.beside, tree
        )
    try:
        root = dts.compiled(source)
    except Unreadable as error:
        if tree is not None and file.path.suffix == ".dtsi":
            raise _part_of(tree, error) from None
        raise
    return _sources(root, source, file, tree)


def _sources(
    root: Node, source: "PreparedSource", file: File, tree: "SourceTree | None"
) -> list[Source]:
    from ..devicetree import idle_nodes
    from ..devicetree.source_trees import kept_within
    from .same_tables import met_before
    from .trees import sources_of

    digest = digest_with(file.sha256, source.digests.values())

    def located() -> list[Source]:
        places = source.places()
        return sources_of(root, file.shown, "dts", digest, places, source.texts)

    kept = kept_within(tree) if tree is not None else None
    if kept is None:
        return located()
    lists = idle_nodes.lists_of(root, file.shown)
    if not lists or root.find("/ibm,opal") is not None:
        return sources_of(root, file.shown, "dts", digest)

    def lean() -> list[Source]:
        return [_lean(each) for each in located()]

    return met_before(lists, source, kept, digest, lean)


def _lean(source: Source) -> Source:
    """With what findings show alone: thousands may be held at once."""
    named = {source.file}
    origin = source.table.origin if source.table else None
    for each in origin.siblings if origin and origin.form == "nodes" else ():
        named |= {each.where.file or "", each.method_where.file or ""}
        for node in (*each.nodes(), *each.domains, *each.unlisted):
            named |= {where.file or "" for where in (node.where, *node.places.values())}
    texts = {file: text for file, text in source.texts.items() if file in named}
    return replace(source, texts=texts, tree=None)


def _part_of(tree: "SourceTree", error: Unreadable) -> Unreadable:
    """Returns the error of a part of a source read on its own, with the boards that have it."""
    from ..devicetree.boards import Boards

    if tree.layout is None:
        return error
    boards = Boards(tree.top, tree.layout).including(tree.inner)
    if not boards:
        return error
    first = error.findings[0]
    shown = joined([tree.shown(board) for board in boards[:_MOST_BOARDS]])
    more = f" and {len(boards) - _MOST_BOARDS} more" if len(boards) > _MOST_BOARDS else ""
    message = (
        f"expected a whole tree, found a part of {plural(len(boards), 'board')}; read one: "
        f"{shown}{more}; on its own: {first.message}"
    )
    return Unreadable([replace(first, message=message), *error.findings[1:]], error.texts)


@contextmanager
def _tree(file: File) -> "Iterator[SourceTree | None]":
    """The tree of sources that a file lies in, if it may need one."""
    from ..devicetree import preprocessor
    from ..devicetree.source_trees import SourceTree

    needed = preprocessor.ANY.search(file.data) or file.path.suffix == ".dtsi"
    if not needed and b"/include/" not in file.data:
        yield None
        return
    try:
        tree = SourceTree.above(file.found or file.path)
    except OSError:
        # no file, as standard input
        yield None
        return
    with tree:
        # without a tree above it a source has its own folder, see File.beside
        yield tree if needed or tree.layout else None
