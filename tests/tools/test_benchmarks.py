"""The benchmarks' arithmetic, and what they do with commands that are there and that are not."""

import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from benchmarks import audit, measuring, table
from benchmarks.__main__ import NAMES
from benchmarks.compare import changes
from benchmarks.measuring import Given, Missing, Times, Work
from benchmarks.table import Aim, Row
from tests.support import ROOT

OURS = Row("ours", 4, [9.0, 1.0, 2.0], [0.5, 8.0, 2.0], {"theirs": Aim("ratio", 0.25)})
THEIRS = Row("theirs", 1, [4.0, 4.0, 4.0], [3.0, 2.0, 1.0], {}, ours=False)


def test_a_ratio_is_of_medians_for_as_much_work() -> None:
    assert OURS.ratio(THEIRS) == 2.0 / 4 / 2.0
    assert OURS.ratio(THEIRS, "wall") == 2.0 / 4 / 4.0


@pytest.mark.parametrize(
    ("aim", "met"),
    [
        (Aim("ratio", 0.25), True),
        (Aim("ratio", 0.24), False),
        (Aim("ratio", 0.125, "wall"), True),
        (Aim("ratio", 0.12, "wall"), False),
        (Aim("rate", 2.0), True),
        (Aim("rate", 2.1), False),
        (Aim("seconds", 2.0), True),
        (Aim("seconds", 1.9), False),
    ],
)
def test_an_aim_is_met_at_its_limit_and_not_beyond(aim: Aim, met: bool) -> None:
    assert OURS.met(aim, THEIRS) is met


def test_without_its_peer_a_ratio_is_neither_met_nor_not() -> None:
    assert OURS.met(Aim("ratio", 9.0), None) is None
    assert OURS.met(Aim("seconds", 9.0), None) is True
    cells = table.lines([OURS])[1]
    assert "theirs: missing" in cells
    assert "yes" not in cells


def test_a_line_shows_what_is_beside_it() -> None:
    head, line = table.lines([OURS, THEIRS])
    shown = dict(zip(head, line, strict=True))
    assert shown == {
        "work": "ours",
        "count": "4",
        "wall": "2.00 s",
        "CPU": "2.00 s",
        "MB": "",
        "peer": "theirs",
        "its wall": "4.00 s",
        "its CPU": "2.00 s",
        "ratio": "0.25",
        "aim": "<= 0.25",
        "met": "yes",
    }


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.00 ns"), (3e-9, "3.00 ns"), (4.56e-5, "45.6 us"), (0.123, "123 ms"), (1.0, "1.00 s")],
)
def test_durations(seconds: float, text: str) -> None:
    assert table.duration(seconds) == text


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_exponent_of_a_power_is_its_power(power: float) -> None:
    points = [(count, 3 * count**power) for count in (7, 70, 700)]
    assert table.exponent(points) == pytest.approx(power)


def test_growth_is_of_a_series_in_the_order_of_its_works() -> None:
    rows = [Row(f"w{n}", n, [1.0], [n * 1e-3], {}, "work") for n in (10, 100, 1000)]
    assert table.growth([*rows, OURS])[1:] == [
        ["work", "10", "10.0 ms", "100 ms", "1.00 s", "1.00 ms", "1.00"]
    ]


def test_works_are_measured_in_turn_after_one_round_to_warm_up() -> None:
    order: list[str] = []

    def work(name: str, rounds: int = 99) -> Work:
        def run() -> Times:
            order.append(name)
            return Times(2.0 * len(order), 1.0)

        return Work(name, run, rounds=rounds)

    rows = measuring.measure([work("a"), work("b"), work("seldom", 1)], 2, {})
    assert order == ["a", "b", "a", "b", "seldom", "a", "b"]
    assert [row.wall for row in rows] == [[6.0, 12.0], [8.0, 14.0], [10.0]]


def test_what_cannot_be_done_is_said_and_not_in_the_table() -> None:
    def run() -> Times:
        raise Missing("no such machine")

    missing: dict[str, str] = {}
    works = [Work("boot", run), Work("other", lambda: Times(1.0, 1.0))]
    assert [row.name for row in measuring.measure(works, 2, missing)] == ["other"]
    assert missing == {"boot": "no such machine"}


def test_a_command_has_its_own_time_and_memory() -> None:
    busy = "import time\nx = bytearray(40 << 20)\nwhile time.process_time() < 0.2: pass"
    (row,) = measuring.measure([Work("busy", [sys.executable, "-c", busy])], 1, {})
    assert 0.2 <= row.cpu[0] < 5
    assert row.wall[0] > 0.1
    assert row.peak_mb is not None
    assert row.peak_mb > 40


def test_a_command_that_fails_ends_the_run() -> None:
    with pytest.raises(SystemExit, match="found no events"):
        measuring.run(
            [
                sys.executable,
                "-c",
                "print('found no events', file=__import__('sys').stderr)\nexit(3)",
            ]
        )


def document(*rows: Row) -> dict[str, Any]:
    return json.loads(json.dumps(table.document(rows, {})))


def test_what_changed_is_what_the_samples_tell_apart() -> None:
    steady = Row("steady", 1, [1.0] * 4, [1.0, 1.02, 0.98, 1.0], {})
    drifting = replace(steady, name="drifting", cpu=[1.0, 3.0, 0.5, 1.5])
    before = document(steady, drifting, OURS)
    after = document(
        replace(steady, cpu=[1.2, 1.22, 1.18, 1.2]),
        replace(drifting, cpu=[1.2, 3.5, 0.6, 1.7]),
        replace(OURS, count=5),
        THEIRS,
    )
    found = {change.name: change for change in changes(before, after, Decimal(99), "cpu")}
    assert set(found) == {"steady", "drifting", "ours"}
    comparison = found["steady"].found
    assert comparison is not None
    assert comparison.verdict == "higher"
    assert comparison.percent == pytest.approx(20)
    # t(6, 99 %) = 3.707; s = 0.02 * sqrt(2/3), of 4 and 4
    assert comparison.error == pytest.approx(3.70743 * 0.0163299 * 0.5**0.5, rel=1e-4)
    unclear = found["drifting"].found
    assert unclear is not None
    assert unclear.verdict == "none"
    assert found["ours"].found is None
    assert found["ours"].why == "of 4 and of 5"


def compare(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks" / "compare.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_compare_as_a_program(tmp_path: Path) -> None:
    a, b, other = tmp_path / "a", tmp_path / "b", tmp_path / "other"
    quick = Row("work", 1, [1.0] * 3, [1.0, 1.1, 1.2], {})
    a.write_text(json.dumps(document(quick)))
    b.write_text(json.dumps(document(replace(quick, cpu=[9.0, 9.1, 9.2]))))
    other.write_text("{}")
    slower, faster, refused = (
        compare(str(a), str(b)),
        compare(str(b), str(a)),
        compare(str(a), str(other)),
    )
    assert (slower.returncode, faster.returncode, refused.returncode) == (1, 0, 3)
    assert "slower" in slower.stdout
    assert "1 faster" in faster.stdout
    assert "expected a table of make bench" in refused.stderr


def test_all_benchmarks_are_named() -> None:
    files = {file.stem for file in (ROOT / "benchmarks").glob("[a-z]*.py")}
    assert files - {"table", "measuring", "compare", "stream"} == set(NAMES)


def test_fwts_is_given_each_tree_in_a_process_of_its_own(tmp_path: Path) -> None:
    program, calls, folder = tmp_path / "fwts", tmp_path / "calls", tmp_path / "trees"
    program.write_text(f'#!/bin/sh\necho "$# $1" >> {calls}\n')
    program.chmod(0o755)
    folder.mkdir()
    found = {work.name: work for work in audit.works(Given(folder, 0.001, fwts=program))}
    theirs = found["fwts, 100 trees"]
    assert theirs.name in found["audit, 100 whole trees, 1 process"].peers
    assert isinstance(theirs.run, list)
    measuring.run(theirs.run)
    trees = (folder / "whole100").iterdir()
    assert sorted(calls.read_text().splitlines()) == sorted(f"1 {tree}" for tree in trees)
