"""The dearest inputs that were found, within what they may cost; and that the search finds such."""

import subprocess
import sys

import pytest

from tests.fuzz import growth
from tests.fuzz.grammars import GRAMMARS
from tests.support import ROOT

PLANTED = """\
import sys
from tests.fuzz import growth
from tests.fuzz.rows import Grammar, each, run
def doubling(data):
    return b"x" * (1 << min(data.count(b"d"), 30))
def quadratic(data):
    for _ in range(len(data) ** 2 // 100):
        pass
growth.FLOOR_S, growth.EXPONENT_S = 0.02, 0.2  # what takes long is found like what takes longer
growth.GRAMMARS["planted"] = Grammar(
    "x",
    (),
    {"a": run(b"a"), "d": each("d")},
    direct=lambda path: READER(path.read_bytes()) and None,
)
sys.exit(growth.main())
"""


def test_every_grammar_has_its_dearest_recipe() -> None:
    assert growth.worst().keys() == GRAMMARS.keys()
    for name, recipe in growth.worst().items():
        assert growth.recipe_of(growth.text_of(recipe)) == recipe
        assert 0 < len(GRAMMARS[name].make(recipe)) <= growth.LARGE_BYTES


@pytest.mark.slow
def test_the_dearest_inputs_stay_within_their_budgets() -> None:
    """Each process ends by itself, under limits of processor time and memory."""
    words = [sys.executable, "-m", "tests.fuzz.growth", "--kept", "--seconds", "1"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert done.stdout.count(" 1 inputs") == len(GRAMMARS)


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["doubling", "quadratic"])
def test_what_grows_too_much_would_be_found(reader: str) -> None:
    program = PLANTED.replace("READER", reader)
    words = ["planted", "--runs", "20", "--seed", "1", "--seconds", "100"]
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stdout + done.stderr[-2000:]
    assert "FAILED" in done.stdout
    (growth.FOUND / "growth-planted").unlink()
