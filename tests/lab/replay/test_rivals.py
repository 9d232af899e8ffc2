"""Several governors in one replay, and the oracle that they are compared with."""

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from idle_states.lab.replay.machine import CpuTable, from_times
from idle_states.lab.replay.oracle import by_energy, by_residency
from idle_states.tables.power.energy import PowerBounds, PowerModel, StatePower, energy
from tests.support.commands import Capture, document, run

DATA = Path(__file__).parents[2] / "data"
RECORDING = str(DATA / "recordings/powernv9-menu.txt.gz")
TRACE = (
    str(DATA / "traces/mt8196-teo.slice.txt.gz"),
    *("--sysfs", str(DATA / "traces/mt8196-teo.sysfs-before.txt")),
)
OWN = """class Governor:
    def __init__(self, states, hz): ...
    def select(self, situation):
        return 0, False
    def reflect(self, outcome): ...
"""
HEAD = (
    "sleep_length_ns,delta_next_ns,latency_req_us,tick_stopped,nr_iowaiters,load,state,stop_tick,"
    "rejected,residency_ns,got_tick,poll_time_limit,clock_at_select_ns,cpu\n"
)


def drawn(seed: int) -> tuple[CpuTable, list[int], PowerModel]:
    """A table, numbers of states that may be selected, and power figures that are ranges."""
    of = random.Random(seed)
    times = [(of.randrange(200_000), of.randrange(500_000)) for _ in range(of.randrange(1, 8))]
    table = from_times(times, True)
    allowed = sorted(of.sample(range(len(table.states)), of.randrange(1, len(table.states) + 1)))
    states = {}
    for name, state in zip(table.names, table.states, strict=True):
        low, high = sorted((Fraction(of.randrange(101), 100), Fraction(of.randrange(101), 100)))
        states[name] = StatePower(PowerBounds(low, high), state.exit_ns, "")
    return table, allowed, PowerModel("relative", PowerBounds.exactly(1), states, ())


@pytest.mark.parametrize("seed", range(60))
def test_the_oracle_selects_what_is_best(seed: int) -> None:
    table, allowed, power = drawn(seed)
    deepest, cheapest, middles = (
        by_residency(table, allowed),
        by_energy(table, allowed, power),
        power.middles(),
    )
    lengths = {0, 1, 10**9, *range(0, 700_000, 7_919)}
    for edge in (*deepest.lengths_ns, *cheapest.lengths_ns):
        lengths |= {max(edge - 1, 0), edge, edge + 1}
    for length in lengths:
        reached = [at for at in allowed if table.states[at].residency_ns <= length]
        assert deepest.state(length) == max(reached, default=allowed[0])

        def cost(at: int, length: int = length) -> Fraction:
            return energy(middles.awake, middles.states[table.names[at]], 1, length).low

        assert cost(cheapest.state(length)) == min(map(cost, allowed))


def recording(tmp_path: Path, *lengths_us: int, limit_us: int = 2_000_000_000) -> str:
    """A recording of idle periods, all spent in state 0."""
    rows, clock = [], 10**9
    for length in lengths_us:
        ns = length * 1000
        rows.append(f"{ns},{ns},{limit_us},0,0,0,0,0,0,{ns},0,0,{clock},0\n")
        clock += ns + 10_000
    file = tmp_path / "idle.csv"
    file.write_text(HEAD + "".join(rows))
    return str(file)


def rows_of(capsys: Capture, *words: str) -> dict[str, Any]:
    found = document(capsys, "replay", *words)["governors"]
    return {each["governor"]: each for each in found}


STATES = ("--states", "1000/10000,20000/100000", "--kernel", "6.12")


def test_figures_by_hand(tmp_path: Path, capsys: Capture) -> None:
    """Periods of 5, 30 and 500 us: one for each state, all polled away when recorded."""
    file, own = recording(tmp_path, 5, 30, 500), tmp_path / "own.py"
    own.write_text(OWN)
    words = (file, *STATES, "--governor", "menu", "--governor", str(own))
    power = ("--power", "snooze=1,state1=0.5-0.6,state2=0.1")
    rows = rows_of(capsys, *words, *power)
    assert list(rows) == ["as traced", "menu", str(own), "oracle, by energy"]
    traced, best = rows["as traced"], rows["oracle, by energy"]
    assert traced == {**rows[str(own)], "governor": "as traced"}
    assert (traced["too_deep"], traced["too_shallow"], traced["periods"]) == (0, 2, 3)
    assert traced["energy"] == {"low": 535e-6, "high": 535e-6}
    # 5 us in state1: 1 + 4 * 0.55 us by the middles; 30 us: 1 + 29 * 0.55; 500 us: 20 + 480 * 0.1
    assert (best["too_deep"], best["too_shallow"]) == (1, 0)
    least, most = (2 + 33 * draw + 68 for draw in (0.5, 0.6))
    assert best["energy"]["low"] == pytest.approx(least * 1e-6)
    assert best["energy"]["high"] == pytest.approx(most * 1e-6)
    assert traced["energy_beyond"]["least"] == pytest.approx(100 * (535 / most - 1), abs=0.001)
    assert traced["energy_beyond"]["most"] == pytest.approx(100 * (535 / least - 1), abs=0.001)
    assert best["paid_ns"] == {"p50": 1000, "p99": 20_000}
    assert traced["paid_beyond_ns"] == {"p50": -1000, "p99": -20_000}

    plain = rows_of(capsys, *words)["oracle, by residency"]
    assert (plain["too_deep"], plain["too_shallow"], plain["energy"]) == (0, 0, None)
    assert plain["paid_ns"] == {"p50": 1000, "p99": 20_000}


def test_limits_bind_the_oracle(tmp_path: Path, capsys: Capture) -> None:
    both = ("--governor", "menu", "--governor", "teo")
    file = recording(tmp_path, 500, 500, limit_us=5)
    assert rows_of(capsys, file, *STATES, *both)["oracle, by residency"]["paid_ns"]["p99"] == 1000
    file = recording(tmp_path, 500, 500)
    assert rows_of(capsys, file, *STATES, *both)["oracle, by residency"]["paid_ns"]["p99"] == 20_000
    limited = rows_of(capsys, file, *STATES, *both, "--disabled", "2")
    assert limited["oracle, by residency"]["paid_ns"]["p99"] == 1000
    limits = ("--latency-limit", "5us")
    found = document(capsys, "replay", file, *STATES, *both, *limits)["governors"]
    best = [each["paid_ns"]["p99"] for each in found if each["governor"].startswith("oracle")]
    assert best == [20_000, 1000]


@pytest.mark.parametrize(
    "words",
    [
        (RECORDING, "--table", "power9"),
        (*TRACE, "--next-timer", "gap"),
        TRACE,
        (*TRACE, "--next-timer", "far", "--traced-governor", "teo", "--latency-limit", "300us"),
    ],
)
def test_each_governor_as_alone(words: tuple[str, ...], capsys: Capture) -> None:
    """Together as each by itself, which takes the traced governor for the first."""
    words = ("replay", *words, "--kernel", "6.12")
    traced = () if "--traced-governor" in words or RECORDING in words else ("menu",)
    own = ("--traced-governor", *traced) if traced else ()
    names = ("menu", "teo", "ladder")
    found = document(capsys, *words, *(w for name in names for w in ("--governor", name)))
    for number, name in enumerate(names):
        alone = document(capsys, *words, *own, "--governor", name)
        assert alone["governors"] == []
        together = found["tables"][number :: len(names)]
        assert [each["total"] for each in together] == [each["total"] for each in alone["tables"]]
        assert [each["cpus"] for each in together] == [each["cpus"] for each in alone["tables"]]
        if name == "menu":
            assert alone["truth"]["same_state"] == found["truth"]["same_state"]


def test_core_and_reference_have_one_oracle(tmp_path: Path, capsys: Capture) -> None:
    """A governor in Python makes the reference read the recording, two models the core."""
    own = tmp_path / "own.py"
    own.write_text(OWN)
    words = (RECORDING, "--table", "power9", "--kernel", "6.12", "--governor", "menu")
    by_core = rows_of(capsys, *words, "--governor", "teo")
    by_reference = rows_of(capsys, *words, "--governor", str(own))
    for name in ("as traced", "menu", "oracle, by residency"):
        assert by_core[name] == by_reference[name]


def test_as_text(capsys: Capture) -> None:
    words = ("replay", RECORDING, "--table", "power9", "--kernel", "6.12", "--governor", "menu")
    _, alone, _ = run(capsys, *words)
    assert "oracle" not in alone
    _, again, _ = run(capsys, *words, "--governor", "menu")
    assert again == alone
    _, both, _ = run(capsys, *words, "--governor", "teo")
    assert "Governors compared" in both
    assert "menu, teo, HZ 250" in both
