"""Commits, trees and files of a git repository: objects only, nothing is checked out.

Forms: git-cat-file(1) --batch, git-rev-list(1), git-mktree(1) (tree objects).
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ...model.findings import Unreadable, unreadable
from ...patterns import pattern
from .. import budget, launching, limits
from .commits import FILE, LINK, Commit, CommitReader, TreeEntry
from .private import Private, User
from .trees import DIRECTORY, SYMLINK, Entry, Tree, TreeWalker, WantedPaths

_NAME = pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_START = pattern(r"[0-9a-f]{4,64}")
_ENTRY = pattern(rb"(?P<mode>[0-7]{1,7}) (?P<name>[^\0/]+)\0")
_KINDS = {DIRECTORY: "directory", SYMLINK: LINK, b"160000": "submodule"}
_MODES = {mode: mode for mode in (*_KINDS, b"100644", b"100755")}
"""Modes that are there once, however many entries have them."""
_AUTHOR = pattern(r"^author [^\n]*> ([0-9]{1,11}) [-+][0-9]{4}$", re.MULTILINE)
_BLOB = pattern(rb"^([0-9a-f]+) blob ([0-9]{1,19})$", re.MULTILINE)
_ANSWER = pattern(rb"[0-9a-f]+ (?P<kind>[a-z]+) (?P<size>[0-9]{1,19})\n")


class Repository(CommitReader):
    """The repository that a directory is, or lies in.

    notes  what the repository says that is not followed

    Every method raises Damaged (IS930) where an object is missing or damaged; nothing is fetched.
    """

    def __init__(self, directory: Path) -> None:
        """Raises Unreadable (IS930) where git is missing or the directory is no repository, or one
        that leads elsewhere (`place`)."""
        self.shown = directory.as_posix()
        self._git = Private(directory, self.shown)
        self._sizes: launching.Child | None = None
        self._contents: launching.Child | None = None
        self._tops: dict[str, str] = {}
        self._ranges: dict[tuple[str, str], dict[str, list[str]]] = {}
        self._read_trees: dict[str, Tree] = {}
        self._entries_read = 0
        self._trees = TreeWalker(self.tree, self.unreadable)
        self.prefix = self._git.place.prefix
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
        if revision.isprintable() and (match := self._checked(wanted)):
            return match[0].split()[0].decode()
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
            hint = " (reflogs are not read; name the commit)" if "@{" in revision else ""
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
        so; oldest first. Of a merge that leaves them as one of its parents has them only that
        parent's history counts, as with git rev-list.

        Raises Unreadable (IS930) where a shallow clone ends within the range.
        """
        parents_of = self._parents(base, head)
        for name in parents_of:
            # none of them leads elsewhere than its name says
            self.top(name)
        wanted = WantedPaths(paths)
        found: list[Commit] = []
        reached = {head}
        for name, parents in parents_of.items():
            if name not in reached:
                continue
            relevant = [each for each in parents if each in parents_of or each == base]
            touched = {
                each: self._touches(each, name, wanted, tuple(suffixes)) for each in parents or [""]
            }
            same = next((each for each in relevant if not touched[each]), None)
            if same is not None:
                reached.add(same)
                continue
            reached.update(parents)
            if any(touched[each] for each in relevant or touched):
                found.append(self.commit(name))
        for commit in found:
            if commit.hash in self._git.shallow:
                raise self._git.damaged(f"expected the parent of {commit.short}, found none")
        return found[::-1]

    def _touches(
        self, parent: str, name: str, wanted: WantedPaths, suffixes: tuple[str, ...]
    ) -> bool:
        before, after = self.top(parent), self.top(name)
        if before == after:
            return False
        if self._trees.differ_at(before, after, wanted):
            return True
        return bool(suffixes) and self._trees.differ(
            self._directory(parent), self._directory(name), suffixes
        )

    def count(self, base: str, head: str) -> int:
        return len(self._parents(base, head))

    def _parents(self, base: str, head: str) -> dict[str, list[str]]:
        """Returns the commits of base..head, each before its parents, and their parents."""
        if (base, head) not in self._ranges:
            words = [head, *([f"^{base}"] if base else [])]
            listing = self._git.text("rev-list", "--topo-order", "--parents", *words)
            rows = map(str.split, listing.splitlines())
            self._ranges[base, head] = {name: parents for name, *parents in rows}
        return self._ranges[base, head]

    def commit(self, name: str) -> Commit:
        data = self._object(name, "commit", limits.GIT_COMMIT_BYTES, self.shown)
        head, _, message = data.decode("utf-8", "replace").partition("\n\n")
        parents = [line[7:] for line in head.splitlines() if line.startswith("parent ")]
        for parent in parents:
            if not _NAME.fullmatch(parent):
                raise self._git.damaged(f"expected a parent of {name}, found {parent!r:.80}")
        if len(parents) > limits.GIT_PARENTS:
            most = f"{limits.GIT_PARENTS} parents of commit {name[:9]}"
            raise self.unreadable(
                f"expected at most {most}, found {len(parents)}; review a range without it"
            )
        first = parents[0] if parents else ""
        others = tuple(each for each in dict.fromkeys(parents) if each != first)
        return Commit(name, first, message, others, _written(head))

    def has(self, name: str) -> bool:
        """Tells whether a commit with this hash can be read."""
        return not self._git.run("cat-file", "-e", f"{name}^{{commit}}").status

    def has_content(self, start: str) -> bool:
        """Tells whether the repository holds a file's content whose hash begins so."""
        if not _START.fullmatch(start):
            return False
        match = self._checked(start)
        return match is not None and match["kind"] == b"blob"

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
        """Tells whether there is a commit to start from."""
        return not self._git.run("rev-parse", "--verify", "--quiet", "HEAD").status

    def described(self, *patterns: str) -> str:
        """The newest tag like one of the patterns that HEAD is or comes after, as git describe has
        it; "" where there is none."""
        words = [word for pattern in patterns for word in ("--match", pattern)]
        done = self._git.run("describe", "--tags", *words)
        return "" if done.status else done.output.decode("utf-8", "surrogateescape").strip()

    def user(self) -> User:
        """Returns the user's identity in git for this repository."""
        return self._git.user()

    def at(self, commit: str, path: str) -> TreeEntry | None:
        found = self._trees.find(self.top(commit), path)
        return TreeEntry(found[0], found[2], _KINDS.get(found[1], FILE)) if found else None

    def top(self, commit: str) -> str:
        if commit and commit not in self._tops:
            head = self._object(commit, "commit", limits.GIT_COMMIT_BYTES, self.shown)
            top = head.partition(b"\n")[0].removeprefix(b"tree ").decode("ascii", "replace")
            self._tops[commit] = top
        return self._tops[commit] if commit else ""

    def tree(self, name: str) -> Tree:
        """Returns a tree object's entries: name -> mode and hash. Read here,
        because git would not check that its content matches its hash."""
        if name not in self._read_trees:
            data = self._object(name, "tree", limits.FILE_BYTES, self.shown)
            found: dict[str, Entry] = {}
            at, size = 0, hashlib.new(self._git.format).digest_size
            while at < len(data):
                match = _ENTRY.match(data, at)
                at = match.end() + size if match else len(data) + 1
                if match is None or at > len(data):
                    raise self._git.damaged(f"expected entries of the tree {name}, found others")
                mode, entry = match["mode"].lstrip(b"0"), os.fsdecode(match["name"])
                if mode in _KINDS or mode.startswith(b"100"):
                    found[entry] = _MODES.get(mode, mode), data[at - size : at].hex()
                    if len(found) > limits.GIT_ENTRIES:
                        most = f"{limits.GIT_ENTRIES} files and directories in the tree {name}"
                        raise self.unreadable(f"expected at most {most}, found more")
            self._entries_read += len(found) + 1
            if self._entries_read > limits.GIT_HELD_ENTRIES:
                # they are read again where they are wanted again
                self._read_trees.clear()
                self._entries_read = len(found) + 1
            self._read_trees[name] = found
        return self._read_trees[name]

    def holding(self, entries: Iterable[TreeEntry], text: str) -> set[str]:
        names = list(dict.fromkeys(entry.hash for entry in entries))
        with self._git.talking("cat-file", "--batch-check", "--buffer") as child:
            child.write_later(_lines(names))
            size_of = dict(_BLOB.findall(b"".join(child.blocks())))
        # git is asked again for one that is missing, and says why
        sizes = (int(size_of.get(name.encode()) or self._size(name, "blob")) for name in names)
        found = {name for name, size in zip(names, sizes, strict=True) if size > limits.FILE_BYTES}
        small = [name for name in names if name not in found]
        for name, _, content in self._stream(small, limits.FILE_BYTES):
            budget.grow(len(content))
            if text.encode() in content:
                found.add(name)
        return found

    def versions(self, base: str, head: str, path: str, limit: int) -> Iterator[tuple[str, bytes]]:
        """(commit, content) of a file at each commit of base..head that has it, the oldest first,
        read as a stream. Of more bytes than the limit, only one more than that."""
        words = [head, *([f"^{base}"] if base else [])]
        commits = self._git.text("rev-list", "--reverse", *words).split()
        for name, kind, content in self._stream([f"{each}:{path}" for each in commits], limit):
            if kind == "blob":
                yield name.partition(":")[0], content

    def _stream(self, names: Sequence[str], limit: int) -> Iterator[tuple[str, str, bytes]]:
        """Yields name, kind and content of objects in the order asked for: by hash, or by
        commit and path where the commit has it. Of more bytes than the limit, one more than that.
        """
        with self._git.talking("cat-file", "--batch", "--buffer") as child:
            child.write_later(_lines(names))
            for name in names:
                line = child.readline()
                if not line:
                    # says why, if that was a limit
                    child.end()
                match = _ANSWER.fullmatch(line)
                if match is None:
                    if _NAME.fullmatch(name) or not line:
                        raise self._git.damaged(f"expected the object {name}, found none")
                    continue
                size, kind = int(match["size"]), match["kind"].decode()
                content = child.read(min(size, limit + 1))
                for at in range(len(content), size + 1, limits.MIB):
                    child.read(min(limits.MIB, size + 1 - at))
                if size <= limit and self._name(kind, content) != line.split()[0].decode():
                    raise self._git.damaged(f"expected {name}, found another content")
                yield name, kind, content

    def size(self, entry: TreeEntry) -> int:
        return self._size(entry.hash, "blob")

    def content(self, entry: TreeEntry, limit: int = limits.FILE_BYTES) -> bytes:
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
        return self._answer(self._checking(), name, kind)

    def _checked(self, text: str) -> re.Match[bytes] | None:
        """Returns what git tells of the object that a text names; None where it names none."""
        child = self._checking()
        child.write(os.fsencode(text) + b"\n")
        return _ANSWER.fullmatch(child.readline())

    def _checking(self) -> launching.Child:
        if self._sizes is None:
            self._sizes = self._git.talking("cat-file", "--batch-check")
        return self._sizes

    def _object(self, name: str, kind: str, limit: int, shown: str) -> bytes:
        if self._contents is None:
            self._contents = self._git.talking("cat-file", "--batch")
        size = self._answer(self._contents, name, kind)
        if size > limit:
            # it would say all of it
            self._contents.kill()
            self._contents = None
            raise unreadable(shown, f"expected at most {limit} bytes, found {size}")
        try:
            content = self._contents.read(size + 1)[:-1]
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
        return self._next_size(child, name, kind)

    def _next_size(self, child: launching.Child, name: str, kind: str) -> int:
        """Returns the size that git tells next, of an object that it was asked for."""
        line = child.readline()
        if not line:
            # says why, if that was a limit
            child.end()
        match = _ANSWER.fullmatch(line)
        if match is None or match["kind"] != kind.encode():
            raise self._git.damaged(f"expected the {kind} {name}, found none")
        return int(match["size"])


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()


def _written(head: str) -> datetime | None:
    """The author's date of a commit's headers."""
    match = _AUTHOR.search(head)
    return datetime.fromtimestamp(int(match[1]), UTC) if match else None
