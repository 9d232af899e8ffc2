"""The README's screens are what the tool prints, and its commands exist."""

import re
import shlex
from pathlib import Path

import pytest

from idle_states.cli import main

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
MINE = "name: mine\nextends: power9\noverride:\n  stop0_lite: {latency: 200ns, residency: 2us}\n"
SCREENS = re.findall(r"```\n\$ idle-states (.*)\n((?:.*\n)*?)```\n", README)
TOUR = re.findall(r"^    idle-states (.*?)(?:  +#.*)?$", README, re.MULTILINE)


@pytest.mark.parametrize(("command", "screen"), SCREENS)
def test_screens(
    command: str,
    screen: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(MINE)
    main(shlex.split(command))
    assert capsys.readouterr().out.startswith(screen)


@pytest.mark.parametrize("command", TOUR)
def test_tour(
    command: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(MINE)
    main(["generate", "power9", "--to", "c", "-o", "slw.c"])
    main(["generate", "power9", "--to", "dtb", "-o", "power9.dtb"])
    assert main(shlex.split(command)) in (0, 1)
    assert capsys.readouterr().err == ""


def test_there_is_something_to_test() -> None:
    assert len(SCREENS) == 2
    assert len(TOUR) >= 8
