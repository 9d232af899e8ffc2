"""What reading gives (`Source`) and what formats read from (`File`)."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from ..devicetree.tree import Node
from ..findings import Finding, Location, Severity, Unreadable
from ..power_mgt import PowerMgt
from ..reading import limits, opening
from ..spec.suppress import Suppression
from ..table import IdleTable

MAX_BYTES = limits.FILE_BYTES
MAX_UNPACKED_BYTES = limits.UNPACKED_BYTES


@dataclass(frozen=True, slots=True)
class Source:
    """One table as read, with what belongs to it.

    table         None where reading found errors (see findings) or a tree has no such node
    findings      what reading found
    node          raw power-mgt node, for device trees
    suppressions  from the spec and its ancestors
    texts         file -> text, for source frames
    tree          the whole tree, for device trees
    facts         (what, text) that a log says of its machine
    """

    name: str
    file: str
    sha256: str
    table: IdleTable | None
    findings: tuple[Finding, ...] = ()
    node: PowerMgt | None = None
    suppressions: tuple[Suppression, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    tree: Node | None = field(default=None, repr=False)
    facts: tuple[tuple[str, str], ...] = ()


class File:
    """A file or directory that a format may read.

    path   where it is
    found  the way to it, if it was found below a directory that the user named
    shown  what messages and reports call it
    data   the bytes of a file; of a directory none
    """

    def __init__(self, where: Path | opening.Found, data: bytes) -> None:
        self.found = where if isinstance(where, opening.Found) else None
        self.path = where.path if isinstance(where, opening.Found) else where
        self.shown = where.as_posix()
        self.data = data

    @classmethod
    def open(cls, where: Path | opening.Found) -> "File":
        """What the user named, or what was found below a directory that was: of that, a link is
        not followed. Raises Unreadable (IS930) for what is no regular file, too large or forbidden.
        """
        shown = where.as_posix()
        try:
            if isinstance(where, opening.Found):
                with opening.Tree(where.top) as tree:
                    if tree.kind_of(where.inner, follow=False) == opening.DIRECTORY:
                        return cls(where, b"")
                    data = tree.read(where.inner, MAX_BYTES, shown=shown, follow=False)
                    return cls(where, data)
            kind = opening.kind_of(where)
            if kind == opening.DIRECTORY:
                return cls(where, b"")
            if kind is None:
                message = "expected a regular file or a directory, found nothing of that name"
                raise unreadable(shown, message)
            return cls(where, opening.read(where, MAX_BYTES, shown=shown))
        except OSError as error:
            message = f"expected a readable file, found: {error.strerror}"
            raise unreadable(shown, message) from None

    def opened(self) -> opening.Tree:
        """The directory that it is. Raises OSError."""
        if self.found is None:
            return opening.Tree(self.path)
        with opening.Tree(self.found.top) as top:
            return top.below(self.found.inner)

    def beside(self) -> opening.Tree:
        """The directory that it lies in. Raises OSError."""
        if self.found is None:
            return opening.Tree(self.path.parent)
        with opening.Tree(self.found.top) as top:
            return top.below(PurePosixPath(self.found.inner).parent.as_posix())

    @cached_property
    def text(self) -> str:
        """As UTF-8; bytes that are none are replaced."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def unpacked(self) -> bytes:
        """What was compressed, else the data. Raises Unreadable (IS930)."""
        from ..reading.compressed import DamagedArchive, TooLarge, whole

        try:
            return whole(self.data, MAX_UNPACKED_BYTES)
        except TooLarge:
            message = f"expected at most {MAX_UNPACKED_BYTES} bytes unpacked"
        except DamagedArchive as error:
            message = f"expected a whole archive, found: {error}"
        raise unreadable(self.shown, message)

    def sources(self, tables: Iterable[IdleTable]) -> list[Source]:
        """A Source for each table of a text."""
        return [
            Source(table.name, self.shown, self.sha256, table, texts={self.shown: self.text})
            for table in tables
        ]


class NoSuchTable(Exception):
    """A TABLE that names nothing, or one of several without saying which: a usage error."""


def unreadable(file: str, message: str) -> Unreadable:
    return Unreadable(
        [Finding("IS930", "unreadable-input", Severity.ERROR, message, Location(file=file))]
    )
