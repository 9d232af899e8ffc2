"""Energy: published figures, break-evens, what rows imply, bounds carried through, and `replay`."""

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model import units
from idle_states.base.model.findings import Location
from idle_states.base.model.table import IdleState
from idle_states.base.reading import scalars
from idle_states.base.reading.complaints import SpecProblems
from idle_states.base.reading.document import Scalar
from idle_states.cli import main
from idle_states.lab.replay.consumption import spent
from idle_states.lab.replay.counters import Figures, StateFigures
from idle_states.tables.power import energy
from idle_states.tables.power import figures as power_figures
from idle_states.tables.power.energy import PowerBounds, PowerModel, StatePower, break_even
from idle_states.tables.power.figures import BadPower
from idle_states.tables.sources import read_table
from idle_states.tables.spec.library import load
from idle_states.tables.spec.write import write
from tests.lab.traces.test_trace_readers import EXIT_STATE, line, text
from tests.support.commands import outcome

SKYLAKE = "awake=4W,C1=1.44W,C6=100mW"
EXITS = {"C1": 2_000, "C6": 133_000}
PERCENT = st.integers(0, 100).map(lambda value: Fraction(value, 100))


def rows_of(name: str) -> list[tuple[str, IdleState]]:
    table = read_table(name).table
    assert table is not None
    return [(state.name, state) for state in table.states]


def model(text: str, tau: str = power_figures.TAU_EXIT, exits: Any = None) -> PowerModel:
    return power_figures.from_words(text, exits or EXITS, tau)


# Formulae


@pytest.mark.parametrize(("tau", "us"), [("exit", 383), ("both", 767)])
def test_skylake_as_published(tau: str, us: int) -> None:
    """C0 4 W, C1 2/2 us 1.44 W, C6 133/600 us 0.1 W: second-hand figures."""
    found = model(SKYLAKE, tau)
    least, most = break_even(found.awake, found.states["C1"], found.states["C6"]) or (0, 0)
    assert least == most
    assert round(least / 1000) == us


def test_energy_of_a_period() -> None:
    state = StatePower(PowerBounds.exactly(Fraction(1, 4)), 100, "")
    # 100 at 2, 900 at a quarter
    assert energy.energy(PowerBounds.exactly(2), state, 1, 1000) == PowerBounds.exactly(200 + 225)
    # three periods of 1000 in all
    assert energy.energy(PowerBounds.exactly(2), state, 3, 1000) == PowerBounds.exactly(600 + 175)


@given(PERCENT, PERCENT, st.integers(0, 1000), st.integers(0, 10_000))
def test_break_even_is_where_both_cost_the_same(
    first: Fraction, second: Fraction, tau: int, longer: int
) -> None:
    awake = PowerBounds.exactly(1)
    shallow = StatePower(PowerBounds.exactly(max(first, second)), tau, "")
    deep = StatePower(PowerBounds.exactly(min(first, second)), tau + longer, "")
    found = break_even(awake, shallow, deep)
    if first == second:
        assert found is None
        return
    assert found is not None
    at, same = found
    assert at == same
    costs = [
        awake.low * state.tau_ns + state.power.low * (at - state.tau_ns)
        for state in (shallow, deep)
    ]
    assert costs[0] == costs[1]


@given(st.lists(st.tuples(PERCENT, PERCENT), min_size=3, max_size=3), st.integers(1, 10**5))
def test_bounds_hold_what_any_figures_between_give(
    pairs: Sequence[tuple[Fraction, Fraction]], tau: int
) -> None:
    awake, shallow, deep = (PowerBounds(min(pair), max(pair)) for pair in pairs)
    # a state draws at most what an awake CPU does
    awake += PowerBounds.exactly(1)
    ends = break_even(awake, StatePower(shallow, 0, ""), StatePower(deep, tau, ""))
    inner = [[b.low, b.middle, b.high] for b in (awake, shallow, deep)]
    for p0, p_shallow, p_deep in product(*inner):
        exact = [PowerBounds.exactly(value) for value in (p0, p_shallow, p_deep)]
        one = break_even(exact[0], StatePower(exact[1], 0, ""), StatePower(exact[2], tau, ""))
        spent = energy.energy(exact[0], StatePower(exact[2], tau, ""), 2, 10 * tau)
        whole = energy.energy(awake, StatePower(deep, tau, ""), 2, 10 * tau)
        assert whole.low <= spent.low <= whole.high
        if one is not None:
            assert ends is not None
            assert ends[0] <= one[0]
            assert ends[1] is None or one[0] <= ends[1]
        else:
            assert ends is None or ends[1] is None


# What rows imply


@pytest.mark.parametrize(
    ("times", "percent"),
    [((1_000, 10_000), 20), ((100_000, 10_000_000), 2), ((40_000, 300_000_000), 0.0266)],
)
def test_two_over_k(times: tuple[int, int], percent: float) -> None:
    """The figures are those that `show` prints as SAVES: 10x, stop4 and fastsleep."""
    before, own = energy.implied([times])
    assert own == 1
    assert float(100 * (own - before)) == pytest.approx(percent, rel=0.01)


def test_implied_figures_give_the_residencies_back() -> None:
    rows = [("snooze", 0, 0)]
    rows += [(s.name, s.latency_ns, s.residency_ns or 0) for _, s in rows_of("power9")]
    for tau in power_figures.TAUS:
        found = power_figures.from_rows(rows, tau)
        for before, after in pairwise(rows):
            at = break_even(found.awake, found.states[before[0]], found.states[after[0]])
            if before[0] == "stop5":
                # stop8 repeats its residency: it cannot be a break-even
                continue
            assert at == (after[2], after[2]), after[0]
        assert found.states["stop11"].power == PowerBounds.exactly(0)


# Figures of specs


def test_packaged_figures() -> None:
    """None are public for POWER9 and POWER10; POWER7's and POWER8's are shares of different
    things, which is said."""
    for name in ("power9", "power9-dd1", "power10", "pseries-dedicated"):
        assert power_figures.from_specs(rows_of(name)) is None, name
    found = power_figures.from_specs(rows_of("power8"))
    assert found is not None
    assert found.states["nap"].power == PowerBounds(Fraction(85, 100), Fraction(9, 10))
    assert found.states["fastsleep_"].power == PowerBounds.exactly(Fraction(1, 5))
    assert found.states["winkle"].power == PowerBounds(Fraction(0), Fraction(1, 20))
    assert found.states["snooze"].power == found.awake
    said = " ".join(found.assumptions)
    for word in ("medium confidence", "S822", "core: nap; core and L2: fastsleep_", "snooze"):
        assert word in said
    seven = power_figures.from_specs(rows_of("power7"))
    assert seven is not None
    assert seven.states["nap"].power == PowerBounds.exactly(Fraction(85, 100))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("C1", "expected NAME=0.9"),
        ("C1=", "expected NAME=0.9"),
        ("C1=x", "expected NAME=0.9"),
        ("C1=0.9-0.5", "the lower bound first"),
        ("C1=1W-0.5", "expected NAME=0.9"),
        ("C1=1.44W", "awake=4W"),
        ("awake=4W,C1=0.5", "found both"),
        ("C9=1", "expected a state (C1, C6) or awake, found 'C9'"),
        ("C1=1,C1=2", "one figure for C1, found two"),
        ("C1=1.1", "no state to draw more than an awake CPU, found C1"),
    ],
)
def test_figures_that_cannot_be_meant(words: str, message: str) -> None:
    with pytest.raises(BadPower) as raised:
        model(words)
    assert message in str(raised.value)


def test_figures_of_every_form() -> None:
    found = model("awake=100%,C1=0.5-0.6,C6=10%")
    assert found.states["C1"].power == PowerBounds(Fraction(1, 2), Fraction(3, 5))
    assert found.states["C6"].power == PowerBounds.exactly(Fraction(1, 10))
    watts = model(SKYLAKE)
    assert (watts.unit, watts.awake) == (energy.WATTS, PowerBounds.exactly(4))
    assert watts.states["C6"].power == PowerBounds.exactly(Fraction(1, 10))


# Of what was counted


def test_spent() -> None:
    figures = Figures((StateFigures(0, "snooze", 2, 5), StateFigures(1, "C1", 3, 1000)), ())
    found = spent(figures, model("C1=0.5-0.6"))
    # 5 us awake; 3 * 2 us awake and 994 us at a half or more
    assert found.total == PowerBounds(
        Fraction(5_000 + 6_000 + 497_000), Fraction(5_000 + 6_000 + 596_400)
    )
    assert found.missing == ()
    power = found.power
    assert power is not None
    assert power.low == Fraction(508_000, 1_005_000)


def test_a_state_without_figures_leaves_no_total() -> None:
    figures = Figures((StateFigures(0, "C1", 1, 5), StateFigures(1, "C6", 1, 9)), ())
    found = spent(figures, model("C1=0.5"))
    assert (found.total, found.missing) == (None, ("C6",))
    unused = Figures((StateFigures(0, "C1", 1, 5), StateFigures(1, "C6", 0, 0)), ())
    assert spent(unused, model("C1=0.5")).total is not None


# replay


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """Ten idle periods of 200 us."""
    lines = []
    for number in range(10):
        now = 1_000_000_000 + number * 1_000_000
        lines += [line(1, now), line(EXIT_STATE, now + 200_000)]
    path = tmp_path / "trace"
    path.write_bytes(text(*lines))
    return str(path)


def replayed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    status, found = outcome(capsys, "replay", *words)
    assert status == 0
    return found["energy"]


def test_replay_reckons_from_the_spec(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    found = replayed(capsys, trace, "--table", "power8", "--governor", "menu", "--kernel", "6.1")
    assert found["unit"] == "relative"
    of = {row["name"]: row for row in found["states"]}
    assert of["snooze"]["power"] == {"low": 1, "high": 1}
    total = found["tables"][0]["total"]
    assert 0.0017 < total["low"] < total["high"] < 0.002
    assert found["assumptions"]


def test_replay_reckons_from_the_command_line(
    capsys: pytest.CaptureFixture[str], trace: str
) -> None:
    words = ("--states", "2000/10000", "--power", "awake=4W,snooze=4W,state1=1W")
    found = replayed(capsys, trace, *words)
    # ten times 2 us at 4 W and 198 us at 1 W
    assert found["tables"][0]["total"] == {"low": 0.00206, "high": 0.00206}
    assert found["tables"][0]["mean_power"] == {"low": 1.03, "high": 1.03}
    twice = replayed(capsys, trace, *words, "--tau", "both")
    assert twice["tables"][0]["total"] == {"low": 0.00212, "high": 0.00212}


def test_replay_prints_assumptions_beside_figures(
    capsys: pytest.CaptureFixture[str], trace: str
) -> None:
    assert main(["replay", trace, "--table", "power8"]) == 0
    out = capsys.readouterr().out
    assert "ENERGY, s awake" in out
    assert "the awake CPU, tau the exit latency\n" in out
    assert "S822/S822LC, medium confidence" in out


def test_replay_says_where_there_are_no_figures(
    capsys: pytest.CaptureFixture[str], trace: str
) -> None:
    words = ["replay", trace, "--table", "power9", "--table", "power9-dd1"]
    assert main(words) == 0
    assert "no state of these tables has a power figure" in capsys.readouterr().out
    assert main([*words, "--power", "implied"]) == 0
    out = capsys.readouterr().out
    assert "no power figures: each residency of the first table is assumed" in out
    assert main([*words, "--power", "stop99=1"]) == 2
    assert "found 'stop99'" in capsys.readouterr().err


def test_show_says_when_states_pay(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "power8", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["energy"]
    pays = {row["state"]: row["us"] for row in found["break_evens"]}
    assert pays["nap"] == {"low": 4, "high": 4}
    # (0.8 * 40 - 0.15 * 4) / 0.65, (0.8 * 40 - 0.1 * 4) / 0.7
    assert pays["fastsleep_"] == {"low": 45.142857, "high": 48.307692}
    assert main(["show", "power8"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "fastsleep_ saves more than nap from 45.1429 to 48.3077 us on" in out
    assert "saves about 80 %" in out
    assert main(["show", "power9", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["energy"] is None


# In a spec


@given(st.integers(0, 10**9), st.sampled_from(["relative", "watts"]))
def test_powers_are_written_as_they_are_read(value: int, unit: str) -> None:
    problems = SpecProblems()
    written = units.format_power(value, unit)
    found = scalars.power(Scalar(written, False, Location()), problems)
    assert (found, problems.findings) == ((value, unit), [])


def test_a_spec_keeps_its_figures(tmp_path: Path) -> None:
    before = read_table("power8").table
    assert before is not None
    path = tmp_path / "mine.yaml"
    path.write_text(write(before))
    after = read_table(str(path)).table
    assert after is not None
    assert [state.power for state in after.states] == [state.power for state in before.states]
    assert before.states[0].power is not None
    assert before.states[0].power.of == "core"


@pytest.mark.parametrize(
    ("power", "rule"),
    [
        ("{low: 90%, high: 85%, source: me, confidence: low}", "IS924"),
        ("{low: 1W, high: 85%, source: me, confidence: low}", "IS924"),
        ("{low: 0.85, high: 0.9, source: me, confidence: low}", "IS922"),
        ("{low: 85%, high: 90%, confidence: low}", "IS921"),
        ("{low: 85%, high: 90%, source: me, confidence: surely}", "IS925"),
        ("85%", "IS922"),
    ],
)
def test_broken_figures(power: str, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"name: mine\nextends: power9\noverride: {{stop2: {{power: {power}}}}}\n")
    assert {finding.rule for finding in load(path).findings} == {rule}


def test_watts_want_what_the_cpu_draws_awake(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    power = "{low: 1W, high: 1.5W, source: me, confidence: low}"
    path.write_text(f"name: mine\nextends: power9\noverride: {{stop2: {{power: {power}}}}}\n")
    with pytest.raises(BadPower, match="awake=4W"):
        power_figures.from_specs(rows_of(str(path)))
    assert main(["show", str(path)]) == 0
