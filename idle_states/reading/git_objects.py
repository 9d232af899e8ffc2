"""Reads commits, trees and files of a git repository: objects only, nothing is checked out.

git itself is run as a subprocess, with commands that call neither hooks nor external
programs.
Forms: git-cat-file(1) --batch, git-ls-tree(1) -z, git-rev-list(1).
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..findings import Finding, Location, Severity, Unreadable

_ELSEWHERE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE")
"""What a hook's environment says of its own repository, which need not be the one asked for."""


@dataclass(frozen=True, slots=True)
class Commit:
    """hash, its first parent ("" for a root commit), the message, and a merge's other parents."""

    hash: str
    parent: str
    message: str
    merged: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        return self.message.strip().partition("\n")[0]

    @property
    def short(self) -> str:
        return self.hash[:9]


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a tree: its path from the repository's top, its hash, its size in bytes."""

    path: str
    hash: str
    size: int


class Repository:
    """The repository that a directory is, or lies in. Files outside the directory do not count.

    shown   what messages call it
    prefix  "" at the top and in a bare repository, else "some/directory/"

    Where a method takes a commit, "" is the state before the first one: no files.
    """

    def __init__(self, directory: Path) -> None:
        """Raises Unreadable (IS930) where git is missing or the directory is no repository."""
        self.shown = directory.as_posix()
        self._objects: subprocess.Popen[bytes] | None = None
        program = shutil.which("git")
        if program is None:
            raise self.unreadable("expected the program git, found none")
        if not directory.is_dir():
            raise self.unreadable("expected a git repository, found no directory")
        self._command = [program, "-C", os.fspath(directory.absolute())]
        self._environment = {k: v for k, v in os.environ.items() if k not in _ELSEWHERE}
        self._environment |= {
            "LC_ALL": "C",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
        }
        self._git_dir = self._text("rev-parse", "--absolute-git-dir").rstrip("\n")
        self.prefix = self._text("rev-parse", "--show-prefix").rstrip("\n")
        self.is_shallow = self._text("rev-parse", "--is-shallow-repository").strip() == "true"
        # from here on without a work tree: paths are those of trees, wherever the directory lies
        self._command = [program, "-C", self._git_dir, f"--git-dir={self._git_dir}"]

    def close(self) -> None:
        """Ends the process that reads objects."""
        if self._objects is not None and self._objects.stdin and self._objects.stdout:
            self._objects.stdin.close()
            self._objects.stdout.close()
            self._objects.wait()
            self._objects = None

    def resolve(self, revision: str) -> str:
        """The hash of the commit a revision names. Raises Unreadable (IS930)."""
        wanted = f"{revision}^{{commit}}"
        done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
        name = done.stdout.decode("ascii", "replace").strip()
        if done.returncode or not name:
            raise self.unreadable(f"expected a revision, found {revision!r}{self._perhaps_cut()}")
        return name

    def merge_base(self, a: str, b: str) -> str:
        """Hash of the best common ancestor. Raises Unreadable (IS930) where there is none."""
        done = self._run("merge-base", a, b)
        if done.returncode:
            message = f"expected revisions with a common ancestor, found {a[:9]} and {b[:9]}"
            raise self.unreadable(message + self._perhaps_cut())
        return done.stdout.decode("ascii").strip()

    def commits(
        self, base: str, head: str, paths: Sequence[str], suffixes: Sequence[str] = ()
    ) -> list[Commit]:
        """Commits of base..head that touch one of the files, or any below the directory that ends
        so; oldest first.

        Raises Unreadable (IS930) where a shallow clone ends within the range.
        """
        wanted = [f":(literal){path}" for path in paths]
        wanted += map(self._all, suffixes)
        words = [head, *([f"^{base}"] if base else [])]
        said = self._text("rev-list", "--reverse", "--topo-order", *words, "--", *wanted)
        found = [self.commit(name) for name in said.split()]
        cut = self._cut_off() if self.is_shallow else frozenset()
        for commit in found:
            if commit.hash in cut:
                message = f"expected the parent of {commit.short}, found none{self._perhaps_cut()}"
                raise self.unreadable(message)
        return found

    def count(self, base: str, head: str) -> int:
        """Number of commits of base..head."""
        return int(self._text("rev-list", "--count", head, *([f"^{base}"] if base else [])))

    def commit(self, name: str) -> Commit:
        """By hash. Raises Unreadable (IS930) for one that is missing."""
        head, _, message = self._object(name, "commit").decode("utf-8", "replace").partition("\n\n")
        parents = [line[7:] for line in head.splitlines() if line.startswith("parent ")]
        return Commit(name, parents[0] if parents else "", message, tuple(parents[1:]))

    def entries(self, commit: str, paths: Sequence[str] = ()) -> list[Entry]:
        """Files below the directory: those named, by their paths from the top, or all.

        Links and submodules are no files.
        """
        if not commit:
            return []
        said = self._bytes("ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *paths)
        found = []
        for line in said.split(b"\0")[:-1]:
            head, _, path = line.partition(b"\t")
            mode, kind, name, size = head.decode("ascii").split()
            shown = path.decode("utf-8", "surrogateescape")
            if kind == "blob" and mode != "120000" and shown.startswith(self.prefix):
                found.append(Entry(shown, name, int(size)))
        return found

    def holding(self, commit: str, text: str, suffix: str) -> list[str]:
        """Paths of the files below the directory that end so and hold the text."""
        if not commit:
            return []
        where = self._all(suffix)
        done = self._run("grep", "-l", "-z", "-a", "-F", "-e", text, commit, "--", where)
        if done.returncode > 1:
            raise self._failed(done)
        names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
        return sorted(name.partition(":")[2] for name in names if name)

    def content(self, entry: Entry) -> bytes:
        """Raises Unreadable (IS930) where the repository lacks the object."""
        return self._object(entry.hash, "blob")

    def unreadable(self, message: str) -> Unreadable:
        where = Location(file=self.shown)
        return Unreadable([Finding("IS930", "unreadable-input", Severity.ERROR, message, where)])

    def _object(self, name: str, kind: str) -> bytes:
        if self._objects is None:
            self._objects = subprocess.Popen(
                [*self._command, "cat-file", "--batch"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment,
            )
        source, sink = self._objects.stdout, self._objects.stdin
        assert source is not None
        assert sink is not None
        sink.write(name.encode("ascii") + b"\n")
        sink.flush()
        words = source.readline().decode("ascii", "replace").split()
        if len(words) != 3 or words[1] != kind:
            raise self.unreadable(
                f"expected the {kind} {name[:9]}, found none{self._perhaps_cut()}"
            )
        content = source.read(int(words[2]) + 1)
        return content[:-1]

    def _all(self, suffix: str) -> str:
        return f":(glob){_escaped(self.prefix)}**/*{suffix}"

    def _cut_off(self) -> frozenset[str]:
        """Commits whose parents a shallow clone lacks."""
        said = self._text("rev-parse", "--path-format=absolute", "--git-path", "shallow")
        return frozenset(Path(said.rstrip("\n")).read_text("ascii", "replace").split())

    def _perhaps_cut(self) -> str:
        if not self.is_shallow:
            return ""
        return "; the clone is shallow: fetch more of its history (git fetch --deepen=N)"

    def _text(self, *words: str) -> str:
        return self._bytes(*words).decode("utf-8", "surrogateescape")

    def _bytes(self, *words: str) -> bytes:
        done = self._run(*words)
        if done.returncode:
            raise self._failed(done)
        return done.stdout

    def _run(self, *words: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [*self._command, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=self._environment,
            check=False,
        )

    def _failed(self, done: "subprocess.CompletedProcess[bytes]") -> Unreadable:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        found = said[0].removeprefix("fatal: ") if said else f"exit status {done.returncode}"
        return self.unreadable(f"expected git to read the repository, found: {found}")


def _escaped(path: str) -> str:
    """A path within a pattern."""
    return "".join(f"\\{char}" if char in "*?[\\" else char for char in path)
