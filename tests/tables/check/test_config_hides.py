"""Tests of what the configuration hides is counted in the last line, where it turned the
verdict."""

import subprocess
import sys
from pathlib import Path

import pytest

from idle_states.base.reading.opening import Found
from idle_states.tables.audit import alike, fleet
from idle_states.tables.audit.audit import audit_path
from tests.support.commands import Capture, run

SPEC = "name: mine\nextends: power9\noverride:\n  stop0_lite: {latency: 0ns}\n"
INI = "[idle-states]\n"
FAILS = ("check", "mine.yaml", "--kernel", "6.1")
NOT_COUNTED = (
    "the configuration sets ignore; findings that it hides are not counted: --config none shows "
    "them\n"
)
SUPPRESSED = "suppress =\n  IS215 mine:* so\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(SPEC)


@pytest.mark.parametrize("setting", ["ignore = IS2, IS4\n", "select = IS1\n", SUPPRESSED])
@pytest.mark.parametrize("command", ["check", "audit"])
def test_hidden_findings_are_counted(setting: str, command: str, capsys: Capture) -> None:
    words = (command, *FAILS[1:])
    expected = run(capsys, *words, "--config", "none")
    assert expected[0] == 1
    assert "hidden" not in expected[1]
    Path("setup.cfg").write_text(INI + setting)
    status, text, _ = run(capsys, *words)
    assert status == 0, text
    line = text.splitlines()[-2]
    assert line == (
        "1 finding is hidden by setup.cfg; the exit status would be 1 with --config none"
    )
    status, _, errors = run(capsys, *words, "--format", "json")
    assert status == 0
    assert line in errors


@pytest.mark.parametrize(
    ("setting", "more"),
    [
        ("ignore = IS1\n", ()),
        ("kernels = 4.11\n", ()),
        ("suppress =\n  IS203 mine:* so\n", ()),
        ("ignore = IS2, IS4\n", ("--ignore", "IS2,IS4")),
        ("ignore = IS203\n", ()),
    ],
)
def test_verdict_that_is_not_turned_has_no_such_line(
    setting: str, more: tuple[str, ...], capsys: Capture
) -> None:
    """Nothing hidden counts; the command line hides it itself; or the check fails all the same."""
    Path("setup.cfg").write_text(INI + setting)
    for command in ("check", "audit"):
        _, text, errors = run(capsys, command, *FAILS[1:], *more)
        assert "hidden" not in text + errors


def test_rules_left_out_are_asked_beside_results_that_are_kept(capsys: Capture) -> None:
    Path("setup.cfg").write_text(f"{INI}ignore = IS2, IS4\n")
    words = ("audit", *FAILS[1:], "--resume", "results")
    for _ in range(2):
        status, text, errors = run(capsys, *words)
        assert (status, text.count("1 finding is hidden by setup.cfg")) == (0, 1), errors
    assert Path("results").read_text().count("\n") == 1


def test_many_inputs_are_audited_once(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("setup.cfg").write_text(f"{INI}ignore = IS2, IS4\n")
    audited = list[Path | Found]()

    def counted(where: Path | Found, *more: object) -> object:
        audited.append(where)
        return audit_path(where, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(alike, "audit_path", counted)
    monkeypatch.setattr(fleet, "FEW", 2)
    words = ("audit", "mine.yaml", *FAILS[1:], "--jobs", "1")
    status, text, _ = run(capsys, *words)
    assert (status, NOT_COUNTED in text) == (0, True)
    assert len(audited) == 2


def test_names_on_standard_input_are_not_read_again() -> None:
    Path("setup.cfg").write_text(f"{INI}ignore = IS2, IS4\n")
    words = [sys.executable, "-I", "-m", "idle_states", "audit", "-", *FAILS[2:]]
    done = subprocess.run(words, input="mine.yaml\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert NOT_COUNTED in done.stdout
    words[4:6] = ["check", "-"]
    done = subprocess.run(words, input=SPEC, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1 finding is hidden by setup.cfg" in done.stdout
