"""tune under several governors, and under governors by their source."""

import shutil
from pathlib import Path

import pytest

from tests.oracle.linux.governors import taken_as
from tests.support.commands import Capture, document, run
from tests.support.tuning import RECORDING

TIMER = Path(__file__).parents[2] / "data/governors/timer.c"
WORDS = ("tune", "power9", "--kernel", "6.1", "--power", "implied")
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def named(*governors: str) -> list[str]:
    return [word for name in governors for word in ("--governor", name)]


def test_each_governor_as_alone(capsys: Capture) -> None:
    words = (*WORDS, "--trace", str(RECORDING))
    found = document(capsys, *words, *named("menu", "teo"))
    rows = found["governors"]
    assert [row["governor"] for row in rows] == ["menu", "teo", None]
    for row, name in zip(rows, ("menu", "teo", "none"), strict=True):
        alone = document(capsys, *words, *named(name))
        assert alone["governors"] == []
        assert (row["best"], row["present"]) == (alone["best"], alone["present"])
    assert {**found, "governors": []} == document(capsys, *words, *named("menu"))
    least = rows[-1]["best"]["energy"]["low"]
    for row in rows:
        beyond = row["best"]["energy"]["low"] / least - 1
        assert row["best_beyond"] == pytest.approx(beyond, abs=1e-5)
        assert row["present_beyond"] >= row["best_beyond"] >= 0
    assert rows[-1]["best_beyond"] == 0


def test_as_text_and_page(capsys: Capture, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = (*WORDS, "--trace", str(RECORDING), *named("menu", "teo"), "--html", str(page))
    status, out, _ = run(capsys, *words)
    assert status == 0
    for title in ("Governors compared", "menu: Residencies", "teo: Residencies"):
        assert title in out
        assert title in page.read_text()
    assert "lengths known: no governor decides" in out


def test_a_simulation_has_no_oracle(capsys: Capture) -> None:
    words = (*WORDS, "--workload", "ping-pong", "--duration", "2ms", *named("menu", "ladder"))
    rows = document(capsys, *words)["governors"]
    assert [row["governor"] for row in rows] == ["menu", "ladder"]
    assert all(row["best_beyond"] is None for row in rows)


@pytest.mark.parametrize(
    ("more", "found"),
    [
        (("--gaps", "gaps.csv"), "--gaps"),
        (("--trace", "t", "--resume", "kept"), "--resume"),
        (("--trace", "t", "--to", "cmdline"), "--to"),
    ],
)
def test_what_one_governor_alone_takes(capsys: Capture, more: tuple[str, ...], found: str) -> None:
    status, _, err = run(capsys, *WORDS, *more, *named("menu", "teo"))
    assert status == 2
    assert f"expected one --governor with {found}, found several" in err


@needs_gcc
def test_a_source_in_several_processes(capsys: Capture, trace: Path) -> None:
    """Each asks a program of its own."""
    words = (*WORDS, "--trace", str(trace), *named(str(TIMER)))
    assert document(capsys, *words, "--jobs", "1") == document(capsys, *words, "--jobs", "3")


@needs_gcc
def test_a_kernels_file_finds_the_models_table(governor_tree: Path, capsys: Capture) -> None:
    words = ("tune", "power9", "--kernel", taken_as(governor_tree).name, "--power", "implied")
    words += ("--trace", str(RECORDING))
    by_file = document(capsys, *words, *named(f"{governor_tree}:menu"))
    model = document(capsys, *words, *named("menu"))
    for key in ("present", "best", "front", "tried"):
        assert by_file[key] == model[key]
