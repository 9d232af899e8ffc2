"""Tests of what of a source's text counts as bearing on idle states: nothing that does is missed,
and what other devices are given is left out."""

import pytest

from idle_states.tables.devicetree.idle_text import idle_text, whole_text

SOC = """\
#define SLOW 300
#define OTHER 7
/ {
	cpus {
		cpu0: cpu@0 { cpu-idle-states = <&SLEEP>; };
		idle-states {
			SLEEP: cpu-sleep { exit-latency-us = <SLOW>; /* us */ };
		};
	};
	soc { uart: serial@0 { status = "disabled"; clock = <OTHER>; }; };
};
"""
BOARD = """\
#include "soc.dtsi"
&uart { status = "okay"; };
&SLEEP { status = "disabled"; };
"""


def digest(soc: str, board: str = BOARD) -> tuple[str, ...]:
    return whole_text([idle_text(board.encode()), idle_text(soc.encode())])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<OTHER>", "<8>"),
        ("#define OTHER 7", "#define OTHER 8"),
        ("/* us */", "/* microseconds */"),
        ("exit-latency-us = <SLOW>", "exit-latency-us  =\n <SLOW>"),
        ("uart: serial@0 {", "uart: serial@0 { fifo = <1>;"),
        ("\tsoc {", "\n\tsoc { i2c { };"),
    ],
)
def test_other_devices_are_left_out(old: str, new: str) -> None:
    assert old in SOC
    assert digest(SOC.replace(old, new)) == digest(SOC)
    assert digest(SOC, BOARD.replace("okay", "reserved")) == digest(SOC)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<&SLEEP>", "<&SLEEP &SLEEP>"),
        ("#define SLOW 300", "#define SLOW 400"),
        ("#define SLOW 300", "#if A\n#define SLOW 300\n#endif"),
        ("SLEEP: cpu-sleep {", "SLEEP: cpu-sleep { local-timer-stop;"),
        ("\tsoc {", "\tpsci { method = \"smc\"; };\n\tsoc {"),
        ("\tsoc {", "\tsoc { #power-domain-cells = <0>;"),
        ("\tsoc {", "\tsoc { state { min-residency-us = <1>; };"),
        ("cpu0: cpu@0 {", "/delete-node/ cpu@1; cpu0: cpu@0 {"),
        ("\tsoc {", "}; /{ \tsoc {} ; }; }; / {{"),
    ],
)  # fmt: skip
def test_what_bears_on_idle_states_is_there(old: str, new: str) -> None:
    assert old in SOC
    assert digest(SOC.replace(old, new)) != digest(SOC)


@pytest.mark.parametrize(
    "board",
    [
        BOARD.replace("disabled", "okay"),
        f"{BOARD}/delete-node/ &SLEEP;\n",
        f"{BOARD}&cpu0 {{ /delete-property/ cpu-idle-states; }};\n",
        f"{BOARD}&{{/cpus/cpu@0}} {{ enable-method = \"psci\"; }};\n",
        f"{BOARD}&uart {{ exit-latency-us = <1>; }};\n",
    ],
)  # fmt: skip
def test_references_to_its_nodes_count(board: str) -> None:
    assert digest(SOC, board) != digest(SOC)
