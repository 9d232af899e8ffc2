"""tune as a command."""

import errno
import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from idle_states.base import cluster
from idle_states.base.model.findings import Unreadable
from idle_states.base.reading.inputs import Input
from idle_states.cli import main
from idle_states.lab.tune import spread
from idle_states.lab.tune.results import Results
from idle_states.lab.tune.source import read_list
from tests.support.commands import document, outcome
from tests.support.tuning import RECORDING, TWO


def tuned(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    status, found = outcome(capsys, "tune", *words)
    assert status == 0
    return found


def test_tune_a_recording(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    words = ("power9", "--trace", str(RECORDING), "--kernel", "6.1", "--power", "implied")
    found = tuned(capsys, *words)
    assert found["exactness"] == "exact"
    # 400 rows, one of them a poll that was cut
    assert found["gaps"]["count"] == 399
    assert sum(found["present"]["usage"]) == 400
    assert any("(1 joined)" in assumption for assumption in found["assumptions"])
    assert any("from 1/16 to 16 times the present" in each for each in found["assumptions"])
    assert all(
        row["best_at_edge"] == (row["best_us"] in row["tried_us"]) for row in found["states"]
    )
    assert found["best"]["regret"] == 0 < found["present"]["regret"]
    # the table is its own source of figures
    assert [row["break_even_us"]["low"] for row in found["states"]] == [
        row["present_us"] for row in found["states"]
    ]
    assert list(cache.iterdir()) == []
    assert main(["tune", *words]) == 0
    out = capsys.readouterr().out
    for expected in (
        "costs more than the best",
        "Assumptions",
        "entry and exit",
        "WITHIN 1 %",
    ):
        assert expected in out


def test_resumed_results_are_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "kept"
    words = ["power9-dd1", "--trace", str(RECORDING), "--kernel", "6.1", "--power", "implied"]
    whole = tuned(capsys, *words)
    kept = [*words, "--resume", str(path)]
    assert tuned(capsys, *kept) == whole
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]) + lines[5][:9])
    assert tuned(capsys, *kept) == whole
    assert sorted(path.read_bytes().splitlines()) == sorted(b"".join(lines).splitlines())
    # other figures, the same decisions
    dearer = tuned(capsys, *words[:-2], "--power", "snooze=1,stop0_lite=0.9,stop1_lite=0.8",
                   "--resume", str(path), "--objective", "weighted")  # fmt: skip
    assert dearer["objective"] == "weighted"
    assert main(["tune", *kept, "--hz", "100"]) == 3
    assert "found others'" in capsys.readouterr().err


def test_tune_a_list(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("gap_ns,count\n# a comment\n5000,100\n300000,20\n")
    words = ("--states", "10000/40000,20000/80000", "--power", TWO)
    found = tuned(capsys, "--gaps", str(path), *words)
    assert (found["governor"], found["exactness"]) == (None, "counted")
    assert found["gaps"] == {"count": 120, "total_ns": 6_500_000}
    assert found["best"]["usage"] == [100, 0, 20]
    # 100 times 5 us, and 20 times 20 us of transit
    assert found["best"]["energy"] == {"low": 0.0009, "high": 0.0009}
    deep = next(wait for wait in found["waits"] if wait["state"] == "state2")
    # waiting out the short gaps costs 5 us of each long one
    assert (deep["best_us"], deep["break_even_us"]) == (5.0, {"low": 20.0, "high": 20.0})
    assert deep["cost"] == 0.001
    assert deep["cost_if_known"] == 0.0009
    assert deep["break_even_regret"] == 0.3


def test_text_says_units_and_edges(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("3000,100\n300000,20\n")
    words = ["tune", "--gaps", str(path), "--states", "10000/400000,20000/800000"]
    assert main([*words, "--power", "snooze=0.9-1,state1=0.5,state2=0-0.1"]) == 0
    out = capsys.readouterr().out
    assert "ENERGY, s awake" in out
    assert "energy is in seconds of an awake CPU" in out
    assert "tau uses the table's exit latencies" in out
    assert "by the middle of them" in out
    assert " to " in next(line for line in out.splitlines() if "by figures within" in line)
    assert main([*words, "--power", "awake=2W,snooze=2W,state1=2W,state2=1W"]) == 0
    out = capsys.readouterr().out
    assert "ENERGY, J" in out
    assert "in s awake" not in out
    assert "by figures within" not in out


def test_best_at_the_edge_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """No state saves anything, and state2 takes longer to enter and leave than state1."""
    path = tmp_path / "gaps.csv"
    path.write_text("3000000,100\n")
    words = ["--gaps", str(path), "--states", "10000/40000,20000/80000"]
    words += ["--power", "snooze=0.5,state1=0.5,state2=0.5"]
    assert [row["best_at_edge"] for row in tuned(capsys, *words)["states"]] == [False, False]
    path.write_text("1270000,100\n")
    found = tuned(capsys, *words)
    assert [row["best_at_edge"] for row in found["states"]] == [False, True]
    assert found["states"][1]["tried_us"] == [20, 1280]
    assert main(["tune", *words]) == 0
    assert "at the edge of what was tried: state2\n" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--html", "-o", "--resume"])
@pytest.mark.parametrize("name", ["absent/file", ""])
def test_what_cannot_be_written_is_told_before_the_work(
    option: str,
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    cache: Path,
) -> None:
    monkeypatch.setattr(spread, "evaluate", lambda *work: pytest.fail("evaluated"))
    words = ["tune", "power9", "--trace", str(RECORDING), "--power", "implied"]
    assert main([*words, option, str(tmp_path / name)]) == 3
    assert str(tmp_path / name) in capsys.readouterr().err
    assert not cache.exists()


def test_a_page_that_fails_loses_nothing(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    cache: Path,
) -> None:
    words = ["tune", "power9", "--trace", str(RECORDING), "--power", "implied"]
    page = tmp_path / "page.html"

    def fails(*given: object) -> None:
        raise OSError(28, "No space left on device", str(page))

    with monkeypatch.context() as patched:
        patched.setattr("idle_states.base.files.write_file", fails)
        assert main([*words, "--html", str(page)]) == 3
    out, err = capsys.readouterr()
    assert "Assumptions" in out
    kept = next(cache.iterdir())
    assert f"results are kept in {kept}" in err
    assert main([*words, "--html", str(page)]) == 0
    assert "continuing from" in capsys.readouterr().err
    assert page.exists()
    assert not kept.exists()


@pytest.mark.parametrize(
    "option", [("--scheduler", "tcp://[::1]:9"), ("--resume", "kept"), ("--search-over", "all")]
)
@pytest.mark.parametrize("alone", [("--gaps", "x.csv"), ("--trace", "x", "--governor", "none")])
def test_what_would_be_ignored_is_refused(
    option: tuple[str, str], alone: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", "power9", "--power", "implied", *alone, *option]) == 2
    lacking = "--trace" if (alone[0], option[0]) == ("--gaps", "--search-over") else "a governor"
    assert f"expected {lacking} for {option[0]}" in capsys.readouterr().err


def test_a_library_is_quiet_for_a_while(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("somebody")
    handler = logging.StreamHandler()
    logger.addHandler(handler)
    logger.propagate = False
    try:
        with cluster.quiet("somebody"):
            logging.getLogger("somebody.else").error("a traceback")
        logger.error("heard")
    finally:
        logger.removeHandler(handler)
    assert capsys.readouterr().err == "heard\n"


SIMULATED = ("power9", "--workload", "hand-off", "--topology", "smt4", "--duration", "5ms")


@pytest.mark.slow
def test_tune_a_simulated_workload(capsys: pytest.CaptureFixture[str]) -> None:
    words = (*SIMULATED, "--power", "implied", "--kernel", "6.1")
    found = tuned(capsys, *words)
    assert found["exactness"] == "simulated"
    assert found["waits"] == []
    present = found["present"]
    # four CPUs for 5 ms, idle or not
    assert sum(present["time_us"]) + present["busy_us"] == 20_000
    assert present["work"] > 0
    assert found["best"]["regret"] == 0 <= present["regret"]
    assert not any("idle time only" in assumption for assumption in found["assumptions"])
    assert tuned(capsys, *words) == found
    assert tuned(capsys, *words, "--seed", "7", "--runs", "2")["present"]["busy_us"] > 0
    assert main(["tune", *words]) == 0
    out = capsys.readouterr().out
    assert "energy per 1000 units of work, s in snooze" in out
    assert "ENERGY per 1000 units of work, s in snooze" in out
    assert "a running thread draws 1 to 2 times what snooze does: assumed, not measured" in out
    assert "work counted" in out
    assert "no polling time is given" in out


def test_a_workload_costs_what_simulate_says(capsys: pytest.CaptureFixture[str]) -> None:
    """The states act on a thread; tune takes idle periods that had not ended for running."""
    same = ("--states", "1000/10000,2000/20000", "--power", "snooze=1,state1=0.9,state2=0.4-0.5")
    same += ("--kernel", "6.1", "--topology", "cpus=2", "--duration", "20ms")
    found = tuned(capsys, "--workload", "pipe", *same)["present"]
    (own,) = document(capsys, "simulate", "pipe", *same)["consumption"]["tables"]
    for one, other in (("energy", "each_unit"), ("mean_power", "mean_power")):
        for end in ("low", "high"):
            assert found[one][end] == pytest.approx(own[other][end], rel=0.01)
    assert found["running_power"] == found["mean_power"]
    assert own["mean_power"]["high"] > 1.3


def test_power_of_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """900 us idle of 1000 us from the first idle period to the last, at 2 W with 2 us at 4 W to
    leave; 100 us running."""
    trace = tmp_path / "trace.txt"
    awake = 4294967295
    events = (("1.000000", 1), ("1.000200", awake), ("1.000300", 1), ("1.001000", awake))
    line = " <idle>-0 [000] {}: cpu_idle: state={} cpu_id=0\n"
    trace.write_text("".join(line.format(*event) for event in events))
    words = ("--trace", str(trace), "--states", "2000/20000", "--power", "awake=4W,state1=2W")
    found = tuned(capsys, *words)
    usage = found["present"]["usage"]
    assert usage == [0, 2]
    joules = (2 * 900 + 2 * 2 * 2) / 1e6
    assert found["present"]["each_wakeup"]["low"] == pytest.approx(joules / 2)
    assert found["present"]["mean_power"]["low"] == pytest.approx(joules / 900e-6)
    running = (joules + 4 * 100e-6) / 1e-3
    assert found["present"]["running_power"]["low"] == pytest.approx(running)
    assert main(["tune", *words]) == 0
    out = capsys.readouterr().out
    assert "each idle gap, uJ" in out
    assert "with running CPUs, W" in out
    assert "with running CPUs: each from its first idle period to its last" in out


def test_tune_on_a_machine_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Option --workload takes what simulate takes; slower hardware does less work."""
    machine = tmp_path / "m.yaml"
    machine.write_text("name: four\ncpus: 4\nthreads: 4\n")
    at = SIMULATED.index("--topology") + 1
    words = (*SIMULATED[:at], str(machine), *SIMULATED[at + 1 :], "--power", "implied")
    found = tuned(capsys, *words)
    assert [each["file"] for each in found["inputs"]][1:] == [str(machine)]
    slower = tuned(capsys, *words, "--switch", "5us")
    assert slower["present"]["work"] < found["present"]["work"]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["power9"], 2, "expected idle gaps from --trace, --workload or"),
        (["power9", "--trace", "{trace}"], 2, "found none for snooze, stop0_lite"),
        (["power9", "--trace", "{trace}", "--power", "snooze=1"], 2, "found none for stop0_lite"),
        (["power9", "--trace", "{trace}", "--power", "implied", "--jobs", "0"], 2, "--jobs 0"),
        (
            ["power9", "--trace", "{trace}", "--power", "implied", "--latency-weight", "x"],
            2,
            "--latency-weight",
        ),
        (["power9", "--trace", "{absent}", "--power", "implied"], 3, "No such file"),
        (["power9", "--gaps", "{trace}", "--power", "implied"], 3, ":1:"),
        (["power9", "--gaps", "{empty}", "--power", "implied"], 3, "idle gaps, found none"),
        (
            ["power9", "--trace", "{trace}", "--power", "implied", "--governor", "nobody"],
            2,
            "expected a governor",
        ),
        (
            ["power9", "--trace", "{trace}", "--power", "implied", "--scheduler", "tcp://[::1]:9"],
            3,
            "expected",
        ),
    ],
)  # fmt: skip
def test_bad_command_lines(
    words: list[str],
    status: int,
    message: str,
    trace: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("idle_states.base.cluster._SECONDS", 1)
    empty = tmp_path / "empty.csv"
    empty.write_text("gap_ns,count\n")
    files = {"trace": trace, "absent": tmp_path / "absent", "empty": empty}
    assert main(["tune", *(word.format(**files) for word in words)]) == status
    assert message in capsys.readouterr().err


def test_bad_lists(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    for content, where in (("1,2\nx,y\n", 2), ("1,2\n3\n", 2), ("-1,2\n", 1), ("1,2,3\n", 1)):
        path.write_text(content)
        with pytest.raises(Unreadable) as raised:
            read_list(Input(str(path)))
        assert raised.value.findings[0].location.line == where


def test_what_did_not_reach_the_disk_is_not_called_kept(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept"
    write = Results._write

    def full(self: Results, to: Path, lines: bytes) -> None:
        if to.exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to))
        write(self, to, lines)

    monkeypatch.setattr(Results, "_write", full)
    words = ["--trace", str(trace), "--power", "implied", "--resume", str(path)]
    assert main(["tune", "power9", *words]) == 3
    kept = path.read_bytes().count(b"\n") - 1
    err = capsys.readouterr().err
    assert kept > 0
    assert f"{kept} results are kept in {path};" in err
    assert os.strerror(errno.ENOSPC) in err


@pytest.mark.slow
def test_interrupted_nothing_is_lost(tmp_path: Path, trace: Path) -> None:
    """Ctrl-C while candidates are evaluated: exit 130, results on disk, and on from there."""
    path = tmp_path / "kept"
    slow = (
        "import sys, time\n"
        "from idle_states.lab.tune import spread\n"
        "real = spread.evaluate\n"
        "def evaluate(task, candidates):\n"
        "    time.sleep(0.1)\n"
        "    return real(task, candidates)\n"
        "spread.evaluate = evaluate\n"
        "from idle_states.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    words = ["tune", "power9", "--trace", str(trace), "--power", "implied", "--resume", str(path)]
    words += ["--format", "json"]
    process = subprocess.Popen(
        [sys.executable, "-c", slow, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ},
    )
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None:
        if path.is_file() and path.read_bytes().count(b"\n") > 3:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert out == b""
    count = path.read_bytes().count(b"\n") - 1
    assert f"{count} results are kept in {path}".encode() in err
    done = subprocess.run(
        [sys.executable, "-m", "idle_states", *words], capture_output=True, check=True
    )
    assert f"continuing from {count} results".encode() in done.stderr
    fresh = [*words[:6], *words[8:]]
    again = subprocess.run(
        [sys.executable, "-m", "idle_states", *fresh], capture_output=True, check=True
    )
    assert json.loads(done.stdout) == json.loads(again.stdout)
