"""The benchmarks' arithmetic, their stored runs, and commands that are there and that are not."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import __main__ as program
from benchmarks import audit, measuring, stream, table
from benchmarks.measuring import PYTHON, Missing, Times, Work
from benchmarks.table import Aim, Line
from tests.support import ROOT

LINE = Line("ours", "theirs", "<= 0.5", 4, [0.4, 8.0, 2.0], [1.0, 4.0, 4.0], 12.3, "a note")


@pytest.mark.parametrize(
    ("aim", "met"),
    [
        ("<= 0.5", True),
        ("<= 0.49", False),
        ("<= 0.5 wall", True),
        (">= 2/s", True),
        (">= 2.1/s", False),
        ("<= 2 s", True),
        ("<= 1.9 s wall", False),
        ("", None),
    ],
)
def test_an_aim_is_met_at_its_limit_and_not_beyond(aim: str, met: bool | None) -> None:
    assert replace(LINE, aim=aim).met() is met


def test_without_its_peer_a_ratio_is_neither_met_nor_not() -> None:
    assert replace(LINE, theirs=[]).met() is None
    assert replace(LINE, theirs=[], aim="<= 2 s").met() is True
    assert replace(LINE, ours=[], aim="<= 2 s").met() is None


@pytest.mark.parametrize("text", ["0.5", "<= 5/s", ">= 5", "<= 5 ms", "<= 5 s cpu"])
def test_an_aim_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected an aim such as"):
        Aim.read(text)


def test_a_line_shows_its_peer_and_the_spread_of_its_ratios() -> None:
    shown = dict(zip(table.HEAD, LINE.cells(), strict=True))
    assert shown == {
        "work": "ours",
        "count": "4",
        "rounds": "3",
        "time": "2.00 s",
        "MB": "12",
        "peer": "theirs",
        "its time": "4.00 s",
        "ratio": "0.5",
        "+-": "160.0 %",
        "aim": "<= 0.5",
        "met": "yes",
        "": "a note",
    }
    assert table.printed([LINE, replace(LINE, aim="")]).endswith("\n\n1 of 1 aims are met")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.00 ns"), (3e-9, "3.00 ns"), (4.56e-5, "45.6 us"), (0.123, "123 ms"), (1.0, "1.00 s")],
)
def test_durations(seconds: float, text: str) -> None:
    assert table.duration(seconds) == text


def of(cpu: float, wall: float = 9.0) -> Times:
    return Times(wall, cpu)


def test_works_are_measured_in_turn_after_one_round_to_warm_up() -> None:
    order: list[str] = []

    def work(name: str, rounds: int = 99) -> Work:
        def run() -> Times:
            order.append(name)
            return of(2.0 * len(order))

        return Work(name, run, rounds=rounds)

    found = measuring.measure([work("a"), work("b"), work("seldom", 1)], 2)
    assert order == ["a", "b", "a", "b", "seldom", "a", "b"]
    assert [[each.cpu for each in one.times] for one in found] == [[6, 12], [8, 14], [10]]


def test_each_work_has_a_line_beside_each_peer_for_as_much_work() -> None:
    works = [
        Work("ours", lambda: of(6, 4), 3),
        Work("theirs", lambda: of(1, 8), 1, note="version 7"),
        Work("alone", lambda: of(1), 5),
        Work("without", lambda: of(1)),
        Work("none", Missing("none is not installed")),
    ]
    aims = [
        ("ours", "theirs", "<= 3"),
        ("ours", "theirs", "<= 3 wall"),
        ("ours", "", ">= 1/s"),
        ("without", "none", "<= 1"),
        ("of another run", "none", "<= 1"),
    ]
    cpu, wall, rate, without, alone = sorted(
        measuring.beside(works, 2, aims), key=lambda line: "ours without alone".index(line.work)
    )
    assert (cpu.ratios, cpu.met(), cpu.note) == ([2.0, 2.0], True, "version 7")
    assert (wall.ratios, wall.met()) == ([4 / 24] * 2, True)
    assert (rate.peer, rate.met(), list(rate.theirs) < [1.0]) == (PYTHON, False, True)
    assert (without.ratios, without.met()) == ([], None)
    assert without.note == "missing: none is not installed"
    assert (alone.work, alone.peer, alone.aim) == ("alone", PYTHON, "")


def test_a_command_has_its_own_time_and_memory() -> None:
    busy = "import time\nx = bytearray(40 << 20)\nwhile time.process_time() < 0.2: pass"
    taken = measuring.command([sys.executable, "-c", busy])
    assert 0.2 <= taken.cpu < 5
    assert taken.wall > 0.1
    assert taken.mb is not None
    assert taken.mb > 40


def test_a_command_that_fails_has_a_line_with_what_it_printed_and_others_go_on() -> None:
    code = "import sys\nprint('found no\\nevents', file=sys.{})\nsys.exit(3)"
    works = [Work(name, [sys.executable, "-c", code.format(name)]) for name in ("stderr", "stdout")]
    *failed, other = measuring.beside([*works, Work("other", lambda: of(1))], 1, [])
    for line in failed:
        assert line.note.startswith("failed: ")
        assert line.note.endswith(": found no events")
        assert not line.ratios
    assert other.ratios


def test_what_is_not_there_is_missing_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FWTS", raising=False)
    for missing, step in (
        (measuring.program("no-such-program"), "no-such-program is not installed"),
        (measuring.python("no_such_module", ""), "no_such_module is not installed: make test"),
        (measuring.named("FWTS"), "make bench FWTS=PATH"),
    ):
        assert isinstance(missing, Missing)
        assert step in str(missing)
    monkeypatch.setenv("FWTS", "/bin/true")
    assert measuring.named("FWTS") == Path("/bin/true").resolve()
    assert measuring.program("sh", "-c", "exit")[1:] == ["-c", "exit"]  # type: ignore[index]


STEADY = Line("work", "peer", "", 1, [1.0, 1.02, 0.98, 1.0], [1.0] * 4)


@pytest.mark.parametrize(
    ("now", "found"),
    [
        ([1.2, 1.22, 1.18, 1.2], ["work, beside peer: 1 -> 1.2 (+20.0 %, noise 6.9 %)"]),
        ([0.8, 0.82, 0.78, 0.8], ["", "work, beside peer: 1 -> 0.8 (-20.0 %, noise 6.9 %)"]),
        ([1.03, 1.05, 1.01, 1.03], []),
        ([0.6, 2.2, 0.8, 1.3], []),
        ([9.0], ["", "", "work, beside peer: one round has no spread"]),
        ([], ["", "", "work, beside peer: one of the two is missing"]),
    ],
)
def test_what_became_slower_is_what_the_rounds_tell_apart(
    now: list[float], found: list[str]
) -> None:
    """t(6, 99.9 %) = 5.959, s = 0.0163299 of 4 and 4: noise 6.88 %."""
    expected = tuple([text] if text else [] for text in [*found, "", "", ""][:3])
    assert table.changes([STEADY], [replace(STEADY, ours=now)]) == expected


def test_a_change_that_the_machine_shares_is_none() -> None:
    half = replace(STEADY, ours=[2 * each for each in STEADY.ours], theirs=[2.0] * 4)
    assert table.changes([STEADY], [half]) == ([], [], [])


def test_a_change_below_the_least_is_none_however_steady_its_rounds() -> None:
    flat = replace(STEADY, ours=[1.0] * 4)
    assert table.changes([flat], [replace(flat, ours=[1.029] * 4)]) == ([], [], [])
    assert len(table.changes([flat], [replace(flat, ours=[1.031] * 4)])[0]) == 1


def test_lines_of_one_run_alone_are_not_compared() -> None:
    other, larger = replace(STEADY, work="other"), replace(STEADY, count=5)
    assert table.changes([STEADY], [other])[2] == [
        "other, beside peer: no stored run",
        "work, beside peer: not in this run",
    ]
    assert table.changes([STEADY], [larger])[2] == ["work, beside peer: of 1 before, of 5 now"]


def bench(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_stored_runs_are_compared_with_an_exit_status(tmp_path: Path) -> None:
    a, b, other = tmp_path / "new" / "a.json", tmp_path / "b.json", tmp_path / "other.json"
    table.store(a, {"commit": "abc"}, [STEADY])
    table.store(b, {"commit": "def"}, [replace(STEADY, ours=[9.0, 9.1, 9.2, 9.0])])
    other.write_text('{"lines": []}')
    assert table.stored(a) == ({"commit": "abc"}, [STEADY])
    assert [file.name for file in a.parent.iterdir()] == ["a.json"]
    same, slower, quicker, refused = (
        bench("--stored", now, "--against", before)
        for now, before in ((a, a), (b, a), (a, b), (a, other))
    )
    assert [done.returncode for done in (same, slower, quicker, refused)] == [0, 1, 0, 3]
    assert "0 slower\n0 quicker\n0 not compared\n" in same.stdout
    assert "1 slower\n  work, beside peer: 1 -> 9.07 " in slower.stdout
    assert f"against {a}, of abc:" in slower.stdout
    assert "1 quicker\n" in quicker.stdout
    table.store(b, {}, [STEADY, replace(STEADY, work="x", ours=[], note="failed: x")])
    assert bench("--stored", b).returncode == bench("--stored", b, "--against", a).returncode == 3
    assert "other.json: not a stored run of make bench" in refused.stderr


def test_a_run_is_stored_with_the_rows_of_the_benchmark_named(tmp_path: Path) -> None:
    done = bench("boards", "--quick", "--output", tmp_path / "run.json")
    assert done.returncode == 0, done.stderr
    (line,) = table.stored(tmp_path / "run.json")[1]
    assert (line.work, line.peer) == ("audit --tree, boards", "cpp and dtc")
    assert "make bench DTS=PATH" in line.note
    assert line.note in done.stdout


def test_all_benchmarks_are_named_and_all_aims_can_be_read() -> None:
    files = {file.stem for file in (ROOT / "benchmarks").glob("[a-z]*.py")}
    assert files - {"table", "measuring", "stream"} == {*program.NAMES, *program.SELDOM}
    aims = program.aims()
    assert len({(work, peer) for work, peer, _ in aims}) == len(aims) > 50
    for _, _, aim in aims:
        Aim.read(aim)


def test_fwts_is_given_each_tree_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, calls, folder = tmp_path / "fwts", tmp_path / "calls", tmp_path / "trees"
    script.write_text(f'#!/bin/sh\necho "$# $1" >> {calls}\n')
    script.chmod(0o755)
    monkeypatch.setenv("FWTS", str(script))
    folder.mkdir()
    found = {work.name: work for work in audit.works(folder, 0.05)}
    theirs = found["fwts, distinct trees"]
    assert isinstance(theirs.run, list)
    measuring.command(theirs.run)
    trees = list((folder / "distinct").iterdir())
    assert len({tree.read_bytes() for tree in trees}) == theirs.count == 100
    assert sorted(calls.read_text().splitlines()) == sorted(f"1 {tree}" for tree in trees)


def test_machines_of_one_table_differ_in_their_serial_number() -> None:
    one, other, another = (stream.Trees().tree(*each) for each in ((1, 5), (2, 5), (1, 6)))
    assert one != other
    assert one == other.replace(b"S000000002", b"S000000001") != another
