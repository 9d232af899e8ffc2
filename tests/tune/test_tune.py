"""tune: the decision itself, histograms, candidates, evaluation, the search, and what is kept."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states import core
from idle_states.cli import main
from idle_states.findings import Unreadable
from idle_states.linux.releases import release
from idle_states.reading.inputs import Input
from idle_states.replay import energy, power_figures
from idle_states.replay import run as replays
from idle_states.replay.machine import CpuTable, TracedMachine, from_times
from idle_states.replay.replay import Settings
from idle_states.tune import evaluate as evaluating
from idle_states.tune import running, spread
from idle_states.tune.candidates import Grid, break_evens, scaled, together
from idle_states.tune.cost import WaitStep, best, break_even, cost, known, near_best
from idle_states.tune.evaluate import Candidate, EvaluationTask, Outcomes, evaluate
from idle_states.tune.gaps import Gaps, Gatherer, from_counts
from idle_states.tune.judging import ENERGY, LATENCY, WEIGHTED, Objective
from idle_states.tune.results import Results
from idle_states.tune.search import search
from idle_states.tune.source import read, read_list
from tests.support import DATA, DOCS
from tests.support.commands import document, outcome
from tests.support.compiled import NO_CORE
from tests.support.thorough import examples
from tests.support.vectors import DIRECTORY
from tests.traces.test_trace_readers import EXIT_STATE, line, text

RECORDING = DIRECTORY / "menu-debian6.1.192-p9-poll1.csv.gz"
P9 = ((1, 10), (2, 20), (5, 50), (10, 100), (100, 10_000), (200, 20_000))


def table_of(*times: tuple[int, int]) -> CpuTable:
    """Times in us."""
    return from_times([(exit_us * 1000, res_us * 1000) for exit_us, res_us in times], True)


def model_of(table: CpuTable) -> energy.PowerModel:
    rows = zip(table.names, table.states, strict=True)
    return power_figures.from_rows([(name, s.exit_ns, s.residency_ns) for name, s in rows])


# The same decision elsewhere: memcmp on kernel same-page merging


@pytest.fixture(scope="module")
def words() -> Gaps:
    """How many words of eight bytes have to be compared; 128 of a page part's 1024 bytes, and more,
    are one."""
    pairs = []
    for row in (DATA / "memcmp-histogram.csv").read_text().splitlines():
        place, _, count = row.partition(",")
        if place[0].isdecimal():
            byte = int(place.rstrip("+"))
            # 0: the pages are equal, and all is compared
            pairs.append((min(-(-byte // 8), 128) if byte else 128, int(count)))
    return from_counts(pairs)


def test_memcmp_shares(words: Gaps) -> None:
    assert words.count == 9_574_766
    counts = (DATA / "memcmp-histogram.csv").read_text().splitlines()
    by_byte = dict(row.split(",") for row in counts if row[0].isdecimal())
    shares = [
        sum(int(by_byte[str(byte)]) for byte in range(1, most + 1)) / words.count
        for most in (15, 31, 63)
    ]
    assert [round(100 * share, 2) for share in shares] == [76.88, 83.22, 84.82]


@pytest.mark.parametrize("price", range(10, 21))
def test_memcmp_threshold_is_32_bytes(words: Gaps, price: int) -> None:
    found = best(words, [WaitStep(1, 0, price)])
    assert found.thresholds == (4,)
    even = break_even(words, [WaitStep(1, 0, price)])
    assert even.thresholds == (price,)
    assert Fraction(22, 100) < even.cost / Fraction(found.cost) - 1 < Fraction(35, 100)
    assert even.cost <= 2 * known(words, WaitStep(1, 0, price))


@pytest.mark.parametrize(("price", "percent"), [(40, 1.4), (60, 3.5), (80, 5.3)])
def test_memcmp_with_dearer_set_up(words: Gaps, price: int, percent: float) -> None:
    step = WaitStep(1, 0, price)
    found = best(words, [step])
    assert found.thresholds[0] is not None
    assert found.thresholds[0] > 4
    more = cost(words, [step], [4]) / Fraction(found.cost) - 1
    assert round(100 * float(more), 1) == percent


# Histograms

GAPS = st.lists(st.integers(0, 5_000_000), min_size=1, max_size=60)


@given(GAPS, st.integers(0, 5_000_000))
def test_cuts_make_sums_exact(gaps: list[int], cut: int) -> None:
    found = from_counts(((gap, 1) for gap in gaps), [cut])
    below = [gap for gap in gaps if gap <= cut]
    assert found.up_to(cut) == (len(below), sum(below))
    assert found.shared(cut) == (sum(min(gap, cut) for gap in gaps), len(gaps) - len(below))
    assert (found.count, found.total) == (len(gaps), sum(gaps))


@given(GAPS, st.lists(st.integers(0, 5_000_000), max_size=5))
def test_many_at_a_time_are_as_one_by_one(gaps: list[int], cuts: list[int]) -> None:
    gathered = Gatherer(cuts)
    gathered.extend(gaps)
    assert gathered.gaps() == from_counts(((gap, 1) for gap in gaps), cuts)


def test_buckets_are_narrow() -> None:
    gathered = Gatherer()
    gathered.extend(range(1_000_000, 2_000_000, 7))
    assert 900 < len(gathered.gaps().greatest) < 2100


# The decision

RATES = st.lists(st.integers(0, 20), min_size=3, max_size=3).map(lambda r: sorted(r, reverse=True))
FEW = st.lists(st.integers(0, 30), min_size=1, max_size=12)


@given(FEW, RATES, st.integers(0, 200), st.integers(0, 200))
def test_optimum_is_that_of_all_thresholds(
    gaps: list[int], rates: list[int], first: int, second: int
) -> None:
    histogram = from_counts((gap, 1) for gap in gaps)
    steps = [WaitStep(rates[0], rates[1], first), WaitStep(rates[1], rates[2], second)]

    def one(gap: int, low: int, high: int) -> int:
        """Of one gap, as it passes."""
        spent = rates[0] * min(gap, low)
        if gap > low:
            spent += first + rates[1] * (min(gap, high) - low)
        if gap > high:
            spent += second + rates[2] * (gap - high)
        return spent

    never = 31
    costs = {
        (low, high): sum(one(gap, low, high) for gap in gaps)
        for low in range(never + 1)
        for high in range(low, never + 1)
    }
    for (low, high), expected in costs.items():
        limits = [None if limit == never else limit for limit in (low, high)]
        assert cost(histogram, steps, limits) == expected
    found = best(histogram, steps)
    assert found.cost == min(costs.values())
    assert cost(histogram, steps, found.thresholds) == found.cost


@given(FEW, RATES, st.integers(0, 200))
def test_break_even_is_at_most_twice_what_could_be_known(
    gaps: list[int], rates: list[int], price: int
) -> None:
    step = WaitStep(rates[0], rates[2], price)
    even = step.break_even
    cuts = [] if even is None else [even.numerator // even.denominator]
    histogram = from_counts(((gap, 1) for gap in gaps), cuts)
    offline = sum(min(rates[0] * gap, price + rates[2] * gap) for gap in gaps)
    assert known(histogram, step) == (offline if even is not None else rates[0] * sum(gaps))
    if even is not None and even.denominator == 1:
        assert break_even(histogram, [step]).cost <= 2 * offline


def test_near_best() -> None:
    histogram = from_counts([(1, 90), (100, 10)])
    # after 1: 90 + 10 + 10 * 50; up to 100 it costs more and more
    assert near_best(histogram, WaitStep(1, 0, 50)) == (1, 1)
    assert near_best(histogram, WaitStep(1, 0, 5), Fraction(3)) == (0, 46)
    assert near_best(histogram, WaitStep(1, 0, 100_000)) == (100, None)
    # between gaps, waiting costs nothing where polling costs nothing
    assert near_best(from_counts([(30, 7), (500, 3)]), WaitStep(0, 0, 9), Fraction(0)) == (
        500,
        None,
    )


@given(FEW, RATES, st.integers(0, 200), st.integers(0, 300))
def test_near_best_is_all_that_is_near(
    gaps: list[int], rates: list[int], price: int, percent: int
) -> None:
    histogram = from_counts((gap, 1) for gap in gaps)
    step, share = WaitStep(rates[0], rates[2], price), Fraction(percent, 100)
    bound = best(histogram, [step]).cost * (1 + share)
    low, high = near_best(histogram, step, share)
    assert low is not None
    last = max(gaps) + 2 if high is None else high
    for threshold in range(low, last + 1):
        assert cost(histogram, [step], [threshold]) <= bound
    if low:
        assert cost(histogram, [step], [low - 1]) > bound
    if high is not None:
        assert cost(histogram, [step], [high + 1]) > bound


# Candidates


def test_scaled() -> None:
    assert [scaled(100, halves) for halves in (-2, -1, 0, 1, 2)] == [50, 70, 100, 141, 200]
    assert (scaled(0, 8), scaled(4_000_000, 8)) == (1, 4_294_967)


def test_grid() -> None:
    table = table_of((1, 10), (10, 100))
    grid = Grid(table, model_of(table))
    assert (grid.present, grid.even) == ((10, 100), (10, 100))
    assert grid.first()[0] == (10, 100)
    assert (20, 200) in grid.first()
    around = grid.around((10, 100))
    assert all(a <= b for a, b in around)
    assert (80, 100) in around
    assert (10, 80) not in around  # not on the way from 100
    assert set(grid.cuts()) >= {9_999, 99_999, 79_999}
    # what stands in the way moves along
    assert (160, 160) in around
    assert (10, 10) in around
    # not below the exit latency
    assert {b for _, b in around if b < 10} == set()


def test_grid_has_no_hole_between_present_and_break_even() -> None:
    """POWER8's fast sleep pays from 47 us on, and has 300 ms."""
    table = table_of((4, 100), (40, 300_000))
    figures = power_figures.from_words(
        "snooze=1,state1=0.6,state2=0.3", {"snooze": 0, "state1": 4_000, "state2": 40_000}
    )
    grid = Grid(table, figures)
    values = grid.values[1]
    assert values[0] == 40 < grid.even[1]
    assert values[-1] == 4_294_967
    assert {grid.even[1], 300_000} <= set(values)
    assert len(values) <= 64
    # in steps of 2^0.5, and whole us
    assert all(after <= 1.42 * before + 2 for before, after in pairwise(values))


def test_break_evens_follow_the_figures() -> None:
    table = table_of((2, 2), (133, 600))
    words = "awake=4W,snooze=4W,state1=1.44W,state2=100mW"
    exits = {"snooze": 0, "state1": 2_000, "state2": 133_000}
    assert break_evens(table, power_figures.from_words(words, exits)) == (2, 384)
    both = power_figures.from_words(words, exits, power_figures.TAU_BOTH)
    assert break_evens(table, both) == (4, 767)


def test_changes_together() -> None:
    assert together((10, 20, 30), [(15, 20, 30), (10, 20, 60)]) == (15, 20, 60)
    assert together((10, 20, 30), [(20, 20, 30), (10, 15, 30)]) is None


# Recordings

COLUMNS = ("state", "rejected", "residency_ns", "poll_time_limit", "clock_at_select_ns", "cpu")


def recorded(path: Path, *rows: tuple[int, ...]) -> Path:
    """An exact recording. rows: of COLUMNS; what the governor was given is always the same."""
    given = "latency_req_us,sleep_length_ns,delta_next_ns,tick_stopped,nr_iowaiters,load,stop_tick"
    lines = [f"{given},got_tick,{','.join(COLUMNS)}"]
    lines += [f"2000000000,9000000,9000000,0,0,0,0,0,{','.join(map(str, row))}" for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("compiled", [True, False])
def test_polls_that_were_cut_are_one_gap_with_what_follows(
    compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(core, "available", lambda: False)
    path = recorded(
        tmp_path / "recording.csv",
        (0, 0, 10_000, 1, 1_000, 0),
        (0, 0, 700, 0, 1_000, 1),
        (0, 0, 10_000, 1, 13_000, 0),
        (2, 1, 0, 0, 24_000, 0),
        # 75 us after the first poll began; the limit is what the poll left
        (2, 0, 50_000, 1, 26_000, 0),
        (0, 0, 5_000, 0, 200_000, 0),
        # then the CPU ran for a ms
        (0, 0, 11_000, 1, 300_000, 0),
        (1, 0, 7_000, 0, 1_311_000, 0),
        # and here the recording ends
        (0, 0, 12_000, 1, 2_000_000, 0),
        (0, 0, 12_000, 1, 2_013_000, 0),
    )
    source = read(Input(str(path)))
    assert source.gaps == from_counts(
        (gap, 1) for gap in (75_000, 700, 5_000, 11_000, 7_000, 25_000)
    )
    assert any("(3 joined)" in words for words in source.assumptions)
    # what the governor is asked stays as it was
    assert [len(cpu.rows) // core.ROW.size for cpu in source.cpus] == [9, 1]


# Evaluation


def task_of(name: Path, governor: str = "menu", kernel: str = "6.1", **more: Any) -> EvaluationTask:
    table = table_of(*P9)
    source = read(Input(str(name)))
    return EvaluationTask(Settings(governor, release(kernel), 250, **more), table, source.cpus)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """600 periods on two CPUs."""
    random, now, lines = Random("tune"), 10**9, []
    for number in range(600):
        gap = int(10 ** random.uniform(3, 7))
        lines += [line(1, now, number % 2), line(EXIT_STATE, now + gap, number % 2)]
        now += gap + random.randrange(50_000)
    path = tmp_path_factory.mktemp("tune") / "trace"
    path.write_bytes(text(*lines))
    return path


CANDIDATES: list[Candidate] = [
    (10, 20, 50, 100, 10_000, 20_000),
    (20, 40, 100, 200, 20_000, 40_000),
    (1, 2, 3, 4, 100, 200),
    (10, 10, 10, 100, 100, 100),
    (10, 20, 50, 100, 320_000, 320_000),
]


def replayed(task: EvaluationTask, candidate: Candidate, name: Path) -> tuple[Any, ...]:
    """What `replay` says of the same."""
    machine = TracedMachine("", evaluating.with_residencies(task.table, candidate), {})
    source = Input(str(name))
    judge = replays.from_recording if name == RECORDING else replays.from_trace
    total = (
        judge(source, machine, [machine], task.settings.release, task.settings).accounts[0].total
    )
    return tuple(s.usage for s in total.states), tuple(s.time_us for s in total.states)


@pytest.mark.parametrize("governor", ["menu", "teo", "ladder"])
@pytest.mark.parametrize("exact", [True, False])
def test_evaluated_as_replayed(governor: str, exact: bool, trace: Path) -> None:
    name = RECORDING if exact else trace
    task = task_of(name, governor)
    for outcomes in evaluate(task, CANDIDATES):
        found = (outcomes.usage, outcomes.time_us)
        assert found == replayed(task, outcomes.candidate, name)


@pytest.mark.parametrize("exact", [True, False])
def test_the_reference_says_the_same(
    exact: bool, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_of(RECORDING if exact else trace)
    expected = evaluate(task, CANDIDATES[:2])
    monkeypatch.setattr(evaluating, "knows", lambda *machines, **estimated: False)
    assert not task.fast
    assert evaluate(task, CANDIDATES[:2]) == expected


def test_without_core_the_same_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    if not core.available():
        pytest.skip(NO_CORE)
    expected = read(Input(str(RECORDING)))
    monkeypatch.setattr(core, "available", lambda: False)
    found = read(Input(str(RECORDING)))
    assert found.gaps == expected.gaps
    recorded = [list(core.unpack(cpu.rows)) for source in (found, expected) for cpu in source.cpus]
    assert recorded[0] == recorded[1]


@settings(max_examples=examples(15, 50))
@given(GAPS, st.lists(st.integers(1, 4_000), min_size=3, max_size=3))
def test_known_gaps_go_to_the_deepest_state_they_reach(
    gaps: list[int], residencies: Sequence[int]
) -> None:
    table = table_of((1, 10), (2, 20), (3, 30))
    candidate = tuple(residencies)
    histogram = from_counts(((gap, 1) for gap in gaps), [1000 * r - 1 for r in candidate])
    usage, time = [0] * 4, [0] * 4
    for gap in gaps:
        state = max(n for n, limit in enumerate((0, *candidate)) if gap >= 1000 * limit)
        usage[state] += 1
        time[state] += gap
    found = evaluating.known(histogram, table, candidate)
    assert found.usage == tuple(usage)
    assert found.time_us == tuple(ns // 1000 for ns in time)


def test_processors_change_nothing(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of(trace)
    many = [(10, 20, 50, 100 + n, 10_000, 20_000) for n in range(30)]
    found: list[dict[Candidate, Outcomes]] = []
    for jobs in (1, 3):
        done: list[int] = []
        results = Results("digest")
        spread.on_processors(task, many, results, done.append, jobs)
        assert sum(done) == 30
        found.append(dict(results.found))
    assert found[0] == found[1]


class Dying:
    """Work that takes its process along."""

    fast, together, sampled = False, 1, False

    def evaluate(self, candidates: Sequence[Candidate]) -> list[Outcomes]:
        if (4,) in candidates:
            os._exit(1)
        return [Outcomes(candidate, (0, 0), (0, 0)) for candidate in candidates]


def test_a_process_that_dies_loses_nothing_that_was_done(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    with Results("digest", path) as results:
        spread.on_processors(Dying(), [(1,)], results, lambda count: None, 2)
        many = [(2,), *[(4,)] * 16]
        with pytest.raises(Unreadable) as raised:
            spread.on_processors(Dying(), many, results, lambda count: None, 2)
    message = raised.value.findings[0].message
    assert "a process died" in message
    assert f"are kept in {path}" in message
    with Results("digest", path) as again:
        assert (1,) in again.found


@pytest.mark.slow
def test_processes_change_nothing() -> None:
    """Without the core, work is for processes."""
    script = (
        "import sys; sys.modules['idle_states.core._core'] = None\n"
        "from idle_states.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    words = ["tune", "power9-dd1", "--trace", str(RECORDING), "--power", "implied"]
    words += ["--kernel", "6.1", "--format", "json"]
    runs = [
        subprocess.run([sys.executable, *how, *words, "--jobs", jobs], capture_output=True)
        for how, jobs in ((["-m", "idle_states"], "1"), (["-c", script], "2"))
    ]
    assert runs[0].returncode == runs[1].returncode == 0, runs[1].stderr
    assert json.loads(runs[0].stdout) == json.loads(runs[1].stdout)


def test_a_cluster_changes_nothing_and_its_death_loses_nothing(trace: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    task, many = (
        task_of(trace),
        CANDIDATES + [(10, 20, 50, 100 + n, 10_000, 20_000) for n in range(20)],
    )
    expected = {each.candidate: each for each in evaluate(task, many)}
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        results = Results("digest")
        spread.Cluster(client, task).evaluate(many, results, lambda count: None)
        assert results.found == expected
        path = tmp_path / "results"
        with Results("digest", path) as kept:

            def dies(count: int) -> None:
                client.close()

            with pytest.raises(Unreadable) as raised:
                spread.Cluster(client, task).evaluate(many, kept, dies)
    assert 0 < len(kept.found) < len(many)
    message = raised.value.findings[0].message
    assert f"{len(kept.found)} results are kept in {path}" in message
    with Results("digest", path) as again:
        assert again.kept == len(kept.found)
        spread.on_processors(
            task, [each for each in many if each not in again.found], again, lambda count: None
        )
        assert again.found == expected


@pytest.mark.slow
def test_a_scheduler_that_is_killed_loses_nothing(trace: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    where = tmp_path / "scheduler.json"
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1"]
    parts = [
        [*words, "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(where)],
        [*worker, "--no-nanny", "--no-dashboard", "--scheduler-file", str(where)],
    ]
    started = [
        subprocess.Popen(part, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path)
        for part in parts
    ]
    try:
        deadline = time.monotonic() + 60
        while not where.is_file() and time.monotonic() < deadline:
            time.sleep(0.1)
        address = json.loads(where.read_text())["address"]
        path = tmp_path / "kept"
        command = ["tune", "power9", "--trace", str(trace), "--power", "implied"]
        command += ["--resume", str(path), "--format", "json"]
        whole = subprocess.run(
            [sys.executable, "-m", "idle_states", *command[:6], *command[8:]],
            capture_output=True,
            check=True,
        )
        tool = subprocess.Popen(
            [sys.executable, "-m", "idle_states", *command, "--scheduler", address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        while tool.poll() is None and time.monotonic() < deadline:
            if path.is_file() and path.read_bytes().count(b"\n") > 9:
                started[0].kill()
                break
            time.sleep(0.005)
        out, err = tool.communicate(timeout=90)
        assert tool.returncode == 3, (out, err)
        assert b"results are kept in" in err
        assert b"Traceback" not in err
        count = path.read_bytes().count(b"\n") - 1
        assert count >= 9
        done = subprocess.run(
            [sys.executable, "-m", "idle_states", *command], capture_output=True, check=True
        )
        assert f"going on from {count} results".encode() in done.stderr
        assert json.loads(done.stdout) == json.loads(whole.stdout)
    finally:
        for process in started:
            process.kill()
            process.wait()


# What is kept

SOME = [Outcomes((n, 2 * n), (1, 2, n), (3, 4, 5)) for n in range(1, 5)]


def test_results_come_back(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with Results("a", path) as results:
        results.add(SOME[:3])
        results.add(SOME[2:])
        assert path.read_bytes().count(b"\n") == 5
    with Results("a", path) as results:
        assert (results.kept, list(results.found.values())) == (4, SOME)


def test_two_runs_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with Results("a", path) as first, Results("a", path) as second:
        first.add(SOME[:3])
        second.add(SOME[2:])
    with Results("a", path) as results:
        assert list(results.found.values()) == SOME


@given(data=st.data())
def test_a_cut_file_loses_its_last_line_at_most(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "results"
    with Results("a", path) as results:
        results.add(SOME)
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    lines = max(whole[:cut].count(b"\n") - 1, 0)
    with Results("a", path) as results:
        assert list(results.found.values()) == SOME[:lines]
        results.add(SOME)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("content", "line_number", "message"),
    [
        (b'{"idle-states tune": 2, "digest": "b"}\n', 1, "found others'"),
        (b'{"idle-states tune": 1, "digest": "a"}\n', 1, "found others'"),
        (b"hello\n", 1, "expected results of tune"),
        (b'{"idle-states tune": 2, "digest": "a"}\n{"usage": [1]}\n', 2, "residencies_us"),
        (
            b'{"idle-states tune": 2, "digest": "a"}\n'
            b'{"residencies_us": [1], "usage": [1], "time_us": [1, 2], '
            b'"busy_us": 0, "work": 0}\n',
            2,
            "unequal length",
        ),
        (
            b'{"idle-states tune": 2, "digest": "a"}\n'
            b'{"residencies_us": ["x"], "usage": [1, 1], "time_us": [1, 2], '
            b'"busy_us": 0, "work": 0}\n',
            2,
            "among its numbers",
        ),
        (
            b'{"idle-states tune": 2, "digest": "a"}\n'
            b'{"residencies_us": [1], "usage": [1, 1], "time_us": [1, 2], '
            b'"busy_us": 0, "work": 0, "check": "12345678"}\n',
            2,
            "them altered",
        ),
        (b"precious without newline", 1, "expected results of tune"),
        (b'{"idle-states tune": 2, "digest": "b', 1, "expected results of tune"),
    ],
)
def test_results_of_something_else(
    tmp_path: Path, content: bytes, line_number: int, message: str
) -> None:
    path = tmp_path / "results"
    path.write_bytes(content)
    with pytest.raises(Unreadable) as raised:
        Results("a", path)
    finding = raised.value.findings[0]
    assert message in finding.message
    assert (finding.location.file, finding.location.line) == (str(path), line_number)
    assert path.read_bytes() == content


def test_a_result_altered_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with Results("a", path) as results:
        results.add(SOME)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"usage": [1, 2, 3]', b'"usage": [1, 2, 4]'))
    with pytest.raises(Unreadable) as raised:
        Results("a", path)
    assert raised.value.findings[0].location.line == 4
    assert "altered" in raised.value.findings[0].message


def test_without_results_there_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with Results("a", path) as results:
        results.add([])
    assert not path.exists()


# The search


def searched(gaps: Sequence[int], table: CpuTable, words: str, objective: Objective) -> Any:
    exits = dict(zip(table.names, (state.exit_ns for state in table.states), strict=True))
    power = power_figures.from_words(words, exits)
    grid = Grid(table, power)
    histogram = from_counts(((gap, 1) for gap in gaps), grid.cuts())

    def run(candidates: Sequence[Candidate]) -> dict[Candidate, Outcomes]:
        return {each: evaluating.known(histogram, table, each) for each in candidates}

    return search(table, power, objective, grid, run)


TWO = "snooze=1,state1=0.5,state2=0"


def test_known_gaps_are_best_at_break_even() -> None:
    """Nothing beats break-evens where every gap is known; a present table at twice as much costs
    what it costs."""
    gaps = list(range(1_000, 200_000, 1_000))
    found = searched(gaps, table_of((10, 40), (20, 80)), TWO, Objective(ENERGY))
    # state1 saves half: from 10 us on; state2 from (1 * 20 - 0.5 * 10) / 0.5
    assert found.even.candidate == (10, 30)
    assert found.regret(found.even) == 0
    assert found.best.energy == found.even.energy

    def cost_of(first: int, second: int) -> Fraction:
        return sum(
            (
                Fraction(gap)
                if gap < first
                else Fraction(10_000 + gap, 2)
                if gap < second
                else Fraction(20_000)
                for gap in gaps
            ),
            Fraction(0),
        )

    assert found.best.value == cost_of(10_000, 30_000)
    assert found.present.value == cost_of(40_000, 80_000)
    assert found.regret(found.present) == cost_of(40_000, 80_000) / cost_of(10_000, 30_000) - 1
    assert found.near[0][0] <= 10 <= found.near[0][1]


def test_latency_keeps_the_energy() -> None:
    gaps = list(range(1_000, 200_000, 1_000))
    found = searched(gaps, table_of((10, 40), (20, 80)), TWO, Objective(LATENCY))
    assert found.best.energy.middle <= found.present.energy.middle
    assert found.best.mean_ns <= found.present.mean_ns
    assert found.present.feasible


def test_a_dear_latency_keeps_cpus_polling() -> None:
    gaps = [50_000] * 10
    table = table_of((10, 40), (20, 80))
    light = searched(gaps, table, TWO, Objective(WEIGHTED, Fraction(0)))
    dear = searched(gaps, table, TWO, Objective(WEIGHTED, Fraction(1000)))
    assert light.best.outcomes.usage == (0, 0, 10)
    assert dear.best.outcomes.usage == (10, 0, 0)
    assert light.best.value == light.best.energy.middle


def test_front_is_what_nothing_beats() -> None:
    gaps = list(range(1_000, 200_000, 700))
    found = searched(gaps, table_of((10, 40), (20, 80)), TWO, Objective(ENERGY))
    front = [(each.p99_ns, each.energy.middle) for each in found.front]
    assert front == sorted(front)
    assert [energy for _, energy in front] == sorted((e for _, e in front), reverse=True)
    assert len({p99 for p99, _ in front}) == len(front) > 1
    assert found.front[-1].energy.middle == found.best.energy.middle


def landscape(lows: dict[Candidate, int], high: int, objective: Objective | None = None) -> Any:
    """What a search says where tables cost what they are said to, all others `high`."""
    table = table_of((10, 40), (20, 80))
    power = power_figures.from_words(TWO, {"snooze": 0, "state1": 10_000, "state2": 20_000})

    def run(candidates: Sequence[Candidate]) -> dict[Candidate, Outcomes]:
        times = {each: lows.get(each, high) for each in candidates}
        return {each: Outcomes(each, (1, 0, 0), (us, 0, 0)) for each, us in times.items()}

    return search(table, power, objective or Objective(ENERGY), Grid(table, power), run)


@pytest.mark.parametrize("deepest", [(40, 160), (10, 56)])
def test_search_goes_down_from_present_and_break_even(deepest: Candidate) -> None:
    """(20, 40), the present table scaled, is best of those that one begins with."""
    found = landscape({(20, 40): 5_000, (40, 80): 9_000, (10, 30): 9_000, deepest: 3_000}, 10_000)
    assert found.best.candidate == deepest
    assert found.best.value == min(each.value for each in (found.best, *found.front))


def test_near_ends_where_it_costs_more() -> None:
    lows: dict[Candidate, int] = dict.fromkeys([(40, 80), (40, 56), (40, 113), (40, 226)], 1_000)
    assert landscape(lows, 2_000).near == ((40, 40), (56, 113))


def test_best_at_the_edge_is_marked() -> None:
    found = landscape({(2, 80): 1_000}, 2_000)
    assert found.ranges == ((10, 640), (20, 1280))
    assert found.edges() == (False, False)
    assert landscape({(40, 1280): 1_000}, 2_000).edges() == (False, True)


def test_front_prefers_the_present_table() -> None:
    found = landscape({}, 1_000)
    assert [each.candidate for each in found.front] == [(40, 80)] == [found.best.candidate]


def test_regret_within_the_bounds_of_figures() -> None:
    """One gap of 100 us in state1 at present, 5 us of it in transit; polled in the best table."""
    table = table_of((5, 40), (20, 80))
    exits = {"snooze": 0, "state1": 5_000, "state2": 20_000}
    power = power_figures.from_words("snooze=0.4-0.6,state1=0.6-0.8,state2=0.1", exits)

    def run(candidates: Sequence[Candidate]) -> dict[Candidate, Outcomes]:
        at_present = Outcomes((40, 80), (0, 1, 0), (0, 100, 0))
        others = {each: Outcomes(each, (1, 0, 0), (100, 0, 0)) for each in candidates}
        return {**others, (40, 80): at_present}

    found = search(table, power, Objective(ENERGY), Grid(table, power), run)
    least, most = Fraction(5 + 57, 60) - 1, Fraction(5 + 76, 40) - 1
    assert found.regrets[0] == energy.PowerBounds(least, most)
    assert found.regrets[1] == energy.PowerBounds.exactly(0)
    assert found.regret(found.present) == Fraction(5_000 + 66_500, 50_000) - 1


# The command


def tuned(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    status, found = outcome(capsys, "tune", *words)
    assert status == 0
    return found


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "idle-states"


def test_tune_a_recording(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    words = ("power9", "--trace", str(RECORDING), "--kernel", "6.1", "--power", "implied")
    found = tuned(capsys, *words)
    assert found["exactness"] == "exact"
    # 400 rows, one of them a poll that was cut
    assert found["gaps"]["count"] == 399
    assert sum(found["present"]["usage"]) == 400
    assert any("(1 joined)" in assumption for assumption in found["assumptions"])
    assert any("from a 16th of what is present" in each for each in found["assumptions"])
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
        "All of this rests on",
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
    assert "energy in s awake: as much as an awake CPU draws in so many seconds" in out
    assert "tau is of exit latencies as the table has them" in out
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
        patched.setattr("idle_states.files.write_file", fails)
        assert main([*words, "--html", str(page)]) == 3
    out, err = capsys.readouterr()
    assert "All of this rests on" in out
    kept = next(cache.iterdir())
    assert f"results are kept in {kept}" in err
    assert main([*words, "--html", str(page)]) == 0
    assert "going on from" in capsys.readouterr().err
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
        with running.quiet("somebody"):
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
    assert "energy of 1000 counted, s in snooze" in out
    assert "ENERGY of 1000 counted, s in snooze" in out
    assert "a running thread draws 1 to 2 times what snooze does: assumed, not measured" in out
    assert "work counted" in out
    assert "how long to poll is not said" in out


def test_a_workload_costs_what_simulate_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Of states that act on a thread; tune takes idle periods that had not ended for running."""
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
    """What --workload takes is what simulate takes; slower hardware does less work."""
    machine = tmp_path / "m.yaml"
    machine.write_text("name: four\ncpus: 4\nthreads: 4\n")
    words = (*SIMULATED, "--power", "implied", "--topology", str(machine))
    found = tuned(capsys, *words)
    assert [each["file"] for each in found["inputs"]][1:] == [str(machine)]
    slower = tuned(capsys, *words, "--switch", "5us")
    assert slower["present"]["work"] < found["present"]["work"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--workload", "hand-off:work=x"], "expected work as a time"),
        (["--topology", "cpus=x"], "expected a number for cpus"),
        (["--placement", "recent=x"], "expected recent=on|off"),
        (["--runs", "0"], "--runs from 1 to 10000"),
        (["--duration", "5"], "--duration: expected a time with its unit, such as 200ns"),
        (["--ipi", "5"], "--ipi: expected a time with its unit"),
        (["--exit", "stop7=1us"], "--exit: expected STATE=TIME with a state (snooze"),
        (["--workload", "nosuch"], "expected a workload (busy-waker"),
        (["--governor", "none"], "expected a governor for --workload"),
        (["--gaps", "x"], "one of the three"),
    ],
)
def test_bad_simulations(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", *SIMULATED, "--power", "implied", *words]) == 2
    assert message in capsys.readouterr().err


def test_documented_figures(words: Gaps) -> None:
    """The page's table: V / c, best threshold, and what others cost."""
    page = (DOCS / "thresholds.md").read_text()
    rows = [row.strip("| ").split(" | ") for row in page.splitlines() if row.startswith("| ")][1:]
    assert [int(row[0]) for row in rows] == [10, 15, 20, 40, 60, 80]
    for price, threshold, of_32, of_even, least, even in rows:
        step = WaitStep(1, 0, int(price))
        found, at_even = best(words, [step]), break_even(words, [step])
        assert found.thresholds[0] is not None
        assert threshold == f"{8 * found.thresholds[0]} bytes"
        shares = [
            cost(words, [step], [4]) / Fraction(found.cost),
            at_even.cost / Fraction(found.cost),
        ]
        said = [100 * float(share - 1) for share in shares]
        assert [of_32, of_even] == [f"{value:.1f} %".replace("0.0 %", "0 %") for value in said]
        offline = Fraction(known(words, step))
        assert [least, even] == [f"{float(c / offline):.2f}" for c in (found.cost, at_even.cost)]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["power9"], 2, "expected idle gaps from --trace, --workload or"),
        (["power9", "--trace", "{trace}"], 2, "found no figure for snooze, stop0_lite"),
        (["power9", "--trace", "{trace}", "--power", "snooze=1"], 2, "no figure for stop0_lite"),
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
    monkeypatch.setattr("idle_states.cluster._SECONDS", 1)
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


@pytest.mark.slow
def test_interrupted_nothing_is_lost(tmp_path: Path, trace: Path) -> None:
    """Ctrl-C while candidates are evaluated: exit 130, results on disk, and on from there."""
    path = tmp_path / "kept"
    slow = (
        "import sys, time\n"
        "from idle_states.tune import spread\n"
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
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if path.is_file() and path.read_bytes().count(b"\n") > 3:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == b""
    count = path.read_bytes().count(b"\n") - 1
    assert f"{count} results are kept in {path}".encode() in err
    done = subprocess.run(
        [sys.executable, "-m", "idle_states", *words], capture_output=True, check=True
    )
    assert f"going on from {count} results".encode() in done.stderr
    fresh = [*words[:6], *words[8:]]
    again = subprocess.run(
        [sys.executable, "-m", "idle_states", *fresh], capture_output=True, check=True
    )
    assert json.loads(done.stdout) == json.loads(again.stdout)
