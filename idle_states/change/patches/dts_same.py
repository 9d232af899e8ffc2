"""Which nodes of a board are those of a TABLE.

Nodes are the same ones if they are called alike; else if they stand at the same places of the same
lists, or have the same compatible and parameter, and no other is alike.
"""

from collections import Counter

from ...base.model.architectures import ARM, RISCV
from ...base.model.idle_tree import name_of
from .dts_machine import LinkedStates


def same_nodes(want: LinkedStates, have: LinkedStates) -> dict[str, str]:
    """Path of a wanted node -> that of the board's that it is; without those that are none's."""
    own = {**have.unlisted, **have.nodes}
    found: dict[str, str] = {}
    for key in (name_of, str):
        of_want, of_have = (Counter(map(key, nodes)) for nodes in (want.nodes, own))
        name2path = {key(path): path for path in own}
        for path in want.nodes:
            name = key(path)
            if path in found or not of_want[name] == of_have[name] == 1:
                continue
            if name2path[name] not in found.values():
                found[path] = name2path[name]
    for alike in (_places, _parameter):
        left = [path for path in want.nodes if path not in found]
        free = [path for path in have.nodes if path not in found.values()]
        wants, haves = (
            Counter(alike(linked, path) for path in paths)
            for linked, paths in ((want, left), (have, free))
        )
        for path in left:
            mark = alike(want, path)
            if mark is not None and wants[mark] == haves[mark] == 1:
                found[path] = next(other for other in free if alike(have, other) == mark)
    return found


def _places(linked: LinkedStates, path: str) -> object:
    """The places of a node in lists of CPUs and domains, by their names."""
    return tuple(
        sorted(
            (name_of(owner), name, index, len(nodes))
            for (owner, name), nodes in linked.lists.items()
            for index, node in enumerate(nodes)
            if node == path
        )
    )


def _parameter(linked: LinkedStates, path: str) -> object:
    node = linked.nodes[path]
    name = next((p for p in (ARM.parameter, RISCV.parameter) if p in node.properties), "")
    return (node.strings("compatible"), node.u32(name)) if name else None
