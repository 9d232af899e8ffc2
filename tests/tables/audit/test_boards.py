"""audit --tree: the boards of a tree of sources."""

import json
import re
from pathlib import Path

import pytest

from idle_states.base.model.findings import UsageError
from idle_states.cli import main
from idle_states.tables.audit.answer import audit, setting_of
from idle_states.tables.audit.audit import audit_path
from idle_states.tables.audit.fleet import audit_all
from idle_states.tables.audit.request import AuditRequest
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree.source_trees import keeping
from idle_states.tables.sources.walk import Walk
from tests.support.html_pages import parse
from tests.support.releases import kernels_of
from tests.tables.devicetree.test_source_trees import BOARD, PINS, PSCI, SOC, laid

pytestmark = pytest.mark.usefixtures("dtc")
CRITERIA = Criteria(kernels_of(["6.6", "6.12"]))


@pytest.fixture
def linux(tmp_path: Path) -> Path:
    """Boards that share a table, one with a fault of its own, and one without idle states."""
    top = tmp_path / "linux"
    plain = BOARD.partition("&sleep")[0]
    sources = "arch/arm64/boot/dts/maker"
    end = "};\n\t\t};\n\t};"
    deep = (
        'deep: cpu-deep {\ncompatible = "arm,idle-state";\narm,psci-suspend-param = <0x10001>;\n'
        "entry-latency-us = <400>;\nexit-latency-us = <500>;\nmin-residency-us = <2000>;\n"
    )
    assert end in SOC
    tied = SOC.replace(end, f"}};\n{deep}{end}").replace("<&sleep>", "<&sleep &deep>")
    files = {
        "include/dt-bindings/psci.h": PSCI,
        f"{sources}/pins.h": PINS,
        f"{sources}/soc.dtsi": tied,
        f"{sources}/a.dts": plain,
        f"{sources}/b.dts": plain.replace("a board", "another").replace("/dts-v1/;", "/dts-v1/;\n"),
        f"{sources}/c.dts": plain + "&deep {\n\tmin-residency-us = <100>;\n};\n",
        f"{sources}/bare.dts": "/dts-v1/;\n/ { };\n",
        f"{sources}/tool.dts": '/dts-v1/;\n#if 0\n#include "soc.dtsi"\n#endif\n/ { };\n',
    }
    laid(top, files)
    return top


def found(linux: Path, jobs: int = 1) -> dict[str, list[tuple[str, str | None, int | None, str]]]:
    request = AuditRequest((), CRITERIA, trees=(str(linux),), jobs=jobs)
    results = audit(request, setting_of(request), Walk())
    return {
        Path(one.file).name: [
            (f.rule, f.location.file, f.location.line, f.message) for f in one.findings
        ]
        for each in results
        for one in each
    }


def test_boards_are_what_each_is_on_its_own(linux: Path) -> None:
    """Shared parts say the same as parts that are read anew, in the same place."""
    boards = sorted((linux / "arch").rglob("*.dts"))
    setting = setting_of(AuditRequest(("x",), CRITERIA))
    alone = [audit_path(board, setting) for board in boards]
    with keeping():
        shared = [audit_path(board, setting) for board in boards]
    assert [[one.findings for one in each] for each in shared] == [
        [one.findings for one in each] for each in alone
    ]
    assert [[one.registered for one in each] for each in shared] == [
        [one.registered for one in each] for each in alone
    ]
    alike = {Path(each[0].file).name: each[0].alike for each in shared}
    assert alike["a.dts"] == alike["b.dts"] != ""
    assert alike["c.dts"] not in ("", alike["a.dts"])


def test_board_that_writes_what_is_not_read_of_its_cpus_has_the_same_table(linux: Path) -> None:
    """Most do so, and name a CPU's supply. One that writes a list has it in its own place."""
    sources = linux / "arch/arm64/boot/dts/maker"
    plain = (sources / "a.dts").read_text()
    (sources / "supply.dts").write_text(f"{plain}&cpu0 {{ cpu-supply = <1>; }};\n")
    (sources / "list.dts").write_text(f"{plain}&cpu0 {{ cpu-idle-states = <&sleep &deep>; }};\n")
    boards = [sources / name for name in ("a.dts", "supply.dts", "list.dts")]
    setting = setting_of(AuditRequest(("x",), CRITERIA))
    with keeping():
        first, supply, own = (audit_path(board, setting)[0] for board in boards)
    assert first.alike == supply.alike != own.alike
    for board, shared in zip(boards, (first, supply, own), strict=True):
        (alone,) = audit_path(board, setting)
        assert shared.findings == alone.findings
        assert shared.source
        assert alone.source
        table, other = shared.source.table, alone.source.table
        assert table
        assert other
        assert table.origin.form == "nodes"
        assert other.origin.form == "nodes"
        assert str(table.origin.where) == str(other.origin.where)


def test_finding_has_the_file_that_is_to_be_edited(linux: Path) -> None:
    by_board = found(linux)
    sources = linux / "arch/arm64/boot/dts/maker"
    assert set(by_board) == {"a.dts", "b.dts", "c.dts", "tool.dts"}
    ties = [f for f in by_board["b.dts"] if f[0] == "IS203"]
    lines = (sources / "soc.dtsi").read_text().split("\n")
    places = {n for n, line in enumerate(lines, 1) if "min-residency" in line}
    assert ties
    assert {file for _, file, *_ in ties} == {str(sources / "soc.dtsi")}
    assert {line for _, _, line, _ in ties} <= places
    own = [f for f in by_board["c.dts"] if f[0] == "IS204"]
    assert [(f[1], f[2]) for f in own] == [(str(sources / "c.dts"), 7)]


def test_each_table_and_finding_is_said_once(
    linux: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["audit", "--config", "none", "--summary", "--tree", str(linux)])
    text = capsys.readouterr().out
    assert "skipped: boards without idle states: 1" in text
    assert "2 boards: a.dts b.dts" in text
    assert "1 board: c.dts" in text
    assert "maker/soc.dtsi:" in text
    assert re.search(r"^  warning +\S*maker/soc\.dtsi:\d+ +2 +IS203 ", text, re.MULTILINE)
    main(["audit", "--config", "none", "--format", "json", "--tree", str(linux)])
    groups = json.loads(capsys.readouterr().out)["summary"]["groups"]
    boards = sorted([Path(board).name for board in group["boards"]] for group in groups)
    assert boards == [["a.dts", "b.dts"], ["c.dts"]]
    main(["audit", "--config", "none", "--format", "sarif", "--tree", str(linux)])
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert len({json.dumps(result, sort_keys=True) for result in results}) == len(results)


@pytest.mark.slow
def test_processes_say_the_same(linux: Path) -> None:
    boards = sorted((linux / "arch").rglob("*.dts")) * 40
    setting = setting_of(AuditRequest(("x",), CRITERIA))
    one = [[(x.file, x.findings) for x in each] for each in audit_all(boards, setting, 1)]
    two = [[(x.file, x.findings) for x in each] for each in audit_all(boards, setting, 2)]
    assert one == two


def test_folder_in_a_tree_is_its_boards(linux: Path) -> None:
    laid(linux, {"arch/arm64/boot/dts/other/o.dts": '/dts-v1/;\n#include "../maker/soc.dtsi"\n'})
    assert set(found(linux / "arch/arm64/boot/dts/maker")) == {
        "a.dts",
        "b.dts",
        "c.dts",
        "tool.dts",
    }
    assert "o.dts" in found(linux)


def test_findings_by_place_on_a_page_are_those_of_the_text(
    linux: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    main(["audit", "--tree", str(linux), "--config", "none", "--notes", "--html", str(page)])
    said = capsys.readouterr().out.partition("Findings, by the place that is to be edited\n")[2]
    told = re.findall(r"^  (error|warning|note) +(\S+) +(\d+) +(IS\d+) ", said, re.MULTILINE)
    sections = parse(page.read_text()).all("section")
    (section,) = (each for each in sections if "to be edited" in each.all("h2")[0].text)
    (table,) = section.all("table")
    rows = [(*row[:3], row[3][:5]) for row in table.rows()[1:]]
    assert len(told) > 2
    assert rows == told


def test_tree_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"tree of [^L]*Linux for --tree"):
        found(tmp_path)
    with pytest.raises(UsageError, match="expected a directory"):
        found(tmp_path / "none")
    with pytest.raises(UsageError, match="or --tree, found none"):
        AuditRequest((), CRITERIA)


def test_kept_files_are_let_go(linux: Path) -> None:
    """A file's text of one run is not taken for its text in the next."""
    assert any(f[0] == "IS203" for f in found(linux)["a.dts"])
    soc = linux / "arch/arm64/boot/dts/maker/soc.dtsi"
    soc.write_text(soc.read_text().replace("us = <2000>;\n}", "us = <9000>;\n}"))
    assert not any(f[0] == "IS203" for f in found(linux)["a.dts"])


def test_a_tree_without_such_boards_is_named(
    linux: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for board in ("a", "b", "c", "tool"):
        (linux / f"arch/arm64/boot/dts/maker/{board}.dts").unlink()
    assert main(["audit", "--config", "none", "--tree", str(linux)]) == 3
    printed = capsys.readouterr()
    assert f"expected inputs below {linux}, found none" in printed.err
    assert "COUNT" not in printed.out
