"""Commits, the entries of their trees, and what is read of both, wherever they are kept."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime

from ...dataclass import dataclass
from .. import limits
from .trees import AlikeFiles, TreeWalker, is_file

FILE, LINK = "file", "symbolic link"


@dataclass(frozen=True, slots=True)
class Commit:
    """hash, its first parent ("" for a root commit), the message, and a merge's other parents.

    date    when it was written, not when it was committed; None where that is not said
    mailed  of a patch that is no commit: what messages call its mail; else ""
    """

    hash: str
    parent: str
    message: str
    merged: tuple[str, ...] = ()
    date: datetime | None = None
    mailed: str = ""

    @property
    def subject(self) -> str:
        return self.message.strip().partition("\n")[0]

    @property
    def short(self) -> str:
        return self.hash[:9]

    @property
    def named(self) -> str:
        """Returns the name that messages use."""
        return self.mailed or f"commit {self.short}"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree: its path from the repository's top, and its hash. kind: what else it is,
    in words."""

    path: str
    hash: str
    kind: str = FILE


class CommitReader(ABC):
    """Commits and their files, of a repository or held in memory. Files outside the directory under
    review do not count.

    shown   what messages call it
    prefix  "" at the top and in a bare repository, else "some/directory/"
    is_whole  whether the commits have all files of their tree

    Where a method takes a commit, "" is the state before the first one: no files.
    """

    shown: str
    prefix: str
    is_whole: bool = True
    _trees: TreeWalker

    @abstractmethod
    def commits(
        self, base: str, head: str, paths: Sequence[str], suffixes: Sequence[str] = ()
    ) -> list[Commit]:
        """Commits of base..head that touch one of the paths from the top, or a file of the
        directory whose name ends so, the oldest first."""

    @abstractmethod
    def count(self, base: str, head: str) -> int:
        """Number of commits of base..head."""

    @abstractmethod
    def commit(self, name: str) -> Commit:
        """By hash."""

    @abstractmethod
    def at(self, commit: str, path: str) -> TreeEntry | None:
        """Returns what a path from the top is, or what stands in the way of it."""

    @abstractmethod
    def top(self, commit: str) -> str:
        """The name of a commit's tree; "" for the state before the first one."""

    @abstractmethod
    def holding(self, entries: Iterable[TreeEntry], text: str) -> set[str]:
        """Returns the hashes of those files that hold a text, read as one stream. One that is too
        large to be read is among them, so that whoever reads it is told."""

    @abstractmethod
    def size(self, entry: TreeEntry) -> int:
        """Bytes of a file; it is not read."""

    @abstractmethod
    def content(self, entry: TreeEntry, limit: int = limits.FILE_BYTES) -> bytes:
        """Raises Unreadable (IS930) also for more bytes than the limit: they are not read."""

    def named(self, commit: str, path: str) -> list[TreeEntry]:
        """The file with a path from the top, in or outside the directory: one or none."""
        found = self.at(commit, path)
        return [found] if found and found.path == path and found.kind == FILE else []

    def entries(self, commit: str, paths: Sequence[str] = ()) -> list[TreeEntry]:
        """Files below the directory: those named, by their paths from the top, or all.

        Links and submodules are no files. Raises Unreadable (IS930) for too many.
        """
        if paths:
            inside = [path for path in paths if path.startswith(self.prefix)]
            return [entry for path in inside for entry in self.named(commit, path)]
        listed = self._trees.listed(self._directory(commit), self.prefix)
        return [TreeEntry(path, entry[1]) for path, entry in listed if is_file(entry[0])]

    def alike(
        self, commits: Sequence[str], suffixes: Sequence[str], *, alone: bool = False
    ) -> list[AlikeFiles]:
        """The files below the directory whose names end so, those together that have the same
        contents at each of the commits and, unless each is read alone, the same files beside
        them."""
        tops = tuple(map(self._directory, commits))
        return self._trees.alike(tops, tuple(suffixes), self.prefix, alone=alone)

    def _directory(self, commit: str) -> str:
        """The name of the tree that the directory has at a commit; "" for none."""
        return self._trees.directory(self.top(commit), self.prefix.rstrip("/"))
