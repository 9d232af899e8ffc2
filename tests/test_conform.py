"""conform: agreement with the recorded decisions, and what is printed when there is none."""

import gzip
import json
from pathlib import Path

import pytest

from idle_states.cli import main
from tests.vectors import DIRECTORY

P9 = "1000/10000,2000/20000,5000/50000,10000/100000,100000/10000000,200000/20000000"
VECTORS = str(DIRECTORY / "menu-debian6.1.192-p9-poll1.csv.gz")


@pytest.mark.parametrize(
    ("file", "governor", "kernel", "states", "polling"),
    [
        ("menu-ubuntu4.15.0-dd1-poll0", "menu", "ubuntu-4.15.0", "0/2000,4000/49000", False),
        ("menu-debian6.1.192-p9-poll1", "menu", "debian-6.1.192", P9, True),
        ("teo-debian7.2.13-cede-poll1", "teo", "debian-7.2.13", "12000/120000", True),
        ("ladder-ubuntu5.4.0-p9-poll0", "ladder", "ubuntu-5.4.0", P9, False),
    ],
)
def test_recorded_decisions_agree(
    capsys: pytest.CaptureFixture[str],
    file: str,
    governor: str,
    kernel: str,
    states: str,
    polling: bool,
) -> None:
    words = ["conform", str(DIRECTORY / f"{file}.csv.gz"), "--states", states]
    words += ["--governor", governor, "--kernel", kernel, *(["--polling"] if polling else [])]
    assert main(words) == 0
    assert "400 of 400 decisions agree (100.00 %)" in capsys.readouterr().out


def test_the_first_disagreement_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["conform", VECTORS, "--states", P9, "--kernel", "6.12", "--format", "json"]
    assert main(words) == 1
    body = json.loads(capsys.readouterr().out)
    first = body["first_disagreement"]
    assert 0 < body["agree"] < body["decisions"] == 400
    assert first["number"] == 1
    assert first["line"] == 2
    assert first["recorded"]["state"] != first["model"]["state"]
    assert first["inputs"]["sleep_length_ns"] == 1946928
    assert first["intermediate"]["predicted"] == 1947000
    assert main(words[:-2]) == 1
    out = capsys.readouterr().out
    assert "First disagreement: decision 1, line 2, CPU 0" in out
    assert "sleep_length_ns = 1946928" in out


def test_a_packaged_table_gives_its_registered_states(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["conform", VECTORS, "--table", "power9", "--kernel", "debian-6.1.192"]
    assert main([*words, "--platform", "op920"]) == 0
    assert "400 of 400" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([VECTORS], 2, "expected a table or --states, one of the two"),
        ([VECTORS, "--states", P9, "--table", "power9"], 2, "one of the two"),
        ([VECTORS, "--states", "1us/2us"], 2, "expected EXIT/RESIDENCY in ns"),
        ([VECTORS, "--states", P9, "--governor", "mneu"], 2, "expected a governor"),
        ([VECTORS, "--states", P9, "--disabled", "x"], 2, "expected state numbers"),
        ([VECTORS, "--states", P9, "--hz", "0"], 2, "expected HZ"),
        ([VECTORS, "--table", "power9", "--polling"], 2, "--polling with --states only"),
        (["no-such-file", "--states", P9], 3, "no-such-file"),
    ],
)
def test_usage(
    capsys: pytest.CaptureFixture[str], words: list[str], status: int, said: str
) -> None:
    assert main(["conform", *words]) == status
    assert said in capsys.readouterr().err


def test_wrong_columns_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    recorded = gzip.decompress(Path(VECTORS).read_bytes()).decode()
    text = recorded.replace("sleep_length_ns", "sleep_ns", 1)
    file = tmp_path / "bad.csv"
    file.write_text(text)
    assert main(["conform", str(file), "--states", P9]) == 3
    assert "sleep_length_ns" in capsys.readouterr().err
