"""Inputs inferred of traced decisions: held to recordings that have them, and to a real trace."""

import gzip
from array import array
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from idle_states.base.model.findings import UsageError
from idle_states.cli import main
from idle_states.lab.replay import calibrated
from idle_states.lab.replay.inference import Inference
from idle_states.lab.replay.machine import CpuTable, from_times
from idle_states.lab.replay.placed import tick_phase
from idle_states.lab.replay.replay import Settings
from idle_states.lab.replay.request import ReplayRequest
from idle_states.lab.replay.steps import CoreSteps
from idle_states.tables.linux.governors import Governor, core
from idle_states.tables.linux.governors.interface import tick_ns
from idle_states.tables.linux.releases import release
from tests.support import DATA
from tests.support.commands import outcome
from tests.support.compiled import needs_core
from tests.support.simulated_recordings import Row, recorded, stripped
from tests.support.simulations import TIMES, setup
from tests.support.thorough import examples

TRACES = DATA / "traces"
SLICE, IDLE = (str(TRACES / f"mt8196-teo.{name}.txt.gz") for name in ("slice", "idle"))
BEFORE = str(TRACES / "mt8196-teo.sysfs-before.txt")
ASKED = ("--governor", "teo", "--kernel", "6.6", "--hz", "1000")
FACTORS = (0.3, 3)
SLOW = pytest.mark.slow


def scaled(table: CpuTable, factor: float) -> CpuTable:
    """A table with other residencies, in whole us."""
    states = (
        replace(state, residency_ns=int(state.residency_ns * factor) // 1000 * 1000)
        for state in table.states
    )
    return replace(table, states=tuple(states))


def exactly(rows: list[Row], settings: Settings, table: CpuTable) -> list[int]:
    """The states that a table's governor selects with the inputs as recorded."""
    governor = settings.governor_of(table)
    found = []
    for situation, decision, ended in rows:
        state = governor.select(situation).state
        limit = ended.poll_time_limit and state == decision.state
        governor.reflect(replace(ended, state=state, poll_time_limit=limit))
        found.append(state)
    return found


@pytest.mark.parametrize("hz", [100, 250, 1000])
def test_the_ticks_phase_is_that_of_many_ends(hz: int) -> None:
    random, period = Random(hz), tick_ns(hz)
    ends = [random.randrange(10**12) for _ in range(900)]
    assert tick_phase(ends, period) is None
    phase = random.randrange(period)
    ends += [n * period + phase + random.randrange(2_000) for n in range(100)]
    random.shuffle(ends)
    found = tick_phase(ends, period)
    assert found is not None
    # a window may begin with an end by chance, but not long before
    assert (phase - found) % period < period // 400 or found - phase < 2_000
    assert tick_phase([], period) is None


@pytest.mark.parametrize(
    ("workload", "governor", "kernel"),
    [
        ("server", "menu", "6.1"),
        ("schbench", "menu", "4.11"),
        ("schbench", "teo", "7.1"),
        pytest.param("server", "menu", "6.12", marks=SLOW),
        pytest.param("server", "teo", "6.1", marks=SLOW),
        pytest.param("pipe", "teo", "6.6", marks=SLOW),
        pytest.param("schbench", "teo", "6.6", marks=SLOW),
        pytest.param("periodic", "teo", "7.1", marks=SLOW),
    ],
)
@needs_core
def test_the_exact_result_is_within_the_bounds(workload: str, governor: str, kernel: str) -> None:
    made = setup(workload, governor=governor, kernel=kernel, duration_ns=30_000_000)
    settings = Settings(governor, made.release, made.hz)
    others = [scaled(made.table, factor) for factor in FACTORS]
    for rows in recorded(made, 1):
        rows = rows[:150]
        found = Inference(made.table, settings, others, None, 0).infer(stripped(rows))
        assert len(found.unexplained) <= len(rows) / 50
        for table, (decisions, masks) in zip(others, found.others, strict=True):
            exact = exactly(rows, settings, table)
            for number in range(len(table.states)):
                least = sum(mask == 1 << number for mask in masks)
                most = sum(mask >> number & 1 for mask in masks)
                assert least <= exact.count(number) <= most
                assert least <= decisions[::2].count(number) <= most
            # and nearly each decision is among those that are open for it
            among = sum(mask >> state & 1 for mask, state in zip(masks, exact, strict=True))
            assert among >= 0.9 * len(rows)


@needs_core
def test_what_was_traced_is_reproduced() -> None:
    made = setup("server", governor="menu", kernel="6.1", duration_ns=60_000_000)
    settings = Settings("menu", made.release, made.hz)
    for rows in recorded(made, 2):
        found = Inference(made.table, settings, (), None, 0).infer(stripped(rows))
        traced = [decision.state for _, decision, _ in rows]
        differ = {
            n
            for n, pair in enumerate(zip(traced, found.decided[::2], strict=True))
            if len(set(pair)) > 1
        }
        assert differ <= set(found.unexplained)
        assert len(found.unexplained) <= len(rows) / 100


@needs_core
@pytest.mark.parametrize(
    "which",
    [
        ("ladder", "6.6"),
        pytest.param(("menu", "6.1"), marks=SLOW),
        pytest.param(("teo", "6.6"), marks=SLOW),
    ],
)
def test_the_reference_infers_the_same(which: tuple[str, str]) -> None:
    governor, kernel = which
    made = setup("server", governor=governor, kernel=kernel, duration_ns=3_000_000)
    settings = Settings(governor, release(kernel), 250)
    others = [scaled(made.table, 3)]
    rows = recorded(made, 1)[0][: 2 if governor == "ladder" else 8]
    by = [
        Inference(made.table, settings, others, None, 0, by_core=by_core).infer(stripped(rows))
        for by_core in (True, False)
    ]
    assert by[0] == by[1]


class OneByOne:
    """A governor's steps by the core, one call each: what infers with them does so in Python."""

    def __init__(self, governor: Governor, *, by_core: bool) -> None:
        assert by_core
        self.steps = CoreSteps(governor)
        self.tried, self.keep = self.steps.tried, self.steps.keep

    def copy(self, other: "OneByOne") -> None:
        self.steps.copy(other.steps)


GOVERNORS = (
    *(("teo", kernel) for kernel in ("5.4", "6.1", "6.6", "6.12", "7.1")),
    *(("menu", kernel) for kernel in ("4.11", "4.15", "6.1", "6.12", "7.1")),
    *(("ladder", "6.6"), ("haltpoll", "6.6")),
)
PERIODS = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 12_000), st.integers(-(10**6), 10**7)),
        st.one_of(
            st.sampled_from((0, 1_000, 20_000, 1_000_000, 4_000_000)),
            st.integers(0, 10**7).map(lambda log: int(10 ** (log / 10**6))),
        ),
        st.integers(0, len(TIMES)),
    ),
    min_size=1,
    max_size=120,
)


@needs_core
@given(
    st.sampled_from(GOVERNORS),
    st.sampled_from(GOVERNORS),
    PERIODS,
    st.lists(st.sampled_from(FACTORS), max_size=2),
    st.none() | st.integers(0, 999_999),
    st.frozensets(st.integers(0, len(TIMES)), max_size=2),
    st.sampled_from((2_000_000_000, 50)),
)
@hypothesis_settings(max_examples=examples(40, 600), deadline=None)
def test_the_core_infers_as_is_done_period_by_period(
    traced: tuple[str, str],
    asked: tuple[str, str],
    periods: list[tuple[int, int, int]],
    factors: list[float],
    phase_ns: int | None,
    disabled: frozenset[int],
    limit_us: int,
) -> None:
    table = from_times(TIMES, True, disabled)
    others = [replace(scaled(table, factor), limit_us=limit_us) for factor in factors]
    by, to = (Settings(name, release(kernel), 1000) for name, kernel in (traced, asked))
    numbers, now_ns = array("Q"), 5_000_000_000
    for awake_ns, length_ns, state in periods:
        now_ns = max(0, now_ns + awake_ns)
        numbers.extend((now_ns, now_ns + length_ns, state))
        now_ns += length_ns
    inference = Inference(table, by, others, to, phase_ns)
    found = inference.infer(numbers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idle_states.lab.replay.inference.steps_of", OneByOne)
        assert inference.infer(numbers) == found


@needs_core
def test_periods_beyond_the_table_are_refused_by_the_core() -> None:
    inference = Inference(from_times(TIMES, True), Settings("teo", release("6.6"), 1000))
    for wrong in ((5, 9, 9), (9, 5, 0)):
        with pytest.raises(ValueError, match="expected periods in states of the table"):
            inference.infer(array("Q", (0, 1, 0, *wrong)))
    assert inference.infer(array("Q")).rows == b""


@needs_core
def test_ladder_looks_at_no_timer_and_nothing_is_open() -> None:
    made = setup("server", governor="ladder", kernel="6.6", duration_ns=30_000_000)
    settings = Settings("ladder", made.release, made.hz)
    table = scaled(made.table, 3)
    rows = recorded(made, 3)[0]
    found = Inference(made.table, settings, [table], None, 0).infer(stripped(rows))
    assert found.unexplained == ()
    decisions, masks = found.others[0]
    exact = exactly(rows, settings, table)
    assert list(decisions[::2]) == exact
    assert list(masks) == [1 << state for state in exact]


def test_what_no_inputs_explain_is_counted_and_leaves_all_open() -> None:
    # no governor selects a state that is switched off
    table = replace(from_times(TIMES, True), disabled=frozenset({2}))
    settings = Settings("teo", release("6.6"), 250)
    periods = array("Q")
    for number in range(30):
        start = 1_000_000 * number
        periods.extend((start, start + 150_000, 2 if number == 15 else 4))
    found = Inference(table, settings, [scaled(table, 3)]).infer(periods)
    assert found.unexplained == (15,)
    assert found.decided[2 * 15] != 2
    # until what is unknown of that period is forgotten, all states but the disabled one are open
    everything = 0b111011
    masks = list(found.others[0][1])
    assert masks[15:24] == [everything] * 9
    assert everything not in (masks[14], masks[24])


def names(document: Any) -> dict[str, tuple[int, int]]:
    return {
        each["name"]: (each["traced"]["usage"], each["modelled"]["usage"])
        for each in document["truth"]["states"]
    }


@needs_core
@pytest.mark.parametrize("trace", [SLICE, pytest.param(IDLE, marks=SLOW)])
def test_a_real_trace_is_reproduced(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, found = outcome(capsys, "replay", trace, BEFORE, *ASKED)
    assert found["next_timer"] == "calibrated"
    truth, calibration = found["truth"], found["calibration"]
    assert truth["within"]
    for traced, modelled in names(found).values():
        assert abs(modelled - traced) <= traced / 10
    # cpuoff-l is what teo falls back to where the tick is stopped, which the estimate never has
    assert names(found)["cpuoff-l"][0] == {SLICE: 37, IDLE: 410}[trace]
    assert calibration["stopped"] > 30
    assert calibration["explained"] >= 0.995 * calibration["periods"]
    assert truth["same_state"] >= calibration["explained"] > truth["uncalibrated"]
    assert 267_000 <= calibration["tick_phase_ns"] <= 269_000
    assert found["bounds"][0]["least"] <= names(found)["WFI"][0] <= found["bounds"][0]["most"]


@needs_core
def test_another_governor_is_asked_with_what_the_traced_one_knew(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    short = tmp_path / "short.txt"
    lines = gzip.decompress(Path(SLICE).read_bytes()).splitlines(keepends=True)
    short.write_bytes(b"".join(lines[:2_500]))
    words = ("replay", str(short), BEFORE, "--kernel", "6.6", "--hz", "1000")
    _, teo = outcome(capsys, *words, "--governor", "teo")
    _, menu = outcome(capsys, *words, "--governor", "menu", "--traced-governor", "teo")
    assert menu["truth"]["within"]
    assert menu["governor"] == "menu"
    assert menu["total"] != teo["total"]
    for bounds, state in zip(menu["bounds"], menu["total"]["states"], strict=True):
        assert bounds["least"] <= state["usage"] <= bounds["most"]
        assert bounds["least_us"] <= state["time_us"] <= bounds["most_us"]
    main([*words, "--governor", "menu", "--traced-governor", "teo"])
    printed = capsys.readouterr().out
    assert "Range of possible results" in printed
    assert printed.index("Reproduced: teo of Linux 6.6") < printed.index("calibrated: each period")


@needs_core
def test_long_traces_are_calibrated_if_asked_to(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrated, "PERIODS_MAX", 100)
    words = ("replay", SLICE, BEFORE, *ASKED)
    _, short = outcome(capsys, *words)
    _, gap = outcome(capsys, *words, "--next-timer", "gap")
    assert short["calibration"] is None
    assert (short["next_timer"], short["total"]) == ("gap", gap["total"])
    assert "not calibrated: more than 100 idle periods" in " ".join(short["assumptions"])
    _, asked = outcome(capsys, *words, "--next-timer", "calibrated")
    assert asked["calibration"]["periods"] == asked["read"]["periods"]


@needs_core
def test_a_table_that_may_be_another_machines_is_not_held_to_the_trace_unasked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("replay", SLICE, "--table", BEFORE, *ASKED)
    _, found = outcome(capsys, *words)
    assert found["calibration"] is None
    assert "not calibrated: no sysfs dump" in " ".join(found["assumptions"])
    _, asked = outcome(capsys, *words, "--next-timer", "calibrated")
    assert asked["calibration"]["explained"] > 0.99 * asked["read"]["periods"]


def test_what_decided_is_asked_for_beside_a_governor_only() -> None:
    with pytest.raises(UsageError, match="beside --governor only"):
        ReplayRequest((SLICE,), traced_by="teo")
    with pytest.raises(UsageError, match=r"expected a release from 5\.1 on for teo"):
        ReplayRequest(
            (SLICE,), governors=("menu",), traced_by="teo", traced_release=release("4.11")
        )


def test_without_the_core_few_periods_are_calibrated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "available", lambda: False)
    most = calibrated.BY_REFERENCE_MAX
    assert [calibrated.unasked_most(others) for others in (0, 2)] == [most, most // 11]
