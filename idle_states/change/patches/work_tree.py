"""A source tree that patches are made for: its files, its git repository, who signs off."""

import os
import stat
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from ...base.dataclass import dataclass
from ...base.model.findings import Unreadable, unreadable
from ...base.reading import launching, opening
from ...base.reading.git.place import is_top
from ...base.reading.git.repository import Repository
from ...base.reading.git_am import UNFIT
from ...tables.sources import MAX_BYTES


@dataclass(frozen=True, slots=True)
class Identity:
    """The name and address that sign off, from git's configuration of the user."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


def as_bytes(texts: Mapping[str, str]) -> dict[str, bytes | None]:
    """Texts as `WorkTree.files` holds them, as bytes."""
    return {name: text.encode("utf-8", "surrogateescape") for name, text in texts.items()}


class WorkTree:
    """A source tree. files: path -> text of those that patches may change; bytes that are not UTF-8
    are kept as surrogates.

    Raises Unreadable (IS930) if the directory is none.
    """

    def __init__(self, root: Path, what: str) -> None:
        """what: whose source is expected, for messages."""
        self.root = root
        self.files: dict[str, str] = {}
        self.notes: list[str] = []
        """Notes for the user: what was not followed or could not be determined."""
        if not opening.is_directory(root):
            raise self.unreadable(f"expected a directory with {what} source, found none")
        self._files = opening.Tree(root)
        weakref.finalize(self, self._files.close)

    @property
    def version(self) -> str:
        """The tree's release, or the last release before it; "" if unknown."""
        return ""

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
        and names. The file .git of a submodule or another work tree is left out as well: a copy
        that had it would lead git to the repository.

        Raises Unreadable (IS930) for a link that leads out of the tree, but to a directory: those
        are left alone. OSError.
        """
        waiting = [""]
        while waiting:
            top = waiting.pop()
            below = []
            for entry in sorted(self._files.entries(top, follow=False), key=lambda e: e.name):
                name = f"{top}{entry.name}"
                if entry.name == ".git":
                    continue
                if entry.kind == opening.DIRECTORY:
                    below.append(f"{name}/")
                elif entry.kind == opening.FILE or self._is_linked_file(name):
                    yield name
            waiting += reversed(below)

    def _is_linked_file(self, name: str) -> bool:
        if self._files.kind_of(name) is None and not opening.is_directory(self.root / name):
            self.read(self.root / name)
        return self._files.is_file(name)

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

    def needed(self) -> Sequence[str]:
        """The files that what is made of the tree depends on."""
        return list(self.files)

    @cached_property
    def modified(self) -> Sequence[str]:
        """The files that are `needed` and not byte for byte as committed; empty if there is no git.
        No git filter is run: files that git checks out changed (line ends, keywords) count as
        modified."""
        if self.repository is None or not self.repository.has_head:
            return ()
        names = sorted(self.needed())
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
                "includes by gitdir in your git configuration are not read; GIT_AUTHOR_NAME and "
                "GIT_AUTHOR_EMAIL name the author"
            )
        if user.is_unfit or UNFIT.search(name + email):
            self.notes.append("the author is left out: name or address is not valid in a mail")
            return None
        return Identity(name, email) if name and email else None

    def mode(self, file: str) -> str:
        """A file's mode in git, "100644" or "100755"; 100644 for a file that is not there yet."""
        executable = self._files.is_file(file) and self._files.mode(file) & stat.S_IXUSR
        return "100755" if executable else "100644"

    def unreadable(self, message: str) -> Unreadable:
        return unreadable(self.root.as_posix(), message)
