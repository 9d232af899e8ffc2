"""Replaying: counters by release, exact recordings, estimates from traces, and what is printed."""

import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.reading.problems import InputProblems
from idle_states.base.resources import resource
from idle_states.cli import main
from idle_states.cli.progress import ReadProgress
from idle_states.lab.replay.counters import ABOVE, BELOW, FITS, Tally, counts_in_ns, total
from idle_states.lab.replay.machine import CpuTable, TracedMachine, from_times
from idle_states.lab.replay.named import TableReader, named_machines
from idle_states.lab.replay.polling import polling
from idle_states.lab.replay.replay import PIECES_MAX, TURN_NS, ReplayModel, Settings
from idle_states.tables.linux import idle_loop
from idle_states.tables.linux.governors import Decision, Outcome, Situation, State
from idle_states.tables.linux.governors.interface import KTIME_MAX
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot.platform import ALL_LEVELS
from tests.lab.traces.test_trace_readers import EXIT_STATE, line, text
from tests.oracle.linux import idle_model
from tests.support import vectors
from tests.support.commands import outcome

P9 = ",".join(f"{exit_ns}/{residency_ns}" for exit_ns, residency_ns in vectors.TABLES["p9"][1:])
TICK = 4_000_000


def replay(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    return outcome(capsys, "replay", *words)


def table(*times: tuple[int, int], polls: bool = False, off: Sequence[int] = ()) -> CpuTable:
    return from_times(times, polls, off)


# Counters

TIMES = st.integers(0, 60_000)


@given(
    st.lists(st.tuples(TIMES, TIMES), min_size=1, max_size=4),
    st.frozensets(st.integers(0, 4)),
    st.lists(st.tuples(st.integers(0, 4), TIMES)),
    st.sampled_from(["5.1", "5.4", "5.5", "7.2"]),
)
def test_counters_are_the_idle_loops(
    times: list[tuple[int, int]],
    off: frozenset[int],
    periods: list[tuple[int, int]],
    kernel: str,
) -> None:
    features = idle_loop.features(release(kernel))
    rows = table(*times, off=sorted(off))
    tally = Tally(rows, counts_in_ns(release(kernel)))
    expected = idle_model.Counters(features, rows.states)
    for state, residency_ns in periods:
        if state < len(rows.states):
            tally.add(state, residency_ns)
            expected.entered(state, residency_ns, off)
    assert [
        (state.usage, state.time_us, state.above, state.below) for state in tally.figures().states
    ] == [
        (expected.usage[n], expected.time_us(n), expected.above[n], expected.below[n])
        for n in range(len(rows.states))
    ]


@pytest.mark.parametrize(
    ("in_ns", "state", "residency_ns", "verdict"),
    [
        # 10.4 us of 10.5 us residency: both are 10 us
        (False, 1, 10_400, FITS),
        (True, 1, 10_400, ABOVE),
        # 20.999 us less 0.999 us reach 20 us; in us there is no exit latency to take away
        (False, 1, 20_999, BELOW),
        (True, 1, 20_998, FITS),
        (True, 1, 20_999, BELOW),
        # the time must exceed the exit latency
        (False, 2, 999, ABOVE),
        (True, 0, 0, FITS),
    ],
)
def test_both_definitions_of_above_and_below(
    in_ns: bool, state: int, residency_ns: int, verdict: int
) -> None:
    states = (State(0, 0), State(999, 10_500), State(2_000, 20_000))
    assert Tally(CpuTable(("a", "b", "c"), states), in_ns).add(state, residency_ns) == verdict


def test_time_is_floored_once_or_with_every_period() -> None:
    for in_ns, time_us in ((False, 3), (True, 5)):
        tally = Tally(table(), in_ns)
        for _ in range(3):
            tally.add(0, 1_999)
        assert tally.figures().time_us == time_us


def test_a_period_taken_back_was_refused() -> None:
    tally = Tally(table((1_000, 10_000)), True)
    tally.add(1, 50_000)
    tally.add(1, 500)
    tally.refuse(1, 500)
    (_, state) = tally.figures().states
    assert (state.usage, state.time_us, state.above, state.rejected) == (1, 50, 0, 1)


def test_wake_latencies_are_nearest_rank() -> None:
    tally = Tally(table((1_000, 0), (2_000, 0), (3_000, 0)), True)
    for state, count in enumerate((500, 400, 99, 1)):
        for _ in range(count):
            tally.add(state, 0)
    figures = tally.figures()
    assert [figures.wake_latency_ns(p) for p in (50, 50.1, 90, 90.1, 99.9, 100)] == [
        0,
        1_000,
        1_000,
        2_000,
        2_000,
        3_000,
    ]
    assert total([figures, figures]).wakeups == ((0, 1000), (1_000, 800), (2_000, 198), (3_000, 2))
    assert Tally(table(), True).figures().wake_latency_ns(50) is None


# Exact recordings


@pytest.mark.parametrize("path", vectors.files("menu")[::7] + vectors.files("ladder")[3::17])
def test_a_recording_is_replayed_exactly(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    recorded = vectors.read(path)
    states = ",".join(f"{e}/{r}" for e, r in vectors.TABLES[recorded.table][1:])
    words = ["--states", states, "--governor", recorded.governor, "--kernel", recorded.kernel]
    status, found = replay(capsys, str(path), *words, *["--polling"] * recorded.polling)
    assert (status, found["exactness"]) == (0, "exact")
    assert found["agreement"] == {"periods": 400, "same_state": 400}
    usage = Counter(row.state for row in recorded.rows if not row.outcome.rejected)
    refused = Counter(row.state for row in recorded.rows if row.outcome.rejected)
    for state in found["total"]["states"]:
        assert state["usage"] == usage[state["index"]]
        assert state["rejected"] == refused[state["index"]]
    assert found["total"] == found["observed"]["total"] == found["cpus"]["0"]


def test_the_kernel_decides(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(vectors.DIRECTORY / "menu-debian6.1.192-p9-poll1.csv.gz")
    words = ("--states", P9, "--polling", "--governor", "menu", "--kernel")
    same = [
        replay(capsys, path, *words, kernel)[1]["agreement"]["same_state"]
        for kernel in ("debian-6.1.192", "5.4")
    ]
    assert same[0] == 400 > same[1]


def test_states_that_are_off_are_not_selected(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(vectors.DIRECTORY / "menu-debian6.1.192-p9-poll0.csv.gz")
    words = ("--states", P9, "--governor", "menu", "--kernel", "debian-6.1.192")
    _, found = replay(capsys, path, *words, "--disabled", "4,6")
    usage = [state["usage"] for state in found["total"]["states"]]
    assert usage[4] == usage[6] == 0
    assert sum(usage) + sum(s["rejected"] for s in found["total"]["states"]) == 400


def test_several_tables_over_one_recording(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(vectors.DIRECTORY / "menu-debian6.1.192-p9-poll1.csv.gz")
    tables = ("--table", "power9-dd1@84368bbf8", "--table", "power9-dd1")
    words = (*tables, "--governor", "menu", "--kernel", "6.1")
    status, found = replay(capsys, path, *words)
    assert status == 0
    old, new = found["tables"]
    assert (old["table"], new["table"]) == ("power9-dd1@84368bbf8", "power9-dd1")
    assert found["total"] == old["total"]
    names = [[state["name"] for state in each["total"]["states"]] for each in (old, new)]
    assert names == [["snooze", "stop0_lite", "stop1_lite"]] * 2
    # 2 us against 10 us of residency
    lite = [each["total"]["states"][1]["usage"] for each in (old, new)]
    assert lite[0] > 40
    assert lite[1] == 0
    assert main(["replay", path, *words]) == 0
    assert "Compared" in capsys.readouterr().out


def test_a_recording_of_more_states_than_the_table_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = str(vectors.DIRECTORY / "menu-debian6.1.192-p9-poll0.csv.gz")
    beyond = sum(row.state > 2 for row in vectors.read(Path(path)).rows)
    words = ("--states", "1000/10000,2000/20000")
    for governor, kind, exit_status in (
        ([], "state-beyond-table", 1),
        (["--governor", "menu"], "other-state", 0),
    ):
        status, found = replay(capsys, path, *words, *governor)
        assert status == exit_status
        problem = next(each for each in found["problems"] if each["kind"] == kind)
        assert problem["count"] == beyond > 100
        assert problem["examples"][0]["message"].startswith("CPU 0: expected states 0 to 2")
        assert problem["examples"][0]["line"] is not None


# Estimates


class Scripted:
    """A governor that answers from a list, and keeps what it was given."""

    poll_limit_ns = None

    def __init__(self, *decisions: Decision) -> None:
        self.decisions = list(decisions)
        self.given: list[Situation] = []
        self.outcomes: list[Outcome] = []
        self._model = None

    def select(self, situation: Situation) -> Decision:
        self.given.append(situation)
        return self.decisions.pop(0) if len(self.decisions) > 1 else self.decisions[0]

    def reflect(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


def estimate(
    monkeypatch: pytest.MonkeyPatch,
    governor: Scripted,
    *periods: tuple[int, int],
    kernel: str = "6.1",
    next_timer: str = "gap",
    rows: CpuTable | None = None,
) -> tuple[ReplayModel, InputProblems]:
    monkeypatch.setattr(Settings, "governor_of", lambda self, table: governor)
    problems = InputProblems()
    settings = Settings("menu", release(kernel), 250, next_timer)
    machine = TracedMachine("m", rows or table((1_000, 10_000), (5_000, 50_000)), {})
    model = ReplayModel(machine, settings, problems)
    model.add([(0, 1, start, end, 0) for start, end in periods])
    return model, problems


def test_what_a_governor_is_told_of_a_period(monkeypatch: pytest.MonkeyPatch) -> None:
    governor = Scripted(Decision(1, True))
    estimate(monkeypatch, governor, (TICK + 1_000_000, TICK + 1_600_000), (15_900_000, 16_000_000))
    first, second = governor.given
    # 3 ms to the tick, 0.6 to the end
    assert first == Situation(2_000_000_000, 600_000, 600_000, clock_ns=5_000_000)
    assert (second.sleep_length_ns, second.delta_next_ns) == (100_000, 100_000)
    assert governor.outcomes[0] == Outcome(1, 600_000, clock_ns=5_601_000)


def test_a_timer_that_is_far(monkeypatch: pytest.MonkeyPatch) -> None:
    governor = Scripted(Decision(1, True))
    estimate(monkeypatch, governor, (1_000_000, 1_600_000), next_timer="far")
    assert governor.given[0].sleep_length_ns == KTIME_MAX
    assert governor.given[0].delta_next_ns == 3_000_000
    assert governor.outcomes[0].residency_ns == 600_000


def test_a_tick_that_is_kept_wakes_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    governor = Scripted(Decision(1, False), Decision(1, False), Decision(2, True))
    model, _ = estimate(monkeypatch, governor, (1_000_000, 30_000_000))
    # ticks at 4 and 8 ms, and 1 us awake after each
    assert [each.clock_ns for each in governor.given] == [1_000_000, 4_001_000, 8_001_000]
    assert [each.delta_next_ns for each in governor.given] == [3_000_000, 3_999_000, 3_999_000]
    assert [each.sleep_length_ns for each in governor.given] == [29_000_000, 25_999_000, 21_999_000]
    assert [(each.residency_ns, each.got_tick) for each in governor.outcomes] == [
        (3_000_000, True),
        (3_999_000, True),
        (21_999_000, False),
    ]
    usage = [(state.usage, state.time_us) for state in model.figures()[0].states]
    assert usage == [(0, 0), (2, 6_999), (1, 21_999)]
    assert (model.decisions, model.held) == (3, {0: (1, 1)})


def test_a_tick_at_the_end_of_a_period_is_not_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    governor = Scripted(Decision(1, False))
    estimate(monkeypatch, governor, (1_000_000, 4_000_000))
    assert [(each.residency_ns, each.got_tick) for each in governor.outcomes] == [
        (3_000_000, False)
    ]


def test_a_tick_once_stopped_stays_so_for_the_period(monkeypatch: pytest.MonkeyPatch) -> None:
    governor = Scripted(Decision(0, True), Decision(1, False))
    estimate(monkeypatch, governor, (1_000_000, 30_000_000), (31_000_000, 31_500_000))
    assert [each.tick_stopped for each in governor.given] == [False, True, False]
    # no tick ends the second piece, and none is near
    assert governor.given[1].delta_next_ns == governor.given[1].sleep_length_ns == 28_989_000
    assert [each.residency_ns for each in governor.outcomes] == [10_000, 28_989_000, 500_000]


def test_refused_entries_before_the_first_miss_are_found_in_the_end(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A trace so sparse that its first cpu_idle_miss comes a block after the refused entry."""
    other = "  <idle>-0     [000]  0.000100: irq_handler_entry: irq=19 name=arch_timer"
    miss = "  <idle>-0     [000]  0.000200500: cpu_idle_miss: cpu_id=0 state=1 type=above"
    head = text(line(1, 0), line(EXIT_STATE, 900), line(1, 9_000), line(EXIT_STATE, 90_000))
    tail = text(line(1, 195_000), line(EXIT_STATE, 200_000), miss)
    path = tmp_path / "trace"
    for filler, refused in ((other + "\n") * 20_000, 1), ("", 1):
        path.write_bytes(head + filler.encode() + tail)
        _, found = replay(capsys, str(path), "--states", "1000/10000")
        state = found["total"]["states"][1]
        assert (state["usage"], state["above"], state["rejected"]) == (2, 1, refused)
        assert state["time_us"] == 86
    # without any miss there is nothing to tell it by
    path.write_bytes(head)
    _, found = replay(capsys, str(path), "--states", "1000/10000")
    state = found["total"]["states"][1]
    assert (state["usage"], state["above"], state["rejected"]) == (2, 1, 0)


def test_an_entry_longer_than_the_exit_latency_was_not_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(
        text(
            line(1, 0),
            line(EXIT_STATE, 5_000),
            "  <idle>-0     [000]  0.000005100: cpu_idle_miss: cpu_id=0 state=1 type=above",
            line(1, 9_000),
            line(EXIT_STATE, 10_000),
        )
    )
    _, found = replay(capsys, str(path), "--states", "1000/10000")
    state = found["total"]["states"][1]
    assert (state["usage"], state["above"], state["rejected"]) == (2, 2, 0)
    (problem,) = found["problems"]
    assert (problem["kind"], problem["count"]) == ("miss-disagrees", 1)
    assert problem["examples"][0]["message"] == (
        "CPU 0, state 1, 1000 ns until 0.000010000 s: by the table above, by the trace neither"
    )


def test_a_rest_shorter_than_a_turn_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    governor = Scripted(Decision(0, True))
    estimate(monkeypatch, governor, (0, 10_000 + TURN_NS), (50_000, 60_001 + TURN_NS))
    assert [each.residency_ns for each in governor.outcomes] == [10_000, 10_000, 1]


def test_before_4_17_the_tick_is_stopped_first(monkeypatch: pytest.MonkeyPatch) -> None:
    governor = Scripted(Decision(1, False))
    model, _ = estimate(monkeypatch, governor, (1_000_000, 30_000_000), kernel="4.16")
    assert model.decisions == 1


@pytest.mark.parametrize(
    ("kernel", "off", "told", "limit_us"),
    [
        ("6.1", (), False, 10),
        ("6.2", (), True, 10),
        ("6.2", (1,), True, 50),
        ("4.17", (1,), False, 10),
    ],
)
def test_snooze_ends_at_its_time_out(
    monkeypatch: pytest.MonkeyPatch, kernel: str, off: tuple[int, ...], told: bool, limit_us: int
) -> None:
    governor = Scripted(Decision(0, False), Decision(2, True))
    rows = table((1_000, 10_000), (5_000, 50_000), off=off)
    estimate(monkeypatch, governor, (0, 900_000), kernel=kernel, rows=rows)
    assert [(each.residency_ns, each.poll_time_limit) for each in governor.outcomes] == [
        (limit_us * 1_000, told),
        (900_000 - limit_us * 1_000 - TURN_NS, False),
    ]
    assert not any(each.got_tick for each in governor.outcomes)


def test_haltpoll_has_a_poll_limit_of_its_own() -> None:
    """Idles of 150 us: the first halts at once, and sets a limit of 50 us; from then on polling is
    in vain for 50 us, later 100 us, and the rest is halted. A state 0 that does not poll has no
    limit."""
    for polls, in_vain in ((True, [50_000] + 8 * [100_000]), (False, [])):
        rows = CpuTable(("POLL", "halt"), (State(0, 0, polls), State(1_000, 10_000)))
        model = ReplayModel(
            TracedMachine("m", rows, {}), Settings("haltpoll", release("6.1"), 250), InputProblems()
        )
        model.add([(0, 0, at * 1_000_000, at * 1_000_000 + 150_000, 0) for at in range(10)])
        polled, halted = model.figures()[0].states
        assert model.decisions == 10 + len(in_vain)
        if polls:
            assert (polled.usage, polled.time_us) == (9, sum(in_vain) // 1000)
            assert halted.usage == 10


def test_how_long_state_0_polls() -> None:
    poll = CpuTable(("POLL", "C1", "C2"), (State(0, 0, True), State(1, 2_000), State(1, 90_000)))
    limits = {kernel: polling(poll, release(kernel), 250).limit_ns for kernel in ("4.16", "6.1")}
    assert limits == {"4.16": None, "6.1": 90_000}
    arm = CpuTable(("WFI", "cpuoff"), (State(1, 1), State(1, 90_000)))
    assert polling(arm, release("6.1"), 250).limit_ns is None
    # a static time-out, whatever is switched off
    cede = CpuTable(("snooze", "CEDE"), (State(0, 0), State(10_000, 100_000)), frozenset({1}))
    assert polling(cede, release("6.1"), 250).limit_ns == 100_000


def test_a_period_in_too_many_pieces_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    governor = Scripted(Decision(1, False))
    model, problems = estimate(monkeypatch, governor, (0, (PIECES_MAX + 5) * TICK))
    assert model.decisions == PIECES_MAX
    assert governor.outcomes[-1].residency_ns == 6 * TICK - TURN_NS
    assert not governor.outcomes[-1].got_tick
    awake_us = (PIECES_MAX - 1) * TURN_NS // 1000
    assert model.figures()[0].time_us == (PIECES_MAX + 5) * TICK // 1000 - awake_us
    assert problems.count("piece-limit") == 1


def steady(gap_ns: int, count: int = 200) -> bytes:
    """A CPU that is idle for gap_ns, busy for 1 us, and so on."""
    period = gap_ns + 1_000
    return text(
        *(
            line(state, number * period + after)
            for number in range(count)
            for state, after in ((0, 0), (EXIT_STATE, gap_ns))
        )
    )


def test_an_estimate_of_the_table_that_kept_a_cpu_awake(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """POWER9 DD1, 5 us idles: 200 ns and 2 us take stop0_lite under 4.11, 1 us and 10 us do not."""
    path = tmp_path / "trace"
    path.write_bytes(steady(5_000))
    words = ("--governor", "menu", "--kernel", "4.11", "--next-timer", "far")
    tables = ("--table", "power9-dd1@84368bbf8", "--table", "power9-dd1")
    status, found = replay(capsys, str(path), *tables, *words)
    assert (status, found["exactness"]) == (0, "estimated")
    lite = [each["total"]["states"][1]["usage"] for each in found["tables"]]
    assert lite[0] > 180
    assert lite[1] == 0
    said = " ".join(found["assumptions"])
    for word in ("no timer is near", "as traced", "tick", "no latency limit", "polling"):
        assert word in said


def test_without_a_governor_the_states_are_those_entered(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(steady(12_000, 10))
    status, found = replay(capsys, str(path), "--states", "1000/10000,2000/20000")
    assert (status, found["exactness"], found["governor"]) == (0, "estimated", None)
    assert found["total"]["states"][0] == {
        "index": 0,
        "name": "snooze",
        "usage": 10,
        "time_us": 120,
        "above": 0,
        "below": 10,
        "rejected": 0,
    }
    assert found["total"]["too_shallow"] == 1
    assert found["total"]["wake_latency_ns"]["max"] == 0
    assert found["read"] == {
        "kind": "trace text",
        "lines": 20,
        "events": 20,
        "periods": 10,
        "span_ns": 10 * 13_000 - 1_000,
    }


def test_tables_of_other_machines_may_lack_states_that_were_entered(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(text(line(2, 1_000), line(EXIT_STATE, 90_000)))
    tables = ("--table", "power9", "--states", "1000/10000")
    status, found = replay(capsys, str(path), *tables)
    assert status == 1
    assert [each["total"]["usage"] for each in found["tables"]] == [1, 0]
    (problem,) = found["problems"]
    assert problem["kind"] == "state-beyond-table"
    status, found = replay(capsys, str(path), *tables, "--governor", "menu")
    assert (status, found["problems"]) == (0, [])


# Command line


@pytest.mark.parametrize(
    ("data", "status", "kinds"),
    [
        ((line(1, 1_000), line(EXIT_STATE, 90_000)), 0, []),
        ((line(EXIT_STATE, 1_000), line(1, 2_000)), 0, ["starts-idle", "ends-idle"]),
        ((line(1, 1_000), line(1, 2_000), line(EXIT_STATE, 90_000)), 1, ["enter-twice"]),
        ((line(1, 5_000), line(EXIT_STATE, 4_000)), 1, ["exit-before-enter"]),
        (
            (line(1, 4_000), line(EXIT_STATE, 5_000), line(1, 3_000), line(EXIT_STATE, 6_000)),
            1,
            ["time-backwards"],
        ),
    ],
)
def test_warnings_of_the_input_are_in_the_exit_status(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    data: tuple[bytes, ...],
    status: int,
    kinds: list[str],
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(text(*data))
    found_status, found = replay(capsys, str(path), "--states", "1000/10000")
    assert [problem["kind"] for problem in found["problems"]] == kinds
    assert found_status == status


def test_a_line_cut_short_is_in_the_exit_status(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(text(line(1, 1_000), line(EXIT_STATE, 90_000), line(1, 99_000))[:-40])
    status, found = replay(capsys, str(path), "--states", "1000/10000")
    assert [problem["kind"] for problem in found["problems"]] == ["truncated-line"]
    assert status == 1


def machines(*tables: str) -> list[TracedMachine]:
    return named_machines(tables, None, TableReader(ALL_LEVELS, release("6.1")))[0]


def test_tables_by_cpu_make_machines() -> None:
    one, two, three = machines("0-1=power9", "4,6=power10", "1=power8", "2=power9", "power9")
    assert [cpu for cpu in range(8) if one.table(cpu)] == [0, 1, 4, 6]
    assert [cpu for cpu in range(8) if two.table(cpu)] == [1, 2]
    assert all(three.table(cpu) for cpu in range(8))
    power9, power10 = one.table(0), one.table(4)
    assert power9 is not None
    assert power10 is not None
    assert power9 == three.table(5) != power10


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "expected a table"),
        (("--states", "1000"), "expected EXIT/RESIDENCY in ns"),
        (("--states", ",".join(["1/1"] * 10)), "at most 9 states"),
        (("--table", "nonsense"), "found 'nonsense'"),
        (("--table", "3-1=power9"), "expected CPUs such as 0-3,5"),
        (("--table", "power9", "--governor", "nice"), "expected a governor (haltpoll, ladder"),
        (("--table", "power9", "--governor", "menu", "--kernel", "4.3"), "from 4.4 on"),
        (("--table", "power9", "--governor", "menu", "--kernel", "all"), "expected one kernel"),
        (("--table", "power9", "--hz", "0"), "expected --hz"),
        (("--table", "power9", "--disabled", "x"), "expected numbers of states"),
    ],
)
def test_usage(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: Sequence[str], message: str
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(steady(5_000, 3))
    assert main(["replay", str(path), *words]) == 2
    assert message in capsys.readouterr().err


def test_two_traces_are_too_many(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(steady(5_000, 3))
    assert main(["replay", str(path), str(path), "--table", "power9"]) == 2
    assert "expected one trace" in capsys.readouterr().err


def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(steady(5_000, 3)))
    monkeypatch.setattr("sys.stdin", stream)
    _, found = replay(capsys, "-", "--table", "power9")
    assert found["total"]["usage"] == 3


def test_output_is_stable_and_names_its_inputs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(steady(5_000, 3))
    words = ("replay", str(path), "--table", "power9", "--governor", "menu")
    first, second = [(main(words), capsys.readouterr().out) for _ in range(2)]
    assert first == second
    _, found = replay(capsys, *words[1:])
    assert [each["file"] for each in found["inputs"]] == [
        str(path),
        str(resource("tables", "specs", "power9.yaml")),
    ]
    assert all(len(each["sha256"]) == 64 for each in found["inputs"])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    path = tmp_path / "trace"
    path.write_bytes(bytes(1000))
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr("sys.stderr", stream)
        with ReadProgress([str(path)]) as progress:
            progress.advance(250)
        assert ("25 %" in stream.getvalue()) == shown
        assert stream.getvalue().endswith("\r\x1b[K") == shown


def test_each_cpu_is_shown_when_asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without --per-cpu the sum of both, with it each one's own figures too."""
    file = tmp_path / "two.txt"
    file.write_bytes(
        text(
            line(1, 1_000_000_000, 0),
            line(2, 1_000_000_000, 7),
            line(EXIT_STATE, 1_000_030_000, 0),
            line(EXIT_STATE, 1_000_500_000, 7),
        )
    )
    words = ["replay", str(file), "--states", "1000/10000,2000/20000"]
    assert main(words) == 0
    short = capsys.readouterr().out
    assert "2 CPUs (--per-cpu shows each)" in short
    assert "CPU 7" not in short
    assert main([*words, "--per-cpu"]) == 0
    shown = capsys.readouterr().out
    assert "--per-cpu" not in shown
    whole, first, second = (part.split() for part in re.split("CPU [07]\n", shown))
    assert ["530", "us"] in [whole[at : at + 2] for at in range(len(whole))]
    for own, time_us in ((first, "30"), (second, "500")):
        total = own.index("total")
        assert own[total + 1 : total + 4] == ["1", time_us, "us"]
