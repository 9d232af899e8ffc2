"""A tree of device-tree sources that patches are made for: its files, and its boards, built with
files as they are to be."""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from ..devicetree.board_builds import BuiltBoard, build
from ..devicetree.boards import Boards
from ..devicetree.source_trees import LAYOUTS, Kept, Layout, top_of
from ..reading import limits, opening
from ..wording import joined
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
        """As the class above; `limit` does not hold for a text that is given."""
        if relative in self._texts:
            return self._texts[relative].encode("utf-8", "surrogateescape")
        return super().read(relative, limit, shown=shown, follow=follow)


class SourcesTree(WorkTree):
    """A tree of Linux, of its sources alone, of U-Boot or of Zephyr. files: those that were asked
    for by `text`.

    Raises Unreadable (IS930) if the directory is none.
    """

    layout: Layout

    def __init__(self, root: Path) -> None:
        super().__init__(root, "a tree's")
        top, layout = top_of(os.path.realpath(root))
        kinds = joined(list(dict.fromkeys(layout.name for layout in LAYOUTS)), "or")
        if layout is None:
            raise self.unreadable(f"expected a tree of skiboot, {kinds}, found another")
        if top != Path(os.path.realpath(root)):
            raise self.unreadable(f"expected the top of a tree of {layout.name}, which is {top}")
        self.layout = layout

    @staticmethod
    def is_one(root: Path) -> bool:
        """Whether a directory lies in a tree of device-tree sources."""
        return opening.is_directory(root) and top_of(os.path.realpath(root))[1] is not None

    def path(self, file: str) -> str:
        """The path in the tree of a file that a description names; "" if there is none."""
        found = (path for path in self.layout.paths(file) if self._files.is_file(path))
        return next(found, "")

    def text(self, path: str) -> str:
        """The text of a file, by its path."""
        if path not in self.files:
            self.files[path] = self.read(self.root / path).decode("utf-8", "surrogateescape")
        return self.files[path]

    @cached_property
    def _boards(self) -> Boards:
        return Boards(self.root, self.layout)

    def including(self, path: str) -> list[str]:
        """The boards that a file is part of."""
        if path not in self._including:
            self._including[path] = self._boards.including(path)
        return self._including[path]

    @cached_property
    def _including(self) -> dict[str, list[str]]:
        return {}

    def built(self, board: str, texts: Mapping[str, str], kept: Kept) -> BuiltBoard:
        """A board, built with other texts of some files. kept: shared by boards with these texts.
        Raises Unreadable, OSError."""
        files = EditedTree(self.root, texts)
        return build(files, self.root, self.layout, board, self.root / board, kept)
