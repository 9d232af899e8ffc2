"""Sources in their trees: what they include is found as their own build finds it, and only there;
what is found wrong has the place that a person edits."""

import os
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.tables.devicetree.source_trees import layout_at, layouts_in
from idle_states.tables.sources import read_sources
from idle_states.tables.sources.source import Source

pytestmark = pytest.mark.usefixtures("dtc")

SOC = """\
#include <dt-bindings/psci.h>
#include "pins.h"
/ {
	#address-cells = <1>;
	cpus {
		#address-cells = <1>;
		#size-cells = <0>;
		cpu0: cpu@0 {
			device_type = "cpu";
			compatible = "arm,cortex-a53";
			reg = <0>;
			enable-method = "psci";
			cpu-idle-states = <&sleep>;
		};
		idle-states {
			/* the deepest
			first */
			sleep: cpu-sleep {
				compatible = "arm,idle-state";
				PARAM(CPU_OFF) entry-latency-us = <ENTRY>;
				exit-latency-us = <EXIT>;
				min-residency-us = <2000>;
			};
		};
	};
};
"""
BOARD = """\
/dts-v1/;
#define ENTRY 100
#include "soc.dtsi"
/ { model = "a board"; compatible = "a,b"; };

&sleep {
	min-residency-us = <3000>;
};
"""
PINS = "#define EXIT (ENTRY * 2)\n#define PARAM(x) arm,psci-suspend-param = <x>;\n"
PSCI = "#ifndef P\n#define P\n#define CPU_OFF 0x10000\n#endif\n"


def laid(top: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)


@pytest.fixture
def linux(tmp_path: Path) -> Path:
    top = tmp_path / "linux"
    sources = "arch/arm64/boot/dts/maker"
    laid(
        top,
        {
            "include/dt-bindings/psci.h": PSCI,
            f"{sources}/pins.h": PINS,
            f"{sources}/soc.dtsi": SOC,
            f"{sources}/board.dts": BOARD,
        },
    )
    return top


def board(linux: Path) -> Path:
    return linux / "arch/arm64/boot/dts/maker/board.dts"


def only(path: Path) -> Source:
    (source,) = read_sources(str(path))
    return source


def test_value_has_the_place_where_it_was_written_last(linux: Path) -> None:
    table = only(board(linux)).table
    assert table is not None
    (state,) = table.states
    assert (state.latency_ns, state.residency_ns) == (300_000, 3_000_000)
    soc = str(board(linux).parent / "soc.dtsi")
    places = {field: (where.file, where.line, where.column) for field, where in state.where.items()}
    lines = SOC.split("\n")
    # of a property that a macro writes, the macro's use
    parameter = next(n for n, line in enumerate(lines, 1) if "PARAM" in line)
    assert places["control"] == (soc, parameter, lines[parameter - 1].index("PARAM") + 1)
    exit_line = next(n for n, line in enumerate(lines, 1) if "exit-latency" in line)
    assert places["latency"] == (soc, exit_line, 5)
    # the board has the last word, by label
    assert places["residency"] == (str(board(linux)), 7, 2)
    # the node is named where it was opened last
    assert places["state"] == (str(board(linux)), 6, 1)


def test_place_is_named_as_the_source_was(linux: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(board(linux).parent)
    table = only(Path("board.dts")).table
    assert table is not None
    assert table.states[0].where["latency"].file == "soc.dtsi"


@pytest.mark.parametrize("kind", ["prefixes", "upstream", "u-boot", "zephyr", "none"])
def test_kinds_of_trees(tmp_path: Path, kind: str) -> None:
    """Names are sought where the tree's own build seeks them."""
    top = tmp_path / "tree"
    headers, other, own, board = {
        "prefixes": (
            "include/dt-bindings/psci.h",
            "arch/arm/boot/dts/soc.dtsi",
            "arch/arm/boot/dts/pins.h",
            "arch/arm64/boot/dts/m/board.dts",
        ),
        "upstream": (
            "dts/upstream/include/dt-bindings/psci.h",
            "dts/upstream/src/arm/soc.dtsi",
            "dts/upstream/src/arm/pins.h",
            "dts/upstream/src/arm64/m/board.dts",
        ),
        "u-boot": (
            "dts/upstream/include/dt-bindings/psci.h",
            "arch/arm/dts/arm/soc.dtsi",
            "arch/arm/dts/arm/pins.h",
            "arch/arm/dts/board.dts",
        ),
        "zephyr": (
            "include/zephyr/dt-bindings/psci.h",
            "dts/arm64/arm/soc.dtsi",
            "dts/arm64/arm/pins.h",
            "boards/m/b/board.dts",
        ),
        "none": ("m/dt-bindings/psci.h", "m/arm/soc.dtsi", "m/arm/pins.h", "m/board.dts"),
    }[kind]
    soc = '"arm/soc.dtsi"' if kind == "none" else "<arm/soc.dtsi>"
    text = SOC.replace("<dt-bindings/psci.h>", '"../dt-bindings/psci.h"') if kind == "none" else SOC
    files = {headers: PSCI, other: text, own: PINS, board: BOARD.replace('"soc.dtsi"', soc)}
    laid(top, files)
    if kind == "prefixes":
        (top / "scripts/dtc/include-prefixes").mkdir(parents=True)
        for name, target in (("arm", "arch/arm/boot/dts"), ("dt-bindings", "include/dt-bindings")):
            (top / "scripts/dtc/include-prefixes" / name).symlink_to(f"../../../{target}")
    if kind == "u-boot":
        laid(top, {"include/u-boot/x.h": ""})
    if kind == "zephyr":
        laid(top, {"dts/bindings/x.yaml": ""})
    table = only(top / board).table
    assert table is not None
    assert table.states[0].where["latency"].file == str(top / other)


@pytest.mark.parametrize(
    ("folders", "kind"),
    [
        ("arch include/dt-bindings", "Linux"),
        ("arch include/dt-bindings kernel dts", "Linux"),
        ("arch include/dt-bindings dts include/u-boot", "U-Boot"),
        ("arch include/dt-bindings dts/upstream", "U-Boot"),
        ("arch include/dt-bindings dts/src", None),
        ("arch/arm/dts include/dt-bindings", None),
    ],
)
def test_a_part_of_a_tree_is_told_by_what_it_has_or_not_at_all(
    tmp_path: Path, folders: str, kind: str | None
) -> None:
    files = [f"{folder}/x" for folder in folders.split()]
    laid(tmp_path, dict.fromkeys(files, ""))
    told = [layout_at(tmp_path), layouts_in(files).get("")]
    assert [layout and layout.name for layout in told] == [kind, kind]


@pytest.mark.parametrize(
    "include",
    ['"../../../../../../secret"', '"{secret}"', "<../../secret>", '"link"', '"folder/secret"'],
)
@pytest.mark.parametrize("word", ["#include ", "/include/ "])
def test_nothing_outside_of_the_tree_is_opened(linux: Path, include: str, word: str) -> None:
    secret = linux.parent / "secret"
    secret.write_text("password-4711")
    path = board(linux)
    (path.parent / "link").symlink_to(secret)
    (path.parent / "folder").symlink_to(linux.parent)
    name = include.format(secret=secret).replace("<", '"' if word[0] == "/" else "<")
    name = name.replace(">", '"' if word[0] == "/" else ">")
    path.write_text(f"/dts-v1/;\n#define A\n{word}{name}\n/ {{ }};\n")
    with pytest.raises(Unreadable) as raised:
        read_sources(str(path))
    (finding,) = raised.value.findings
    assert (finding.location.file, finding.location.line) == (str(path), 3)
    said = [finding.message, *raised.value.texts.values()]
    assert "password" not in "".join(said)


def test_pipe_is_not_waited_for(linux: Path) -> None:
    path = board(linux)
    os.mkfifo(path.parent / "pipe.dtsi")
    path.write_text('/dts-v1/;\n#include "pipe.dtsi"\n/ { };\n')
    with pytest.raises(Unreadable) as raised:
        read_sources(str(path))
    assert raised.value.findings[0].location.line == 2


def test_error_of_dtc_has_the_place_of_the_include(linux: Path) -> None:
    soc = board(linux).parent / "soc.dtsi"
    soc.write_text(SOC.replace("<EXIT>", "<EXIT EXIT> oops"))
    with pytest.raises(Unreadable) as raised:
        read_sources(str(board(linux)))
    where = raised.value.findings[0].location
    line = next(n for n, text in enumerate(soc.read_text().split("\n"), 1) if "oops" in text)
    column = soc.read_text().split("\n")[line - 1].index("oops") + 1
    assert (where.file, where.line, where.column) == (str(soc), line, column)


def test_header_that_is_missing_is_named(linux: Path) -> None:
    (linux / "include/dt-bindings/psci.h").unlink()
    with pytest.raises(Unreadable) as raised:
        read_sources(str(board(linux)))
    (finding,) = raised.value.findings
    assert "<dt-bindings/psci.h>" in finding.message
    assert finding.location.file == str(board(linux).parent / "soc.dtsi")
    assert finding.location.line == 1


def test_part_of_a_source_is_judged_where_it_is_complete(linux: Path) -> None:
    soc = board(linux).parent / "soc.dtsi"
    soc.write_text("#define ENTRY 7\n" + SOC)
    table = only(soc).table
    assert table is not None
    assert table.states[0].latency_ns == 21_000
    assert table.states[0].where["name"].line == 1 + SOC[: SOC.index("sleep: ")].count("\n") + 1


def test_part_that_is_not_complete_names_its_boards(linux: Path) -> None:
    path = board(linux)
    laid(
        path.parent,
        {
            "common.dtsi": "&sleep { exit-latency-us = <9>; };\n",
            "one.dts": BOARD + '#include "common.dtsi"\n',
            "two.dts": '#include "one.dts"\n',
        },
    )
    (path.parent / "none.dtsi").write_text("&nothing { };\n")
    with pytest.raises(Unreadable) as raised:
        read_sources(str(path.parent / "common.dtsi"))
    message = raised.value.findings[0].message
    assert "2 boards" in message
    assert str(path.parent / "one.dts") in message
    assert str(path.parent / "two.dts") in message
    assert "board.dts" not in message
    with pytest.raises(Unreadable) as raised:
        read_sources(str(path.parent / "none.dtsi"))
    assert "boards" not in raised.value.findings[0].message
