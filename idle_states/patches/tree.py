"""A skiboot tree: its files with idle tables, macros of its headers, its release, its git."""

import os
import re
import stat
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..findings import Unreadable, unreadable
from ..reading import launching, opening
from ..reading.git import UNFIT, Repository, is_top
from ..skiboot import c_table
from ..skiboot.layout import HEADERS, TABLES
from ..skiboot.patching import SourceText
from ..sources import MAX_BYTES

_TABLE = re.compile(rb"\bstruct\s+cpu_idle_states\s[^;{]*\[")
_OWN_FLAGS = re.compile(r"^#define\s+IDLE_USE_INST_NAP\b", re.MULTILINE)
_VERSION = re.compile(r"(?:skiboot-)?v?([0-9]+\.[0-9]+(?:\.[0-9]+)?(?:-rc[0-9]+)?)(?:-|$|\s)")
_RELEASE_TAGS = ("v[0-9]*.[0-9]*", "skiboot-[0-9]*.[0-9]*")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who signs off, as git knows the user."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


def has_tables(source: bytes) -> bool:
    """Whether a C source has an array of idle states."""
    return _TABLE.search(source) is not None


def macros(headers: Iterable[bytes], sources: Iterable[str]) -> dict[str, str]:
    """The macros of headers that tables use; none where flags are defined neither there nor, as
    before 5.0, in the `sources` with tables."""
    found: dict[str, str] = {}
    for header in headers:
        found |= c_table.definitions_in(header.decode("utf-8", "replace"))
    defined = any(head.startswith("OPAL_PM_") for head in found)
    return found if defined or any(map(_OWN_FLAGS.search, sources)) else {}


class PatchedTree:
    """A skiboot source tree. files: path -> text of the C files with idle tables; bytes that are
    not UTF-8 are kept as surrogates.

    Raises Unreadable (IS930) if the directory is not a skiboot tree.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.notes: list[str] = []
        """Notes for the user: what was not followed or could not be determined."""
        if not opening.is_directory(root):
            raise self.unreadable("expected a directory with skiboot's source, found none")
        self._files = opening.Tree(root)
        weakref.finalize(self, self._files.close)
        if not self.read(root / "hw/slw.c"):
            raise self.unreadable("expected a skiboot tree, with hw/slw.c, found none")
        names = sorted(
            f"hw/{entry.name}"
            for entry in self._files.entries("hw")
            if entry.kind in (opening.FILE, opening.LINK)
        )
        self.files = {
            name: data.decode("utf-8", "surrogateescape")
            for name in names
            if name.endswith(".c") and has_tables(data := self.read(root / name))
        }
        if not self.files:
            raise self.unreadable(
                "expected a skiboot tree, with arrays of struct cpu_idle_states in hw/, found none"
            )

    def read(self, path: Path) -> bytes:
        """The bytes of a file, by a path that begins with the tree's root; b"" if there is no such
        file. Raises Unreadable (IS930) if the path leads out of the tree, or the file is too large
        or not a regular file."""
        name = path.relative_to(self.root).as_posix()
        try:
            return self._files.read(name, MAX_BYTES)
        except opening.Outside:
            message = f"expected files in the tree, found {path.name} outside it"
            raise self.unreadable(message) from None
        except (FileNotFoundError, NotADirectoryError):
            return b""

    def content(self, name: str) -> bytes | None:
        """Like `read`, by the path within the tree; None if there is no such file."""
        return self.read(self.root / name) if self._files.is_file(name) else None

    def names(self) -> Iterator[str]:
        """Every regular file outside of .git, and every link to one, in the order of directories
        and names. Raises Unreadable (IS930) for a link that leads out of the tree, but to a
        directory: those are left alone. OSError."""
        waiting = [""]
        while waiting:
            top = waiting.pop()
            below = []
            for entry in sorted(self._files.entries(top, follow=False), key=lambda e: e.name):
                name = f"{top}{entry.name}"
                if entry.kind == opening.DIRECTORY:
                    below.append(f"{name}/")
                elif entry.kind == opening.FILE or self._is_linked_file(name):
                    yield name
            waiting += [name for name in reversed(below) if name.split("/")[-2] != ".git"]

    def _is_linked_file(self, name: str) -> bool:
        if self._files.kind_of(name) is None and not opening.is_directory(self.root / name):
            self.read(self.root / name)
        return self._files.is_file(name)

    @cached_property
    def defines(self) -> dict[str, str]:
        """The macros of the headers that tables use."""
        headers = [self.read(self.root / name) for name in HEADERS if self._files.is_file(name)]
        return macros(headers, self.files.values())

    @cached_property
    def sources(self) -> dict[str, SourceText]:
        """Path -> the file as read. Raises Unreadable (IS932)."""
        return {name: SourceText(text, name, self.defines) for name, text in self.files.items()}

    @cached_property
    def arrays(self) -> list[str]:
        """All tables the compiler sees, by the name of their array."""
        return [array for source in self.sources.values() for array in source.tables]

    @cached_property
    def repository(self) -> Repository | None:
        """The tree's git repository; None if the tree is not the root of a work tree or git is not
        installed. Raises Unreadable (IS930) if the repository leads elsewhere or is damaged."""
        if not is_top(self.root):
            return None
        if launching.find("git") is None:
            self.notes.append("git is not installed: release, changes and author are not known")
            return None
        found = Repository(self.root)
        weakref.finalize(self, found.close)
        self.notes += found.notes
        return found

    @cached_property
    def described(self) -> str:
        """The release with what comes after it: "v7.1-106-gecebf4fb3", "skiboot-5.4.0"; "" if
        unknown.

        From the newest release's tag in git, the file .version of a release's archive, or VERSION.
        """
        found = self.repository.described(*_RELEASE_TAGS) if self.repository else ""
        for name in (".version", "VERSION"):
            if not found and self._files.is_file(name):
                found = self.read(self.root / name)[:200].decode("utf-8", "replace")
        return found.strip()

    @cached_property
    def version(self) -> str:
        """The tree's release, or the last release before it: "5.5.0", "6.0-rc1"; "" if unknown."""
        match = _VERSION.match(f"{self.described} ")
        return match[1] if match else ""

    @cached_property
    def modified(self) -> Sequence[str]:
        """The files with tables and the headers they need that are not byte for byte as committed;
        empty if there is no git. No git filter is run: files that git checks out changed (line
        ends, keywords) count as modified."""
        if self.repository is None or not self.repository.has_head:
            return ()
        names = sorted({*self.files, *TABLES, *HEADERS})
        return tuple(
            entry.path
            for entry in self.repository.entries(self.repository.resolve("HEAD"), names)
            if self.repository.blob_name(self.read(self.root / entry.path)) != entry.hash
        )

    @cached_property
    def identity(self) -> Identity | None:
        """GIT_AUTHOR_NAME and GIT_AUTHOR_EMAIL, else user.name and user.email of the repository or
        of the user's own configuration. None unless both are known and fit on one line of a mail:
        no other identity is made up to sign off with."""
        if self.repository is None:
            return None
        user = self.repository.user()
        name = os.environ.get("GIT_AUTHOR_NAME") or user.name
        email = os.environ.get("GIT_AUTHOR_EMAIL") or user.email
        if user.is_conditional:
            self.notes.append(
                "what your git configuration includes by gitdir is not looked at; GIT_AUTHOR_NAME "
                "and GIT_AUTHOR_EMAIL say who signs off"
            )
        if user.is_unfit or UNFIT.search(name + email):
            self.notes.append("the author is left out: name or address is not fit for a mail")
            return None
        return Identity(name, email) if name and email else None

    def mode(self, file: str) -> str:
        """As git has it; of a file that is not there, a new one's."""
        executable = self._files.is_file(file) and self._files.mode(file) & stat.S_IXUSR
        return "100755" if executable else "100644"

    def unreadable(self, message: str) -> Unreadable:
        return unreadable(self.root.as_posix(), message)
