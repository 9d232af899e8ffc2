"""The files of a commit, read as those of a source tree are."""

import posixpath
from collections.abc import Iterator
from functools import cached_property

from ..reading import limits, opening
from ..reading.git import CommitReader, TreeEntry


class CommitFiles:
    """What `SourceFiles` asks for, of a commit. top: what the paths of its tree begin with in the
    repository, "" or with a slash at its end."""

    def __init__(self, repository: CommitReader, commit: str, top: str) -> None:
        self._repository = repository
        self._top = top
        whole = repository.entries(commit)
        self.files = {e.path[len(top) :]: e for e in whole if e.path.startswith(top)}
        links = repository.links(commit) if commit else []
        self._links = {e.path[len(top) :]: e for e in links if e.path.startswith(top)}
        self._targets: dict[str, str] = {}

    @property
    def real(self) -> str:
        return self._top.rstrip("/")

    def close(self) -> None:
        """Nothing is open."""

    def entry(self, path: str) -> TreeEntry | None:
        return self.files.get(path)

    def is_file(self, relative: str) -> bool:
        try:
            return self.resolved(relative) in self.files
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
            link = self._links.get("/".join(done))
            if link is None:
                continue
            links += 1
            target = self._target(link)
            if links > limits.LINKS or target.startswith("/"):
                raise opening.Outside(None, "a link that leads out of the tree", relative)
            done.pop()
            waiting += target.split("/")[::-1]
        path = "/".join(done)
        if path not in self.files:
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
        return self._repository.content(self.files[self.resolved(relative)], limit)
