"""The line that says how much of an audit is done, and how long the rest will take."""

import itertools
import re
import sys
from pathlib import Path

import pytest

from idle_states.base.report import printer
from idle_states.cli import main, progress
from idle_states.tables.sources.walk import Walk
from tests.support import DATA

BOARD = (DATA / "trees/powernv9.dtb").read_bytes()


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """40 inputs: 10 in each of 3 folders of 20 files, 10 beside them."""
    for folder in ("", "a", "b", "b/c"):
        (tmp_path / "top" / folder).mkdir(parents=True)
        for number in range(10):
            (tmp_path / "top" / folder / f"{number}.dtb").write_bytes(BOARD)
            (tmp_path / "top" / folder / f"{number}.png").write_bytes(b"\x89PNG")
    return tmp_path / "top"


def test_a_walk_expects_what_it_finds(folders: Path) -> None:
    walk = Walk()
    assert walk.expected is None
    estimates = [walk.expected or 0 for _ in walk.inputs([str(folders), str(folders)])]
    assert walk.expected == walk.found == 80
    # of a folder in a folder nobody knows before it is opened: the error is one share
    assert all(15 <= each <= 90 for each in estimates[5:])
    assert all(35 <= each <= 90 for each in estimates[40:])


def test_nobody_knows_how_many_names_will_come(folders: Path) -> None:
    walk = Walk()
    assert len(list(walk.inputs(iter([str(folders)])))) == 40
    assert walk.expected is None


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (None, "100 audited, 50 a second"),
        (36_000, "100 audited, 50 a second, about 0:11:58 left of about 36,000"),
        (50, "100 audited, 50 a second, about 0:00:00 left of about 50"),
    ],
)
def test_the_rest_is_estimated(expected: int | None, said: str) -> None:
    count = progress.Count("audited", lambda: expected)
    for _ in range(100):
        count.advance()
    assert count._line(2.0) == said
    assert count._line(0.5) == "100 audited"
    assert count._line(200.0).startswith("100 audited, 0.5 a second")


@pytest.mark.parametrize("terminal", [True, False])
def test_only_a_terminal_sees_it(
    terminal: bool,
    folders: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines: list[str] = []
    clock = itertools.count(0, 0.2)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(printer, "progress", lines.append)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    main(["audit", str(folders), "--config", "none", "--jobs", "1"])
    assert capsys.readouterr().err == ""
    if not terminal:
        assert not lines
        return
    assert lines[-1] == ""
    assert re.fullmatch(r"40 audited, [0-9.]+ a second, about 0:00:00 left of about 40", lines[-2])
