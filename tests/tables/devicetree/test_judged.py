"""Tests of what of a blob is judged is read of the very blobs that are trees."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from tests.support.thorough import examples
from tests.tables.devicetree.test_fdt import TREES, damaged

pytestmark = pytest.mark.skipif(fdt._fdt is None, reason="the C reader is not compiled")

OPAL = Node("ibm,opal", {}, (Node("power-mgt", {"a": b"1"}),))


@settings(deadline=None, max_examples=examples(60, 150))
@given(root=TREES, data=st.data())
def test_c_takes_what_python_takes(root: Node, data: st.DataObject) -> None:
    """C takes a blob with a byte or a word changed if, and only if, it is a tree with idle
    states."""
    root = replace(root, children=(*root.children, OPAL))
    blob = damaged(data, root)
    try:
        read = fdt.read(bytes(blob), "x.dtb")
    except Unreadable:
        takes = False
    else:
        takes = read.find("/ibm,opal/power-mgt") is not None
    judged = fdt.judged(bytes(blob))
    assert (judged is not None) == takes
    if judged is not None:
        part = fdt.judged_nodes(bytes(blob), "x.dtb")
        assert part == judged_of(read)
        of_part = fdt.judged(fdt.write(part))
        assert of_part is not None
        assert of_part.key == judged.key


def judged_of(root: Node) -> Node:
    """The tree without nodes that no audit looks at."""

    def kept(node: Node, *names: str) -> tuple[Node, ...]:
        return tuple(child for child in node.children if child.name in names)

    children = tuple(
        replace(child, children=kept(child, "power-mgt", "firmware"))
        if child.name == "ibm,opal"
        else child
        for child in kept(root, "cpus", "ibm,opal", "ibm,firmware-versions")
    )
    return replace(root, children=children)


def test_names_of_many_properties_and_nodes_are_kept_apart() -> None:
    """The blob has as many as C takes, and one more, which it leaves to others."""
    for names, nodes, takes in (
        (2047, 0, True),
        (2048, 0, False),
        (0, 12285, True),
        (0, 12286, False),
    ):
        properties = {f"p{number}": b"" for number in range(names)}
        children = tuple(Node(f"n{number}") for number in range(nodes))
        found = fdt.judged(fdt.write(Node("", properties, (*children, OPAL))))
        assert (found is not None) == takes, (names, nodes)


def test_a_serial_number_is_not_judged() -> None:
    one = fdt.judged(fdt.write(Node("", {"system-id": b"S1\0", "serial-number": b""}, (OPAL,))))
    other = fdt.judged(fdt.write(Node("", {}, (OPAL,))))
    assert one is not None
    assert other is not None
    assert (one.system_id, one.serial_number) == (b"S1\0", b"")
    assert (other.system_id, other.serial_number) == (None, None)
    assert one.key == other.key


def test_a_phandle_is_judged_by_its_presence() -> None:
    """Its value is one more than that of the node made before, whatever that is."""
    for path in ("ibm,opal", "ibm,firmware-versions"):
        keys = []
        for properties in ({}, {"phandle": b"1234"}, {"phandle": b"4321"}, {"phandle": b""}):
            versions = Node("ibm,firmware-versions", {} if path == "ibm,opal" else properties)
            states = Node("power-mgt", properties if path == "ibm,opal" else {})
            found = fdt.judged(fdt.write(Node("", {}, (Node("ibm,opal", {}, (states,)), versions))))
            assert found is not None
            keys.append(found.key)
        assert keys[0] != keys[1] == keys[2] == keys[3]


def test_a_name_known_elsewhere_is_judged_where_all_are() -> None:
    """Every property of idle states and of the firmware's versions is judged, whatever its name."""
    names = ("model", "cpu-version", "compatible", "device_type", "serial-number", "git-id", "x")
    for name in names:
        for path in (("ibm,opal", "power-mgt"), ("ibm,firmware-versions",)):
            keys = set()
            for properties in ({}, {name: b""}, {name: b"1"}):
                versions = Node("ibm,firmware-versions", properties if len(path) == 1 else {})
                states = Node("power-mgt", properties if len(path) == 2 else {})
                blob = fdt.write(Node("", {}, (Node("ibm,opal", {}, (states,)), versions)))
                found = fdt.judged(blob)
                assert found is not None
                keys.add(found.key)
            assert len(keys) == 3, (name, path)
