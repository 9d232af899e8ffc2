"""The tables that tune tries."""

from itertools import pairwise

from idle_states.lab.replay.machine import CpuTable
from idle_states.lab.tune.candidates import Grid, break_evens, scaled, together
from idle_states.tables.power import energy
from idle_states.tables.power import figures as power_figures
from tests.support.tuning import table_of


def model_of(table: CpuTable) -> energy.PowerModel:
    rows = zip(table.names, table.states, strict=True)
    return power_figures.from_rows([(name, s.exit_ns, s.residency_ns) for name, s in rows])


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
