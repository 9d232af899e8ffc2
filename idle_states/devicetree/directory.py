"""A directory in the form of /proc/device-tree: directories are nodes, files are properties.

Only directories and regular files count, links are left alone, and how much is read is bounded
as for a blob.
"""

import os
import stat
from pathlib import Path

from ..findings import Finding, Location, Severity, Unreadable
from .fdt import MAX_BYTES
from .tree import MAX_DEPTH, NAME, Node

MAX_ENTRIES = 200_000

_NEEDED = ("ibm,cpu-idle-state-", "ibm,enabled-stop-levels", "cpu-version", "compatible")


def read(path: Path) -> Node:
    """The root node; nodes and properties sorted by name.

    A directory called power-mgt keeps its name, so that it is known as that node; any other is
    taken for a root. Properties that the user may not read are left out, as a running machine
    has some that are for root alone; those that a table of idle states depends on are not.

    Raises Unreadable: IS930 for what cannot be read or is too much, IS931 for names or a depth
    that no device tree has.
    """
    own_name = path.resolve().name
    return _Reader(path).node("power-mgt" if own_name == "power-mgt" else "", "/", 1)


class _Reader:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.bytes_left = MAX_BYTES
        self.entries_left = MAX_ENTRIES

    def node(self, name: str, path: str, depth: int) -> Node:
        """The node at a path from the root, with all below it; `depth` is bounded."""
        if depth > MAX_DEPTH:
            raise self._malformed(path, f"expected nodes nested at most {MAX_DEPTH} deep")
        files, directories = self._listed(path)
        properties = {
            file: data for file in files if (data := self._value(_join(path, file))) is not None
        }
        children = (self.node(child, _join(path, child), depth + 1) for child in directories)
        return Node(name, properties, tuple(children))

    def _listed(self, path: str) -> tuple[list[str], list[str]]:
        """Names of the regular files and of the directories in a directory, sorted."""
        files, directories = [], []
        try:
            with os.scandir(self._file(path)) as entries:
                for entry in entries:
                    self.entries_left -= 1
                    if self.entries_left < 0:
                        raise self._unreadable(path, f"expected at most {MAX_ENTRIES} files")
                    if entry.is_dir(follow_symlinks=False):
                        directories.append(entry.name)
                    elif entry.is_file(follow_symlinks=False):
                        files.append(entry.name)
        except OSError as error:
            message = f"expected a readable directory, found: {error.strerror}"
            raise self._unreadable(path, message) from None
        for name in (*files, *directories):
            if not NAME.fullmatch(name):
                message = f"expected names of nodes and properties, found {name!a}"
                raise self._malformed(path, message)
        return sorted(files), sorted(directories)

    def _value(self, path: str) -> bytes | None:
        """The bytes of a property; None if the user may not read it and nothing depends on it."""
        try:
            # a pipe put in place of the file must not make us wait
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with open(os.open(self._file(path), flags), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return None
                data = file.read(self.bytes_left + 1)
        except OSError as error:
            name = path.rpartition("/")[2]
            if isinstance(error, PermissionError) and not name.startswith(_NEEDED):
                return None
            message = f"expected a readable property, found: {error.strerror}"
            raise self._unreadable(path, message) from None
        self.bytes_left -= len(data)
        if self.bytes_left < 0:
            raise self._unreadable(path, f"expected at most {MAX_BYTES} bytes of properties")
        return data

    def _file(self, path: str) -> Path:
        return self.root / path[1:]

    def _unreadable(self, path: str, message: str) -> Unreadable:
        return self._bad("IS930", "unreadable-input", path, message)

    def _malformed(self, path: str, message: str) -> Unreadable:
        return self._bad("IS931", "not-a-device-tree", path, message)

    def _bad(self, code: str, name: str, path: str, message: str) -> Unreadable:
        where = Location(path, self.root.as_posix())
        return Unreadable([Finding(code, name, Severity.ERROR, message, where)])


def _join(path: str, name: str) -> str:
    return f"{path.rstrip('/')}/{name}"
