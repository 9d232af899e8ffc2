"""What edits of device-tree source do to the boards that include it: exactly what was meant, or
they are refused.

Each board is built by the program's own reader, before and after. Numbers of phandles, which dtc
gives anew, are compared by the nodes they stand for.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..audit.trees import differences
from ..devicetree.board_builds import BuiltBoard
from ..devicetree.patching import DtsValue
from ..devicetree.patching.values import FLAGS, LISTS, STRINGS
from ..findings import Location
from ..power_mgt import cells

_PHANDLES = ("phandle", "linux,phandle")

Found = DtsValue | bytes
"""A value as a board has it: a list's nodes by path; bytes that are no value of its kind."""


@dataclass(slots=True)
class Meant:
    """What a description means to change, of nodes as `DtsNode.path` names them.

    values  (node, property) -> its new value
    gone    nodes that go, with their entries in lists
    new     node that comes -> its properties
    """

    values: dict[tuple[str, str], DtsValue] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    new: dict[str, Mapping[str, DtsValue]] = field(default_factory=dict)


def path_on(board: BuiltBoard, path: str) -> str:
    """The path on a board of a node as a file names it; "" if the board has no such label."""
    if not path.startswith("&"):
        return path
    label, slash, rest = path[1:].partition("/")
    named = board.labels.get(label, "")
    return f"{named.rstrip('/')}{slash}{rest}" if named else ""


def has_node(board: BuiltBoard, path: str) -> bool:
    where = path_on(board, path)
    return bool(where) and board.root.find(where) is not None


def value_on(board: BuiltBoard, path: str, name: str) -> Found:
    """A property of a node, which the board has."""
    node = board.root.find(path_on(board, path))
    data = None if node is None else node.properties.get(name)
    if data is None:
        return None
    if name in LISTS:
        listed = [board.phandles.get(cell) for cell in cells(data, 4)]
        known = tuple(one for one in listed if one is not None)
        return known if len(known) * 4 == len(data) else data
    if name in FLAGS:
        return data if data else True
    if name in STRINGS:
        text = data[:-1].decode("utf-8", "surrogateescape")
        return text if data.endswith(b"\0") and "\0" not in text else data
    return int.from_bytes(data, "big") if len(data) == 4 else data


def as_on(board: BuiltBoard, value: DtsValue) -> DtsValue:
    """A description's value as `value_on` gives it: labels as paths."""
    if isinstance(value, tuple):
        return tuple(board.labels.get(label, f"&{label}") for label in value)
    return value


def place_on(board: BuiltBoard, path: str, name: str) -> Location:
    """Where a board's source writes a property last, or its node."""
    where = path_on(board, path)
    lines = board.places.get(where, {})
    return lines.get(name) or lines.get("") or Location(where, board.shown)


@dataclass(frozen=True, slots=True)
class Strayed:
    """A change that was not meant, or one that was and did not come. where: of the board after."""

    message: str
    where: Location


def strayed(before: BuiltBoard, after: BuiltBoard, meant: Meant) -> Iterator[Strayed]:
    """In what a board differs otherwise than it is meant to."""
    values = {
        (path_on(after, path), name): as_on(after, value)
        for (path, name), value in meant.values.items()
        if has_node(before, path)
    }
    gone = {path_on(before, path) for path in meant.gone if has_node(before, path)}
    new = {path_on(after, path): properties for path, properties in meant.new.items()}
    for path in sorted(gone):
        if after.root.find(path) is not None:
            yield Strayed(f"expected no {path}, found it", place_on(after, path, ""))
    for path, properties in new.items():
        if not path or after.root.find(path) is None:
            yield Strayed("expected a new node, found none", Location(file=after.shown))
            continue
        for name, value in properties.items():
            values[path, name] = as_on(after, value)
    for (path, name), wanted in values.items():
        found = value_on(after, path, name)
        if found != wanted and path not in gone:
            message = f"expected {path}:{name} as wanted, found {_said(found)}"
            yield Strayed(message, place_on(after, path, name))
    for difference in differences(before.root, after.root, "/"):
        path, _, name = difference.path.partition(":")
        if (path, name) in values or name in _PHANDLES:
            continue
        if not name and (path in gone if difference.b is None else path in new):
            continue
        if path in new or _is_equal(before, after, difference.a, difference.b):
            continue
        if name in LISTS and _without(before, path, name, gone) == value_on(after, path, name):
            continue
        found = "gone" if difference.b is None else "new" if difference.a is None else "another"
        message = f"expected {difference.path} as before, found it {found}"
        yield Strayed(message, place_on(after, path, name))


def _said(found: Found) -> str:
    if found is None:
        return "none"
    if isinstance(found, tuple):
        return " ".join(path.rpartition("/")[2] for path in found)
    return found.hex() if isinstance(found, bytes) else str(found)


def _without(board: BuiltBoard, path: str, name: str, gone: set[str]) -> Found:
    """A list without nodes that go; None where nothing is left."""
    found = value_on(board, path, name)
    if not isinstance(found, tuple):
        return found
    return tuple(one for one in found if one not in gone) or None


def _is_equal(before: BuiltBoard, after: BuiltBoard, a: bytes | None, b: bytes | None) -> bool:
    """Whether two values differ at most in the numbers of phandles."""
    if a is None or b is None or len(a) != len(b) or len(a) % 4:
        return False
    for one, other in zip(cells(a, 4), cells(b, 4), strict=True):
        if one != other:
            path = before.phandles.get(one)
            if path is None or path != after.phandles.get(other):
                return False
    return True
