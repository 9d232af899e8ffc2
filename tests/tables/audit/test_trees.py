"""Differences between two device trees."""

import pytest

from idle_states.tables.audit.trees import TreeDifference, differences
from idle_states.tables.devicetree.tree import Node

POWER = Node("power-mgt", {"ibm,enabled-stop-levels": bytes(4)}, (Node("occ", {"chip": b"\0"}),))


def machine(*below: Node) -> Node:
    return Node("", {}, (Node("ibm,opal", {}, below),))


def test_a_node_of_one_tree_alone_is_one_difference_without_its_properties() -> None:
    with_it, without = machine(POWER), machine()
    path = "/ibm,opal/power-mgt"
    assert differences(with_it, without) == [TreeDifference(path, b"", None)]
    assert differences(without, with_it) == [TreeDifference(path, None, b"")]
    assert differences(with_it, with_it) == []


def test_a_node_deeper_down_and_beside_others_is_found() -> None:
    bare = Node("power-mgt", POWER.properties)
    assert differences(machine(POWER, Node("x")), machine(bare, Node("y"))) == [
        TreeDifference("/ibm,opal/power-mgt/occ", b"", None),
        TreeDifference("/ibm,opal/x", b"", None),
        TreeDifference("/ibm,opal/y", None, b""),
    ]


@pytest.mark.parametrize("scope", ["/ibm,opal", "/ibm,opal/power-mgt"])
def test_where_one_tree_lacks_the_scope_itself(scope: str) -> None:
    assert differences(machine(POWER), Node(""), scope) == [TreeDifference(scope, b"", None)]
    assert differences(Node(""), machine(POWER), scope) == [TreeDifference(scope, None, b"")]
    assert differences(Node(""), Node(""), scope) == []
