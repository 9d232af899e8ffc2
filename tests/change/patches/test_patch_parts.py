"""patch for device-tree sources: nodes that get another name, and values in several parts."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from idle_states.base.resources import resource
from idle_states.cli import main
from tests.support.git_history import History
from tests.support.socs import BOARD, FOLDER, PSCI, SOC

pytestmark = pytest.mark.usefixtures("dtc")

Capture = pytest.CaptureFixture[str]
SCHEMA = json.loads(resource("schemas", "skiboot-patch.schema.json").read_text("utf-8"))
DOMAINS = """\
/ {
	cpu_pd: power-controller { #power-domain-cells = <0>; };
	speed: speed-controller { #power-domain-cells = <1>; };
	other: other-controller { #power-domain-cells = <0>; };
};

&cpu0 {
	power-domains = <&cpu_pd>, <&speed FAST>; /* as the manual has it */
	power-domain-names = "psci", "perf";
};

&CLUSTER_SLEEP {
	entry-latency-us = <500 0>;
};
"""
SOURCE = "#define FAST 2\n" + SOC + DOMAINS


@pytest.fixture
def linux(tmp_path: Path) -> History:
    made = History(tmp_path / "linux")
    made.commit(
        {
            "include/dt-bindings/psci.h": PSCI,
            f"{FOLDER}/soc.dtsi": SOURCE,
            f"{FOLDER}/one.dts": BOARD % "one",
        }
    )
    return made


def patched(linux: History, tmp_path: Path, *edits: dict[str, object], mode: str) -> int:
    file = tmp_path / "mine.yaml"
    whole = [{"file": "arm64/maker/soc.dtsi", **edit} for edit in edits]
    text = {"name": "mine", "subject": "arm64: dts: Mine", "body": "Because.", "edits": whole}
    jsonschema.Draft202012Validator(SCHEMA).validate(text)
    file.write_text(yaml.safe_dump(text, sort_keys=False))
    return main(["patch", str(file), "--tree", str(linux.directory), mode, "--force"])


def edit(node: str, field: str, before: object, after: object) -> dict[str, object]:
    return {"node": node, "field": field, "from": before, "to": after}


def test_another_name_and_values_with_it(linux: History, tmp_path: Path, capsys: Capture) -> None:
    """The label and what refers to it stay; an edit after it still finds the node."""
    edits = (
        edit("CPU_SLEEP", "name", "cpu-sleep", "cpu-sleep-0"),
        edit("CPU_SLEEP", "exit-latency-us", "200us", "250us"),
    )
    assert patched(linux, tmp_path, *edits, mode="--apply") == 0
    after = (linux.directory / FOLDER / "soc.dtsi").read_text()
    wanted = SOURCE.replace("CPU_SLEEP: cpu-sleep {", "CPU_SLEEP: cpu-sleep-0 {")
    assert after == wanted.replace("<200>", "<250>")
    capsys.readouterr()
    assert patched(linux, tmp_path, *edits, mode="--check") == 0
    assert "mine: no difference" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "/ { cpus { idle-states { cpu-sleep { status = \"okay\"; }; }; }; };\n",
            "expected /cpus/idle-states/cpu-sleep as before, found it new, on one",
        ),
        ("&{/cpus/idle-states/cpu-sleep} { status = \"okay\"; };\n", "on one"),
    ],
)  # fmt: skip
def test_a_board_that_names_the_node(
    more: str, said: str, linux: History, tmp_path: Path, capsys: Capture
) -> None:
    linux.commit({f"{FOLDER}/one.dts": BOARD % "one" + more})
    edited = edit("CPU_SLEEP", "name", "cpu-sleep", "cpu-sleep-0")
    assert patched(linux, tmp_path, edited, mode="--check") == 1
    assert said in capsys.readouterr().err


def test_another_name_than_it_has(linux: History, tmp_path: Path, capsys: Capture) -> None:
    edited = edit("CPU_SLEEP", "name", "cpu-nap", "cpu-sleep-0")
    assert patched(linux, tmp_path, edited, mode="--check") == 1
    errors = capsys.readouterr().err
    assert "expected CPU_SLEEP to be cpu-nap or, patched, cpu-sleep-0, found cpu-sleep" in errors


def test_references_with_arguments_strings_and_cells(linux: History, tmp_path: Path) -> None:
    """A macro that stays is left as it is; what it stands for, the board tells."""
    edits = (
        edit("cpu0", "power-domains", ["cpu_pd", "speed", 2], ["cpu_pd", "other", "speed", 2]),
        edit("cpu0", "power-domain-names", ["psci", "perf"], ["psci", "other", "perf"]),
        edit("CLUSTER_SLEEP", "entry-latency-us", ["500us", "0us"], "500us"),
        edit("CPU_SLEEP", "compatible", "arm,idle-state", ["maker,idle-state", "arm,idle-state"]),
    )
    assert patched(linux, tmp_path, *edits, mode="--apply") == 0
    after = (linux.directory / FOLDER / "soc.dtsi").read_text()
    for line in (
        "power-domains = <&cpu_pd>, <&other>, <&speed FAST>; /* as the manual has it */",
        'power-domain-names = "psci", "other", "perf";',
        "entry-latency-us = <500>;",
        'compatible = "maker,idle-state", "arm,idle-state";',
    ):
        assert f"\t{line}\n" in after
    assert len(after.splitlines()) == len(SOURCE.splitlines())


def test_a_macro_that_is_another_value_is_refused(
    linux: History, tmp_path: Path, capsys: Capture
) -> None:
    edited = edit("cpu0", "power-domains", ["cpu_pd", "speed", 2], ["cpu_pd", "speed", 3])
    assert patched(linux, tmp_path, edited, mode="--check") == 1
    errors = capsys.readouterr().err
    assert "expected /cpus/cpu@0:power-domains as wanted" in errors
    assert (linux.directory / FOLDER / "soc.dtsi").read_text() == SOURCE
