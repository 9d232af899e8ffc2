"""Tests of what people read fits the terminal: no line is wider, no word is broken, nothing is left
out."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.report.fitting import fitted
from idle_states.base.resources import resource
from idle_states.cli import main
from idle_states.tables.kernels import walk
from idle_states.tables.kernels.moves import Moves, MovesRequest
from tests.support import DATA
from tests.support.terminals import shown
from tests.support.thorough import slow

RECORDING = str(DATA / "recordings" / "powernv9-menu-restarted.txt.gz")
ROWS = ["--summary", "100,222784,473466,294510,302295.26,45380.6"]
ROWS += ["--summary", "100,281790,710784,514878,510224.62,85163.252"]
COMMANDS = (
    pytest.param("kernels", marks=pytest.mark.slow),
    "kernels 4.11 6.1",
    pytest.param("kernels --table power9 --governor menu", marks=pytest.mark.slow),
    "diff power9 power10",
    "show power9 --kernel all",
    "select power9 --governor menu --kernel 6.1",
    "audit pseries-shared power9-mambo",
    f"stats {' '.join(ROWS)}",
    *slow(f"tune power9 --governor menu --trace {RECORDING} --power implied"),
    "simulate periodic --table power9 --seed 1",
    "simulate --list",
    f"replay {RECORDING} --per-cpu --governor menu",
    f"conform {RECORDING} --table power10",
    "list rules",
    "list",
    "explain IS203",
    "check power9",
    "check nothing-of/that-name.yaml",
    "select --help",
    "powr",
)


def followed_once() -> Callable[..., Moves]:
    """walk.moves of one request, which takes seconds: here it is printed again and again."""
    real, said, found = walk.moves, list[str](), list[Moves]()

    def moves(request: MovesRequest, say: Callable[[str], None]) -> Moves:
        if not found:
            found.append(real(request, said.append))
        for line in said:
            say(line)
        return found[0]

    return moves


@pytest.mark.parametrize("command", COMMANDS)
def test_text_fits_the_terminal(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = command.split()
    if "--table" in words and words[0] == "kernels":
        monkeypatch.setattr(walk, "moves", followed_once())
    if words[0] == "audit":
        (tmp_path / "some.yaml").write_text("name: some\nextends: power9\n")
        words = ["audit", str(tmp_path / "some.yaml")]

    def run() -> None:
        with suppress(SystemExit):
            main(words)

    run()
    piped = set(" ".join(capsys.readouterr()).split())
    for width in (60, 80, 200):
        text = shown(run, width, monkeypatch)
        for line in text.split("\n"):
            line = line.rpartition("\r")[2]
            assert len(line) <= width or len(line.split()) == 1, (width, line)
        if not {"--help", "powr"} & set(words):
            lost = piped - set(text.split())
            assert not lost, (width, lost)


def test_sections_are_folded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(partial(main, ["show", "--platform", "spr", "--kernel", "7.0"]), 40, monkeypatch)
    assert "model 0x8f, as\n      intel_idle finds it when it starts\n" in text


@given(
    st.lists(st.text("abc \x1b", max_size=90).map(lambda text: text.replace("\x1b", "\x1b[1m"))),
    st.integers(20, 90),
)
def test_folding_keeps_all_words(lines: list[str], width: int) -> None:
    text = "\n".join(lines)
    found = fitted(text, width)
    assert found.split() == text.split()
    for line in found.split("\n"):
        seen = line.replace("\x1b[1m", "")
        assert len(seen.rstrip()) <= width or len(seen.split()) <= 1


def test_columns_that_find_no_room_stand_below() -> None:
    rows = ["  stop1        66  316693 us  98.65 %", "  stop2         6     693 us   0.65 %"]
    assert fitted("\n".join(rows), 30).split("\n") == [
        "  stop1        66  316693 us",
        "      98.65 %",
        "  stop2         6     693 us",
        "      0.65 %",
    ]


def test_a_pipe_gets_lines_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "power9", "--notes"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) > 150
    assert any(
        line.startswith(f"{resource('tables', 'specs', 'power9.yaml')}:")
        and line.endswith("[IS203 residency-tie]")
        for line in lines
    )


def test_a_long_source_line_is_shown_around_its_caret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.yaml"
    note = "x" * 150
    file.write_text(
        f"name: mine\nextends: power9\noverride: {{stop1: {{note: {note}, rate: 1}}}}\n"
    )
    text = shown(partial(main, ["check", str(file)]), 60, monkeypatch)
    (row, caret), *_ = re.findall(r"^ +3 \| (.*)\n +\| (.*)$", text, re.MULTILINE)
    assert row[len(caret) - 4 : len(caret)] == "rate"
    assert row.startswith("...xxx")
    assert len(row) <= 52
