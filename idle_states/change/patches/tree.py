"""A skiboot tree: its files with idle tables, macros of its headers, its release."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from ...base.patterns import pattern
from ...base.reading import opening
from ...tables.skiboot import c_table
from ...tables.skiboot.layout import HEADERS, TABLES
from ...tables.skiboot.patching import SourceText
from ...tables.skiboot.patching.declarations import ENUM2HEADER
from .work_tree import WorkTree

_TABLE = pattern(rb"\bstruct\s+cpu_idle_states\s[^;{]*\[")
_OWN_FLAGS = pattern(r"^#define\s+IDLE_USE_INST_NAP\b", re.MULTILINE)
_VERSION = pattern(r"(?:skiboot-)?v?([0-9]+\.[0-9]+(?:\.[0-9]+)?(?:-rc[0-9]+)?)(?:-|$|\s)")
_RELEASE_TAGS = ("v[0-9]*.[0-9]*", "skiboot-[0-9]*.[0-9]*")


def has_tables(source: bytes) -> bool:
    """Tells whether a C source has an array of idle states."""
    return _TABLE.search(source) is not None


def macros(headers: Iterable[bytes], sources: Iterable[str]) -> dict[str, str]:
    """The macros of headers that tables use; none where flags are defined neither there nor, as
    before 5.0, in the `sources` with tables."""
    found: dict[str, str] = {}
    for header in headers:
        found |= c_table.definitions_in(header.decode("utf-8", "replace"))
    defined = any(head.startswith("OPAL_PM_") for head in found)
    return found if defined or any(map(_OWN_FLAGS.search, sources)) else {}


class PatchedTree(WorkTree):
    """A skiboot source tree. files: of the C files with idle tables.

    Raises Unreadable (IS930) if the directory is not a skiboot tree.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root, "skiboot's")
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
        self._tables = tuple(self.files)
        if not self.files:
            raise self.unreadable(
                "expected a skiboot tree, with arrays of struct cpu_idle_states in hw/, found none"
            )

    @cached_property
    def defines(self) -> dict[str, str]:
        """The macros of the headers that tables use."""
        headers = [self.read(self.root / name) for name in HEADERS if self._files.is_file(name)]
        return macros(headers, self.files.values())

    @cached_property
    def sources(self) -> dict[str, SourceText]:
        """Path -> the file as read. Raises Unreadable (IS932)."""
        return {name: SourceText(self.files[name], name, self.defines) for name in self._tables}

    def text(self, name: str) -> str:
        """The text of another file of the tree, which a patch may then change; "" for none."""
        if name not in self.files and self._files.is_file(name):
            self.files[name] = self.read(self.root / name).decode("utf-8", "surrogateescape")
        return self.files.get(name, "")

    @cached_property
    def arrays(self) -> list[str]:
        """All tables the compiler sees, by the name of their array."""
        return [array for source in self.sources.values() for array in source.tables]

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

    def needed(self) -> Sequence[str]:
        """The files with tables, and the headers that these, their chips and generations need."""
        return list({*self.files, *TABLES, *HEADERS, *ENUM2HEADER.values()})
