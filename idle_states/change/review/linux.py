"""A repository of Linux: the tables built into its drivers, and those of the boards in its
device-tree sources."""

from collections.abc import Mapping

from ...base.reading.git import Commit, CommitReader
from ...tables.devicetree.source_trees import Layout
from .boards import BoardsTree
from .drivers import DriversTree
from .tree import End, TreeReader


class LinuxTree(TreeReader):
    """Reads both at either end of a range, and between."""

    def __init__(
        self, repository: CommitReader, base: str, head: str, trees: Mapping[str, Layout]
    ) -> None:
        super().__init__(repository)
        self._drivers = DriversTree(repository, base, head)
        self._boards = BoardsTree(repository, base, head, dict(trees))
        self.copied = self._drivers.copied

    def commits(self, base: str, head: str) -> list[Commit]:
        paths = sorted({*self._drivers.paths, *self._boards.paths})
        return self.repository.commits(base, head, paths) if paths else []

    def release_of(self, commit: str) -> str:
        return self._drivers.release_of(commit)

    def _read(self, commit: str) -> End:
        drivers, boards = self._drivers.at(commit), self._boards.at(commit)
        return End(
            (*drivers.sources, *boards.sources),
            (*drivers.findings, *boards.findings),
            drivers.unread | boards.unread,
            {**drivers.texts, **boards.texts},
            drivers.cpus,
        )
