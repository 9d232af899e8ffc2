"""Commits that no repository has, on top of one that has the rest: what patches would make of it.

They are read as a repository's own are, through `CommitReader`, so that whoever reads tables at a
commit need not know where it comes from.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ...dataclass import dataclass
from ...model.findings import unreadable
from .. import limits
from .commits import FILE, Commit, CommitReader, TreeEntry
from .repository import Repository
from .trees import DIRECTORY, Entry, Tree, TreeWalker

_MODE = b"100644"


@dataclass(frozen=True, slots=True)
class _Held:
    """commit   as others see it
    counts    whether it is a commit of the change
    touched   paths that it changes
    base      the repository's commit that it and those before it stand on
    number    of those before it
    """

    commit: Commit
    counts: bool
    touched: frozenset[str]
    base: str
    number: int


_Version = tuple[int, TreeEntry | None]
"""The number of a commit, and a file as it is from there on; None for one that is removed."""


class HeldCommits(CommitReader):
    """Commits in memory, one upon another. repository: where their ancestors are; None where
    nothing but what is added is known."""

    def __init__(self, repository: Repository | None, shown: str) -> None:
        self.shown = repository.shown if repository else shown
        self.prefix = repository.prefix if repository else ""
        self._under = repository
        self.is_whole = repository is not None
        self._held: dict[str, _Held] = {}
        self._contents: dict[str, bytes] = {}
        self._versions: dict[str, list[_Version]] = {}
        self._made: dict[str, Tree] = {}
        self._trees = TreeWalker(self._tree, lambda message: unreadable(self.shown, message))

    def add(
        self,
        parent: str,
        message: str,
        files: Mapping[str, bytes | None],
        *,
        date: datetime | None = None,
        is_patch: bool = True,
        mailed: str = "",
        kinds: Mapping[str, str] | None = None,
    ) -> str:
        """Adds a commit, and returns its hash, which no repository has.

        parent    the commit that was added last; for the first, one of the repository, or ""
        files     paths from the top -> content, None to remove one
        date      when the patch was written
        is_patch  False: what a patch stands on, which does not count as a commit
        mailed    what messages call its mail
        kinds     path -> what it becomes, where that is no file whose content is known
        """
        under = self._held.get(parent)
        number = under.number + 1 if under else 0
        digest = hashlib.sha1(f"{parent}\0{message}".encode("utf-8", "surrogateescape"))
        for path in sorted(files):
            content = files[path]
            entry = None
            digest.update(path.encode("utf-8", "surrogateescape") + b"\0")
            if content is not None:
                entry = TreeEntry(path, _blob_name(content), (kinds or {}).get(path, FILE))
                self._contents[entry.hash] = content
                digest.update(entry.hash.encode())
            versions = self._versions.setdefault(path, [])
            assert not versions or versions[-1][0] < number, "one commit upon another"
            versions.append((number, entry))
        name = digest.hexdigest()
        self._held[name] = _Held(
            Commit(name, parent, message, date=date, mailed=mailed),
            is_patch,
            frozenset(files),
            under.base if under else parent,
            number,
        )
        return name

    def commits(
        self, base: str, head: str, paths: Sequence[str], suffixes: Sequence[str] = ()
    ) -> list[Commit]:
        wanted = frozenset(paths)
        return [
            one.commit
            for one in self._between(base, head)
            if any(p in wanted or p.endswith(tuple(suffixes)) for p in one.touched)
        ]

    def count(self, base: str, head: str) -> int:
        return len(self._between(base, head))

    def commit(self, name: str) -> Commit:
        held = self._held.get(name)
        return held.commit if held else self._repository(name).commit(name)

    def at(self, commit: str, path: str) -> TreeEntry | None:
        held = self._held.get(commit)
        if held is not None and path in self._versions:
            entry, is_known = self._version(held, path)
            if is_known:
                return entry
        base = held.base if held else commit
        return self._repository(base).at(base, path) if base else None

    def holding(self, entries: Iterable[TreeEntry], text: str) -> set[str]:
        entries = list(entries)
        own = {each.hash for each in entries if each.hash in self._contents}
        others = [each for each in entries if each.hash not in own]
        found = self._repository(others[0].path).holding(others, text) if others else set()
        return found | {name for name in own if text.encode() in self._contents[name]}

    def size(self, entry: TreeEntry) -> int:
        own = self._contents.get(entry.hash)
        return self._repository(entry.path).size(entry) if own is None else len(own)

    def content(self, entry: TreeEntry, limit: int = limits.FILE_BYTES) -> bytes:
        own = self._contents.get(entry.hash)
        if own is None:
            return self._repository(entry.path).content(entry, limit)
        if len(own) > limit:
            raise unreadable(entry.path, f"expected at most {limit} bytes, found {len(own)}")
        return own

    def _between(self, base: str, head: str) -> list[_Held]:
        found = []
        name = head
        while name != base and name in self._held:
            if self._held[name].counts:
                found.append(self._held[name])
            name = self._held[name].commit.parent
        return found[::-1]

    def _version(self, held: _Held, path: str) -> tuple[TreeEntry | None, bool]:
        """A file as a commit has it, and whether that is known here."""
        versions = self._versions[path]
        at = bisect_right(versions, held.number, key=lambda version: version[0])
        return (versions[at - 1][1], True) if at else (None, False)

    def top(self, commit: str) -> str:
        held = self._held.get(commit)
        base = held.base if held else commit
        top = self._repository(base).top(base) if base else ""
        return self._overlaid(top, held) if held is not None else top

    def _overlaid(self, top: str, held: _Held) -> str:
        """The name of a tree that is made of another and of the files that are known here."""
        made = f"{held.commit.hash}:"
        if made in self._made:
            return made
        folders: list[dict[str, dict[str, Entry | None]]] = [{"": {}}]
        for path in self._versions:
            entry, is_known = self._version(held, path)
            if is_known:
                folder, _, name = path.rpartition("/")
                depth = path.count("/")
                folders += [{} for _ in range(depth + 1 - len(folders))]
                is_plain = entry is not None and entry.kind == FILE
                made_of = (_MODE, entry.hash) if entry is not None and is_plain else None
                folders[depth].setdefault(folder, {})[name] = made_of
        for depth in range(len(folders) - 1, -1, -1):
            for folder, changed in folders[depth].items():
                old = self._trees.directory(top, folder)
                tree = dict(self._tree(old)) if old else {}
                for name, known in changed.items():
                    tree.pop(name, None)
                    if known is not None:
                        tree[name] = known
                made = f"{held.commit.hash}:{folder}"
                self._made[made] = tree
                if folder:
                    above, _, name = folder.rpartition("/")
                    beside = folders[depth - 1].setdefault(above, {})
                    if tree or old:
                        beside[name] = DIRECTORY, made
        return made

    def _tree(self, name: str) -> Tree:
        return self._made[name] if name in self._made else self._repository(name).tree(name)

    def _repository(self, wanted: str) -> Repository:
        if self._under is None:
            raise unreadable(
                self.shown, f"expected {wanted[:40]} in a repository, found none given"
            )
        return self._under


def _blob_name(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
