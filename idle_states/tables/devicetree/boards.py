"""The boards of a tree of sources: its .dts, told apart by what they include.

What a source includes is found in its text without evaluating conditions, so that more may be said
to be included than is, never less.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from ...base.model.findings import Unreadable
from ...base.patterns import pattern
from ...base.reading import limits, opening
from .source_trees import Kept, Layout, SourceFiles, SourceTree

_INCLUDE = pattern(
    rb'^[ \t]*(?:#[ \t]*include[ \t]*(?:<(?P<angled>[^>\n]*)>|"(?P<quoted>[^"\n]*)"|(?P<made>\w))'
    rb'|/include/[ \t]*"(?P<dtc>[^"\n]*)")',
    re.MULTILINE,
)
_IDLE = pattern(rb"(?:cpu|domain)-idle-states?\b|ibm,opal\b")
"""The words that a source, or what it includes, has if its tree has idle states."""

Scanned = tuple[bool, tuple[tuple[str, bool], ...]]
"""A source's scan: whether it speaks of idle states; what it includes: the name, and whether in
quotes."""


def included(data: bytes) -> tuple[tuple[str, bool], ...]:
    """Returns the files that a source includes: name, and whether it stands in quotes."""
    found = []
    for match in _INCLUDE.finditer(data):
        name = match["angled"] or match["quoted"] or match["dtc"] or b""
        found.append((name.decode("utf-8", "surrogateescape"), not match["angled"]))
    return tuple(found)


class Boards:
    """The boards below a folder of a tree."""

    def __init__(
        self,
        top: Path,
        layout: Layout,
        below: str = "",
        opened: Callable[[], SourceFiles] | None = None,
        content_of: Callable[[str], str] = lambda path: path,
        scanned: dict[str, Scanned] | None = None,
    ) -> None:
        """below: a path in the tree; "": all folders where its kind of tree has boards.

        opened      the files of a tree that is no directory, as one of a commit
        content_of  what is the same for files of the same content
        scanned     what such contents were found to say, which other boards may share
        """
        self.top = top
        self.layout = layout
        self.below = below
        self._opened = opened or (lambda: opening.Tree(top))
        self._kept = Kept()
        self._content_of = content_of
        self._scanned = {} if scanned is None else scanned

    def files(self) -> Iterator[str]:
        """Paths in the tree, sorted within each folder; links are not followed."""
        with closing(self._opened()) as tree:
            waiting = [self.below] if self.below else list(reversed(self.layout.boards))
            while waiting:
                folder = waiting.pop()
                try:
                    entries = sorted(tree.entries(folder, follow=False), key=lambda e: e.name)
                except (OSError, Unreadable):
                    continue
                below = [f"{folder}/{e.name}" for e in entries if e.kind == opening.DIRECTORY]
                waiting += reversed(below)
                yield from (
                    f"{folder}/{e.name}"
                    for e in entries
                    if e.kind == opening.FILE and e.name.endswith(".dts")
                )

    def has_idle_states(self, board: str) -> bool:
        """Tells whether the tree of a board may have idle states."""
        return any(self._of(tree, path)[0] for tree, path in self._reached(board))

    def including(self, part: str) -> list[str]:
        """The boards that include a file of the tree."""
        return [
            board for board in self.files() if any(path == part for _, path in self._reached(board))
        ]

    def reached(self, board: str) -> list[str]:
        """The board and all that it includes, by their paths."""
        return [path for _, path in self._reached(board)]

    def _reached(self, board: str) -> Iterator[tuple[SourceTree, str]]:
        """The board and all that it includes, however deep."""
        source = self.top / board
        with SourceTree(self._opened(), self.top, board, source, self.layout, self._kept) as tree:
            waiting, seen = [board], {board}
            while waiting:
                path = waiting.pop()
                yield tree, path
                for name, quoted in self._of(tree, path)[1]:
                    try:
                        found = tree.sought(name, quoted, path)
                    except Unreadable:
                        continue
                    if found is not None and found not in seen:
                        seen.add(found)
                        waiting.append(found)

    def _of(self, tree: SourceTree, path: str) -> Scanned:
        content = self._content_of(path)
        if content not in self._scanned:
            try:
                data = tree.tree.read(path, limits.DTS_BYTES)
            except (OSError, Unreadable):
                data = b""
            # a name that a macro makes may be anything
            made = any(match["made"] is not None for match in _INCLUDE.finditer(data))
            self._scanned[content] = made or bool(_IDLE.search(data)), included(data)
        return self._scanned[content]
