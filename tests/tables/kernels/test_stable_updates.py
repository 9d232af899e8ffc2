"""docs/stable-updates.md says what the commands print."""

import re
import shutil
from pathlib import Path

import pytest

from idle_states.tables.linux.governors import core
from tests.support import DATA, DOCS
from tests.support.commands import Capture
from tests.support.screens import prints, screens

PAGE = (DOCS / "stable-updates.md").read_text("utf-8")
SCREENS = screens(PAGE)
FILES = ("mt8196-teo.slice.txt.gz", "mt8196-teo.sysfs-before.txt")


@pytest.mark.skipif(not core.available(), reason="some hundred times slower without the core")
@pytest.mark.parametrize(("command", "screen"), SCREENS)
def test_screens(command: str, screen: str, capsys: Capture, in_tmp_path: Path) -> None:
    for file in FILES:
        shutil.copy(DATA / "traces" / file, file)
    assert prints(capsys, command, screen)


def test_figures_of_the_text() -> None:
    """What the text says of the trace stands in its screens."""
    shares = [re.findall(r"WFI .* (\d+\.\d+ %) .* (\d+) \(", screen) for _, screen in SCREENS]
    (a,), (b,), (c,) = (found for found in shares if found)
    assert a == c != b
    said = f"spend {b[0]} of the time in WFI, not {a[0]}; {b[1]} periods instead of {a[1]} get"
    assert said in " ".join(PAGE.split())
