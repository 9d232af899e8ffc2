"""Recordings judged by a wrong table, kernel, HZ or governor: which one fits is named."""

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.reading.inputs import Input
from idle_states.cli import main
from idle_states.lab.replay.sample import CPUS, ROWS, ROWS_READ, Sample
from idle_states.lab.replay.suspects import Fitting, Suspicion
from idle_states.lab.traces.recording import RecordedDecision, rows
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.governors.identify import features_in
from idle_states.tables.linux.releases import release
from tests.support.commands import Capture, outcome, run
from tests.support.compiled import needs_core
from tests.support.recordings import HEADED, KERNEL, PLAIN
from tests.support.thorough import few
from tests.support.vectors import DIRECTORY, table


@pytest.fixture
def plain(tmp_path: Path) -> str:
    file = tmp_path / "plain.csv"
    file.write_text(PLAIN)
    return str(file)


@pytest.fixture
def headed(tmp_path: Path) -> str:
    file = tmp_path / "headed.csv"
    file.write_text(HEADED)
    return str(file)


def suspicion(capsys: Capture, *words: str) -> Any:
    """Also held to what the text says."""
    status, body = outcome(capsys, *words)
    assert status == (words[0] == "conform")
    found = body["suspicion"]
    _, text, _ = run(capsys, *words)
    if found is None:
        assert "suspected" not in text
    else:
        assert f"  - {found['words']}\n" in text
    return found


def vectors(name: str) -> str:
    return str(DIRECTORY / f"{name}.csv.gz")


P9 = "1000/10000,2000/20000,5000/50000,10000/100000,100000/10000000,200000/20000000"


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(
    ("name", "words", "changed", "fits"),
    few(
        2,
        [
            (
                "menu-debian6.1.192-p9-poll1",
                ["--states", P9, "--polling", "--kernel", "6.12"],
                ["kernel"],
                {"kernels": "debian-6.1.192", "tables": []},
            ),
            (
                "menu-debian6.1.192-p9-poll1",
                ["--states", P9.replace("1000", "3000"), "--polling", "--kernel", "debian-6.1.192"],
                ["table"],
                {"kernels": "debian-6.1.192", "tables": ["power9"]},
            ),
            (
                "menu-ubuntu4.15.0-dd1-poll0",
                ["--table", "power9", "--kernel", "ubuntu-4.15.0"],
                ["table"],
                {"kernels": "ubuntu-4.15.0", "tables": ["power9-dd1"]},
            ),
            (
                "menu-ubuntu5.15.0-p9-poll0",
                ["--states", ",".join(["1000/2000"] * 6), "--kernel", "4.11"],
                ["kernel", "table"],
                {"kernels": "ubuntu-5.15.0", "tables": ["power9"]},
            ),
            (
                "ladder-ubuntu5.4.0-p9-poll0",
                ["--states", P9, "--kernel", "ubuntu-5.4.0"],
                ["governor"],
                {"governor": "ladder", "kernels": "ubuntu-5.4.0", "tables": []},
            ),
            (
                "ladder-ubuntu5.4.0-p9-poll0",
                ["--states", P9.replace("1000/", "9000/"), "--kernel", "ubuntu-5.4.0"],
                ["governor", "table"],
                {"governor": "ladder", "kernels": "ubuntu-5.4.0", "tables": ["power9"]},
            ),
        ],
    ),
)
def test_what_fits_is_named(
    capsys: Capture, name: str, words: list[str], changed: list[str], fits: dict[str, Any]
) -> None:
    found = suspicion(capsys, "conform", vectors(name), *words)
    fitting = found["fitting"]
    assert fitting["changed"] == changed
    assert found["agree"] < fitting["agree"] == found["sample"]
    assert fitting["governor"] == fits.get("governor", "menu")
    assert fits["kernels"] in fitting["kernels"]
    assert fitting["tables"][:1] == fits["tables"]


@pytest.mark.slow
@pytest.mark.usefixtures("either")
def test_a_converted_recording_of_which_the_head_is_gone(capsys: Capture, plain: str) -> None:
    """power9 as QEMU's powernv9 has it, under Debian's kernel."""
    words = ["--table", "power9", "--kernel"]
    found = suspicion(capsys, "conform", plain, *words, "6.12")["fitting"]
    assert found["changed"] == ["kernel", "table"]
    assert KERNEL in found["kernels"]
    assert "power9 (qemu-powernv9)" in found["tables"]
    found = suspicion(capsys, "conform", plain, *words, KERNEL)["fitting"]
    assert (found["changed"], found["kernels"]) == (["table"], [KERNEL])
    qemu = ["--platform", "qemu-powernv9"]
    found = suspicion(capsys, "conform", plain, *words, "4.11", *qemu)["fitting"]
    assert found["changed"] == ["kernel"]
    assert found["kernels"][:2] == [KERNEL, "debian-6.1.192"]
    assert main(["conform", plain, *words, KERNEL, *qemu]) == 0
    assert "suspected" not in capsys.readouterr().out


@pytest.mark.usefixtures("either")
def test_of_a_head_what_it_says_is_tried_first(capsys: Capture, headed: str) -> None:
    words = ["--table", "power10", "--kernel", "4.11", "--hz", "1000"]
    for command in (["conform", headed], ["replay", headed, "--governor", "menu"]):
        status, body = outcome(capsys, *command, *words)
        fitting = body["suspicion"]["fitting"]
        assert fitting["changed"] == ["kernel", "hz", "table"]
        assert (fitting["kernels"], fitting["hz"]) == ([KERNEL], 250)
        assert fitting["tables"] == ["the recording's own"]
        assert status == (command[0] == "conform")
    found = suspicion(capsys, "conform", headed, "--hz", "1000")
    assert found["words"].startswith("suspected: HZ 250, with which 37")


@pytest.mark.usefixtures("either")
def test_states_that_the_table_lacks(capsys: Capture, plain: str) -> None:
    """No agreement can be counted; the error names what fits."""
    assert main(["conform", plain, "--table", "power8", "--kernel", KERNEL]) == 3
    error = capsys.readouterr().err
    assert "expected a state of the table, 0 to 2, found 3; suspected: table power9 (" in error
    assert error.count(":10:1: error: ") == 1


def test_standard_input_is_read_once(
    capsys: Capture, plain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--table", "power9", "--kernel", KERNEL]
    expected = suspicion(capsys, "conform", plain, *words)
    for status, name in ((1, "power9"), (3, "power8")):
        standard = io.TextIOWrapper(io.BytesIO(PLAIN.encode()))
        monkeypatch.setattr(sys, "stdin", standard)
        words[1] = name
        assert main(["conform", "-", *words, "--format", "json"]) == status
        output = capsys.readouterr()
        if status == 1:
            assert json.loads(output.out)["suspicion"] == expected
        else:
            assert "suspected: table power9 (" in output.err


@pytest.mark.usefixtures("either")
def test_replay_suspects_too(capsys: Capture, plain: str) -> None:
    """Unless one of the tables fits, or no governor is asked."""
    words = ["replay", plain, "--governor", "menu", "--kernel", KERNEL]
    found = suspicion(capsys, *words, "--table", "power9")["fitting"]
    assert (found["changed"], found["kernels"]) == (["table"], [KERNEL])
    qemu = [*words, "--table", "power9", "--platform", "qemu-powernv9"]
    assert suspicion(capsys, *qemu) is None
    both = ["--states", "1000/10000,2000/20000,5000/50000", "--polling", "--table", "power9"]
    assert suspicion(capsys, *words, *both) is None
    assert suspicion(capsys, "replay", plain, "--table", "power9") is None


@pytest.mark.slow
def test_where_nothing_fits_that_is_said(capsys: Capture, tmp_path: Path) -> None:
    """Decisions that no governor makes: each the opposite of what was recorded."""
    text = gzip.decompress(Path(vectors("menu-debian6.1.192-p9-poll1")).read_bytes()).decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    file = tmp_path / "none.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, lines[0])
        writer.writeheader()
        for line in lines:
            writer.writerow(line | {"stop_tick": 1 - int(line["stop_tick"])})
    words = ["--table", "power9", "--platform", "op920", "--kernel", "debian-6.1.192"]
    found = suspicion(capsys, "conform", str(file), *words)
    assert (found["fitting"], found["nearest"], found["sample"]) == (None, None, 400)
    assert found["tried"] > 100
    assert f"none of {found['tried']} combinations fits" in found["words"]


@needs_core
def test_a_kernel_of_its_own_is_named_by_the_nearest_and_its_features(
    capsys: Capture, tmp_path: Path
) -> None:
    """Linux 6.12's menu without the rule for a tick that wakes, which no release has so."""
    states = table("p9", True)
    own = replace(features_in("menu", release("6.12")), tick_wakeup=False)
    name = vectors("menu-debian6.1.192-p9-poll1")
    periods = ((row.situation, row.outcome) for row in rows(Input(name)))
    packed = core.pack(list(periods), as_selected=True)
    decided = core.run("menu", own, states, 250, packed).packed
    lines = list(csv.DictReader(io.StringIO(gzip.decompress(Path(name).read_bytes()).decode())))
    file = tmp_path / "own.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, lines[0])
        writer.writeheader()
        for line, state, stops in zip(lines, decided[::2], decided[1::2], strict=True):
            writer.writerow(line | {"state": state, "stop_tick": stops})
    words = ["--table", "power9", "--platform", "op920", "--kernel", "7.1"]
    found = suspicion(capsys, "conform", str(file), *words)
    assert found["fitting"] is None
    nearest = found["nearest"]
    assert "6.12" in nearest["nearest"][0]["kernels"]
    assert [(each["feature"], each["value"]) for each in nearest["differs"]] == [
        ("tick_wakeup", False)
    ]
    assert (
        "comes nearest (380 of 400 decisions), and with tick_wakeup False 400 agree"
        in (found["words"])
    )


def test_a_few_disagreements_raise_no_suspicion(capsys: Capture, tmp_path: Path) -> None:
    """2 of 371, for want of what went before."""
    file = tmp_path / "recording.csv"
    text = HEADED.replace(",8371990\n", ",0\n").replace(",1559172\n", ",0\n")
    file.write_text(text)
    assert suspicion(capsys, "conform", str(file)) is None
    assert main(["conform", str(file)]) == 1


def test_a_sample_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the recording is, and however many CPUs it has."""
    monkeypatch.setattr(core, "available", lambda: True)
    first = next(rows(Input(vectors("menu-debian6.1.192-p9-poll1"))))
    read = 0

    def endless(cpus: int) -> Iterator[RecordedDecision]:
        nonlocal read
        while True:
            read += 1
            yield replace(first, cpu=read % cpus)

    for cpus, judged in ((1, ROWS), (CPUS, ROWS), (100_000, CPUS)):
        read = 0
        sample = Sample()
        sample.fill(endless(cpus))
        assert read <= ROWS_READ * ROWS
        assert sample.judged(0) == judged


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "a"),
        (["a", "b"], "a or b"),
        (list("abcd"), "c or 1 other"),
        (list("abcde"), "2 others"),
    ],
)
def test_what_is_not_named_is_counted(names: list[str], words: str) -> None:
    fit = Fitting(("kernel",), tuple(names), (), "menu", 250, 9)
    assert Suspicion(1, 9, 3, fit).words.partition(",")[0].endswith(words)
