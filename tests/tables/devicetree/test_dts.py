"""Device-tree source: what dtc refuses and where, where properties stand, what is written."""

import os
import re
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import Finding, Severity, Unreadable
from idle_states.base.reading import limits
from idle_states.tables.devicetree import dts, fdt
from idle_states.tables.devicetree.tree import Node
from tests import support
from tests.support.thorough import examples
from tests.tables.devicetree.test_fdt import TREES

DATA = support.DATA / "dt"
FIXTURES = [pytest.param(file, id=file.stem) for file in sorted(DATA.glob("*.dts"))]


def refused(text: str, file: str = "tree.dts") -> list[Finding]:
    with pytest.raises(Unreadable) as raised:
        dts.read(text, file)
    assert raised.value.findings
    for finding in raised.value.findings:
        assert finding.severity is Severity.ERROR
        assert finding.message.startswith("expected ")
    return list(raised.value.findings)


def compiled(dtc: str, text: str, *options: str) -> bytes:
    """Returns what dtc makes of a source; it must neither fail nor warn."""
    done = subprocess.run(
        [dtc, *options, "-I", "dts", "-O", "dtb", "-o", "-", "-"],
        input=text.encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout


def decompiled(dtc: str, blob: bytes) -> bytes:
    """dtc's own normal form of a blob."""
    done = subprocess.run(
        [dtc, "-I", "dtb", "-O", "dts", "-s", "-o", "-", "-"],
        input=blob,
        capture_output=True,
        timeout=60,
        check=True,
    )
    return done.stdout


@pytest.mark.usefixtures("dtc")
def test_reads_what_is_written_there() -> None:
    text = '/dts-v1/;\n/ { a = <1 0x20>, "x"; empty; b { }; b@1 { reg = [01 02]; }; };'
    assert dts.read(text, "x") == Node(
        "",
        {"a": b"\0\0\0\1\0\0\0\x20x\0", "empty": b""},
        (Node("b"), Node("b@1", {"reg": b"\1\2"})),
    )


TOO_LARGE = "out of range|truncated to 0x23456789"
"""The message of dtc up to 1.6, which refuses the number, and from 1.7 on, which cuts it."""
ERRORS = {
    "syntax": ("/dts-v1/;\n/ {\n\ta = <1>\n\tbb = <2>;\n};\n", 4, 2, "syntax error"),
    "character": ("/dts-v1/;\n/ {\n\ta = <1> ` ;\n};\n", 3, 10, "syntax error"),
    "no version": ("/ { };", 1, 1, "syntax error"),
    "empty": ("", 1, 1, "syntax error"),
    "unterminated string": ('/dts-v1/;\n/ { a = "abc; };', 2, 9, "syntax error"),
    "unterminated node": ("/dts-v1/;\n/ {\n\n", 2, 4, "syntax error"),
    "number too large": ("/dts-v1/;\n/ { a = <0x123456789>; };", 2, 10, TOO_LARGE),
    "no such label": ("/dts-v1/;\n/ { a = <&foo>; };", 2, 3, 'non-existent node or label "foo"'),
    "unknown node": ("/dts-v1/;\n&foo { };", 2, 6, "Label or path foo not found"),
    "two nodes of a name": ("/dts-v1/;\n/ { b { }; b { }; };", 2, 14, "Duplicate node name"),
}


LENGTHS = {
    "number too large": len("0x123456789"),
    "no such label": len("{ a = <&foo>; };"),
    "unknown node": len("{ };"),
    "two nodes of a name": len("{ };"),
}


@pytest.mark.usefixtures("dtc")
@pytest.mark.parametrize("case", ERRORS)
def test_error_of_dtc_is_a_finding_at_its_place(case: str) -> None:
    text, line, column, message = ERRORS[case]
    (finding, *_) = refused(text, "some/tree.dts")
    assert (finding.rule, finding.name) == ("IS931", "not-a-device-tree")
    assert finding.location.file == "some/tree.dts"
    assert (finding.location.line, finding.location.column) == (line, column)
    assert re.search(message, finding.message)
    assert finding.location.length == LENGTHS.get(case, 1)


@pytest.mark.usefixtures("dtc")
def test_text_comes_with_the_findings() -> None:
    with pytest.raises(Unreadable) as raised:
        dts.read("/dts-v1/; nonsense", "x.dts")
    assert raised.value.texts == {"x.dts": "/dts-v1/; nonsense"}


@pytest.mark.usefixtures("dtc")
def test_node_is_deleted_by_label_and_name() -> None:
    """The source does as imx8mp-nominal.dtsi; a complaint elsewhere stays one, at its place."""
    text = "/dts-v1/;\n/ { l: a { b { }; c { }; }; };\n/delete-node/ &{l/b};\n"
    assert [path for path, _ in dts.read(text, "x.dts").walk()] == ["/", "/a", "/a/c"]
    (finding,) = refused(f"{text}/ {{ a = ; }};\n")
    assert (finding.location.line, finding.location.column) == (4, 9)


def test_missing_include_is_a_finding_at_its_place() -> None:
    (finding,) = refused('/dts-v1/;\n/ { };  /include/ "nowhere.dtsi"\n')
    assert finding.rule == "IS931"
    assert "none to open: 'nowhere.dtsi'" in finding.message
    assert (finding.location.line, finding.location.column) == (2, 9)


@pytest.mark.usefixtures("dtc")
def test_includes_are_sought_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.dtsi").write_text("/ { a = <1>; };")
    (tmp_path / "bad.dtsi").write_text("/ {\n a = <1> };")
    file = tmp_path / "tree.dts"
    assert dts.read('/dts-v1/;\n/include/ "a.dtsi"\n', str(file)) == Node("", {"a": b"\0\0\0\1"})
    (finding,) = refused('/dts-v1/;\n/include/ "bad.dtsi"\n', str(file))
    assert (finding.location.file, finding.location.line) == (str(tmp_path / "bad.dtsi"), 2)


@pytest.mark.usefixtures("dtc")
def test_warnings_are_not_errors() -> None:
    assert dts.read("/dts-v1/;\n/ { a@1 { }; };", "x") == Node("", {}, (Node("a@1"),))


@pytest.mark.usefixtures("dtc")
def test_no_more_findings_than_anyone_reads() -> None:
    labels = "".join(f"a{index} = <&none{index}>; " for index in range(50))
    assert len(refused(f"/dts-v1/;\n/ {{ {labels} }};")) == 20


@pytest.mark.usefixtures("dtc")
def test_nesting_beyond_dtc_and_beyond_us() -> None:
    (finding,) = refused("/dts-v1/; / {" + "a {" * 20_000)
    assert "memory exhausted" in finding.message
    (finding,) = refused("/dts-v1/; / {" + "a {" * 64 + "};" * 65)
    assert "nested at most 64 deep" in finding.message


def test_without_dtc_the_finding_names_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (finding,) = refused("/dts-v1/; / { };")
    assert (finding.rule, finding.name) == ("IS930", "unreadable-input")
    assert "dtc" in finding.message
    assert "device-tree-compiler" in finding.message


def test_dtc_that_crashes_is_a_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "dtc"
    fake.write_text("#!/bin/sh\nkill -SEGV $$\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (finding,) = refused("/dts-v1/; / { };")
    assert finding.rule == "IS930"
    assert "signal 11" in finding.message


def test_dtc_that_writes_rubbish_is_a_finding(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "dtc"
    fake.write_text("#!/bin/sh\ncat >/dev/null; echo rubbish\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (finding,) = refused("/dts-v1/; / { };")
    assert finding.rule == "IS931"


def test_dtc_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "dtc"
    fake.write_text("#!/bin/sh\nexec sleep 60\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(limits, "DTC_S", 1)
    monkeypatch.setattr(limits, "DTC_S_PER_MIB", 0)
    monkeypatch.setattr(limits, "WAITING", 0.3)
    start = time.perf_counter()
    (finding,) = refused("/dts-v1/; / { };", str(tmp_path / "x.dts"))
    assert finding.rule == "IS930"
    assert "to end within 0.3 s" in finding.message
    assert time.perf_counter() - start < 20


@pytest.mark.usefixtures("dtc")
def test_source_that_fills_memory_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(limits, "DTC_MEMORY_BYTES", 1 << 25)
    monkeypatch.setattr(limits, "DTC_MEMORY_PER_BYTE", 0)
    with (tmp_path / "big").open("wb") as file:
        file.truncate(fdt.MAX_BYTES - 1)
    (finding,) = refused('/dts-v1/;\n/ { a = /incbin/("big"); };', str(tmp_path / "x.dts"))
    assert "alloc" in finding.message


OUTSIDE = {
    "absolute": '/include/ "/etc/passwd"',
    "binary": '/ { a = /incbin/("/etc/passwd"); };',
    "part of a binary": '/ { a = /incbin/ ( "/etc/passwd", 0, 4); };',
    "above": '/include/ "../secret"',
    "above by detour": '/include/ "sub/../../secret"',
    "by a link": '/include/ "link"',
    "nested": '/include/ "sub/climbs.dtsi"',
    "escaped": '/ { a = /incbin/("\\x2fetc/passwd"); };',
    "behind a comment": '/ { a = /incbin/ /* "fine" */ ("/etc/passwd"); };',
    "on the next line": '/include/\n\n"/etc/passwd"',
    "a directory": '/include/ "sub"',
    "a name too long": f'/include/ "{"x" * 5000}"',
    "a link to itself": '/include/ "loop"',
    "a pipe": '/include/ "pipe"',
}


@pytest.mark.parametrize("text", OUTSIDE.values(), ids=OUTSIDE)
def test_includes_do_not_leave_the_directory(tmp_path: Path, text: str) -> None:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("/ { secret; };")
    (tree / "link").symlink_to(tmp_path / "secret")
    (tree / "loop").symlink_to(tree / "loop")
    (tree / "sub/climbs.dtsi").write_text('/include/ "../../secret"')
    os.mkfifo(tree / "pipe")
    (finding,) = refused(f"/dts-v1/;\n{text}\n", str(tree / "x.dts"))
    assert finding.rule == "IS930"
    assert finding.location.line == (1 if "climbs" in text else 2)
    assert "expected" in finding.message


@pytest.mark.usefixtures("dtc")
def test_includes_below_the_directory_are_followed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.dtsi").write_text('/include/ "b.dtsi"')
    (tmp_path / "sub/b.dtsi").write_text('/include/ "../c.dtsi"\n/ { b; };')
    (tmp_path / "c.dtsi").write_text('/ { c = /incbin/("data"); };')
    (tmp_path / "data").write_bytes(b"\1\2")
    root = dts.read('/dts-v1/;\n/include/ "sub/a.dtsi"\n', str(tmp_path / "x.dts"))
    assert root == Node("", {"c": b"\1\2", "b": b""})


def test_too_many_includes_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(limits, "DTS_INCLUDED_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.dtsi").write_text(f'/include/ "{number + 1}.dtsi"')
    (tmp_path / "4.dtsi").write_text("")
    (finding,) = refused('/dts-v1/;\n/include/ "0.dtsi"\n', str(tmp_path / "x.dts"))
    assert "at most 3 included files" in finding.message


@pytest.mark.usefixtures("dtc")
def test_preprocessor_is_asked_for_where_it_is_needed() -> None:
    (finding,) = refused('/dts-v1/;\n#include "x.dtsi"\n/ { };')
    assert finding.location.line == 2
    assert "run the C preprocessor" in finding.message


def test_oversized_source_is_refused_before_dtc_sees_it() -> None:
    (finding,) = refused("/dts-v1/; / { };" + " " * limits.DTS_BYTES)
    assert finding.rule == "IS930"
    assert "at most 16777216 bytes" in finding.message


@pytest.mark.usefixtures("dtc")
@settings(deadline=None, max_examples=examples(15, 40))
@given(st.text(max_size=60) | st.text('/dts-v1;{}<>=&"a0 \n', max_size=60).map("/dts-v1/;".__add__))
def test_random_text_is_read_or_refused(text: str) -> None:
    with suppress(Unreadable):
        dts.read(text, "x")


@settings(deadline=None)
@given(st.text("/dts-v1;{}<>=&\":[]a0 \n#*'\\", max_size=200) | st.text(max_size=100))
def test_random_text_has_places_within_it(text: str) -> None:
    lines = text.split("\n")
    for path, found in dts.places(text, "x").items():
        for name, where in found.items():
            assert where.line is not None
            assert where.column is not None
            at = lines[where.line - 1][where.column - 1 :]
            assert at.startswith((name or path.rpartition("/")[2] or "/", "&"))


PLACES = """\
/* power-mgt { a = <1>; }; */
/dts-v1/;
/memreserve/ 0x1000 0x10;
#define UNUSED { a = <1>;
/include/ "other.dtsi"
/ {
	#address-cells = <2>; // ibm,opal {
	text = "} a = ; \\" {", "b";
	one: two: ibm,opal {
		empty; bytes = [12 34];
		mgt: power-mgt {
			/include/ "more.dtsi"
			ibm,cpu-idle-state-names =
				"stop0",
				"stop1";
			label: ibm,cpu-idle-state-flags = <&mgt /* } */ (1 + 2)>, &{/ibm,opal}, <'}'>;
			gone; /delete-property/ gone;
		};
		old { inner { x; }; };
		/delete-node/ old;
	};
};
&mgt { ibm,cpu-idle-state-flags = <2>; };
&{/ibm,opal} { late; };
&unknown { lost; };
/ { second; };
"""


def test_places() -> None:
    found = dts.places(PLACES, "tree.dts")
    assert {
        path: {name: (where.line, where.column) for name, where in names.items()}
        for path, names in found.items()
    } == {
        "/": {"": (26, 1), "#address-cells": (7, 2), "text": (8, 2), "second": (26, 5)},
        "/ibm,opal": {"": (24, 1), "empty": (10, 3), "bytes": (10, 10), "late": (24, 16)},
        "/ibm,opal/power-mgt": {
            "": (23, 1),
            "ibm,cpu-idle-state-names": (13, 4),
            "ibm,cpu-idle-state-flags": (23, 8),
        },
    }
    names = found["/ibm,opal/power-mgt"]["ibm,cpu-idle-state-names"]
    assert names.file == "tree.dts"
    assert names.length == len("ibm,cpu-idle-state-names")
    assert names.path == "/ibm,opal/power-mgt:ibm,cpu-idle-state-names"
    assert found["/ibm,opal/power-mgt"][""].path == "/ibm,opal/power-mgt"


@pytest.mark.slow
@pytest.mark.usefixtures("dtc")
def test_places_are_where_the_properties_of_real_trees_are(skiboot_tree: Path) -> None:
    files = sorted((skiboot_tree / "hdata" / "test").glob("*.dts"))
    assert files
    for file in files:
        text = file.read_text()
        found = dts.places(text, "x")
        tree = {path: {"", *node.properties} for path, node in dts.read(text, "x").walk()}
        assert {path: set(names) for path, names in found.items()} == tree


@pytest.mark.slow
def test_places_of_a_hostile_text_take_no_time() -> None:
    start = time.process_time()
    for text in (
        "'\\" * 200_000,
        "a" * 400_000,
        "a " * 200_000,
        '"\\' * 200_000,
        "/*" * 200_000,
        "a { " * 30_000,
        "&{" * 200_000,
        "#" * 400_000,
        "\n # " * 100_000,
        "/a" * 200_000,
        "a" + " " * 400_000,
        "a: " * 100_000,
        "{" * 200_000,
        "}" * 200_000,
    ):
        dts.places(text, "x")
    assert time.process_time() - start < 30


@pytest.mark.parametrize("file", FIXTURES)
def test_written_source_is_what_dtc_makes_of_it(dtc: str, file: Path) -> None:
    root = dts.read(file.read_text(), file.name)
    text = dts.write(root, ["about"])
    blob = compiled(dtc, text)
    assert blob == fdt.write(root)
    assert decompiled(dtc, blob) == decompiled(dtc, compiled(dtc, file.read_text()))
    assert dts.read(text, "x") == root


KNOWN = st.sampled_from(
    [dt.NAMES, *dt.CELL_BYTES, dt.STOP_LEVELS, "psscr", "flags", "latency-ns", "p"]
)
ARRAYS = st.dictionaries(
    KNOWN,
    st.binary(max_size=80)
    | st.integers(0, 10).flatmap(lambda count: st.binary(min_size=8 * count, max_size=8 * count))
    | st.lists(st.text('a0 "\\*/;', max_size=9)).map(
        lambda names: b"".join(name.encode() + b"\0" for name in names)
    ),
)


@settings(deadline=None, max_examples=examples(15, 50))
@given(root=TREES | ARRAYS.map(lambda arrays: Node("", arrays, (Node("power-mgt", arrays),))))
def test_any_tree_is_written_exactly(dtc: str, root: Node) -> None:
    # what is no list of strings is warned of under a name that says so
    assert compiled(dtc, dts.write(root), "-Wno-names_is_string_list") == fdt.write(root)


def body(text: str) -> list[str]:
    """Lines between the root's braces."""
    return text.partition("/ {\n")[2].rpartition("};\n")[0].splitlines()


def property_lines(name: str, data: bytes) -> list[str]:
    return [line.removeprefix("\t") for line in body(dts.write(Node("", {name: data})))]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a", b"", ["a;"]),
        ("a", b"x\0", ['a = "x";']),
        ("a", b"x\0y z\0", ['a = "x", "y z";']),
        ("a", b'"\\\0', [r'a = "\"\\";']),
        ("a", b"x", ["a = [78];"]),
        ("a", b"x\0\0", ["a = [78 00 00];"]),
        ("a", b"\0\0\0\1\xff\xff\xff\xff", ["a = <0x1 0xffffffff>;"]),
        ("a", b"x\n\0\0", ["a = <0x780a0000>;"]),
        (dt.FLAGS, b"abc\0", [f"{dt.FLAGS} = <0x61626300>;"]),
        (dt.FLAGS, b"abcde", [f"{dt.FLAGS} = [61 62 63 64 65];"]),
        ("psscr", b"\0\0\0\0\0\x30\x03\x74" * 2, ["psscr = <0x0 0x300374>, <0x0 0x300374>;"]),
        (dt.PSSCR, b"\0\0\0\1", [f"{dt.PSSCR} = <0x1>;"]),
        ("psscr", b"abcdefg\0", ["psscr = <0x61626364 0x65666700>;"]),
        (dt.STOP_LEVELS, b"\xec\0\0\0", [f"{dt.STOP_LEVELS} = <0xec000000>;"]),
    ],
)
def test_form_of_a_value(name: str, data: bytes, expected: list[str]) -> None:
    assert property_lines(name, data) == expected


def test_names_of_states_stand_once_before_the_arrays() -> None:
    lines = body(
        dts.write(
            Node(
                "",
                {
                    dt.STOP_LEVELS: b"\xff\0\0\0",
                    dt.NAMES: b"stop0\0\0*/\n\0",
                    dt.FLAGS: b"\0\0\0\1" * 3,
                },
            )
        )
    )
    assert lines == [
        "\tibm,enabled-stop-levels = <0xff000000>;",
        "\t/* states: stop0  *?? */",
        "\tibm,cpu-idle-state-names = [73 74 6f 70 30 00 00 2a 2f 0a 00];",
        "\tibm,cpu-idle-state-flags = <0x1 0x1 0x1>;",
    ]


def test_long_values_are_wrapped() -> None:
    node = Node(
        "power-mgt",
        {
            dt.NAMES: b"".join(b"state%02d\0" % index for index in range(16)),
            dt.LATENCIES: b"\xff" * 64,
            dt.PSSCR: b"\xff" * 128,
            "p": b"\xff" * 65,
        },
    )
    text = dts.write(Node("", {}, (Node("ibm,opal", {}, (node,)),)))
    lines = [line for line in text.splitlines() if "/*" not in line]
    assert max(len(line.expandtabs(8)) for line in lines) in range(90, 101)
    assert "\t\t\tibm,cpu-idle-state-psscr =" in lines


def test_about_is_a_comment_nothing_escapes() -> None:
    text = dts.write(Node(""), ["power9 */ / { a; };", "\n#include"])
    assert text == "/*\n * power9 *? / { a; };\n * ?#include\n */\n/dts-v1/;\n\n/ {\n};\n"


@pytest.mark.parametrize(
    "root",
    [
        Node("", {"a/b": b""}),
        Node("", {"a b": b""}),
        Node("", {"a@1": b""}),
        Node("", {"": b""}),
        Node("", {}, (Node("a;"),)),
        Node("", {}, (Node(""),)),
        Node("", {}, (Node("a@1@2"),)),
        Node("", {}, (Node("ä"),)),
    ],
)
def test_names_no_source_can_hold_are_refused(root: Node) -> None:
    with pytest.raises(ValueError, match="expected a name dtc takes for"):
        dts.write(root)
