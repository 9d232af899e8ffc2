"""Numbers and nodes that stand in for macros and labels of files that are missing."""

import pytest

from idle_states.tables.devicetree.dts import read
from idle_states.tables.devicetree.missing_files import NOT_SHOWN, with_nodes, with_numbers


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a = <ONE &l 0x1f>;", "a = <7 &l 0x1f>;"),
        ("a = <&l TWO(1, F(2, 3)) THREE>;", "a = <&l 7 7>;"),
        ("a = <(1 << NINE)>;", "a = <(1 << 7)>;"),
        ("a = <CALL(1,\n2)>, <ONE>;", "a = <7\n>, <7>;"),
        ('a = "ONE", [ab cd]; ONE;', 'a = "ONE", [ab cd]; ONE;'),
        ("a = /bits/ 8 <ONE>; /* = ONE */", "a = /bits/ 8 <7>; /* = ONE */"),
        ("// = ONE\na = <ONE>;", "// = ONE\na = <7>;"),
        ("l: n { a = <&{/n} 'x'>; };", "l: n { a = <&{/n} 'x'>; };"),
        ("a = <m: 1 n: ONE>;", "a = <m: 1 n: 7>;"),
    ],
)
def test_an_undefined_macro_becomes_a_number(text: str, made: str) -> None:
    assert with_numbers(text.encode(), 7) == made.encode()


@pytest.mark.usefixtures("dtc")
def test_a_label_of_no_node_gets_one() -> None:
    text = b"// /x\n/dts-v1/;\n/ { own: n { a = <&own &other>; }; };\n&third { b; };\n"
    made = with_nodes(text)
    assert made.count(b"\n") == text.count(b"\n")
    root = read(made, "x.dts")
    stood_in = root.find("/not-shown")
    assert stood_in is not None
    assert [node.name for node in stood_in.children] == ["node-other", "node-third"]
    assert all(NOT_SHOWN in node.properties for node in stood_in.children)
    assert "b" in stood_in.children[1].properties
