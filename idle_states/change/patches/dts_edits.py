"""The edits of device-tree source that a description may have: of properties, or of whole nodes."""

import re
from collections.abc import Iterator, Mapping

from ...base.dataclass import dataclass
from ...base.dataclass import field as attribute
from ...base.model.findings import Location
from ...base.model.table import U32_MAX
from ...base.patterns import pattern
from ...base.reading import scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping as Entries
from ...base.reading.document import Node, Scalar, Sequence
from ...tables.devicetree.patching.edit import PLACES, Place
from ...tables.devicetree.patching.values import FLAGS, LISTS, PARAMETERS, STRINGS, TIMES, DtsValue

ABSENT, PRESENT = "absent", "present"
NAME = "name"
"""The field that stands for a node's own name."""
PROPERTIES = (*TIMES, *PARAMETERS, *FLAGS, *STRINGS, *LISTS)
_EDIT = ("file", "node", "field", "from", "to", "becomes")
_NEW = ("name", *PLACES)
_FILE = pattern(r"(?:[\w,-]+/)*[\w.,-]+\.dtsi?", re.ASCII)
_NODE = pattern(r"/?[\w,.+*@/-]+", re.ASCII)
_NAME = pattern(r"[A-Za-z][\w,.+-]*(?:@[0-9a-f,]+)?", re.ASCII)
_LABEL = pattern(r"[A-Za-z_]\w*", re.ASCII)
_DIGITS = pattern(r"0x[0-9a-f]+|[0-9]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PropertyEdit:
    """An edit of one property of a node.

    file           path of the file that is edited, as `Layout.paths` takes it
    node           a label, a name such as "cpu@0", or a path
    before, after  old and new value
    """

    file: str
    node: str
    property: str
    before: DtsValue
    after: DtsValue
    where: Location = attribute(default=Location(), compare=False)


@dataclass(frozen=True, slots=True)
class NodeEdit:
    """An edit that takes a node away, with its entries in lists; or adds one.

    node        as of PropertyEdit; of a node that comes, its label, or its path if it has none
    properties  of a node that comes; None takes it away
    name        of a node that comes: "cluster-sleep-1"
    beside      the node that it comes after, before or in
    place       which of them
    """

    file: str
    node: str
    properties: Mapping[str, DtsValue] | None = None
    name: str = ""
    beside: str = ""
    place: Place = "after"
    where: Location = attribute(default=Location(), compare=False)


@dataclass(frozen=True, slots=True)
class RenameEdit:
    """An edit that gives a node another name; its label stays.

    before, after  "cpu-sleep-0"
    """

    file: str
    node: str
    before: str
    after: str
    where: Location = attribute(default=Location(), compare=False)


DtsEdit = PropertyEdit | NodeEdit | RenameEdit


def shown(name: str, value: DtsValue) -> str:
    """A value as a description writes it."""
    if value is None:
        return ABSENT
    if value is True:
        return PRESENT
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        numbers = name in LISTS
        parts = (str(one) if numbers else shown(name, one) for one in value)
        return f"[{', '.join(parts)}]"
    return f"{value:#x}" if name in PARAMETERS else f"{value}us"


def is_dts_edit(node: Entries) -> bool:
    return "node" in node.entries


def edit_of(node: Entries, problems: SpecProblems) -> DtsEdit | None:
    """An edit with a key `node`; None after reporting."""
    for key, where in node.keys.items():
        if key not in _EDIT:
            message = f"expected one of {', '.join(_EDIT)}, found {key!r}"
            problems.add("IS920", "unknown-key", message, where)
    file = _text(node, "file", _FILE, "a path such as arm64/maker/soc.dtsi", problems)
    named = _text(node, "node", _NODE, "a label, a node's name or its path", problems)
    if "becomes" in node.entries:
        for key in ("field", "from", "to"):
            if key in node.entries:
                problems.wrong_type(f"no {key} beside becomes", key, node.entries[key].where)
        return _node_edit(file, named, node, problems)
    name = _text(node, "field", None, "the name of a property", problems)
    if name == NAME:
        old, new = (_text(node, key, _NAME, "a node's name", problems) for key in ("from", "to"))
        return RenameEdit(file, named, old, new, node.where)
    if name and name not in PROPERTIES:
        known = (NAME, *PROPERTIES)
        problems.unknown_name("a field", name, node.entries["field"].where, known)
        return None
    before, after = (_value(node, key, name, problems) for key in ("from", "to"))
    return PropertyEdit(file, named, name, before, after, node.where)


def _node_edit(file: str, named: str, node: Entries, problems: SpecProblems) -> NodeEdit | None:
    becomes = node.entries["becomes"]
    if isinstance(becomes, Scalar) and becomes.text == ABSENT:
        return NodeEdit(file, named, where=node.where)
    if not isinstance(becomes, Entries):
        problems.wrong_type(f"{ABSENT}, or the properties of a node", becomes.kind, becomes.where)
        return None
    if named and not (named.startswith("/") or _LABEL.fullmatch(named)):
        where = node.entries["node"].where
        problems.wrong_type("the label of a node that comes, or its path", repr(named), where)
    name = _text(becomes, "name", _NAME, "a node's name", problems)
    places = [place for place in PLACES if place in becomes.entries]
    if len(places) != 1:
        problems.missing_key("after, before or in", "a node that comes", becomes.where)
        return None
    (place,) = places
    other = _text(becomes, place, _NODE, f"the node that it comes {place}", problems)
    properties = {}
    for key, value in becomes.entries.items():
        if key in _NEW:
            continue
        if key not in PROPERTIES:
            problems.unknown_name("a property", key, becomes.keys[key], PROPERTIES)
            continue
        properties[key] = parsed_value(value, key, problems)
    return NodeEdit(file, named, properties, name, other, place, node.where)


def _text(
    node: Entries,
    key: str,
    pattern: re.Pattern[str] | None,
    expected: str,
    problems: SpecProblems,
) -> str:
    if key not in node.entries:
        problems.missing_key(key, "an edit", node.where)
        return ""
    value = node.entries[key]
    found = scalars.text(value, expected, problems) or ""
    if found and pattern and not pattern.fullmatch(found):
        problems.wrong_type(expected, repr(found), value.where)
    return found


def _value(node: Entries, key: str, name: str, problems: SpecProblems) -> DtsValue:
    if key not in node.entries:
        problems.missing_key(key, "an edit", node.where)
        return None
    return parsed_value(node.entries[key], name, problems)


def parsed_value(node: Node, name: str, problems: SpecProblems) -> DtsValue:
    """A value as a description writes it: 200us, 0x40000003, psci, [CPU_SLEEP, CLUSTER_SLEEP],
    [CPU_PD, FREQUENCY, 0], present or absent; several cells or strings as a list."""
    if isinstance(node, Scalar) and node.text == ABSENT and not node.quoted:
        return None
    if name in FLAGS:
        return scalars.choice(node, problems, (ABSENT, PRESENT), "a property without value") == (
            PRESENT
        )
    if name in LISTS:
        return tuple(_listed(node, problems))
    if isinstance(node, Sequence):
        parts = [_one(item, name, problems) for item in node.items]
        if not parts:
            problems.wrong_type("a value, or several", "none", node.where)
        return tuple(parts) if len(parts) > 1 else next(iter(parts), None)
    return _one(node, name, problems)


def _one(node: Node, name: str, problems: SpecProblems) -> int | str:
    if name in TIMES:
        found = scalars.time_ns(node, problems, U32_MAX * 1000) or 0
        if found % 1000:
            problems.out_of_range("whole microseconds", f"{found}ns", node.where)
        return found // 1000
    if name in PARAMETERS:
        return scalars.integer(node, problems, most=U32_MAX, what="a number") or 0
    return scalars.text(node, "text", problems) or ""


def _listed(node: Node, problems: SpecProblems) -> Iterator[str | int]:
    """Labels, each followed by its arguments."""
    is_first = True
    for item in scalars.items(node, "a list of labels", problems):
        is_number = isinstance(item, Scalar) and not item.quoted and _DIGITS.fullmatch(item.text)
        if is_number and not is_first:
            yield scalars.integer(item, problems, most=U32_MAX, what="a number") or 0
            continue
        is_first = False
        found = scalars.text(item, "a label", problems) or ""
        if found and not _LABEL.fullmatch(found):
            problems.wrong_type("a label", repr(found), item.where)
        yield found
