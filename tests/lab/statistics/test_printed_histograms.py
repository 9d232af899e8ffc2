"""Histograms printed below summary rows: what their bins allow, and what does not fit."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.cli import main
from idle_states.lab.statistics.answer import stats
from idle_states.lab.statistics.files import ResultsFile, ResultsKind
from idle_states.lab.statistics.histogram import histogram
from idle_states.lab.statistics.printed_histograms import PrintedHistogram, printed_histograms
from idle_states.lab.statistics.request import StatsRequest
from idle_states.lab.statistics.sheet import histogram_lines
from idle_states.lab.statistics.summary import summarise
from idle_states.lab.statistics.summary_rows import rows
from tests.support import DATA

HEAD = "  N           Min           Max        Median           Avg        Stddev"
SAMPLES = [10.0, 11.0, 11.5, 12.0, 14.0, 15.5, 17.0, 17.5, 18.0, 20.0]


def mailed(values: list[float]) -> str:
    """A row and its histogram, as the tool itself prints them."""
    row, bins = summarise(values), histogram(values)
    assert bins is not None
    figures = (row.minimum, row.maximum, row.median, row.average, row.stddev)
    words = " ".join(f"{figure:.8g}" for figure in figures)
    return "\n".join([HEAD, f"{row.n} {words}", *histogram_lines(bins)]) + "\n"


def judged(folder: Path, text: str) -> PrintedHistogram:
    file = folder / "mail.txt"
    file.write_text(text)
    (found,) = stats(StatsRequest((str(file),))).printed
    return found


@given(
    st.lists(st.integers(0, 100_000).map(lambda n: n / 64), min_size=3, max_size=60).filter(
        lambda values: len(set(values)) > 2
    )
)
def test_own_histograms_fit(values: list[float]) -> None:
    """And the bounds hold the true figures."""
    lines = tuple(mailed(values).splitlines())
    file = ResultsFile("mail.txt", lines, "", frozenset({ResultsKind.ROWS}))
    (found,) = printed_histograms(file, rows(file))
    assert found.misfits == ()
    assert found.at_maximum == values.count(max(values))
    row = summarise(values)
    for value, (low, high) in (
        (row.median, found.median),
        (row.average, found.average),
        (row.stddev, found.stddev),
    ):
        slack = 1e-6 * (1 + row.maximum)
        assert low - slack <= value <= high + slack


@pytest.mark.parametrize(
    ("printed", "other", "said"),
    [
        ("\n10 - ", "\n9 - ", "9 is printed, a tenth of the range is at 10"),
        ("20% (2)", "21% (2)", "21 % is printed, 2 of 10 are 20 %"),
        ("20% (2)", "30% (3)", "the bins hold 10 of 10 samples"),
        ("#" * 50, "#" * 49, "a bar of 49 is printed, expected 50"),
        ("14.75", "12.5", "the row's median is 12.5; the bins allow 14.5 to 15.5"),
        ("14.65", "13.5", "the row's average is 13.5; the bins allow 14.5 to 15.3"),
        ("3.440365", "3.9", "the row's standard deviation is 3.9; the bins allow"),
    ],
)
def test_what_does_not_fit(tmp_path: Path, printed: str, other: str, said: str) -> None:
    text = mailed(SAMPLES)
    assert judged(tmp_path, text).misfits == ()
    assert printed in text
    found = judged(tmp_path, text.replace(printed, other, 1))
    assert any(said in misfit for misfit in found.misfits), found.misfits


def test_lines_that_a_mailer_broke(tmp_path: Path) -> None:
    whole = judged(tmp_path, mailed(SAMPLES))
    broken = judged(tmp_path, mailed(SAMPLES).replace(" - ", " - \n"))
    assert broken == whole


def test_fewer_bins_are_not_judged(tmp_path: Path) -> None:
    file = tmp_path / "mail.txt"
    file.write_text("\n".join(mailed(SAMPLES).splitlines()[:-1]) + "\n")
    assert stats(StatsRequest((str(file),))).printed == ()


def test_the_published_ones_fit(capsys: pytest.CaptureFixture[str]) -> None:
    """All six; one that does not fit ends with 1, and is said in each form."""
    pipe, ebizzy = (str(DATA / "claims" / name) for name in ("pipe.txt", "ebizzy.txt"))
    assert main(["stats", pipe, ebizzy, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["printed_histograms"]
    assert [(one["binned"], one["at_maximum"], one["fits"]) for one in found] == [
        *[(100, 1, True)] * 4,
        *[(99, 1, True)] * 2,
    ]


def test_a_misfit_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mail.txt"
    file.write_text(mailed(SAMPLES).replace("20% (2)", "21% (2)", 1))
    for form in ([], ["--ministat"]):
        assert main(["stats", str(file), *form]) == 1
        out = capsys.readouterr().out
        assert "the printed histogram does not fit its row" in out
        assert "21 % is printed, 2 of 10 are 20 %" in out
