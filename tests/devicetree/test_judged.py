"""What of a blob is judged is read of the very blobs that are trees."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.devicetree import fdt
from idle_states.devicetree.tree import Node
from idle_states.findings import Unreadable
from tests.devicetree.test_fdt import TREES, damaged
from tests.support.thorough import examples

pytestmark = pytest.mark.skipif(fdt._fdt is None, reason="the C reader is not compiled")

OPAL = Node("ibm,opal", {}, (Node("power-mgt", {"a": b"1"}),))


@settings(deadline=None, max_examples=examples(60, 1000))
@given(root=TREES, data=st.data())
def test_c_takes_what_python_takes(root: Node, data: st.DataObject) -> None:
    """Of a blob with a byte or a word changed: if, and only if, it is a tree with idle states."""
    root = replace(root, children=(*root.children, OPAL))
    blob = damaged(data, root)
    try:
        read = fdt.read(bytes(blob), "x.dtb")
    except Unreadable:
        takes = False
    else:
        takes = read.find("/ibm,opal/power-mgt") is not None
    assert (fdt.judged(bytes(blob)) is not None) == takes


def test_names_of_many_properties_and_nodes_are_kept_apart() -> None:
    """As many as it takes, and one more, which it leaves to others."""
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


def test_a_name_known_elsewhere_is_judged_where_all_are() -> None:
    """Of idle states and of the firmware's versions every property, whatever its name."""
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
