"""A skiboot tree: its files with idle tables, its headers' macros, its version, its git."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..findings import Finding, Location, Severity, Unreadable
from ..skiboot import c_table
from ..skiboot.layout import HEADERS
from ..skiboot.patching import SourceText
from ..sources import MAX_BYTES

_TABLE = re.compile(rb"\bstruct\s+cpu_idle_states\s[^;{]*\[")
_VERSION = re.compile(r"(?:skiboot-)?v?([0-9]+\.[0-9]+(?:\.[0-9]+)?(?:-rc[0-9]+)?)(?:-|$|\s)")
_RELEASE_TAGS = ("--match", "v[0-9]*.[0-9]*", "--match", "skiboot-[0-9]*.[0-9]*")
_GIT = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_NOT_OURS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who signs off: git's user.name and user.email."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


class Tree:
    """A directory that is skiboot. files: path -> text, of the C files with idle tables; bytes
    that are no UTF-8 are kept as surrogates.

    Raises Unreadable (IS930) for a directory that is something else.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        if not root.is_dir():
            raise self.unreadable("expected a directory with skiboot's source, found none")
        if not (root / "hw" / "slw.c").is_file():
            raise self.unreadable("expected a skiboot tree, with hw/slw.c, found none")
        self.files = {
            path.relative_to(root).as_posix(): data.decode("utf-8", "surrogateescape")
            for path in sorted((root / "hw").glob("*.c"))
            if _TABLE.search(data := self.read(path))
        }
        if not self.files:
            raise self.unreadable(
                "expected a skiboot tree, with arrays of struct cpu_idle_states in hw/, found none"
            )

    def read(self, path: Path) -> bytes:
        inside = path.resolve()
        if not inside.is_relative_to(self.root.resolve()):
            raise self.unreadable(f"expected files in the tree, found {path.name} outside it")
        if not inside.is_file():
            return b""
        if inside.stat().st_size > MAX_BYTES:
            raise self.unreadable(f"expected files of at most {MAX_BYTES} bytes, found {path.name}")
        return inside.read_bytes()

    @cached_property
    def defines(self) -> dict[str, str]:
        """The macros of the headers that tables use; none where the tree has no such headers."""
        found: dict[str, str] = {}
        for name in HEADERS:
            if (self.root / name).is_file():
                text = self.read(self.root / name).decode("utf-8", "replace")
                found |= c_table.definitions_in(text)
        return found if any(head.startswith("OPAL_PM_") for head in found) else {}

    @cached_property
    def sources(self) -> dict[str, SourceText]:
        """Path -> the file as read. Raises Unreadable (IS932)."""
        return {name: SourceText(text, name, self.defines) for name, text in self.files.items()}

    @cached_property
    def arrays(self) -> list[str]:
        """All tables the compiler sees, by the name of their array."""
        return [array for source in self.sources.values() for array in source.tables]

    @cached_property
    def has_git(self) -> bool:
        """The tree is a git work tree of its own, not a part of another project's."""
        top = self.git("rev-parse", "--show-toplevel")
        return top is not None and Path(top).resolve() == self.root.resolve()

    def git(self, *words: str) -> str | None:
        """Standard output of a git command that only reads; None where it fails."""
        program = shutil.which("git")
        if program is None:
            return None
        done = subprocess.run(
            [program, *_GIT, *words],
            cwd=self.root,
            env={
                # a hook that calls us has set these for its own repository
                **{key: text for key, text in os.environ.items() if key not in _NOT_OURS},
                "GIT_OPTIONAL_LOCKS": "0",
                "LC_ALL": "C",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            return None
        return done.stdout.decode("utf-8", "surrogateescape").strip("\n")

    @cached_property
    def version(self) -> str:
        """Release the tree is of, or comes after: "5.5.0", "6.0-rc1"; "" where nothing says.

        From the newest release's tag in git, the file .version of a release's archive, or VERSION.
        """
        found = self.git("describe", "--tags", *_RELEASE_TAGS) if self.has_git else None
        for name in (".version", "VERSION"):
            if not found and (self.root / name).is_file():
                found = self.read(self.root / name)[:200].decode("utf-8", "replace")
        match = _VERSION.match(found.strip() + " ") if found else None
        return match[1] if match else ""

    @cached_property
    def modified(self) -> Sequence[str]:
        """Tracked files that are not as committed; nothing where there is no git."""
        if not self.has_git:
            return ()
        listed = self.git("status", "--porcelain", "--untracked-files=no", "-z") or ""
        return tuple(entry[3:] for entry in listed.split("\0") if entry[2:3] == " ")

    @cached_property
    def identity(self) -> Identity | None:
        """Only where git knows both: nobody signs off for somebody else."""
        if not self.has_git:
            return None
        name, email = self.git("config", "user.name"), self.git("config", "user.email")
        return Identity(name, email) if name and email else None

    def mode(self, file: str) -> str:
        executable = os.access(self.root / file, os.X_OK)
        return "100755" if executable else "100644"

    def unreadable(self, message: str) -> Unreadable:
        where = Location(file=self.root.as_posix())
        return Unreadable([Finding("IS930", "unreadable-input", Severity.ERROR, message, where)])
