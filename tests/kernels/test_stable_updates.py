"""docs/stable-updates.md says what the commands print."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from idle_states import core
from idle_states.cli import main
from tests.support import DATA, DOCS

PAGE = (DOCS / "stable-updates.md").read_text("utf-8")
SCREENS = re.findall(r"```\n\$ idle-states (.*)\n((?:.*\n)*?)```\n", PAGE)
FILES = ("mt8196-teo.slice.txt.gz", "mt8196-teo.sysfs-before.txt")


@pytest.mark.skipif(not core.available(), reason="some hundred times slower without the core")
@pytest.mark.parametrize(("command", "screen"), SCREENS)
def test_screens(
    command: str,
    screen: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in FILES:
        shutil.copy(DATA / "traces" / file, file)
    assert main(shlex.split(command)) in (0, 1)
    expected = ".*".join(map(re.escape, re.split(r"^\.\.\.\n", screen, flags=re.MULTILINE)))
    assert re.fullmatch(expected, capsys.readouterr().out, re.DOTALL)


def test_figures_of_the_text() -> None:
    """What the text says of the trace stands in its screens."""
    shares = [re.findall(r"WFI .* (\d+\.\d+ %) .* (\d+) \(", screen) for _, screen in SCREENS]
    (a,), (b,), (c,) = (found for found in shares if found)
    assert a == c != b
    said = f"spend {b[0]} of the time in WFI, not {a[0]}; {b[1]} periods instead of {a[1]} get"
    assert said in " ".join(PAGE.split())
