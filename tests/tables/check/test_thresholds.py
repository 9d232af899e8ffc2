"""Thresholds of rules, as a project sets them."""

import json
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.cli import main
from idle_states.tables.check import config
from idle_states.tables.check.config_change import changes
from idle_states.tables.rules.catalogue import rule_of, rules

SPEC = """\
name: mine
extends: power9
override:
"""
NAME2DEFAULT = {each.name: each.default for one in rules() for each in one.rule.thresholds}
MOVED = {
    # another value -> a state that only one of both reports
    "IS209.percent = 1": "stop1: {latency: 9800ns, residency: 98us}",
    "IS209.percent = 10": "stop1: {latency: 9500ns, residency: 95us}",
    "IS210.lowest = 3": "stop2: {latency: 20us, residency: 50us}",
    "IS210.highest = 500": "stop5: {latency: 100us, residency: 10ms}",
    "IS210.highest = 9": "stop2: {latency: 10us, residency: 100us}",
    "IS211.shortest = 200us": "stop2: {residency: 2693136640ns}",
    "IS211.longest = 50us": "stop2: {residency: 2693136640ns}",
    "IS218.step = 5": "stop2: {latency: 10us, residency: 100us}",
    "IS218.near = 2": "stop11: {latency: 10us}",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def found(code: str, setting: str, command: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    Path("setup.cfg").write_text(f"[idle-states]\n{setting}\n", "utf-8")
    main([command, "mine.yaml", "--select", code, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    findings = document["findings"] if command == "check" else document["inputs"][0]["findings"]
    return [each["message"] for each in findings]


@pytest.mark.parametrize("setting", MOVED)
@pytest.mark.parametrize("command", ["check", "audit"])
def test_a_threshold_moves_what_its_rule_reports(
    setting: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.yaml").write_text(f"{SPEC}  {MOVED[setting]}\n", "utf-8")
    name = setting.partition(" ")[0]
    ns = "ns" if rule_of(name[:5]).rule.thresholds[0].unit else ""
    usual = found(name[:5], f"{name} = {NAME2DEFAULT[name]}{ns}", command, capsys)
    assert usual == found(name[:5], "", command, capsys)
    assert found(name[:5], setting, command, capsys) != usual


def test_each_threshold_is_moved_above() -> None:
    assert {setting.partition(" ")[0] for setting in MOVED} == set(NAME2DEFAULT)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("IS299.percent = 3", "expected the code of a rule before the dot, found 'IS299.percent'"),
        ("percent.IS209 = 3", "expected the code of a rule before the dot"),
        ("IS209.percnt = 3", "expected IS209.percent, found 'IS209.percnt'"),
        ("IS210.percent = 3", "expected IS210.lowest or IS210.highest, found"),
        ("IS203.factor = 3", "expected no threshold, as IS203 has none, found 'IS203.factor'"),
        ("IS209.percent = much", "expected a whole number as IS209.percent, found 'much'"),
        ("IS209.percent = -1", "expected a whole number"),
        ("IS209.percent = 3.5", "expected a whole number"),
        ("IS209.percent = 9999999999", "expected a whole number"),
        ("IS209.percent =", "expected a whole number as IS209.percent, found ''"),
        ("IS211.longest = 5", "expected a time with its unit"),
        ("IS211.longest = 5s 6s", "expected a time with its unit"),
    ],
)
def test_what_is_no_threshold_or_no_value_is_refused_with_its_line(
    line: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Unreadable) as caught:
        config.parse(f"[idle-states]\nignore = IS212\n{line}\n", "setup.cfg")
    (finding,) = caught.value.findings
    assert (finding.rule, finding.location.file, finding.location.line) == ("IS905", "setup.cfg", 3)
    assert finding.message.startswith(expected)
    Path("setup.cfg").write_text(f"[idle-states]\n{line}\n", "utf-8")
    assert main(["check", "power9"]) == 3
    assert "setup.cfg:2:1" in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "text",
    [
        "[tool.idle-states]\nIS209.percent = 5\nis211.LONGEST = '3s'\n",
        "[tool.idle-states]\n'IS209.percent' = '5'\n'IS211.longest' = '3s'\n",
        "[tool.idle-states.IS209]\npercent = 5\n[tool.idle-states.IS211]\nlongest = '3s'\n",
    ],
)
def test_toml_may_have_a_number_and_a_table(text: str) -> None:
    assert dict(config.parse(text, "pyproject.toml").thresholds) == {
        "IS209.percent": 5,
        "IS211.longest": 3_000_000_000,
    }


def test_toml_s_other_values_are_refused_with_their_line() -> None:
    with pytest.raises(Unreadable) as caught:
        config.parse("[tool.idle-states]\n\nIS209.percent = 3.5\n", "pyproject.toml")
    (finding,) = caught.value.findings
    assert (finding.rule, finding.location.line) == ("IS905", 3)


def test_a_rule_s_page_names_its_thresholds(capsys: pytest.CaptureFixture[str]) -> None:
    for loaded in rules():
        assert main(["explain", loaded.rule.code]) == 0
        page = capsys.readouterr().out
        assert ("\nThresholds\n" in page) == bool(loaded.rule.thresholds)
        for each in loaded.rule.thresholds:
            assert f"    {each}\n        {each.meaning}\n" in page
            assert each.read(str(each).partition(" = ")[2]) == each.default
    assert main(["explain", "IS211"]) == 0
    assert "    IS211.longest = 2s\n" in capsys.readouterr().out


def test_what_is_set_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("setup.cfg").write_text("[idle-states]\nis209.Percent: 5\n", "utf-8")
    main(["check", "power9"])
    assert "setup.cfg sets IS209.percent" in capsys.readouterr().err


def test_a_change_of_a_threshold_is_a_finding() -> None:
    before, after = (
        config.parse(f"[idle-states]\nIS209.percent = {value}\n", "setup.cfg") for value in (3, 50)
    )
    (finding,) = changes(before, after)
    assert finding.rule == "IS906"
    assert finding.message == "the change sets IS209.percent to 50; before: 3"
