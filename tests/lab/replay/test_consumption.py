"""Energy of replayed CPUs, running ones included."""

from fractions import Fraction
from pathlib import Path

import pytest

from idle_states.lab.replay.consumption import OUTSIDE_NOTE, machine, machines, use_of
from idle_states.lab.replay.counters import Figures, StateFigures
from idle_states.tables.power.figures import from_words
from tests.support import commands
from tests.support.commands import document

FIGURES = Figures(
    (
        StateFigures(0, "snooze", 2, 10),
        StateFigures(1, "lite", 4, 100),
        StateFigures(2, "deep", 1, 400),
    ),
    (),
)
EXITS = {"snooze": 0, "lite": 1_000, "deep": 50_000}
WATTS = from_words("awake=4W,snooze=3W,lite=2W,deep=1W", EXITS)
TRACE = """\
 <idle>-0 [000] 1.000000: cpu_idle: state=1 cpu_id=0
 <idle>-0 [000] 1.000200: cpu_idle: state=4294967295 cpu_id=0
 <idle>-0 [000] 1.000300: cpu_idle: state=2 cpu_id=0
 <idle>-0 [000] 1.001000: cpu_idle: state=4294967295 cpu_id=0
"""


def test_use_by_hand() -> None:
    """The trace has 510 us idle of 1000; 4 and 50 of these leave lite and deep."""
    use = use_of(FIGURES, WATTS, 1_000_000)
    assert use.times_ns == (10_000, 96_000, 350_000)
    assert use.held_ns == (456_000, 446_000, 350_000)
    assert (use.awake_ns, use.idle_ns, use.wakeups) == (544_000, 456_000, 7)
    spent = machine(use, WATTS)
    assert spent.total is not None
    assert spent.total.low == spent.total.high == 4 * 544_000 + 3 * 10_000 + 2 * 96_000 + 350_000
    assert spent.each_wakeup == spent.total.times(Fraction(1, 7))
    assert spent.each_unit is None


def test_no_less_time_than_the_idle_periods() -> None:
    assert use_of(FIGURES, WATTS, 0).awake_ns == 54_000


def test_a_machine_of_a_trace_is_its_idle_time_and_what_ran() -> None:
    """With what a running CPU draws given, it is the energy of the idle periods and of the rest."""
    idle = use_of(FIGURES, WATTS, FIGURES.time_us * 1000)
    both = use_of(FIGURES, WATTS, 2_000_000)
    totals = [machine(use, WATTS).total for use in (idle, both)]
    assert totals[0] is not None
    assert totals[1] is not None
    assert totals[1].low - totals[0].low == 4 * (2_000_000 - 510_000)


def test_said() -> None:
    found = machines([use_of(FIGURES, WATTS, 10**6)], WATTS, "by hand")
    assert found.model.assumptions[-1] == "by hand"
    assert found.changes == ()


def test_replay_reckons_running_and_idle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """1000 us on one CPU: 900 idle, of which 2 and 10 leave states, 100 running."""
    trace = tmp_path / "trace.txt"
    trace.write_text(TRACE)
    words = ("replay", str(trace), "--states", "2000/20000,10000/100000")
    power = ("--power", "awake=4W,state1=2W,state2=1W")
    found = document(capsys, *words, *power)
    (table,) = found["consumption"]["tables"]
    joules = (4 * (100 + 12) + 2 * 198 + 690) / 1e6
    assert table["total"] == {"low": pytest.approx(joules), "high": pytest.approx(joules)}
    assert table["mean_power"]["low"] == pytest.approx(joules / 1e-3)
    assert table["each_wakeup"]["low"] == pytest.approx(joules / 2)
    assert table["each_unit"] is None
    assert [state["name"] for state in table["states"]] == ["running", "snooze", "state1", "state2"]
    assert OUTSIDE_NOTE in found["consumption"]["assumptions"]
    text = commands.run(capsys, *words, *power)[1]
    assert "each wake-up, uJ" in text
    assert f"  - {OUTSIDE_NOTE}\n" in text
    assert document(capsys, *words)["consumption"] is None


def test_replay_of_what_has_no_time_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dumps = []
    for number, (usage, time) in enumerate(((1, 10), (5, 2_000))):
        dump = tmp_path / f"dump{number}"
        lines = [
            f"/sys/devices/system/cpu/cpu0/cpuidle/state{state}/{key}:{value}"
            for state, name in enumerate(("POLL", "C1"))
            for key, value in (
                ("name", name), ("latency", state), ("residency", state), ("usage", usage),
                ("time", time), ("disable", 0),
            )
        ]  # fmt: skip
        dump.write_text("\n".join(lines) + "\n")
        dumps.append(str(dump))
    words = ("replay", "--power", "POLL=1,C1=0.5", "--sysfs", *dumps)
    assert "Energy of the machine: not computed" in commands.run(capsys, *words)[1]
    assert document(capsys, *words)["consumption"] is None
