"""Suppressions in setup.cfg and baselines: what they hide, and what they must not."""

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Location, Unreadable
from idle_states.cli import main
from idle_states.tables.check.config import find, parse, read
from tests.support.commands import document

SLOW = "name: mine\nextends: power9\noverride:\n  stop1: {latency: 2050us}\n"
DAY = str(1_800_000_000)  # 2027-01-15


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DAY)
    Path("mine.yaml").write_text(SLOW)


def config(*lines: str) -> None:
    Path("setup.cfg").write_text("\n    ".join(["[idle-states]\nsuppress =", *lines]) + "\n")


def rules(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str | None]:
    """Rule -> where it is suppressed, None where it counts; of warnings and errors."""
    found = document(capsys, "check", *(words or ("mine.yaml",)))["findings"]
    return {
        f["rule"]: f["suppressed"] and f["suppressed"]["in"]
        for f in found
        if f["severity"] != "note"
    }


def test_a_suppression_hides_what_it_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules(capsys)["IS206"] is None
    config("IS206 mine:states[2].latency measured so")
    found = rules(capsys)
    assert found["IS206"] == "config"
    assert "IS902" not in found
    assert "IS904" not in found


@pytest.mark.parametrize(
    ("line", "complaint", "hides"),
    [
        ("IS206 mine:states[2].latency", "IS901", False),
        ("IS203 mine:states[2].latency no reason to be here", "IS902", False),
        ("IS206 mine:states[3].latency another state", "IS902", False),
        ("IS206 mine:states[2].latency until 2027-01-14 yesterday", "IS904", False),
        ("IS206 mine:states[2].latency until 2027-01-15 today", None, True),
        ("IS999 mine:states[2].latency no such rule", "IS903", False),
        ("IS203 power9-dd1:states[2].latency of a table not checked", None, False),
        ("IS206 mine:* all of them", None, True),
        ("IS206,IS203 mine:states[2].* one of two", "IS902", True),
        ("IS206 min*.latency from anywhere", None, True),
    ],
)
def test_what_is_wrong_with_a_suppression_is_said(
    line: str, complaint: str | None, hides: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    config(line)
    found = rules(capsys)
    assert found["IS206"] == ("config" if hides else None)
    assert {rule for rule in found if rule.startswith("IS90")} == ({complaint} - {None})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[idle-states]\nsuppress =\n  203 a b\n", 3),
        ("[idle-states]\n\nsuppress = IS203 a until tomorrow b\n", 3),
        ("[idle-states]\nsupress =\n", 2),
        ("[idle-states\nsuppress =\n", 1),
    ],
)
def test_a_bad_configuration_names_its_line(text: str, line: int) -> None:
    Path("setup.cfg").write_text(text)
    with pytest.raises(Unreadable) as raised:
        read(Path("setup.cfg"))
    assert raised.value.findings[0].location.line == line
    assert main(["check", "mine.yaml", "--config", "setup.cfg"]) == 3


@given(st.text("ab*", max_size=8), st.text("ab", max_size=12))
def test_a_star_stands_for_anything(pattern: str, name: str) -> None:
    [entry] = parse(
        f"[idle-states]\nsuppress =\n    IS203 x{pattern} because\n", "setup.cfg"
    ).accepted
    expected = re.fullmatch(pattern.replace("*", ".*"), name) is not None
    assert entry.covers("IS203", Location(f"x{name}", "f")) == expected


def test_no_pattern_takes_long() -> None:
    stars = "*a" * 10_000 + "*b"
    [entry] = parse(f"[idle-states]\nsuppress =\n    IS203 {stars} because\n", "setup.cfg").accepted
    started = time.process_time()
    assert not entry.covers("IS203", Location("a" * 20_000, "f"))
    assert time.process_time() - started < 2


def test_many_suppressions_take_no_long_time(capsys: pytest.CaptureFixture[str]) -> None:
    config(*(f"IS203 mine:*x{number}* because" for number in range(10_000)))
    started = time.process_time()
    assert main(["check", "mine.yaml"]) == 0
    assert capsys.readouterr().out.count("[IS902") == 10_000
    assert time.process_time() - started < 6


@pytest.mark.parametrize("epoch", ["253402300800", "9" * 30, "9" * 5000])
def test_a_date_that_is_none(
    epoch: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    config("IS206 mine:states[2].latency until 2027-01-15 today")
    assert main(["check", "mine.yaml"]) == 2
    assert "in SOURCE_DATE_EPOCH, found" in capsys.readouterr().err


def test_the_nearest_configuration_of_the_repository_counts(tmp_path: Path) -> None:
    config("IS206 mine:* all")
    below = tmp_path / "a/b"
    below.mkdir(parents=True)

    def found(start: Path) -> Path | None:
        taken = find(start)
        return taken and taken[0]

    assert found(tmp_path) == tmp_path / "setup.cfg"
    assert found(below) is None, "outside of a repository nothing above counts"
    (tmp_path / ".git").mkdir()
    (tmp_path / "a/setup.cfg").write_text("[metadata]\nname = other\n")
    assert found(below) == tmp_path / "setup.cfg"
    (tmp_path / "a/.git").mkdir()
    assert found(below) is None


PRUNE = ("check", "--baseline", "b.json", "--write-baseline", "b.json")


def test_only_what_is_new_counts_against_a_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    fails = ["check", "mine.yaml", "--fail-on", "warning", "--baseline"]
    assert main(["check", "mine.yaml", "--write-baseline", "b.json"]) == 0
    assert main([*fails, "b.json"]) == 0
    Path("mine.yaml").write_text("# lines move\n" + SLOW + "  stop0: {latency: 300us}\n")
    capsys.readouterr()
    assert main([*fails, "b.json", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    new = {(f["rule"], f["location"]["path"]) for f in found if f["suppressed"] is None}
    assert ("IS206", "mine:states[1].latency") in new
    assert ("IS206", "mine:states[2].latency") not in new


def test_prune_drops_what_is_gone_and_adds_nothing() -> None:
    main(["check", "mine.yaml", "--write-baseline", "b.json"])
    path = Path("b.json")
    before = {f["finding"] for f in json.loads(path.read_text())["findings"]}
    assert "IS206 mine:states[2].latency" in before
    Path("mine.yaml").write_text(
        "name: mine\nextends: power9\noverride:\n  stop0: {latency: 1ms}\n"
    )
    assert main([*PRUNE, "mine.yaml"]) == 0
    after = {f["finding"] for f in json.loads(path.read_text())["findings"]}
    assert after < before
    assert "IS206 mine:states[2].latency" not in after


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema_version": 2, "findings": []}', "[" * 9999]
)
def test_a_baseline_that_is_none_is_refused(text: str) -> None:
    Path("b.json").write_text(text)
    assert main(["check", "mine.yaml", "--baseline", "b.json"]) == 3
    assert Path("b.json").read_text() == text
    assert main([*PRUNE, "mine.yaml"]) == 3
    assert Path("b.json").read_text() == text


def test_a_missing_baseline_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "mine.yaml", "--baseline", "none.json"]) == 3
    assert "none.json" in capsys.readouterr().err
