"""Recorded decisions of stable point releases, under the numbers that kernels have."""

import json

import pytest

from tests.support import DATA
from tests.support.commands import outcome

STABLE = DATA / "vectors-stable"
name2recorded = json.loads((STABLE / "index.json").read_text(encoding="utf-8"))


def conform(capsys: pytest.CaptureFixture[str], name: str, kernel: str) -> int:
    """Returns how many of the file's 400 decisions agree."""
    recorded = name2recorded[name]
    words = [str(STABLE / f"{name}.csv.gz"), "--states", ",".join(recorded["states"])]
    words += ["--polling"] if recorded["polling"] else []
    words += ["--governor", recorded["governor"], "--hz", str(recorded["hz"])]
    status, found = outcome(capsys, "conform", *words, "--kernel", kernel)
    assert found["decisions"] == 400
    assert status == int(found["agree"] != 400)
    return int(found["agree"])


def test_every_file_is_in_the_index() -> None:
    files = {file.name.removesuffix(".csv.gz") for file in STABLE.glob("*.csv.gz")}
    assert {name for name in files if "util" not in name} == name2recorded.keys()


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("name", name2recorded)
def test_recorded_decisions(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert conform(capsys, name, name2recorded[name]["kernel"]) == 400


@pytest.mark.parametrize(
    ("release", "governors"),
    [
        pytest.param("6.6.93", {"menu"}, marks=pytest.mark.slow),
        pytest.param("6.6.150", {"menu", "teo"}, marks=pytest.mark.slow),
        ("6.18.9", {"teo"}),
    ],
)
def test_the_series_alone_decides_otherwise(
    capsys: pytest.CaptureFixture[str], release: str, governors: set[str]
) -> None:
    """A number tells some things that its series does not."""
    series = release.rpartition(".")[0]
    differing = {
        recorded["governor"]
        for name, recorded in name2recorded.items()
        if recorded["kernel"] == release and conform(capsys, name, series) < 400
    }
    assert differing == governors
