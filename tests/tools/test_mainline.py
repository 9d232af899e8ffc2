"""docs/mainline.md: findings on a tree's boards, each with its verdict."""

import json
import os
from pathlib import Path

import pytest

from idle_states.tables.devicetree.source_trees import Layout, top_of
from tests.support import DOCS
from tests.tables.devicetree.test_source_trees import BOARD, PINS, PSCI, SOC, laid
from tools import mainline
from tools.mainline import START, VERDICTS, Verdict, complaints, found, section, verdicts

FILE = "arch/arm64/boot/dts/maker/soc.dtsi"


@pytest.fixture
def linux(tmp_path: Path, dtc: str) -> Path:
    """Two boards of a chip with a fault."""
    top = tmp_path / "linux"
    wrong = SOC.replace("local-timer-stop;", "")
    sources = Path(FILE).parent
    plain = BOARD.partition("&sleep")[0]
    laid(
        top,
        {
            "include/dt-bindings/psci.h": PSCI,
            f"{sources}/pins.h": PINS,
            FILE: wrong,
            f"{sources}/a.dts": plain,
            f"{sources}/b.dts": plain,
        },
    )
    assert isinstance(top_of(str(top))[1], Layout)
    return top


def verdict(rule: str = "IS616", file: str = "*/maker/*", path: str = "*") -> Verdict:
    return Verdict(rule, file, path, "true", "because")


def test_each_finding_stands_once_with_its_boards(linux: Path) -> None:
    findings = found(linux, ["6.6"])
    assert (findings.boards, findings.unread, findings.tables) == (2, 0, 1)
    (place,) = findings.places
    assert (place.rule, place.file, place.node) == ("IS616", FILE, "cpu-sleep")
    assert {Path(board).name for board in place.boards} == {"a.dts", "b.dts"}
    text = section(findings, [verdict()], "Linux")
    assert "Linux: 2 boards with idle states, all read; 1 distinct table." in text
    assert "| IS616 power-down-keeps-timer | warning | 1 | 2 |" in text
    assert f"| IS616 | `{FILE}`: `cpu-sleep` | {place.message} | 2 | true: because |" in text
    assert f"| IS616 | `{FILE}`: `cpu-sleep` | {place.message} | 2 | - |" in section(
        findings, [], "Linux"
    )


def test_what_lacks_a_verdict_or_a_finding_is_named(linux: Path) -> None:
    findings = found(linux, ["6.6"])
    assert list(complaints(findings, [verdict()])) == []
    (missing,) = complaints(findings, [])
    assert missing.startswith(f"no verdict: IS616 {FILE} ")
    for other in (verdict("IS204"), verdict(file="*/other/*"), verdict(path="/cpus/cpu@0*")):
        assert len(list(complaints(findings, [verdict(), other]))) == 1
    false = Verdict("IS616", "*", "*", "false", "the rule")
    (wrong,) = complaints(findings, [false])
    assert wrong.startswith("the rule is wrong: IS616")


@pytest.mark.parametrize(
    "change", [{"rule": "IS699"}, {"verdict": "perhaps"}, {"reason": ""}], ids=str
)
def test_verdict_that_is_none_is_refused(change: dict[str, str]) -> None:
    entry = {"rule": "IS204", "file": "*", "path": "*", "verdict": "true", "reason": "x"}
    assert verdicts(json.dumps([entry]))
    with pytest.raises(ValueError, match="expected a rule, true, intended or false and a reason"):
        verdicts(json.dumps([entry | change]))


def test_page_is_written_below_what_is_kept(
    linux: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, judged = tmp_path / "mainline.md", tmp_path / "mainline.json"
    page.write_text(f"# Kept\n\n{START}\nold\n")
    judged.write_text("[]")
    monkeypatch.setattr(mainline, "PAGE", page)
    monkeypatch.setattr(mainline, "VERDICTS", judged)
    assert mainline.main([str(linux), "Linux 9"]) == 1
    text = page.read_text()
    assert text.startswith(f"# Kept\n\n{START}\nLinux 9: 2 boards")
    assert "old" not in text
    assert mainline.main([str(linux)]) == 2


def test_page_has_every_verdict_and_none_is_false() -> None:
    page = (DOCS / "mainline.md").read_text("utf-8")
    for one in verdicts(VERDICTS.read_text("utf-8")):
        assert one.verdict != "false"
        assert f"| {one.verdict}: {one.reason} |" in page
    assert "| - |" not in page.partition("## Errors and warnings")[2].partition("## Notes")[0]


@pytest.mark.parametrize(
    ("rule", "file"),
    [
        ("IS612", "mediatek/mt8516.dtsi"),
        ("IS204", "mediatek/mt8516.dtsi"),
        ("IS611", "mediatek/mt2712e.dtsi"),
        ("IS609", "qcom/sdm630.dtsi"),
    ],
)
def test_defects_that_are_known_are_found(rule: str, file: str) -> None:
    rows = (DOCS / "mainline.md").read_text("utf-8").splitlines()
    assert any(row.startswith(f"| {rule} | `src/arm64/{file}`") and "true: " in row for row in rows)


@pytest.mark.slow
@pytest.mark.skipif("DTS" not in os.environ, reason="DTS names no tree of sources")
def test_page_is_what_the_tree_gives() -> None:
    """DTS: the tree that the page is of."""
    findings = found(Path(os.environ["DTS"]))
    judged = verdicts(VERDICTS.read_text("utf-8"))
    assert list(complaints(findings, judged)) == []
    made = (DOCS / "mainline.md").read_text("utf-8").partition(START)[2].lstrip()
    name = made.partition(":")[0]
    assert section(findings, judged, name) == made
