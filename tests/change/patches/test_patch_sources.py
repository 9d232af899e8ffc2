"""patch for a tree of device-tree sources: exactly the wanted change on every board that includes
the file, as a patch that git am takes; else a refusal that names the boards."""

import json
import shutil
from pathlib import Path

import jsonschema
import pytest
import yaml

from idle_states.base.resources import resource
from idle_states.change.patches import description
from idle_states.change.patches.answer import patch
from idle_states.change.patches.library import DTS_DIRECTORY
from idle_states.change.patches.request import PatchRequest
from idle_states.cli import main
from idle_states.tables.sources import read_sources
from tests.support.git_history import History
from tests.support.socs import BOARD, FOLDER, PSCI, SOC

pytestmark = pytest.mark.usefixtures("dtc")

Capture = pytest.CaptureFixture[str]
SCHEMA = json.loads(resource("schemas", "skiboot-patch.schema.json").read_text("utf-8"))
FILE = "arm64/maker/soc.dtsi"


@pytest.fixture
def linux(tmp_path: Path) -> History:
    made = History(tmp_path / "linux")
    made.commit(
        {
            "include/dt-bindings/psci.h": PSCI,
            f"{FOLDER}/soc.dtsi": SOC,
            f"{FOLDER}/one.dts": BOARD % "one",
            f"{FOLDER}/two.dts": BOARD % "two",
            f"{FOLDER}/else.dts": '/dts-v1/;\n/ { model = "else"; };\n',
        }
    )
    return made


def described(tmp_path: Path, *edits: dict[str, object]) -> str:
    """The path of a description with these edits of the SoC's file."""
    file = tmp_path / "mine.yaml"
    whole = [{"file": FILE, **edit} for edit in edits]
    text = {"name": "mine", "subject": "arm64: dts: Mine", "body": "Because.", "edits": whole}
    jsonschema.Draft202012Validator(SCHEMA).validate(text)
    file.write_text(yaml.safe_dump(text, sort_keys=False))
    return str(file)


def edit(node: str, field: str, before: object, after: object) -> dict[str, object]:
    return {"node": node, "field": field, "from": before, "to": after}


def patched(linux: History, series: str, *words: str) -> int:
    return main(["patch", series, "--tree", str(linux.directory), *words])


def rows(linux: History, board: str) -> list[list[tuple[str, int, int | None]]]:
    sources = read_sources(str(linux.directory / FOLDER / board))
    tables = [source.table for source in sources if source.table]
    return [[(s.name, s.latency_ns, s.residency_ns) for s in table.states] for table in tables]


def test_a_patch_that_git_am_takes(linux: History, tmp_path: Path, capsys: Capture) -> None:
    """All kinds of edits at once; the message has the boards with their tables."""
    mine = described(
        tmp_path,
        edit("CPU_SLEEP", "entry-latency-us", "100us", "150us"),
        edit("CPU_SLEEP", "local-timer-stop", "absent", "present"),
        edit("CLUSTER_SLEEP", "arm,psci-suspend-param", 0x1010000, 0x1010002),
        edit("cpu@0", "cpu-idle-states", ["CPU_SLEEP", "CPU_SLEEP", "CLUSTER_SLEEP"],
             ["CPU_SLEEP", "CLUSTER_SLEEP"]),
        edit("cpu@0", "enable-method", "absent", "psci"),
        {
            "node": "NEW",
            "becomes": {
                "name": "cluster-off", "after": "CLUSTER_SLEEP", "entry-latency-us": "1ms",
                "exit-latency-us": "2ms", "min-residency-us": "10ms",
                "arm,psci-suspend-param": 0x1010003,
            },
        },
        edit("cpu1", "cpu-idle-states", ["CPU_SLEEP"], ["CPU_SLEEP", "NEW"]),
    )  # fmt: skip
    assert patched(linux, mine, "-o", str(tmp_path / "out")) == 0
    (file,) = (tmp_path / "out").iterdir()
    text = file.read_text()
    assert "2 boards: one, two\n" in text
    assert "    cpu-sleep      exit    300 us  residency   2000 us  0x00010000" in text
    assert "    cpu-sleep    exit    350 us  residency   2000 us  0x00010000" in text
    assert "From: A U Thor <author@example.com>" in text
    linux.git("am", "--quiet", str(file))
    assert rows(linux, "two.dts") == [
        [("cpu-sleep", 350_000, 2_000_000), ("cluster-sleep", 1_100_000, 5_000_000)],
        [("cpu-sleep", 350_000, 2_000_000), ("cluster-off", 3_000_000, 10_000_000)],
    ]
    after = (linux.directory / FOLDER / "soc.dtsi").read_text()
    assert "entry-latency-us = <(150)>;" in after
    assert "/* from the maker's manual */" in after
    assert linux.git("status", "--porcelain") == ""
    # what is there already makes no patch
    capsys.readouterr()
    assert patched(linux, mine, "--check") == 0
    assert "mine: no difference" in capsys.readouterr().out


def test_a_node_comes_in_another(linux: History, tmp_path: Path) -> None:
    """Without a label it is named by its path."""
    state = {"name": "cpu-b", "in": "/cpus/others", "compatible": "arm,idle-state"}
    mine = described(
        tmp_path,
        {"node": "/cpus/others", "becomes": {"name": "others", "in": "cpus", "entry-method": "p"}},
        {"node": "B", "becomes": {**state, "entry-latency-us": "1us"}},
    )
    for _ in range(2):
        assert patched(linux, mine, "--apply", "--force") == 0
    text = (linux.directory / FOLDER / "soc.dtsi").read_text()
    assert text.count('\n\n\t\tothers {\n\t\t\tentry-method = "p";\n\n\t\t\tB: cpu-b {\n') == 1


def test_a_state_goes_with_its_entries(linux: History, tmp_path: Path, capsys: Capture) -> None:
    """A reference elsewhere would be left without a node: dtc refuses, with the boards."""
    mine = described(tmp_path, {"node": "CLUSTER_SLEEP", "becomes": "absent"})
    assert patched(linux, mine, "--check") == 1
    printed = capsys.readouterr()
    assert "CLUSTER_SLEEP" in printed.err
    assert "on one and two" in printed.err
    soc = linux.directory / FOLDER / "soc.dtsi"
    linux.commit({f"{FOLDER}/soc.dtsi": SOC.replace("first = <&CLUSTER_SLEEP>", "first")})
    assert patched(linux, mine, "--apply") == 0
    assert "CLUSTER_SLEEP" not in soc.read_text()
    assert "second = <&cpu0 &used>;" in soc.read_text()
    assert [[row[0] for row in table] for table in rows(linux, "one.dts")] == [
        ["cpu-sleep", "cpu-sleep"],
        ["cpu-sleep"],
    ]
    assert patched(linux, mine, "--check", "--force") == 0


@pytest.mark.parametrize(
    ("board", "edited", "said"),
    [
        pytest.param(
            "&CPU_SLEEP { min-residency-us = <3000>; };\n",
            edit("CPU_SLEEP", "min-residency-us", "2000us", "2500us"),
            ["found 3000us on two", "two.dts:4:14"],
            id="a board that overrides the value",
        ),
        pytest.param(
            "/ { cpus { idle-states { cpu-sleep { status = \"okay\"; }; }; }; };\n",
            edit("CPU_SLEEP", "status", "absent", "disabled"),
            ["found okay on two", "two.dts:4:38"],
            id="a board that adds the property by path",
        ),
        pytest.param(
            "",
            edit("CPU_SLEEP", "arm,psci-suspend-param", 0x10000, 0x10001),
            ["CPU_OFF, which the file does not define", "soc.dtsi:29:"],
            id="a macro of another file",
        ),
        pytest.param(
            "",
            edit("CPU_SLEEP", "min-residency-us", "1ms", "3ms"),
            ["expected min-residency-us of CPU_SLEEP 1000us or, patched, 3000us, found 2000us"],
            id="another old value",
        ),
        pytest.param(
            "",
            edit("NOBODY", "status", "absent", "okay"),
            ["expected one node NOBODY"],
            id="no node",
        ),
    ],
)  # fmt: skip
def test_refused_with_the_place(
    board: str,
    edited: dict[str, object],
    said: list[str],
    linux: History,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    linux.commit({f"{FOLDER}/two.dts": BOARD % "two" + board})
    assert patched(linux, described(tmp_path, edited), "-o", str(tmp_path / "out")) == 1
    found = capsys.readouterr().err
    for text in said:
        assert text in found
    assert not (tmp_path / "out").exists()


def test_what_changes_otherwise_than_meant_is_refused(
    linux: History, tmp_path: Path, capsys: Capture
) -> None:
    """A macro of the file that a board uses too: its number is not this value's alone."""
    soc = SOC.replace("/ {\n", "#define LEAST 2000\n/ {\n", 1).replace("<2000>", "<LEAST>")
    linux.commit(
        {
            f"{FOLDER}/soc.dtsi": soc,
            f"{FOLDER}/two.dts": BOARD % "two" + "/ { other = <LEAST>; };\n",
        }
    )
    edited = edit("CPU_SLEEP", "min-residency-us", "2000us", "2500us")
    assert patched(linux, described(tmp_path, edited), "--check") == 1
    assert "expected /:other as before, found it another, on two" in capsys.readouterr().err
    linux.commit({f"{FOLDER}/two.dts": BOARD % "two"})
    assert patched(linux, described(tmp_path, edited), "--apply") == 0
    assert "#define LEAST 2500" in (linux.directory / FOLDER / "soc.dtsi").read_text()


def test_json_names_the_boards(linux: History, tmp_path: Path, capsys: Capture) -> None:
    mine = described(tmp_path, edit("CPU_SLEEP", "exit-latency-us", "200us", "300us"))
    assert patched(linux, mine, "--check", "--format", "json") == 1
    (step,) = json.loads(capsys.readouterr().out)["patches"]
    (group,) = step["tables"]
    assert group["boards"] == [f"{FOLDER}/one.dts", f"{FOLDER}/two.dts"]
    assert "exit    400 us" in group["after"][1]
    (change,) = step["changes"]
    assert (change["table"], change["state"], change["field"]) == (
        "soc", "CPU_SLEEP", "exit-latency-us",
    )  # fmt: skip
    assert (change["before"], change["after"]) == ("200us", "300us")


def test_patches_of_a_series_build_on_each_other(linux: History, tmp_path: Path) -> None:
    series = tmp_path / "series"
    series.mkdir()
    for number, (old, new) in enumerate([("200us", "300us"), ("300us", "250us")]):
        mine = described(tmp_path, edit("CPU_SLEEP", "exit-latency-us", old, new))
        shutil.copy(mine, series / f"{number}.yaml")
    made = patch(PatchRequest(linux.directory, str(series))).plan
    assert [[c.after for c in step.changes] for step in made.steps] == [["300us"], ["250us"]]
    assert "exit-latency-us = <250>" in made.files[f"{FOLDER}/soc.dtsi"]


@pytest.mark.parametrize(
    ("series", "status", "said"),
    [
        ("mambo-stop4", 2, "expected descriptions of device-tree sources, found mambo-stop4"),
        ("power9", 2, "expected descriptions (see --list)"),
        ("mt8516-idle-lists", 1, "expected a file arm64/mediatek/mt8516.dtsi in the tree"),
    ],
)
def test_series_of_other_trees(
    series: str, status: int, said: str, linux: History, capsys: Capture
) -> None:
    assert patched(linux, series, "--check") == status
    assert said in capsys.readouterr().err


def test_uncommitted_changes_are_in_the_way(
    linux: History, tmp_path: Path, capsys: Capture
) -> None:
    mine = described(tmp_path, edit("CPU_SLEEP", "exit-latency-us", "200us", "300us"))
    with (linux.directory / FOLDER / "soc.dtsi").open("a") as file:
        file.write("\n")
    assert patched(linux, mine, "--stdout") == 2
    assert "soc.dtsi; --force continues anyway" in capsys.readouterr().err
    assert patched(linux, mine, "--stdout", "--force") == 0


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        ("{file: a/b.dtsi, node: A, field: nothing, from: 1, to: 2}", "IS925"),
        ("{file: a/b.c, node: A, field: status, from: okay, to: disabled}", "IS922"),
        ("{file: a/b.dtsi, node: A, field: exit-latency-us, from: 1, to: 2us}", "IS923"),
        ("{file: a/b.dtsi, node: A, field: exit-latency-us, from: 1ns, to: 2us}", "IS924"),
        ("{file: a/b.dtsi, node: A, becomes: gone}", "IS922"),
        ("{file: a/b.dtsi, node: A, becomes: {name: cpu-b, status: okay}}", "IS921"),
        ("{file: a/b.dtsi, node: A, field: status, from: okay}", "IS921"),
        ("{node: A, field: status, from: okay, to: disabled}", "IS921"),
    ],
)
def test_a_bad_edit_is_named(
    edits: str, code: str, linux: History, tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"name: mine\nsubject: s\nbody: b\nedits:\n  - {edits}\n")
    assert patched(linux, str(file), "--check") == 1
    assert code in capsys.readouterr().err


def test_edits_of_both_kinds_are_refused(linux: History, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\nsubject: s\nbody: b\nsince: 5.11\nedits:\n"
        "  - {file: a/b.dtsi, node: A, becomes: absent}\n"
        "  - {table: a, state: b, field: name, from: b, to: c}\n"
    )
    assert patched(linux, str(file), "--check") == 1
    found = capsys.readouterr().err
    assert "edits of device-tree source, as others have a key node" in found
    assert "no since beside edits of device-tree source" in found


def test_a_description_for_sources_is_refused_on_skiboot(tmp_path: Path, capsys: Capture) -> None:
    from idle_states.tables.skiboot import c_table
    from idle_states.tables.spec.library import find

    (tmp_path / "hw").mkdir()
    (tmp_path / "hw/slw.c").write_text('#include "slw.h"\n' + c_table.write([find("power9")]))
    assert main(["patch", "mt8516-idle-lists", "--tree", str(tmp_path), "--check"]) == 1
    assert "expected a description for skiboot's tables" in capsys.readouterr().err


@pytest.mark.parametrize(
    "path", sorted(resource(DTS_DIRECTORY).glob("*.yaml")), ids=lambda path: path.stem
)
def test_packaged_descriptions_are_sound(path: Path, capsys: Capture) -> None:
    """Named as their file, with evidence whose commands run; the schema and the reader agree."""
    text = path.read_text("utf-8")
    patch = description.read(path, path.name)
    assert patch.name == path.stem
    assert patch.dts
    assert not patch.edits
    commands = [item.command.split() for item in patch.evidence if item.command]
    assert commands
    for words in commands:
        assert main(words[1:]) == 0
        assert words[-1] in capsys.readouterr().out
    assert "schemas/skiboot-patch.schema.json" in text.split("\n")[0]
    jsonschema.Draft202012Validator(SCHEMA).validate(yaml.safe_load(text))
    assert all(len(line) <= 75 for line in patch.body.splitlines())
    readme = (resource(DTS_DIRECTORY) / "README.md").read_text("utf-8")
    assert f"[{patch.name}]({path.name})" in readme
