"""stats --ministat against Debian's ministat: the whole text, byte for byte."""

import contextlib
import io
import shutil
import subprocess
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.cli import main
from idle_states.lab.statistics import ministat
from tests.support.thorough import examples

LEVELS = ("80", "90", "95", "98", "99", "99.5")
pytestmark = pytest.mark.skipif(
    shutil.which("ministat") is None, reason="ministat is not installed (Debian package ministat)"
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sets")


def ours(words: Sequence[str]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["stats", "--ministat", *words]) == 0
    return out.getvalue()


def theirs(words: Sequence[str]) -> str:
    done = subprocess.run(["ministat", *words], capture_output=True, text=True, check=True)
    return done.stdout


def files(directory: Path, sets: Sequence[Sequence[str]]) -> list[str]:
    names = []
    for number, lines in enumerate(sets):
        name = directory / f"set{number}"
        name.write_text("".join(f"{line}\n" for line in lines))
        names.append(str(name))
    return names


whole = st.integers(0, 10**6).map(str)
few = st.integers(0, 4).map(str)
exact = st.decimals(0, 10**4, places=6).map(str)
tiny = st.integers(0, 30).map(lambda count: f"1000000000.{count:05d}")
# not denormal numbers, which ministat divides by
any_size = st.floats(0, 1e90, allow_nan=False, allow_subnormal=False).map(repr)
signed = st.integers(-50, 50).map(str) | st.decimals(-(10**4), 10**4, places=6).map(str)
sets = st.sampled_from([whole, few, exact, tiny, any_size, signed]).flatmap(
    lambda kind: st.lists(st.lists(kind, min_size=3, max_size=70), min_size=1, max_size=7)
)
flags = st.lists(st.sampled_from(["-n", "-A", "-s"]), unique=True)


@pytest.mark.slow
@settings(
    max_examples=examples(30, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(sets, st.sampled_from(LEVELS), flags, st.none() | st.integers(2, 150))
def test_same_text(
    directory: Path, drawn: list[list[str]], level: str, chosen: list[str], width: int | None
) -> None:
    words = ["-c", level, *chosen, *(["-w", str(width)] if width else [])]
    words += files(directory, drawn)
    assert ours(words) == theirs(words)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(whole, exact, few), min_size=3, max_size=30), st.integers(1, 3))
def test_same_columns(directory: Path, rows: list[tuple[str, ...]], column: int) -> None:
    for delimiter, joined in ((" \t", " \t "), (",;", ";,"), (":", ":")):
        lines = ["# a comment", "", *(joined.join(row) + "  # more" for row in rows)]
        if delimiter != " \t":
            lines = [line.removesuffix("  # more") for line in lines]
        words = ["-C", str(column), "-d", delimiter, *files(directory, [lines, lines[::-1]])]
        assert ours(words) == theirs(words)


def test_default_level_is_ministats(directory: Path) -> None:
    names = files(directory, [["1", "2", "3"], ["5", "6", "7"]])
    assert ours(names) == theirs(names)
    assert "Difference at 95.0% confidence" in ours(names)


def test_no_spread_and_nothing_to_divide_by(directory: Path) -> None:
    for drawn in (["0", "5"], ["5", "0"], ["0.1", "0.3"], ["0", "0"]):
        names = files(directory, [[value] * 3 for value in drawn])
        assert ours(names) == theirs(names)
    names = files(directory, [["0"] * 3, ["5"] * 3])
    assert "inf% +/- -nan%" in ours(names)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_the_whole_table_of_t(directory: Path, level: str) -> None:
    """Every t from 4 degrees of freedom on, read from comparisons with a pooled s of about 1 and a
    large difference: error = s * t * sqrt(1/n1 + 1/n2). Six sets are compared with the first."""
    for start in range(4, 104, 6):
        counts = (3, *(degrees - 1 for degrees in range(start, start + 6)))
        sets_ = [[str(0 if i % 2 else 2) for i in range(count)] for count in counts]
        sets_[1:] = [[str(1000 + int(value)) for value in each] for each in sets_[1:]]
        names = files(directory, sets_)
        words = ["-A", "-c", level, *names]
        found = ours(words)
        assert found.count("Difference at") == 6
        assert found == theirs(words), start


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(signed, min_size=3, max_size=30), min_size=1, max_size=3))
def test_negative_samples(directory: Path, drawn: list[list[str]]) -> None:
    names = files(directory, drawn)
    assert ours(names) == theirs(names)


def test_other_forms_say_where_negative_samples_are_taken(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (name,) = files(directory, [["1", "-2", "3"]])
    assert main(["stats", name]) == 3
    assert "found '-2'; --ministat takes negative samples, too" in capsys.readouterr().err


def test_levels_that_ministat_lacks(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = files(directory, [["1", "2", "3"]] * 2)
    assert main(["stats", "--ministat", "-c", "97", *names]) == 2
    assert "one of ministat's levels, 80, 90, 95, 98, 99, 99.5" in capsys.readouterr().err
    assert main(["stats", "--ministat", *names * 4]) == 2
    assert "at most 7 sets" in capsys.readouterr().err


def test_the_column_of_99_5_is_one_of_99_8() -> None:
    needed = ministat.needed_for(Decimal("99.5"))
    assert needed(101) == 3.090
    assert needed(100) == 3.174
    assert [needed(degrees) for degrees in (1, 7, 13)] == [318.313, 4.782, 3.852]


def test_a_span_too_small_for_a_step_has_no_plot(directory: Path) -> None:
    (name,) = files(directory, [["0.0", "0.0", "5e-324"]])
    assert "[no plot, span is zero width]" in ours([name])
