"""Device-tree source as text: each value in the form it is read in, long ones wrapped.

Strings as strings, u32 as cells, u64 as pairs of cells, anything else as bytes.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...base.model import power_mgt as dt
from ...base.patterns import pattern
from ...base.resources import template
from .tree import Node

WIDTH = 100
TAB = 8

Items = tuple[str, list[str], str, str]
"""A value: opening, items, separator, closing."""

VERSIONED = f"{dt.NODE}/ibm,idle-states"

_U64 = {name for name, size in dt.CELL_BYTES.items() if size == 8} | {"psscr", "psscr-mask"}
_U32 = {name for name, size in dt.CELL_BYTES.items() if size == 4} | {
    dt.STOP_LEVELS,
    "cpu-version",
    "flags",
    "latency-ns",
    "reg",
    "residency-ns",
}
_NODE_NAME = pattern(r"[\w,.+*#?-]+(?:@[\w,.+*#?-]+)?", re.ASCII)
_PROPERTY_NAME = pattern(r"[\w,.+*#?-]+", re.ASCII)
_STRINGS = pattern(rb"(?:[ -~]+\0)+")
_NAMES = pattern(rb"(?:[ -~]*\0)+")


def render(root: Node, about: Sequence[str]) -> str:
    """Returns the text that dts.write() gives, see there."""
    name = "versioned.dts.j2" if root.find(VERSIONED) else "power_mgt.dts.j2"
    comment = [comment_text(line) for line in about]
    return template(name).render(roots=[_shown(root, "/", 1)], about=comment)


def _shown(node: Node, path: str, depth: int) -> dict[str, Any]:
    """A node as the template wants it; `depth` tabs stand before its properties."""
    if depth > 1 and not _NODE_NAME.fullmatch(node.name):
        raise ValueError(f"expected a name dtc takes for {path}, found {node.name!a}")
    base = path.rstrip("/")
    return {
        "name": node.name if depth > 1 else "/",
        "lines": list(_lines(node, path, WIDTH - TAB * depth)),
        "children": [_shown(child, f"{base}/{child.name}", depth + 1) for child in node.children],
    }


def _lines(node: Node, path: str, width: int) -> Iterator[str]:
    """The properties, and before the arrays a comment that names the states."""
    names = [comment_text(name) for name in node.strings(dt.NAMES)]
    for name, data in node.properties.items():
        if not _PROPERTY_NAME.fullmatch(name):
            raise ValueError(f"expected a name dtc takes for a property of {path}, found {name!a}")
        if names and (name == dt.NAMES or name in dt.CELL_BYTES):
            yield f"/* states: {' '.join(names)} */"
            names = []
        yield from _property(name, data, width)


def _property(name: str, data: bytes, width: int) -> Iterator[str]:
    if not data:
        yield f"{name};"
        return
    yield from assignment(name, _items(name, data), width)


def assignment(name: str, value: Items, width: int) -> Iterator[str]:
    """A property, on several lines if one is too long."""
    opened, items, joint, closed = value
    line = f"{name} = {opened}{joint.join(items)}{closed};"
    if len(line) <= width:
        yield line
        return
    yield f"{name} ="
    rows = list(_rows(items, len(joint), width - TAB - len(f"{opened}{closed};")))
    for index, row in enumerate(rows):
        end = ";" if index == len(rows) - 1 else ","
        yield f"\t{opened}{joint.join(row)}{closed}{end}"


def _items(name: str, data: bytes) -> Items:
    if name in _U64 and len(data) % 8 == 0:
        cells = _cells(data)
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return "", [f"<{high:#x} {low:#x}>" for high, low in pairs], ", ", ""
    strings = _NAMES if name == dt.NAMES else _STRINGS
    numeric = name in _U32 or name in _U64
    if not numeric and strings.fullmatch(data):
        return strings_of(data)
    if len(data) % 4 == 0:
        return "<", [f"{cell:#x}" for cell in _cells(data)], " ", ">"
    return "[", [f"{byte:02x}" for byte in data], " ", "]"


def strings_of(data: bytes) -> Items:
    """Returns the items of strings of printable ASCII."""
    texts = data[:-1].decode("ascii").replace("\\", "\\\\").replace('"', '\\"')
    return "", [f'"{text}"' for text in texts.split("\0")], ", ", ""


def _cells(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]


def _rows(items: Sequence[str], joint: int, width: int) -> Iterator[list[str]]:
    """Items in rows of at most `width` characters, at least one in each."""
    row: list[str] = []
    used = 0
    for item in items:
        if row and used + joint + len(item) > width:
            yield row
            row, used = [], 0
        used += len(item) + (joint if row else 0)
        row.append(item)
    yield row


def comment_text(text: str) -> str:
    """Text that can neither end a comment nor hide in one."""
    printable = "".join(char if " " <= char <= "~" else "?" for char in text)
    return printable.replace("*/", "*?")
