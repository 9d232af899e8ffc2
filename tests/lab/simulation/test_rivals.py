"""Several governors in one simulation."""

from pathlib import Path

import pytest

from idle_states.base.dataclass import replace
from idle_states.lab.replay.oracle import foreseen
from idle_states.lab.simulation.programs import Duration, Op, OpKind, Task, Workload
from idle_states.lab.simulation.sheet import NO_ORACLE
from idle_states.lab.simulation.simulate import simulate
from tests.support.commands import Capture, document, run
from tests.support.simulations import setup

WORDS = ("simulate", "server", "--table", "power9", "--table", "power9-dd1", "--kernel", "6.12")
SHORT = ("--duration", "20ms", "--runs", "3")


def test_each_governor_as_alone(capsys: Capture) -> None:
    both = ("--governor", "menu", "--governor", "teo")
    tables = document(capsys, *WORDS, *SHORT, *both)["tables"]
    assert [each["table"] for each in tables] == [
        f"{table}, {governor}" for table in ("power9", "power9-dd1") for governor in ("menu", "teo")
    ]
    for number, governor in enumerate(("menu", "teo")):
        alone = document(capsys, *WORDS, *SHORT, "--governor", governor)["tables"]
        for one, own in zip(tables[number::2], alone, strict=True):
            assert own["hindsight"] is None
            assert {**one, "table": own["table"], "hindsight": None} == own
            assert own["governor"] == governor


def test_intervals_over_the_seeds(capsys: Capture) -> None:
    (table,) = document(capsys, "simulate", "server", "--table", "power9", *SHORT)["tables"]
    for counter, key in (("above", "too_deep"), ("below", "too_shallow")):
        counted = [
            sum(state[counter] for cpu in one["cpus"].values() for state in cpu["states"])
            for one in table["runs"]
        ]
        assert table[key]["min"] == min(counted)
        assert table[key]["max"] == max(counted)
        assert table[key]["mean"] == round(sum(counted) / len(counted), 6)
    assert table["too_shallow"]["min"] < table["too_shallow"]["max"]


def test_as_text(capsys: Capture, tmp_path: Path) -> None:
    words = ("simulate", "ping-pong", "--table", "power9", "--duration", "5ms")
    _, alone, _ = run(capsys, *words, "--governor", "menu")
    assert run(capsys, *words)[1] == alone == run(capsys, *words, *["--governor", "menu"] * 2)[1]
    assert NO_ORACLE not in alone
    page = tmp_path / "page.html"
    _, both, _ = run(
        capsys, *words, *("--governor", "menu", "--governor", "teo", "--html", str(page))
    )
    assert NO_ORACLE in both
    assert "Governors compared" in page.read_text()


@pytest.mark.parametrize("governor", ["menu", "ladder"])
def test_hindsight_knows_each_stretch_of_idle_time(governor: str) -> None:
    """A task that runs for 100 us each ms, then for 3 us each 10 us: whatever the governor selects,
    and however often the tick or the end of polling makes it select again."""
    for period_ns, run_ns, state in ((1_000_000, 100_000, 2), (10_000, 3_000, 0)):
        every = Op(OpKind.EVERY, Duration(period_ns))
        task = Task("task", 0, (every, Op(OpKind.RUN, Duration(run_ns))), cpu=0)
        given = setup(
            Workload("one", (task,)),
            "cpus=1",
            times=((1_000, 20_000), (5_000, 200_000)),
            governor=governor,
            kernel="6.12",
            duration_ns=100 * period_ns,
            **dict.fromkeys(("switch", "wake", "idle_entry", "turn"), 0),
        )
        found = simulate(replace(given, foreseen=foreseen(given.table, None)), 1)
        assert found.hindsight
        assert found.hindsight.above == found.hindsight.below == 0
        used = found.hindsight.states[state]
        assert 98 <= used.usage <= 100
        assert found.hindsight.usage - used.usage <= 1
        # a wake-up that takes its time, at most 5 us, leaves less to the next stretch
        longest_us = (period_ns - run_ns) / 1000 + (5 if state == 2 else 0)
        assert longest_us - 5 <= used.time_us / used.usage <= longest_us


def test_no_state_costs_less_than_hindsights(capsys: Capture) -> None:
    words = ("simulate", "server", "--table", "power9", "--kernel", "6.12", *SHORT)
    names = [("--governor", name) for name in ("menu", "teo", "ladder")]
    governors = [word for pair in names for word in pair]
    priced = document(capsys, *words, "--power", "implied", *governors)["tables"]
    beyond = [each["hindsight"]["energy_beyond"] for each in priced]
    assert all(each["least"] >= 0 for each in beyond)
    assert beyond[2]["least"] > beyond[0]["least"] > 0
    assert {each["hindsight"]["by"] for each in priced} == {"energy"}
    # on threads of one core, what a state saves is not one CPU's
    (smt, _) = document(capsys, *words, "--power", "implied", "--topology", "smt8", *governors[:4])[
        "tables"
    ]
    assert smt["hindsight"]["by"] == "residency"
    assert smt["hindsight"]["energy_beyond"] is None
    assert smt["hindsight"]["paid_beyond_ns"].keys() == {"p50", "p99"}


def test_idle_time_that_the_end_cuts_is_judged_as_far_as_it_was(capsys: Capture) -> None:
    """Six of eight CPUs have nothing to do, and poll from one time limit to the next."""
    words = ("simulate", "periodic", "--table", "power9", "--kernel", "6.12", "--topology")
    only = ("--disabled", "stop0_lite,stop0,stop1,stop2,stop4,stop5", "--duration", "50ms")
    (table, _) = document(
        capsys, *words, "cpus=8", *only, "--governor", "menu", "--governor", "teo"
    )["tables"]
    snooze, *others = table["hindsight"]["states"]
    periods = table["states"][0]
    assert not any(state["usage"] for state in others)
    assert periods["time_us"]["mean"] > 300_000
    assert 0.98 < periods["time_us"]["mean"] / snooze["time_us"] < 1.01
    assert periods["usage"]["mean"] > snooze["usage"] + 30
