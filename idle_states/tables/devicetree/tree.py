"""A device tree in memory: nodes with raw property values, whatever format they came from."""

import re
from collections.abc import Iterator, Mapping

from ...base.dataclass import dataclass, field
from ...base.model.findings import Finding, Location, Severity, Unreadable
from ...base.model.power_mgt import split_names
from ...base.patterns import pattern
from ...base.reading import limits

MAX_DEPTH = limits.TREE_DEPTH
"""Levels of nodes, the root included: Linux unflattens no more (FDT_MAX_DEPTH)."""

MAX_NAME = limits.TREE_NAME_BYTES
"""Bytes in the name of a node or property. The specification's 31 are often exceeded."""

NAME = pattern(r"[!-.0-~]{1,255}", re.ASCII)
"""The form of a name here: printable ASCII without blanks and slashes."""


def not_a_tree(where: Location, message: str) -> Unreadable:
    """The exception for input that is no device tree, with a finding IS931. message: what was
    expected and found."""
    return Unreadable([Finding("IS931", "not-a-device-tree", Severity.ERROR, message, where)])


@dataclass(frozen=True, slots=True)
class Node:
    """A node, not to be changed once made.

    name        with its unit address: "cpu@0"; empty for the root
    properties  name -> value as in the tree, in the tree's order
    children    in the tree's order; no two of one name

    >>> Node("", {}, (Node("ibm,opal", {"#size-cells": bytes(4)}),)).find("/ibm,opal")
    Node(name='ibm,opal', properties={'#size-cells': b'\\x00\\x00\\x00\\x00'}, children=())
    """

    name: str
    properties: Mapping[str, bytes] = field(default_factory=dict)
    children: "tuple[Node, ...]" = ()

    def child(self, name: str) -> "Node | None":
        """The child of exactly this name, unit address included."""
        return next((child for child in self.children if child.name == name), None)

    def find(self, path: str) -> "Node | None":
        """The node at a path seen from this one, which is "/". None if there is none.

        Names are compared whole, as Linux's of_find_node_by_path() does.
        """
        node: Node | None = self
        for name in path.split("/"):
            if name and node is not None:
                node = node.child(name)
        return node

    def walk(self) -> Iterator[tuple[str, "Node"]]:
        """(path, node) for this node, which is "/", and all below it, parents first."""
        waiting = [("/", self)]
        while waiting:
            path, node = waiting.pop()
            yield path, node
            base = path.rstrip("/")
            waiting += [(f"{base}/{child.name}", child) for child in reversed(node.children)]

    def u32(self, name: str) -> int | None:
        """A property of one cell. None if it is absent or not 4 bytes long."""
        data = self.properties.get(name, b"")
        return int.from_bytes(data, "big") if len(data) == 4 else None

    def strings(self, name: str) -> tuple[str, ...]:
        """A property that is a list of strings; empty if it is absent.

        A last string without its NUL counts; bytes that are no UTF-8 become surrogates.
        """
        found = split_names(self.properties.get(name, b""))
        return tuple(string.decode("utf-8", "surrogateescape") for string in found)
