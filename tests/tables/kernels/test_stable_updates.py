"""docs/stable-updates.md and docs/complaints.md say what the commands print."""

import json
import re
import shutil

import pytest

from idle_states.tables.linux.governors import core
from tests.support import DATA, DOCS
from tests.support.commands import Capture
from tests.support.screens import prints, screens

PAGE, COMPLAINTS = (
    (DOCS / f"{name}.md").read_text("utf-8") for name in ("stable-updates", "complaints")
)
SCREENS = screens(PAGE)
FILES = ("mt8196-teo.slice.txt.gz", "mt8196-teo.sysfs-before.txt")


@pytest.mark.skipif(not core.available(), reason="some hundred times slower without the core")
@pytest.mark.parametrize(("command", "screen"), dict.fromkeys([*SCREENS, *screens(COMPLAINTS)]))
@pytest.mark.usefixtures("in_tmp_path")
def test_screens(command: str, screen: str, capsys: Capture) -> None:
    for file in FILES:
        shutil.copy(DATA / "traces" / file, file)
    assert prints(capsys, command, screen)


def test_figures_of_the_text() -> None:
    """The text's figures of the trace stand in its screens."""
    shares = [re.findall(r"WFI .* (\d+\.\d+ %) .* (\d+) \(", screen) for _, screen in SCREENS]
    (a,), (b,), (c,) = (found for found in shares if found)
    assert a == c != b
    text = f"{b[0]} of the time in WFI instead of {a[0]}; {b[1]} periods instead of {a[1]} get"
    assert text in " ".join(PAGE.split())


def test_figures_of_the_complaints() -> None:
    """Every figure of their text stands in a screen, or in the record of a commit."""
    shown = screens(COMPLAINTS)
    shares = [s for _, screen in shown for s in re.findall(r"WFI .* (\d+\.\d+) % ", screen)]
    said = " ".join(COMPLAINTS.split())
    assert "from {} to {} % and later falls to {} %".format(*shares) in said
    rates = [r for _, screen in shown for r in re.findall(r"(\d+) \([^)]*\) requests", screen)]
    assert "{1} requests/s instead of {0}".format(*rates) in said
    record = json.loads((DOCS / "governor-commits.json").read_text("utf-8"))
    steps = ("teo, utilisation removed (6.11)", "449914398083", "4b20b07ce72f")
    table = [float(share) for share in re.findall(r"^\| .* \| (\d+\.\d+) % \|$", COMPLAINTS, re.M)]
    assert table == [record[steps[0]]["wfi"][0], *(record[step]["wfi"][1] for step in steps)]
