"""A tree of device-tree sources that patches are made for: its files, and its boards, built with
files as they are to be."""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from ...base.reading import limits, opening
from ...base.wording import joined
from ...tables.devicetree.board_builds import BuiltBoard, build
from ...tables.devicetree.boards import Boards
from ...tables.devicetree.source_trees import LAYOUTS, UPSTREAM, Kept, Layout, layout_at, top_of
from .work_tree import WorkTree


class EditedTree(opening.Tree):
    """A tree in which some files have another text."""

    def __init__(self, path: Path, texts: Mapping[str, str]) -> None:
        super().__init__(path)
        self._texts = texts

    def read(
        self,
        relative: str,
        limit: int = limits.FILE_BYTES,
        *,
        shown: str | None = None,
        follow: bool = True,
    ) -> bytes:
        """The bytes of a file as opening.Tree.read() has them, or of its other text, which has no
        limit."""
        if relative in self._texts:
            return self._texts[relative].encode("utf-8", "surrogateescape")
        return super().read(relative, limit, shown=shown, follow=follow)


class SourcesTree(WorkTree):
    """A tree of Linux, of its sources alone, of U-Boot, with the sources of Linux in it, or of
    Zephyr. files: those that were asked for by `text`.

    layouts  what paths in the tree begin with -> the kind of tree that lies there, "" for itself

    Raises Unreadable (IS930) if the directory is none.
    """

    layouts: Mapping[str, Layout]

    def __init__(self, root: Path) -> None:
        super().__init__(root, "a tree's")
        top, layout = top_of(os.path.realpath(root))
        kinds = joined(list(dict.fromkeys(layout.name for layout in LAYOUTS)), "or")
        if layout is None:
            raise self.unreadable(f"expected a tree of skiboot, {kinds}, found another")
        if top != Path(os.path.realpath(root)):
            raise self.unreadable(f"expected the top of a tree of {layout.name}, which is {top}")
        within = layout_at(root / UPSTREAM)
        self.layouts = {"": layout} if within is None else {"": layout, UPSTREAM: within}
        self._including: dict[str, list[str]] = {}

    def path(self, file: str) -> str:
        """The path in the tree of a file that a description names; "" if there is none."""
        for at, layout in self.layouts.items():
            for path in layout.paths(file):
                for name in dict.fromkeys((path, at + path)):
                    if self._files.is_file(name):
                        return name
        return ""

    def text(self, path: str) -> str:
        """The text of a file, by its path."""
        if path not in self.files:
            self.files[path] = self.read(self.root / path).decode("utf-8", "surrogateescape")
        return self.files[path]

    @cached_property
    def _boards(self) -> Mapping[str, Boards]:
        return {at: Boards(self.root / at, layout) for at, layout in self.layouts.items()}

    def including(self, path: str) -> list[str]:
        """The boards that a file is part of."""
        if path not in self._including:
            self._including[path] = [
                at + board
                for at, boards in self._boards.items()
                if path.startswith(at)
                for board in boards.including(path.removeprefix(at))
            ]
        return self._including[path]

    def building(self, texts: Mapping[str, str]) -> "Building":
        """To build boards with other texts of some files."""
        return Building(self, texts)


class Building:
    """Boards of a tree, built with other texts of some files; what they have in common is read
    once."""

    def __init__(self, tree: SourcesTree, texts: Mapping[str, str]) -> None:
        self._tree = tree
        self._texts = texts
        self._kept = {at: Kept() for at in tree.layouts}

    def board(self, name: str) -> BuiltBoard:
        """A board, by its path in the tree. Raises Unreadable, OSError."""
        at = max((at for at in self._tree.layouts if name.startswith(at)), key=len)
        top, inner = self._tree.root / at, name.removeprefix(at)
        texts = {f.removeprefix(at): t for f, t in self._texts.items() if f.startswith(at)}
        files = EditedTree(top, texts)
        return build(files, top, self._tree.layouts[at], inner, top / inner, self._kept[at])
