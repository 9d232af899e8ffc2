"""Windows of a simulated run, and the energy of what happens in them."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.table import Power
from idle_states.lab.replay.consumption import (
    RUNNING,
    SNOOZES,
    Change,
    changes,
    machine,
    of_machine,
    spanned,
)
from idle_states.lab.simulation import by_core
from idle_states.lab.simulation.consumption import (
    Draws,
    anything,
    energy,
    likely,
    power_ratios,
    turning_points,
)
from idle_states.lab.simulation.simulate import simulate
from idle_states.lab.simulation.window import Window, whole, window
from idle_states.tables.linux.governors import core
from idle_states.tables.power.energy import IDLE_ONLY, WATTS, PowerBounds
from idle_states.tables.power.figures import from_words
from tests.support import commands
from tests.support.commands import document
from tests.support.simulations import setup

NAMES = ("snooze", "lite", "core", "pair")
MS = 1_000_000


def made(
    awake_ns: int, held_ns: tuple[int, ...], counted: int = 100, duration_ns: int = 1000
) -> Window:
    asked = tuple(a - b for a, b in zip(held_ns, (*held_ns[1:], 0), strict=True))
    return Window(
        NAMES[: len(held_ns)], 2, duration_ns, counted, (1,) * len(held_ns), awake_ns, asked,
        held_ns, {},
    )  # fmt: skip


# Windows


@pytest.mark.parametrize("machine", ["cpus=8,threads=4,pair=2", "cpus=8"])
def test_a_window_is_all_that_follows(machine: str) -> None:
    whole = setup("server:clients=8,gap=300us", machine, duration_ns=20 * MS)
    found = window(whole, 3, 5 * MS, simulate)
    first = simulate(setup("server:clients=8,gap=300us", machine, duration_ns=5 * MS), 3)
    last = simulate(whole, 3)
    assert found.counted == last.counted - first.counted > 100
    assert found.awake_ns + sum(found.times_ns) == 8 * 15 * MS
    assert found.idle_ns == sum(found.times_ns)
    assert found.wakeups == sum(c.usage for c in last.cpus) - sum(c.usage for c in first.cpus)
    assert sum(found.latencies.values()) == sum(last.latencies.values()) - sum(
        first.latencies.values()
    )


def test_what_is_held_is_no_more_than_what_was_asked_for() -> None:
    whole = setup("server:clients=8,gap=300us", "cpus=8,threads=4,pair=2", duration_ns=20 * MS)
    found = window(whole, 3, 5 * MS, simulate)
    deeper = [sum(found.times_ns[number:]) for number in range(len(found.times_ns))]
    for effect, held, asked in zip(whole.effects, found.held_ns, deeper, strict=True):
        # a thread has what it asks for; a core or pair waits for its other threads
        assert held == asked if effect.scope == 0 else held < asked


@pytest.mark.skipif(not core.available(), reason="the compiled core is missing")
def test_the_core_has_the_same_window() -> None:
    whole = setup("schbench", "cpus=8,threads=4", duration_ns=12 * MS)
    assert window(whole, 7, 4 * MS, by_core.simulate) == window(whole, 7, 4 * MS, simulate)


def test_whole_runs_are_windows_without_a_beginning() -> None:
    given = setup("server:clients=8,gap=300us", "cpus=8,threads=4,pair=2", duration_ns=20 * MS)
    runs = [simulate(given, seed) for seed in (1, 2)]
    one, both = whole(given, runs[:1]), whole(given, runs)
    early, late = window(given, 1, 1, simulate), simulate(given, 1)
    # in the first ns nothing ends
    assert (one.counted, one.usage) == (early.counted, early.usage)
    assert abs(one.awake_ns - early.awake_ns) <= 8
    assert one.awake_ns == late.scope_ns[0][0]
    assert one.idle_ns == sum(one.times_ns) == sum(late.scope_ns[0][1:])
    assert both.duration_ns == 40 * MS
    assert both.counted == sum(run.counted for run in runs)
    assert both.idle_ns == sum(both.times_ns)
    assert sum(both.latencies.values()) == sum(sum(run.latencies.values()) for run in runs)


def test_without_wakeups_there_is_no_latency() -> None:
    assert made(0, (2000,)).latency_ns(50) is None


# Energy


def test_energy_by_hand() -> None:
    # two CPUs for 1000 ns: 600 awake at 1.5, 1400 idle; of these 1000 save 0.2, 500 more 0.5
    found = made(600, (1400, 1000, 500))
    draws = {"lite": 800_000, "core": 300_000}
    assert energy(found, 1_500_000, draws) == 600 * 1_500_000 + 1400 * SNOOZES - (
        1000 * 200_000 + 500 * 500_000
    )


def test_a_state_that_draws_more_than_the_one_before_saves_nothing_more() -> None:
    found = made(600, (1400, 1000, 500))
    alike = energy(found, SNOOZES, {"lite": 300_000, "core": 300_000})
    assert energy(found, SNOOZES, {"lite": 300_000, "core": 900_000}) == alike


windows = st.builds(
    lambda awake, shares, counted: made(
        awake, tuple((2000 - awake) * share // 100 for share in (100, *sorted(shares)[::-1])),
        counted,
    ),
    st.integers(1, 2000),
    st.tuples(*[st.integers(0, 100)] * 3),
    st.integers(1, 10**6),
)  # fmt: skip
STATES = (("lite", "thread"), ("core", "core"), ("pair", "pair"))
KNOWN = {"lite": Power(850_000, 900_000, "relative", "here", "high")}


@given(windows, windows, st.data())
def test_no_draws_within_the_bounds_lead_out_of_the_range(
    before: Window, after: Window, data: st.DataObject
) -> None:
    for assumed in (likely(STATES, KNOWN), likely(STATES, {}), anything(STATES)):
        ratios = power_ratios(before, after, assumed)
        running = data.draw(st.integers(*RUNNING))
        draws, most = {}, SNOOZES
        for name, low, high in assumed.states:
            most = draws[name] = data.draw(st.integers(low, max(low, min(high, most))))
        ratio = Fraction(energy(after, running, draws), energy(before, running, draws))
        assert min(ratios) <= ratio <= max(ratios)


@given(windows, windows)
def test_what_is_likely_lies_within_what_is_possible(before: Window, after: Window) -> None:
    likely_ratios = power_ratios(before, after, likely(STATES, KNOWN))
    any_ratios = power_ratios(before, after, anything(STATES))
    assert min(any_ratios) <= min(likely_ratios)
    assert max(likely_ratios) <= max(any_ratios)


@given(windows, windows)
def test_at_a_turning_point_a_unit_costs_as_much_as_before(before: Window, after: Window) -> None:
    for turn in turning_points(before, after):
        draws = dict.fromkeys(NAMES, round(turn * SNOOZES / 100))
        closest = min(
            abs(
                energy(before, running, draws) / before.counted
                - energy(after, running, draws) / after.counted
            )
            for running in RUNNING
        )
        # the draw is rounded to a millionth
        assert closest <= 2000 * (1 / before.counted + 1 / after.counted)


LATENCIES = dict.fromkeys(NAMES, 1000)


def words(draws: dict[str, int]) -> str:
    return ",".join(f"{name}={draw / SNOOZES:.6f}" for name, draw in draws.items())


@given(windows, st.lists(st.integers(0, SNOOZES), min_size=3, max_size=3))
def test_a_machine_is_reckoned_as_a_change_is(found: Window, some: list[int]) -> None:
    """Exact figures give the energy of a review at both ends of what a running CPU may draw."""
    draws = dict(zip(NAMES[1:], some, strict=True))
    spent = machine(found, of_machine(from_words(words(draws), LATENCIES)))
    low, high = (Fraction(energy(found, running, draws), SNOOZES) for running in RUNNING)
    assert spent.total is not None
    assert (spent.total.low, spent.total.high) == (low, high)
    assert sum(bounds.low for _, bounds in spent.states if bounds is not None) == low
    assert spent.time_ns == found.cpus * found.duration_ns


@given(windows, st.data())
def test_no_figure_within_the_bounds_leads_out_of_the_machines(
    found: Window, data: st.DataObject
) -> None:
    given = "lite=0.7-0.9,core=0.2-0.8,pair=0-0.3"
    spent = machine(found, of_machine(from_words(given, LATENCIES)))
    bounds = {"lite": (700_000, 900_000), "core": (200_000, 800_000), "pair": (0, 300_000)}
    draws = {name: data.draw(st.integers(*ends)) for name, ends in bounds.items()}
    total = Fraction(energy(found, data.draw(st.integers(*RUNNING)), draws), SNOOZES)
    assert spent.total is not None
    assert spent.total.low <= total <= spent.total.high


@given(windows, windows, st.lists(st.integers(0, SNOOZES), min_size=3, max_size=3))
def test_a_change_of_machines_is_that_of_a_review(
    before: Window, after: Window, some: list[int]
) -> None:
    draws = dict(zip(NAMES[1:], some, strict=True))
    found = changes(before, after, of_machine(from_words(words(draws), LATENCIES)))
    exact = Draws(RUNNING, tuple((name, draw, draw) for name, draw in draws.items()), ())
    ratios = power_ratios(before, after, exact)
    assert found is not None
    assert found.power == spanned(ratios)
    share = Fraction(before.counted, after.counted)
    assert found.energy == spanned([ratio * share for ratio in ratios])


def test_no_change_is_told_without_figures_or_with_too_many_ranges() -> None:
    one = made(600, (1400, 1000, 500))
    assert changes(one, one, of_machine(from_words("lite=0.5", LATENCIES))) is None
    names = tuple(f"s{number}" for number in range(13))
    many = replace(one, names=names, held_ns=(1400,) * 13, times_ns=(0,) * 13, usage=(1,) * 13)
    given = ",".join(f"{name}=0.1-0.2" for name in names)
    assert changes(many, many, of_machine(from_words(given, dict.fromkeys(names, 1)))) is None


def test_a_running_cpu_draws_what_is_given() -> None:
    """In watts, by hand: 600 ns at 4 W, 1400 idle, of which 1000 at 3 W and 500 of these at 1 W."""
    model = of_machine(from_words("awake=4W,snooze=3.5W,lite=3W,core=1W", LATENCIES))
    assert model.unit == WATTS
    spent = machine(made(600, (1400, 1000, 500)), model)
    assert spent.total is not None
    assert spent.total.low == spent.total.high == 600 * 4 + 400 * Fraction(7, 2) + 500 * 3 + 500
    assert spent.power is not None
    assert spent.power.low == Fraction(spent.total.low, 2000)
    # for each of three idle periods, and of a hundred units
    assert spent.each_wakeup == spent.total.times(Fraction(1, 3))
    assert spent.each_unit == spent.total.times(Fraction(1, 100))
    assert not any("running thread draws" in words for words in model.assumptions)


def test_what_a_machine_rests_on_is_said() -> None:
    said = of_machine(from_words("lite=0.5", LATENCIES)).assumptions
    assert IDLE_ONLY not in said
    assert any("a running thread draws 1 to 2 times" in words for words in said)
    assert any("leaving a state is counted as running" in words for words in said)
    assert "figures as given: lite=0.5" in said


def test_a_state_without_a_figure_leaves_no_total() -> None:
    spent = machine(made(600, (1400, 1000, 500)), of_machine(from_words("lite=0.5", LATENCIES)))
    assert spent.missing == ("core",)
    assert spent.total is spent.each_wakeup is None
    # 500 ns in lite, and not those in core beyond it
    assert dict(spent.states)["lite"] == PowerBounds.exactly(250)
    unused = machine(made(600, (1400, 1000, 0)), of_machine(from_words("lite=0.5", LATENCIES)))
    assert unused.missing == ()
    assert unused.total is not None


@pytest.mark.parametrize(
    ("least", "most", "sign"),
    [(0.0, 1.0, 1), (0.5, 1.0, 1), (-1.0, 0.0, -1), (-1.0, 1.0, 0), (0.0, 0.0, 0)],
)
def test_signs(least: float, most: float, sign: int) -> None:
    assert Change(least, most).sign == sign


def test_a_range_in_percent() -> None:
    found = spanned([Fraction(3, 2), Fraction(9, 10), Fraction(1)])
    assert (found.least, found.most) == (-10.0, 50.0)


def test_grounds_name_source_and_confidence_and_what_is_not_known() -> None:
    grounds = "\n".join(likely(STATES, KNOWN).grounds)
    assert "lite draws 0.85 to 0.9 times what snooze does (here, high confidence)" in grounds
    assert "no figure of core, pair is known" in grounds


def test_assumed_is_what_a_review_assumes(capsys: pytest.CaptureFixture[str]) -> None:
    """States without figures draw what they do in a review, by what they stop."""
    words = ("simulate", "pipe", "--table", "power9", "--kernel", "6.1", "--duration", "5ms")
    model = document(capsys, *words, "--power", "assumed")["consumption"]
    found = {one["name"]: one["power"] for one in model["states"]}
    expected = likely([("stop0_lite", "thread"), ("stop2", "core")], {})
    for name, low, high in expected.states:
        assert found[name] == {"low": low / SNOOZES, "high": high / SNOOZES}
    assert model["tables"][0]["total"] is not None
    assert any("as POWER8's for a state that stops a core" in said for said in model["assumptions"])


def test_specs_figures_come_before_assumed_ones(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("simulate", "pipe", "--table", "power8", "--kernel", "6.1", "--duration", "5ms")
    given = document(capsys, *words)["consumption"]
    assert document(capsys, *words, "--power", "assumed")["consumption"] == given


@pytest.mark.parametrize(
    "words", [("--states", "1000/10000"), ("--platform", "skx", "--kernel", "6.6")]
)
def test_nothing_is_assumed_of_other_states(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, error = commands.run(capsys, "simulate", "pipe", *words, "--power", "assumed")
    assert status == 2
    assert "expected rows of POWER's firmware with what they stop" in error
