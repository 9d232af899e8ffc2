"""review of a repository of device-tree sources: the tables that a change of a .dtsi concerns, on
which boards; what concerns none is quiet."""

import json
from pathlib import Path

import pytest

from idle_states.base.reading import limits
from idle_states.base.reading.git.repository import Repository
from idle_states.change.review import boards as boards_module
from idle_states.change.review.boards import BoardsTree, trees_in
from idle_states.cli import main
from tests.change.patches.test_patch_sources import BOARD, FOLDER, PSCI, SOC
from tests.support.git_history import History
from tests.support.html_pages import parse

pytestmark = pytest.mark.usefixtures("dtc")

Capture = pytest.CaptureFixture[str]
KERNELS = ("--kernel", "6.1", "--runs", "0")
WITH_PSCI = SOC.replace("\t\t\treg = <0>;\n", '\t\t\treg = <0>;\n\t\t\tenable-method = "psci";\n')
OTHER = '/dts-v1/;\n/ { model = "else"; cpus { cpu@0 { }; }; };\n'


@pytest.fixture
def linux(tmp_path: Path) -> History:
    made = History(tmp_path / "linux")
    made.commit(
        {
            "include/dt-bindings/psci.h": PSCI,
            f"{FOLDER}/soc.dtsi": WITH_PSCI,
            f"{FOLDER}/one.dts": BOARD % "one",
            f"{FOLDER}/two.dts": BOARD % "two",
            f"{FOLDER}/three.dts": BOARD % "three" + "&CPU_SLEEP { exit-latency-us = <900>; };\n",
            f"{FOLDER}/else.dts": OTHER,
        }
    )
    return made


def reviewed(linux: History, *words: str) -> int:
    return main(["review", "--tree", str(linux.directory), *KERNELS, *words])


def soc(old: str, new: str, text: str = WITH_PSCI) -> dict[str, str | bytes | None]:
    assert old in text
    return {f"{FOLDER}/soc.dtsi": text.replace(old, new)}


def test_a_dtsi_is_reviewed_on_its_boards(linux: History, capsys: Capture) -> None:
    linux.commit(soc("<(100)>", "<(3000)>"))
    assert reviewed(linux, "--format", "json") == 1
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    # cpu@0 and cpu@1 have tables of their own, on boards of two kinds
    boards = {(t["after"]["name"], tuple(t["after"]["boards"])) for t in change["tables"]}
    pair, third = (f"{FOLDER}/one.dts", f"{FOLDER}/two.dts"), (f"{FOLDER}/three.dts",)
    assert boards == {(f"/cpus/cpu@{cpu}", on) for cpu in (0, 1) for on in (pair, third)}
    rules = {(f["rule"], f["location"]["file"]) for t in change["tables"] for f in t["new"]}
    assert ("IS609", f"{FOLDER}/soc.dtsi") in rules


def test_a_page_counts_boards_and_lists_findings_by_the_place(
    linux: History, tmp_path: Path
) -> None:
    linux.commit(soc("<(100)>", "<(3000)>"))
    page = tmp_path / "page.html"
    assert reviewed(linux, "--notes", "--html", str(page), "-o", "/dev/null") == 1
    written = parse(page.read_text())
    assert written.all("div", "headline")[0].all("p")[0].text == "3 machines are affected, 1 error."
    # a table each of cpu@0 and cpu@1, on boards of two kinds
    assert len(written.all("figure")) == 4
    (found,) = [
        table for table in written.all("table") if table.all("caption")[0].text == "By place"
    ]
    said = (place.text.split(":") for place in found.all("div", "quoted"))
    places = [(file, int(line)) for file, line, *_ in said]
    assert len(places) > 1
    assert places == sorted(places)


def test_old_and_new_table_by_kernel(linux: History, capsys: Capture) -> None:
    linux.commit(
        soc(
            "\t\t\tCPU_SLEEP: cpu-sleep {",
            '\t\t\tCPU_SLEEP: cpu-sleep {\n\t\t\t\tstatus = "disabled";',
        )
    )
    reviewed(linux)
    out = " ".join(capsys.readouterr().out.split())
    assert f"/cpus/cpu@1 ({FOLDER}/one.dts and two)" in out
    assert "Linux 6.1: " in out
    assert "cpu-sleep: 300/2000 us -> absent" in out
    assert "dt of Linux" not in out or "powernv" not in out


def test_a_cpu_that_stops_all_others(linux: History, capsys: Capture) -> None:
    """Its table changes, and what Linux makes of the others' too."""
    linux.commit(soc('\t\t\treg = <1>;\n\t\t\tenable-method = "psci";\n', "\t\t\treg = <1>;\n"))
    assert reviewed(linux) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "error IS611" in out
    assert "cpu-sleep: 300/2000 us -> absent" in out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("first = <&CLUSTER_SLEEP>", "first = <&CPU_SLEEP>"),
        ("/* from the maker's manual */", "/* from nowhere */"),
        ("entry-latency-us = <(100)>", "entry-latency-us = <100>"),
        ("used: device {", "new: other { phandle = <9>; };\n\tused: device {"),
    ],
)
def test_what_makes_no_other_table_is_quiet(
    old: str, new: str, linux: History, capsys: Capture
) -> None:
    linux.commit(soc(old, new))
    assert reviewed(linux) == 0
    assert capsys.readouterr().out.startswith("No table changes.\n")


def test_unrelated_changes_build_no_board(
    linux: History, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> None:
        raise AssertionError(given)

    linux.commit(
        {
            f"{FOLDER}/two.dts": BOARD % "two" + '&used { status = "okay"; };\n',
            f"{FOLDER}/else.dts": OTHER.replace("else", "other"),
            f"{FOLDER}/soc.dtsi": WITH_PSCI.replace("second", "third"),
            "include/dt-bindings/psci.h": f"{PSCI}#define MORE 1\n",
        }
    )
    monkeypatch.setattr(boards_module, "build", refuse)
    assert reviewed(linux) == 0
    assert capsys.readouterr().out.startswith("No table changes.\n")


def test_a_header_counts_by_the_macros_that_are_used(linux: History, capsys: Capture) -> None:
    linux.commit({"include/dt-bindings/psci.h": "#define CPU_OFF 0x10003\n"})
    assert reviewed(linux, "--format", "json") == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert len(change["tables"]) == 4


def test_headers_are_found_through_links(linux: History, capsys: Capture) -> None:
    """The links are like Linux's scripts/dtc/include-prefixes."""
    prefixes = linux.directory / "scripts/dtc/include-prefixes"
    prefixes.mkdir(parents=True)
    (prefixes / "arm64").symlink_to("../../../arch/arm64/boot/dts")
    linked = '/dts-v1/;\n#include <arm64/maker/soc.dtsi>\n/ { model = "linked"; };\n'
    linux.commit({f"{FOLDER}/linked.dts": linked, "arch/arm/boot/dts/far.dts": linked})
    linux.commit(soc("<2000>", "<2500>"))
    reviewed(linux, "--format", "json")
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    named = {board for table in change["tables"] for board in table["after"]["boards"]}
    assert {"arch/arm/boot/dts/far.dts", f"{FOLDER}/linked.dts"} <= named


def test_a_dtsi_that_no_board_includes_is_compiled_alone(linux: History, capsys: Capture) -> None:
    new = {f"{FOLDER}/new.dtsi": WITH_PSCI.replace("<(100)>", "<(3000)>")}
    linux.commit({**new, f"{FOLDER}/newer.dtsi": '#include "new.dtsi"\n'})
    assert reviewed(linux, "--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    (change,) = document["changes"]
    rules = {(f["rule"], f["location"]["file"]) for t in change["tables"] for f in t["new"]}
    assert ("IS609", f"{FOLDER}/new.dtsi") in rules
    assert {tuple(t["after"]["boards"]) for t in change["tables"]} == {(f"{FOLDER}/newer.dtsi",)}
    assert any("newer.dtsi: it is compiled without one" in each for each in document["remarks"])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("&elsewhere { };\n", "new.dtsi does not compile, but its idle states do not depend on"),
        ("/ { };\n}", "it does not compile without one: its states are not reviewed"),
    ],
)
def test_a_dtsi_that_does_not_compile_alone_is_named_and_no_error(
    more: str, said: str, linux: History, capsys: Capture
) -> None:
    linux.commit({f"{FOLDER}/new.dtsi": WITH_PSCI + more})
    assert reviewed(linux) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert said in out
    assert ("cpu-sleep: absent -> 300us/2ms" in out) == more.startswith("&")


@pytest.mark.parametrize(
    ("name", "is_read"), [("pins", True), ("CPU_SLEEP", False), ("CLUSTER_SLEEP", False)]
)
def test_the_states_of_a_board_that_lacks_a_label_are_read_if_it_is_not_theirs(
    name: str, is_read: bool, linux: History, capsys: Capture
) -> None:
    lacking = WITH_PSCI.replace(f"{name}: ", "OF_ANOTHER_PATCH: ")
    board = BOARD % "new" + "/ { device { pinctrl-0 = <&pins>; }; };\n"
    new = {f"{FOLDER}/new.dts": board.replace("soc.dtsi", "new.dtsi")}
    linux.commit({**new, f"{FOLDER}/new.dtsi": lacking})
    assert reviewed(linux) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "new error IS931" in out
    assert (
        f"/cpus/cpu@0 ({FOLDER}/new.dts), added cpu-sleep: absent -> 300us/2ms" in out
    ) == is_read
    assert ("Not compared, not readable at one end" in out) != is_read


def test_boards_come_and_go(linux: History, capsys: Capture) -> None:
    linux.commit({f"{FOLDER}/four.dts": BOARD % "four", f"{FOLDER}/three.dts": None})
    assert reviewed(linux) in (0, 1)
    out = " ".join(capsys.readouterr().out.split())
    assert f"/cpus/cpu@0 ({FOLDER}/four.dts), added" in out
    assert f"/cpus/cpu@0 ({FOLDER}/three.dts), removed" in out


def test_a_board_that_no_longer_builds(linux: History, capsys: Capture) -> None:
    linux.commit(soc("<&CPU_SLEEP>;", "<&NO_SUCH_SLEEP>;"))
    assert reviewed(linux) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "Not compared, not readable at one end" in out
    assert "NO_SUCH_SLEEP" in out


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        (
            {"include/dt-bindings/psci.h": None, "include/dt-bindings/other.h": ""},
            "<dt-bindings/psci.h>",
        ),
        ({f"{FOLDER}/soc.dtsi": None}, '"soc.dtsi"'),
        (
            {f"{FOLDER}/two.dts": '/dts-v1/;\n#include "gone.dtsi"\n/ { model = "two"; };\n'},
            '"gone.dtsi"',
        ),
    ],
)
def test_a_board_whose_include_goes_is_named(
    files: dict[str, str | bytes | None], missing: str, linux: History, capsys: Capture
) -> None:
    linux.commit(files)
    assert reviewed(linux) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "IS931" in out
    assert f"expected a file to include, found none of the name {missing}" in out
    assert "absent" not in out


def test_each_commit_by_itself(linux: History, capsys: Capture) -> None:
    linux.commit(soc("<2000>", "<2500>"), "first")
    linux.commit(soc("<2000>", "<2500>", WITH_PSCI.replace("second", "third")), "quiet")
    linux.commit(soc("<2000>", "<2800>"), "last")
    reviewed(linux, "HEAD~3..HEAD", "--per-commit", "--format", "json")
    changes = json.loads(capsys.readouterr().out)["changes"]
    said = [
        {difference["b"] for table in change["tables"] for difference in table["differences"]}
        for change in changes
    ]
    assert said == [{"2500us"}, {"2800us"}]


def test_a_mail_is_reviewed_on_its_boards(linux: History, tmp_path: Path, capsys: Capture) -> None:
    linux.commit(soc("<2000>", "<2500>"), "arm64: dts: Raise it")
    linux.git("format-patch", "-q", "-1", "-o", str(tmp_path / "out"))
    linux.git("reset", "-q", "--hard", "HEAD~1")
    (mail,) = (tmp_path / "out").iterdir()
    assert main(["review", str(mail), "--tree", str(linux.directory), *KERNELS]) == 0
    out = capsys.readouterr().out
    assert "residency 2ms -> 2500us" in out
    assert "three.dts" in out


def test_patches_are_reviewed_before_they_are_written(
    linux: History, tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\nsubject: s\nbody: b\nedits:\n  - {file: arm64/maker/soc.dtsi, "
        "node: CPU_SLEEP, field: entry-latency-us, from: 100us, to: 3ms}\n"
    )
    out = tmp_path / "out"
    words = ["patch", str(file), "--tree", str(linux.directory), "-o", str(out)]
    assert main(words) == 1
    assert "IS609" in capsys.readouterr().err
    assert not out.exists()
    assert main([*words, "--force", "--cover-letter"]) == 0
    assert "IS609" in (out / "0000-cover-letter.patch").read_text()


def test_sources_within_another_tree(linux: History) -> None:
    """U-Boot's, in which Linux's sources are a tree of their own."""
    linux.commit(
        {
            "dts/upstream/src/arm64/a.dts": BOARD % "a",
            "dts/upstream/src/arm64/soc.dtsi": WITH_PSCI,
            "dts/upstream/include/dt-bindings/psci.h": PSCI,
        }
    )
    repository = Repository(linux.directory)
    head = repository.resolve("HEAD")
    found = trees_in(repository, head)
    assert {top: layout.name for top, layout in found.items()} == {
        "": "U-Boot",
        "dts/upstream/": "devicetree-rebasing",
    }
    tree = BoardsTree(repository, repository.resolve("HEAD~1"), head, found)
    assert {source.file for source in tree.at(head).sources} == {"dts/upstream/src/arm64/a.dts"}
    repository.close()


def test_boards_of_the_same_texts_are_built_once(
    linux: History, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever they lie: in one folder, and in two that hold the same."""
    copies = {f"{FOLDER}/copy{n}.dts": BOARD % "copy" for n in range(5)}
    copies |= {f"{FOLDER}/below/copy{n}.dts": BOARD % "copy" for n in range(5)}
    linux.commit({**copies, f"{FOLDER}/below/soc.dtsi": WITH_PSCI})
    other = WITH_PSCI.replace("<(100)>", "<(3000)>")
    linux.commit({f"{FOLDER}/soc.dtsi": other, f"{FOLDER}/below/soc.dtsi": other})
    built = []
    build = boards_module.build

    def counted(*words: object) -> object:
        built.append(words[3])
        return build(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(boards_module, "build", counted)
    assert reviewed(linux, "--format", "json") == 1
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    boards = {board for table in change["tables"] for board in table["after"]["boards"]}
    assert boards >= copies.keys()
    assert sum("copy" in str(path) for path in built) <= 4


def test_too_many_boards_are_refused(
    linux: History, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "GIT_BOARDS", 3)
    linux.commit(soc("<(100)>", "<(3000)>"))
    assert reviewed(linux) == 3
    assert "expected at most 3 boards (.dts) below the top, found more" in capsys.readouterr().err


MISSING = "#include <dt-bindings/camera.h>\n"
CAMERA = "\tcamera { clocks = <&used CAM_CLK(1, 2) CAM_RESET>; };\n};\n"


NEW = WITH_PSCI.replace("CPU_OFF", "0x10000")


def new_soc(text: str = NEW) -> dict[str, str | bytes | None]:
    """A new SoC whose camera needs the header of another series."""
    assert text.endswith("};\n")
    return {f"{FOLDER}/new.dtsi": MISSING + text.removesuffix("};\n") + CAMERA}


def mailed_alone(linux: History, tmp_path: Path, *range_: str) -> str:
    linux.git("format-patch", "-q", *(range_ or ("-1",)), "-o", str(tmp_path / "out"))
    return str(tmp_path / "out")


@pytest.mark.parametrize("has_tree", [True, False])
def test_a_header_of_another_series_is_not_needed(
    linux: History,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    *,
    has_tree: bool,
) -> None:
    linux.commit(new_soc(NEW.replace("<(100)>", "<(3000)>")), "arm64: dts: Add new")
    mail = mailed_alone(linux, tmp_path)
    linux.git("reset", "-q", "--hard", "HEAD~1")
    monkeypatch.chdir(tmp_path)
    where = ("--tree", str(linux.directory)) if has_tree else ()
    assert main(["review", mail, *where, *KERNELS, "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    (change,) = document["changes"]
    assert {t["after"]["name"] for t in change["tables"]} == {"/cpus/cpu@0", "/cpus/cpu@1"}
    rules = {(f["rule"], f["location"]["line"]) for t in change["tables"] for f in t["new"]}
    line = NEW[: NEW.index("exit-latency-us")].count("\n") + 1
    assert ("IS609", line) in rules, rules
    (said,) = (r for r in document["remarks"] if r.startswith("missing, without effect on"))
    assert ("psci.h" in said, "camera.h" in said) == (not has_tree, True)


@pytest.mark.parametrize("has_tree", [True, False])
@pytest.mark.parametrize(("old", "new"), [("<2000>", "<CAM_RESET>"), ("&CPU_SLEEP", "CAM_RESET")])
def test_a_header_on_which_a_state_depends_is_needed(
    linux: History,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    old: str,
    new: str,
    *,
    has_tree: bool,
) -> None:
    linux.commit(new_soc(NEW.replace(old, new)), "arm64: dts: Add new")
    mail = mailed_alone(linux, tmp_path)
    linux.git("reset", "-q", "--hard", "HEAD~1")
    monkeypatch.chdir(tmp_path)
    where = ("--tree", str(linux.directory)) if has_tree else ()
    assert main(["review", mail, *where, *KERNELS]) == (0 if has_tree else 3)
    out = " ".join(capsys.readouterr().out.split())
    assert "expected a file to include, found none of the name" in out


def test_a_series_goes_on_with_the_source_that_it_adds(
    linux: History, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its second patch shows three lines of context alone."""
    linux.commit(new_soc(), "arm64: dts: Add new")
    (text,) = new_soc(NEW.replace("<2000>", "<2500>")).values()
    linux.commit({f"{FOLDER}/new.dtsi": text}, "arm64: dts: Raise it")
    mail = mailed_alone(linux, tmp_path, "-2")
    monkeypatch.chdir(tmp_path)
    assert main(["review", mail, *KERNELS, "--format", "json"]) == 0
    _, change = json.loads(capsys.readouterr().out)["changes"]
    said = {(d["a"], d["b"]) for table in change["tables"] for d in table["differences"]}
    assert said == {("2ms", "2500us")}


def test_a_finding_on_a_node_that_moves_stays(linux: History, capsys: Capture) -> None:
    text = WITH_PSCI.replace("<(100)>", "<(3000)>")
    linux.commit(soc("<(100)>", "<(3000)>"))
    moved = text.replace(
        "\t\t\tCLUSTER_SLEEP:", "\t\t};\n\n\t\tdeep-states {\n\t\t\tCLUSTER_SLEEP:"
    )
    linux.commit({f"{FOLDER}/soc.dtsi": moved.replace("idle-states {", "s {")})
    reviewed(linux, "--format", "json", "--notes")
    tables = json.loads(capsys.readouterr().out)["changes"][0]["tables"]
    assert tables
    assert [(t["new"], t["fixed"]) for t in tables] == [([], [])] * len(tables)
