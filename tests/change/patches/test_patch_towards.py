"""patch --file: the edits after which a file's boards have a TABLE's idle states, and no others."""

import json
from pathlib import Path

import pytest

from idle_states.change.patches.answer import patch
from idle_states.change.patches.request import PatchRequest
from idle_states.cli import main
from idle_states.tables.sources import read_sources
from tests.support.git_history import History
from tests.support.socs import BOARD, FOLDER, PSCI, SOC
from tests.tables.devicetree.test_dts_patching import changed
from tools import wanted_sources

pytestmark = pytest.mark.usefixtures("dtc")

Capture = pytest.CaptureFixture[str]
MACHINE = SOC.replace("<&CPU_SLEEP &CPU_SLEEP &", "<&CPU_SLEEP &").replace(
    "reg = <0>;", 'reg = <0>;\n\t\t\tenable-method = "psci";'
)
"""With lists that a spec can have."""
FILE = f"{FOLDER}/soc.dtsi"
Rows = list[tuple[str, int, int | None]]


@pytest.fixture
def linux(tmp_path: Path) -> History:
    made = History(tmp_path / "linux")
    made.commit(
        {
            "include/dt-bindings/psci.h": PSCI,
            FILE: MACHINE,
            f"{FOLDER}/one.dts": BOARD % "one",
            f"{FOLDER}/two.dts": BOARD % "two",
        }
    )
    return made


SPEC = """\
name: wanted
architecture: arm
cpus:
  - nodes: [cpu@0]
    states: [cpu-sleep, cluster-sleep]
  - nodes: [cpu@1]
    states: [cpu-sleep]
provenance:
  default: {kind: file, source: "a manual", confidence: medium}
states:
  - {name: cpu-sleep, entry: 100us, exit: 200us, residency: 2000us, parameter: 0x10000}
  - {name: cluster-sleep, entry: 500us, exit: 600us, residency: 5000us, parameter: 0x1010000}
"""
CPU = "  - {name: cpu-sleep, entry: 100us"
CLUSTER = "  - {name: cluster-sleep, entry: 500us, exit: 600us, residency: 5000us, "
OFF = (
    "  - {name: cluster-off, description: off, timer-stop: yes, entry: 1ms, exit: 2ms,"
    " residency: 10ms, parameter: 0x1010002}\n"
)


def wanted(tmp_path: Path, *replaced: tuple[str, str]) -> str:
    text = SPEC
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "wanted.yaml").write_text(text)
    return str(tmp_path / "wanted.yaml")


def after(linux: History, table: str) -> str:
    """The text of the file."""
    made = patch(PatchRequest(linux.directory, table, file="arm64/maker/soc.dtsi")).plan
    return made.files.get(FILE, MACHINE)


def rows(table: str) -> list[Rows]:
    tables = [source.table for source in read_sources(table) if source.table]
    return [[(s.name, s.latency_ns, s.residency_ns) for s in table.states] for table in tables]


def test_what_is_so_already(linux: History, tmp_path: Path, capsys: Capture) -> None:
    arguments = ["patch", wanted(tmp_path), "--tree", str(linux.directory), "--file", FILE]
    assert main([*arguments, "--check"]) == 0
    assert "wanted: no difference" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("replaced", "lines"),
    [
        pytest.param(
            [(CPU, "  - {name: cpu-sleep, timer-stop: yes, wakeup: 280us, entry: 150us")],
            [
                "-\t\t\t\tentry-latency-us = <(100)>;",
                "+\t\t\t\tentry-latency-us = <(150)>;",
                "+\t\t\t\tlocal-timer-stop;",
                "+\t\t\t\twakeup-latency-us = <280>;",
            ],
            id="values",
        ),
        pytest.param(
            [("cluster-sleep", "cluster-nap"), ("residency: 5000us", "residency: 6ms")],
            [
                "-\t\t\tCLUSTER_SLEEP: cluster-sleep {",
                "+\t\t\tCLUSTER_SLEEP: cluster-nap {",
                "-\t\t\t\tmin-residency-us = <5000>;",
                "+\t\t\t\tmin-residency-us = <6000>;",
            ],
            id="another name, at the same place of the list",
        ),
        pytest.param(
            [("[cpu-sleep, cluster-sleep]", "[cpu-sleep, cluster-sleep, cluster-off]"),
             (CLUSTER, OFF + CLUSTER)],
            [
                "-\t\t\tcpu-idle-states = <&CPU_SLEEP &CLUSTER_SLEEP>;",
                "+\t\t\tcpu-idle-states = <&CPU_SLEEP &CLUSTER_SLEEP &CLUSTER_OFF>;",
                "+",
                "+\t\t\tCLUSTER_OFF: cluster-off {",
                '+\t\t\t\tcompatible = "arm,idle-state";',
                '+\t\t\t\tidle-state-name = "off";',
                "+\t\t\t\tlocal-timer-stop;",
                "+\t\t\t\tarm,psci-suspend-param = <0x01010002>;",
                "+\t\t\t\tentry-latency-us = <1000>;",
                "+\t\t\t\texit-latency-us = <2000>;",
                "+\t\t\t\tmin-residency-us = <10000>;",
                "+\t\t\t};",
            ],
            id="a state more",
        ),
        pytest.param(
            [("[cpu-sleep]", "[cluster-sleep]"), ("[cpu-sleep, cluster-sleep]", "[cluster-sleep]"),
             ("  - {name: cpu-sleep, entry: 100us, exit: 200us, residency: 2000us, "
              "parameter: 0x10000}\n", "")],
            [
                "-\t\t\tcpu-idle-states = <&CPU_SLEEP &CLUSTER_SLEEP>;",
                "+\t\t\tcpu-idle-states = <&CLUSTER_SLEEP>;",
                "-\t\t\tcpu-idle-states = <&CPU_SLEEP>;",
                "+\t\t\tcpu-idle-states = <&CLUSTER_SLEEP>;",
                "-\t\t\tCPU_SLEEP: cpu-sleep {",
                '-\t\t\t\tcompatible = "arm,idle-state";',
                "-\t\t\t\t/* from the maker's manual */",
                "-\t\t\t\tentry-latency-us = <(100)>;",
                "-\t\t\t\texit-latency-us = <200>;",
                "-\t\t\t\tmin-residency-us = <2000>;",
                "-\t\t\t\tarm,psci-suspend-param = <CPU_OFF>;",
                "-\t\t\t};",
                "-",
            ],
            id="a state less",
        ),
        pytest.param(
            [("[cpu-sleep]\n", "[]\n"),
             ("[cpu@1]", "[cpu@1]\n    enable-method: spin-table")],
            [
                '-\t\t\tenable-method = "psci";',
                "-\t\t\tcpu-idle-states = <&CPU_SLEEP>;",
                '+\t\t\tenable-method = "spin-table";',
            ],
            id="a CPU without states, of another method",
        ),
    ],
)  # fmt: skip
def test_edits_are_these_alone(
    replaced: list[tuple[str, str]], lines: list[str], linux: History, tmp_path: Path
) -> None:
    text = MACHINE.replace("first = <&CLUSTER_SLEEP>;", "")
    linux.commit({FILE: text})
    table = wanted(tmp_path, *replaced)
    made = patch(PatchRequest(linux.directory, table, file=FILE)).plan
    assert sorted(changed(made.files[FILE], text)) == sorted(lines)


def test_git_am_takes_it_and_the_boards_have_the_table(
    linux: History, tmp_path: Path, capsys: Capture
) -> None:
    """A tree that is compiled, with all kinds of differences; the file as one of this machine."""
    table = wanted(
        tmp_path,
        ("cpu-sleep", "cpu-nap"),
        ("entry: 100us", "entry: 120us"),
        ("[cpu-nap, cluster-sleep]", "[cluster-off]"),
        (CLUSTER, OFF + CLUSTER.replace("600us", "700us")),
    )
    text = MACHINE.replace("first = <&CLUSTER_SLEEP>;", "")
    linux.commit({FILE: text})
    assert main(["generate", table, "--to", "dtb", "-o", str(tmp_path / "wanted.dtb")]) == 0
    words = ["patch", str(tmp_path / "wanted.dtb"), "--tree", str(linux.directory)]
    words += ["--file", str(linux.directory / FILE)]
    assert main([*words, "-o", str(tmp_path / "out")]) == 0
    (file,) = (tmp_path / "out").iterdir()
    assert "Subject: [PATCH] arm64: dts: maker: soc: Bring" in file.read_text()
    linux.git("am", "--quiet", str(file))
    for board in ("one.dts", "two.dts"):
        assert rows(str(linux.directory / FOLDER / board)) == rows(str(tmp_path / "wanted.dtb"))
    capsys.readouterr()
    assert main([*words, "--check", "--format", "json"]) == 0
    (step,) = json.loads(capsys.readouterr().out)["patches"]
    assert step["changes"] == []


BARE = """\
/ {
	cpus {
		#address-cells = <1>;
		#size-cells = <0>;

		cpu@0 { device_type = "cpu"; compatible = "arm,cortex-a53"; reg = <0>; };
		cpu@1 {
			device_type = "cpu";
			compatible = "arm,cortex-a53";
			reg = <1>;
			enable-method = "psci";
		};
	};
};
"""


def test_cpus_without_any_states_get_them(linux: History, tmp_path: Path, capsys: Capture) -> None:
    """A new machine: the node that holds the states comes, too."""
    linux.commit({FILE: BARE})
    table = wanted(tmp_path)
    words = ["patch", table, "--tree", str(linux.directory), "--file", FILE]
    assert main([*words, "-o", str(tmp_path / "out")]) == 0
    (file,) = (tmp_path / "out").iterdir()
    assert "Before:\n  no CPU lists a state\n\nAfter:\n  cpu@0; enable-" in file.read_text()
    linux.git("am", "--quiet", str(file))
    text = (linux.directory / FILE).read_text()
    assert '\t\tidle-states {\n\t\t\tentry-method = "psci";\n\n\t\t\tCPU_SLEEP: cpu-sl' in text
    assert text.count('enable-method = "psci"') == 2
    for board in ("one.dts", "two.dts"):
        assert rows(str(linux.directory / FOLDER / board)) == rows(table)
    assert main([*words, "--check"]) == 0


def test_harts_without_any_states_get_them(linux: History, tmp_path: Path) -> None:
    """RISC-V's container says no entry-method."""
    folder, isa = "arch/riscv/boot/dts/maker", 'compatible = "riscv"; riscv,isa = "rv64ima"'
    text = BARE.replace('compatible = "arm,cortex-a53"', isa).replace('"psci"', '"sbi"')
    linux.commit({f"{folder}/soc.dtsi": text, f"{folder}/one.dts": BOARD % "one"})
    table = wanted(
        tmp_path,
        ("architecture: arm", "architecture: riscv"),
        ("0x1010000", "0x80000000"),
        ("0x10000", "0x90000000"),
        ("  - nodes: [cpu@1]", "  - enable-method: sbi\n    nodes: [cpu@1]"),
    )
    made = patch(PatchRequest(linux.directory, table, file="riscv/maker/soc.dtsi")).plan
    after = made.files[f"{folder}/soc.dtsi"]
    assert '\t\tidle-states {\n\t\t\tCPU_SLEEP: cpu-sleep {\n\t\t\t\tcompatible = "riscv,' in after
    assert "riscv,sbi-suspend-param = <0x90000000>;" in after


def test_a_cluster_comes_beside_another(linux: History, tmp_path: Path) -> None:
    """Its state goes to the others, whose own stay as they are."""
    big = BARE[BARE.index("\t\tcpu@1 {") : BARE.index("\t};\n};")]
    text = MACHINE.replace("\t\tidle-states {", f"{big.replace('@1', '@100')}\n\t\tidle-states {{")
    linux.commit({FILE: text})
    table = wanted(
        tmp_path,
        ("provenance:", "  - nodes: [cpu@100]\n    states: [cluster-off]\nprovenance:"),
        (CLUSTER, OFF + CLUSTER),
    )
    made = patch(PatchRequest(linux.directory, table, file=FILE)).plan
    lines = changed(made.files[FILE], (linux.directory / FILE).read_text())
    assert [line for line in lines if line[0] == "-"] == []
    assert [line.strip("+\t") for line in lines if "idle-states = " in line] == [
        "cpu-idle-states = <&CLUSTER_OFF>;"
    ]
    assert sum("CLUSTER_OFF: cluster-off {" in line for line in lines) == 1


def test_states_come_where_the_cpus_are_written(
    linux: History, tmp_path: Path, capsys: Capture
) -> None:
    linux.commit({FILE: '#include "cpus.dtsi"\n', f"{FOLDER}/cpus.dtsi": BARE})
    words = ["patch", wanted(tmp_path), "--tree", str(linux.directory)]
    assert main([*words, "--file", FILE, "--check"]) == 1
    errors = capsys.readouterr().err
    assert (
        "expected /cpus/cpu@0 in arch/arm64/boot/dts/maker/soc.dtsi, found it in another" in errors
    )
    assert main([*words, "--file", f"{FOLDER}/cpus.dtsi", "--apply"]) == 0


def test_another_tree_s_board(linux: History, tmp_path: Path) -> None:
    """Comments and macros of the file stay."""
    other = History(tmp_path / "other")
    text = (
        MACHINE.replace("<600>", "<650>").replace("CPU_SLEEP", "NAP").replace("CPU_OFF", "0x10000")
    )
    other.commit(
        {
            "include/dt-bindings/psci.h": PSCI,
            FILE: text,
            f"{FOLDER}/mine.dts": BOARD % "mine",
        }
    )
    table = str(other.directory / FOLDER / "mine.dts")
    assert after(linux, table) == MACHINE.replace("<600>", "<650>")


@pytest.mark.parametrize(
    ("replaced", "board", "said"),
    [
        ([("- nodes: [cpu@1]", "- nodes: [cpu@1, cpu@2]")], "",
         "expected the CPUs of wanted, found no cpu@2 on any board"),
        ([("  - nodes: [cpu@1]\n    states: [cpu-sleep]\n", "")], "",
         "expected the CPUs of wanted, found cpu@1 on one.dts and two.dts"),
        ([("exit: 600us", "exit: 650us")], "&CLUSTER_SLEEP { exit-latency-us = <610>; };",
         "expected CLUSTER_SLEEP:exit-latency-us alike on all boards"),
        ([("states: [cpu-sleep]", "states: [cpu-sleep]\n    domain: a-domain"),
          ("provenance:", "domains:\n  - nodes: [a-domain]\n    states: []\nprovenance:")], "",
         "power domains of wanted, which are changed by hand, found others on "),
        ([("parameter: 0x10000}", "parameter: 0x20000}")], "", "CPU_OFF, which the file does not"),
    ],
)  # fmt: skip
def test_refused_with_words(
    replaced: list[tuple[str, str]],
    board: str,
    said: str,
    linux: History,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    linux.commit({f"{FOLDER}/two.dts": BOARD % "two" + board})
    table = wanted(tmp_path, *replaced)
    assert main(["patch", table, "--tree", str(linux.directory), "--file", FILE, "--check"]) == 1
    assert said in capsys.readouterr().err


def test_a_domain_of_another_kind_is_left_alone(linux: History, tmp_path: Path) -> None:
    """The domain is one of a CPU's frequency, which a spec does not say."""
    text = MACHINE + "/ { perf: speed { #power-domain-cells = <1>; }; };\n"
    text += '&cpu0 { power-domains = <&perf 3>; power-domain-names = "perf"; };\n'
    linux.commit({FILE: text})
    made = patch(
        PatchRequest(linux.directory, wanted(tmp_path, ("600us", "610us")), file=FILE)
    ).plan
    assert made.files == {FILE: text.replace("<600>", "<610>")}


def test_a_board_with_fewer_cpus(linux: History, tmp_path: Path) -> None:
    """It has the states of the CPUs that it has."""
    linux.commit({f"{FOLDER}/two.dts": BOARD % "two" + "/delete-node/ &cpu1;\n"})
    linux.commit({FILE: MACHINE.replace("<&cpu0 &used>", "<&cpu0>")})
    table = wanted(tmp_path, ("states: [cpu-sleep]", "states: [cluster-sleep]"))
    made = patch(PatchRequest(linux.directory, table, file=FILE)).plan
    lines = changed(made.files[FILE], MACHINE.replace("<&cpu0 &used>", "<&cpu0>"))
    assert lines == [
        "-\t\t\tcpu-idle-states = <&CPU_SLEEP>;",
        "+\t\t\tcpu-idle-states = <&CLUSTER_SLEEP>;",
    ]
    (group,) = made.steps[0].tables
    assert group.boards == (f"{FOLDER}/one.dts",)


DOMAINS = """\
/ {
	psci {
		compatible = "arm,psci-1.0";
		method = "smc";
		pd0: power-domain-cpu0 { #power-domain-cells = <0>; power-domains = <&pd>; };
		pd1: power-domain-cpu1 { #power-domain-cells = <0>; power-domains = <&pd>; };
		pd: power-domain-cluster { #power-domain-cells = <0>; domain-idle-states = <&DOWN>; };
	};
	cpus {
		domain-idle-states {
			DOWN: cluster-down {
				compatible = "domain-idle-state";
				entry-latency-us = <500>;
				exit-latency-us = <600>;
				min-residency-us = <9000>;
				arm,psci-suspend-param = <0x01010000>;
			};
		};
	};
};
&cpu0 { power-domains = <&pd0>; power-domain-names = "psci"; };
&cpu1 { power-domains = <&pd1>; power-domain-names = "psci"; };
"""


def test_states_of_power_domains(linux: History, tmp_path: Path) -> None:
    """They are compared and changed as CPUs' are, a new one with its entry in the domain's list."""
    text = MACHINE.replace("<&CPU_SLEEP &CLUSTER_SLEEP>", "<&CPU_SLEEP>") + DOMAINS
    linux.commit({FILE: text})
    old = {"one.dts": f"{FOLDER}/one.dts", "psci.h": "include/dt-bindings/psci.h"}
    other = History(tmp_path / "other")
    state = DOMAINS[DOMAINS.index("\t\t\tDOWN:") : DOMAINS.index("\t\t};\n\t};\n};")]
    more = state.replace("DOWN: cluster-down", "OFF: cluster-off").replace("9000", "99000")
    wants = text.replace("<&DOWN>", "<&DOWN &OFF>").replace(state, state + more)
    files = {path: (linux.directory / path).read_text() for path in old.values()}
    other.commit({**files, FILE: wants.replace("<9000>", "<8000>")})
    made = patch(
        PatchRequest(linux.directory, str(other.directory / old["one.dts"]), file=FILE)
    ).plan
    lines = changed(made.files[FILE], text)
    assert lines[0].endswith("domain-idle-states = <&DOWN>; };")
    assert lines[1].endswith("domain-idle-states = <&DOWN>, <&CLUSTER_OFF>; };")
    assert lines[2:4] == [
        "-\t\t\t\tmin-residency-us = <9000>;",
        "+\t\t\t\tmin-residency-us = <8000>;",
    ]
    assert [line[0] for line in lines[4:]] == ["+"] * 8
    new = made.files[FILE].partition("};\n\n\t\t\tCLUSTER_OFF: cluster-off {\n")[2]
    assert "min-residency-us = <99000>;" in new.partition("};")[0]
    (group,) = made.steps[0].tables
    assert [state.name for state in group.after[0].states] == [
        "cpu-sleep", "cluster-down", "cluster-off",
    ]  # fmt: skip


def test_a_board_that_has_the_value_already(linux: History, tmp_path: Path) -> None:
    """By an override, which stays; the others get it."""
    board = BOARD % "two" + "&CLUSTER_SLEEP { exit-latency-us = <610>; };"
    linux.commit({f"{FOLDER}/two.dts": board})
    made = patch(
        PatchRequest(linux.directory, wanted(tmp_path, ("600us", "610us")), file=FILE)
    ).plan
    assert made.files == {FILE: MACHINE.replace("<600>", "<610>")}
    (group,) = made.steps[0].tables
    assert group.boards == (f"{FOLDER}/one.dts",)


def test_a_value_of_another_file_is_refused(
    linux: History, tmp_path: Path, capsys: Capture
) -> None:
    table = wanted(tmp_path, ("exit: 600us", "exit: 650us"))
    words = ["patch", table, "--tree", str(linux.directory), "--file", f"{FOLDER}/one.dts"]
    assert main([*words, "--check"]) == 1
    err = capsys.readouterr().err
    assert f"in {FOLDER}/one.dts, found it in another file" in err
    assert "soc.dtsi:36:" in err
    linux.commit({f"{FOLDER}/one.dts": BOARD % "one" + '&CLUSTER_SLEEP { status = "okay"; };\n'})
    assert main([*words, "--apply"]) == 0
    text = (linux.directory / FOLDER / "one.dts").read_text()
    assert text.endswith('&CLUSTER_SLEEP { status = "okay";\n\texit-latency-us = <650>; };\n')


@pytest.mark.parametrize(
    ("table", "file", "status", "said"),
    [
        ("power9", FILE, 2, "expected all idle states of a machine of Arm or RISC-V"),
        ("sm8250:cpu@0", FILE, 2, "another table, or one of several"),
        ("arm64-generic", "arm64/maker/none.dtsi", 2, "expected a file of the tree with --file"),
        ("arm64-generic", "soc.dtsi", 2, f"found 'soc.dtsi'; did you mean {FILE}?"),
        ("mambo-stop4", FILE, 2, "expected a revision"),
    ],
)
def test_what_is_no_machine_or_file(
    table: str, file: str, status: int, said: str, linux: History, capsys: Capture
) -> None:
    words = ["patch", table, "--tree", str(linux.directory), "--file", file, "--check"]
    assert main(words) == status
    assert said in capsys.readouterr().err


def test_machines_drawn_at_random(
    linux: History, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """The maker's program finds each made, or refused: a reference elsewhere keeps a state."""
    monkeypatch.setenv("TREE", str(linux.directory))
    monkeypatch.setenv("EACH", "4")
    assert wanted_sources.main() == 0
    rows = [line.split("|") for line in capsys.readouterr().out.splitlines() if line[:1] == "|"]
    counts = {row[1].strip(): row[2].strip() for row in rows}
    assert int(counts["made"]) >= 2
