"""Tests of what docs/claims.md says of rare entries, found event by event in the reference
simulation; and what its table of times moves."""

from dataclasses import fields, replace

import pytest

from idle_states.lab.simulation.actors import SimulatedCpu
from idle_states.lab.simulation.costs import Costs
from idle_states.lab.simulation.simulate import Simulation
from tests.support.compiled import needs_core
from tools import claims_rates
from tools.claims_rates import MOVED, Moved, steady
from tools.published_wakes import ROWS, counting, dominant

TIMER_NS = 7_000_000
SNOOZE, STOP0_LITE, STOP1_LITE = range(3)

Entry = tuple[int, int]


def entries(
    number: int, monkeypatch: pytest.MonkeyPatch, timer_ns: int = TIMER_NS
) -> dict[int, list[Entry]]:
    """Returns state -> (begin in ns, CPU) of each idle period of 30 ms, with a timer every
    timer_ns."""
    costs = replace(Costs(), background=timer_ns)
    simulation = Simulation(counting(number, 30_000_000, costs), 1)
    found: dict[int, list[Entry]] = {}
    end = simulation._idling.end

    def noted(cpu: SimulatedCpu, *, time_limit: bool) -> None:
        found.setdefault(cpu.state, []).append((cpu.since_ns, cpu.number))
        end(cpu, time_limit=time_limit)

    monkeypatch.setattr(simulation._idling, "end", noted)
    simulation.run()
    return found


def test_rare_entries_before_the_correction(monkeypatch: pytest.MonkeyPatch) -> None:
    """snooze at the very beginning and just before timers; stop1_lite in the idle time before."""
    found = entries(0, monkeypatch)
    assert len(found[STOP0_LITE]) > 5_000
    begun = [entry for entry in found[SNOOZE] if entry[0] < 27_000]
    assert [sum(cpu == number for _, cpu in begun) for number in (0, 1)] == [6, 6]
    later = [begin for begin, _ in found[SNOOZE] if begin >= 27_000]
    assert later
    assert all(0 < TIMER_NS - begin % TIMER_NS < 14_000 for begin in later)
    assert max(begin for begin, _ in found[STOP1_LITE]) < 10_100_000


def test_rare_entries_after_the_correction(monkeypatch: pytest.MonkeyPatch) -> None:
    """All while menu learns, though timers come later, too; stop1_lite as before it."""
    found = entries(2, monkeypatch, timer_ns=13_000_000)
    assert len(found[SNOOZE]) > 8_000
    assert max(begin for begin, _ in found[STOP0_LITE]) < 4_000_000
    assert max(begin for begin, _ in found[STOP1_LITE]) < 10_100_000


def test_every_time_is_moved_or_has_a_reason() -> None:
    """All parameters of the simulation but those of siblings, of which these CPUs have none."""
    moved = {name for each in MOVED for name in each.costs}
    assert {each.name for each in fields(Costs)} - moved == {
        "smt_busy_permille",
        "smt_hold_permille",
    }
    assert all(each.source for each in MOVED[1:])


@needs_core
def test_idle_time_before_decides() -> None:
    """With none, snooze stays dominant even before the correction; with 10 ms, as documented."""
    expected = [dominant(row.usage) for row in ROWS]
    found = [steady(number, MOVED[0]) for number in range(len(ROWS))]
    assert [dominant(each.usage) for each in found] == expected
    # C is fitted, A predicted
    assert found[2].us == pytest.approx(1e6 / ROWS[2].switched, rel=0.001)
    assert found[0].us == pytest.approx(1e6 / ROWS[0].switched, rel=0.02)
    none = steady(0, Moved("idle before", "0 ms", "", idle_ms=0))
    assert dominant(none.usage) == "snooze"
    assert none.us == pytest.approx(found[2].us, rel=1e-3)


@needs_core
def test_snoozes_time_out_alone_can_part_what_both_snooze() -> None:
    """The hypothesis on 28.7 %: with idle periods beyond 2 us, B is slower than C."""
    default, corner = (
        [steady(number, each).us for number in (1, 2)] for each in MOVED[:: len(MOVED) - 1]
    )
    assert default[0] == pytest.approx(default[1], rel=0.005)
    assert corner[0] > 1.1 * corner[1]


@needs_core
def test_ratio_grows_with_the_run() -> None:
    text = claims_rates.sections()
    for ratio in ("457,189 to 1", "178,936 to 1", "102,146 to 1", "849,487 to 1", "4,856 to 1"):
        assert ratio in text
