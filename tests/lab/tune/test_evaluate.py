"""Tests of what candidate tables come to: as replayed, by the core and without."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.reading.inputs import Input
from idle_states.lab.replay import run as replays
from idle_states.lab.replay.machine import TracedMachine
from idle_states.lab.tune import evaluate as evaluating
from idle_states.lab.tune.evaluate import Candidate, EvaluationTask, evaluate
from idle_states.lab.tune.source import read
from idle_states.tables.linux.governors import core
from tests.support.compiled import NO_CORE
from tests.support.gaps import from_counts
from tests.support.thorough import examples
from tests.support.tuning import CANDIDATES, GAPS, RECORDING, table_of, task_of

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


def replayed(task: EvaluationTask, candidate: Candidate, name: Path) -> tuple[Any, ...]:
    """Returns what `replay` says of the same."""
    machine = TracedMachine("", evaluating.with_residencies(task.table, candidate), {})
    source = Input(str(name))
    given = source, machine, [machine], task.settings.release, [task.settings]
    if name == RECORDING:
        result = replays.from_recording(*given)
    else:
        result = replays.from_trace(*given, task.settings, {}, certain=True)
    total = result.accounts[0].total
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
    found = evaluating.offline(histogram, table, candidate)
    assert found.usage == tuple(usage)
    assert found.time_us == tuple(ns // 1000 for ns in time)
