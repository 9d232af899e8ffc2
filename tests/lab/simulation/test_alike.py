"""Tables that lead a governor to the same decisions are simulated once, and no others."""

from dataclasses import replace
from random import Random

import pytest

from idle_states.lab.simulation import by_core
from idle_states.lab.simulation.programs import U64
from idle_states.lab.simulation.setup import Setup, SimulationRun
from idle_states.lab.simulation.workloads import BUILT_IN
from idle_states.lab.tune.evaluate import with_residencies
from tests.support.compiled import needs_core
from tests.support.simulations import setup
from tests.support.thorough import few

pytestmark = needs_core
GOVERNORS = (
    ("menu", "7.2"),
    ("teo", "6.6"),
    ("menu", "4.11"),
    ("teo", "5.10"),
    ("teo", "7.2"),
    ("ladder", "6.1"),
)


def with_tables(base: Setup, *residencies: tuple[int, ...]) -> list[Setup]:
    """Returns the setup with each of some tables, by their residencies in us."""
    tables = [with_residencies(base.table, candidate) for candidate in residencies]
    return [replace(base, table=table) for table in tables]


def outcome(run: SimulationRun) -> tuple[object, ...]:
    """The result but for `above` and `below`."""
    counters = [[(s.usage, s.time_us) for s in figures.states] for figures in run.cpus]
    rest = replace(run, cpus=(), agreed=())
    return counters, rest


def random_tables(random: Random, count: int) -> list[tuple[int, ...]]:
    """Tables of five states with ascending residencies, of which many differ little."""
    base = [8, 30, 90, 400, 3_000]
    found = [tuple(base)]
    while len(found) < count:
        changed = list(base)
        changed[random.randrange(5)] = int(10 ** random.uniform(0, 4.5))
        found.append(tuple(sorted(changed)))
    return found


@pytest.mark.parametrize(("governor", "kernel"), few(3, GOVERNORS))
@pytest.mark.parametrize("seed", range(3))
def test_each_table_has_the_result_that_it_has_alone(governor: str, kernel: str, seed: int) -> None:
    random = Random(f"{governor} {kernel} {seed}")
    base = setup(
        random.choice(sorted(BUILT_IN)),
        random.choice(("cpus=2", "cpus=8,threads=2,pair=1,quad=1,llc=8")),
        governor=governor,
        kernel=kernel,
        times=tuple((exit_us * 1000, 10**6) for exit_us in (1, 3, 10, 40, 150)),
        jitter=random.choice((0, 700)),
        duration_ns=random.choice((3_000_000, 20_000_000)),
        hz=random.choice((100, 250, 1000)),
    )
    setups = with_tables(base, *random_tables(random, 24))
    together = by_core.simulate_each(setups, seed)
    assert len({id(run) for run in together}) < len(setups)
    alone = [by_core.simulate(each, seed) for each in setups]
    assert [outcome(run) for run in together] == [outcome(run) for run in alone]


def test_a_governor_is_asked_until_a_table_decides_otherwise() -> None:
    base = setup("schbench", "cpus=8", times=((1_000, 10_000), (10_000, 10**10)))
    never, also_never, always = by_core.simulate_each(
        with_tables(base, (10, 10**7), (10, 2 * 10**7), (1, 20)), 1
    )
    assert never is also_never
    assert never.digest != always.digest
    others = [each.table for each in with_tables(base, (10, 2 * 10**7), (1, 20))]
    agreed = by_core.simulate(base, 1, others=others).agreed
    decisions = sum(figures.usage for figures in never.cpus)
    assert agreed[0] == U64 > decisions > agreed[1]
