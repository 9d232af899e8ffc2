"""Commits, trees and files of a git repository: objects only, nothing is checked out.

Forms: git-cat-file(1) --batch, git-rev-list(1), git-mktree(1) (tree objects).
"""

import hashlib
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ...dataclass import dataclass
from ...findings import Unreadable, unreadable
from .. import budget, launching, limits
from .private import Private, User

_NAME = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ENTRY = re.compile(rb"(?P<mode>[0-7]{1,7}) (?P<name>[^\0/]+)\0")
_DIRECTORY, _LINK, _SUBMODULE = b"40000", b"120000", b"160000"
FILE, LINK = "file", "symbolic link"
_KINDS = {_DIRECTORY: "directory", _LINK: LINK, _SUBMODULE: "submodule"}
_AUTHOR = re.compile(r"^author [^\n]*> ([0-9]{1,11}) [-+][0-9]{4}$", re.MULTILINE)
_ANSWER = re.compile(rb"[0-9a-f]+ (?P<kind>[a-z]+) (?P<size>[0-9]{1,19})\n")


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
        """What messages call it."""
        return self.mailed or f"commit {self.short}"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree: its path from the repository's top, and its hash. kind: what else it is,
    in words."""

    path: str
    hash: str
    kind: str = FILE


class Repository:
    """The repository that a directory is, or lies in. Files outside the directory do not count.

    shown   what messages call it
    prefix  "" at the top and in a bare repository, else "some/directory/"
    notes   what the repository says that is not followed

    Where a method takes a commit, "" is the state before the first one: no files. Every method
    raises Damaged (IS930) where an object is missing or damaged; nothing is fetched.
    """

    def __init__(self, directory: Path) -> None:
        """Raises Unreadable (IS930) where git is missing or the directory is no repository, or one
        that leads elsewhere (`place`)."""
        self.shown = directory.as_posix()
        self._git = Private(directory, self.shown)
        self._sizes: launching.Child | None = None
        self._contents: launching.Child | None = None
        self._trees: dict[str, Sequence[tuple[str, bytes, str]]] = {}
        self._holds: dict[tuple[str, str], bool] = {}
        self.prefix = self._git.place.prefix
        self.is_shallow = bool(self._git.shallow)
        self.notes: Sequence[str] = self._git.notes

    def close(self) -> None:
        """Ends the processes that read objects, and removes what git was run in."""
        for child in (self._sizes, self._contents):
            if child is not None:
                child.kill()
        self._sizes = self._contents = None
        self._git.close()

    def resolve(self, revision: str) -> str:
        """The hash of the commit a revision names. Raises Unreadable (IS930); where a reference
        leads to an object that cannot be read, that is named."""
        wanted = f"{revision}^{{commit}}"
        done = self._git.run("rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
        name = done.output.decode("ascii", "replace").strip()
        if done.status or not name:
            # of a whole name git says the hash without reading what it names
            start = re.split("[~^:]", revision, maxsplit=1)[0] or "HEAD"
            words = ("rev-parse", "--verify", "--quiet", "--end-of-options", start)
            named = self._git.run(*words).output.decode("ascii", "replace").strip()
            if _NAME.fullmatch(named):
                # says which object is missing, damaged, or no commit
                self._object(named, "commit", limits.GIT_COMMIT_BYTES, self.shown)
            hint = " (what was where is not read)" if "@{" in revision else ""
            raise self._git.damaged(f"expected a revision, found {revision!r}{hint}")
        return name

    def merge_base(self, a: str, b: str) -> str:
        """Hash of the best common ancestor. Raises Unreadable (IS930) where there is none."""
        done = self._git.run("merge-base", a, b)
        if done.status:
            message = f"expected revisions with a common ancestor, found {a[:9]} and {b[:9]}"
            raise self._git.damaged(message)
        return done.output.decode("ascii").strip()

    def commits(
        self, base: str, head: str, paths: Sequence[str], suffixes: Sequence[str] = ()
    ) -> list[Commit]:
        """Commits of base..head that touch one of the files, or any below the directory that ends
        so; oldest first.

        Raises Unreadable (IS930) where a shallow clone ends within the range.
        """
        wanted = [f":(literal){path}" for path in paths]
        wanted += [f":(glob){_escaped(self.prefix)}**/*{suffix}" for suffix in suffixes]
        words = [head, *([f"^{base}"] if base else [])]
        for name in self._git.text("rev-list", *words).split():
            # none of them leads elsewhere than its name says
            self._object(name, "commit", limits.GIT_COMMIT_BYTES, self.shown)
        said = self._git.text("rev-list", "--reverse", "--topo-order", *words, "--", *wanted)
        found = [self.commit(name) for name in said.split()]
        for commit in found:
            if commit.hash in self._git.shallow:
                raise self._git.damaged(f"expected the parent of {commit.short}, found none")
        return found

    def count(self, base: str, head: str) -> int:
        """Number of commits of base..head."""
        return int(self._git.text("rev-list", "--count", head, *([f"^{base}"] if base else [])))

    def commit(self, name: str) -> Commit:
        """By hash."""
        data = self._object(name, "commit", limits.GIT_COMMIT_BYTES, self.shown)
        head, _, message = data.decode("utf-8", "replace").partition("\n\n")
        parents = [line[7:] for line in head.splitlines() if line.startswith("parent ")]
        for parent in parents:
            if not _NAME.fullmatch(parent):
                raise self._git.damaged(f"expected a parent of {name}, found {parent!r:.80}")
        first = parents[0] if parents else ""
        return Commit(name, first, message, tuple(parents[1:]), _written(head))

    def has(self, name: str) -> bool:
        """Whether a commit with this hash can be read."""
        return not self._git.run("cat-file", "-e", f"{name}^{{commit}}").status

    def touching(self, paths: Sequence[str], most: int) -> list[tuple[str, int]]:
        """(hash, seconds since 1970) of the newest commits of all branches and tags that touch one
        of the files, the newest first; at most so many."""
        heads = ["--all", *(["HEAD"] if self.has_head else [])]
        words = ["rev-list", "--date-order", "--timestamp", f"--max-count={most}", *heads]
        wanted = [f":(literal){path}" for path in paths]
        pairs = (line.split() for line in self._git.text(*words, "--", *wanted).splitlines())
        return [(name, int(seconds)) for seconds, name in pairs]

    @property
    def has_head(self) -> bool:
        """Whether there is a commit to start from."""
        return not self._git.run("rev-parse", "--verify", "--quiet", "HEAD").status

    def described(self, *patterns: str) -> str:
        """The newest tag like one of the patterns that HEAD is or comes after, as git describe has
        it; "" where there is none."""
        words = [word for pattern in patterns for word in ("--match", pattern)]
        done = self._git.run("describe", "--tags", *words)
        return "" if done.status else done.output.decode("utf-8", "surrogateescape").strip()

    def user(self) -> User:
        """Who the user is to git, here."""
        return self._git.user()

    def entries(self, commit: str, paths: Sequence[str] = ()) -> list[TreeEntry]:
        """Files below the directory: those named, by their paths from the top, or all.

        Links and submodules are no files.
        """
        found = self._files(commit, paths)
        return [entry for entry in found if entry.path.startswith(self.prefix)]

    def links(self, commit: str) -> list[TreeEntry]:
        """Symbolic links below the directory; `content` says where each leads."""
        found = self._files(commit, [], _LINK)
        return [entry for entry in found if entry.path.startswith(self.prefix)]

    def _files(
        self, commit: str, paths: Sequence[str], wanted_kind: bytes = b""
    ) -> list[TreeEntry]:
        """wanted_kind: the mode; b"" for that of files."""
        if not commit:
            return []
        top = self._top(commit)
        wanted = frozenset(paths)
        ways = {
            "/".join(words[:n])
            for words in (p.split("/") for p in paths)
            for n in range(len(words))
        }
        found = []
        count = 0
        waiting = [("", _DIRECTORY, top)]
        while waiting:
            path, kind, name = waiting.pop()
            if kind == _DIRECTORY:
                if not wanted or path in ways:
                    below = self._tree(name)
                    count += len(below)
                    if count > limits.GIT_ENTRIES or len(path) > limits.GIT_PATH:
                        most = f"{limits.GIT_ENTRIES} files, with paths of {limits.GIT_PATH}"
                        raise self.unreadable(f"expected at most {most} characters in {commit}")
                    slash = "/" if path else ""
                    waiting += [
                        (f"{path}{slash}{entry[0]}", entry[1], entry[2]) for entry in below[::-1]
                    ]
            elif (kind if kind in _KINDS else b"") == wanted_kind and (
                not wanted or path in wanted
            ):
                found.append(TreeEntry(path, name))
        return found

    def _top(self, commit: str) -> str:
        """The hash of a commit's tree."""
        head = self._object(commit, "commit", limits.GIT_COMMIT_BYTES, self.shown)
        return head.partition(b"\n")[0].removeprefix(b"tree ").decode("ascii", "replace")

    def _tree(self, name: str) -> Sequence[tuple[str, bytes, str]]:
        """What a tree object holds: name, mode, hash. Read here, because git would not look
        whether it is what its name says."""
        if name not in self._trees:
            data = self._object(name, "tree", limits.FILE_BYTES, self.shown)
            found, at, size = [], 0, hashlib.new(self._git.format).digest_size
            while at < len(data):
                match = _ENTRY.match(data, at)
                at = match.end() + size if match else len(data) + 1
                if match is None or at > len(data):
                    raise self._git.damaged(f"expected entries of the tree {name}, found others")
                mode, entry = match["mode"].lstrip(b"0"), os.fsdecode(match["name"])
                if mode in _KINDS or mode.startswith(b"100"):
                    found.append((entry, mode, data[at - size : at].hex()))
            self._trees[name] = found
        return self._trees[name]

    def named(self, commit: str, path: str) -> list[TreeEntry]:
        """The file with a path from the top, in or outside the directory: one or none."""
        return [entry for entry in self._files(commit, [path]) if entry.path == path]

    def at(self, commit: str, path: str) -> TreeEntry | None:
        """Returns what a path from the top is, or what stands in the way of it."""
        kind, name, done = _DIRECTORY, self._top(commit) if commit else "", ""
        for word in path.split("/") if commit else ():
            found = next((entry for entry in self._tree(name) if entry[0] == word), None)
            if found is None:
                return None
            _, kind, name = found
            done = f"{done}/{word}" if done else word
            if kind != _DIRECTORY:
                break
        return TreeEntry(done, name, _KINDS.get(kind, FILE)) if done else None

    def holding(self, commit: str, text: str, suffix: str) -> list[str]:
        """Paths of the files below the directory that end so and hold the text. One that is too
        large to be read is among them, so that whoever reads it is told."""
        found = [e for e in self.entries(commit) if e.path.endswith(suffix)]
        return sorted(entry.path for entry in found if self._held(entry, text))

    def _held(self, entry: TreeEntry, text: str) -> bool:
        key = entry.hash, text
        if key not in self._holds:
            limit = limits.FILE_BYTES
            self._holds[key] = self.size(entry) > limit or text.encode() in self.content(entry)
        return self._holds[key]

    def size(self, entry: TreeEntry) -> int:
        """Bytes of a file; it is not read."""
        return self._size(entry.hash, "blob")

    def content(self, entry: TreeEntry, limit: int = limits.FILE_BYTES) -> bytes:
        """Raises Unreadable (IS930) also for more bytes than the limit: they are not read."""
        return self._object(entry.hash, "blob", limit, entry.path)

    def blob_name(self, content: bytes) -> str:
        """The hash that git gives a file with this content, were it of this repository."""
        return self._name("blob", content)

    def unreadable(self, message: str) -> Unreadable:
        return unreadable(self.shown, message)

    def _name(self, kind: str, content: bytes) -> str:
        digest = hashlib.new(self._git.format, b"%s %d\0" % (kind.encode(), len(content)))
        digest.update(content)
        return digest.hexdigest()

    def _size(self, name: str, kind: str) -> int:
        if self._sizes is None:
            self._sizes = self._git.talking("cat-file", "--batch-check")
        return self._answer(self._sizes, name, kind)

    def _object(self, name: str, kind: str, limit: int, shown: str) -> bytes:
        size = self._size(name, kind)
        if size > limit:
            raise unreadable(shown, f"expected at most {limit} bytes, found {size}")
        if self._contents is None:
            self._contents = self._git.talking("cat-file", "--batch")
        said = self._answer(self._contents, name, kind)
        try:
            content = self._contents.read(said + 1)[:-1] if said == size else b""
        except Unreadable:
            # git announces what a header says, and waits if less follows
            raise self._git.damaged(f"expected {size} bytes of the {kind} {name}") from None
        if self._name(kind, content) != name:
            raise self._git.damaged(f"expected the {kind} {name}, found another content")
        budget.grow(size)
        return content

    def _answer(self, child: launching.Child, name: str, kind: str) -> int:
        """The size that git tells of an object."""
        if not _NAME.fullmatch(name):
            raise self._git.damaged(f"expected the name of a {kind}, found {name!r:.80}")
        child.write(name.encode("ascii") + b"\n")
        said = child.readline()
        if not said:
            # says why, if that was a limit
            child.end()
        match = _ANSWER.fullmatch(said)
        if match is None or match["kind"] != kind.encode():
            raise self._git.damaged(f"expected the {kind} {name}, found none")
        return int(match["size"])


def _written(head: str) -> datetime | None:
    """The author's date of a commit's headers."""
    match = _AUTHOR.search(head)
    return datetime.fromtimestamp(int(match[1]), UTC) if match else None


def _escaped(path: str) -> str:
    """A path within a pattern."""
    return "".join(f"\\{char}" if char in "*?[\\" else char for char in path)
