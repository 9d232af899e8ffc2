"""Tables that lead a governor to the same over a trace are replayed once, and no others."""

from array import array
from random import Random

import pytest

from idle_states.lab.replay import core_models
from idle_states.lab.replay.core_models import Alike
from idle_states.lab.replay.counters import Figures
from idle_states.lab.replay.machine import from_times
from idle_states.lab.replay.replay import Settings
from idle_states.lab.tune.evaluate import Candidate, EvaluationTask, with_residencies
from idle_states.lab.tune.source import CpuGaps
from idle_states.tables.linux.releases import release
from tests.support.compiled import needs_core
from tests.support.thorough import few

pytestmark = needs_core
BASE = (8, 30, 90, 400, 3_000)
GOVERNORS = (
    ("menu", "6.12", True),
    ("teo", "6.12", True),
    ("teo", "7.2", True),
    ("teo", "6.6", True),
    ("menu", "4.4", True),
    ("menu", "4.19", True),
    ("menu", "7.2", True),
    ("teo", "7.0", False),
    ("teo", "6.2", False),
    ("teo", "5.10", False),
    ("ladder", "6.1", False),
)
"""Governor, kernel, and whether the core notes bounds."""


def tables(random: Random) -> list[Candidate]:
    found: dict[Candidate, None] = {}
    while len(found) < 40:
        changed = list(BASE)
        for _ in range(random.randrange(1, 3)):
            changed[random.randrange(5)] = int(10 ** random.uniform(0, 4.5))
        found[tuple(sorted(changed) if random.random() < 0.9 else changed)] = None
    return [*found]


def periods(random: Random) -> bytes:
    """Idle periods of few different lengths, among which a residency may lie as well as another."""
    lengths = [int(10 ** random.uniform(3, 7)) for _ in range(4)]
    found, clock = array("Q"), 10**9
    for _ in range(400):
        length = random.choice(lengths) + random.choice((0, 0, 200))
        found.extend((clock, clock + length, 1))
        clock += length + random.choice((20_000, 1_000_000))
    return found.tobytes()


def entered(outcomes: list[Figures]) -> list[list[tuple[int, int]]]:
    return [[(state.usage, state.time_us) for state in figures.states] for figures in outcomes]


@pytest.mark.parametrize(("governor", "kernel", "notes"), few(4, GOVERNORS))
def test_tables_within_bounds_have_the_result_that_they_have_alone(
    governor: str, kernel: str, notes: bool
) -> None:
    results: list[list[Figures]] = []
    times = [(exit_us * 1000, 10**6) for exit_us in (1, 3, 10, 40, 150)]
    base, seeds = from_times(times, polling=True), 8
    for seed in range(seeds):
        random = Random(f"{governor} {kernel} {seed}")
        hz, next_timer = random.choice((100, 250, 1000)), random.choice(("gap", "far"))
        settings = Settings(governor, release(kernel), hz, next_timer=next_timer)
        cpus = [periods(random) for _ in range(2)]
        known: Alike[list[Figures]] = Alike()
        for candidate in tables(random):
            table = with_residencies(base, candidate)
            alone = core_models.follow(table, settings, cpus, Alike())
            results.append(core_models.follow(table, settings, cpus, known))
            assert entered(results[-1]) == entered(alone), candidate
    assert (len({id(each) for each in results}) < seeds * 40) == notes


def test_what_is_known_is_not_part_of_a_task() -> None:
    """A task's text identifies kept results, and its copies may have another table."""
    settings = Settings("menu", release("6.12"), 250)
    task = EvaluationTask(settings, from_times([(1000, 10_000)], polling=True), (CpuGaps(0),))
    assert "known" not in repr(task)
    assert task.with_table(task.table)._known is not task._known
    assert task.with_table(task.table) == task
