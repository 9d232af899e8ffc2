"""Tests of what commands print, whole: a change of words or of a layout shows in
`expected/printed`.

`expected/printed.txt` has the command lines, run in the folder of test data. None of them names all
there is of revisions, releases or rules.
"""

import re
import shlex
from pathlib import Path

import pytest

from idle_states.base.resources import in_package
from tests.support import DATA
from tests.support.commands import Capture, run
from tests.support.expected import Expected

LINES = (Path(__file__).parent / "expected" / "printed.txt").read_text().splitlines()
CHANGING = re.compile(
    r"(?<=idle-states )[0-9]\S*(?: \(\w+\))?(?=;|$)|(?<= )[0-9a-f]{12,64}\b", re.M
)
"""Versions and digests."""


def file_of(line: str) -> str:
    return re.sub(r"[^\w.=-]+", "_", line) + ".txt"


@pytest.mark.parametrize("line", LINES)
def test_printed(
    line: str, expected: Expected, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(DATA)
    monkeypatch.setenv("COLUMNS", "100")
    status, out, err = run(capsys, *shlex.split(line))
    text = f"$ idle-states {line}\n{out}-- standard error\n{err}-- exit status {status}\n"
    expected.check(f"printed/{file_of(line)}", in_package(CHANGING.sub("...", text)))


def test_no_file_is_left_over(expected: Expected) -> None:
    wanted = {file_of(line) for line in LINES}
    for file in (expected.folder / "printed").iterdir():
        if expected.update and file.name not in wanted:
            file.unlink()
        else:
            assert file.name in wanted
