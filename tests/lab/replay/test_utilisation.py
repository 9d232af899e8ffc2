"""Utilisation, which teo asks for from 6.3 to 6.10: recorded decisions, and recordings without."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.tables.linux.governors import not_utilised
from idle_states.tables.linux.releases import release
from tests.support import DATA

STABLE = DATA / "vectors-stable"
STATES = {
    "teo-6.6-util-hz250-s155c0": ["3000/15000,7000/20000"],
    "teo-6.6-util-hz250-s155c1": ["2000/6000,12000/48000,12000/99000"],
    "teo-6.6-util-hz250-s155c2": ["6000/41000", "--polling"],
}
"""File -> the states after state 0."""
FIRST = next(iter(STATES))


def words(name: str, file: Path) -> list[str]:
    governor = ["--governor", "teo", "--kernel", "6.6", "--format", "json"]
    return [str(file), "--states", *STATES[name], *governor]


def rewritten(name: str, directory: Path, **column: str | None) -> Path:
    """The recording with columns set to a value, or left out."""
    text = gzip.decompress((STABLE / f"{name}.csv.gz").read_bytes()).decode()
    rows = [{**row, **column} for row in csv.DictReader(io.StringIO(text))]
    rows = [{key: value for key, value in row.items() if value is not None} for row in rows]
    file = directory / "recording.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return file


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("name", STATES)
def test_recorded_decisions_of_utilised_cpus(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["conform", *words(name, STABLE / f"{name}.csv.gz")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["decisions"], found["agree"], found["assumptions"]) == (400, 400, [])


@pytest.mark.slow
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("name", [FIRST])
def test_without_the_column_the_guess_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    without = rewritten(name, tmp_path, cpu_util=None)
    assert main(["conform", *words(name, without)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["agree"] < 400
    (said,) = found["assumptions"]
    assert said.startswith("the recording has no column cpu_util, which teo of Linux 6.6 uses")
    assert main(["conform", *words(name, without)[:-2]]) == 1
    assert said in capsys.readouterr().out

    assert main(["replay", *words(name, without)]) == 0
    replayed = json.loads(capsys.readouterr().out)
    assert replayed["exactness"] == "estimated"
    assert said in replayed["assumptions"]


@pytest.mark.usefixtures("either")
def test_a_replay_with_the_column_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    name = "teo-6.6-util-hz250-s155c1"
    assert main(["replay", *words(name, STABLE / f"{name}.csv.gz")]) == 0
    assert json.loads(capsys.readouterr().out)["exactness"] == "exact"


@pytest.mark.slow
def test_other_releases_do_not_ask(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = "teo-6.6-util-hz250-s155c1"
    without = rewritten(name, tmp_path, cpu_util=None)
    for kernel in ("6.2", "6.11"):
        asked = [kernel if word == "6.6" else word for word in words(name, without)]
        main(["conform", *asked])
        assert json.loads(capsys.readouterr().out)["assumptions"] == []


@pytest.mark.slow
@pytest.mark.usefixtures("either")
def test_the_threshold_follows_the_capacity(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CPU with a capacity of 446 is utilised at 7 and not at 6; one with 1024 is not at 7
    either."""
    # which other table or kernel would fit is not asked here
    monkeypatch.setattr("idle_states.lab.replay.conform.suspicion", lambda *given: None)
    name = "teo-6.6-util-hz250-s155c1"
    agree = []
    for util, capacity in (("7", "446"), ("1024", "1024"), ("6", "446"), ("7", "0"), ("0", "1")):
        file = rewritten(name, tmp_path, cpu_util=util, cpu_capacity=capacity)
        main(["conform", *words(name, file)])
        agree.append(json.loads(capsys.readouterr().out)["agree"])
    assert agree[0] == agree[1] != agree[2] == agree[3] == agree[4]


@pytest.mark.usefixtures("either")
def test_what_is_no_utilisation(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = "teo-6.6-util-hz250-s155c1"
    file = rewritten(name, tmp_path, cpu_util="1025")
    assert main(["conform", *words(name, file)]) == 3
    assert "expected 0 to 1024 in column cpu_util, found 0x401" in capsys.readouterr().err


@pytest.mark.usefixtures("either")
def test_json_lines_have_it_in_all_or_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    name = "teo-6.6-util-hz250-s155c1"
    text = gzip.decompress((STABLE / f"{name}.csv.gz").read_bytes()).decode()
    rows = [{k: int(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(text))]
    file = tmp_path / "recording.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["conform", *words(name, file)]) == 0
    assert json.loads(capsys.readouterr().out)["agree"] == 400
    del rows[7]["cpu_util"]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["conform", *words(name, file)]) == 3
    errors = capsys.readouterr().err
    assert ":8:1: error: expected column cpu_util in every line or in none" in errors


SAID = "teo of Linux 6.6 looks at CPU utilisation: CPUs are assumed not to be utilised"


def test_selections_without_utilisation_say_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """In text, in JSON, on the page; not of menu, nor of teo in other releases."""
    page = tmp_path / "page.html"
    table = ["pseries-dedicated", "--governor", "teo"]
    commands = (
        ["select", *table],
        ["select", *table, "--against", "pseries-shared"],
        ["diff", "pseries-dedicated", *table],
        ["diff", "pseries-shared", *table],
    )
    for command in commands:
        html = ["--html", str(page)] if command[0] == "select" else []
        for kernel, said in (("6.6", True), ("6.11", False)):
            main([*command, "--kernel", kernel, *html])
            assert (SAID in capsys.readouterr().out) == said
            assert not html or (SAID in page.read_text()) == said
            main([*command, "--kernel", kernel, "--format", "json"])
            assert json.loads(capsys.readouterr().out)["assumptions"] == [SAID] * said
    main(["diff", "power9", "power9", "--kernel", "6.6", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["assumptions"] == []


def test_several_kernels_are_named_in_one_sentence() -> None:
    kernels = [release(name) for name in ("4.19", "6.2", "6.3", "6.6.93", "6.10", "6.11")]
    assert not_utilised("teo", kernels) == (SAID.replace("6.6", "6.3, 6.6.93, 6.10"),)
    assert not_utilised("menu", kernels) == ()
