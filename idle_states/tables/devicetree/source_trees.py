"""Source trees: where a kernel's or a loader's device-tree sources and what they include lie.

A tree is told by what lies above a source: Linux, U-Boot, Zephyr, or the sources of Linux on their
own (devicetree-rebasing, U-Boot's dts/upstream). Files are opened within the tree only.

Source: Linux scripts/Makefile.lib dtc_cpp_flags and DTC_INCLUDE; U-Boot scripts/Makefile.lib
dtc_cpp_flags; Zephyr cmake/modules/dts.cmake DTS_ROOT_SYSTEM_INCLUDE_DIRS.
"""

import os
import posixpath
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, Self

from ...base.dataclass import dataclass, replace
from ...base.model.findings import unreadable
from ...base.patterns import pattern
from ...base.reading import limits, opening
from .preprocessor import Sections, sections


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of tree.

    signs     paths that a tree of the kind has
    boards    folders whose .dts are boards
    includes  the search path of a file of the tree, by its path there
    own       where the sources of an architecture lie, its name as {}; "": all over the tree
    lacks     paths that no tree of the kind has, where its signs are those of others, too
    """

    name: str
    signs: tuple[str, ...]
    boards: tuple[str, ...]
    includes: Callable[[tuple[str, ...]], tuple[str, ...]]
    own: str = ""
    lacks: tuple[str, ...] = ()

    def paths(self, name: str) -> tuple[str, ...]:
        """Returns the names in a tree of this kind of a file that in another may be called `name`:
        in Linux arch/arm64/boot/dts/a/b.dtsi, in its sources alone src/arm64/a/b.dtsi, in short
        arm64/a/b.dtsi."""
        short = short_name(name)
        arch, _, rest = short.partition("/")
        made = f"{self.own.format(arch)}/{rest}" if self.own and rest else name
        return tuple(dict.fromkeys((name, made)))


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


_ARCH_FOLDER = pattern(
    r"\A(?:arch/(?=\w+/boot/dts/)|(?:dts/upstream/)?src/(?=\w+/)|arch/(?=\w+/dts/)|dts/(?=\w+/))"
    r"(\w+/)(?:boot/dts/|dts/)?"
)


def short_name(path: str) -> str:
    """A file of whatever kind of tree by its architecture and the path in its folder:
    arm64/a/b.dtsi."""
    return _ARCH_FOLDER.sub(r"\1", path)


UPSTREAM = "dts/upstream/"
"""The folder where U-Boot keeps the sources of Linux."""

_LINUX = Layout(
    "Linux", ("include/dt-bindings", "arch", "kernel"), ("arch",), _linux, "arch/{}/boot/dts"
)
LAYOUTS = (
    Layout("devicetree-rebasing", ("src", "include/dt-bindings"), ("src",), _sources, "src/{}"),
    Layout("Zephyr", ("dts/bindings", "include/zephyr"), ("boards",), _zephyr, "dts/{}"),
    Layout("U-Boot", ("arch", "dts", "include/u-boot"), ("arch",), _u_boot, "arch/{}/dts"),
    Layout("U-Boot", ("arch", "dts/upstream"), ("arch",), _u_boot, "arch/{}/dts"),
    _LINUX,
    # parts of U-Boot and barebox have the same signs
    replace(_LINUX, signs=_LINUX.signs[:2], lacks=("dts", "arch/arm/dts", "arch/riscv/dts")),
)


class SourceFiles(Protocol):
    """The access to files that reading a tree's sources takes; `opening.Tree` documents it."""

    @property
    def real(self) -> str: ...
    def close(self) -> None: ...
    def is_file(self, relative: str) -> bool: ...
    def resolved(self, relative: str) -> str: ...
    def shown(self, relative: str) -> str: ...
    def entries(
        self, relative: str = "", *, follow: bool = True
    ) -> Iterator[opening.DirectoryEntry]: ...
    def read(
        self,
        relative: str,
        limit: int = limits.FILE_BYTES,
        *,
        shown: str | None = None,
        follow: bool = True,
    ) -> bytes: ...


class Kept:
    """The cache that sources of one tree share.

    files    as the preprocessor takes them, the most recent ones
    paths    (folders, name) -> the file that the name stands for there
    sources  what was made of a table -> for the rooms above, see sources.same_tables
    writers  words -> file -> whether it has one of them
    """

    def __init__(self, most: int = 16 << 20) -> None:
        self._most = most
        self._size = 0
        self._files: OrderedDict[str, Sections] = OrderedDict()
        self.paths: dict[tuple[tuple[str, ...], str], str | None] = {}
        self.sources: dict[str, Any] = {}
        self.writers: dict[str, dict[str, bool]] = {}

    def file(self, tree: SourceFiles, path: str) -> Sections:
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


class _Keeping:
    def __init__(self) -> None:
        self.depth = 0
        self.trees: dict[Path, Kept] = {}

    def __bool__(self) -> bool:
        return self.depth > 0

    def of(self, top: Path) -> Kept:
        return self.trees.setdefault(top, Kept())


_keeping = _Keeping()


def kept_within(tree: "SourceTree") -> Kept | None:
    """Returns the cache of a tree within `keeping`; None outside of it."""
    return tree.kept if _keeping else None


@contextmanager
def keeping() -> Iterator[None]:
    """A context manager: files of trees are read once for all sources that are read within it, and
    are taken not to change."""
    _keeping.depth += 1
    try:
        yield
    finally:
        _keeping.depth -= 1
        if not _keeping:
            _keeping.trees.clear()


def keep_on() -> None:
    """Keeps as `keeping` does, for the rest of this process."""
    _keeping.depth = max(1, _keeping.depth)


class SourceTree:
    """A tree that is open, for one source of it.

    inner     the source's path in the tree
    includes  folders of the tree in which <names> are sought, in their order
    missing   names that were sought and not found, and read as empty files
    """

    def __init__(
        self,
        tree: SourceFiles,
        top: Path,
        inner: str,
        shown: Path,
        layout: Layout | None,
        kept: Kept | None = None,
        may_miss: tuple[str, ...] = (),
    ) -> None:
        """tree: open, closed with this; top: where it is; shown: what messages call the source;
        may_miss: how the names of files end that may be missing."""
        self.tree = tree
        self.inner = inner
        self.top = top
        self.layout = layout
        parts = tuple(inner.split("/"))
        self.includes = layout.includes(parts) if layout else ()
        self.kept = kept or (_keeping.of(top) if _keeping else Kept())
        self.missing: dict[str, None] = {}
        self._may_miss = may_miss
        self._absolute = shown.is_absolute()
        self._source = shown.as_posix()
        self._named: dict[str, str] = {self._source: inner}

    @classmethod
    def above(cls, where: Path | opening.Found, kept: Kept | None = None) -> Self:
        """The tree that a source lies in; where it lies in none, its folder. Raises OSError."""
        if not isinstance(where, opening.Found):
            folder = os.path.realpath(where.parent)
            top, layout = top_of(folder)
            inner = os.path.relpath(os.path.join(folder, where.name), top)
            return cls(opening.Tree(top), top, inner, where, layout, kept)
        # below the folder that was named no link is followed
        named = os.path.realpath(where.top)
        file = os.path.join(named, where.inner)
        top, layout = top_of(os.path.dirname(file))
        below = os.path.relpath(top, named)
        if below.split("/")[0] in (".", ".."):
            tree: SourceFiles = opening.Tree(top)
        else:
            with opening.Tree(where.top) as whole:
                tree = whole.below(below)
        return cls(tree, top, os.path.relpath(file, top), where.path, layout, kept)

    def close(self) -> None:
        self.tree.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def find(self, name: str, quoted: bool, includer: str) -> tuple[str, Sections] | None:
        """Finds an included file as `preprocessor.Find` does."""
        path = self.sought(name, quoted, self._named[includer])
        if path is None:
            if not name.endswith(self._may_miss):
                return None
            self.missing[name] = None
            return name, sections(b"")
        shown = self.shown(path)
        self._named[shown] = path
        return shown, self.kept.file(self.tree, path)

    def sought(self, name: str, quoted: bool, includer: str) -> str | None:
        """The path in the tree of what a file of it, `includer`, includes. Raises Unreadable as
        `path` does."""
        own = posixpath.dirname(includer)
        folders = (own, *self.includes) if quoted else self.includes
        key = folders, name
        if key not in self.kept.paths:
            self.kept.paths[key] = self.path(name, folders)
        return self.kept.paths[key]

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
        """Returns a file's name in messages, by the way that the source was named."""
        if path == self.inner:
            return self._source
        file = os.path.join(self.tree.real, path)
        return Path(file if self._absolute else os.path.relpath(file)).as_posix()


def layouts_in(paths: Iterable[str]) -> dict[str, Layout]:
    """The trees among the files of a repository: what their paths begin with -> their kind. The
    sources of Linux may lie in U-Boot."""
    folders = set[str]()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    found = {}
    for top in ("", UPSTREAM):
        own = {folder.removeprefix(top) for folder in folders if folder.startswith(top)}
        if (layout := _layout(own.__contains__)) is not None:
            found[top] = layout
    return found


def layout_at(folder: Path) -> Layout | None:
    """Returns the layout of the tree that a folder is the top of, if it is one's."""
    return _layout(lambda path: opening.kind_of(folder / path) == opening.DIRECTORY)


def _layout(has: Callable[[str], bool]) -> Layout | None:
    """The kind of a tree; None where it is not known. has: whether there is a folder of a path."""
    for layout in LAYOUTS:
        if all(map(has, layout.signs)) and not any(map(has, layout.lacks)):
            return layout
    return None


def top_of(folder: str) -> tuple[Path, Layout | None]:
    """The top of the tree that a folder lies in; the folder itself for none. folder: its absolute
    path, links followed."""
    real = Path(folder)
    for top in (real, *real.parents):
        layout = layout_at(top)
        if layout is not None:
            return top, layout
    return real, None
