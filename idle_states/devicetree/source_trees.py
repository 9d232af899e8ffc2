"""Source trees: where a kernel's or a loader's device-tree sources and what they include lie.

A tree is told by what lies above a source: Linux, U-Boot, Zephyr, or the sources of Linux on their
own (devicetree-rebasing, U-Boot's dts/upstream). Files are opened within the tree only.

Source: Linux scripts/Makefile.lib dtc_cpp_flags and DTC_INCLUDE; U-Boot scripts/Makefile.lib
dtc_cpp_flags; Zephyr cmake/modules/dts.cmake DTS_ROOT_SYSTEM_INCLUDE_DIRS.
"""

import os
import posixpath
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ..findings import unreadable
from ..reading import limits, opening
from .preprocessor import Sections, sections


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of tree.

    signs     paths that a tree of the kind has
    boards    folders whose .dts are boards
    includes  the search path of a file of the tree, by its path there
    """

    name: str
    signs: tuple[str, ...]
    boards: tuple[str, ...]
    includes: Callable[[tuple[str, ...]], tuple[str, ...]]


def _linux(inner: tuple[str, ...]) -> tuple[str, ...]:
    own = f"arch/{inner[1]}/boot/dts" if len(inner) > 1 else "arch"
    return "scripts/dtc/include-prefixes", own, f"{own}/include", "include"


def _sources(inner: tuple[str, ...]) -> tuple[str, ...]:
    return f"src/{inner[1] if len(inner) > 1 else ''}", "src", "include"


def _u_boot(inner: tuple[str, ...]) -> tuple[str, ...]:
    arch = inner[1] if len(inner) > 1 else ""
    upstream = f"dts/upstream/src/{arch}", "dts/upstream/include"
    return f"arch/{arch}/dts", f"arch/{arch}/dts/include", "include", *upstream


_ZEPHYR_ARCHS = ("arm", "arm64", "riscv", "x86", "xtensa", "arc", "mips", "sparc", "posix", "rx")


def _zephyr(inner: tuple[str, ...]) -> tuple[str, ...]:
    # which architecture a board has is said elsewhere; the folders within them are makers' names
    archs = (f"dts/{arch}" for arch in _ZEPHYR_ARCHS)
    return "include", "include/zephyr", "dts/common", "dts/vendor", *archs, "dts"


LAYOUTS = (
    Layout("the sources of Linux", ("src", "include/dt-bindings"), ("src",), _sources),
    Layout("Zephyr", ("dts/bindings", "include/zephyr"), ("boards",), _zephyr),
    Layout("U-Boot", ("arch", "dts", "include/u-boot"), ("arch",), _u_boot),
    Layout("Linux", ("include/dt-bindings", "arch"), ("arch",), _linux),
)


class Kept:
    """Files as the preprocessor takes them, the most recent ones, for sources of one tree."""

    def __init__(self, most: int = 16 << 20) -> None:
        self._most = most
        self._size = 0
        self._files: OrderedDict[str, Sections] = OrderedDict()
        self.paths: dict[tuple[tuple[str, ...], str], str | None] = {}

    def file(self, tree: opening.Tree, path: str) -> Sections:
        """Raises OSError, Unreadable, Misread."""
        found = self._files.get(path)
        if found is None:
            found = self._files[path] = sections(tree.read(path, limits.DTS_BYTES))
            self._size += len(found.shown)
            while self._size > self._most and len(self._files) > 1:
                self._size -= len(self._files.popitem(last=False)[1].shown)
        else:
            self._files.move_to_end(path)
        return found


class SourceTree:
    """A tree that is open, for one source of it.

    inner     the source's path in the tree
    includes  folders of the tree in which <names> are sought, in their order
    """

    def __init__(
        self, top: Path, inner: str, shown: Path, layout: Layout | None, kept: Kept | None = None
    ) -> None:
        """shown: what messages call the source. Raises OSError."""
        self.tree = opening.Tree(top)
        self.inner = inner
        self.layout = layout
        parts = tuple(inner.split("/"))
        self.includes = layout.includes(parts) if layout else ()
        self.kept = Kept() if kept is None else kept
        self._absolute = shown.is_absolute()
        self._source = shown.as_posix()
        self._named: dict[str, str] = {self._source: inner}

    @classmethod
    def above(cls, where: Path | opening.Found, kept: Kept | None = None) -> Self:
        """The tree that a source lies in; where it lies in none, its folder. Raises OSError."""
        path = where.path if isinstance(where, opening.Found) else where
        top, layout = top_of(path.parent)
        inner = os.path.join(os.path.relpath(os.path.realpath(path.parent), top), path.name)
        return cls(top, posixpath.normpath(inner), path, layout, kept)

    def close(self) -> None:
        self.tree.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def find(self, name: str, quoted: bool, includer: str) -> tuple[str, Sections] | None:
        """As `preprocessor.Find`."""
        folder = posixpath.dirname(self._named[includer]) if quoted else ""
        folders = (folder, *self.includes) if quoted else self.includes
        key = folders, name
        if key not in self.kept.paths:
            self.kept.paths[key] = self.path(name, folders)
        path = self.kept.paths[key]
        if path is None:
            return None
        shown = self.shown(path)
        self._named[shown] = path
        return shown, self.kept.file(self.tree, path)

    def path(self, name: str, folders: tuple[str, ...]) -> str | None:
        """The first file of a name in one of several folders, links followed. Raises Unreadable for
        one that leads out of the tree."""
        for folder in folders:
            joined = posixpath.join(folder, name)
            if name.startswith("/"):
                raise unreadable(name, "expected includes within the tree of the source only")
            try:
                found = self.tree.resolved(joined)
            except opening.Outside:
                message = f"expected includes within the tree of the source only, found {name!r}"
                raise unreadable(name, message) from None
            except OSError:
                continue
            if self.tree.is_file(found):
                return found
        return None

    def shown(self, path: str) -> str:
        """What messages call a file of the tree: by the way that the source was named."""
        if path == self.inner:
            return self._source
        file = os.path.join(self.tree.real, path)
        return Path(file if self._absolute else os.path.relpath(file)).as_posix()


def top_of(folder: Path) -> tuple[Path, Layout | None]:
    """The top of the tree that a folder lies in, links followed; the folder itself for none."""
    real = Path(os.path.realpath(folder))
    for top in (real, *real.parents):
        for layout in LAYOUTS:
            if all(opening.kind_of(top / sign) == opening.DIRECTORY for sign in layout.signs):
                return top, layout
    return real, None
