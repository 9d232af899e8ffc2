"""A directory in the form of /proc/device-tree: directories are nodes, files are properties.

Only directories and regular files count, links are left alone, and how much is read is bounded
as for a blob.
"""

from collections.abc import Callable
from pathlib import Path

from ...base.model.findings import Location, Unreadable, unreadable
from ...base.reading import limits
from ...base.reading.opening import DIRECTORY, FILE, Tree, bounded
from .fdt import MAX_BYTES
from .tree import MAX_DEPTH, NAME, Node, not_a_tree

MAX_ENTRIES = limits.TREE_ENTRIES

_NEEDED = ("ibm,cpu-idle-state-", "ibm,enabled-stop-levels", "cpu-version", "compatible")

SIGNS = ("compatible", "model", "#address-cells", "ibm,opal", "cpus", "power-mgt")
"""Names of entries by which a directory is recognised as a device tree."""


def is_device_tree(tree: Tree, relative: str = "") -> bool:
    """Tells whether a directory of the tree has an entry as the top of a device tree has, or as its
    power-mgt node. Raises OSError or Unreadable for one that cannot be listed."""
    names = (entry.name for entry in tree.entries(relative, follow=False))
    return any(name in SIGNS or "cpu-idle-state" in name for name in names)


def read(path: Path, opened: Callable[[], Tree] | None = None) -> Node:
    """The root node; nodes and properties sorted by name.

    opened  opens the directory; None: by its path

    A directory called power-mgt keeps its name, so that it is known as that node; any other is
    taken for a root. Properties that the user may not read are left out, as a running machine
    has some that are for root alone; those that a table of idle states depends on are not.

    Raises Unreadable: IS930 for what cannot be read or is too much, IS931 for names or a depth
    that no device tree has.
    """
    own_name = path.resolve().name
    reader = _Reader(path)
    try:
        tree = opened() if opened else Tree(path)
    except OSError as error:
        raise reader.not_readable("/", "directory", error) from None
    with tree:
        return reader.node(tree, "power-mgt" if own_name == "power-mgt" else "", "/", 1)


class _Reader:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.bytes_left = MAX_BYTES
        self.entries_left = MAX_ENTRIES

    def node(self, tree: Tree, name: str, path: str, depth: int) -> Node:
        """The node that a directory is, with all below it; `depth` is bounded.

        path  from the root
        """
        if depth > MAX_DEPTH:
            raise self._malformed(path, f"expected nodes nested at most {MAX_DEPTH} deep")
        files, directories = self._listed(tree, path)
        properties = {
            file: data
            for file in files
            if (data := self._value(tree, file, _join(path, file))) is not None
        }
        children = []
        for child in directories:
            try:
                below = tree.below(child)
            except OSError as error:
                raise self.not_readable(_join(path, child), "directory", error) from None
            with below:
                children.append(self.node(below, child, _join(path, child), depth + 1))
        return Node(name, properties, tuple(children))

    def _listed(self, tree: Tree, path: str) -> tuple[list[str], list[str]]:
        """Names of the regular files and of the directories in a directory, sorted."""
        files, directories = [], []
        try:
            for entry in tree.entries():
                self.entries_left -= 1
                if self.entries_left < 0:
                    raise self._unreadable(path, f"expected at most {MAX_ENTRIES} files")
                if entry.kind == DIRECTORY:
                    directories.append(entry.name)
                elif entry.kind == FILE:
                    files.append(entry.name)
        except OSError as error:
            raise self.not_readable(path, "directory", error) from None
        for name in (*files, *directories):
            if not NAME.fullmatch(name):
                message = f"expected names of nodes and properties, found {name!a}"
                raise self._malformed(path, message)
        return sorted(files), sorted(directories)

    def _value(self, tree: Tree, name: str, path: str) -> bytes | None:
        """The bytes of a property; None if the user may not read it and nothing depends on it."""
        try:
            with tree.open_file(name, follow=False) as file:
                data = bounded(file, self.bytes_left, path)
        except OSError as error:
            if isinstance(error, PermissionError) and not name.startswith(_NEEDED):
                return None
            raise self.not_readable(path, "property", error) from None
        except Unreadable:
            message = f"expected regular files, at most {MAX_BYTES} bytes of properties"
            raise self._unreadable(path, message) from None
        self.bytes_left -= len(data)
        return data

    def not_readable(self, path: str, what: str, error: OSError) -> Unreadable:
        message = f"expected a readable {what}, found: {error.strerror}"
        return self._unreadable(path, message)

    def _unreadable(self, path: str, message: str) -> Unreadable:
        return unreadable(Location(path, self.root.as_posix()), message)

    def _malformed(self, path: str, message: str) -> Unreadable:
        return not_a_tree(Location(path, self.root.as_posix()), message)


def _join(path: str, name: str) -> str:
    return f"{path.rstrip('/')}/{name}"
