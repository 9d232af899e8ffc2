"""review of hunks of device-tree sources without a tree: what they show of idle states is what a
tree says, and nothing else is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.review import DIFF
from idle_states.cli import main
from tests.change.review.test_review_boards import KERNELS, NEW
from tests.support.git_history import History
from tests.support.socs import BOARD, FOLDER

pytestmark = pytest.mark.usefixtures("dtc")
Capture = pytest.CaptureFixture[str]
FILE = f"{FOLDER}/soc.dtsi"
IN_DOMAIN = '\t\t\tpower-domains = <&PD>;\n\t\t\tpower-domain-names = "psci";'
DOMAINS = (
    NEW.replace("&CPU_SLEEP &CPU_SLEEP &CLUSTER_SLEEP", "&CPU_SLEEP &CLUSTER_SLEEP")
    .replace("\t\tidle-states {", "\t\tdomain-idle-states {")
    .replace("\n\tused:", """
	psci {
		compatible = "arm,psci-1.0";

		PD: cpu-pd {
			#power-domain-cells = <0>;
			domain-idle-states = <&CPU_SLEEP>;
			power-domains = <&CLUSTER_PD>;
		};

		CLUSTER_PD: cluster-pd {
			#power-domain-cells = <0>;
			domain-idle-states = <&CLUSTER_SLEEP>;
		};
	};

	used:""")
    .replace("\t\t\tcpu-idle-states = <&CPU_SLEEP>;", IN_DOMAIN)
)  # fmt: skip


@pytest.fixture
def linux(tmp_path: Path) -> History:
    made = History(tmp_path / "linux")
    made.commit(
        {
            "include/dt-bindings/psci.h": "",
            FILE: NEW,
            f"{FOLDER}/one.dts": BOARD % "one",
        }
    )
    return made


def reviewed(capsys: Capture, *words: str) -> dict[str, Any]:
    main(["review", *words, *KERNELS, "--notes", "--format", "json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def said(document: dict[str, Any]) -> set[tuple[str, ...]]:
    """The findings, with rule, place and whether they are new."""
    return {
        (which, f["rule"], f["location"]["file"], f["location"]["line"])
        for change in document["changes"]
        for table in change["tables"]
        for which in ("new", "fixed")
        for f in table[which]
    }


def times(document: dict[str, Any]) -> set[tuple[str, ...]]:
    """The changes of times; a state that has no name in the diff counts as well."""
    return {
        (d["path"].rpartition(".")[2], d["a"], d["b"])
        for change in document["changes"]
        for table in change["tables"]
        for d in table["differences"]
        if d["path"].endswith(("latency", "residency"))
    }


@pytest.mark.parametrize("name", ["board.dts", "soc.dtsi"])
def test_a_hunk_of_a_board_s_own_source_is_read_as_one_of_a_part(
    name: str, tmp_path: Path, capsys: Capture
) -> None:
    """A board's source begins with /dts-v1/, which its hunks do not show."""
    (tmp_path / "x.patch").write_text(DIFF.replace("board.dts", name))
    (change,) = reviewed(capsys, str(tmp_path / "x.patch"))["changes"]
    (table,) = change["tables"]
    assert [(d["a"], d["b"]) for d in table["differences"]] == [("2ms", "200us")]


EDITS = {
    "entry above residency": [("<(100)>", "<(3000)>")],
    "deeper is not slower": [("<5000>", "<1000>")],
    "renamed": [("CLUSTER_SLEEP: cluster-sleep", "CLUSTER_SLEEP: cluster-off")],
    "label": [("CPU_SLEEP", "SLEEP_CPU")],
    "misspelt": [("cpu-idle-states = <&CPU_SLEEP>", "cpu-idle-state = <&CPU_SLEEP>")],
    "timer": [("<0x01010000>;", "<0x01010000>;\n\t\t\t\tlocal-timer-stop;")],
    "method": [("\t\tidle-states {", '\t\tidle-states {\n\t\t\tentry-method = "arm,psci";')],
    "status": [("<0x01010000>;", '<0x01010000>;\n\t\t\t\tstatus = "okay";')],
    "no residency": [("\t\t\t\tmin-residency-us = <2000>;\n", "")],
    "two": [("<200>", "<2500>"), ("<600>", "<700>"), ("reg = <1>", "reg = <0x1>")],
    "comment": [("from the maker's manual", "from\n\t\t\t\t * elsewhere")],
}
ORIGINS = {"lists": NEW, "domains": DOMAINS}


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("context", [0, 3, pytest.param(1, marks=pytest.mark.slow), 9])
def test_nothing_is_said_that_a_tree_does_not_say(
    linux: History, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, context: int,
    origin: str,
) -> None:  # fmt: skip
    linux.commit({FILE: ORIGINS[origin] + " "})
    linux.commit({FILE: ORIGINS[origin]})
    monkeypatch.chdir(tmp_path)
    found = []
    for number, edits in enumerate(EDITS.values()):
        text = ORIGINS[origin]
        for old, new in edits:
            text = text.replace(old, new)
        if text == ORIGINS[origin]:
            continue
        linux.commit({FILE: text}, "arm64: dts: Change it")
        mail = tmp_path / f"{number}.patch"
        mail.write_text(linux.git("format-patch", "-1", f"-U{context}", "--stdout"))
        whole = reviewed(capsys, "HEAD~1..HEAD", "--tree", str(linux.directory))
        linux.git("reset", "-q", "--hard", "HEAD~1")
        alone = reviewed(capsys, str(mail))
        assert said(alone) <= said(whole), edits
        assert times(alone) <= times(whole), edits
        found.append((len(said(alone)), len(times(alone))))
    # with whole nodes, what is shown is most of it
    assert context < 9 or sum(findings for findings, _ in found) >= 4
    assert context < 3 or sum(changed for _, changed in found) >= 2


STATE = """\
 DEEP: deep {
 compatible = "arm,idle-state";
 entry-latency-us = <100>;
-exit-latency-us = <200>;
+exit-latency-us = <300>;
 min-residency-us = <900>;
 arm,psci-suspend-param = <0x10000>;
 };
"""
LIST = """\
 <&old>;
 reg = <0x0 0x0300>;
-cpu-idle-states = <&SHALLOW>;
+cpu-idle-states = <&SHALLOW &DEEP>;
 clocks = <&clk CLK_CPU>,
"""
AS_IT_WAS = STATE.replace("-exit", " exit").replace("+exit", "+exits")
CUT = STATE.split("\n", 2)[2].removesuffix(" };\n")


@pytest.mark.parametrize(
    ("hunks", "rows", "remarks"),
    [
        (
            [("", STATE)],
            {"/cpus/cpu@any,deep": ["states.deep.latency 300us 400us"]},
            ["does not show which CPUs have deep"],
        ),
        (
            [("", LIST), ("", AS_IT_WAS)],
            {"/cpus/cpu@300": ["states.deep absent 300us/900us"]},
            ["does not show SHALLOW"],
        ),
        ([("", LIST)], {"/cpus/cpu@300": []}, ["does not show DEEP, SHALLOW"]),
        # git's own line names the node whose properties come first
        ([("DEEP: deep {", CUT)], {"/cpus/cpu@any,deep": ["states.deep.latency 300us 400us"]}, []),
        (
            [("idle-states {", CUT)],
            {"/cpus/cpu@any,state-at-line-9": ["states.state-at-line-9.latency 300us 400us"]},
            [],
        ),
        (
            [("DEEP: deep {", CUT.split(" min")[0])],
            {},
            ["shows a part of deep, exit-latency-us <200> -> <300>"],
        ),
    ],
)  # fmt: skip
def test_what_hunks_show(
    hunks: list[tuple[str, str]], rows: dict[str, list[str]], remarks: list[str], tmp_path: Path,
    capsys: Capture, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    text = f"--- a/{FILE}\n+++ b/{FILE}\n"
    for number, (section, lines) in enumerate(hunks):
        old, new = (sum(f"\n{lines}".count(f"\n{mark}") for mark in side) for side in (" -", " +"))
        at = 9 + 100 * number
        text += f"@@ -{at},{old} +{at},{new} @@ {section}\n{lines}"
    (tmp_path / "mail.diff").write_text(text)
    document = reviewed(capsys, "mail.diff")
    found = {
        table["after"]["name"]: [f"{d['path']} {d['a']} {d['b']}" for d in table["differences"]]
        for change in document["changes"]
        for table in change["tables"]
    }
    assert found == rows
    said = " ".join(document["remarks"])
    assert all(f"{FILE} {remark}" in said for remark in remarks)
    assert not document["unread_lines"]


@pytest.mark.parametrize(("before", "is_new"), [("psci", True), ("arm,psci", False)])
def test_property_of_the_node_around_the_states_is_shown(
    before: str, *, is_new: bool, linux: History, tmp_path: Path, capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    old, new = (
        NEW.replace("\t\tidle-states {", f'\t\tidle-states {{\n\t\t\tentry-method = "{method}";')
        for method in (before, "arm,psci")
    )
    linux.commit({FILE: old})
    linux.commit({FILE: new.replace("<600>", "<700>")}, "arm64: dts: Change it")
    (tmp_path / "x.patch").write_text(linux.git("format-patch", "-1", "-U50", "--stdout"))
    line = new[: new.index("entry-method")].count("\n") + 1
    found = ("new", "IS629", FILE, line) in said(reviewed(capsys, "x.patch"))
    assert found == is_new


@pytest.mark.parametrize(("times_us", "changed"), [("<600>", set()), ("<700>", {"latency"})])
def test_copy_of_a_file_that_is_rewritten_is_read_whole(
    times_us: str, changed: set[str], linux: History, tmp_path: Path, capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The state's node stands in lines of the copy that the diff does not show."""
    monkeypatch.chdir(tmp_path)
    common = NEW.replace("<600>", times_us).replace("reg = <1>", "reg = <0x1>")
    rest = "".join(f"/* line {number} of what is left */\n" for number in range(60))
    linux.commit(
        {FILE: f'#include "common.dtsi"\n{rest}', f"{FOLDER}/common.dtsi": common},
        "arm64: dts: Part what two chips share",
    )
    mail = linux.git("format-patch", "-1", "-B", "-C", "--stdout")
    assert "dissimilarity index" in mail
    assert "copy from" in mail
    (tmp_path / "x.patch").write_text(mail)
    tables = [t for c in reviewed(capsys, "x.patch")["changes"] for t in c["tables"]]
    assert {d["path"].rpartition(".")[2] for t in tables for d in t["differences"]} == changed
