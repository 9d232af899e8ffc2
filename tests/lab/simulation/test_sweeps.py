"""Published measurements of POWER9 partitions, simulated: what can be said without a fit.

tests/tools/test_published.py has the fits and their bounds; here are the points that hold for all
parameters nearby.
"""

from dataclasses import replace

import pytest

from idle_states.lab.simulation import by_core as simulate_core
from idle_states.lab.simulation.simulate import simulate
from tests.support.compiled import needs_core
from tests.support.simulations import setup
from tools.published_sweeps import PERIODS, POLLING, Free, MeasuredRow, shares

pytestmark = needs_core

STEADY = Free(work=4_000, handling=0, overshoot=1_500, jitter=1_000)
SWEPT = Free(work=10_000, handling=7_000, overshoot=3_500, jitter=1_000)


def row(cases: tuple[MeasuredRow, ...], period_us: int, setting: str) -> MeasuredRow:
    return next(case for case in cases if (case.period_us, case.setting) == (period_us, setting))


@pytest.mark.parametrize("case", PERIODS.cases[:-1], ids=lambda case: f"{case.period_us}")
def test_wake_up_sweep(case: MeasuredRow) -> None:
    """Every row but the one that jitter decides."""
    found = shares(PERIODS.workload, case, SWEPT)
    assert found == pytest.approx(case.measured, abs=1)


@pytest.mark.parametrize("overshoot", [500, 1_500, 2_500, 3_500])
def test_polling_flag(overshoot: int) -> None:
    """The flag sends 110 us to CEDE, however long snooze goes on."""
    free = replace(STEADY, overshoot=overshoot)
    for setting in ("without POLLING", "with POLLING"):
        case = row(POLLING.cases, 110, setting)
        assert shares(POLLING.workload, case, free) == pytest.approx(case.measured, abs=1.5)


def test_undecided_point() -> None:
    """At 350 us without the flag, seeds differ; with it they do not."""
    for setting, apart in (("without POLLING", True), ("with POLLING", False)):
        case = row(POLLING.cases, 350, setting)
        found = [shares(POLLING.workload, case, STEADY, seed)[0] for seed in range(1, 9)]
        assert (max(found) - min(found) > 20) is apart


def test_overshoot_decides_an_edge() -> None:
    """With 500 ns of it, a period of 50 us is on the other side of (1, 10)'s edge."""
    case = row(PERIODS.cases, 50, "CEDE (1, 10)")
    assert shares(PERIODS.workload, case, SWEPT)[1] > 75
    assert shares(PERIODS.workload, case, replace(SWEPT, overshoot=500, jitter=0))[1] < 1


def test_reference_and_core_agree_here_too() -> None:
    given = setup(
        "periodic:period=230us,work=4us", "smt4", kernel="6.0", times=((10_000, 100_000),)
    )
    assert simulate(given, 1) == simulate_core.simulate(given, 1)
