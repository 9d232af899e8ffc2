"""Compares two device trees, as op-test compares skiroot's with the host's.

Source: op-test 518caac testcases/DeviceTreeValidation.py check_dt_matches: everything below
/ibm,opal must be equal. Phandles may differ between boots, but are compared like all other values.
"""

from collections.abc import Iterator

from ...base.dataclass import dataclass
from ..devicetree.tree import Node

SCOPE = "/ibm,opal"


@dataclass(frozen=True, slots=True)
class TreeDifference:
    """path of a property ("/node:property") or node ("/node"); None where a side lacks it. Of a
    node that one side lacks, its properties are not listed one by one."""

    path: str
    a: bytes | None
    b: bytes | None


def differences(a: Node, b: Node, scope: str = SCOPE) -> list[TreeDifference]:
    """The differences below the path `scope`, sorted by path; "/" compares the whole trees."""
    one, other = a.find(scope), b.find(scope)
    if one is None or other is None:
        if one is other:
            return []
        return [TreeDifference(scope, *(None if n is None else b"" for n in (one, other)))]
    return sorted(_nodes(one, other, scope.rstrip("/")), key=lambda found: found.path)


def _nodes(a: Node, b: Node, path: str) -> Iterator[TreeDifference]:
    for name in sorted(a.properties.keys() | b.properties.keys()):
        values = a.properties.get(name), b.properties.get(name)
        if values[0] != values[1]:
            yield TreeDifference(f"{path or '/'}:{name}", *values)
    children = {child.name: child for child in a.children}
    others = {child.name: child for child in b.children}
    for name in sorted(children.keys() | others.keys()):
        one, other = children.get(name), others.get(name)
        if one is None or other is None:
            sides = (None if node is None else b"" for node in (one, other))
            yield TreeDifference(f"{path}/{name}", *sides)
        else:
            yield from _nodes(one, other, f"{path}/{name}")
