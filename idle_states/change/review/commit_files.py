"""The files of a commit, read as those of a source tree are."""

import posixpath
from collections.abc import Iterator
from functools import cached_property

from ...base.reading import limits, opening
from ...base.reading.git.commits import FILE, LINK, CommitReader, TreeEntry


class CommitFiles:
    """The `SourceFiles` of a commit. top: the prefix of its tree's paths in the repository, "" or
    with a slash at its end."""

    def __init__(self, repository: CommitReader, commit: str, top: str) -> None:
        self._repository = repository
        self._commit = commit
        self._top = top
        self._targets: dict[str, str] = {}
        self._kept: dict[str, TreeEntry | None] = {}

    @cached_property
    def files(self) -> dict[str, TreeEntry]:
        """All of them, by their paths. Few are asked for of most commits."""
        top = self._top
        whole = self._repository.entries(self._commit)
        return {e.path[len(top) :]: e for e in whole if e.path.startswith(top)}

    @property
    def real(self) -> str:
        return self._top.rstrip("/")

    def close(self) -> None:
        """Nothing is open."""

    def entry(self, path: str) -> TreeEntry | None:
        found = self._at(path)
        return found if found is not None and found.kind == FILE else None

    def _at(self, path: str) -> TreeEntry | None:
        """Returns a path's entry; None if it is not below the directory under review."""
        if path not in self._kept:
            whole = self._top + path
            found = None
            if self._commit and whole.startswith(self._repository.prefix):
                found = self._repository.at(self._commit, whole)
            self._kept[path] = found if found is not None and found.path == whole else None
        return self._kept[path]

    def is_file(self, relative: str) -> bool:
        try:
            return self.entry(self.resolved(relative)) is not None
        except OSError:
            return False

    def resolved(self, relative: str) -> str:
        """The path without links and "..". Raises OSError, opening.Outside among them."""
        done: list[str] = []
        waiting = relative.split("/")[::-1]
        links = 0
        while waiting:
            name = waiting.pop()
            if name in ("", "."):
                continue
            if name == "..":
                if not done:
                    raise opening.Outside(None, "a name that leads out of the tree", relative)
                done.pop()
                continue
            done.append(name)
            link = self._at("/".join(done))
            if link is None or link.kind != LINK:
                continue
            links += 1
            target = self._target(link)
            if links > limits.LINKS or target.startswith("/"):
                raise opening.Outside(None, "a link that leads out of the tree", relative)
            done.pop()
            waiting += target.split("/")[::-1]
        path = "/".join(done)
        if self.entry(path) is None:
            raise FileNotFoundError(None, "no such file", relative)
        return path

    def _target(self, link: TreeEntry) -> str:
        if link.hash not in self._targets:
            content = self._repository.content(link, limits.GIT_PATH)
            self._targets[link.hash] = content.decode("utf-8", "surrogateescape")
        return self._targets[link.hash]

    def shown(self, relative: str) -> str:
        return posixpath.join(self._top, relative)

    @cached_property
    def _below(self) -> dict[str, dict[str, str]]:
        """Folder -> name -> kind of what it holds."""
        found: dict[str, dict[str, str]] = {}
        for path in self.files:
            folder, _, name = path.rpartition("/")
            found.setdefault(folder, {})[name] = opening.FILE
            while folder:
                above, _, name = folder.rpartition("/")
                if name in found.setdefault(above, {}):
                    break
                found[above][name] = opening.DIRECTORY
                folder = above
        return found

    def entries(
        self, relative: str = "", *, follow: bool = True
    ) -> Iterator[opening.DirectoryEntry]:
        """Without links."""
        for name, kind in self._below.get(relative, {}).items():
            yield opening.DirectoryEntry(name, kind)

    def read(
        self,
        relative: str,
        limit: int = limits.FILE_BYTES,
        *,
        shown: str | None = None,
        follow: bool = True,
    ) -> bytes:
        entry = self.entry(self.resolved(relative))
        assert entry is not None
        return self._repository.content(entry, limit)
