"""The page's governor in Python, on the two traces whose figures the page has."""

import re
from pathlib import Path

import pytest

from tests.support.commands import Capture, document, run

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests/data"
PAGE = (ROOT / "docs/howto/governors.md").read_text()
TRACES = {
    "POWER9": (
        "recordings/powernv9-menu.txt.gz",
        ("--table", "power9"),
    ),
    "MT8196": (
        "traces/mt8196-teo.trace.dat",
        ("--sysfs", str(DATA / "traces/mt8196-teo.sysfs-before.txt")),
    ),
}


def figures(trace: str) -> list[int]:
    """Periods, and those judged wrongly by menu and by the page's governor."""
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| {trace}"))
    return [int(word) for word in row.split("|")[2:5]]


@pytest.fixture
def average(tmp_path: Path) -> str:
    found = re.search(r"^\$ cat > average\.py <<'EOF'\n(.*?)^> EOF$", PAGE, re.M | re.S)
    assert found
    file = tmp_path / "average.py"
    file.write_text("".join(f"{line[2:]}\n" for line in found[1].splitlines()))
    return str(file)


@pytest.mark.slow
@pytest.mark.parametrize("trace", TRACES)
def test_figures_of_the_page(trace: str, average: str, capsys: Capture) -> None:
    name, options = TRACES[trace]
    found = []
    for governor in ("menu", average):
        words = ("replay", str(DATA / name), *options, "--kernel", "6.12", "--governor", governor)
        total = document(capsys, *words)["total"]["states"]
        if not found:
            found.append(sum(state["usage"] for state in total))
        found.append(sum(state["above"] + state["below"] for state in total))
    assert found == figures(trace)


def test_better_on_one_and_worse_on_the_other() -> None:
    (_, menu, own), (_, menus, owns) = map(figures, TRACES)
    assert own < menu
    assert owns > menus


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("class Governor:\n    pass\n", "with select() and reflect()", None),
        ("class Governor\n", "SyntaxError", 1),
        ("raise SystemExit(0)\n", "SystemExit: 0", 1),
        (
            "class Governor:\n    def __init__(self, states, hz): ...\n"
            "    def select(self, situation):\n        return 1 / 0\n"
            "    def reflect(self, outcome): ...\n",
            "ZeroDivisionError: division by zero",
            4,
        ),
        (
            "class Governor:\n    def __init__(self, states, hz): ...\n"
            "    def select(self, situation):\n        return 99\n"
            "    def reflect(self, outcome): ...\n",
            "the number of a state, 0 to 6, found 99",
            None,
        ),
        (
            "class Governor:\n    def __init__(self, states, hz): ...\n"
            "    def select(self, situation):\n        return 'deep'\n"
            "    def reflect(self, outcome): ...\n",
            "the number of a state, found 'deep'",
            None,
        ),
    ],
)
def test_python_that_is_no_governor(
    text: str, message: str, line: int | None, tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "own.py"
    file.write_text(text)
    status, _, err = run(capsys, "select", "power9", "--kernel", "6.12", "--governor", str(file))
    assert status == 3
    assert message in err
    assert err.startswith(f"{file}:{line}:" if line else f"{file}: ")


def test_conform_says_that_a_source_shows_no_intermediate_values(capsys: Capture) -> None:
    recording = DATA / "vectors/menu-debian6.1.192-p9-poll1.csv.gz"
    file = DATA / "governors/timer.c"
    words = ("conform", str(recording), "--table", "power9", "--kernel", "6.1", "--governor")
    status, out, _ = run(capsys, *words, str(file))
    assert status == 1
    assert "  recorded: state 0, stop_tick 0\n  source:   state " in out
    assert f"no intermediate values: a model has these, {file} only decides" in out
    assert "ranges" not in out
    _, model, _ = run(capsys, *words, "teo")
    assert "the model's intermediate values\n    candidate = " in model
