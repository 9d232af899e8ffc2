"""--select and --ignore choose among rules; what cannot be read is none to choose."""

from pathlib import Path

import pytest

from idle_states.cli import main

TYPO = "name: mine\nextends: power9\noverride:\n  stop2: {latenci: 10us}\n"
SYNTAX = "name: mine\nextends: power9\noverride:\n  stop2: {latency: 10us\n"

CHOSEN = [(), ("--select", "IS2"), ("--ignore", "IS9"), ("--select", "IS203", "--ignore", "IS92")]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("command", ["check", "audit"])
def test_a_spec_that_is_no_table_counts_whatever_is_chosen(
    command: str, chosen: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.yaml").write_text(TYPO)
    assert main([command, "mine.yaml", *chosen]) == 1
    assert "mine.yaml:4:11: error: expected one of the spec's keys" in capsys.readouterr().out


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("command", ["check", "audit"])
def test_what_cannot_be_parsed_counts_whatever_is_chosen(
    command: str, chosen: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.yaml").write_text(SYNTAX)
    assert main([command, "mine.yaml", *chosen]) == 3
    out = "".join(capsys.readouterr())
    assert "IS910" in out
    assert "    4 |   stop2: {latency: 10us\n      |                        ^\n" in out


def test_what_a_table_says_is_chosen_still(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.yaml").write_text(TYPO.replace("latenci: 10us", "latency: 200ns"))
    assert main(["check", "mine.yaml"]) == 1
    assert main(["check", "mine.yaml", "--select", "IS111"]) == 0
    assert main(["check", "mine.yaml", "--ignore", "IS"]) == 0


def test_a_file_that_is_only_found_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    Path("some").mkdir()
    Path("some/mine.yaml").write_text(f"{SYNTAX}    residency: 10us\n    states: 3\n")
    Path("some/other.yaml").write_text(TYPO.replace("latenci", "latency"))
    assert main(["check", "some"]) == 3
    out = capsys.readouterr().out
    assert "some/mine.yaml:5:14: error: " in out
    assert "    5 |     residency: 10us\n      |              ^\n" in out


def test_a_redacted_audit_quotes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.yaml").write_text(SYNTAX)
    assert main(["audit", "--redact", "mine.yaml"]) == 3
    out = capsys.readouterr().out
    assert "IS910" in out
    assert "latency: 10us" not in out
