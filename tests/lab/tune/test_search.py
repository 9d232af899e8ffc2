"""The search for the best table."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from idle_states.lab.replay.machine import CpuTable
from idle_states.lab.tune import evaluate as evaluating
from idle_states.lab.tune.candidates import Grid
from idle_states.lab.tune.evaluate import Candidate, Outcomes
from idle_states.lab.tune.objective import ENERGY, LATENCY, WEIGHTED, Objective
from idle_states.lab.tune.search import search
from idle_states.tables.power import energy
from idle_states.tables.power import figures as power_figures
from tests.support.gaps import from_counts
from tests.support.tuning import TWO, table_of


def searched(gaps: Sequence[int], table: CpuTable, words: str, objective: Objective) -> Any:
    exits = dict(zip(table.names, (state.exit_ns for state in table.states), strict=True))
    power = power_figures.from_words(words, exits)
    grid = Grid(table, power)
    histogram = from_counts(((gap, 1) for gap in gaps), grid.cuts())

    def run(candidates: Sequence[Candidate]) -> dict[Candidate, Outcomes]:
        return {each: evaluating.offline(histogram, table, each) for each in candidates}

    return search(table, power, objective, grid, run)


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
    assert found.near(0)[0] <= 10 <= found.near(0)[1]


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
    """Returns what a search says where tables cost what they are said to, all others `high`."""
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


def test_a_descent_goes_by_way_of_a_table_that_was_tried_before() -> None:
    """From the break-evens, (10, 30), both changes together lead to (80, 160), which the present
    table, scaled, has already been; from there one more leads on."""
    single = {(10, 160): 7_000, (80, 80): 5_000}
    found = landscape({**single, (40, 80): 4_000, (80, 160): 4_000, (56, 160): 1_000}, 12_000)
    assert found.best.candidate == (56, 160)


def test_near_ends_where_it_costs_more() -> None:
    lows: dict[Candidate, int] = dict.fromkeys([(40, 80), (40, 56), (40, 113), (40, 226)], 1_000)
    found = landscape(lows, 2_000)
    assert (found.near(0), found.near(1)) == ((40, 40), (56, 113))


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
