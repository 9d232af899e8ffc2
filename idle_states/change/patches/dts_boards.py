"""The effect of device-tree source edits on the boards that include it: exactly as meant, or the
edits are refused.

Each board is built by the program's own reader, before and after. Numbers of phandles, which dtc
gives anew, are compared by the nodes they stand for.
"""

from collections.abc import Iterator, Mapping

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import Location
from ...base.model.idle_tree import folder_of, name_of
from ...base.model.power_mgt import cells
from ...tables.audit.trees import differences
from ...tables.devicetree.board_builds import BuiltBoard
from ...tables.devicetree.drafts import DOMAIN_CELLS, DOMAINS
from ...tables.devicetree.patching.values import FLAGS, LISTS, STRINGS, DtsValue
from ...tables.devicetree.tree import Node

_PHANDLES = ("phandle", "linux,phandle")

Found = DtsValue | bytes
"""A value as a board has it: a list's nodes by path; bytes that are no value of its kind."""


@dataclass(slots=True)
class Meant:
    """The changes that a description means to make, nodes named as by `DtsNode.path`.

    values  (node, property) -> its new value
    gone    nodes that go, with their entries in lists
    new     node that comes -> its properties
    named   node that gets another name -> that name
    """

    values: dict[tuple[str, str], DtsValue] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    new: dict[str, Mapping[str, DtsValue]] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)


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
    return _references(board, data, name) if name in LISTS else value_in(data, name)


def value_in(data: bytes, name: str) -> Found:
    """Returns the value of a property that is no list."""
    if name in FLAGS:
        return data if data else True
    if name in STRINGS:
        texts = tuple(data[:-1].decode("utf-8", "surrogateescape").split("\0"))
        return data if data[-1:] != b"\0" else texts if len(texts) > 1 else texts[0]
    numbers = tuple(cells(data, 4))
    if not numbers or len(data) % 4:
        return data
    return numbers if len(numbers) > 1 else numbers[0]


def _references(board: BuiltBoard, data: bytes, name: str) -> Found:
    """The nodes of a list, by path, each with its arguments."""
    found: list[str | int] = []
    waiting = list(cells(data, 4))[::-1]
    while waiting:
        path = board.phandles.get(waiting.pop())
        if path is None:
            return data
        found.append(path)
        node = board.root.find(path)
        count = (node and node.u32(DOMAIN_CELLS)) or 0 if name == DOMAINS else 0
        if count > len(waiting):
            return data
        found += [waiting.pop() for _ in range(count)]
    return tuple(found) if len(data) % 4 == 0 else data


def as_on(board: BuiltBoard, name: str, value: DtsValue) -> DtsValue:
    """A property's value in a description as `value_on` gives it: labels as paths."""
    if isinstance(value, tuple) and name in LISTS:
        labels = board.labels
        return tuple(labels.get(one, f"&{one}") if isinstance(one, str) else one for one in value)
    return value


def place_on(board: BuiltBoard, path: str, name: str) -> Location:
    """Returns the place where a board's source last writes a property, or its node."""
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
    moved = {
        path_on(before, path): f"{folder_of(path_on(before, path))}/{name}"
        for path, name in meant.named.items()
        if has_node(before, path)
    }
    was = _with_names(before, moved)

    def there(path: str) -> str:
        return _moved(path_on(after, path), moved)

    values = {
        (there(path), name): as_on(after, name, value)
        for (path, name), value in meant.values.items()
        if has_node(before, path)
    }
    gone = {_moved(path_on(before, path), moved) for path in meant.gone if has_node(before, path)}
    new = {there(path): properties for path, properties in meant.new.items()}
    for path in sorted(gone):
        if after.root.find(path) is not None:
            yield Strayed(f"expected no {path}, found it", place_on(after, path, ""))
    for path, properties in new.items():
        if not path or after.root.find(path) is None:
            yield Strayed("expected a new node, found none", Location(file=after.shown))
            continue
        for name, value in properties.items():
            values[path, name] = as_on(after, name, value)
    for (path, name), wanted in values.items():
        found = value_on(after, path, name)
        if found != wanted and path not in gone:
            message = f"expected {path}:{name} as wanted, found {_kind(found)}"
            yield Strayed(message, place_on(after, path, name))
    for difference in differences(was.root, after.root, "/"):
        path, _, name = difference.path.partition(":")
        if (path, name) in values or name in _PHANDLES:
            continue
        if not name and (path in gone if difference.b is None else path in new):
            continue
        if path in new or _is_equal(was, after, difference.a, difference.b):
            continue
        if name in LISTS and _without(was, path, name, gone) == value_on(after, path, name):
            continue
        found = "gone" if difference.b is None else "new" if difference.a is None else "another"
        message = f"expected {difference.path} as before, found it {found}"
        yield Strayed(message, place_on(after, path, name))


def _moved(path: str, moved: Mapping[str, str]) -> str:
    """The path of a node where it, or one above it, got another name."""
    for old, new in moved.items():
        if f"{path}/".startswith(f"{old}/"):
            return new + path[len(old) :]
    return path


def _with_names(board: BuiltBoard, moved: Mapping[str, str]) -> BuiltBoard:
    """A board in which nodes have other names; its labels lead to their old paths."""

    def named(node: Node, path: str) -> Node:
        below = path if path != "/" else ""
        if not any(old.startswith(f"{below}/") for old in moved):
            return node
        children = []
        for child in node.children:
            its = f"{below}/{child.name}"
            made = named(child, its)
            children.append(replace(made, name=name_of(moved[its])) if its in moved else made)
        return replace(node, children=tuple(children))

    return replace(board, root=named(board.root, "/")) if moved else board


def _kind(found: Found) -> str:
    if found is None:
        return "none"
    if isinstance(found, tuple):
        return " ".join(str(one).rpartition("/")[2] for one in found)
    return found.hex() if isinstance(found, bytes) else str(found)


def _without(board: BuiltBoard, path: str, name: str, gone: set[str]) -> Found:
    """A list without nodes that go, and their arguments; None where nothing is left."""
    found = value_on(board, path, name)
    if not isinstance(found, tuple):
        return found
    left: list[str | int] = []
    keeps = False
    for one in found:
        keeps = one not in gone if isinstance(one, str) else keeps
        left += [one] if keeps else []
    return tuple(left) or None


def _is_equal(before: BuiltBoard, after: BuiltBoard, a: bytes | None, b: bytes | None) -> bool:
    """Tells whether two values differ at most in the numbers of phandles."""
    if a is None or b is None or len(a) != len(b) or len(a) % 4:
        return False
    for one, other in zip(cells(a, 4), cells(b, 4), strict=True):
        if one != other:
            path = before.phandles.get(one)
            if path is None or path != after.phandles.get(other):
                return False
    return True
