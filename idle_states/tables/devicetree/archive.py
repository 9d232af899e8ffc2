"""A tar archive of /proc/device-tree: directories are nodes, files are properties.

Nothing is unpacked to disk. Only directories and regular files may be in it: /proc/device-tree has
no others, and is itself a link, so that an archive of it alone holds nothing else.
"""

from collections.abc import Iterable, Iterator

from ...base.dataclass import dataclass, field
from ...base.model.findings import Location, unreadable
from ...base.reading.compressed import MAGICS
from ...base.reading.tar import DIRECTORY, REGULAR, Member, NotTar, members
from ...base.wording import plural
from .directory import MAX_ENTRIES
from .fdt import MAGIC_BYTES, MAX_BYTES
from .tree import MAX_DEPTH, NAME, Node, not_a_tree

_ROOTS = ("device-tree", "devicetree/base")
"""Ends of the paths that a tree is archived under."""
_INPUTS = (MAGIC_BYTES, b"/dts-v1/", *MAGICS)
"""The first bytes of a file that is no property but a blob, a source, or packed itself."""


def read(data: bytes, file: str) -> Node:
    """The root node; nodes and properties sorted by name.

    The root is the directory device-tree or devicetree/base if there is one, whatever lies beside
    it, else one with cpus or ibm,opal in it; the topmost of several. Without any it is the topmost
    directory with more than one directory in it. A directory power-mgt alone keeps its name.

    Raises Unreadable: IS930 for damaged archives, links and other things, and for several trees
    beside each other, IS931 for names and depths that no device tree has.
    """
    top = _Directory()
    try:
        _fill(top, members(data), file)
    except NotTar as error:
        raise unreadable(file, f"expected a tar archive, found: {error}") from None
    name, root = _root(top, file)
    return root.node(name if name == "power-mgt" else "")


@dataclass(slots=True)
class _Directory:
    directories: "dict[str, _Directory]" = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)

    def is_empty(self) -> bool:
        return not self.files and not self.directories

    def node(self, name: str) -> Node:
        children = (self.directories[child].node(child) for child in sorted(self.directories))
        return Node(name, {key: self.files[key] for key in sorted(self.files)}, tuple(children))


def _fill(top: _Directory, archive: Iterable[Member], file: str) -> None:
    bytes_left, entries_left = MAX_BYTES, MAX_ENTRIES
    for member in archive:
        path = member.name
        entries_left -= 1
        bytes_left -= len(member.data)
        if entries_left < 0:
            raise unreadable(file, f"expected at most {MAX_ENTRIES} files")
        if bytes_left < 0:
            raise unreadable(_at(path, file), f"expected at most {MAX_BYTES} bytes of properties")
        if member.kind not in (REGULAR, DIRECTORY):
            raise unreadable(
                _at(path, file),
                f"expected directories and regular files, found {member.kind}; to archive "
                "/proc/device-tree, say tar -C /proc/device-tree -cf FILE .",
            )
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if ".." in parts or len(parts) > MAX_DEPTH + len(_ROOTS) + 2:
            message = f"expected nodes nested at most {MAX_DEPTH} deep and no .."
            raise not_a_tree(_at(path, file), message)
        for part in parts:
            if not NAME.fullmatch(part):
                message = f"expected names of nodes and properties, found {part!a}"
                raise not_a_tree(_at(path, file), message)
        _put(top, parts, member.data if member.kind is REGULAR else None, path, file)


def _put(top: _Directory, parts: list[str], content: bytes | None, path: str, file: str) -> None:
    """A file with its content, or (None) a directory."""
    directory = top
    parents = parts if content is None else parts[:-1]
    for part in parents:
        if part in directory.files:
            raise not_a_tree(_at(path, file), f"expected one thing called {part}, found two")
        directory = directory.directories.setdefault(part, _Directory())
    if content is not None:
        if not parts or parts[-1] in directory.files or parts[-1] in directory.directories:
            raise not_a_tree(_at(path, file), "expected one property of this name, found two")
        directory.files[parts[-1]] = content


def _root(top: _Directory, file: str) -> tuple[str, _Directory]:
    """The directory that is the tree's root, and its name."""
    for is_root in (_is_named, _has_processors):
        for level in _levels(top):
            found = [(path, directory) for path, directory in level if is_root(path, directory)]
            if len(found) > 1:
                paths = ", ".join(path for path, _ in found[:3])
                message = f"expected one device tree, found {len(found)}: {paths}"
                raise unreadable(file, message)
            if found:
                path, directory = found[0]
                return path.rpartition("/")[2], directory
    inputs = [
        f"{path}/{name}".lstrip("/")
        for level in _levels(top)
        for path, directory in level
        for name, content in directory.files.items()
        if content.startswith(_INPUTS) or content[257:262] == b"ustar"
    ]
    if inputs:
        themselves = "itself" if len(inputs) == 1 else "themselves"
        files = f"{plural(len(inputs), 'file')} to be read by {themselves}, {inputs[0]!a:.80} first"
        message = f"expected the directories of one device tree, found {files}"
        raise unreadable(file, f"{message}: unpack the archive and name its folder")
    return _part(top)


def _levels(top: _Directory) -> Iterator[list[tuple[str, _Directory]]]:
    """Yields paths and directories by depth; does not descend into what is certainly a node."""
    level = [("", top)]
    while level:
        yield level
        level = [
            (f"{path}/{name}".lstrip("/"), child)
            for path, directory in level
            if "#address-cells" not in directory.files
            for name, child in directory.directories.items()
        ]


def _is_named(path: str, directory: _Directory) -> bool:
    """Tells whether a directory has a tree's name and is not empty, as some programs leave it."""
    return f"/{path}".endswith(tuple(f"/{end}" for end in _ROOTS)) and not directory.is_empty()


def _has_processors(path: str, directory: _Directory) -> bool:
    return "cpus" in directory.directories or "ibm,opal" in directory.directories


def _part(top: _Directory) -> tuple[str, _Directory]:
    """Returns the topmost node of an archive of a part of a tree, with its name."""
    name, found = "", top
    while not found.files and len(found.directories) == 1 and name != "power-mgt":
        ((name, found),) = found.directories.items()
    return name, found


def _at(path: str, file: str) -> Location:
    """The place of an entry of the archive."""
    return Location("".join(char if " " <= char <= "~" else "?" for char in path[:255]), file)
