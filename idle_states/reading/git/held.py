"""Commits that no repository has, on top of one that has the rest: what patches would make of it.

They are read as a repository's own are, through `CommitReader`, so that whoever reads tables at a
commit need not know where it comes from.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from ...dataclass import dataclass
from ...findings import unreadable
from .. import limits
from .repository import FILE, Commit, Repository, TreeEntry


class CommitReader(Protocol):
    """What reading tables at commits takes; `Repository` says what each does."""

    shown: str

    @property
    def prefix(self) -> str: ...
    def commits(
        self, base: str, head: str, paths: Sequence[str], suffixes: Sequence[str] = ()
    ) -> list[Commit]: ...
    def count(self, base: str, head: str) -> int: ...
    def commit(self, name: str) -> Commit: ...
    def entries(self, commit: str, paths: Sequence[str] = ()) -> list[TreeEntry]: ...
    def links(self, commit: str) -> list[TreeEntry]: ...
    def named(self, commit: str, path: str) -> list[TreeEntry]: ...
    def at(self, commit: str, path: str) -> TreeEntry | None: ...
    def holding(self, commit: str, text: str, suffix: str) -> list[str]: ...
    def size(self, entry: TreeEntry) -> int: ...
    def content(self, entry: TreeEntry, limit: int = limits.FILE_BYTES) -> bytes: ...


@dataclass(frozen=True, slots=True)
class _Held:
    """commit   as others see it
    counts    whether it is a commit of the change
    touched   paths that it changes
    base      the repository's commit that it and those before it stand on
    files     all that differ from the base: path -> entry, None for one that is removed
    """

    commit: Commit
    counts: bool
    touched: frozenset[str]
    base: str
    files: Mapping[str, TreeEntry | None]


class HeldCommits:
    """Commits in memory. repository: where their ancestors are; None where nothing but what is
    added is known."""

    def __init__(self, repository: Repository | None, shown: str) -> None:
        self.shown = repository.shown if repository else shown
        self._under = repository
        self._held: dict[str, _Held] = {}
        self._contents: dict[str, bytes] = {}

    @property
    def prefix(self) -> str:
        return self._under.prefix if self._under else ""

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

        parent    a commit of the repository, one that was added, or ""
        files     paths from the top -> content, None to remove one
        date      when the patch was written
        is_patch  False: what a patch stands on, which does not count as a commit
        mailed    what messages call its mail
        kinds     path -> what it becomes, where that is no file whose content is known
        """
        entries: dict[str, TreeEntry | None] = {}
        digest = hashlib.sha1(f"{parent}\0{message}".encode("utf-8", "surrogateescape"))
        for path in sorted(files):
            content = files[path]
            entries[path] = None
            digest.update(path.encode("utf-8", "surrogateescape") + b"\0")
            if content is not None:
                entry = TreeEntry(path, _blob_name(content), (kinds or {}).get(path, FILE))
                self._contents[entry.hash] = content
                entries[path] = entry
                digest.update(entry.hash.encode())
        name = digest.hexdigest()
        under = self._held.get(parent)
        self._held[name] = _Held(
            Commit(name, parent, message, date=date, mailed=mailed),
            is_patch,
            frozenset(files),
            under.base if under else parent,
            {**(under.files if under else {}), **entries},
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

    def entries(self, commit: str, paths: Sequence[str] = ()) -> list[TreeEntry]:
        held = self._held.get(commit)
        base = held.base if held else commit
        under = self._repository(base).entries(base, paths) if base else []
        if held is None:
            return under
        wanted = frozenset(paths)
        found: dict[str, TreeEntry] = {entry.path: entry for entry in under}
        for path, entry in held.files.items():
            if entry is None or entry.kind != FILE:
                found.pop(path, None)
            elif path.startswith(self.prefix) and (not wanted or path in wanted):
                found[path] = entry
        return list(found.values())

    def links(self, commit: str) -> list[TreeEntry]:
        """Those of the base: patches that are held make none."""
        held = self._held.get(commit)
        base = held.base if held else commit
        return self._repository(base).links(base) if base else []

    def named(self, commit: str, path: str) -> list[TreeEntry]:
        held = self._held.get(commit)
        if held is not None and path in held.files:
            entry = held.files[path]
            return [entry] if entry and entry.kind == FILE else []
        base = held.base if held else commit
        return self._repository(base).named(base, path) if base else []

    def at(self, commit: str, path: str) -> TreeEntry | None:
        held = self._held.get(commit)
        if held is not None and path in held.files:
            return held.files[path]
        base = held.base if held else commit
        return self._repository(base).at(base, path) if base else None

    def holding(self, commit: str, text: str, suffix: str) -> list[str]:
        held = self._held.get(commit)
        base = held.base if held else commit
        under = self._repository(base).holding(base, text, suffix) if base else []
        if held is None:
            return under
        found = {path for path in under if path not in held.files}
        for path, entry in held.files.items():
            inside = path.startswith(self.prefix) and path.endswith(suffix)
            if entry and entry.kind == FILE and inside and text.encode() in self.content(entry):
                found.add(path)
        return sorted(found)

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

    def _repository(self, wanted: str) -> Repository:
        if self._under is None:
            raise unreadable(
                self.shown, f"expected {wanted[:40]} in a repository, found none given"
            )
        return self._under


def _blob_name(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
