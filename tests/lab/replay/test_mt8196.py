"""A real trace, with dumps of cpuidle sysfs around it: MT8196, teo, Linux 6.6, HZ 1000.

Eight CPUs of three kinds. The dumps are older and younger than the trace by about 1.8 s in all, so
the kernel's own counters must be at least what the trace shows. The trace has cpu_idle_miss, so
above and below can be held to the kernel's verdicts one by one.
"""

import gzip
import re
import shutil
import subprocess
import sys
from collections import Counter
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from idle_states.cli import main
from tests import support
from tests.support.commands import outcome

DATA = support.DATA / "traces"
BEFORE = str(DATA / "mt8196-teo.sysfs-before.txt")
AFTER = str(DATA / "mt8196-teo.sysfs-after.txt")
DAT = str(DATA / "mt8196-teo.trace.dat")
IDLE = str(DATA / "mt8196-teo.idle.txt.gz")
"""All events of cpu_idle and cpu_idle_miss, as trace-cmd report -t prints them."""
SLICE = str(DATA / "mt8196-teo.slice.txt.gz")
"""The first 12,000 lines with all other events, in us."""
TABLES = ("--table", f"0-3={BEFORE}", "--table", f"4-6={BEFORE}", "--table", f"7={BEFORE}")
EXIT = "4294967295"

Counts = Counter[tuple[int, int]]

needs_trace_cmd = pytest.mark.skipif(
    not shutil.which("trace-cmd"), reason="trace-cmd is not installed (Debian package trace-cmd)"
)


def replay(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    return outcome(capsys, "replay", *words, "--kernel", "6.6")


def by_state(account: dict[str, Any], key: str) -> Counts:
    """(CPU, state) -> a counter, without zeros."""
    return +Counter(
        {
            (int(cpu), state["index"]): state[key]
            for cpu, figures in account["cpus"].items()
            for state in figures["states"]
        }
    )


def counted_by_hand(path: str) -> tuple[Counts, Counts, Counts, Counts]:
    """(CPU, state) -> entries that were left again, time in ns, misses above and below."""
    entries: Counts = Counter()
    times: Counts = Counter()
    misses: dict[str, Counts] = {"above": Counter(), "below": Counter()}
    idle: dict[int, tuple[int, int]] = {}
    for line in gzip.decompress(Path(path).read_bytes()).decode().splitlines():
        words = line.split()
        if "cpu_idle_miss:" in words:
            cpu, state = (int(word.partition("=")[2]) for word in words[-3:-1])
            misses[words[-1].partition("=")[2]][cpu, state] += 1
        elif "cpu_idle:" in words:
            name, cpu = words[-2].partition("=")[2], int(words[-1].partition("=")[2])
            seconds, _, rest = words[-4].rstrip(":").partition(".")
            now = int(seconds) * 10**9 + int(rest.ljust(9, "0"))
            if name != EXIT:
                idle[cpu] = int(name), now
            elif cpu in idle:
                state, since = idle.pop(cpu)
                entries[cpu, state] += 1
                times[cpu, state] += now - since
    return entries, times, misses["above"], misses["below"]


def dumped(path: str, attribute: str) -> Counts:
    found = re.findall(rf"cpu(\d+)/cpuidle/state(\d+)/{attribute}:(\d+)", Path(path).read_text())
    return Counter({(int(cpu), int(state)): int(value) for cpu, state, value in found})


def test_above_and_below_are_the_traces_own(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = replay(capsys, IDLE, *TABLES)
    assert status == 0
    entries, _, above, below = counted_by_hand(IDLE)
    assert by_state(found, "above") == +above
    assert by_state(found, "below") == +below
    assert (above.total(), below.total()) == (974, 365)
    assert found["misses"] == {
        "above": {"trace": 974, "recomputed": 974},
        "below": {"trace": 365, "recomputed": 365},
    }
    kinds = {problem["kind"]: problem["count"] for problem in found["problems"]}
    assert kinds == {"starts-idle": 5, "ends-idle": 7, "rejected": 60}
    # cpu_idle_miss is no idle period, and neither is an entry that was refused
    assert found["read"]["events"] == 51_262 + 1_339
    assert found["read"]["periods"] == entries.total() - 60 == 25_565
    assert by_state(found, "usage") == entries - by_state(found, "rejected")


def test_refused_entries_are_those_the_kernel_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rejected = by_state(replay(capsys, IDLE, *TABLES)[1], "rejected")
    kernel = dumped(AFTER, "rejected") - dumped(BEFORE, "rejected")
    assert rejected.total() == 60
    assert rejected <= kernel
    # what the dumps have more falls into their 1.8 s, and for most CPUs is nothing
    same = {place for place, count in rejected.items() if kernel[place] == count}
    assert same == {(0, 1), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2)}


def test_time_is_that_of_the_periods(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = replay(capsys, IDLE, *TABLES)
    times = counted_by_hand(IDLE)[1]
    for place, time_us in by_state(found, "time_us").items():
        # refused entries took less than 35 us each, of at most 18 on a CPU
        assert 0 <= times[place] // 1000 - time_us <= 18 * 35


@pytest.mark.parametrize("trace", [DAT, IDLE])
def test_no_counter_exceeds_the_dumps(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    status, found = replay(capsys, trace, *TABLES, "--sysfs", BEFORE, AFTER)
    assert status == 0
    assert found["exactness"] == "estimated"
    assert len(found["dumps"]) == 8 * 4 * 5
    for row in found["dumps"]:
        attribute = "time" if row["counter"] == "time_us" else row["counter"]
        place = row["cpu"], row["state"]
        kernel = dumped(AFTER, attribute)[place] - dumped(BEFORE, attribute)[place]
        assert row["dumps"] == kernel
        assert row["trace"] == by_state(found, row["counter"])[place]
        assert row["excess"] == kernel - row["trace"] >= 0
    excess = {row["counter"]: 0 for row in found["dumps"]}
    for row in found["dumps"]:
        excess[row["counter"]] += row["excess"]
    assert excess["usage"] == 5_247
    # eight CPUs, 2.07 s each
    assert 8 * 2_000_000 < excess["time_us"] < 8 * 2_100_000


def test_a_counter_above_the_kernels_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    after = tmp_path / "after"
    text = Path(AFTER).read_text()
    place = "cpu3/cpuidle/state2/usage:"
    before = dumped(BEFORE, "usage")[3, 2]
    after.write_text(re.sub(rf"{place}\d+", f"{place}{before + 398}", text))
    status, found = replay(capsys, IDLE, BEFORE, str(after))
    assert status == 1
    problem = next(each for each in found["problems"] if each["severity"] == "error")
    assert problem["kind"] == "counter-exceeds-dumps"
    assert problem["examples"][0]["message"] == (
        "CPU 3, clusteroff-l: usage is 399 by the trace, 398 by the dumps"
    )


def test_trace_dat_is_the_text_that_trace_cmd_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (_, dat), (_, text) = (replay(capsys, trace, *TABLES) for trace in (DAT, IDLE))
    assert dat["read"].pop("kind") == "trace.dat"
    assert text["read"].pop("kind") == "trace text"
    assert dat.pop("inputs") != text.pop("inputs")
    assert dat == text


def test_whole_microseconds_give_nearly_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = replay(capsys, SLICE, *TABLES)
    entries, _, above, below = counted_by_hand(SLICE)
    assert found["read"]["lines"] == 12_000
    assert found["read"]["periods"] + found["total"]["states"][0]["rejected"] <= entries.total()
    assert by_state(found, "above") == +above
    assert by_state(found, "below") == +below
    assert "whole microseconds" in " ".join(found["assumptions"])


def test_tables_are_by_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = replay(capsys, IDLE, *TABLES)
    names = [[state["name"] for state in found["cpus"][cpu]["states"]] for cpu in "047"]
    assert names == [
        ["WFI", f"cpuoff-{kind}", f"clusteroff-{kind}", "s2idle"] for kind in ("l", "m", "b")
    ]
    total = {state["name"]: state["usage"] for state in found["total"]["states"]}
    assert sum(total.values()) == found["read"]["periods"]
    assert total["clusteroff-b"] == found["cpus"]["7"]["states"][2]["usage"] == 464


def test_a_table_for_some_cpus_only(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = replay(capsys, IDLE, "--table", f"0-3={BEFORE}")
    assert status == 1
    assert list(found["cpus"]) == ["0", "1", "2", "3"]
    problem = next(each for each in found["problems"] if each["kind"] == "cpu-without-table")
    assert problem["count"] == 4


def test_a_foreign_table_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = replay(capsys, IDLE, "--states", "1000/10000,2000/20000")
    assert status == 0
    problem = next(each for each in found["problems"] if each["kind"] == "miss-disagrees")
    assert problem["count"] > 10_000


def test_nothing_is_concluded_by_a_table_that_is_only_tried(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # by this table all short entries without a miss would have been refused
    times = "9000000/9000000,9900000/9900000"
    tried = ("--states", times, "--governor", "menu", "--next-timer", "far")
    status, found = replay(capsys, IDLE, *tried)
    assert (status, found["misses"]) == (0, None)
    assert sum(by_state(found["observed"], "rejected").values()) == 0
    assert found["read"]["periods"] == found["agreement"]["periods"] == 25_625
    assert "no sysfs dump of the traced machine" in " ".join(found["assumptions"])
    # with a dump of the traced machine they are known
    _, found = replay(capsys, IDLE, *tried, "--sysfs", BEFORE)
    assert sum(by_state(found["observed"], "rejected").values()) == 60
    assert found["read"]["periods"] == found["agreement"]["periods"] == 25_565


def test_the_model_of_the_traced_governor_mostly_selects_what_was_entered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shares = {}
    for timer in ("gap", "far"):
        words = ("--governor", "teo", "--hz", "1000", "--next-timer", timer)
        _, found = replay(capsys, IDLE, BEFORE, *words)
        agreement = found["agreement"]
        assert found["exactness"] == "estimated"
        assert agreement["periods"] == found["read"]["periods"]
        assert found["observed"]["total"]["usage"] == 25_565
        shares[timer] = agreement["same_state"] / agreement["periods"]
    # figures in the docstring of idle_states.lab.replay.replay
    assert {timer: round(share, 2) for timer, share in shares.items()} == {
        "gap": 0.95,
        "far": 0.87,
    }


@pytest.mark.parametrize("size", [30, 5_000, 1_000_000])
def test_a_cut_trace_dat(capsys: pytest.CaptureFixture[str], tmp_path: Path, size: int) -> None:
    path = tmp_path / "cut.dat"
    path.write_bytes(Path(DAT).read_bytes()[:size])
    assert main(["replay", str(path), *TABLES]) == 3
    assert "a file cut short reads so" in capsys.readouterr().err


def test_without_trace_cmd(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is asked for only where a trace.dat has what nothing else reads."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["replay", DAT, *TABLES]) == 0
    path = tmp_path / "later.dat"
    path.write_bytes(Path(DAT).read_bytes().replace(b"tracing7", b"tracing9", 1))
    capsys.readouterr()
    assert main(["replay", str(path), *TABLES]) == 3
    assert (
        "expected the program trace-cmd to read a trace.dat that has version '9' of the format"
        in capsys.readouterr().err
    )


def test_a_compressed_trace_dat_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "trace.dat.gz"
    path.write_bytes(gzip.compress(Path(DAT).read_bytes(), 1))
    assert main(["replay", str(path), *TABLES]) == 3
    assert "not compressed or piped" in capsys.readouterr().err


def test_a_trace_dat_on_standard_input_is_refused() -> None:
    """Nobody knows where it begins there."""
    words = [sys.executable, "-m", "idle_states", "replay", "-", *TABLES]
    with Path(DAT).open("rb") as file:
        done = subprocess.run(words, stdin=file, capture_output=True, text=True)
    assert done.returncode == 3
    assert "not compressed or piped" in done.stderr


@needs_trace_cmd
def test_the_stored_text_is_trace_cmds() -> None:
    done = subprocess.run(
        ["trace-cmd", "report", "-N", "-t", "-F", "cpu_idle.*", "-i", DAT],
        capture_output=True,
        check=True,
    )
    # trace-cmd from 3.2 on prints the column of flags
    printed = re.sub(rb"(\[[0-9]+\]) [^\s0-9]\S*(?= )", rb"\1", done.stdout).splitlines()
    stored = gzip.decompress(Path(IDLE).read_bytes()).splitlines()
    pairs = enumerate(zip_longest(printed, stored))
    assert [pair for pair in pairs if len(set(pair[1])) > 1][:3] == []


def test_dumps_alone_show_what_the_kernel_counted(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = replay(capsys, BEFORE, AFTER)
    assert (status, found["exactness"], found["read"]["kind"]) == (0, "exact", "cpuidle sysfs dump")
    for counter, attribute in (("usage", "usage"), ("time_us", "time"), ("below", "below")):
        assert by_state(found, counter) == +(dumped(AFTER, attribute) - dumped(BEFORE, attribute))
    assert replay(capsys, "--sysfs", BEFORE, AFTER)[1] == found
    _, since_boot = replay(capsys, AFTER)
    assert by_state(since_boot, "usage") == +dumped(AFTER, "usage")


def test_the_report_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", IDLE, BEFORE, AFTER, "--kernel", "6.6"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    for part in (
        "ESTIMATED: Linux 6.6, states as entered",
        "above 974 by cpu_idle_miss, 974 recomputed; below 365 by cpu_idle_miss, 365 recomputed",
        "clusteroff-b      464 + 37",
        "wake latency (exit latency paid): p50 1 us, p90 349 us, p99 434 us",
        "note: 60 entries that the driver refused: no idle periods",
        "line 6: CPU 6, until 1082.184226041 s",
    ):
        assert part in printed.out
