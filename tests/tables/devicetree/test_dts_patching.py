"""Edits of a source's text: the bytes that change are those of what was meant, comments and the
writer's style stay."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.tables.devicetree.patching.edit import (
    with_name,
    with_node,
    with_property,
    without_node,
)
from idle_states.tables.devicetree.patching.source import DtsText, EditRefused
from idle_states.tables.devicetree.patching.values import DtsValue

SOURCE = """\
/* cpu0: cpu@0 { in a comment } */
#define SHALLOW 200
#define SHARED(x) x ## 1 { \\
	not-a-node
/ {
	cpus {
		cpu0: cpu@0 {
			reg = <0x0>;	/* the first */
			enable-method = "psci";
			cpu-idle-states = <&RET &RET>,
				<&CPU_SLEEP /* deeper */ &CPU_SLEEP>,
				<&GONE>;
		};

		cpu1: cpu@1 {
			reg = <0x1>;
			cpu-idle-states = <&RET &CPU_SLEEP &GONE>;
		};

		idle-states {
			RET: cpu-retention {
				compatible = "arm,idle-state";
				arm,psci-suspend-param = <0x0010000>;
				entry-latency-us = <20>;
				exit-latency-us = <(40)>;
				min-residency-us = <SHALLOW>; // measured
			};

			/* about the next */
			CPU_SLEEP: cpu-sleep {
				compatible = "arm,idle-state";
				entry-latency-us = <(100 + 20)>;
				min-residency-us = <TWICE>;
				local-timer-stop;
			};

			GONE: cpu-off {
				status = "disabled";
			};
		};
	};
};

&CPU_SLEEP {
	exit-latency-us = <300>;
};
"""


def changed(after: str, before: str = SOURCE) -> list[str]:
    """The lines that differ, as a diff has them."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0)
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def set_to(node: str, name: str, value: DtsValue) -> list[str]:
    source = DtsText(SOURCE, "a.dtsi")
    return changed(with_property(source, source.node(node), name, value))


@pytest.mark.parametrize(
    ("node", "name", "value", "lines"),
    [
        pytest.param(
            "RET",
            "arm,psci-suspend-param",
            0x1010000,
            [
                "-\t\t\t\tarm,psci-suspend-param = <0x0010000>;",
                "+\t\t\t\tarm,psci-suspend-param = <0x1010000>;",
            ],
            id="hexadecimal",
        ),
        pytest.param(
            "cpu-retention",
            "arm,psci-suspend-param",
            0x2,
            [
                "-\t\t\t\tarm,psci-suspend-param = <0x0010000>;",
                "+\t\t\t\tarm,psci-suspend-param = <0x0000002>;",
            ],
            id="leading zeros",
        ),
        pytest.param(
            "/cpus/idle-states/cpu-retention",
            "exit-latency-us",
            45,
            ["-\t\t\t\texit-latency-us = <(40)>;", "+\t\t\t\texit-latency-us = <(45)>;"],
            id="parentheses",
        ),
        pytest.param(
            "RET",
            "min-residency-us",
            250,
            ["-#define SHALLOW 200", "+#define SHALLOW 250"],
            id="a macro of this value alone",
        ),
        pytest.param(
            "CPU_SLEEP",
            "exit-latency-us",
            400,
            ["-\texit-latency-us = <300>;", "+\texit-latency-us = <400>;"],
            id="an override by label",
        ),
        pytest.param(
            "cpu1",
            "enable-method",
            "psci",
            ['+\t\t\tenable-method = "psci";'],
            id="as the node beside it",
        ),
        pytest.param(
            "CPU_SLEEP", "local-timer-stop", None, ["-\t\t\t\tlocal-timer-stop;"], id="taken away"
        ),
        pytest.param("RET", "local-timer-stop", True, ["+\t\t\t\tlocal-timer-stop;"], id="added"),
        pytest.param(
            "GONE",
            "status",
            "okay",
            ['-\t\t\t\tstatus = "disabled";', '+\t\t\t\tstatus = "okay";'],
            id="text",
        ),
        pytest.param(
            "cpu1",
            "cpu-idle-states",
            ("RET", "GONE"),
            [
                "-\t\t\tcpu-idle-states = <&RET &CPU_SLEEP &GONE>;",
                "+\t\t\tcpu-idle-states = <&RET &GONE>;",
            ],
            id="an entry less",
        ),
        pytest.param(
            "cpu1",
            "cpu-idle-states",
            ("RET", "NEW", "CPU_SLEEP", "GONE"),
            [
                "-\t\t\tcpu-idle-states = <&RET &CPU_SLEEP &GONE>;",
                "+\t\t\tcpu-idle-states = <&RET &NEW &CPU_SLEEP &GONE>;",
            ],
            id="an entry more",
        ),
        pytest.param(
            "cpu0",
            "cpu-idle-states",
            ("RET", "CPU_SLEEP"),
            [
                "-\t\t\tcpu-idle-states = <&RET &RET>,",
                "-\t\t\t\t<&CPU_SLEEP /* deeper */ &CPU_SLEEP>,",
                "-\t\t\t\t<&GONE>;",
                "+\t\t\tcpu-idle-states = <&RET>,",
                "+\t\t\t\t<&CPU_SLEEP /* deeper */>;",
            ],
            id="groups, with a comment",
        ),
        pytest.param(
            "cpu0",
            "cpu-idle-states",
            ("CPU_SLEEP", "RET"),
            [
                "-\t\t\tcpu-idle-states = <&RET &RET>,",
                "-\t\t\t\t<&CPU_SLEEP /* deeper */ &CPU_SLEEP>,",
                "-\t\t\t\t<&GONE>;",
                "+\t\t\tcpu-idle-states = <&CPU_SLEEP &RET> /* deeper */;",
            ],
            id="in another order",
        ),
    ],
)
def test_a_property(node: str, name: str, value: DtsValue, lines: list[str]) -> None:
    assert set_to(node, name, value) == lines


def test_a_path_that_begins_with_a_label() -> None:
    """The path is that of a node below one that another file gives its label."""
    text = '&cpus {\n\tcpu@0 {\n\t\tstatus = "okay";\n\t};\n};\n'
    source = DtsText(text, "a.dtsi")
    after = with_property(source, source.node("cpus/cpu@0"), "status", "disabled")
    assert after == text.replace("okay", "disabled")


def test_a_property_that_siblings_have_stands_where_theirs_does() -> None:
    source = DtsText(SOURCE, "a.dtsi")
    after = with_property(source, source.node("cpu@1"), "enable-method", "psci")
    lines = [line.strip() for line in after.splitlines()]
    at = lines.index("reg = <0x1>;")
    assert lines[at + 1 : at + 3] == [
        'enable-method = "psci";',
        "cpu-idle-states = <&RET &CPU_SLEEP &GONE>;",
    ]


def test_a_node_goes_with_its_entries() -> None:
    source = DtsText(SOURCE, "a.dtsi")
    assert changed(without_node(source, source.node("GONE"))) == [
        "-\t\t\t\t<&CPU_SLEEP /* deeper */ &CPU_SLEEP>,",
        "-\t\t\t\t<&GONE>;",
        "+\t\t\t\t<&CPU_SLEEP /* deeper */ &CPU_SLEEP>;",
        "-\t\t\tcpu-idle-states = <&RET &CPU_SLEEP &GONE>;",
        "+\t\t\tcpu-idle-states = <&RET &CPU_SLEEP>;",
        "-",
        "-\t\t\tGONE: cpu-off {",
        '-\t\t\t\tstatus = "disabled";',
        "-\t\t\t};",
    ]


def test_a_node_that_another_block_writes_goes_whole() -> None:
    source = DtsText(SOURCE, "a.dtsi")
    after = without_node(source, source.node("CPU_SLEEP"))
    assert "CPU_SLEEP" not in after
    assert "/* about the next */" in after
    assert "/* deeper */" in after


@pytest.mark.parametrize(
    ("braces", "made"),
    [
        ("{\n\t\ta;\n\t}", '{\n\t\ta;\n\n\t\tnew {\n\t\t\tstatus = "okay";\n\t\t};\n\t}'),
        ("{\n\t}", '{\n\t\tnew {\n\t\t\tstatus = "okay";\n\t\t};\n\t}'),
        ("{ a; }", '{ a;\n\t\tnew {\n\t\t\tstatus = "okay";\n\t\t};\n\t}'),
        ("{}", '{\n\t\tnew {\n\t\t\tstatus = "okay";\n\t\t};\n\t}'),
    ],
)
def test_a_node_comes_in_another_as_its_last(braces: str, made: str) -> None:
    text = "/ {\n\tcpus %s;\n\n\tlast {};\n};\n"
    source = DtsText(text % braces, "a.dtsi")
    after = with_node(source, source.node("/cpus"), "new", "", {"status": "okay"}, place="in")
    assert after == text % made
    assert DtsText(after, "").node("/cpus/new").blocks


@pytest.mark.parametrize("before", [False, True])
def test_a_node_comes_laid_out_like_its_neighbour(before: bool) -> None:
    source = DtsText(SOURCE, "a.dtsi")
    properties: dict[str, DtsValue] = {
        "arm,psci-suspend-param": 0x10002,
        "entry-latency-us": 5,
        "local-timer-stop": True,
    }
    node = source.node("RET")
    after = with_node(
        source, node, "cpu-nap", "NAP", properties, place="before" if before else "after"
    )
    lines = [
        "+\t\t\tNAP: cpu-nap {",
        '+\t\t\t\tcompatible = "arm,idle-state";',
        "+\t\t\t\tarm,psci-suspend-param = <0x0010002>;",
        "+\t\t\t\tentry-latency-us = <5>;",
        "+\t\t\t\tlocal-timer-stop;",
        "+\t\t\t};",
        "+",
    ]
    assert sorted(changed(after)) == sorted(lines)
    order = [block.name for block in DtsText(after, "").node("/cpus/idle-states").blocks[0].blocks]
    assert order.index("cpu-nap") == (0 if before else 1)


@pytest.mark.parametrize(
    ("node", "name", "value", "found"),
    [
        ("CPU_SLEEP", "min-residency-us", 1, "TWICE, which the file does not define"),
        ("CPU_SLEEP", "entry-latency-us", 1, "expected one number, found <(100 + 20)>"),
        ("RET", "min-residency-us", (1, 2), "expected numbers, found <SHALLOW>"),
        ("RET", "local-timer-stop", None, "expected local-timer-stop in"),
        ("cpu9", "status", "okay", "expected one node cpu9"),
    ],
)
def test_what_a_person_has_to_think_about_is_refused(
    node: str, name: str, value: DtsValue, found: str
) -> None:
    with pytest.raises(EditRefused) as refused:
        set_to(node, name, value)
    assert found in str(refused.value.message)


SEVERAL = """\
n: node@1 {
	power-domains = <&pd 0>, <&perf (1 + 2)>, /* the last */ <&other MACRO>;
	power-domain-names = "psci", "perf", /* the last */ "other";
	reg = <0x1 0x02>;
	/delete-property/ status;
	domain-idle-states = NODES;
	cpu-idle-states = <&a &b>;
};
"""


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("power-domains", ("pd", 0, "perf", 3), "<&pd 0>, <&perf (1 + 2)> /* the last */"),
        ("power-domains", ("pd", 1, "perf", 3, "other", 9),
         "<&pd 1>, <&perf (1 + 2)>, /* the last */ <&other MACRO>"),
        ("power-domains", ("pd", 0, "new", "perf", 3, "other", 9),
         "<&pd 0>, <&new>, <&perf (1 + 2)>, /* the last */ <&other MACRO>"),
        ("power-domains", ("other", 9, "pd", 0), "<&other MACRO>, <&pd 0> /* the last */"),
        ("power-domain-names", ("psci", "new", "other"),
         '"psci", "new", /* the last */ "other"'),
        ("power-domain-names", ("psci", "perf"), '"psci", "perf" /* the last */'),
        ("power-domain-names", "psci", '"psci" /* the last */'),
        ("reg", (1, 0x1F), "<0x1 0x1f>"),
        ("reg", (1, 2, 3), "<0x1 0x2 0x3>"),
        ("reg", 5, "<0x5>"),
        ("status", "okay", '"okay"'),
        ("cpu-idle-states", ("a", "c"), "<&a &c>"),
        ("compatible", ("a,b", "a,c"), '"a,b", "a,c"'),
    ],
)  # fmt: skip
def test_values_in_several_parts(name: str, value: DtsValue, line: str) -> None:
    """Values that are there already stay as they are written, a macro as well."""
    source = DtsText(SEVERAL, "a.dtsi")
    after = with_property(source, source.node("n"), name, value)
    assert f"\t{name} = {line};\n" in after
    assert [one for one in changed(after, SEVERAL) if one[0] == "+"] == [f"+\t{name} = {line};"]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("domain-idle-states", ("a",), "expected references to nodes alone, found NODES"),
        ("reg", "text", "expected one string, found <0x1 0x02>"),
    ],
)
def test_values_in_several_parts_refused(name: str, value: DtsValue, found: str) -> None:
    source = DtsText(SEVERAL, "a.dtsi")
    with pytest.raises(EditRefused) as refused:
        with_property(source, source.node("n"), name, value)
    assert found in refused.value.message


def test_a_node_goes_with_the_arguments_of_its_entries() -> None:
    text = SEVERAL + "perf: node@2 {\n};\n"
    source = DtsText(text, "a.dtsi")
    after = without_node(source, source.node("perf"))
    assert "power-domains = <&pd 0>, /* the last */ <&other MACRO>;" in after


def test_a_node_gets_another_name() -> None:
    """Wherever the file opens it or names its path; its label, and others of its name, stay."""
    text = SOURCE + "/ {\n\tcpus { idle-states { cpu-sleep { a; }; }; };\n};\n"
    text += "&{/cpus/idle-states/cpu-sleep} { b; };\n&{/cpus/cpu-sleep} { };\n"
    text += '/ { path = "/cpus/idle-states/cpu-sleep"; };\n'
    source = DtsText(text, "a.dtsi")
    after = with_name(source, source.node("CPU_SLEEP"), "cpu-off-0")
    assert changed(after, text) == [
        "-\t\t\tCPU_SLEEP: cpu-sleep {",
        "+\t\t\tCPU_SLEEP: cpu-off-0 {",
        "-\tcpus { idle-states { cpu-sleep { a; }; }; };",
        "+\tcpus { idle-states { cpu-off-0 { a; }; }; };",
        "-&{/cpus/idle-states/cpu-sleep} { b; };",
        "+&{/cpus/idle-states/cpu-off-0} { b; };",
    ]


@pytest.mark.parametrize(
    ("more", "name", "found"),
    [
        ("", "cpu-retention", "expected no /cpus/idle-states/cpu-retention yet, found it"),
        ("&x {\n\t/delete-node/ cpu-sleep;\n};\n", "cpu-off-0", "expected cpu-sleep to be deleted"),
    ],
)
def test_another_name_is_refused(more: str, name: str, found: str) -> None:
    source = DtsText(SOURCE + more, "a.dtsi")
    with pytest.raises(EditRefused) as refused:
        with_name(source, source.node("CPU_SLEEP"), name)
    assert found in refused.value.message
    of_label = DtsText("&elsewhere { a; };", "a.dtsi")
    with pytest.raises(EditRefused, match="found references to it alone"):
        with_name(of_label, of_label.node("elsewhere"), "another")


def test_a_macro_of_two_values_is_refused_where_it_is_used() -> None:
    text = SOURCE.replace("<TWICE>", "<SHALLOW>")
    source = DtsText(text, "a.dtsi")
    with pytest.raises(EditRefused) as refused:
        with_property(source, source.node("RET"), "min-residency-us", 1)
    assert "uses 2 times" in refused.value.message
    assert text[refused.value.start : refused.value.end] == "SHALLOW"
    assert source.location(refused.value.start, refused.value.end).line == 26


@pytest.mark.parametrize("text", ["/ { a = <1>;", "/ { }; };"])
def test_braces_that_do_not_match_are_refused(text: str) -> None:
    with pytest.raises(EditRefused):
        DtsText(text, "a.dtsi")


NAMES = st.lists(st.sampled_from("ABCDE"), min_size=1, max_size=6)


@given(NAMES, NAMES, st.sampled_from([" ", ">, <", ">,\n\t\t<", " /* x */ ", " // y\n\t"]))
def test_a_list_becomes_what_is_wanted(have: list[str], want: list[str], joint: str) -> None:
    value = joint.join(f"&{name}" for name in have)
    source = DtsText(f"n: node {{\n\tcpu-idle-states = <{value}>;\n\tother = <1>;\n}};\n", "")
    after = with_property(source, source.node("n"), "cpu-idle-states", tuple(want))
    (statement,) = DtsText(after, "").node("n").writers("cpu-idle-states")
    assert statement.value is not None
    text = after[slice(*statement.value)]
    plain = text.replace("/* x */", "").replace("// y\n", "\n")
    assert [word.strip("<>,") for word in plain.split() if "&" in word] == [f"&{n}" for n in want]
    assert "<>" not in plain.replace(" ", "").replace("\n", "").replace("\t", "")
    assert text.count("x") == value.count("x")
    assert text.count("y") == value.count("y")
    assert after.endswith("\tother = <1>;\n};\n")
