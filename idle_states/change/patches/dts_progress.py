"""Boards of a tree of device-tree sources while patches are applied to it in memory."""

from collections.abc import Sequence

from ...base.model.findings import Faulty, Location, Unreadable
from ...base.wording import joined, plural
from ...tables.devicetree.board_builds import BuiltBoard
from .plan import cannot_patch
from .source_tree import SourcesTree

_MOST_BOARDS = 8


class Progress:
    """What the patches so far make of a tree.

    texts         path -> text of files that they change
    first, built  boards as they are in the tree, and as the patches so far make them
    """

    def __init__(self, tree: SourcesTree) -> None:
        self.tree = tree
        self.texts: dict[str, str] = {}
        self.first: dict[str, BuiltBoard] = {}
        self.built: dict[str, BuiltBoard] = {}
        self._failed: set[str] = set()

    def text(self, path: str) -> str:
        return self.texts.get(path, self.tree.text(path))

    def boards(self, paths: Sequence[str]) -> dict[str, BuiltBoard]:
        """The boards that include one of the files, as they are now. One that does not build is
        left out, with a note. Raises Faulty (IS934) if there is none."""
        names = sorted({board for path in paths for board in self.tree.including(path)})
        building = self.tree.building(self.texts)
        found, failed = dict[str, BuiltBoard](), []
        for name in names:
            if name in self._failed:
                continue
            try:
                found[name] = self.built.get(name) or building.board(name)
            except (Unreadable, OSError):
                failed.append(name)
        if failed:
            self._failed.update(failed)
            self.tree.notes.append(f"not compared, for it does not build as it is: {some(failed)}")
        if not found:
            message = f"expected a board that includes {joined(list(paths))} and builds, found none"
            where = Location(file=self.tree.root.as_posix())
            raise Faulty([cannot_patch(message, where)])
        self.built |= found
        self.first = found | self.first
        return found


def some(names: Sequence[str]) -> str:
    """Boards by name, the first ones of many."""
    shorts = [name.rpartition("/")[2].removesuffix(".dts") for name in names]
    if len(shorts) <= _MOST_BOARDS:
        return joined(shorts)
    return f"{', '.join(shorts[:_MOST_BOARDS])} and {plural(len(shorts) - _MOST_BOARDS, 'other')}"
